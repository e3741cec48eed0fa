"""Conversion of any table to the blocks of columns that the core reads.

``learn(X)`` returns a description of the columns, and the blocks; ``read(variables, X)`` returns
the blocks of a table with the same columns. A block is a 2-d array of numbers, and the blocks are
side by side. A column is one of six kinds:

- "number": missing is NaN.
- "date", "duration": microseconds since 1970, microseconds; missing is NaN. A time of day is the
  duration since midnight.
- "category": codes of levels, in a small integer type; -1 is missing, and -2 is a level that was
  not seen in training and goes to the heavier child.
- "ordered": positions in the declared order of an ordered category; missing is NaN.
- "nothing": a column without values and without a type in training; all of it is NaN.

Levels are those seen in training, sorted, in a type that does not depend on the library of the
table: str in an array of objects, float64 (integers only beyond 2**53), datetime64[us],
timedelta64[us].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from silvics._tables.column import Column, sort_of_array
from silvics._tables.column_values import (
    HEAVIER,
    MISSING,
    any_inexact,
    canonical,
    check_no_gaps,
    code_type,
    example,
    inexact,
    is_missing,
    raise_inexact,
    some,
    warn_of_numbers,
)
from silvics._tables.opened_table import Table, opened, wanted_categories

# ---- results


@dataclass(frozen=True, eq=False)
class Variables:
    """Description of the columns of X, as learned in training.

    Attributes
    ----------
    names : ndarray of str objects, or None
        Names of the columns, if all of them are strings.
    kinds : tuple of str
        The kind of each column.
    levels : tuple of (ndarray or None)
        For a category, the levels that are frequent enough, sorted. For an ordered category, all
        declared levels, in order. None for other columns.
    rare : tuple of (ndarray or None)
        For a category, the less frequent levels, sorted. They are treated as missing values.
    """

    names: np.ndarray | None
    kinds: tuple[str, ...]
    levels: tuple[np.ndarray | None, ...]
    rare: tuple[np.ndarray | None, ...]

    @property
    def is_categorical(self) -> np.ndarray:
        """Mask of the columns that are categories without order."""
        return np.array([kind == "category" for kind in self.kinds], dtype=bool)

    @cached_property
    def n_levels(self) -> list[int]:
        """Number of levels of each category, -1 for other columns; empty if there is none."""
        if "category" not in self.kinds:
            return []
        pairs = zip(self.kinds, self.levels, strict=True)
        return [
            len(levels) if kind == "category" and levels is not None else -1
            for kind, levels in pairs
        ]

    @cached_property
    def all_numbers(self) -> bool:
        return all(kind == "number" for kind in self.kinds)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("names", "kinds", "levels", "rare")}


@dataclass
class Blocks:
    """A table in the form of the core: blocks of columns side by side, or a sparse matrix."""

    blocks: list[np.ndarray]
    n_levels: list[int]
    shape: tuple[int, int]
    sparse: Any = None


def only_numbers(n_features: int, names: np.ndarray | None = None) -> Variables:
    """Return the variables of a table of numbers."""
    none = (None,) * n_features
    return Variables(names, ("number",) * n_features, none, none)


def learn(
    X: Any,
    *,
    categorical_features: Any = "from_dtype",
    min_category_frequency: int = 1,
    missing: str = "learned",
    estimator_name: str,
) -> tuple[Variables, Blocks]:
    """Learn the columns of a table.

    Parameters
    ----------
    X : table
        An array, a data frame, a sparse matrix, a list of rows, or an object with such an ``X``.
    categorical_features : "from_dtype", None, or array-like of str, int or bool
        Columns that are categories. "from_dtype" means those of text and category types.
    min_category_frequency : int
        Levels of a category that occur in fewer rows are treated as missing values.
    missing : {"learned", "error"}
        Whether missing values are accepted.
    estimator_name : str
        Name of the estimator, for errors.

    Returns
    -------
    variables : Variables
        Description of the columns.
    blocks : Blocks
        The table in the form of the core.
    """
    table = opened(X, estimator_name)
    wanted = wanted_categories(categorical_features, table)
    if table.sparse is not None and any(wanted):
        raise ValueError(
            "categorical_features needs a dense table, but X is sparse. Pass X.toarray() or a data "
            "frame."
        )
    if table.is_numbers and not any(wanted):
        variables = only_numbers(table.shape[1], table.names)
        return variables, _as_one_block(table, missing, estimator_name)
    kinds: list[str] = []
    levels: list[np.ndarray | None] = []
    rare: list[np.ndarray | None] = []
    coded: list[np.ndarray] = []
    gaps: list[str] = []
    numbers: list[str] = []
    for column, category in zip(table.columns(), wanted, strict=True):
        kind = _kind_of(column, category)
        seen, seldom = _levels_of(column, kind, min_category_frequency)
        kinds.append(kind)
        levels.append(seen)
        rare.append(seldom)
        coded.append(_coded(column, kind, seen))
        gaps += _gaps(column, missing)
        if category is None and column.holds_numbers_as_text():
            numbers.append(column.label)
    check_no_gaps(gaps, estimator_name)
    if numbers:
        warn_of_numbers(numbers)
    variables = Variables(table.names, tuple(kinds), tuple(levels), tuple(rare))
    return variables, Blocks(_joined(table, kinds, coded), variables.n_levels, table.shape)


def read(
    variables: Variables,
    X: Any,
    *,
    unknown_category: str = "missing",
    missing: str = "learned",
    check_names: bool = False,
    estimator_name: str,
) -> Blocks:
    """Read a table with the columns that were learned in training.

    Parameters
    ----------
    variables : Variables
        Result of ``learn``.
    X : table
        Any table with the same columns.
    unknown_category : {"missing", "heavier", "error"}
        How to treat levels that were not seen in training. In ordered columns, "heavier" means
        "missing".
    missing : {"learned", "error"}
        Whether missing values are accepted. Unknown levels do not count as missing values.
    check_names : bool
        Whether to check the names of a data frame, which scikit-learn does for estimators.
    estimator_name : str
        Name of the estimator, for errors.

    Returns
    -------
    blocks : Blocks
        The table in the form of the core.
    """
    table = opened(X, estimator_name)
    _check_variables(variables, table, check_names, estimator_name)
    if table.names is None:
        table.names = variables.names  # for errors
    if table.is_numbers and variables.all_numbers:
        return _as_one_block(table, missing, estimator_name)
    if table.sparse is not None:
        others = [j for j, kind in enumerate(variables.kinds) if kind != "number"]
        raise ValueError(
            "X is sparse, but not all of its columns were numbers in training: "
            f"{some([table.label(j) for j in others])} had other types. Pass a dense table."
        )
    coded: list[np.ndarray] = []
    gaps: list[str] = []
    learned = zip(table.columns(), variables.kinds, variables.levels, variables.rare, strict=True)
    for column, kind, levels, rare in learned:
        if _is_of_sort(column, kind, levels, rare):
            coded.append(_coded(column, kind, levels, rare, unknown_category))
        else:
            coded.append(_nothing(column, kind))
        gaps += _gaps(column, missing)
    check_no_gaps(gaps, estimator_name)
    return Blocks(_joined(table, variables.kinds, coded), variables.n_levels, table.shape)


def _check_variables(
    variables: Variables, table: Table, check_names: bool, estimator_name: str
) -> None:
    expected = len(variables.kinds)
    if table.shape[1] != expected:
        raise ValueError(
            f"X has {table.shape[1]} features, but {estimator_name} is expecting {expected} "
            "features as input."
        )
    # scikit-learn checks the names of data frames only.
    if (table.annotated or check_names) and table.names is not None and variables.names is not None:
        changed = np.flatnonzero(table.names != variables.names)
        if changed.size:
            j = int(changed[0])
            raise ValueError(
                "The feature names should match those that were passed during fit. Column "
                f"{j} was {variables.names[j]!r} and is now {table.names[j]!r}."
            )


def _as_one_block(table: Table, missing: str, estimator_name: str) -> Blocks:
    """Return a table of numbers as one block, without a copy."""
    values: Any = table.whole if table.sparse is None else table.sparse.data
    if any_inexact(values):
        raise_inexact(values, table.labels_where(inexact(values))[0])
    if missing == "error" and (gone := is_missing(values)).any():
        check_no_gaps(table.labels_where(gone), estimator_name)
    blocks = [] if table.whole is None else [table.whole]
    return Blocks(blocks, [], table.shape, table.sparse)


def _joined(table: Table, kinds: Sequence[str], coded: list[np.ndarray]) -> list[np.ndarray]:
    """Return columns as blocks; neighbouring numeric columns of one array form one block."""
    if table.whole is None:
        return [column[:, np.newaxis] for column in coded]
    blocks = []
    for is_number, run in groupby(range(len(kinds)), lambda j: kinds[j] == "number"):
        columns = list(run)
        if is_number:
            blocks.append(table.whole[:, columns[0] : columns[-1] + 1])
        else:
            blocks += [coded[j][:, np.newaxis] for j in columns]
    return blocks


# ---- conversion of columns


def _kind_of(column: Column, wanted: bool | None) -> str:
    """Return the kind of a column; ``wanted`` is None to decide by its type."""
    if wanted:
        return "category"
    if column.order is not None:
        return "ordered"
    if wanted is None and (column.is_text or column.sort == "string"):
        return "category"
    if column.sort == "string":
        raise ValueError(
            f"could not convert string to float: {example(column.values)} (Input X: "
            f'{column.label}). Set categorical_features="from_dtype", or add the column to '
            "categorical_features, to treat its strings as categories."
        )
    return column.sort


def _levels_of(
    column: Column, kind: str, min_frequency: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the levels, and those of a category that are less frequent than ``min_frequency``."""
    if kind == "ordered":
        return column.order, None
    if kind != "category":
        return None, None
    if column.sort == "nothing":
        return np.array([], dtype=object), np.array([], dtype=object)
    values, counts = canonical(column.values), column.counts()
    if column.sort == "string":  # the values are already distinct
        order = sorted(range(len(values)), key=values.tolist().__getitem__)
        levels, counts = values[order], counts[order]
    else:
        levels, place = np.unique(values, return_inverse=True)
        counts = np.bincount(place, weights=counts, minlength=len(levels))
        known = ~is_missing(levels)
        levels, counts = levels[known], counts[known]
    often = counts >= min_frequency
    return levels[often], levels[~often]


