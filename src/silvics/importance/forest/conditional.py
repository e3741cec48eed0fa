"""Permutation within cells of correlated variables (Strobl et al. 2008)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import rankdata

from silvics import _core
from silvics._tables import inputs
from silvics._tables.parts import dense_columns
from silvics.importance._checks import whole_number
from silvics.importance.forest.request import ImportanceRequest

_COMBINATION = -3  # stands for a test of several variables
_MOST_COLUMNS = 5_000  # numbers and levels, of which all pairs are correlated


class ConditionalCells:
    """The rows within which a variable is permuted, for each tree.

    The cells of a variable are those into which a tree divides the rows by its tests of the
    variables that correlate with it. Every test divides all rows, as in the paper, and not only
    those of its node.
    """

    def __init__(self, request: ImportanceRequest) -> None:
        forest = request.forest
        self._least = whole_number("min_samples", request.min_samples, 0)
        self._trees = forest._grown.trees
        self._variables = forest._variables
        blocks = inputs.prediction_blocks(forest, request.X)
        self._columns = list(dense_columns(blocks))
        is_category = forest._variables.is_categorical
        correlated = correlations(self._columns, is_category) >= _checked(request.min_correlation)
        if self._trees.as_float32:
            self._columns = [column.astype(np.float32) for column in self._columns]
        # For each group, the variables outside of it that correlate with one of its members.
        self._given = []
        for g in range(len(request.names)):
            is_member = request.group_of == g
            self._given.append(np.flatnonzero(correlated[is_member].any(axis=0) & ~is_member))

    def of_tree(self, m: int, rows: np.ndarray) -> Callable[[int], np.ndarray]:
        """Return a function from a group to the cells of the given rows in a tree."""
        tests = _tests(self._trees.native[m], self._variables.n_levels, self._least)
        bins = {
            j: _bins(self._columns[j][rows], of_variable, self._variables.n_levels, j)
            for j, of_variable in tests.items()
        }

        def cells(group: int) -> np.ndarray:
            cell = np.zeros(len(rows), dtype=np.int64)
            for j in self._given[group].tolist():
                if j in bins:
                    _, cell = np.unique(cell * (len(rows) + 2) + bins[j], return_inverse=True)
            return cell

        return cells


def permute_within(
    order: np.ndarray, rows: np.ndarray, cells: np.ndarray, generator: np.random.RandomState
) -> None:
    """Permute the given rows within their cells: row i takes the values of row order[i]."""
    in_cells = rows[np.argsort(cells, kind="stable")]
    order[in_cells] = rows[np.lexsort((generator.random_sample(len(rows)), cells))]


def _checked(min_correlation: Any) -> float:
    if isinstance(min_correlation, bool) or not isinstance(min_correlation, Real):
        raise TypeError(f"min_correlation must be a number, got {min_correlation!r}")
    if not 0 <= float(min_correlation) <= 1:
        raise ValueError(f"min_correlation must be between 0 and 1, got {min_correlation!r}")
    return float(min_correlation)


# ---- tests of a tree


def _tests(tree: _core.Tree, n_levels: list[int], least: int) -> dict[int, list[np.ndarray]]:
    """Return, for each variable, its thresholds, or the levels that each of its tests separates."""
    feature, threshold = tree.feature(), tree.threshold()
    if (feature == _COMBINATION).any():
        raise ValueError(
            'kind="conditional" needs tests of single variables, but these trees have oblique '
            "splits."
        )
    tests: dict[int, list[np.ndarray]] = {}
    for t in np.flatnonzero((feature >= 0) & (tree.n_node_samples() >= least)).tolist():
        j = int(feature[t])
        tests.setdefault(j, []).extend(_separated(tree, t, float(threshold[t]), n_levels, j))
    return tests


def _separated(
    tree: _core.Tree, t: int, threshold: float, n_levels: list[int], j: int
) -> Iterator[np.ndarray]:
    """Yield thresholds as arrays of one number, and subsets of levels as arrays of flags."""
    if not np.isnan(threshold):
        yield np.array([threshold])
        return
    record = tree.record(t) or {"test": "subset"}
    if record["test"] == "thresholds":
        yield from (np.array([cut]) for cut in record["cuts"])
    elif record["test"] == "levels":
        yield from np.eye(n_levels[j], dtype=bool)
    else:
        flags = np.zeros(n_levels[j], dtype=bool)
        flags[tree.left_levels(t, n_levels[j])] = True
        yield flags


def _bins(values: np.ndarray, tests: list[np.ndarray], n_levels: list[int], j: int) -> np.ndarray:
    """Return the bin of each value: between thresholds, or levels that no test separates.

    Missing values and unseen levels have a bin of their own.
    """
    if n_levels and n_levels[j] >= 0:
        _, of_level = np.unique(np.array(tests), axis=1, return_inverse=True)
        known = values >= 0
        bins = np.full(len(values), n_levels[j])
        bins[known] = of_level.ravel()[values[known].astype(np.intp)]
        return bins
    cuts = np.unique(np.concatenate(tests).astype(values.dtype))
    return np.where(np.isnan(values), len(cuts) + 1, np.searchsorted(cuts, values))


# ---- correlations


def correlations(columns: list[np.ndarray], is_category: np.ndarray) -> np.ndarray:
    """Return the strength of the association of each pair of columns, between 0 and 1.

    It is the rank correlation, without its sign, of two numbers; the correlation ratio of a number,
    by its ranks, with a category; and Cramer's V of two categories. Missing numbers have the mean
    rank, and missing categories are a level.
    """
    parts = [
        _of_levels(column) if category else _of_ranks(column)
        for column, category in zip(columns, is_category.tolist(), strict=True)
    ]
    widths = np.array([part.shape[1] for part in parts])
    if widths.sum() > _MOST_COLUMNS:
        raise ValueError(
            f'kind="conditional" compares all pairs of {widths.sum():,} numbers and levels of '
            f"categories, but at most {_MOST_COLUMNS:,} are possible. Select variables first."
        )
    together = np.concatenate(parts, axis=1)
    starts = np.cumsum(widths) - widths
    squares = np.square(together.T @ together)
    sums = np.add.reduceat(np.add.reduceat(squares, starts, axis=0), starts, axis=1)
    freedom = np.maximum(widths - is_category, 1)
    return np.sqrt(np.minimum(sums / np.minimum(freedom, freedom[:, np.newaxis]), 1.0))


def _of_ranks(column: np.ndarray) -> np.ndarray:
    """Return the centred ranks as a column of length one; zeros if all are equal."""
    known = ~np.isnan(column)
    ranks = np.zeros(len(column))
    if known.any():
        ranks[known] = rankdata(column[known])
        ranks[known] -= ranks[known].mean()
    length = np.sqrt(ranks @ ranks)
    return (ranks / length if length > 0 else ranks)[:, np.newaxis]


def _of_levels(column: np.ndarray) -> np.ndarray:
    """Return the centred indicators of the levels, each divided by the root of its count."""
    levels, number, counts = np.unique(column, return_inverse=True, return_counts=True)
    if len(levels) > _MOST_COLUMNS:
        return np.zeros((len(column), len(levels)))  # refused by the caller
    indicators = np.eye(len(levels))[number.ravel()]
    return np.asarray((indicators - counts / len(column)) / np.sqrt(counts))
