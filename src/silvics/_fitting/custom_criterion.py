"""Criteria that are functions of the user."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np


class CheckedCriterion:
    """A function of the user as the core calls it.

    An exception of the function gets a note that says where it comes from, and values that are no
    impurities raise a ValueError.

    Parameters
    ----------
    function : callable
        Function from an array with one row per part of a node to the impurities of the rows.
    """

    def __init__(self, function: Callable[[np.ndarray], Any]) -> None:
        self._function = function
        self._takes_rows = False  # whether it is known to take one argument

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return the impurities of the rows as an array of floats."""
        self._check_takes(rows)
        try:
            returned = self._function(rows)
        except Exception as error:
            error.add_note(
                f"This happened in the function {self._name()} that was passed as criterion, "
                f"called with an array of shape {rows.shape}."
            )
            raise
        try:
            found = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"The function {self._name()} that was passed as criterion returned {returned!r}. "
                "It must return numbers: one impurity for each row, an array of shape "
                f"({len(rows)},)."
            ) from error
        if found.shape != (len(rows),):
            raise ValueError(
                f"The function {self._name()} that was passed as criterion returned an array of "
                f"shape {found.shape} for {len(rows)} rows. It must return one impurity for each "
                f"row, an array of shape ({len(rows)},)."
            )
        if not np.isfinite(found).all():
            row = rows[int(np.argmin(np.isfinite(found)))].tolist()
            raise ValueError(
                f"The function {self._name()} that was passed as criterion returned NaN or an "
                f"infinite value for the row {row}. Impurities must be finite."
            )
        return np.ascontiguousarray(found)

    def _check_takes(self, rows: np.ndarray) -> None:
        """Raise TypeError if the function does not take one array."""
        if self._takes_rows:
            return
        try:
            inspect.signature(self._function).bind(rows)
        except TypeError as error:
            raise TypeError(
                f"The function {self._name()} that was passed as criterion must take one "
                "argument, an array with one row for each part of a node, and return one impurity "
                f"for each row: {error}."
            ) from error
        except ValueError:  # functions of some libraries have no signature
            pass
        self._takes_rows = True

    def _name(self) -> str:
        return str(getattr(self._function, "__name__", repr(self._function)))