def _nothing(column: Column, kind: str) -> np.ndarray:
    """Return a column of missing values."""
    if kind == "category":
        return np.full(column.n_rows, MISSING, dtype=np.int8)
    return np.full(column.n_rows, np.nan)


def _coded(
    column: Column,
    kind: str,
    levels: np.ndarray | None,
    rare: np.ndarray | None = None,
    unknown: str = "missing",
) -> np.ndarray:
    """Return a column as numbers for the core."""
    if kind == "nothing":
        return _nothing(column, kind)
    if levels is None:
        return _as_numbers(column)
    positions = _positions(column, levels, rare, kind == "category", unknown)
    if kind == "category":
        return positions
    gone = positions < 0
    return np.where(gone, np.nan, positions) if gone.any() else positions


def _positions(
    column: Column,
    levels: np.ndarray,
    rare: np.ndarray | None,
    are_sorted: bool,
    unknown: str,
) -> np.ndarray:
    """Return the code of the level of each row; -1 if it is missing or rare."""
    values = canonical(column.values)
    found = _found(levels, values, are_sorted)
    lost = (found < 0) & ~is_missing(values)
    if unknown != "missing" and rare is not None and lost.any():
        lost &= _found(rare, values, are_sorted) < 0
    if lost.any():
        if unknown == "error":
            strange = list(dict.fromkeys(values[lost].tolist()))
            raise ValueError(
                f"Input X: {column.label} has categories that were not seen in training: "
                f'{some([repr(level) for level in strange])}. Set unknown_category="missing" to '
                "treat them as missing values."
            )
        found[lost] = HEAVIER if unknown == "heavier" else MISSING
    return column.by_row(found.astype(code_type(len(levels))), MISSING)


