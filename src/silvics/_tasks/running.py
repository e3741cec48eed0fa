"""Tasks on a cluster, as the client sees them: sent, received, and repeated after losses.

A task works on some items, which are numbers, and can be repeated. Its result is bytes. Nothing
depends on which worker runs a task, or when.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

import numpy as np

from silvics._tasks import encoding, working
from silvics._tasks.working import Job, Payload
from silvics._version import __version__
from silvics.model_file.container import ModelFileError

Receive = Callable[[dict[str, Any], dict[str, np.ndarray]], Sequence[int]]

_LOOK = 0.25  # seconds between looks at the states of tasks
_CENSUS = 1.0  # seconds between questions for the workers
_ANSWER = 10.0  # seconds in which the scheduler has to answer
_SLOWEST = 10e6  # bytes per second of the slowest connection for which a transfer has time
_SILENCE = 10.0  # seconds without a sign of life after which a worker is not counted
_NO_WORKERS = 20.0  # seconds without workers after which the work ends
_GRACE = 2.0  # seconds for results of tasks whose time is over
_MOST_ATTEMPTS = 4
# Errors of tasks that are raised again with their own type.
_ERRORS: dict[str, type[Exception]] = {
    of.__name__: of for of in (ValueError, TypeError, MemoryError, OSError, NotImplementedError)
}


@dataclass(eq=False)
class _Batch:
    """Items of one task, the worker to which it was sent, and how often it was sent.

    ``patience`` is for how many seconds the client waits for the bytes of the result.
    """

    items: list[int]
    attempts: int = 0
    worker: str = ""
    patience: float = 2.0


class Cluster:
    """The workers of a client that has been connected.

    Parameters
    ----------
    client : distributed.Client
        The client.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.threads: dict[str, int] = {}  # of workers that take tasks
        self.absent: set[str] = set()
        self._beats: dict[str, tuple[float, float]] = {}
        self._asked, self._seen = -inf, time.monotonic()
        self._checked: set[str] = set()
        self.census()

    @property
    def n_threads(self) -> int:
        return max(1, sum(self.threads.values()))

    def census(self, at_once: bool = False) -> None:
        """Learn which workers there are, if it is time."""
        if not at_once and time.monotonic() - self._asked < _CENSUS and self.threads:
            return
        self.check_scheduler()
        try:
            answer = self.client.sync(self.client.scheduler.identity, callback_timeout=_ANSWER)
        except (OSError, TimeoutError) as error:
            raise self.lost() from error
        found = answer["workers"]
        self._asked = time.monotonic()
        self._listen(found)
        new = set(found) - self._checked - self.absent
        if new:
            self._check_versions(new)
        self.threads = {
            worker: int(of["nthreads"])
            for worker, of in found.items()
            if worker not in self.absent and of.get("status", "running") == "running"
        }
        if self.threads:
            self._seen = self._asked
        elif self._asked - self._seen > _NO_WORKERS:
            raise ConnectionError(
                f"The Dask cluster at {self.address} has had no workers that take tasks for "
                f"{_NO_WORKERS:.0f} seconds. Start workers, and wait for them by "
                f"client.wait_for_workers(1).{self._silent()}"
            )

    def _listen(self, found: dict[str, Any]) -> None:
        """Learn which workers are lost, or have sent no sign of life for long."""
        for worker, of in found.items():
            if self._beats.get(worker, (None,))[0] != of["last_seen"]:
                self._beats[worker] = (of["last_seen"], self._asked)
        late = {worker for worker in found if self._asked - self._beats[worker][1] > _SILENCE}
        self.absent = late | (self._beats.keys() - found.keys())

    def _silent(self) -> str:
        names = ", ".join(sorted(self.absent))
        return f" These workers do not answer any more: {names}." if names else ""

    def _check_versions(self, new: set[str]) -> None:
        """Raise RuntimeError if a worker has another version of silvics."""
        answers = self.client.run(working.version, workers=list(new), on_error="return")
        for worker, answer in answers.items():
            if isinstance(answer, OSError):
                continue  # it is not there any more
            if answer != __version__:
                has = f"has {answer}" if isinstance(answer, str) else f"cannot import it ({answer})"
                raise RuntimeError(
                    f"The client has silvics {__version__}, but the worker {worker} {has}. Install "
                    "the same version everywhere."
                )
            self._checked.add(worker)

    @property
    def address(self) -> str:
        return str(getattr(self.client.scheduler, "address", "an unknown address"))

    def check_scheduler(self) -> None:
        """Raise ConnectionError if the connection to the scheduler is lost."""
        if self.client.status != "running":
            raise self.lost()

    def lost(self) -> ConnectionError:
        return ConnectionError(
            f"The connection to the Dask scheduler at {self.address} was lost. Start the cluster "
            "again; with resume= a folder, fit continues with the trees that are finished."
        )


