"""Figure 5.6: the effect of irrelevant variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import ExtraTreesRegressor, RandomForestRegressor
from silvics.reproduce.chapter5 import sweeps
from silvics.reproduce.chapter5.sweeps import FORESTS, means, slope
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = sweeps.PANELS


def measure(settings: Settings) -> dict[str, Any]:
    """Return time, depth and error with more and more irrelevant variables, and end cuts."""
    ps = settings.pick(tiny=[5, 20, 80], small=[5, 10, 20, 40, 80, 160],
                       paper=[5, 10, 20, 40, 80, 160, 320])  # fmt: skip
    found = sweeps.sweep(settings, ps, lambda p: {"p": p})
    n = settings.pick(tiny=300, small=1000, paper=1000)
    return {**found, "end cuts": {kind: end_cuts(kind, n, settings.seed) for kind in FORESTS}}


def end_cuts(kind: str, n: int, seed: int) -> float:
    """Return the share of root splits with less than 5 % on a side, on variables of noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(n, 10)), rng.normal(size=n)
    forest = {"RF": RandomForestRegressor, "ETs": ExtraTreesRegressor}[kind](
        200, max_depth=1, max_features=3, random_state=seed, n_jobs=1
    )
    small = 0
    for tree in forest.fit(X, y).estimators_:
        counts = tree.tree_.weighted_n_node_samples
        small += min(counts[1], counts[2]) < 0.05 * counts[0]
    return small / len(forest)


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the numbers of the plots, and the shares of end cuts."""
    rows = [Row(f"share of end cuts on noise ({kind})", None, ours["end cuts"][kind])
            for kind in FORESTS]  # fmt: skip
    return rows + sweeps.rows_of(ours, "p", [0, len(ours["values"]) - 1])


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what section 5.4.1 says about irrelevant variables."""
    found = []
    for kind in FORESTS:
        error = means(ours, kind, "error")
        found.append(
            Statement(
                f"irrelevant variables raise the error ({kind})",
                bool(error[-1] > error[1]),
                f"{error[1]:.2f} with p = {ours['values'][1]}, {error[-1]:.2f} with "
                f"p = {ours['values'][-1]}",
            )
        )
    rf, ets = (means(ours, kind, "depth") for kind in FORESTS)
    deeper = [p for p, a, b in zip(ours["values"], rf, ets, strict=True) if a > b]
    powers = {kind: slope(ours["values"], means(ours, kind, "time")) for kind in FORESTS}
    cuts = ours["end cuts"]
    return [
        *found,
        Statement(
            "trees of RF get deeper than those of ETs with many irrelevant variables",
            bool(rf[0] < ets[0] and rf[-1] > ets[-1]),
            f"from p = {deeper[0]} on" if deeper else "at no p",
        ),
        Statement(
            "the time of RF grows more with p than that of ETs",
            powers["RF"] > powers["ETs"],
            f"exponents {powers['RF']:.2f} and {powers['ETs']:.2f}",
        ),
        Statement(
            "on noise, RF prefer cuts at the ends of a node, and ETs less so",
            cuts["RF"] > 1.5 * cuts["ETs"],
            f"shares of splits with less than 5 % on a side: {cuts['RF']:.2f} and "
            f"{cuts['ETs']:.2f}; 0.1 if all cuts were equally likely",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the three plots."""
    sweeps.draw_sweep(axes, ours, "p")
