"""Figure 7.3: importances of five variables that are independent of the output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import ExtraTreesClassifier, ForestClassifier, RandomForestClassifier
from silvics.datasets import MixedCardinality
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

N = 120
NAMES = ("X1", "X2", "X3", "X4", "X5")


def forests(n_trees: int, settings: Settings) -> dict[str, Any]:
    """Return the forests of the figure: multiway trees, and binary ones with K = 1 and K = 5."""
    given: dict[str, Any] = {
        "criterion": "entropy",
        "random_state": settings.seed,
        "n_jobs": settings.n_jobs,
    }
    return {
        "TRT": ForestClassifier(
            "totally_randomized_multiway", n_trees, max_features=1, max_values=N, **given
        ),
        "RF, K = 1": RandomForestClassifier(n_trees, max_features=1, **given),
        "RF, K = 5": RandomForestClassifier(n_trees, max_features=5, **given),
        "ETs, K = 1": ExtraTreesClassifier(n_trees, max_features=1, **given),
        "ETs, K = 5": ExtraTreesClassifier(n_trees, max_features=5, **given),
    }


def measure(settings: Settings) -> dict[str, Any]:
    """Return mean importances over data sets, and what is left of them without their noise."""
    n_sets = settings.pick(tiny=2, small=10, paper=50)
    n_trees = settings.pick(tiny=60, small=500, paper=500)
    values: dict[str, list[Any]] = {}
    ratios: list[float] = []
    for seed in range(settings.seed, settings.seed + n_sets):
        X, y = MixedCardinality(relevance=0.0).sample(N, seed)
        for name, forest in forests(n_trees, settings).items():
            found = forest.fit(X, y).importances()
            values.setdefault(name, []).append(found.values)
            ratios.append(float(found.values[4] / found.values[1]))
            values.setdefault(f"{name}, impurity", []).append(found.impurity)
            if name in ("TRT", "ETs, K = 1"):  # whose splits do not look at y
                less = forest.importances("mdi", X, y, null="exact").corrected
                values.setdefault(f"{name}, less noise", []).append(less)
    means = {name: np.mean(found, axis=0) for name, found in values.items()}
    errors = {name: np.std(found, axis=0, ddof=1) / n_sets**0.5 for name, found in values.items()}
    return {"data sets": n_sets, "trees": n_trees, "X5 / X2 of each set": sorted(ratios)} | {
        name: float(mean)
        if np.ndim(mean) == 0
        else {
            "mean": dict(zip(NAMES, mean.tolist(), strict=True)),
            "standard error": dict(zip(NAMES, errors[name].tolist(), strict=True)),
        }
        for name, mean in means.items()
    }


def methods(ours: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the importances of each method."""
    return {name: found["mean"] for name, found in ours.items() if isinstance(found, Mapping)}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the importances; the thesis prints their sum and a ratio."""
    rows = []
    for name, found in methods(ours).items():
        rows += [Row(f"{name}: {variable}", None, value) for variable, value in found.items()]
        if "noise" not in name:
            rows.append(Row(f"{name}: sum", printed["total"], sum(found.values())))
            rows.append(Row(f"{name}: X1 / X2", printed["times"], found["X1"] / found["X2"]))
            rows.append(Row(f"{name}: X5 / X2", printed["times"], found["X5"] / found["X2"]))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 7.2.2 says about the figure."""
    plain = {name: found for name, found in methods(ours).items() if "noise" not in name}
    left = {name: found for name, found in ours.items() if "noise" in name}
    sums = {name: sum(found.values()) for name, found in plain.items()}
    missing = max(abs(sums[name] - ours[f"{name}, impurity"]) for name in sums)
    ratios = [found["X1"] / found["X2"] for found in plain.values()]
    ratios += [found["X5"] / found["X2"] for found in plain.values()]
    single = ours["X5 / X2 of each set"]
    ordered = [
        name for name, found in plain.items()
        if found["X2"] < found["X3"] < found["X4"] < found["X5"]
    ]  # fmt: skip
    far = max(
        abs(found["mean"][name]) / max(found["standard error"][name], 1e-9)
        for found in left.values() for name in NAMES
    )  # fmt: skip
    most = max(abs(found["mean"][name]) for found in left.values() for name in NAMES)
    return [
        Statement(
            "no importance is close to 0", min(min(f.values()) for f in plain.values()) > 0.02,
            f"the smallest is {min(min(found.values()) for found in plain.values()):.3f} bits",
        ),
        Statement(
            f"importances add up to the entropy of Y in the sample, about {printed['total']} bit",
            missing < 1e-9 and all(0.9 < total < 1.01 for total in sums.values()),
            ", ".join(f"{name} {total:.3f}" for name, total in sums.items()),
        ),
        Statement(
            "of X2 to X5, those with more values are more important", len(ordered) == len(plain),
            f"for {len(ordered)} of {len(plain)} methods",
        ),
        Statement(
            f"X1 and X5 are nearly {printed['times']} times as important as X2",
            2 < float(np.median(ratios)) < 4,
            f"{min(ratios):.1f} to {max(ratios):.1f} times, median {np.median(ratios):.1f}, in the "
            f"means; X5 / X2 is {single[0]:.1f} to {single[-1]:.1f} in single data sets",
            "the thesis has one data set, and the ratio varies much between data sets",
        ),
        Statement(
            "all of it is noise: less the exact mean over permutations, nothing is left",
            far < 6 and most < 0.05,
            f"at most {most:.4f} bits, {far:.1f} standard errors",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw bars of the importances."""
    found = methods(ours)
    width = 0.8 / len(found)
    for k, (name, values) in enumerate(found.items()):
        places = np.arange(5) + (k - (len(found) - 1) / 2) * width
        axes[0].bar(places, list(values.values()), width, label=name)
    axes[0].axhline(0, color="black", linewidth=0.6)
    axes[0].set_xticks(range(5), labels=NAMES)
    axes[0].set_ylabel("importance, bits")
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
