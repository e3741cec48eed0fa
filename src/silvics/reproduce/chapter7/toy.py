"""Table 7.2 and larger ones: X1 has L values, Y says whether it is small, X2 is a copy of Y."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

TABLE = np.array([[0, 0], [1, 1], [2, 1]])  # X1 and X2, which is Y


def of_values(L: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the table of L rows with Y = X2 = (X1 < L / 2)."""
    x = np.arange(L)
    y = (x < L / 2).astype(int)
    return np.column_stack([x, y]), y


def structures(forest: Any) -> dict[str, float]:
    """Return the share of each structure among the trees of a forest on Table 7.2."""
    counts = Counter(_structure(tree.tree_) for tree in forest)
    return {name: count / len(forest.estimators_) for name, count in sorted(counts.items())}


def draw_shares(ax: Any, ours: Mapping[str, float], printed: Mapping[str, float]) -> None:
    """Draw the shares of trees as bars, and the printed probabilities as points."""
    names = list(ours)
    ax.barh(names, [ours[name] for name in names], color="C0", height=0.5, label="ours")
    known = [name for name in names if name in printed]
    ax.plot([printed[name] for name in known], known, "o", color="black", label="thesis")
    ax.set(xlabel="share of the trees", xlim=(0, 0.65), ylim=(len(names) - 0.4, -0.6))
    ax.legend(fontsize="small", loc="center right")


def _structure(tree: Any) -> str:
    """Return the tests of a binary tree in words, depth first."""
    tests = []
    for node in np.flatnonzero(tree.children_left >= 0):
        if tree.feature[node] == 1:
            tests.append("X2")
        else:
            tests.append(f"X1 <= {int(np.floor(tree.threshold[node]))}")
    return ", then ".join(tests)
