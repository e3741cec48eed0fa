"""Figure 3.4: which work the splits of the toy problem leave to the nodes below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics import DecisionTreeClassifier
from silvics.reproduce.chapter3.toy import NAMES, X, Y, split
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (1, 3)


def nodes_below(variable: int) -> list[int]:
    """Return the nodes of a fully grown tree on the samples of each child."""
    found = []
    for value in (0, 1):
        rows = X[:, variable] == value
        tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
        found.append(int(tree.fit(X[rows], Y[rows]).tree_.node_count))
    return found


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the samples of both classes in both children, and the nodes that they need."""
    return {
        name: {
            "counts": split("entropy", j)["counts"][1:],
            "nodes below": nodes_below(j),
        }
        for j, name in enumerate(NAMES)
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the children of each split, as counts of c1 and c2."""
    rows = []
    for name, found in ours.items():
        for side, counts in zip(("left", "right"), found["counts"], strict=True):
            rows.append(Row(f"{name}, {side}: c1/c2", None, f"{counts[0]}/{counts[1]}"))
        rows.append(Row(f"{name}: nodes of the whole tree", None, 1 + sum(found["nodes below"])))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge which children are terminal, and which tree is the simplest."""
    found = []
    for name, claimed in printed["pure"].items():
        counts = ours[name]["counts"]
        pure = [side for side, (a, b) in zip(("left", "right"), counts, strict=True) if 0 in (a, b)]
        text = (
            f"only the {claimed} child of {name} is pure"
            if claimed
            else f"no child of {name} is pure"
        )
        here = ", ".join(f"{a}/{b}" for a, b in counts)
        found.append(Statement(text, pure == ([claimed] if claimed else []), f"counts {here}"))
    sizes = {name: 1 + sum(ours[name]["nodes below"]) for name in NAMES}
    left = {name: sum(ours[name]["counts"][0]) for name in NAMES}
    return [
        *found,
        Statement(
            "the left child of X2 is larger than that of X1",
            left["X2"] > left["X1"],
            f"{left['X2']} and {left['X1']} samples",
        ),
        Statement(
            "splitting on X1 is likely to give a simpler tree than X2 or X3",
            sizes["X1"] < min(sizes["X2"], sizes["X3"]),
            ", ".join(f"{name} {size} nodes" for name, size in sizes.items()),
            "after X2, a split on X1 makes both children pure, so that the tree has the same size",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the samples of both classes in both children of each split."""
    for ax, (name, found) in zip(axes, ours.items(), strict=True):
        first, second = zip(*found["counts"], strict=True)
        sides = ["left", "right"]
        ax.bar(sides, first, color="C3", label="c1")
        ax.bar(sides, second, bottom=first, color="C0", label="c2")
        nodes = 1 + sum(found["nodes below"])
        ax.set(title=f"{name}: {nodes} nodes in the whole tree", ylabel="samples", ylim=(0, 7))
    axes[0].legend(title="class", fontsize="small")
