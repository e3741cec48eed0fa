"""The decision whether y has classes or numbers."""

from __future__ import annotations

from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._warnings import warn_user

TASKS = ("classification", "regression")
_MOST_CLASSES = 20  # integers with at most this many distinct values are classes
_UNSURE = range(10, 51)  # numbers of distinct integers for which a warning is issued


def task_of(y: Any, task: str | None = None) -> str:
    """Decide between classification and regression.

    Text, booleans and categories are classes. Integers are classes if they have at most 20
    distinct values, and numbers otherwise. Floats and decimals are numbers. With several outputs
    the task is regression as soon as one of them has numbers.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), or None
        The output as the user passed it, so that a data frame or a series has its types.
    task : {"classification", "regression"} or None, default=None
        The task, if the user has set it; it is returned unchanged.

    Returns
    -------
    task : {"classification", "regression"}
        The task.
    """
    if task is not None:
        return task
    if y is None:
        return "classification"
    guesses = [_of_column(column) for column in _columns(y)]
    counts = [n for n, _ in guesses if n in _UNSURE]
    found = "regression" if any(real for _, real in guesses) else "classification"
    if counts:
        taken = "classes" if found == "classification" else "numbers"
        other = next(name for name in TASKS if name != found)
        warn_user(
            f"y has {counts[0]} distinct integers, which are treated as {taken} (task="
            f'"{found}"). Pass task="{other}" to change this, or task="{found}" to confirm it.'
        )
    return found


def _columns(y: Any) -> list[Any]:
    """Return each output as a narwhals series, an array, or None for categories."""
    native = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(native, nw.DataFrame):
        return [native.get_column(name) for name in native.columns]
    if isinstance(native, nw.Series):
        return [native]
    if hasattr(y, "categories"):  # pandas.Categorical and CategoricalIndex
        return [None]
    values = np.asarray(y)
    return list(values.T) if values.ndim == 2 else [values.ravel()]


def _of_column(column: Any) -> tuple[int, bool]:
    """Return the number of distinct integers (0 for other types), and whether y has numbers."""
    if column is None:
        return 0, False
    if isinstance(column, nw.Series):
        kind = column.dtype
        if kind in (nw.Categorical, nw.Enum, nw.String, nw.Boolean):
            return 0, False
        if kind.is_float() or kind.is_decimal():
            return 0, True
        if kind.is_integer():
            return _of_integers(column.n_unique())
        column = column.to_numpy()
    if column.dtype.kind == "f":
        return 0, True
    if column.dtype.kind in "iu":
        return _of_integers(len(np.unique(column)))
    if column.dtype.kind == "O":
        return _of_objects(column.tolist())
    return 0, False


def _of_objects(values: list[Any]) -> tuple[int, bool]:
    if not all(isinstance(v, Real | Decimal) and not isinstance(v, bool) for v in values):
        return 0, False
    if all(isinstance(v, Integral) for v in values):
        return _of_integers(len(set(values)))
    return 0, True


def _of_integers(n_distinct: int) -> tuple[int, bool]:
    return n_distinct, n_distinct > _MOST_CLASSES
