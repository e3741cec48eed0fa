"""Checks of X, and its conversion for the core, without a copy where possible."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from silvics import _core
from silvics._frames import library_of
from silvics._tables import table
from silvics._tables.column_values import in_core_type
from silvics._tables.opened_table import of_rows, with_each_cell_once
from silvics._tables.sparse_format import check_format
from silvics._tables.table import Blocks, Variables

_PLAIN_TYPES = (np.dtype(np.float64), np.dtype(np.float32))


@dataclass(frozen=True)
class NamedTable:
    """A table without names, and the names that the user passed for its columns."""

    X: Any
    var_names: list[str]


def named(X: Any, feature_names: Any) -> Any:
    """Return X, with the given names of its columns if ``feature_names`` is not None."""
    if feature_names is None:
        return X
    if nw.dependencies.is_into_dataframe(X) or hasattr(X, "var_names"):
        raise ValueError(
            "feature_names is only for arrays and sparse matrices, but X already has names. Rename "
            "the columns of X instead."
        )
    names = np.asarray(feature_names, dtype=object)
    if names.ndim != 1 or not all(isinstance(name, str) for name in names):
        raise TypeError(
            "feature_names must be an array-like of str, with one name for each column of X."
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if (names == name).sum() > 1)
        raise ValueError(f"feature_names must be distinct, but {twice!r} occurs more than once.")
    X = X if issparse(X) or isinstance(X, np.ndarray) else of_rows(X)
    if X.ndim == 2 and len(names) != X.shape[1]:
        raise ValueError(f"feature_names has {len(names)} names, but X has {X.shape[1]} columns.")
    return NamedTable(X, names.tolist())


def learning_inputs(estimator: Any, X: Any, y: Any) -> tuple[Variables, Blocks, str | None]:
    """Read X for ``fit``. Return its variables, its blocks, and its data frame library.

    scikit-learn's checks set ``n_features_in_`` and ``feature_names_in_``. It is only checked that
    y is not None.
    """
    variables, blocks = table.learn(
        X,
        categorical_features=estimator.categorical_features,
        min_category_frequency=estimator.min_category_frequency,
        missing=estimator.missing,
        estimator_name=type(estimator).__name__,
    )
    before = getattr(estimator, "_variables", None)
    if _grows_on(estimator) and before is not None and len(before.kinds) == blocks.shape[1]:
        # The existing trees depend on the kinds of the columns and on the codes of the levels.
        if variables.kinds != before.kinds or before.n_levels:
            blocks = _read(estimator, X)
        variables = before
    _check_names(estimator, X, y=y, reset=True)
    return variables, blocks, library_of(X)


def _grows_on(estimator: Any) -> bool:
    return bool(getattr(estimator, "warm_start", False) and getattr(estimator, "_trees", None))


def _check_names(estimator: Any, X: Any, **settings: Any) -> None:
    """Check the names and the number of variables with scikit-learn's functions."""
    inner = getattr(X, "X", None)
    if isinstance(inner, np.ndarray) or issparse(inner):  # names are in X.var_names
        if not settings["reset"]:
            return
        X = inner
    is_frame = nw.dependencies.is_into_dataframe(X)
    if not settings["reset"] and not is_frame and _was_named_apart(estimator):
        return
    native = nw.to_native(X, pass_through=True)
    validate_data(estimator, native, skip_check_array=True, **settings)


def _was_named_apart(estimator: Any) -> bool:
    """Return whether ``feature_names`` were passed: then X needs no names in predictions."""
    names = getattr(estimator, "feature_names_in_", None)
    return names is not None and getattr(estimator, "_frame_library", None) is None


def check_lengths(X: Blocks, y: np.ndarray) -> None:
    """Raise ValueError unless X and y have the same number of rows."""
    if len(y) != X.shape[0]:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[X.shape[0], len(y)]} (X has {X.shape[0]} rows, y has {len(y)})"
        )


def prediction_inputs(estimator: Any, X: Any) -> _core.Matrix:
    """Read X for the predictions of a fitted estimator."""
    if _needs_no_checks(estimator, X):
        return _core.Matrix([X], [])
    return to_predict(prediction_blocks(estimator, X))


def prediction_blocks(estimator: Any, X: Any) -> Blocks:
    """Read X as blocks, by the variables that the estimator was fitted on."""
    is_frame = nw.dependencies.is_into_dataframe(X)
    if is_frame:  # wrong names explain other errors, so check them first
        _check_names(estimator, X, reset=False)
    blocks = _read(estimator, X)
    if not is_frame:
        _check_names(estimator, X, reset=False)
    return blocks


def _needs_no_checks(estimator: Any, X: Any) -> bool:
    """Return whether X is valid, faster than scikit-learn's checks, which dominate for one row."""
    return (
        type(X) is np.ndarray
        and X.dtype in _PLAIN_TYPES
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
        and estimator._variables.all_numbers
        and _has_finite_sum(X)
    )


def _has_finite_sum(X: np.ndarray) -> bool:
    """Return whether the sum is finite, so that no value is missing or infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return isfinite(X.sum())


def _read(estimator: Any, X: Any) -> Blocks:
    return table.read(
        estimator._variables,
        X,
        unknown_category=estimator.unknown_category,
        missing=estimator.missing,
        estimator_name=type(estimator).__name__,
    )


def unchecked(X: Any) -> Blocks:
    """Return X as blocks without checks of its values."""
    if issparse(X):
        check_format(X)
        return Blocks([], [], X.shape, X)
    X = in_core_type(np.asarray(X))
    return Blocks([X], [], X.shape)


def to_grow(X: Blocks) -> _core.Matrix:
    """Convert X to the matrix from which trees are grown."""
    return _native(X, "csc")


def to_predict(X: Blocks) -> _core.Matrix:
    """Convert X to the matrix with which trees predict."""
    return _native(X, "csr")


def _native(X: Blocks, form: str) -> _core.Matrix:
    if X.sparse is None:
        return _core.Matrix(X.blocks, X.n_levels)
    sparse = with_each_cell_once(X.sparse.asformat(form))
    starts, places, values = (
        array[:, np.newaxis] for array in (sparse.indptr, sparse.indices, sparse.data)
    )
    return _core.Matrix.sparse(starts, places, values, X.shape, form == "csc")
