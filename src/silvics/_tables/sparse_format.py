"""Validation of the arrays of SciPy's sparse matrices.

SciPy checks few of these conditions when a matrix is created, and none when its arrays are
replaced. Its conversions of an invalid matrix read and write outside of the arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def check_format(X: Any) -> None:
    """Raise ValueError if the arrays of a sparse matrix, in any format, are invalid."""
    if len(X.shape) != 2:
        raise ValueError(f"Expected 2D input, got a sparse array with shape {X.shape}.")
    try:
        wrong = _CHECKS[X.format](X)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        wrong = f"its arrays cannot be read ({error})"
    if wrong:
        raise ValueError(
            f"X is not a valid sparse matrix of format {X.format!r}: {wrong}. Create it again from "
            "its values, for example with scipy.sparse.coo_array((values, (rows, columns)), shape)."
        )


def _out_of_range(indices: Any, size: int) -> bool:
    return len(indices) > 0 and not (0 <= indices.min() and indices.max() < size)


def _bad_vector(name: str, array: Any) -> str:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        return f"{name} is not a vector of integers"
    return ""


def _compressed(X: Any) -> str:
    shape = np.asarray(X.shape)
    if X.format == "bsr":
        block = np.asarray(X.data.shape[1:])
        if X.data.ndim != 3 or not block.all() or (shape % block).any():
            return "its blocks do not fit its shape"
        shape //= block
    elif X.data.ndim != 1:
        return "data is not a vector"
    n_lines, size = shape[::-1] if X.format == "csc" else shape
    starts, indices = X.indptr, X.indices
    if wrong := _bad_vector("indptr", starts) or _bad_vector("indices", indices):
        return wrong
    if len(starts) != n_lines + 1:
        return f"indptr has {len(starts)} values instead of {n_lines + 1}"
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        return "indptr does not start at 0 and ascend"
    if starts[-1] > min(len(indices), len(X.data)):
        return f"indptr ends at {starts[-1]}, beyond the values that are stored"
    if _out_of_range(indices[: starts[-1]], size):
        return f"an index is not between 0 and {size - 1}"
    return ""


def _coordinates(X: Any) -> str:
    for name, indices, size in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
        if wrong := _bad_vector(name, indices):
            return wrong
        if len(indices) != len(X.data):
            return f"{name} has {len(indices)} values, but data has {len(X.data)}"
        if _out_of_range(indices, size):
            return f"{name} has an index that is not between 0 and {size - 1}"
    return ""


def _diagonals(X: Any) -> str:
    if wrong := _bad_vector("offsets", X.offsets):
        return wrong
    if X.data.ndim != 2 or len(X.offsets) != len(X.data):
        return "offsets and data have different numbers of diagonals"
    if _out_of_range(X.offsets + X.shape[0], sum(X.shape) + 1):
        return "an offset is beyond its shape"
    return ""


def _lists(X: Any) -> str:
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        return f"it does not have a list for each of its {X.shape[0]} rows"
    for columns, values in zip(X.rows, X.data, strict=True):
        if len(columns) != len(values):
            return "a row has different numbers of values and columns"
        if columns and not (0 <= min(columns) and max(columns) < X.shape[1]):
            return f"a column is not between 0 and {X.shape[1] - 1}"
    return ""


def _keys(X: Any) -> str:
    for row, column in X.keys():  # noqa: SIM118, a sparse matrix is no dict
        if not (0 <= row < X.shape[0] and 0 <= column < X.shape[1]):
            return f"({row}, {column}) is not in its shape {X.shape}"
    return ""


_CHECKS = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}
