"""Figure 3.2: the partition of the unit square by a tree, level by level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter3.unit_square import boxes, grow, samples
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:
    """Return the rectangles of the leaves, and the impurity of the partition at each depth."""
    n = settings.pick(tiny=2000, small=20_000, paper=20_000)
    model, _, _ = grow(n, settings.seed)
    tree, rectangles = model.tree_, boxes(model.tree_)
    depth = tree.compute_node_depths() - 1
    is_leaf = tree.children_left < 0
    levels = []
    for level in range(int(depth.max()) + 1):
        parts = (depth == level) | (is_leaf & (depth < level))
        weights = tree.n_node_samples[parts] / tree.n_node_samples[0]
        levels.append(float(weights @ tree.impurity[parts]))
    leaves = [t for t in range(tree.node_count) if is_leaf[t]]
    points = np.random.default_rng(settings.seed).uniform(size=(500, 2))
    inside = [
        [all(low < v <= high for v, (low, high) in zip(x, rectangles[t], strict=True))
         for t in leaves] for x in points
    ]  # fmt: skip
    return {
        "rectangles": [rectangles[t] for t in leaves],
        "classes": [str(model.classes_[tree.value[t, 0].argmax()]) for t in leaves],
        "areas": [float(np.prod([b - a for a, b in rectangles[t]])) for t in leaves],
        "impurity by depth": levels,
        "fewest leaves of a point": int(np.sum(inside, axis=1).min()),
        "most leaves of a point": int(np.sum(inside, axis=1).max()),
        "same leaf": bool(
            (np.array(leaves)[np.argmax(inside, axis=1)] == model.apply(points)).all()
        ),
        "seed": settings.seed,
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the leaves, and the impurity by depth."""
    rows = [Row("leaves", printed["leaves"], len(ours["areas"])),
            Row("area of all leaves", 1, sum(ours["areas"]))]  # fmt: skip
    of_c1 = [area for area, of in zip(ours["areas"], ours["classes"], strict=True) if of == "c1"]
    rows.append(Row("area of class c1", printed["area of c1"], sum(of_c1)))
    return rows + [
        Row(f"impurity of the partition at depth {depth}", None, value)
        for depth, value in enumerate(ours["impurity by depth"])
    ]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge whether the leaves are a partition, and more homogeneous level by level."""
    levels = ours["impurity by depth"]
    at_most, at_least = ours["most leaves of a point"], ours["fewest leaves of a point"]
    return [
        Statement(
            "the leaves are a partition of the input space",
            at_most == at_least == 1 and ours["same leaf"] and abs(sum(ours["areas"]) - 1) < 1e-9,
            f"each point is in {at_least} to {at_most} leaves; their areas add up to "
            f"{sum(ours['areas']):.6f}",
        ),
        Statement(
            "subspaces become more homogeneous level by level",
            bool((np.diff(levels) < 0).all()) and levels[-1] < 1e-12,
            "impurity " + ", ".join(f"{value:.3f}" for value in levels),
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw samples and the sides of the leaves."""
    X, y = samples(200, ours["seed"])
    for name, color in (("c1", "C0"), ("c2", "C3")):
        axes[0].plot(*X[y == name].T, ".", color=color, label=name)
    for (left, right), (low, high) in ours["rectangles"]:
        axes[0].plot([left, right, right, left, left], [low, low, high, high, low], "k-")
    axes[0].set(xlabel="X1", ylabel="X2", aspect="equal")
    axes[0].legend(loc="upper right")
