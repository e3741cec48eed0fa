"""Access to X as a table: arrays, data frames, lists, sparse matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import _get_feature_names

from silvics._frames import is_dataset
from silvics._names import did_you_mean
from silvics._tables.column import Column, of_array, of_arrow, of_series
from silvics._tables.column_values import (
    EXACT_INTEGER,
    any_inexact,
    as_text,
    core_type,
    in_core_type,
)
from silvics._tables.sparse_format import check_format


@dataclass
class Table:
    """A two-dimensional table that is not empty."""

    shape: tuple[int, int]
    names: np.ndarray | None
    columns: Callable[[], Iterator[Column]]
    whole: np.ndarray | None = None  # the array, if the table is one array of numbers
    sparse: Any = None
    annotated: bool = False

    @property
    def is_numbers(self) -> bool:
        return self.whole is not None or self.sparse is not None

    def label(self, j: int) -> str:
        return f"column {j if self.names is None else self.names[j]!r}"

    def labels_where(self, bad: np.ndarray) -> list[str]:
        """Return the labels of columns with marked entries, of an array or of sparse data."""
        if self.sparse is None:
            columns = np.flatnonzero(bad.any(axis=0))
        elif self.sparse.format == "csr":
            columns = np.unique(self.sparse.indices[bad])
        else:
            starts = self.sparse.indptr
            columns = np.unique(np.searchsorted(starts, np.flatnonzero(bad), side="right") - 1)
        return [self.label(int(j)) for j in columns]


def opened(X: Any, estimator_name: str) -> Table:
    """Check X and return it as a table."""
    if isinstance(X, np.ndarray):
        return _opened_array(X, None, estimator_name)
    if issparse(X):
        return _opened_sparse(X, None, estimator_name)
    if isinstance(X, str | PathLike) or is_dataset(X):
        raise TypeError(
            f"X is a {'dataset' if is_dataset(X) else 'path'}, whose rows are not in memory, and "
            "this needs a table in memory. Read some rows into a data frame; "
            "RandomPatchesClassifier, RandomPatchesRegressor and network.genie3 accept "
            "silvics.scan of it."
        )
    if isinstance(X, list | tuple):
        return _opened_array(of_rows(X), None, estimator_name)
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy table ({type(X).__module__}.{type(X).__qualname__}), whose rows are not "
            "computed yet. Pass X.collect() instead."
        )
    if isinstance(frame, nw.DataFrame):
        return _opened_frame(frame, estimator_name)
    inner = getattr(X, "X", None)
    if isinstance(inner, np.ndarray) or issparse(inner):
        return _opened_annotated(X, estimator_name)
    if nw.dependencies.is_into_series(X):
        _checked(X, estimator_name, ensure_all_finite=False)  # raises the error for a series
    return _opened_array(np.asarray(X), None, estimator_name)


def of_rows(X: Sequence[Any]) -> np.ndarray:
    """Convert a list of rows to an array, without converting numbers to text or rounding them."""
    array = np.asarray(X)
    is_float = array.dtype.kind == "f"
    if array.dtype.kind in "US" or (is_float and (np.abs(array) >= EXACT_INTEGER).any()):
        return np.asarray(X, dtype=object)
    return array


def _opened_array(X: np.ndarray, names: np.ndarray | None, estimator_name: str) -> Table:
    if isinstance(X, np.ma.MaskedArray):
        X = _unmasked(X)
    are_numbers = X.dtype.kind in "biuf"
    X = _checked(
        in_core_type(X) if are_numbers else X,
        estimator_name,
        ensure_all_finite="allow-nan" if are_numbers else False,
    )

    def columns() -> Iterator[Column]:
        for j in range(X.shape[1]):
            yield of_array(X[:, j], table.label(j))

    table = Table(X.shape, names, columns, whole=X if are_numbers else None)
    return table


def _checked(X: Any, estimator_name: str, **settings: Any) -> Any:
    """Run scikit-learn's checks, whose sum over X may overflow even if X is finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return check_array(X, dtype=None, input_name="X", estimator=estimator_name, **settings)


def _unmasked(X: np.ma.MaskedArray) -> np.ndarray:
    """Replace masked values by missing values."""
    mask, data = np.ma.getmaskarray(X), np.ma.getdata(X)
    if not mask.any():
        return data
    kind = data.dtype.kind
    if kind in "mM":
        return np.where(mask, data.dtype.type("NaT"), data)
    if kind == "f":
        return np.where(mask, data.dtype.type(np.nan), data)
    if kind in "biu" and not any_inexact(np.where(mask, 0, data)):
        return np.where(mask, np.nan, data)
    objects = as_text(data).astype(object)
    objects[mask] = None
    return objects