def _found(levels: np.ndarray, values: np.ndarray, are_sorted: bool) -> np.ndarray:
    """Return the position of each value among the levels, or -1 if it is not a level."""
    if not len(levels):
        return np.full(len(values), -1)
    # Binary search compares strings slowly, but a dictionary of many levels is slow for few rows.
    by_search = values.dtype.kind != "O" or 16 * len(values) < len(levels)
    if are_sorted and by_search and levels.dtype == values.dtype:
        at = np.minimum(np.searchsorted(levels, values), len(levels) - 1)
        return np.where(levels[at] == values, at, -1)
    position = {level: i for i, level in enumerate(levels.tolist())}
    return np.fromiter((position.get(v, -1) for v in values.tolist()), np.intp, len(values))


def _as_numbers(column: Column) -> np.ndarray:
    values = column.values
    if values.dtype.kind in "mM":
        gone = np.isnat(values)
        values = np.where(gone, 0, values.astype(np.int64)) if gone.any() else values.view(np.int64)
        if any_inexact(values):
            raise ValueError(
                f"Input X: {column.label} has times beyond 2**53 microseconds (285 years) from "
                f"{'1970' if column.sort == 'date' else 'zero'}, which cannot be compared exactly "
                "as float64. Replace these times by missing values, or pass them as numbers in a "
                "larger unit."
            )
        values = np.where(gone, np.nan, values) if gone.any() else values
    if any_inexact(values):
        raise_inexact(values, column.label)
    return column.by_row(values, np.nan)


def _is_of_sort(
    column: Column, kind: str, levels: np.ndarray | None, rare: np.ndarray | None
) -> bool:
    """Return whether a column has the type of values that it had in training, or raise an error."""
    if levels is not None and rare is not None and not len(levels):
        levels = rare
    if kind == "nothing" or column.sort == "nothing" or (levels is not None and not len(levels)):
        return True
    trained = kind if levels is None else sort_of_array(levels)
    if column.sort != trained and not column.is_empty():
        raise ValueError(
            f"Input X: {column.label} had {trained}s in training, but now has {column.sort}s, "
            f"such as {example(column.values)}. Convert it to the type that it had in training."
        )
    return column.sort == trained


def _gaps(column: Column, missing: str) -> list[str]:
    """Return the label of the column if it has missing values that are an error."""
    return [column.label] if missing == "error" and column.has_missing() else []
