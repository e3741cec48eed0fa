"""Comparisons of methods over several data sets (Demšar 2006), and of two on one data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def average_ranks(scores: np.ndarray) -> np.ndarray:
    """Return the mean rank of each method; rank 1 is the best, and ties share their ranks.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods)
        Scores of which larger is better.
    """
    return np.asarray(stats.rankdata(-np.asarray(scores), axis=1).mean(axis=0))


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that all methods are equivalent.

    Attributes
    ----------
    chi_square : float
        Friedman's statistic.
    f : float
        That of Iman and Davenport, which is less conservative.
    p_value : float
        Of the latter.
    """

    chi_square: float
    f: float
    p_value: float


def friedman(ranks: np.ndarray, n_sets: int) -> Friedman:
    """Test mean ranks over some data sets, by the statistics of Demšar (2006, section 3.2.2).

    SciPy's ``friedmanchisquare`` gives the same chi-square where there are no ties, for which it
    has a correction.
    """
    k = len(ranks)
    chi_square = 12 * n_sets / (k * (k + 1)) * (float(np.sum(ranks**2)) - k * (k + 1) ** 2 / 4)
    left = n_sets * (k - 1) - chi_square
    if left <= 1e-9:  # all data sets rank the methods alike
        return Friedman(chi_square, float("inf"), 0.0)
    f = (n_sets - 1) * chi_square / left
    return Friedman(chi_square, f, float(stats.f.sf(f, k - 1, (k - 1) * (n_sets - 1))))


def critical_difference(n_methods: int, n_sets: int, level: float = 0.05) -> float:
    """Return the difference of mean ranks that Nemenyi's test finds significant."""
    q = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def significantly_better(a: ArrayLike, b: ArrayLike, level: float) -> int:
    """Compare paired scores by a t-test: 1 if a is better, -1 if b is, 0 if neither clearly is."""
    differences = np.asarray(a) - np.asarray(b)
    mean = float(differences.mean())
    if np.ptp(differences) == 0.0:  # the t-test has no variance to divide by
        return int(np.sign(mean))
    return int(np.sign(mean)) if stats.ttest_rel(a, b).pvalue < level else 0


def groups_of(ranks: np.ndarray, difference: float) -> list[tuple[float, float]]:
    """Return the largest ranges of ranks in which no two methods differ significantly."""
    ordered = np.sort(ranks)
    ends = [(low, ordered[ordered <= low + difference].max()) for low in ordered]
    kept: list[tuple[float, float]] = []
    for low, high in ends:
        if high > low and (not kept or high > kept[-1][1]):
            kept.append((float(low), float(high)))
    return kept


def draw_ranks(ax: Any, names: Sequence[str], ranks: Sequence[float], difference: float) -> None:
    """Draw mean ranks on a line, the worst on the left, with bars between equivalent methods."""
    k = len(names)
    ax.set_xlim(k + 0.2, 0.8)
    ax.set_ylim(-1.4 - k / 2 * 0.5, 1.4)
    ax.hlines(0, 1, k, color="black")
    for rank in range(1, k + 1):
        ax.vlines(rank, 0, 0.12, color="black")
        ax.text(rank, 0.2, str(rank), ha="center", va="bottom")
    ax.hlines(1.0, k, k - difference, color="black", lw=2)
    ax.text(k - difference / 2, 1.05, f"CD = {difference:.2f}", ha="center", va="bottom")
    bars = groups_of(np.asarray(ranks), difference)
    for i, (low, high) in enumerate(bars):
        ax.hlines(-0.12 - 0.14 * i, low - 0.05, high + 0.05, color="black", lw=3)
    order = np.argsort(ranks)
    below = -0.5 - 0.14 * len(bars)
    for i, j in enumerate(order):
        on_right = i < (k + 1) // 2
        depth = below - 0.5 * (i if on_right else k - 1 - i)
        edge = 0.9 if on_right else k + 0.1
        ax.plot([ranks[j], ranks[j], edge], [0, depth, depth], color="grey", lw=0.8)
        ax.text(
            edge, depth + 0.03, f"{names[j]} ({ranks[j]:.2f})", va="bottom",
            ha="right" if on_right else "left", fontsize=8,
        )  # fmt: skip
    ax.set_axis_off()
