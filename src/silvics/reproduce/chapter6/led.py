"""The seven-segment display of section 6.5, as a table of ten rows of equal probability."""

from __future__ import annotations

import numpy as np

from silvics.datasets import LED

NAMES = [f"X{j}" for j in range(1, 8)]
DIGITS = np.arange(10)


def segments() -> np.ndarray:
    """Return Table 6.1: the segments of each digit, from a sample without noise."""
    X, y = LED(noise=0.0).sample(1000, random_state=0)
    return np.array([X[y == digit][0] for digit in DIGITS]).astype(int)


def named(values: np.ndarray) -> dict[str, float]:
    """Return values of the segments by name."""
    return dict(zip(NAMES, map(float, values), strict=True))
