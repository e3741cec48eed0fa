"""Table 6.2: importances of the seven segments, exact and of 10,000 trees, for K = 1 to 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import ForestClassifier
from silvics.importance import masking
from silvics.reproduce.chapter6.led import DIGITS, NAMES, named, segments
from silvics.reproduce.outcome import Row, Statement, agreement, side_by_side
from silvics.reproduce.settings import Settings

# A tree of one leaf per digit has ten rows of equal weight: it stands for an infinite sample.
RECIPE = "totally_randomized_multiway"
CHANCE = 0.005  # the largest error of a mean of 10,000 trees that chance explains


def measure(settings: Settings) -> dict[str, Any]:
    """Return exact importances for each K, and those of many trees with standard errors."""
    X = segments()
    exact = masking(X, DIGITS).importances
    found: dict[str, Any] = {"equation 6.10": named(exact[0])}
    errors, n_trees = {}, settings.pick(tiny=300, small=10_000, paper=10_000)
    for K in range(1, 8):
        forest = ForestClassifier(
            RECIPE, n_trees, max_features=K, random_state=settings.seed, n_jobs=settings.n_jobs
        )
        mean = forest.fit(X, DIGITS).importances()
        found[f"K = {K}"] = named(mean.values)
        errors[f"K = {K}"] = named(mean.standard_errors)
    found["exact"] = {f"K = {K}": named(exact[K - 1]) for K in range(1, 8)}
    return found | {"standard errors": errors, "trees": n_trees}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the trees' importances beside the printed ones, then the exact ones."""
    means = {name: ours[name] for name in printed["values"]}
    return [*side_by_side(printed["values"], means), *_exact(ours, printed)]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 6.5 says about the table."""
    first, last = ours["exact"]["K = 1"], ours["exact"]["K = 7"]
    totals = [sum(ours[f"K = {K}"].values()) for K in range(1, 8)]
    far = max(
        abs(ours[f"K = {K}"][name] - ours["exact"][f"K = {K}"][name])
        / max(ours["standard errors"][f"K = {K}"][name], 1e-12)
        for K in range(1, 8)
        for name in NAMES
    )
    larger = [name for name in NAMES if last[name] > first[name] + 0.01]
    smaller = [name for name in NAMES if last[name] < first[name] - 0.01]
    rounded = side_by_side(
        {"equation 6.10": printed["values"]["equation 6.10"]},
        {"equation 6.10": ours["equation 6.10"]},
    )
    trees = "trees of a finite number, ours and the thesis'"
    return [
        agreement("importances at K = 1 are those of equation 6.10", rounded, 0.001),
        agreement(
            "the printed columns are those of infinitely many trees",
            _exact(ours, printed), CHANCE, trees,
        ),
        Statement(
            "importances of trees match the theory", far < 4.5,
            f"the largest of 49 differences is {far:.1f} standard errors, {ours['trees']} trees",
        ),
        Statement(
            f"importances add up to log2(10) = {printed['total']} for every K",
            max(abs(total - np.log2(10)) for total in totals) < 1e-9, f"{totals[0]:.4f}",
        ),
        Statement(
            "at K = 7 X2 and X5 are larger than at K = 1, and X1, X3, X4 and X6 smaller",
            larger == printed["larger_at_7"] and smaller == printed["smaller_at_7"],
            f"larger: {', '.join(larger)}; smaller: {', '.join(smaller)}",
        ),
    ]  # fmt: skip


def _exact(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    columns = {name: column for name, column in printed["values"].items() if name[0] == "K"}
    return [
        Row(f"exact, {row.quantity}", row.thesis, row.ours)
        for row in side_by_side(columns, ours["exact"])
    ]
