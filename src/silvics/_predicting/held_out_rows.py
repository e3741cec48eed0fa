"""The rows that a forest prunes its trees on."""

from __future__ import annotations

import numpy as np


def held_out_rows(seed: int, n_samples: int, n_held: int) -> np.ndarray:
    """The rows, in order, that a forest of this seed prunes its trees on."""
    drawn = np.random.default_rng([seed, 0x9E37]).choice(n_samples, n_held, replace=False)
    return np.sort(drawn)
