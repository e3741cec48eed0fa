"""Imputed values, written into the user's table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._tables.column_values import is_missing_object
from silvics._tables.opened_table import of_rows
from silvics.impute.coded_table import CodedTable, Schema, types_of

_EPOCH = datetime(1970, 1, 1)


def filled(X: Any, schema: Schema, coded: CodedTable, fills: np.ndarray, kept: np.ndarray) -> Any:
    """Return a copy of a table whose missing values are replaced.

    Parameters
    ----------
    X : table
        The table of the user.
    schema : Schema
        Its columns, as learned in training.
    coded : CodedTable
        The table as numbers.
    fills : ndarray of shape (n_samples, n_features)
        The completed table as numbers. NaN means that the cell remains missing.
    kept : ndarray of bool of shape (n_features,)
        Columns of the result.

    Returns
    -------
    X_filled : table
        A frame of the same library with the same types, or an array.
    """
    types = types_of(X, schema.variables.kinds)

    def column_fills(j: int) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(coded.missing[:, j] & ~np.isnan(fills[:, j]))
        return rows, _canonical_fills(schema, j, types[j], fills[rows, j])

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        chosen = [name for name, is_kept in zip(frame.columns, kept, strict=True) if is_kept]
        changed = []
        for j, name in enumerate(frame.columns):
            if kept[j] and len((found := column_fills(j))[0]):
                native = _filled_series(frame.get_column(name), *found)
                changed.append(nw.from_native(native, series_only=True).alias(name))
        return frame.with_columns(*changed).select(chosen).to_native()
    array = of_rows(X) if isinstance(X, list | tuple) else _unmasked(X)
    array = array.copy()
    for j in map(int, np.flatnonzero(kept)):
        rows, values = column_fills(j)
        if len(rows):
            array[rows, j] = _in_array_type(values, array[:, j], coded.missing[:, j])
    return array if kept.all() else array[:, kept]


def rounded(schema: Schema, j: int, values: np.ndarray, as_integer: bool) -> np.ndarray:
    """Return imputed numbers as values that the column can have, within the observed ones."""
    observed = schema.observed[j]
    if observed is not None and len(observed):  # the nearest observed level
        above = np.minimum(np.searchsorted(observed, values), len(observed) - 1)
        below = np.maximum(above - 1, 0)
        nearer = values - observed[below] < observed[above] - values
        return np.where(nearer, observed[below], observed[above])
    is_time = schema.variables.kinds[j] in ("date", "duration")
    return np.rint(values) if as_integer or schema.is_integer[j] or is_time else values


def _canonical_fills(schema: Schema, j: int, type_now: str, values: np.ndarray) -> np.ndarray:
    """Return imputed values in the types of levels (see ``silvics._tables.table``)."""
    values = rounded(schema, j, values, type_now == "integer")
    kind, levels = schema.variables.kinds[j], schema.variables.levels[j]
    if levels is not None:
        return levels[values.astype(np.intp)]
    if kind == "date":
        return values.astype(np.int64).astype("M8[us]")
    if kind == "duration":
        return values.astype(np.int64).astype("m8[us]")
    return values.astype(bool) if schema.is_boolean[j] else values


# ---- arrays


def _unmasked(X: Any) -> Any:
    """Return an array without a mask, with floats in place of masked numbers."""
    if not isinstance(X, np.ma.MaskedArray):
        return np.asarray(X)
    masked: Any = X
    if X.dtype.kind in "biu":
        return masked.astype(np.float64).filled(np.nan) if np.ma.is_masked(X) else masked.data
    if X.dtype.kind == "f":
        return masked.filled(np.nan)
    if X.dtype.kind in "mM":
        return masked.filled(np.array("NaT", dtype=X.dtype))
    return masked.astype(object).filled(None)


def _in_array_type(values: np.ndarray, column: np.ndarray, missing: np.ndarray) -> Any:
    """Convert imputed values to the type of an array's column."""
    if column.dtype.kind != "O":
        return values.astype(column.dtype)
    known = column[~missing]
    return _as_objects(values, known[:1].tolist() if len(known) else [])


def _as_objects(values: np.ndarray, examples: Sequence[Any]) -> np.ndarray:
    """Convert imputed values to Python objects of the type of the known values."""
    example = next((value for value in examples if not is_missing_object(value)), None)
    objects = np.empty(len(values), dtype=object)
    objects[:] = [_like(value, example) for value in values.tolist()]
    return objects


def _like(value: Any, example: Any) -> Any:
    if isinstance(example, bool | np.bool_):
        return bool(value)
    if isinstance(example, int | np.integer) and float(value).is_integer():
        return int(value)
    if isinstance(example, Decimal):
        return Decimal(repr(value))
    if isinstance(example, time):
        return (_EPOCH + value).time()
    if isinstance(example, date) and not isinstance(example, datetime):
        return value.date()
    if isinstance(example, np.datetime64 | np.timedelta64):
        return type(example)(value, "us")
    return value


