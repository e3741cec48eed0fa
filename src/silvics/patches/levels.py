"""The levels of categories, counted batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._tables.column_values import canonical, is_missing
from silvics._tables.opened_table import opened


class LevelCounts:
    """How often each level of some columns occurs.

    Parameters
    ----------
    names : list
        The columns.
    """

    def __init__(self, names: list[Any]) -> None:
        self.names = names
        self._counts: list[dict[Any, int]] = [{} for _ in names]
        self._types: list[np.dtype | None] = [None] * len(names)

    def add(self, frame: Any) -> None:
        """Count the levels of some rows of these columns."""
        for k, column in enumerate(opened(frame, "scan").columns()):
            if not len(column.values):
                continue
            values, counts = canonical(column.values), column.counts()
            before = self._types[k]
            self._types[k] = (
                values.dtype if before is None else np.promote_types(before, values.dtype)
            )
            if column.codes is None:  # not yet distinct
                values, places = np.unique(values, return_inverse=True)
                counts = np.bincount(places, weights=counts, minlength=len(values))
                known = ~is_missing(values)
                values, counts = values[known], counts[known]
            of = self._counts[k]
            for level, count in zip(_keys(values), counts.tolist(), strict=True):
                of[level] = of.get(level, 0) + int(count)

    def levels(self, k: int, min_frequency: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the levels of a column, sorted, and those that occur less often."""
        of, dtype = self._counts[k], self._types[k] or np.dtype(object)
        ordered = sorted(of)
        often = [level for level in ordered if of[level] >= min_frequency]
        seldom = [level for level in ordered if of[level] < min_frequency]
        return _array(often, dtype), _array(seldom, dtype)


def _keys(values: np.ndarray) -> list[Any]:
    """Return values as objects that can be sorted; times as whole numbers."""
    if values.dtype.kind in "mM":
        return values.view(np.int64).tolist()
    return values.tolist()


def _array(levels: list[Any], dtype: np.dtype) -> np.ndarray:
    if dtype.kind in "mM":
        return np.array(levels, dtype=np.int64).view(dtype)
    return np.array(levels, dtype=dtype)
