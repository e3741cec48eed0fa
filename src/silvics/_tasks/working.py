"""What runs on the workers of a cluster."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from silvics._tasks import encoding
from silvics._version import __version__


class Cancelled(BaseException):
    """Raised on a worker if nobody waits for the task any more."""


class Job(Protocol):
    """What the tasks of one fit have in common; it is sent to every worker once."""

    def run(
        self, items: Sequence[int], n_threads: int, seconds: float, check: Callable[[], None]
    ) -> np.ndarray:
        """Work on some items for at most so many seconds, and return an encoded result.

        It may return the result of only some of the items. ``check()`` raises Cancelled.
        """


class Payload:
    """A job as bytes. Each worker makes it an object when it runs its first task."""

    def __init__(self, job: Job) -> None:
        import cloudpickle

        buffers: list[pickle.PickleBuffer] = []
        self._main = cloudpickle.dumps(job, protocol=5, buffer_callback=buffers.append)
        self._buffers = [np.frombuffer(buffer.raw(), dtype=np.uint8) for buffer in buffers]
        self._prepare()

    def _prepare(self) -> None:
        self._job: Job | None = None
        self._making = threading.Lock()

    @property
    def n_bytes(self) -> int:
        """The bytes that are sent."""
        return len(self._main) + sum(buffer.nbytes for buffer in self._buffers)

    def job(self) -> Job:
        """Return the job, the same object in every task of this process."""
        with self._making:
            if self._job is None:
                self._job = pickle.loads(self._main, buffers=self._buffers)
        return self._job

    def __getstate__(self) -> dict[str, Any]:
        return {"_main": self._main, "_buffers": self._buffers}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()


def version() -> str:
    """Return the version of silvics on this worker."""
    return __version__


def memory_budget() -> int | None:
    """Return half of the memory that Dask grants to this worker, or None if it has no limit.

    Beyond that, Dask would soon write data to disk, and then wait or end the process.
    """
    import distributed

    manager = getattr(distributed.get_worker(), "memory_manager", None)
    limit = getattr(manager, "memory_limit", None)
    return int(limit) // 2 if limit else None


# A task uses all threads of its worker, and memory budgets are those of one task.
_one_at_a_time = threading.Lock()


def run(payload: Payload, items: list[int], seconds: float) -> np.ndarray:
    """Run a task, and return its result or its error, encoded."""
    import distributed

    begin = time.monotonic()
    worker = distributed.get_worker()
    check = _check_of(worker, worker.get_current_task())
    try:
        while not _one_at_a_time.acquire(timeout=0.1):
            check()
        try:
            left = max(0.0, seconds - (time.monotonic() - begin))
            return payload.job().run(items, worker.state.nthreads, left, check)
        finally:
            _one_at_a_time.release()
    except Cancelled:
        return _failure("Cancelled", "the task was cancelled", worker.address)
    except Exception as error:
        return _failure(type(error).__name__, str(error), worker.address)


def _failure(kind: str, message: str, worker: str) -> np.ndarray:
    return encoding.encode({"error": kind, "message": message, "worker": worker}, {})


def _check_of(worker: Any, key: Any) -> Callable[[], None]:
    """Return a function that raises Cancelled if the task is no longer wanted."""

    def check() -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise Cancelled

    return check
