"""Rotation Forests (thesis 4.3.1): trees grown on principal components of groups of variables.

Each tree stores the coefficients of its components and predicts from the original variables.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.axes import Axes, without_rotation
from silvics._fitting.learning_task import LearningTask
from silvics._predicting.grown_forest import Work
from silvics._tables import inputs
from silvics._tables.table import Blocks

Combination = list[tuple[int, float, float]]  # (variable, coefficient, fraction of the importance)


def grow(
    task: LearningTask, seeds: list[int], n_jobs: int, progress: Any
) -> tuple[list[_core.Tree], list[Work], BaseException | None]:
    """Grow one tree per seed. Return the trees, their work, and the exception that stopped it."""
    axes, X, y = task.axes, task.X, task.outputs.values
    target, sampling = task.target, task.native_sampling
    table = _Numbers(X, task.variables.is_categorical)
    rules = task.rules(without_rotation(axes))
    size = _group_size(axes, len(table.numbers))
    by_class = axes.columns == "rotation_by_class"

    def one(seed: int) -> tuple[_core.Tree, Work]:
        rng = np.random.default_rng(seed)
        drawn = sampling.rows(seed) if axes.rows != "all" else np.arange(X.shape[0])

        def rows() -> np.ndarray:
            return _rows_of_some_classes(rng, drawn, y) if by_class else drawn

        combinations = table.components(rng, rows, size)
        matrix = inputs.to_grow(table.rotated(combinations))
        coded = parameters.coded_table(task.settings, matrix, rules, 1)
        trees, work, error = _core.grow(
            coded, target, sampling, task.criterion, rules, [seed], 1, None
        )
        if error is not None:
            raise error
        tree = trees[0].on_combinations(combinations + table.unrotated, X.shape[1])
        return tree, work[0]

    grown: list[tuple[_core.Tree, Work]] = []
    stopped = None
    try:
        with ThreadPoolExecutor(n_jobs) as team:
            for first in range(0, len(seeds), n_jobs):
                grown += team.map(one, seeds[first : first + n_jobs])
                if progress is not None:
                    progress(len(grown), len(seeds))
    except BaseException as error:
        if not grown:
            raise
        stopped = error
    return [tree for tree, _ in grown], [work for _, work in grown], stopped


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
