"""Quantile levels and confidence levels that users pass, and the shape of what they get."""

from __future__ import annotations

from typing import Any

import numpy as np

INTERPOLATIONS = ("inverted_cdf", "linear", "lower", "higher", "midpoint", "nearest")


def checked_levels(name: str, values: Any, *, closed: bool) -> tuple[np.ndarray, bool]:
    """Return levels as a vector, and whether a single one was given.

    Parameters
    ----------
    name : str
        Name of the parameter, for errors.
    values : float or array-like of float
        The levels.
    closed : bool
        Whether 0 and 1 are allowed.

    Returns
    -------
    levels : ndarray of shape (n_levels,)
        The levels.
    single : bool
        Whether ``values`` is a number.
    """
    try:
        levels = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or a list of numbers, got {values!r}.") from None
    if levels.ndim > 1 or levels.size == 0:
        raise ValueError(f"{name} must be a number or a list of numbers, got {values!r}.")
    inside = (levels >= 0) & (levels <= 1) if closed else (levels > 0) & (levels < 1)
    if not inside.all():
        bounds = "between 0 and 1" if closed else "between 0 and 1, both excluded"
        raise ValueError(f"{name} must be {bounds}, got {values!r}.")
    return np.atleast_1d(levels), levels.ndim == 0


def shaped(found: np.ndarray, single: bool) -> np.ndarray:
    """Drop the axis of the levels if there is a single one, and that of a single output.

    The last two axes of ``found`` are the levels and the outputs.
    """
    if found.shape[-1] == 1:
        found = found[..., 0]
        return found[..., 0] if single else found
    return found[..., 0, :] if single else found
