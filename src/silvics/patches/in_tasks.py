"""Patches whose trees are grown in tasks: workers read the rows, and fill the patches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import pruning
from silvics._fitting.growing import Grown, ProgressCall
from silvics._fitting.stopping import StopRule, Verdict
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.grown_forest import Work
from silvics._tables.table import Blocks
from silvics._tasks.choosing import Choices
from silvics._tasks.fingerprint import Hash
from silvics._tasks.growing import Keep, encoded_trees, plain_settings, seeds_of
from silvics._tasks.working import memory_budget
from silvics.patches.growing import PatchTask, grow
from silvics.patches.rows import RowsInMemory
from silvics.patches.scanned import ScannedRows

# About how many tasks a worker is given, and the fewest trees of a task for each thread: every task
# is a pass over the rows at least, which may take as long as some trees.
_N_ROUNDS, _LEAST = 2, 8
_BATCH_ROWS = 1 << 16


class _Deadline(StopRule):
    """Ends growth when the time is over, with the trees that there are."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def verdict(self, trees: Sequence[Any], out_of_time: bool) -> Verdict | None:
        """Keep the trees so far."""
        del out_of_time
        over = time.monotonic() >= self._end
        return Verdict(len(trees), "the time is over") if over else None


class PatchGrower:
    """Grows trees on patches in this process.

    Parameters
    ----------
    task : PatchTask
        The task.
    budget : int or None
        Limit of the memory of the process in bytes.
    n_jobs : int
        Number of threads.
    numbers : dict of int to int
        The number of the tree of each seed.
    """

    table_bytes = 0

    def __init__(
        self, task: PatchTask, budget: int | None, n_jobs: int, numbers: dict[int, int]
    ) -> None:
        self._task, self._budget, self._n_jobs, self._numbers = task, budget, n_jobs, numbers
        self.keep: Keep | None = None

    def trial(self) -> None:
        """Make no trial."""

    def grow(self, seeds: list[int], progress: ProgressCall | None, seconds: float = inf) -> Grown:
        """Grow one tree for each seed."""
        trees: list[_core.Tree] = []
        work: list[Work] = []

        def finished(
            some: Sequence[int], grown: Sequence[_core.Tree], of_trees: Sequence[Work]
        ) -> None:
            pruned = _pruned(self._task, list(grown))
            trees.extend(pruned)
            work.extend(of_trees)
            if self.keep is not None:
                self.keep([self._numbers[seed] for seed in some], pruned, of_trees)

        try:
            growth = grow(
                self._task, seeds, n_jobs=self._n_jobs, budget=self._budget, progress=progress,
                rules=[] if seconds == inf else [_Deadline(seconds)], keep=finished,
            )  # fmt: skip
        except (KeyboardInterrupt, Exception) as error:  # the folder cannot be written
            return trees, work, error
        return trees, work, growth.error


def _pruned(task: PatchTask, trees: list[_core.Tree]) -> list[_core.Tree]:
    return pruning.pruned(task.axes, trees, task.X, task.outputs.values, task.held_out)


class PatchJob:
    """Grows trees on patches on a worker, which reads the rows itself.

    Parameters
    ----------
    task : PatchTask
        The task.
    budget : int or None
        Limit of the memory of a worker process in bytes. None takes half of what Dask grants.
    files : dict of str to str
        Digests of the files, as the client sees them.
    """

    def __init__(self, task: PatchTask, budget: int | None, files: dict[str, str]) -> None:
        settings = plain_settings(task.settings)
        rows = task.rows
        if isinstance(rows, ScannedRows):
            rows = replace(rows, settings=settings)
        empty = Blocks([], task.X.n_levels, task.X.shape)
        outputs = EncodedOutputs(
            np.empty((0, task.outputs.values.shape[1]), task.outputs.values.dtype),
            task.outputs.classes,
        )
        # The rows have the weights and the groups.
        sampling = replace(task.sampling, weights=None, groups=None, strata=None)
        self._task = replace(
            task, settings=settings, rows=rows, X=empty, outputs=outputs, sampling=sampling
        )
        self._budget, self._files, self._checked = budget, files, False

    def run(
        self, items: Sequence[int], n_threads: int, seconds: float, check: Callable[[], None]
    ) -> np.ndarray:
        """Grow the trees of these numbers, or the first of them if one pass fills no more."""
        if not self._checked:
            self._check_files()
            self._checked = True
        growth = grow(
            self._task, seeds_of(self._task.seed, items), n_jobs=n_threads,
            budget=self._budget or memory_budget(), progress=lambda *_: check(),
            rules=[_Deadline(seconds)], check=check, one_pass=True,
        )  # fmt: skip
        if growth.error is not None:
            raise growth.error
        return encoded_trees(items, _pruned(self._task, growth.trees), growth.work)

    def _check_files(self) -> None:
        """Raise ValueError unless this machine has the files that the client has."""
        if not self._files or not isinstance(self._task.rows, ScannedRows):
            return
        here = self._task.rows.scan.source.file_digests()
        for path, digest in self._files.items():
            if here.get(path) != digest:
                raise ValueError(
                    f"{path} is another file here than the one that was scanned, or it has been "
                    "changed since. All workers must read the same files: scan them again."
                )


def choices_of(
    task: PatchTask, numbers: dict[int, int], budget: int | None, n_jobs: int
) -> Choices:
    """Return what growing in tasks needs to know."""
    return Choices(
        task,
        numbers,
        lambda: PatchGrower(task, budget, n_jobs, numbers),
        lambda: PatchJob(task, budget, _files_of(task)),
        lambda: _text_of_rows(task),
        n_rounds=_N_ROUNDS,
        least=_LEAST,
    )


def _files_of(task: PatchTask) -> dict[str, str]:
    return task.rows.scan.source.file_digests() if isinstance(task.rows, ScannedRows) else {}


def _text_of_rows(task: PatchTask) -> str:
    """Return a text for the rows: of their files if they have any, or of all values."""
    found, files, rows = Hash(), _files_of(task), task.rows
    if isinstance(rows, ScannedRows):
        of = rows.outputs
        found.add(str([rows.names, of.y_names, of.weight_name, of.group_name, rows.n_rows]))
        for values in (of.y_values, of.weight_values, of.group_values):
            found.add(values)
        for weights in rows.class_weights or []:
            found.add(weights)
    found.add(str(sorted(files.items())))
    if not files:
        assert isinstance(rows, ScannedRows | RowsInMemory)
        for part in rows.parts(np.arange(task.X.shape[1]), _BATCH_ROWS):
            for values in (*part.columns.values(), part.y, part.weights, part.groups):
                found.add(values)
    return found.text()
