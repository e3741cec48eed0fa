"""A column of any table, with its values and missing values."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._tables.column_values import (
    EXACT_INTEGER,
    MISSING,
    Sort,
    as_text,
    canonical,
    check_finite,
    in_core_type,
    is_missing,
    is_missing_object,
    raise_inexact,
    raise_mixed,
    raise_not_understood,
    sort_of_type,
    strange_types,
)

_NUMBER = re.compile(r"\s*[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*", re.ASCII)

_ARROW_REAL = {"halffloat", "float", "double"}
_ARROW_WHOLE = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


@dataclass
class Column:
    """The values of a column: one for each row, or distinct values and a code for each row.

    Numbers, dates and durations are typed arrays, and strings are str objects. With codes, the
    distinct values occur in the column and are not missing; the code -1 means missing.
    """

    label: str
    sort: Sort
    values: np.ndarray
    codes: np.ndarray | None = None
    is_text: bool = False  # whether its type is text or category
    order: np.ndarray | None = None  # the declared levels of an ordered category
    is_declared: bool = False  # whether its type is category

    @property
    def n_rows(self) -> int:
        return len(self.values if self.codes is None else self.codes)

    def has_missing(self) -> bool:
        if self.codes is None:
            return bool(is_missing(self.values).any())
        return bool((self.codes < 0).any())

    def is_empty(self) -> bool:
        """Return whether all values are missing."""
        if self.codes is None:
            return bool(is_missing(self.values).all())
        return bool((self.codes < 0).all())

    def holds_numbers_as_text(self) -> bool:
        """Return whether its strings are numbers that were probably meant as numbers.

        Numbers with leading zeros are identifiers, and the order of two values does not matter.
        """
        if self.sort != "string" or self.is_declared or len(self.values) <= 2:
            return False
        return all(_NUMBER.fullmatch(value) for value in self.values)

    def counts(self) -> np.ndarray:
        """Return the number of rows with each value."""
        if self.codes is None:
            return np.ones(len(self.values), dtype=np.intp)
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    def by_row(self, of_values: np.ndarray, of_missing: float) -> np.ndarray:
        """Return the element of ``of_values`` for each row, or ``of_missing`` if it is missing."""
        if self.codes is None:
            return of_values
        if not self.has_missing():
            return of_values[self.codes]
        if of_missing != MISSING:
            of_values = of_values.astype(np.float64)
        return np.append(of_values, of_values.dtype.type(of_missing))[self.codes]


def of_array(values: np.ndarray, label: str) -> Column:
    kind = values.dtype.kind
    if kind in "biuf":
        values = in_core_type(values)
        check_finite(values, label)
        return Column(label, "number", values)
    if kind in "mM":
        return Column(label, sort_of_array(values), _in_microseconds(values, label))
    if kind in "SUT":
        column = _of_objects(as_text(values).tolist(), label)
        column.is_text = True
        return column
    if kind == "c":
        raise ValueError(f"Complex data not supported\nInput X: {label}")
    if kind == "O":
        objects = values.tolist()
        if set(map(type, objects)) == {float}:  # faster, as most values may be distinct
            return of_array(values.astype(np.float64), label)
        return _of_objects(objects, label)
    raise_not_understood(label, str(values.dtype))


def _of_objects(values: list[Any], label: str) -> Column:
    codes, distinct = _factorized(values, label)
    present = np.array([not is_missing_object(v) for v in distinct], dtype=bool)
    if not present.all():
        renumbered = np.where(present, np.cumsum(present) - 1, -1)
        codes = renumbered[codes]
        distinct = [v for v, is_present in zip(distinct, present, strict=True) if is_present]
    sort, typed = _typed(distinct, label)
    return Column(label, sort, typed, codes)


def _factorized(values: list[Any], label: str) -> tuple[np.ndarray, list[Any]]:
    """Return a code for each row, and the distinct values in order of appearance."""
    number: defaultdict[Any, int] = defaultdict()
    number.default_factory = number.__len__
    try:
        codes = np.fromiter(map(number.__getitem__, values), np.intp, len(values))
    except TypeError:  # a list or a dict is not hashable
        missing = [v is np.ma.masked or _is_signalling(v) for v in values]
        if any(missing):
            known = [
                None if is_missing else v for v, is_missing in zip(values, missing, strict=True)
            ]
            return _factorized(known, label)
        raise_not_understood(label, *strange_types(values))
    return codes, list(number)


def _is_signalling(value: Any) -> bool:
    return isinstance(value, Decimal) and value.is_snan()


def _typed(values: list[Any], label: str) -> tuple[Sort, np.ndarray]:
    """Convert objects that are not missing to an array of one type."""
    if not values:
        return "nothing", np.array([])
    types = set(map(type, values))
    sorts = {sort_of_type(kind) for kind in types}
    if any(issubclass(kind, complex | np.complexfloating) for kind in types):
        raise ValueError(f"Complex data not supported\nInput X: {label}")
    if None in sorts:
        raise_not_understood(label, *strange_types(values))
    if len(sorts) > 1:
        raise_mixed(values, label)
    sort = sorts.pop()
    if sort == "string":
        return sort, np.array(list(map(str, values)), dtype=object)
    if sort == "number":
        return sort, _typed_numbers(values, label)
    if sort == "date":
        return sort, np.array([_instant(v) for v in values], dtype="M8[us]")
    return "duration", np.array([_duration(v) for v in values], dtype="m8[us]")


def sort_of_array(values: np.ndarray) -> Sort:
    sorts: dict[str, Sort] = {"O": "string", "M": "date", "m": "duration"}
    return sorts.get(values.dtype.kind, "number")


def _typed_numbers(values: list[Any], label: str) -> np.ndarray:
    """Convert numbers to float64, or to integers if float64 cannot represent them."""
    integers = [int(v) for v in values if isinstance(v, Integral)]
    if not integers or max(map(abs, integers)) <= EXACT_INTEGER:
        numbers = np.array([float(v) for v in values])
        check_finite(numbers, label)
        return numbers
    all_integers = len(integers) == len(values)
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        if all_integers and limits.min <= min(integers) and max(integers) <= limits.max:
            return np.array(integers, dtype=dtype)
    raise_inexact(np.array(integers, dtype=object), label)


def _instant(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _duration(value: Any) -> Any:
    if isinstance(value, time):
        at = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)
        value = at + timedelta(microseconds=value.microsecond)
    return np.timedelta64(value, "us")


def _in_microseconds(values: np.ndarray, label: str) -> np.ndarray:
    """Convert times to microseconds, rounded down."""
    exact = values.astype(f"{values.dtype.kind}8[us]")
    is_coarser = np.datetime_data(values.dtype)[0] not in ("us", "ns", "ps", "fs", "as")
    if is_coarser and not np.array_equal(exact.astype(values.dtype), values, equal_nan=True):
        raise ValueError(
            f"Input X: {label} has times that 64-bit microseconds cannot represent. Replace these "
            "times, or pass them as numbers in a larger unit."
        )
    return exact


# ---- columns of frames


def of_series(series: nw.Series, label: str) -> Column:
    native = series.to_native()
    numpy_dtype = getattr(native, "dtype", None)
    if isinstance(numpy_dtype, np.dtype) and numpy_dtype.kind in "iubf":  # such types have no nulls
        return of_array(native.to_numpy(), label)
    dtype = series.dtype
    if dtype.is_float():
        return of_array(series.to_numpy(), label)
    if dtype in (nw.Binary, nw.List, nw.Struct, nw.Array):
        raise_not_understood(label, str(dtype))
    if numpy_dtype == np.dtype(object):  # narwhals would infer a type
        return of_array(series.to_numpy(), label)
    if dtype in (nw.Int128, nw.UInt128):
        return _of_objects(series.to_list(), label)
    if (dtype.is_integer() or dtype == nw.Boolean) and series.null_count():
        return _of_numbers_with_nulls(series, label)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        codes, values = _dictionary_of(series)
        column = _of_dictionary(codes, values, label, _is_ordered(series))
        column.is_declared = dtype != nw.String
        return column
    if dtype == nw.Unknown and series.null_count() == len(series):
        return _of_objects([None] * len(series), label)
    return of_array(series.to_numpy(), label)


def of_arrow(values: Any, label: str) -> Column:
    """Read a column of pyarrow; numbers without the steps that the library of frames takes."""
    kind = str(values.type)
    if kind in _ARROW_REAL or (kind in _ARROW_WHOLE and not values.null_count):
        return of_array(values.to_numpy(), label)
    return of_series(nw.from_native(values, series_only=True), label)


def _of_numbers_with_nulls(series: nw.Series, label: str) -> Column:
    """Keep integers as integers; it is checked later whether float64 can represent them."""
    present = ~series.is_null().to_numpy().astype(bool)
    codes = np.where(present, np.cumsum(present) - 1, -1)
    return Column(label, "number", in_core_type(series.drop_nulls().to_numpy()), codes)


def _of_dictionary(codes: np.ndarray, values: list[Any], label: str, is_ordered: bool) -> Column:
    """Create a column from the values of a category or of text, and the code of each row."""
    values = [str(v) if type(v).__name__ in ("Interval", "Period") else v for v in values]
    seen = np.zeros(len(values) + 1, dtype=bool)
    seen[codes] = True  # the last element stands for missing
    column = _of_objects([v for v, is_seen in zip(values, seen, strict=False) if is_seen], label)
    renumbered = np.full(len(values) + 1, -1)
    renumbered[:-1][seen[:-1]] = column.codes
    column.codes = renumbered[codes]
    column.is_text = True
    if is_ordered:
        declared = [v for v in dict.fromkeys(values) if not is_missing_object(v)]
        column.order = canonical(_typed(declared, label)[1])
    return column


def _is_ordered(series: nw.Series) -> bool:
    if series.dtype == nw.String:
        return False
    arrow = _arrow_of(series)
    return nw.is_ordered_categorical(series) if arrow is None else arrow.type.ordered


def _dictionary_of(series: nw.Series) -> tuple[np.ndarray, list[Any]]:
    """Return codes and values with functions of the library, without a string for each row."""
    native = series.to_native()
    if series.implementation.is_polars():
        known = series.dtype.categories if isinstance(series.dtype, nw.Enum) else None
        values = list(known or series.unique().drop_nulls().to_list())
        coded = nw.from_native(
            series.cast(nw.Enum(values)).to_native().to_physical(), series_only=True
        )
        return coded.cast(nw.Int64).fill_null(-1).to_numpy(), values
    arrow = _arrow_of(series)
    if arrow is not None:
        if not hasattr(arrow.type, "index_type"):
            arrow = arrow.dictionary_encode()
        arrow = arrow.unify_dictionaries().combine_chunks()
        return arrow.indices.cast("int64").fill_null(-1).to_numpy(), arrow.dictionary.to_pylist()
    if hasattr(native, "cat"):
        return native.cat.codes.to_numpy(), native.cat.categories.tolist()
    codes, values = native.factorize()
    return codes, values.tolist()


def _arrow_of(series: nw.Series) -> Any:
    """Return the Arrow array of a column of pyarrow, or of pandas with an Arrow type."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        return native
    if hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):
        return native.array.__arrow_array__()
    return None
