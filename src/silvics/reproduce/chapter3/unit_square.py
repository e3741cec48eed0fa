"""Samples of the unit square, labelled by the tree of Figure 3.1."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import DecisionTreeClassifier


def samples(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of the unit square and their classes.

    Six of ten points have X1 > 0.7. Where points are uniform, the split on X2 decreases impurity
    more than that on X1 (Gini: 0.245 and 0.105), and greedy induction begins with X2.
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    right = rng.uniform(size=n) < 0.6
    X[:, 0] = np.where(right, 0.7 + 0.3 * X[:, 0], 0.7 * X[:, 0])
    y = np.where((X[:, 0] <= 0.7) & (X[:, 1] > 0.5), "c1", "c2")
    return X, y


def grow(n: int, seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return a tree grown on such samples, and the samples."""
    X, y = samples(n, seed)
    return DecisionTreeClassifier(random_state=seed).fit(X, y), X, y


def boxes(tree: Any) -> list[list[list[float]]]:
    """Return the subspace of each node: its interval of each of the two variables."""
    found = [[[0.0, 1.0], [0.0, 1.0]] for _ in range(tree.node_count)]
    for t in range(tree.node_count):  # parents have smaller numbers
        if tree.children_left[t] < 0:
            continue
        j, v = int(tree.feature[t]), float(tree.threshold[t])
        for side, child in enumerate((tree.children_left[t], tree.children_right[t])):
            found[child] = [interval.copy() for interval in found[t]]
            found[child][j][1 - side] = v
    return found
