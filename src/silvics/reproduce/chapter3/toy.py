"""The toy problem of Table 3.1, and its splits."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import DecisionTreeClassifier

X = np.array([
    [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 1],
    [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 1, 1],
])  # fmt: skip
Y = np.array(["c1"] * 2 + ["c2"] * 8)
NAMES = ("X1", "X2", "X3")


def split(criterion: str, variable: int) -> dict[str, Any]:
    """Return the impurities and the samples of the root and its children, for a split."""
    stump = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X[:, [variable]], Y)
    tree = stump.tree_
    counts = np.rint(tree.value[:, 0] * tree.n_node_samples[:, np.newaxis]).astype(int)
    shares = tree.n_node_samples[1:] / tree.n_node_samples[0]
    return {
        "impurity": float(tree.impurity[0]),
        "of children": tree.impurity[1:].tolist(),
        "shares": shares.tolist(),
        "decrease": float(tree.impurity[0] - shares @ tree.impurity[1:]),
        "p(c1)": float(tree.value[0, 0, 0]),
        "p(c1) of children": tree.value[1:, 0, 0].tolist(),
        "counts": counts.tolist(),
    }


def impurity_at(criterion: str, share: float, n: int = 1000) -> float:
    """Return the impurity of a node with a share of class c1, as the library computes it."""
    y = np.arange(n) < round(share * n)
    stump = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(np.zeros((n, 1)), y)
    return float(stump.tree_.impurity[0])


def draw_split(ax: Any, criterion: str, found: dict[str, Any], title: str) -> None:
    """Draw impurity against p(c1), a node, its children, and the decrease."""
    shares = np.linspace(0, 1, 51)
    ax.plot(shares, [impurity_at(criterion, share) for share in shares], color="C0")
    ends, values = found["p(c1) of children"], found["of children"]
    ax.plot(ends, values, "--", color="gray")
    ax.plot([found["p(c1)"], *ends], [found["impurity"], *values], "o", color="C3")
    below = found["impurity"] - found["decrease"]
    ax.plot([found["p(c1)"]] * 2, [below, found["impurity"]], color="C3")
    ax.plot(found["p(c1)"], below, "o", color="gray")
    ax.set(title=title, xlabel="p(c1)", ylabel="impurity")
