"""Intervals from the errors of rows that did not grow the trees that predict them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Rounding errors of a level times a number of rows.
_TOLERANCE = 1e-9
# What is added to the squared spread of a sample, in units of the mean squared spread. An infinite
# addition gives all intervals the same width.
ADDITIONS = (0.02, 0.1, 0.3, 1.0, 3.0, np.inf)
# Levels at which forms are compared.
_LEVELS = (0.8, 0.9)


@dataclass(frozen=True)
class Form:
    """The form of intervals: how their width depends on the sample, and whether they are symmetric.

    Attributes
    ----------
    addition : float
        What is added to the squared spread of a sample; infinity means a constant width.
    symmetric : bool
        Whether both bounds have the same distance from the prediction.
    """

    addition: float = 0.3
    symmetric: bool = True

    def scales(self, spread: np.ndarray, unit: float) -> np.ndarray:
        """Return the scale of each sample; ``unit`` is the root mean square of spreads."""
        if np.isinf(self.addition) or unit <= 0:
            return np.ones_like(spread)
        return np.hypot(spread, np.sqrt(self.addition) * unit)


def power_of_two(values: np.ndarray) -> np.ndarray:
    """Return, for each column, a power of two of the size of its largest absolute value.

    Values that are divided by it lose no digit, and their squares are floats.
    """
    return np.exp2(np.frexp(np.abs(values).max(axis=0, initial=0.0))[1] - 1)


def root_mean_square(spread: np.ndarray) -> float:
    """Return the root of the mean square."""
    unit = power_of_two(spread)
    return float(unit * np.sqrt(np.mean((spread / unit) ** 2)))


def bounds(errors: np.ndarray, level: float, symmetric: bool) -> tuple[float, float]:
    """Return the bounds of the error of another row, which is exchangeable with the given ones.

    They are order statistics, and infinite if there are too few errors for the level.
    """
    n = len(errors)
    if symmetric:
        rank = int(np.ceil((n + 1) * level - _TOLERANCE))
        largest = _ranked(np.abs(errors), rank)
        return -largest, largest
    tail = (1 - level) / 2
    return (
        -_ranked(-errors, int(np.ceil((n + 1) * (1 - tail) - _TOLERANCE))),
        _ranked(errors, int(np.ceil((n + 1) * (1 - tail) - _TOLERANCE))),
    )


def _ranked(values: np.ndarray, rank: int) -> float:
    """Return the value of this rank, from 1; infinity beyond the largest."""
    if rank > len(values):
        return np.inf
    return float(np.partition(values, max(rank, 1) - 1)[max(rank, 1) - 1])


def narrowest(errors: np.ndarray, spread: np.ndarray) -> Form:
    """Return the form whose intervals are the narrowest on average over the given rows.

    The form is the same for all levels, so that an interval contains those of smaller levels.
    """
    best, chosen = np.inf, Form()
    unit = root_mean_square(spread)
    for addition in ADDITIONS:
        for symmetric in (True, False):
            form = Form(addition, symmetric)
            scales = form.scales(spread, unit)
            ratios, size = errors / scales, float(np.mean(scales))
            width = 1.0  # the product over levels
            for level in _LEVELS:
                low, high = bounds(ratios, level, symmetric)
                width *= (high - low) * size / (unit or 1.0)
            if width < best:
                best, chosen = width, form
    return chosen
