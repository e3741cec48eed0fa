"""The user's X: checked, never copied unless its type forces it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

_EXACT_INTEGER = 2**53


def learning_inputs(estimator: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """X and y as arrays, both finite; y may have several columns."""
    X, y = _validated(
        estimator,
        X,
        y,
        validate_separately=(
            {"dtype": "numeric"},
            {"dtype": None, "ensure_2d": False},
        ),
    )
    return X, y


def check_lengths(X: np.ndarray, y: np.ndarray) -> None:
    """X and y must have the same number of rows."""
    if len(y) != X.shape[0]:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[X.shape[0], len(y)]} (X has {X.shape[0]} rows, y has {len(y)})"
        )


def prediction_inputs(estimator: Any, X: Any) -> np.ndarray:
    """X for a fitted estimator, with the variables that it was fitted on."""
    return _validated(estimator, X, dtype="numeric", reset=False)


def _validated(estimator: Any, *arrays: Any, **settings: Any) -> Any:
    """Run scikit-learn's checks. Their sum over X may overflow where X itself is finite."""
    arrays = (_as_numbers(arrays[0]), *arrays[1:])
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            checked = validate_data(estimator, *arrays, **settings)
        if isinstance(checked, tuple):
            return coded_dtype(checked[0]), *checked[1:]
        return coded_dtype(checked)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            f"Input X contains text or categories ({error}). Only numbers are supported for now: "
            "encode such columns, for example with sklearn.preprocessing.OrdinalEncoder."
        ) from error


def _as_numbers(X: Any) -> Any:
    """Times as microseconds since 1970; masked and missing values are told apart from numbers."""
    if np.ma.is_masked(X):
        raise ValueError("Input X has masked values, and missing values are not supported yet.")
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        if np.isnat(X).any():
            raise ValueError("Input X contains NaT, and missing values are not supported yet.")
        return X.astype(f"{X.dtype.kind}8[us]").astype(np.int64)
    return X


def coded_dtype(X: Any) -> np.ndarray:
    """X in a type that the core reads: itself, wherever it can be."""
    X = np.asarray(X)
    if X.dtype.kind not in "fiub":
        X = X.astype(np.float64)
    if X.dtype.kind == "f" and X.dtype.itemsize not in (4, 8):
        X = X.astype(np.float32 if X.dtype.itemsize == 2 else np.float64)
    if not X.dtype.isnative:
        X = X.astype(X.dtype.newbyteorder("="))
    if X.dtype.kind in "iu" and X.dtype.itemsize == 8 and X.size:
        low, high = int(X.min()), int(X.max())
        if high > _EXACT_INTEGER or low < -_EXACT_INTEGER:
            raise ValueError(
                f"Input X contains integers beyond 2**53 (from {low} to {high}), which cannot be "
                "compared exactly as float64. Subtract an offset, or pass identifiers as "
                "categories or drop them."
            )
    return X
