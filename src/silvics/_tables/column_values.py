"""Conversion of column values to types that do not depend on their library; errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, NoReturn

import numpy as np

from silvics._warnings import warn_user

Sort = Literal["number", "date", "duration", "string", "nothing"]

EXACT_INTEGER = 2**53
MISSING, HEAVIER = -1, -2
MISSING_TYPES = {"NoneType", "NAType", "NaTType", "MaskedConstant"}
_SHOWN = 5  # number of columns or levels in an error text


# ---- values


def core_type(dtype: np.dtype) -> np.dtype:
    """Return the type in which the core reads numbers of a type."""
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        return np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    return dtype.newbyteorder("=")


def in_core_type(values: np.ndarray) -> np.ndarray:
    core = core_type(values.dtype)
    if core == values.dtype:
        return values
    with np.errstate(over="ignore"):
        return values.astype(core)


def code_type(n_levels: int) -> type[np.signedinteger]:
    return next(t for t in (np.int8, np.int16, np.int32) if n_levels - 1 <= np.iinfo(t).max)


def canonical(values: np.ndarray) -> np.ndarray:
    """Convert numbers to the type of levels: float64, or integers that float64 cannot represent."""
    if values.dtype.kind not in "biuf":
        return values
    if not any_inexact(values):
        return values.astype(np.float64) + 0.0  # turns -0.0 into 0.0
    fits = values.dtype.kind == "i" or values.max() <= np.iinfo(np.int64).max
    return values.astype(np.int64 if fits else np.uint64)


def as_text(values: np.ndarray) -> np.ndarray:
    return np.strings.decode(values, "utf-8") if values.dtype.kind == "S" else values


def is_missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    return np.zeros(values.shape, dtype=bool)


def any_inexact(values: np.ndarray) -> bool:
    """Return whether there are integers that float64 cannot represent."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    return bool(values.max() > EXACT_INTEGER or values.min() < -EXACT_INTEGER)


def inexact(values: np.ndarray) -> np.ndarray:
    return (values > EXACT_INTEGER) | (values < -EXACT_INTEGER)


def is_missing_object(value: Any) -> bool:
    if type(value) is str:
        return False
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot be compared
    return type(value).__name__ in MISSING_TYPES or (
        isinstance(value, float | np.floating | np.datetime64 | np.timedelta64)
        and bool(value != value)
    )


def sort_of_type(kind: type) -> Sort | None:
    if issubclass(kind, str):
        return "string"
    if issubclass(kind, timedelta | np.timedelta64 | time):  # np.timedelta64 is also an integer
        return "duration"
    if issubclass(kind, date | np.datetime64):
        return "date"
    if issubclass(kind, Real | Decimal | np.bool_):
        return "number"
    return None


# ---- errors and warnings


def check_finite(values: np.ndarray, label: str) -> None:
    if values.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or not np.isinf(values).any():
            return
    raise ValueError(
        f"Input X contains infinity or a value too large for {values.dtype!r}. It is in {label}."
    )


def check_no_gaps(labels: list[str], estimator_name: str) -> None:
    if labels:
        raise ValueError(
            f"Input X contains NaN.\n{estimator_name} does not accept missing values encoded as "
            f'NaN natively with missing="error"; there are some in {some(labels)}. Set '
            'missing="learned" to accept them, impute them, or drop these rows or columns.'
        )


def raise_inexact(values: np.ndarray, label: str) -> NoReturn:
    raise ValueError(
        f"Input X contains integers beyond 2**53 (from {values.min()} to {values.max()}), which "
        "cannot be compared exactly as float64. Subtract an offset, or pass identifiers as "
        f"categories, or drop the column. They are in {label}."
    )


def raise_not_understood(label: str, *types: str) -> NoReturn:
    raise TypeError(
        f"Input X: {label} is of type {', '.join(types)}, which cannot be split on: its argument "
        "must be a string or a real number, a time, or missing. Convert the column to columns of "
        "numbers, text or times, or drop it."
    )


def raise_mixed(values: list[Any], label: str) -> NoReturn:
    examples = {type(v).__name__: v for v in reversed(values)}
    found = " and ".join(f"{name} ({v!r})" for name, v in sorted(examples.items()))
    raise TypeError(
        f"Input X: {label} mixes {found}. Convert all values to one type: to str for text; for "
        "numbers, replace the other values by numbers or None."
    )


def strange_types(values: list[Any]) -> list[str]:
    names = {
        type(v).__name__
        for v in values
        if not is_missing_object(v) and sort_of_type(type(v)) is None
    }
    return sorted(names)


def example(values: np.ndarray) -> str:
    return repr(values[:1].tolist()[0]) if len(values) else "none"


def some(things: Sequence[str]) -> str:
    more = len(things) - _SHOWN
    return ", ".join(things[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def warn_of_numbers(labels: list[str]) -> None:
    """Warn of text columns whose values are all numbers."""
    one = len(labels) == 1
    what = "has numbers stored as text and is treated as a category, which has no order"
    if not one:
        what = "have numbers stored as text and are treated as categories, which have no order"
    warn_user(
        f"Input X: {some(labels)} {what}. Convert {'it' if one else 'them'} to numbers, in pandas "
        'with pd.to_numeric(X["name"]) and in polars with pl.col("name").cast(pl.Float64). To keep '
        f"{'a category' if one else 'categories'}, use a category type or pass "
        "categorical_features."
    )
