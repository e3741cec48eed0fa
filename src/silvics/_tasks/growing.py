"""Growers whose trees are grown in tasks: on a cluster, or kept in a folder as they are finished.

They take the place of a grower that grows all trees in this process, and return the same trees.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import growing, pruning
from silvics._fitting.growing import Grower, Grown, ProgressCall
from silvics._fitting.learning_task import LearningTask
from silvics._predicting.grown_forest import Work
from silvics._state import with_state
from silvics._tasks import encoding, running
from silvics._tasks.folder import TreeFolder
from silvics._tasks.running import Cluster
from silvics._tasks.working import Job
from silvics.model_file.container import refuse

# Called with the numbers of finished trees, the trees, and the work of each.
Keep = Callable[[Sequence[int], Sequence[_core.Tree], Sequence[Work]], None]

# Without a cluster, trees are written to the folder after about so many parts of the work.
_PARTS = 50


def plain_settings(estimator: Any) -> Any:
    """Return an estimator with the parameters alone, without what only the client needs."""
    given = estimator.get_params(deep=False)
    only_here = {
        "verbose": 0, "progress": None, "oob_score": False, "engine": None, "resume": None,
        "random_state": None, "tune": None, "scoring": None,
    }  # fmt: skip
    return with_state(
        estimator, given | {name: of for name, of in only_here.items() if name in given}
    )


def seeds_of(seed: int, numbers: Sequence[int]) -> list[int]:
    """Return the seeds of the trees with these numbers."""
    return [_core.tree_seeds(seed, number, 1)[0] for number in numbers]


def encoded_trees(
    numbers: Sequence[int], trees: Sequence[_core.Tree], work: Sequence[Work]
) -> np.ndarray:
    """Return the result of a task: some trees, and their numbers."""
    shape, arrays = encoding.tree_arrays(trees, work)
    return encoding.encode({**shape, "numbers": [int(n) for n in numbers[: len(trees)]]}, arrays)


class ForestJob:
    """Grows trees of a table in memory, which is coded once by each worker.

    Parameters
    ----------
    task : LearningTask
        The task.
    n_trees : int
        The number of trees of all workers.
    """

    def __init__(self, task: LearningTask, n_trees: int) -> None:
        self._task = replace(task, settings=plain_settings(task.settings), begun=None)
        self._n_trees = n_trees
        self._grower: Grower | None = None

    def run(
        self, items: Sequence[int], n_threads: int, seconds: float, check: Callable[[], None]
    ) -> np.ndarray:
        """Grow the trees of these numbers."""
        if self._grower is None:
            self._grower = growing.grower_of(self._task, self._n_trees, n_threads)
        seeds = seeds_of(self._task.seed, items)
        trees, work, error = self._grower.grow(seeds, lambda *_: check(), seconds)
        if error is not None:
            raise error
        task = self._task
        trees = pruning.pruned(task.axes, trees, task.X, task.outputs.values, task.held_out)
        return encoded_trees(items, trees, work)


class ClusterGrower:
    """Grows trees on the workers of a cluster.

    Parameters
    ----------
    cluster : Cluster
        The workers.
    job : Job
        What grows trees by their numbers.
    numbers : dict of int to int
        The number of the tree of each seed.
    n_rounds, least : int
        About how many tasks a worker is given, and the fewest trees of a task for each thread.
    keep : callable or None
        What is done with finished trees, in any order.
    """

    table_bytes = 0

    def __init__(
        self,
        cluster: Cluster,
        job: Job,
        numbers: dict[int, int],
        *,
        n_rounds: int = 8,
        least: int = 1,
        keep: Keep | None = None,
    ) -> None:
        self._cluster, self._job, self._numbers, self.keep = cluster, job, numbers, keep
        self._n_rounds, self._least = n_rounds, least

    def trial(self) -> None:
        """Make no trial: the time of a tree is that of its worker."""

    def grow(self, seeds: list[int], progress: ProgressCall | None, seconds: float = inf) -> Grown:
        """Grow one tree for each seed."""
        numbers = [self._numbers[seed] for seed in seeds]
        wanted = set(numbers)
        found: dict[int, tuple[_core.Tree, Work]] = {}

        def receive(content: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[int]:
            trees, work = encoding.trees_of(content, arrays)
            done = content.get("numbers")
            if not isinstance(done, list) or len(done) != len(trees) or not wanted >= set(done):
                refuse("its trees are not those of the task")
            if self.keep is not None:
                self.keep(done, trees, work)
            found.update(zip(done, zip(trees, work, strict=True), strict=True))
            if progress is not None and done:
                progress(len(found), len(seeds))
            return done

        error = running.run(
            self._cluster, self._job, numbers, receive, n_rounds=self._n_rounds, least=self._least,
            seconds=seconds,
        )  # fmt: skip
        return first_of(numbers, found, error)


def first_of(
    keys: Sequence[int], found: dict[int, tuple[_core.Tree, Work]], error: BaseException | None
) -> Grown:
    """Return the trees before the first one that is not finished."""
    n = next((k for k, key in enumerate(keys) if key not in found), len(keys))
    pairs = [found[key] for key in keys[:n]]
    return [tree for tree, _ in pairs], [work for _, work in pairs], error


class ResumingGrower:
    """Takes finished trees from a folder, and writes the others to it.

    Parameters
    ----------
    inner : Grower
        What grows the trees that are not in the folder.
    folder : TreeFolder
        The folder.
    numbers : dict of int to int
        The number of the tree of each seed.
    finish : callable
        What is done to grown trees before they are written, such as pruning.
    n_jobs : int
        Number of threads.
    """

    def __init__(
        self,
        inner: Grower,
        folder: TreeFolder,
        numbers: dict[int, int],
        finish: Callable[[list[_core.Tree]], list[_core.Tree]],
        n_jobs: int,
    ) -> None:
        self._inner, self._folder, self._numbers = inner, folder, numbers
        self._finish, self._n_jobs = finish, n_jobs
        self._keeps = hasattr(inner, "keep")  # then it calls what it is given for finished trees
        if self._keeps:
            inner.keep = self._write  # type: ignore[attr-defined]

    @property
    def table_bytes(self) -> int:
        """Memory of the prepared table."""
        return self._inner.table_bytes

    def trial(self) -> Any:
        """Grow a small tree, if the inner grower does so."""
        return self._inner.trial()

    def grow(self, seeds: list[int], progress: ProgressCall | None, seconds: float = inf) -> Grown:
        """Read or grow one tree for each seed."""
        found: dict[int, tuple[_core.Tree, Work]] = {}
        try:
            for seed in seeds:
                if (read := self._folder.read(self._numbers[seed])) is not None:
                    found[seed] = read
            if progress is not None and found:
                progress(len(found), len(seeds))
        except BaseException as stopped:
            return first_of(seeds, found, stopped)
        return first_of(seeds, found, self._grow_others(seeds, found, progress, seconds))

    def _grow_others(
        self,
        seeds: list[int],
        found: dict[int, tuple[_core.Tree, Work]],
        progress: ProgressCall | None,
        seconds: float,
    ) -> BaseException | None:
        missing = [seed for seed in seeds if seed not in found]
        size = len(missing) if self._keeps else max(self._n_jobs, -(-len(missing) // _PARTS))
        end = time.monotonic() + seconds
        for first in range(0, len(missing), max(size, 1)):
            some = missing[first : first + size]
            report = _shifted(progress, len(found), len(seeds))
            left = max(0.0, end - time.monotonic())
            trees, work, error = self._inner.grow(some, report, left)
            if not self._keeps:
                trees = self._finish(trees)
                try:
                    self._write([self._numbers[seed] for seed in some[: len(trees)]], trees, work)
                except BaseException as stopped:
                    error = error or stopped
            found.update(zip(some, zip(trees, work, strict=True), strict=False))
            if error is not None or len(trees) < len(some):
                return error
        return None

    def _write(
        self, numbers: Sequence[int], trees: Sequence[_core.Tree], work: Sequence[Work]
    ) -> None:
        for number, tree, of_tree in zip(numbers, trees, work, strict=True):
            self._folder.write(number, tree, of_tree)


def _shifted(progress: ProgressCall | None, first: int, total: int) -> ProgressCall | None:
    if progress is None:
        return None
    return lambda done, _: progress(first + done, total)
