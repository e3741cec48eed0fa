"""Sizes of patches and budgets of memory, read off the experiment (Figures 8.3 to 8.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silvics.reproduce.chapter8.experiment import Measured, measured
from silvics.reproduce.chapter8.ranks import significantly_better
from silvics.reproduce.chapter8.sets import LARGE
from silvics.reproduce.settings import Settings

# Data sets that the figures show first, of those that can be had.
SHOWN = ("ARCENE", "MADELON", "LETTER", "ISOLET", "MNIST3V8", "SPAMBASE", "RING-NORM",
         "WAVEFORM", "TWO-NORM")  # fmt: skip


def all_measured(settings: Settings) -> tuple[Measured, ...]:
    """Return the accuracies on the small data sets, and on the larger ones that can be had."""
    found = measured("small", settings)
    if sum(one.is_there(settings) for one in LARGE) >= 3:
        found += measured("large", settings)
    return found


def shown(found: Sequence[Measured], n: int = 6) -> list[Measured]:
    """Return the data sets of a figure."""
    by_name = {one.name: one for one in found}
    ordered = [by_name[name] for name in SHOWN if name in by_name]
    return (ordered + [one for one in found if one.name not in SHOWN])[:n]


def surface(one: Measured, tree: str) -> list[list[float]]:
    """Return the mean accuracy on the test parts by alpha_s (rows) and alpha_f, in percent."""
    return [[100 * float(one.scores[tree, s, f][:, 1].mean()) for f in one.grid] for s in one.grid]


def budgets_of(one: Measured) -> list[float]:
    """Return the sizes of patches, as shares of the table, that the grid has."""
    return sorted({round(s * f, 6) for s in one.grid for f in one.grid})


def smallest_budget(one: Measured, method: str, level: float = 0.05) -> float:
    """Return the smallest budget whose accuracy cannot be told from that of no limit."""
    free = one.test(method)
    for budget in budgets_of(one):
        if not significantly_better(free, one.test(method, budget), level):
            return budget
    return 1.0


def mean_shape(one: Measured, method: str, budget: float = 1.0) -> dict[str, float]:
    """Return the mean and the standard deviation of the tuned alpha_s and alpha_f."""
    chosen = np.array([point[1:] for point in one.chosen(method, budget)])
    means, deviations = chosen.mean(axis=0), chosen.std(axis=0)
    return {
        "alpha_s": float(means[0]), "alpha_f": float(means[1]),
        "std_s": float(deviations[0]), "std_f": float(deviations[1]),
        "size": float(means[0] * means[1]),
    }  # fmt: skip
