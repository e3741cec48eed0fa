"""Columns in another type: numbers that are written as text, levels that are numbers, dates."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._frames import frame_of
from silvics._tables.column import Column, of_series

# Words that stand for a missing value. A column of numbers with such words is read as numbers.
MISSING_WORDS = frozenset(
    ("", "?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "missing", "unknown", "#n/a")
)


def as_trained(series: nw.Series, kind: str) -> nw.Series:
    """Return a column in the kind that it had in training: "number", "category" or "date"."""
    if series.null_count() == len(series):
        return series
    column = of_series(series, f"column {series.name!r}")
    if kind == "number" and column.sort == "string":
        values = as_numbers(column, required=True)
        assert values is not None
        return series_like(series, column.by_row(values, np.nan))
    if kind == "category" and column.sort == "number":
        return as_levels(series, column)
    if kind == "date" and column.sort == "string":
        return series.cast(nw.String).str.to_datetime()
    return series


def as_levels(series: nw.Series, column: Column) -> nw.Series:
    """Return a column of numbers as levels: 12 for 12.0, and all digits otherwise."""
    numbers = column.by_row(column.values.astype(np.float64), np.nan).tolist()
    texts = [None if v != v else str(int(v)) if v.is_integer() else repr(v) for v in numbers]
    return series_like(series, texts)


def are_whole(values: np.ndarray) -> bool:
    """Return whether all known values are whole numbers."""
    known = values[~np.isnan(values)]
    return bool(np.array_equal(known, np.round(known)))


def as_numbers(column: Column, *, required: bool) -> np.ndarray | None:
    """Return the number of each distinct text, or None if they are not numbers."""
    if column.is_declared and not required:
        return None
    found = np.full(len(column.values), np.nan)
    strange, leading = 0, False
    for i, text in enumerate(column.values):
        stripped = text.strip()
        leading |= len(stripped) > 1 and stripped[0] == "0" and stripped[1].isdigit()
        try:
            found[i] = float(stripped.replace(",", "") if "," in stripped else stripped)
        except ValueError:
            strange += stripped.lower() not in MISSING_WORDS
    known = np.isfinite(found)
    found[~known] = np.nan
    if required:
        if not known.any():
            raise ValueError(f"The {column.label} cannot be read as numbers.")
        return found
    is_text = known.sum() <= 2 or leading or strange
    return None if is_text else found


def series_like(series: nw.Series, values: Any) -> nw.Series:
    """Return values as a series of the same name and library."""
    frame = frame_of({series.name: values}, series.implementation.value)
    return nw.from_native(frame, eager_only=True)[series.name]