# ---- columns of frames


def _filled_series(series: nw.Series, rows: np.ndarray, values: np.ndarray) -> Any:
    """Return a column with the values at the rows, in its own type."""
    native = series.to_native()
    refusals: tuple[type[Exception], ...] = (TypeError, ValueError, OverflowError)
    if series.implementation.is_polars():
        refusals += (nw.get_native_namespace(series).exceptions.PolarsError,)
    try:
        if series.implementation.is_polars():
            return _filled_polars(native, rows, values)
        if series.implementation.is_pyarrow():
            return _filled_arrow(native, rows, values)
        return _filled_pandas(native, rows, values)
    except refusals as error:
        raise ValueError(
            f"Column {series.name!r} has type {series.dtype}, which cannot hold the imputed value "
            f"{values[0]!r} of the type that it had in training. Convert the column to that type."
        ) from error


def _filled_pandas(series: Any, rows: np.ndarray, values: np.ndarray) -> Any:
    pd = nw.get_native_namespace(series)
    dtype, result = series.dtype, series.copy()
    if hasattr(dtype, "pyarrow_dtype"):
        array = _filled_arrow(series.array.__arrow_array__(), rows, values)
        return pd.Series(type(series.array)(array), index=series.index, name=series.name)
    if isinstance(dtype, pd.CategoricalDtype):
        original = {_key(value): value for value in dtype.categories.tolist()}
        objects = [original.get(_key(value), value) for value in values.tolist()]
        new = [value for value in dict.fromkeys(objects) if _key(value) not in original]
        if new:
            result = result.cat.add_categories(new)
        result.iloc[rows] = objects
        return result
    if dtype == np.dtype(object):
        known = series[series.notna()]
        result.iloc[rows] = _as_objects(values, known.iloc[:1].tolist())
        return result
    if values.dtype.kind == "M":
        zone = getattr(dtype, "tz", None)
        stamps = pd.Series(values)
        if zone is not None:
            stamps = stamps.dt.tz_localize("UTC").dt.tz_convert(zone)
        fill = stamps.astype(dtype)
    elif values.dtype.kind == "f" and getattr(dtype, "kind", "") in "iu":
        fill = pd.Series(values.astype(np.int64)).astype(dtype)
    else:
        fill = pd.Series(values).astype(dtype)
    result.iloc[rows] = fill.array
    return result


def _key(value: Any) -> Any:
    """Return the level of a category of pandas, as ``silvics._tables`` reads it."""
    if type(value).__name__ in ("Interval", "Period"):
        return str(value)
    if type(value).__name__ == "Timestamp":
        return value.to_pydatetime()
    return value


def _filled_polars(series: Any, rows: np.ndarray, values: np.ndarray) -> Any:
    pl = nw.get_native_namespace(series)
    dtype = series.dtype
    if values.dtype.kind == "M":
        fill = pl.Series(values)
        if getattr(dtype, "time_zone", None):
            fill = fill.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
        fill = fill.cast(dtype)
    elif dtype == pl.Time:
        fill = pl.Series(values.astype("m8[ns]").astype(np.int64)).cast(pl.Time)
    elif values.dtype.kind == "O":
        fill = pl.Series(values.tolist(), dtype=pl.String).cast(dtype)
    else:
        fill = pl.Series(values).cast(dtype)
    return pl.concat([series, fill.alias(series.name)]).gather(_places(len(series), rows))


def _filled_arrow(column: Any, rows: np.ndarray, values: np.ndarray) -> Any:
    pa = nw.get_native_namespace(column)
    kind = column.type
    if pa.types.is_dictionary(kind):
        plain = pa.array(values.tolist(), type=kind.value_type)
        fill = plain.dictionary_encode().cast(kind)
    elif values.dtype.kind == "f" and pa.types.is_integer(kind):
        fill = pa.array(values.astype(np.int64)).cast(kind)
    elif pa.types.is_time(kind):
        fill = pa.array([(_EPOCH + value).time() for value in values.tolist()], type=kind)
    elif values.dtype.kind == "M":
        in_zone = pa.timestamp("us", tz=getattr(kind, "tz", None))
        fill = pa.array(values).cast(in_zone)
        if pa.types.is_date(kind):
            fill = pa.array([value.date() for value in values.tolist()], type=kind)
        else:
            fill = fill.cast(kind, safe=False)
    else:
        fill = pa.array(values.tolist()).cast(kind, safe=False)
    both = pa.chunked_array([*column.chunks, fill], type=kind)
    if pa.types.is_dictionary(kind):
        both = both.unify_dictionaries()
    taken = both.combine_chunks().take(pa.array(_places(len(column), rows)))
    return pa.chunked_array([taken], type=kind)


def _places(n_rows: int, rows: np.ndarray) -> np.ndarray:
    """Return the row of each value in a column that is followed by the imputed values."""
    places = np.arange(n_rows)
    places[rows] = n_rows + np.arange(len(rows))
    return places
