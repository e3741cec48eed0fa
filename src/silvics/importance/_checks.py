"""Checks of arguments."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from silvics._fitting.parameters import native_size
from silvics._threads import n_threads

# Forests, permutations or resamples that one call makes at most.
MOST_REPEATS = 1_000_000


def whole_number(name: str, value: Any, least: int, most: int | None = None, why: str = "") -> int:
    """Return an integer within bounds; ``why`` explains the upper bound in the error."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    number = int(value)
    if number < least or (most is not None and number > most):
        upper = "" if most is None else f" and at most {most}{why}"
        raise ValueError(f"{name} must be at least {least}{upper}; got {number}")
    return native_size(number)


def number_of_repeats(name: str, value: Any, least: int = 1) -> int:
    """Return a valid number of repetitions."""
    return whole_number(name, value, least, MOST_REPEATS)


def checked_top(top: Any) -> int | None:
    """Return the number of rows of a frame to keep; None means all."""
    return None if top is None else whole_number("top", top, 0)


def checked_tolerance(tolerance: Any) -> float:
    """Return a tolerance as a float that is not negative."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, Real):
        raise TypeError(f"tolerance must be a number, got {tolerance!r}")
    if not float(tolerance) >= 0:
        raise ValueError(f"tolerance must be zero or positive, got {tolerance!r}")
    return float(tolerance)


def checked_share(name: str, value: Any) -> float:
    """Return a float strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not 0 < float(value) < 1:
        raise ValueError(f"{name} must be strictly between 0 and 1, got {value!r}")
    return float(value)


def threads(n_jobs: Any) -> int:
    """Return the number of threads for ``n_jobs``."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral)):
        raise TypeError(f"n_jobs must be a whole number or None, got {n_jobs!r}")
    return n_threads(None if n_jobs is None else int(n_jobs))
