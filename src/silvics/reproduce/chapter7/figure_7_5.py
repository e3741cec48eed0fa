"""Figure 7.5: importances against the depth of the trees and the relevance of X2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import ExtraTreesClassifier, RandomForestClassifier
from silvics.datasets import MixedCardinality
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (2, 4)
N = 120
NAMES = ("X1", "X2", "X3", "X4", "X5")
OTHERS = (0, 2, 3, 4)
RELEVANCES = (0.0, 0.1, 0.2, 0.3)
FORESTS = {"ETs, K = 1": (ExtraTreesClassifier, 1), "RF, K = 5": (RandomForestClassifier, 5)}


def measure(settings: Settings) -> dict[str, Any]:
    """Return shares of the importances, as means over data sets, by forest, relevance and depth."""
    n_sets = settings.pick(tiny=3, small=10, paper=20)
    n_trees = settings.pick(tiny=25, small=150, paper=500)
    depths = settings.pick(tiny=[1, 9], small=list(range(1, 10)), paper=list(range(1, 10)))
    found: dict[str, Any] = {"depths": depths, "data sets": n_sets, "trees": n_trees}
    for name, (forest, K) in FORESTS.items():
        for relevance in RELEVANCES:
            values = np.zeros((len(depths), 5))
            for seed in range(settings.seed, settings.seed + n_sets):
                X, y = MixedCardinality(relevance=relevance).sample(N, seed)
                for d, depth in enumerate(depths):
                    values[d] += forest(
                        n_trees, criterion="entropy", max_features=K, max_depth=depth,
                        random_state=seed, n_jobs=settings.n_jobs,
                    ).fit(X, y).importances().values  # fmt: skip
            shares = values / values.sum(axis=1, keepdims=True)
            found[f"{name}, relevance {relevance}"] = shares.tolist()
    return found


def curves(ours: Mapping[str, Any], forest: str) -> list[np.ndarray]:
    """Return the shares of a forest by relevance: arrays [depth, variable]."""
    return [np.array(ours[f"{forest}, relevance {relevance}"]) for relevance in RELEVANCES]


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the shares at the first and at the last depth."""
    rows = []
    for forest in FORESTS:
        for relevance, shares in zip(RELEVANCES, curves(ours, forest), strict=True):
            for d in (0, -1):
                given = f"{forest}, relevance {relevance}, depth {ours['depths'][d]}"
                null = relevance == 0.0 and d == 0 and forest.startswith("ETs")
                rows += [
                    Row(f"{given}: {name}", printed["null_share"] if null else None, float(value))
                    for name, value in zip(NAMES, shares[d], strict=True)
                ]
    weak = curves(ours, "ETs, K = 1")[1][0]
    rows.append(Row("X2 / others at relevance 0.1 and depth 1", printed["times"], _times(weak)))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 7.2.2 says about the figure."""
    ets, rf = (curves(ours, name) for name in FORESTS)
    null, weak = ets[0][0], ets[1][0]
    deep = [int((shares.argmax(axis=1) == 1).sum()) for shares in ets]
    deep_rf = [int((shares.argmax(axis=1) == 1).sum()) for shares in rf]
    less = [float((b[1:, 1] < a[1:, 1]).mean()) for a, b in zip(ets[1:], rf[1:], strict=True)]
    # The share of a variable with one cut is a squared normal number, a mean over the data sets.
    allowed = 0.3 * (2 / ours["data sets"]) ** 0.5
    off, times = float(abs(null - printed["null_share"]).max()), _times(weak)
    return [
        Statement(
            f"stumps of ETs are fair in the null case: all shares are {printed['null_share']}",
            off < allowed,
            f"{null.min():.2f} to {null.max():.2f}; chance explains {allowed:.2f}",
        ),
        Statement(
            "deeper trees prefer variables of many values",
            ets[0][-1, 0] > 2 * ets[0][-1, 1] and rf[0][-1, 0] > 2 * rf[0][-1, 1],
            f"at the last depth X1 has {ets[0][-1, 0] / ets[0][-1, 1]:.1f} (ETs) and "
            f"{rf[0][-1, 0] / rf[0][-1, 1]:.1f} (RF) times the share of X2",
        ),
        Statement(
            f"at relevance 0.1 and depth 1, X2 is nearly {printed['times']} times the others",
            0.5 * printed["times"] < times < 2 * printed["times"], f"{times:.1f} times",
            "the thesis has one data set, and the ratio varies much between data sets",
        ),
        Statement(
            "the more relevant X2, the deeper trees may be until it is no longer first",
            deep[1] <= deep[2] <= deep[3] and deep[3] > deep[0],
            f"at {deep[1]}, {deep[2]} and {deep[3]} of {len(ours['depths'])} depths",
        ),
        Statement(
            "RF with K = 5 shows X2 less clearly than ETs with K = 1 in deeper trees",
            float(np.mean(less)) > 0.7 and sum(deep_rf[1:]) <= sum(deep[1:]),
            f"its share is smaller at {np.mean(less):.0%} of the depths above 1",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the shares against depth, a row for each forest."""
    for row, forest in enumerate(FORESTS):
        for column, shares in enumerate(curves(ours, forest)):
            ax = axes[4 * row + column]
            for j, name in enumerate(NAMES):
                ax.plot(ours["depths"], shares[:, j], color=f"C{j}", label=name)
            ax.set_title(f"{forest}, relevance {RELEVANCES[column]}")
            ax.set_xlabel("max_depth")
    axes[0].legend(fontsize=7)


def _times(shares: np.ndarray) -> float:
    return float(shares[1] / shares[list(OTHERS)].mean())
