"""Growth of the trees of a learning task."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Protocol

from silvics import _core
from silvics._fitting import parameters, rotation
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.stopping import StopRule, Trial
from silvics._predicting.grown_forest import GrowthRun, Work
from silvics._tables import inputs

ProgressCall = Callable[[int, int], object]
# Trees, the work of each, and the exception that interrupted the growth.
Grown = tuple[list[_core.Tree], list[Work], BaseException | None]


# A trial is made if a tree has at least so many rows, and has one of so many of them.
_LEAST_TRIED, _TRIED = 50_000, 100


class Grower(Protocol):
    """What grows trees from a table that is prepared once."""

    @property
    def table_bytes(self) -> int:
        """Memory of the prepared table."""

    def grow(self, seeds: list[int], progress: ProgressCall | None, seconds: float) -> Grown:
        """Grow one tree for each seed; the first ones only if the seconds are over."""

    def trial(self) -> Trial | None:
        """Grow a small tree on some of the rows; None if the rows are few."""


@dataclass(eq=False)
class Growth:
    """What has been grown.

    Attributes
    ----------
    trees : list of Tree
        The trees of the first seeds, or of all.
    work : list of Work
        The work of each of them.
    error : BaseException or None
        The exception that interrupted the growth.
    stopped : str or None
        Why a rule ended the growth before all trees were grown.
    run : GrowthRun or None
        What it took.
    """

    trees: list[_core.Tree] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    error: BaseException | None = None
    stopped: str | None = None
    run: GrowthRun | None = None


class _CodedGrower:
    """Grows trees in the core, on one coded table."""

    def __init__(self, task: LearningTask, n_trees: int, n_jobs: int) -> None:
        # Allocate what is kept before coding the table, which needs memory temporarily.
        self._target, self._sampling = task.target, task.native_sampling
        self._rules, self._criterion = task.rules(task.axes), task.criterion
        self._n_jobs, self._task = n_jobs, task
        n_samples = task.X.shape[0]
        reads_per_row = task.sampling.n_rows_drawn * n_trees / n_samples
        self._table = parameters.coded_table(
            task.settings, inputs.to_grow(task.X), self._rules, n_jobs, reads_per_row
        )

    @property
    def table_bytes(self) -> int:
        return self._table.memory_bytes

    def grow(self, seeds: list[int], progress: ProgressCall | None, seconds: float) -> Grown:
        return _core.grow(
            self._table, self._target, self._sampling, self._criterion, self._rules, seeds,
            self._n_jobs, progress, seconds,
        )  # fmt: skip

    def trial(self) -> Trial | None:
        sampling, seed = self._task.sampling, self._task.seed
        n_rows = min(sampling.n_drawn or sampling.n_samples, sampling.n_samples)
        if n_rows < _LEAST_TRIED:
            return None
        some = replace(sampling, rows="subsample", n_drawn=n_rows // _TRIED, balanced=False)
        begin = time.monotonic()
        error = _core.grow(
            self._table, self._target, some.native(seed), self._criterion, self._rules, [seed], 1,
            None,
        )[2]  # fmt: skip
        if error is not None:
            raise error
        return Trial(time.monotonic() - begin, n_rows // _TRIED, n_rows)


class _ShrinkingGrower(_CodedGrower):
    """Grows trees whose values are shrunken towards those of the nodes above."""

    def grow(self, seeds: list[int], progress: ProgressCall | None, seconds: float) -> Grown:
        limits = (0, 0, 0.0, 0, self._task.shrinkage)
        trees: list[_core.Tree] = []
        work: list[Work] = []
        end = time.monotonic() + seconds
        for first in range(0, len(seeds), size := 4 * self._n_jobs):
            report = None if progress is None else shifted(progress, first, len(seeds))
            try:
                grown, done = _core.grow_detailed(
                    self._table, self._target, self._sampling, self._criterion, self._rules,
                    seeds[first : first + size], self._n_jobs, report,
                )  # fmt: skip
            except BaseException as error:  # the trees before are kept
                return trees, work, error
            trees += [tree.collapse(limits) for tree in grown]
            work += done
            if time.monotonic() > end:
                break
        return trees, work, None


def grower_of(task: LearningTask, n_trees: int, n_jobs: int) -> Grower:
    """Prepare the table of a task for growing."""
    if task.axes.rotates:
        return rotation.RotatingGrower(task, n_jobs)
    if task.shrinkage > 0:
        return _ShrinkingGrower(task, n_trees, n_jobs)
    return _CodedGrower(task, n_trees, n_jobs)


def grow(
    grower: Grower,
    seeds: list[int],
    n_jobs: int = 1,
    progress: ProgressCall | None = None,
    rules: Sequence[StopRule] = (),
    finish: Callable[[list[_core.Tree]], list[_core.Tree]] = list,
    begun: Growth | None = None,
) -> Growth:
    """Grow one tree for each seed, in batches after which the rules are asked whether to go on.

    ``finish`` is what is done to grown trees, such as pruning. The rules see finished trees.
    ``begun`` has the finished trees of the first seeds, if there are any.
    """
    growth = Growth() if begun is None else begun
    for rule in rules:
        rule.check(grower.trial)
    if growth.trees and growth.error is None:
        ask(rules, growth, out_of_time=False, n_wanted=len(seeds))
        if growth.stopped is not None:
            return growth
    while growth.error is None and (first := len(growth.trees)) < len(seeds):
        n_left = len(seeds) - first
        size = min([n_left, *(rule.next_batch(growth.trees, n_left, n_jobs) for rule in rules)])
        seconds = min([inf, *(rule.seconds_left() for rule in rules)])
        report = None if progress is None else shifted(progress, first, len(seeds))
        trees, work, growth.error = grower.grow(seeds[first : first + size], report, seconds)
        growth.trees += finish(trees)
        growth.work += work
        if growth.error is None:
            try:
                ask(rules, growth, len(trees) < size, len(seeds))
            except KeyboardInterrupt as stopped:
                growth.error = stopped
        if growth.stopped is not None:
            break
    return growth


def ask(rules: Sequence[StopRule], growth: Growth, out_of_time: bool, n_wanted: int) -> None:
    """Cut the growth to what the rules keep, if one of them ends it."""
    ends = [end for rule in rules if (end := rule.verdict(growth.trees, out_of_time)) is not None]
    if not ends:
        return
    end = min(ends, key=lambda end: end.n_trees)
    if end.n_trees < n_wanted:
        growth.stopped = end.reason
        del growth.trees[end.n_trees :], growth.work[end.n_trees :]


def shifted(progress: ProgressCall, first: int, total: int) -> ProgressCall:
    """Report the trees of a batch as trees of the whole growth."""
    return lambda done, _: progress(first + done, total)