def run(
    cluster: Cluster,
    job: Job,
    items: Sequence[int],
    receive: Receive,
    *,
    n_rounds: int,
    least: int = 1,
    seconds: float = inf,
    what: str = "trees",
) -> BaseException | None:
    """Work on all items, and return the exception that has ended the work, or None.

    Parameters
    ----------
    cluster : Cluster
        The workers.
    job : Job
        What they do.
    items : sequence of int
        The numbers that tasks are given.
    receive : callable
        Called with the decoded result of every task, in any order; returns the items that it has.
    n_rounds : int
        About how many tasks each worker is given, if there are enough items.
    least : int
        Fewest items of a task for each thread.
    seconds : float
        When they are over, the tasks return what they have.
    what : str
        What the items are, for errors.
    """
    if not items:
        return None
    return _Run(cluster, job, receive, seconds, what).all(items, n_rounds, least)


def batches(items: Sequence[int], n_workers: int, size: int) -> list[list[int]]:
    """Deal items out in rounds, so that workers of the same speed finish them in order."""
    found = []
    for first in range(0, len(items), n_workers * size):
        of_round = list(items[first : first + n_workers * size])
        n_parts = min(n_workers, len(of_round))
        found += [of_round[k::n_parts] for k in range(n_parts)]
    return found


