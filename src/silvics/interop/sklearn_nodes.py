"""Validation and reordering of scikit-learn's nodes, which may come from any source."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree._tree import Tree as SklearnTree

_LEAF = -1  # value of a child that marks leaves


def depth_first(source: SklearnTree, classification: bool) -> np.ndarray:
    """Return the nodes in depth-first order; raise ValueError if they do not form a tree."""
    n = source.node_count
    left, right = source.children_left, source.children_right
    leaf = left == _LEAF
    _require(n > 0, "it has no nodes")
    _require((leaf == (right == _LEAF)).all(), "a node has one child")
    children = np.concatenate([left[~leaf], right[~leaf]])
    _require((children > 0).all() and (children < n).all(), "a child is not a node")
    # If no node has two parents, no cycle can be reached from the root.
    _require((np.bincount(children, minlength=n) <= 1).all(), "a node has two parents")
    counts = source.n_node_samples
    _require(
        (counts >= 0).all() and counts.max() < 2**32 - 1, "a number of samples is out of range"
    )
    if classification:
        _require((source.value >= 0).all(), "a share of a class is negative, or not a number")
    order, stack = [], [0]
    while stack:
        t = stack.pop()
        order.append(t)
        if not leaf[t]:
            stack += [right[t], left[t]]
    _require(len(order) == n, "the root does not lead to all nodes")
    return np.array(order, dtype=np.intp)


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"A tree of the model is not a valid tree: {what}. Fit the model again.")
