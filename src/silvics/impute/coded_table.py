"""A table with missing values as one array of numbers, and what its columns are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._frames import library_of
from silvics._tables import table
from silvics._tables.column_values import HEAVIER, is_missing_object
from silvics._tables.opened_table import of_rows
from silvics._tables.table import Blocks, Variables


@dataclass(frozen=True, eq=False)
class Schema:
    """Description of the columns of X, as learned in training.

    Attributes
    ----------
    variables : Variables
        Names, kinds and levels of the columns.
    is_class : ndarray of bool of shape (n_features,)
        Columns whose values are classes: categories and booleans.
    is_integer, is_boolean : ndarray of bool of shape (n_features,)
        Columns of integer and boolean types.
    observed : list of (ndarray or None)
        Codes that occur in training, for categories, booleans and ordered categories.
    is_empty : ndarray of bool of shape (n_features,)
        Columns without any value in training.
    had_missing : ndarray of bool of shape (n_features,)
        Columns with missing values in training.
    spread : ndarray of shape (n_features,)
        Standard deviation of the known values; 1 if it is zero.
    library : str or None
        Data frame library of the table.
    """

    variables: Variables
    is_class: np.ndarray
    is_integer: np.ndarray
    is_boolean: np.ndarray
    observed: list[np.ndarray | None]
    is_empty: np.ndarray
    had_missing: np.ndarray
    spread: np.ndarray
    library: str | None

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.is_class)

    def names(self) -> list[str]:
        """Return the names of the columns, or x0, x1, ... if they have none."""
        if self.variables.names is not None:
            return [str(name) for name in self.variables.names]
        return [f"x{j}" for j in range(self.n_features)]


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table as numbers.

    Attributes
    ----------
    values : ndarray of float64 of shape (n_samples, n_features), in Fortran order
        Numbers, microseconds, positions of ordered levels, and codes of levels. NaN stands for
        missing values and for levels that were not seen in training.
    missing : ndarray of bool of shape (n_samples, n_features)
        Cells whose value is missing. An unseen level is not missing.
    """

    values: np.ndarray
    missing: np.ndarray


def learn_schema(
    X: Any, categorical_features: Any, estimator_name: str
) -> tuple[Schema, CodedTable]:
    """Learn the columns of a table, and return it as numbers."""
    variables, blocks = table.learn(
        X, categorical_features=categorical_features, estimator_name=estimator_name
    )
    coded = _coded(variables, blocks)
    types = types_of(X, variables.kinds)
    is_boolean = np.array([kind == "boolean" for kind in types], dtype=bool)
    is_class = variables.is_categorical | is_boolean
    observed: list[np.ndarray | None] = []
    for j, kind in enumerate(variables.kinds):
        if is_class[j] or kind == "ordered":
            observed.append(np.unique(coded.values[~coded.missing[:, j], j]))
        else:
            observed.append(None)
    return Schema(
        variables=variables,
        is_class=is_class,
        is_integer=np.array([kind == "integer" for kind in types], dtype=bool),
        is_boolean=is_boolean,
        observed=observed,
        is_empty=np.asarray(coded.missing.all(axis=0)),
        had_missing=np.asarray(coded.missing.any(axis=0)),
        spread=_spread(coded.values),
        library=library_of(X),
    ), coded


def _spread(values: np.ndarray) -> np.ndarray:
    found = np.ones(values.shape[1])
    for j, column in enumerate(values.T):
        known = column[~np.isnan(column)]
        deviation = known.std() if len(known) else 0.0
        found[j] = deviation if deviation > 0 else 1.0
    return found


def read_table(schema: Schema, X: Any, estimator_name: str) -> CodedTable:
    """Return a table with the columns of training as numbers."""
    blocks = table.read(
        schema.variables, X, unknown_category="heavier", estimator_name=estimator_name
    )
    return _coded(schema.variables, blocks)


def _coded(variables: Variables, blocks: Blocks) -> CodedTable:
    values = np.empty(blocks.shape, dtype=np.float64, order="F")
    first = 0
    for block in blocks.blocks:
        values[:, first : first + block.shape[1]] = block
        first += block.shape[1]
    missing = np.isnan(values)
    for j in np.flatnonzero(variables.is_categorical):
        missing[:, j] = (values[:, j] < 0) & (values[:, j] != HEAVIER)
        values[values[:, j] < 0, j] = np.nan
    return CodedTable(values, missing)


# ---- types of columns


def types_of(X: Any, kinds: tuple[str, ...]) -> list[str]:
    """Return the type of each column: "integer", "boolean" or "other"."""
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        each = [frame.get_column(name) for name in frame.columns]
        found = [_of_series(series) for series in each]
    else:
        array = of_rows(X) if isinstance(X, list | tuple) else np.asarray(X)
        found = [_of_array(array[:, j]) for j in range(array.shape[1])]
    return [t if kind == "number" else "other" for t, kind in zip(found, kinds, strict=True)]


def _of_series(series: nw.Series) -> str:
    if series.dtype == nw.Boolean:
        return "boolean"
    if series.dtype.is_integer():
        return "integer"
    native = getattr(series.to_native(), "dtype", None)
    return _of_array(series.to_numpy()) if native == np.dtype(object) else "other"


def _of_array(values: np.ndarray) -> str:
    if values.dtype.kind in "iu":
        return "integer"
    if values.dtype.kind == "b":
        return "boolean"
    if values.dtype.kind != "O":
        return "other"
    types = {type(value) for value in values if not is_missing_object(value)}
    if types and all(issubclass(kind, bool | np.bool_) for kind in types):
        return "boolean"
    if types and all(issubclass(kind, int | np.integer) for kind in types):
        return "integer"
    return "other"
