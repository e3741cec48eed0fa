"""A table taken as a distribution: its distinct rows and their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target

from silvics import _core
from silvics._fitting.targets import checked_weights
from silvics._frames import library_of
from silvics._names import one_of
from silvics._tables.column_values import is_missing, is_missing_object
from silvics.importance.variables import CRITERIA, Variable, variables_of

_MOST_STATISTICS = 300_000_000


class Distribution:
    """The distribution given by a table.

    Parameters
    ----------
    variables : list of Variable
        The columns.
    y : array-like
        The output of each row.
    criterion : str
        The impurity; it determines which values y may have.
    sample_weight : array-like or None
        Weights of the rows. None means equal weights.
    library : str or None
        The data frame library of the user's table.

    Attributes
    ----------
    names : ndarray of str objects
        Names of the variables.
    n_levels : list of int
        Number of levels of each variable.
    levels : ndarray of shape (n_variables, n_rows)
        Levels of the distinct rows.
    statistics : ndarray of shape (n_rows, width)
        For each distinct row, the weights of the classes, or the weight, sum and sum of squares of
        y.
    unit : float
        Factor from impurities of these statistics to the units of y.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        y: Any,
        criterion: str,
        sample_weight: Any = None,
        library: str | None = None,
    ) -> None:
        self.impurity_name = CRITERIA[one_of("criterion", criterion, list(CRITERIA))]
        self.library = library
        self.unit = 1.0
        outputs = _outputs(y, self.impurity_name)
        n_rows = len(variables[0].levels)
        if len(outputs) != n_rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[n_rows, len(outputs)]} (X has {n_rows} rows, y has {len(outputs)})"
            )
        weights = checked_weights(sample_weight, outputs)
        if weights is not None:
            here = weights > 0
            outputs, weights = outputs[here], weights[here]
            variables = [_without_unused(v, here) for v in variables]
            if (weights != np.floor(weights)).any() or weights.max() > 2**40:
                weights = weights / weights.mean()  # whole weights are kept: their sums are exact
        self.variables = list(variables)
        self.names = np.array([v.name for v in variables], dtype=object)
        self.n_levels = [v.n_levels for v in variables]
        first, row = _distinct_rows(self.variables)
        levels = [v.levels[first] for v in variables]
        self.levels = np.ascontiguousarray(levels, dtype=np.uint32)
        if self.impurity_name == "variance":
            outputs, self.unit = _in_units(outputs, weights)
        self.statistics = _statistics(outputs, row, len(first), weights, self.impurity_name)

    @property
    def n_variables(self) -> int:
        return len(self.variables)

    @property
    def n_rows(self) -> int:
        return len(self.statistics)

    @cached_property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(self._weights(self.statistics).sum())

    def _weights(self, statistics: np.ndarray) -> np.ndarray:
        return statistics[:, 0] if self.impurity_name == "variance" else statistics.sum(axis=1)

    def impurity_given(self, columns: Sequence[int]) -> float:
        """Return i(Y|B), where B is the set of variables in these columns (equation 6.29)."""
        _, row = _distinct_rows([self._distinct(j) for j in columns], self.n_rows)
        return self._impurity_of_groups(row)

    def information_of_last(self) -> np.ndarray:
        """Return I(X_j; Y | all others) for each variable j."""
        # Rows without variable j are identified by a hash: the sum of a random number for each
        # level of the other variables. Two different rows collide with probability 2**-64.
        whole = np.zeros(self.n_rows, dtype=np.uint64)
        for part in self._numbers_of_levels():
            whole += part
        everything = self._impurity_of_groups(np.arange(self.n_rows))
        found = np.zeros(self.n_variables)
        for j, part in enumerate(self._numbers_of_levels()):
            _, row = np.unique(whole - part, return_inverse=True)
            found[j] = self._impurity_of_groups(row) - everything
        return found

    def _numbers_of_levels(self) -> Iterator[np.ndarray]:
        """Yield for each variable the random number of the level of each row."""
        numbers = np.random.default_rng(0)
        for n, levels in zip(self.n_levels, self.levels, strict=True):
            yield numbers.integers(0, 2**64, n, dtype=np.uint64)[levels]

    def _impurity_of_groups(self, group: np.ndarray) -> float:
        """Return the mean impurity given the group of each row."""
        width = self.statistics.shape[1]
        columns = [np.bincount(group, self.statistics[:, c]) for c in range(width)]
        sums = np.column_stack(columns)
        weights = self._weights(sums)
        if self.impurity_name == "entropy":
            mass = _x_log_x(weights) - _x_log_x(sums).sum(axis=1)
        elif self.impurity_name == "gini":
            mass = weights - (sums**2).sum(axis=1) / weights
        else:
            mass = np.maximum(0, sums[:, 2] - sums[:, 1] ** 2 / weights)
        return float(mass.sum()) / self.weight * self.unit

    def negligible(self, tolerance: float) -> float:
        """Return the amount of information that counts as rounding error, even if Y is constant."""
        return tolerance * self.impurity_given([]) + 1e-14 * self.unit

    def _distinct(self, j: int) -> Variable:
        return replace(self.variables[j], levels=self.levels[j])

    def native(
        self, columns: Sequence[int] | None = None, values: list[list[float]] | None = None
    ) -> _core.Distribution:
        """Return the distribution for the core, with some or all of the variables."""
        chosen = range(self.n_variables) if columns is None else columns
        return _core.Distribution(
            np.ascontiguousarray(self.levels[list(chosen)]),
            [self.n_levels[j] for j in chosen],
            self.statistics,
            self.impurity_name,
            values or [],
        )

    def ordered_values(self, caller: str) -> list[np.ndarray]:
        """Return the values of the levels of each variable; raise if a variable has no order."""
        for v in self.variables:
            if v.values is None:
                raise ValueError(
                    f"{caller} needs ordered variables, but column {v.name!r} {v.why_no_order}. "
                    'Use splits="multiway", which has a branch for each level and for missing '
                    "values, or replace the column by numbers or by an ordered category."
                )
        return [v.values for v in self.variables if v.values is not None]


