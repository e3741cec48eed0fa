"""Criteria that are functions of the user."""

from __future__ import annotations

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

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Return the impurities of the rows as an array of floats."""
        try:
            found = np.asarray(self._function(rows), dtype=np.float64)
        except Exception as error:
            error.add_note(
                f"This happened in the function {self._name()} that was passed as criterion, "
                f"called with an array of shape {rows.shape}."
            )
            raise
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

    def _name(self) -> str:
        return str(getattr(self._function, "__name__", repr(self._function)))
