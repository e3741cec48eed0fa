"""Orders of growth, fitted to counters of the work done, on tables with known kinds of trees.

The counter is the number of values that are read in the search for splits (``work_``). It does not
depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, log2
from typing import Any

import numpy as np

from silvics import ForestRegressor
from silvics.datasets import Friedman1

Table = tuple[np.ndarray, np.ndarray]
ORDERS: dict[str, Callable[[float], float]] = {
    "log N": log,
    "sqrt N": lambda n: n**0.5,
    "N": lambda n: n,
    "N log N": lambda n: n * log(n),
    "N log² N": lambda n: n * log(n) ** 2,
    "N^2": lambda n: n**2,
    "N^2 log N": lambda n: n**2 * log(n),
}
# Settings of the rows of Table 5.1.
ROWS: dict[str, dict[str, Any]] = {
    "CART": {"recipe": "cart", "min_samples_split": 2, "pruning": "none"},
    "Bagging": {"recipe": "bagging"},
    "RF": {"recipe": "random_forest", "max_features": 2},
    "ETs": {"recipe": "extra_trees", "max_features": 2},
    "PERT": {"recipe": "pert"},
}
LESS = {"N log² N": "N log N", "N^2 log N": "N^2"}  # without the logarithm of sorting


def order_of(sizes: Sequence[int], values: Sequence[float]) -> tuple[str, float]:
    """Return the order that is closest to proportional, and how far off it is at most."""

    def spread(order: str) -> float:
        ratio = np.array(values) / [ORDERS[order](n) for n in sizes]
        return float(ratio.max() / ratio.min() - 1)

    best = min(ORDERS, key=spread)
    return best, spread(best)


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the exponent of the power that fits best."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def agreement(order: str, claimed: str) -> str:
    """Say how a fitted order compares with that of the thesis."""
    if order == claimed:
        return "same"
    if order == LESS.get(claimed):
        return "same without the logarithm of sorting"
    names = sorted(ORDERS, key=lambda name: ORDERS[name](1e6))
    return "less" if names.index(order) < names.index(claimed) else "more"


# ---- tables with balanced, degenerate and random trees


def halves(n: int, p: int = 4) -> Table:
    """Return a linear output, whose best cut is in the middle of a node."""
    x = np.arange(n, dtype=float)
    return np.column_stack([x] * p), x.copy()


def bits(n: int) -> Table:
    """Return variables that halve every node that they can split, whatever the cut."""
    x = np.arange(n)
    return ((x[:, np.newaxis] >> np.arange(int(log2(n)))) & 1).astype(float), x.astype(float)


def ends(n: int, p: int = 4) -> Table:
    """Return powers of 3, whose best cut, and most uniform cuts, separate one sample."""
    x = 3.0 ** np.arange(n, dtype=float)
    return np.column_stack([x] * p), x.copy()


def noise(n: int, p: int = 4) -> Table:
    """Return an output of noise."""
    rng = np.random.default_rng(n)
    return rng.random((n, p)), rng.normal(size=n)


def friedman(n: int, p: int = 10) -> Table:
    """Return samples of Friedman's first problem."""
    return Friedman1(p).sample(n, random_state=n)


def grown(row: str, table: Table, **more: Any) -> Any:
    """Return the forest of a row of the table."""
    settings = {"n_estimators": 1 if row == "CART" else 4, "random_state": 0, **ROWS[row], **more}
    return ForestRegressor(**settings).fit(*table)


def uniform_tree_depth(n: int, rng: np.random.Generator) -> float:
    """Return the mean depth of the leaves of a binary tree drawn uniformly (Remy's algorithm)."""
    parent = np.full(2 * n - 1, -1)
    child = np.full((2 * n - 1, 2), -1)
    for i in range(1, n):
        node, inner, leaf = int(rng.integers(2 * i - 1)), 2 * i - 1, 2 * i
        above, side = int(parent[node]), int(rng.integers(2))
        if above >= 0:
            child[above][child[above].tolist().index(node)] = inner
        parent[inner] = above
        child[inner, side], child[inner, 1 - side] = leaf, node
        parent[node] = parent[leaf] = inner
    total, stack = 0, [(int(np.flatnonzero(parent < 0)[0]), 0)]
    while stack:
        node, depth = stack.pop()
        if child[node, 0] < 0:
            total += depth
        else:
            stack += [(int(c), depth + 1) for c in child[node]]
    return total / n
