"""Figure 7.6: the two totally randomized multiway trees of Table 7.2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics import ForestClassifier
from silvics.reproduce.chapter7.toy import TABLE, draw_shares
from silvics.reproduce.outcome import Statement, agreement, side_by_side
from silvics.reproduce.settings import Settings

PANELS = (1, 2)


def measure(settings: Settings) -> dict[str, Any]:
    """Return which variable is at the root, in many trees."""
    n_trees = settings.pick(tiny=1000, small=10_000, paper=100_000)
    forest = ForestClassifier(
        "totally_randomized_multiway", n_trees, criterion="entropy", split_pure=False,
        random_state=settings.seed, n_jobs=settings.n_jobs,
    ).fit(TABLE, TABLE[:, 1])  # fmt: skip
    trees = [tree.tree_ for tree in forest]
    found: dict[str, Any] = {
        f"X{j + 1} at the root": sum(int(t.feature[0]) == j for t in trees) / n_trees
        for j in (0, 1)
    }
    values = forest.importances().values
    inner = max(t.node_count - t.n_leaves for t in trees)
    return found | {"importances": values.tolist(), "most splits": int(inner), "trees": n_trees}


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what the caption says."""
    rows = side_by_side(printed["values"], {name: ours[name] for name in printed["values"]})
    first, second = ours["importances"]
    allowed = 2.2 / ours["trees"] ** 0.5
    return [
        agreement("both trees are equally probable", rows, allowed),
        Statement(
            "a split on either variable ends the tree", ours["most splits"] == 1,
            f"at most {ours['most splits']} splits",
        ),
        Statement(
            "both variables are equally important", abs(first - second) < 2 * allowed,
            f"{first:.3f} and {second:.3f} bits",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:
    """Draw how often each of the two trees is grown, and the importances."""
    draw_shares(axes[0], {name: ours[name] for name in printed["values"]}, printed["values"])
    axes[1].bar(["X1", "X2"], ours["importances"], color="C0", width=0.5)
    axes[1].set(ylabel="importance (bits)", ylim=(0, 1.2 * max(ours["importances"])))