def _opened_sparse(X: Any, names: np.ndarray | None, estimator_name: str) -> Table:
    if X.dtype.kind not in "biufc":
        raise TypeError(f"A sparse X must have numbers, got dtype {X.dtype}.")
    check_format(X)
    if X.format in ("csr", "csc"):
        X = with_each_cell_once(X)  # a sum of duplicates may be invalid
    X = _checked(
        X,
        estimator_name,
        accept_sparse=("csr", "csc"),
        ensure_all_finite="allow-nan",
    )
    if (core := core_type(X.dtype)) != X.dtype:
        X = X.astype(core)
    return Table(X.shape, names, lambda: iter(()), sparse=X)


def with_each_cell_once(X: Any) -> Any:
    """Return the sparse matrix in canonical format: sorted indices, duplicates summed."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def _opened_annotated(X: Any, estimator_name: str) -> Table:
    """Read an object with an array or sparse matrix ``X`` and ``var_names``, such as AnnData."""
    names = getattr(X, "var_names", None)
    if names is not None:
        names = np.array([str(name) for name in names], dtype=object)
    opened = _opened_sparse if issparse(X.X) else _opened_array
    table = opened(X.X, names, estimator_name)
    if names is not None and len(names) != table.shape[1]:
        raise ValueError(
            f"X.var_names has {len(names)} names, but X.X has {table.shape[1]} columns."
        )
    table.annotated = True
    return table


def _opened_frame(frame: nw.DataFrame, estimator_name: str) -> Table:
    names = _get_feature_names(frame.to_native())
    if 0 in frame.shape:
        _checked(np.empty(frame.shape), estimator_name)  # raises the error for an empty table
    whole = _inner_array(frame)
    if whole is not None:
        return _opened_array(whole, names, estimator_name)

    def columns() -> Iterator[Column]:
        if frame.implementation.is_pyarrow():  # parts of files come in many small tables
            table = frame.to_native()
            for label, values in zip(table.column_names, table.columns, strict=True):
                yield of_arrow(values, f"column {label!r}")
            return
        each: Iterator[Any] = frame.iter_columns()
        for label, series in zip(frame.columns, each, strict=True):
            yield of_series(series, f"column {label!r}")

    return Table(frame.shape, names, columns)


def _inner_array(frame: nw.DataFrame) -> np.ndarray | None:
    """Return the array in which pandas stores a frame, or None if it would be a copy."""
    if not frame.implementation.is_pandas():
        return None
    native = frame.to_native()
    types = set(native.dtypes)
    if len(types) != 1 or not isinstance(kind := types.pop(), np.dtype) or kind.kind not in "biuf":
        return None
    first_row = native.iloc[:1].to_numpy()  # a view only if the whole would be one
    if not np.may_share_memory(first_row, native.iloc[:, 0].to_numpy()):
        return None
    return native.to_numpy()


def wanted_categories(features: Any, table: Table) -> list[bool] | list[None]:
    """Return whether each column shall be a category; None to decide by its type."""
    n_features = table.shape[1]
    if isinstance(features, str) and features == "from_dtype":
        return [None] * n_features
    if features is None:
        return [False] * n_features
    asked = np.asarray(features)
    if asked.ndim != 1:
        raise ValueError(
            "categorical_features must be 'from_dtype', None, or an array-like of bool, int or "
            f"str with one dimension, got: {features!r}."
        )
    if not asked.size:
        return [False] * n_features
    types = {type(f) for f in features} if asked.dtype.kind == "O" else set()
    if asked.dtype.kind not in "iubUTO" or (types and types != {str}):
        found = ", ".join(sorted(t.__name__ for t in types)) or asked.dtype.name
        raise ValueError(
            f"categorical_features must be an array-like of bool, int or str, got: {found}."
        )
    if asked.dtype.kind == "b":
        if len(asked) != n_features:
            raise ValueError(
                "categorical_features set as a boolean mask must have shape (n_features,), got: "
                f"{asked.shape}"
            )
        return [bool(category) for category in asked]
    if asked.dtype.kind in "iu":
        if asked.max() >= n_features or asked.min() < 0:
            raise ValueError(
                "categorical_features set as integer indices must be in [0, n_features - 1]"
            )
        chosen = set(asked.tolist())
    else:
        chosen = _indices_of(asked, table.names)
    return [j in chosen for j in range(n_features)]


def _indices_of(asked: np.ndarray, names: np.ndarray | None) -> set[int]:
    if names is None:
        raise ValueError(
            "categorical_features should be passed as an array of integers or as a boolean mask "
            "when the model is fitted on data without feature names."
        )
    index = {name: j for j, name in enumerate(names)}
    for name in asked.tolist():
        if name not in index:
            raise ValueError(
                f"categorical_features has an item value '{name}' which is not a valid feature "
                f"name of the training data. Observed feature names: {list(names)}."
                f"{did_you_mean(name, names)}"
            )
    return {index[name] for name in asked.tolist()}