class _Run:
    def __init__(
        self, cluster: Cluster, job: Job, receive: Receive, seconds: float, what: str
    ) -> None:
        self._cluster, self._client, self._receive = cluster, cluster.client, receive
        self._payload, self._what = Payload(job), what
        self._end = time.monotonic() + seconds
        self._waiting: deque[_Batch] = deque()
        self._running: dict[Any, _Batch] = {}
        self._done = threading.Event()
        self._sent: dict[str, Any] = {}  # the job, by worker
        self._refused: dict[str, int] = {}
        self._direct: bool | None = True  # whether the client reaches the workers

    def all(self, items: Sequence[int], n_rounds: int, least: int) -> BaseException | None:
        try:
            while not self._cluster.threads:
                time.sleep(_LOOK)
                self._cluster.census()
            n_workers = len(self._cluster.threads)
            of_thread = least * ceil(self._cluster.n_threads / n_workers)
            share = ceil(len(items) / n_workers)
            size = min(max(of_thread, ceil(share / n_rounds)), share)
            self._waiting.extend(_Batch(some) for some in batches(items, n_workers, size))
            while (self._waiting and self._left() > 0.0) or self._running:
                self._submit()
                self._done.wait(_LOOK)
                self._done.clear()
                for future in [f for f in self._running if f.status != "pending"]:
                    self._collect(future)
                if self._left() < -_GRACE:
                    break
                self._look_at_workers()
        except BaseException as error:
            return error
        finally:
            self._cancel()
        return None

    def _left(self) -> float:
        return self._end - time.monotonic()

    # ---- sending

    def _submit(self) -> None:
        """Give a task to each worker that has none."""
        busy = {batch.worker for batch in self._running.values()}
        for worker in sorted(self._cluster.threads.keys() - busy):
            if not self._waiting or self._left() <= 0.0:
                return
            sent = self._sent.get(worker) or self._send_to(worker)
            if sent is None:
                continue
            self._sent[worker] = sent
            batch = self._waiting.popleft()
            batch.worker, batch.attempts = worker, batch.attempts + 1
            future = self._client.submit(
                working.run, sent, batch.items, max(self._left(), 0.0), pure=False,
                workers=[worker],
            )  # fmt: skip
            self._running[future] = batch
            future.add_done_callback(lambda _: self._done.set())

    def _send_to(self, worker: str) -> Any:
        """Send the job to a worker, directly if it can be reached; None if it is lost.

        Each worker has a copy of its own: Dask removes further copies of one object.
        """
        self._cluster.census(at_once=True)
        if worker not in self._cluster.threads:
            return None
        seconds = _ANSWER + self._payload.n_bytes / _SLOWEST
        problem: BaseException | None = None
        for direct in (True, None) if self._direct else (None,):
            try:
                (sent,) = self._sync(
                    self._client.scatter, seconds, [self._payload], workers=[worker], hash=False,
                    direct=direct, timeout=1.0,
                )  # fmt: skip
                self._direct = direct
                return sent
            except KeyError:  # it is not there any more
                return None
            except (OSError, TimeoutError) as error:
                self._cluster.check_scheduler()
                problem = error
        self._refused[worker] = self._refused.get(worker, 0) + 1
        if self._refused[worker] >= _MOST_ATTEMPTS:
            raise ConnectionError(
                f"The worker {worker} does not take the data of the fit: {problem!r}."
            ) from problem
        self._cluster.census(at_once=True)
        return None

    def _sync(self, method: Any, seconds: float, *given: Any, **settings: Any) -> Any:
        """Call a method of the client, and wait for so many seconds."""
        return self._client.sync(
            lambda: method(*given, **settings, asynchronous=True), callback_timeout=seconds
        )

    def _look_at_workers(self) -> None:
        """Repeat the tasks of workers that are lost or do not answer."""
        self._cluster.census()
        for worker in self._sent.keys() - self._cluster.threads.keys():
            if worker in self._cluster.absent:
                del self._sent[worker]
        for future, batch in list(self._running.items()):
            if batch.worker in self._cluster.absent and future.status == "pending":
                del self._running[future]
                future.release()
                self._again(batch, "the worker is lost, or does not answer any more")

    # ---- receiving

    def _collect(self, future: Any) -> None:
        batch = self._running.pop(future)
        status = future.status
        self._cluster.check_scheduler()
        if status == "error":
            raise self._failed(batch, future.exception(timeout=_ANSWER))
        if status != "finished":
            self._sent.pop(batch.worker, None)
            self._again(batch, "the worker was lost")
            return
        try:
            encoded = self._sync(self._client.gather, batch.patience, future, direct=self._direct)
        except TimeoutError:
            self._cluster.census(at_once=True)
            if batch.worker in self._cluster.absent:
                self._again(batch, "the worker does not answer any more")
            else:  # if it has stopped, this is noticed soon
                batch.patience *= 2
                self._running[future] = batch
            return
        except Exception as error:
            self._cluster.check_scheduler()
            self._again(batch, f"its result was lost ({error!r})")
            return
        future.release()
        try:
            content, arrays = encoding.decode(encoded)
        except ModelFileError as error:
            raise RuntimeError(
                f"The worker {batch.worker} has sent a result that is not valid: {error}"
            ) from error
        if content.get("error") == "Cancelled":
            self._again(batch, "it was cancelled")
            return
        if "error" in content:
            self._raise(batch, content)
        done = set(self._receive(content, arrays))
        rest = [item for item in batch.items if item not in done]
        if rest and len(rest) == len(batch.items) and self._left() > 0.0:
            self._again(batch, "it has returned no result")
        elif rest:
            self._waiting.appendleft(_Batch(rest))

    def _again(self, batch: _Batch, why: str) -> None:
        """Repeat a task, unless it has been repeated often."""
        if batch.attempts >= _MOST_ATTEMPTS:
            raise RuntimeError(
                f"The task of {self._named(batch)}, last on the worker {batch.worker}, has failed "
                f"{batch.attempts} times: {why}. Look at the log of the worker; it may have too "
                "little memory."
            )
        self._waiting.appendleft(batch)

    def _failed(self, batch: _Batch, error: Any) -> RuntimeError:
        """Return the error for a task that Dask could not run."""
        if type(error).__name__ == "KilledWorker":
            worker = getattr(getattr(error, "last_worker", None), "address", batch.worker)
            return RuntimeError(
                f"Workers have died while they worked on {self._named(batch)}, the last of them "
                f"{worker}. They may have too little memory: give them more, lower max_memory, or "
                "grow smaller trees."
            )
        return RuntimeError(
            f"The worker {batch.worker} could not run the task of {self._named(batch)} with "
            f"silvics {__version__}: {error!r}."
        )

    def _raise(self, batch: _Batch, content: dict[str, Any]) -> None:
        kind, worker = str(content["error"]), content.get("worker", batch.worker)
        message = f"{content.get('message', '')} (worker {worker}, {self._named(batch)})"
        made = _ERRORS.get(kind, RuntimeError)
        raise made(message if kind in _ERRORS else f"{kind}: {message}")

    def _named(self, batch: _Batch) -> str:
        first, last = min(batch.items), max(batch.items)
        return f"{self._what} {first} to {last}" if last > first else f"{self._what} {first}"

    def _cancel(self) -> None:
        """Give up what is still running; the workers stop after the tree that they are growing."""
        for future in self._running:
            with suppress(Exception):
                future.release()  # it is not waited for, since the scheduler may be lost
        self._running.clear()
        self._waiting.clear()
        self._sent.clear()
