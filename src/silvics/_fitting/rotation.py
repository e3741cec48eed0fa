"""Rotation Forests (thesis 4.3.1): trees grown on principal components of groups of variables.

Each tree stores the coefficients of its components and predicts from the original variables.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.axes import Axes, without_rotation
from silvics._fitting.learning_task import LearningTask
from silvics._predicting.grown_forest import Work
from silvics._tables import inputs
from silvics._tables.table import Blocks

Grown = tuple[list[_core.Tree], list[Work], BaseException | None]
Combination = list[tuple[int, float, float]]  # (variable, coefficient, fraction of the importance)


class RotatingGrower:
    """Grows trees on rotated copies of a table."""

    def __init__(self, task: LearningTask, n_jobs: int) -> None:
        self._task, self._n_jobs = task, n_jobs
        self._target, self._sampling = task.target, task.native_sampling
        self._numbers = _Numbers(task.X, task.variables.is_categorical)
        self._rules = task.rules(without_rotation(task.axes))

    @property
    def table_bytes(self) -> int:
        """Memory of the numbers, and of the rotated and coded tables of each thread."""
        n_values = self._task.X.shape[0] * self._task.X.shape[1]
        return n_values * (8 + self._n_jobs * (8 + 2))

    def trial(self) -> None:
        """Make no trial: the time of a tree is that of its rotation."""

    def grow(self, seeds: list[int], progress: Any, seconds: float) -> Grown:
        """Grow one tree per seed, a batch of one tree for each thread at a time."""
        end = time.monotonic() + seconds
        grown: list[tuple[_core.Tree, Work]] = []
        stopped = None
        try:
            with ThreadPoolExecutor(self._n_jobs) as team:
                for first in range(0, len(seeds), self._n_jobs):
                    if time.monotonic() >= end:
                        break
                    batch = seeds[first : first + self._n_jobs]
                    made = list(team.map(lambda seed: self._one(seed, end), batch))
                    grown += [tree for tree in takewhile(lambda tree: tree, made) if tree]
                    if None in made:
                        break
                    if progress is not None:
                        progress(len(grown), len(seeds))
        except BaseException as error:
            stopped = error
        return [tree for tree, _ in grown], [work for _, work in grown], stopped

    def _one(self, seed: int, end: float) -> tuple[_core.Tree, Work] | None:
        """Grow one tree; None if it is not finished in time."""
        task, axes, X = self._task, self._task.axes, self._task.X
        rng = np.random.default_rng(seed)
        drawn = self._sampling.rows(seed) if axes.rows != "all" else np.arange(X.shape[0])
        by_class = axes.columns == "rotation_by_class"

        def rows() -> np.ndarray:
            if by_class:
                return _rows_of_some_classes(rng, drawn, task.outputs.values)
            return drawn

        size = _group_size(axes, len(self._numbers.numbers))
        combinations = self._numbers.components(rng, rows, size)
        matrix = inputs.to_grow(self._numbers.rotated(combinations))
        coded = parameters.coded_table(task.settings, matrix, self._rules, 1)
        trees, work, error = _core.grow(
            coded, self._target, self._sampling, task.criterion, self._rules, [seed], 1, None,
            end - time.monotonic(),
        )  # fmt: skip
        if error is not None:
            raise error
        if not trees:
            return None
        return trees[0].on_combinations(combinations + self._numbers.unrotated, X.shape[1]), work[0]


def _rows_of_some_classes(rng: np.random.Generator, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Draw rows of a random set of classes, as Rodriguez et al. (2006).

    Three quarters of these rows are drawn, with replacement. In regression, all rows are eligible.
    """
    if y.dtype.kind == "i":
        classes = np.unique(y[rows, 0])
        taken = rng.random(len(classes)) < 0.5
        taken[rng.integers(len(classes))] = True
        rows = rows[np.isin(y[rows, 0], classes[taken])]
    return rng.choice(rows, max(1, round(0.75 * len(rows))))


def _group_size(axes: Axes, n_numbers: int) -> int:
    size = axes.max_columns or 3
    return max(
        1, int(size) if size >= 1 and not isinstance(size, float) else round(size * n_numbers)
    )


class _Numbers:
    """The columns of a table that can be rotated. Categories are not rotated."""

    def __init__(self, X: Blocks, is_category: np.ndarray) -> None:
        columns: list[np.ndarray] = []
        if X.sparse is not None:
            columns = list(X.sparse.toarray().T)
        for block in X.blocks:
            columns += list(block.T)
        self._columns = columns
        self._n_levels = X.n_levels
        self.numbers = np.flatnonzero(~np.asarray(is_category, dtype=bool))
        self._categories = np.flatnonzero(is_category)
        self._values = np.empty((len(columns[0]) if columns else 0, len(self.numbers)), order="F")
        for k, j in enumerate(self.numbers):
            self._values[:, k] = columns[j]
        self.unrotated: list[Combination] = [[(int(j), 1.0, 1.0)] for j in self._categories]

    def components(
        self, rng: np.random.Generator, rows: Callable[[], np.ndarray], size: int
    ) -> list[Combination]:
        """Return the principal components of random groups of variables.

        ``rows()`` returns the rows on which the components of the next group are computed.
        """
        found: list[Combination] = []
        order = rng.permutation(len(self.numbers))
        for begin in range(0, len(order), size):
            group = order[begin : begin + size]
            values = self._values[rows()][:, group]
            known = ~np.isnan(values)
            # Scale very large numbers, whose squares and sums would overflow.
            largest = np.max(np.abs(values), where=known, initial=0.0)
            unit = 2.0 ** -np.frexp(largest)[1] if largest > 1e100 else 1.0
            values = values * unit
            count = np.maximum(known.sum(axis=0), 1)
            centred = np.where(known, values, 0.0)
            mean = centred.sum(axis=0) / count
            centred = np.where(known, values - mean, 0.0)  # missing values are replaced by the mean
            spread = np.sqrt((centred**2).sum(axis=0) / count)
            _, axes = np.linalg.eigh(centred.T @ centred)
            for column in axes.T[::-1]:
                axis = column * np.sign(column[np.argmax(np.abs(column))]) * unit
                shares = np.abs(column) * np.where(spread > 0, spread, 1.0)
                shares /= shares.sum()
                found.append(
                    [
                        (int(self.numbers[k]), float(a), float(s))
                        for k, a, s in zip(group, axis, shares, strict=True)
                    ]
                )
        return found

    def rotated(self, combinations: list[Combination]) -> Blocks:
        """Return the table of these combinations, followed by the categories.

        The terms are summed in the same order as in predictions.
        """
        place = {int(j): k for k, j in enumerate(self.numbers)}
        rotated = np.zeros((len(self._values), len(combinations)), order="F")
        for k, combination in enumerate(combinations):
            for variable, a, _ in combination:
                rotated[:, k] += a * self._values[:, place[variable]]
        blocks = [rotated] if combinations else []
        n_levels = [-1] * len(combinations)
        for j in self._categories:
            blocks.append(self._columns[j][:, np.newaxis])
            n_levels.append(self._n_levels[j])
        shape = (len(self._values), len(n_levels))
        return Blocks(blocks, n_levels if len(self._categories) else [], shape)