def distribution_of(
    X: Any, y: Any, criterion: str, sample_weight: Any, caller: str
) -> Distribution:
    """Return the distribution given by X and y."""
    return Distribution(variables_of(X, caller), y, criterion, sample_weight, library_of(X))


# ---- parts


def _outputs(y: Any, impurity: str) -> np.ndarray:
    if isinstance(y, list | tuple) and np.asarray(y).dtype.kind in "US":
        y = np.asarray(y, dtype=object)  # keeps missing values that NumPy would convert to text
    if y is None or np.ndim(y) == 0:
        raise ValueError(f"y must have one output for each row, got {y!r}.")
    y = check_array(y, dtype=None, ensure_2d=False, ensure_all_finite=False, input_name="y")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(
            f"y has shape {y.shape}, but one column is expected. Pass the outputs one at a time, "
            "or make one class of each combination."
        )
    gone = [is_missing_object(v) for v in y] if y.dtype.kind == "O" else is_missing(y)
    if np.any(gone):
        raise ValueError(
            "Input y contains missing values. Remove these rows, or make them a class."
        )
    if impurity == "variance":
        return _numbers(y)
    if y.dtype.kind == "O" and all(isinstance(v, Real) for v in y.tolist()):
        y = np.array(y.tolist())
    if type_of_target(y).startswith("continuous"):
        raise ValueError(
            'y has numbers that are not integers and cannot be classes. Use criterion="variance", '
            "or divide y into classes."
        )
    return np.unique(y, return_inverse=True)[1]


def _numbers(y: np.ndarray) -> np.ndarray:
    try:
        if y.dtype.kind in "mM":
            raise TypeError("y has times")
        numbers = y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f'criterion="variance" needs numbers in y: {error}. For classes use '
            'criterion="entropy" or "gini".'
        ) from error
    if not np.isfinite(numbers).all():
        raise ValueError("Input y contains infinity, or a number too large for float64.")
    return numbers


def _in_units(y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, float]:
    """Center and scale y, so that squares do not lose precision; return it and its unit."""
    with np.errstate(over="ignore", invalid="ignore"):
        centred = y - np.average(y, weights=weights)
        scale = np.abs(centred).max()
        unit = scale**2
    if not np.isfinite(unit):
        raise ValueError("The variance of y is too large for float64; scale y down.")
    if scale == 0.0:
        return np.zeros_like(centred), 1.0
    if unit < 1e-290:
        raise ValueError("The variance of y is too small for float64; scale y up.")
    return centred / scale, float(unit)


def _without_unused(variable: Variable, here: np.ndarray) -> Variable:
    """Return a variable in some of the rows, without the levels that they do not have."""
    used, levels = np.unique(variable.levels[here], return_inverse=True)
    if variable.values is None:
        return replace(variable, levels=levels, n_levels=len(used))
    words = None if variable.words is None else variable.words[used]
    values = variable.values[used]
    return replace(variable, levels=levels, n_levels=len(used), values=values, words=words)


def _distinct_rows(
    variables: Sequence[Variable], n_rows: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of each set of equal rows, and the number of the set of each row."""
    n = len(variables[0].levels) if n_rows is None else n_rows
    key = np.zeros(n, dtype=np.int64)
    n_keys = 1
    for variable in variables:
        if n_keys > 2**62 // variable.n_levels:
            _, key = np.unique(key, return_inverse=True)
            n_keys = int(key.max()) + 1
        key = key * variable.n_levels + variable.levels
        n_keys *= variable.n_levels
    _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return first, row


def _statistics(
    y: np.ndarray, row: np.ndarray, n_rows: int, weights: np.ndarray | None, impurity: str
) -> np.ndarray:
    weights = np.ones(len(y)) if weights is None else weights
    if impurity == "variance":
        columns = (weights, weights * y, weights * y**2)
        return np.column_stack([np.bincount(row, of, minlength=n_rows) for of in columns])
    n_classes = int(y.max()) + 1
    if n_rows * n_classes > _MOST_STATISTICS:
        raise ValueError(
            f"y has {n_classes:,} classes, too many for {n_rows:,} distinct rows. If they are "
            'numbers, use criterion="variance"; otherwise merge classes.'
        )
    sums = np.bincount(row * n_classes + y, weights, minlength=n_rows * n_classes)
    return sums.reshape(n_rows, n_classes)


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return x * np.log2(np.where(x > 0, x, 1.0))
