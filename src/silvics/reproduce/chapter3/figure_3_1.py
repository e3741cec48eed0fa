"""Figure 3.1: a tree of five nodes, grown from samples of the unit square."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter3.unit_square import grow
from silvics.reproduce.outcome import Row, Statement, largest_difference, side_by_side
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:
    """Return the splits of the tree, and its prediction of the thesis' example."""
    n = settings.pick(tiny=2000, small=20_000, paper=20_000)
    model, _, _ = grow(n, settings.seed)
    tree = model.tree_
    inner = [t for t in range(tree.node_count) if tree.children_left[t] >= 0]
    return {
        "samples": n,
        "values": {
            "nodes": int(tree.node_count),
            "variable of the root": int(tree.feature[0]) + 1,
            "variable of its left child": int(tree.feature[1]) + 1,
            "cut of the root": float(tree.threshold[0]),
            "cut of its left child": float(tree.threshold[1]),
            "class of (0.2, 0.7)": str(model.predict([[0.2, 0.7]])[0]),
        },
        "inner": [[int(tree.feature[t]), float(tree.threshold[t])] for t in inner],
        "outline": model.to_text(),
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the parts of the tree."""
    return side_by_side(printed["values"], ours["values"])


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge the shape, the cuts and the prediction."""
    theirs, here = printed["values"], ours["values"]
    shape = ("nodes", "variable of the root", "variable of its left child")
    name = "class of (0.2, 0.7)"
    off = largest_difference(compare(ours, printed))
    allowed = 20 / ours["samples"]
    return [
        Statement(
            "the tree has five nodes and splits on X1, then on X2",
            all(theirs[key] == here[key] for key in shape),
            f"{here['nodes']} nodes, on X{here[shape[1]]}, then on X{here[shape[2]]}",
        ),
        Statement(
            "the cuts are at 0.7 and 0.5",
            off <= allowed,
            f"off by at most {off:.5f}; samples are about {1 / ours['samples']:.5f} apart",
        ),
        Statement(f"{name} is {theirs[name]}", here[name] == theirs[name], str(here[name])),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Show the tree as text."""
    text = ours["outline"].replace("x1", "X2").replace("x0", "X1")
    axes[0].text(-0.1, 1.0, text, family="monospace", va="top", fontsize=6.5)
    axes[0].set_axis_off()
