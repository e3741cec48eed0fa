"""Columns of any table as levels, and the names of impurities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._names import did_you_mean
from silvics._tables import table

CRITERIA = {
    "entropy": "entropy",
    "log_loss": "entropy",
    "gini": "gini",
    "variance": "variance",
    "squared_error": "variance",
}
_UNITS = {"entropy": "bits", "gini": "Gini", "variance": "variance"}


def unit_of(criterion: str) -> str:
    """Return the unit of importances by a criterion; by default, the name of the criterion."""
    return _UNITS.get(CRITERIA.get(criterion, ""), criterion)


@dataclass(frozen=True)
class Variable:
    """A column as levels.

    Attributes
    ----------
    levels : ndarray of int
        The number of the level of each row. Missing values are the last level.
    n_levels : int
        Number of levels.
    values : ndarray or None
        The levels as increasing numbers, if they have an order.
    words : ndarray or None
        The levels as the user wrote them, if they are not numbers.
    name : str
        Name of the column.
    why_no_order : str
        The reason if the levels have no order.
    """

    levels: np.ndarray
    n_levels: int
    values: np.ndarray | None
    words: np.ndarray | None
    name: str
    why_no_order: str = ""

    @property
    def labels(self) -> list[str]:
        """The levels as text, if they have an order."""
        if self.words is not None:
            return [str(word) for word in self.words]
        return [] if self.values is None else [_in_words(v) for v in self.values.tolist()]

    def renamed(self, name: str) -> Variable:
        return replace(self, name=name)


def variables_of(X: Any, caller: str) -> list[Variable]:
    """Return the columns of any table as levels."""
    learned, blocks = table.learn(X, estimator_name=caller)
    if blocks.sparse is not None:
        columns = blocks.sparse.toarray().T
    else:
        columns = [column for block in blocks.blocks for column in block.T]
    names = learned.names if learned.names is not None else range(len(learned.kinds))
    label = "{}" if learned.names is not None else "x{}"
    parts = zip(columns, learned.kinds, learned.levels, names, strict=True)
    return [_variable(column, kind, of, label.format(name)) for column, kind, of, name in parts]


def _variable(column: np.ndarray, kind: str, words: np.ndarray | None, name: str) -> Variable:
    missing = column < 0 if kind == "category" else np.isnan(column)
    known, at = np.unique(column[~missing], return_inverse=True)
    levels = np.full(len(column), len(known), dtype=np.uint32)
    levels[~missing] = at
    n_levels = len(known) + bool(missing.any())
    if missing.any():
        return Variable(levels, n_levels, None, None, name, "has missing values")
    if kind == "category" and n_levels > 2:
        return Variable(levels, n_levels, None, None, name, "has categories without an order")
    values = np.arange(n_levels) if kind == "category" else known
    if words is not None:  # the levels of a category; `known` holds their numbers
        words = words[known.astype(np.intp)]
    elif kind == "date":
        words = known.astype("datetime64[us]")
    return Variable(levels, n_levels, values.astype(np.float64), words, name)


def _in_words(value: float) -> str:
    """Return the shortest text that gives the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def as_table(column: Any) -> Any:
    """Return a column as a table."""
    if nw.dependencies.is_into_series(column):
        return nw.from_native(column, series_only=True).alias("x").to_frame().to_native()
    values = np.asarray(column)
    if values.ndim == 1:
        if values.dtype.kind in "US":  # keep the types of a list of mixed values
            values = np.asarray(column, dtype=object)
        return values[:, np.newaxis]
    return column


def column_of(x: Any, name: str, caller: str) -> Variable:
    """Return one column as levels."""
    if x is None or np.ndim(x) == 0:
        raise ValueError(f"{name} must be a column with one value for each row, got {x!r}")
    variables = variables_of(as_table(x), caller)
    if len(variables) != 1:
        raise ValueError(f"{name} must be a single column, but has {len(variables)}.")
    return variables[0].renamed(name)


def place_of(names: np.ndarray, member: Any) -> int:
    """Return the index of a variable that is given by name or by index."""
    if isinstance(member, str):
        found = np.flatnonzero(names == member)
        if not found.size:
            raise ValueError(
                f"There is no variable {member!r}. The variables are {', '.join(names[:20])}."
                f"{did_you_mean(member, names)}"
            )
        return int(found[0])
    if isinstance(member, bool) or not isinstance(member, Integral):
        raise TypeError(f"A variable must be given by its name or index, got {member!r}")
    place = int(member)
    if not -len(names) <= place < len(names):
        raise ValueError(f"There are {len(names)} variables, so index {place} is out of range.")
    return place % len(names)
