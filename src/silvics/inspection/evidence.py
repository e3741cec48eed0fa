"""What out-of-bag rows say about a forest: errors of its trees, and of trees that stop earlier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics._fitting import targets
from silvics._tables.some_rows import rows_of

_MOST_ROWS = 4_000
_PURE = 1e-9  # impurity of a leaf that is pure but for rounding
_SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000)  # values of min_samples_split to compare


@dataclass(frozen=True, eq=False)
class Growth:
    """Predictions of trees that stop earlier, summed over the out-of-bag trees of each row."""

    sums: np.ndarray
    squares: np.ndarray

    def errors(self, y: np.ndarray, counts: np.ndarray, n_trees: float) -> np.ndarray:
        """Return the error of each row by a forest of n_trees such trees."""
        mean = self.sums / counts[:, np.newaxis]
        off = ((y - mean) ** 2).sum(axis=1)
        # The error of the mean of few trees, without and with the variance of that mean.
        return off + self.variance(counts) * (1 / n_trees - 1 / counts)

    def variance(self, counts: np.ndarray) -> np.ndarray:
        """Return the unbiased variance of the trees' predictions of each row."""
        mean_square = (self.sums**2).sum(axis=1) / counts
        return np.maximum(self.squares - mean_square, 0.0) / (counts - 1)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Statistics of the rows that at least two trees can judge.

    Attributes
    ----------
    y : ndarray of shape (n_rows, n_columns)
        Real outputs, or indicators of the classes.
    counts : ndarray of shape (n_rows,)
        The number of out-of-bag trees of each row.
    growths : dict
        Predictions by how far trees are grown: "full", "parent" (one level less) and values of
        ``min_samples_split``.
    n_trees : int
        The number of trees.
    impure_size : float
        The mean number of samples in the leaves of the rows; those of pure leaves do not count.
    never : float
        The share of the rows that no tree leaves out.
    """

    y: np.ndarray
    counts: np.ndarray
    growths: dict[Any, Growth]
    n_trees: int
    impure_size: float
    never: float

    def errors(self, growth: Any = "full", n_trees: float | None = None) -> np.ndarray:
        """Return the error of each row by a forest of trees of this growth."""
        n = self.n_trees if n_trees is None else n_trees
        return self.growths[growth].errors(self.y, self.counts, n)

    @property
    def tree_variance(self) -> float:
        """The mean variance of the trees' predictions of a row."""
        return float(self.growths["full"].variance(self.counts).mean())

    @property
    def baseline(self) -> float:
        """The error of the best constant prediction."""
        return float(self.y.var(axis=0).sum())

    def gain(self, growth: Any) -> tuple[float, float]:
        """Return by how much another growth reduces the error, and the standard error of this."""
        less = self.errors() - self.errors(growth)
        return float(less.mean()), float(less.std(ddof=1) / np.sqrt(len(less)))


def gather(forest: Any, X: Any, y: Any, held_out: bool, random_state: Any) -> Evidence:
    """Send a sample of the rows down all trees, and collect what out-of-bag trees predict.

    If the rows are held out, all trees predict all of them.
    """
    grown = forest._grown
    grown.require_whole_trees("diagnose")
    grown.require_one_leaf_each("diagnose")
    blocks = forest._checked(X)
    outputs = targets.as_columns(targets.checked_outputs(y))
    n_rows = blocks.shape[0]
    if len(outputs) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(outputs)}.")
    rng = check_random_state(random_state)
    chosen = np.sort(rng.permutation(n_rows)[:_MOST_ROWS])
    goal = _columns_of(forest, outputs[chosen])
    leaves = np.asarray(forest.apply(rows_of(X, chosen)))
    counts = np.zeros(len(chosen), dtype=np.int64)
    growths: dict[Any, Growth] = {}
    sizes = 0.0
    for m, free in enumerate(_free_rows(grown, n_rows, chosen, held_out, len(grown.trees))):
        tree = grown.trees[m]
        values = tree.values().reshape(-1, tree.value_width)
        n_node, parent = tree.n_node_samples(), parents(tree.depths())
        leaf = leaves[:, m]
        sizes += float(np.where(tree.impurity()[leaf] > _PURE, n_node[leaf], 0).mean())
        counts += free
        nodes: dict[Any, np.ndarray] = {"full": leaf, "parent": np.maximum(parent[leaf], 0)}
        at = leaf
        for least in _SIZES[1:]:
            at = stopped(at, parent, n_node, least)
            nodes[least] = at
        for growth, node in nodes.items():
            if growth not in growths:
                growths[growth] = Growth(np.zeros(goal.shape), np.zeros(len(chosen)))
            predicted = np.where(free[:, np.newaxis], values[node], 0.0)
            growths[growth].sums[:] += predicted
            growths[growth].squares[:] += (predicted**2).sum(axis=1)
    known = counts >= 2
    never = float((counts == 0).mean())
    if known.sum() < 10:
        raise ValueError(
            "diagnose needs at least 10 rows that two trees leave out. Fit more trees, or pass "
            "rows that were not used in fit, with held_out=True."
        )
    kept = {name: Growth(g.sums[known], g.squares[known]) for name, g in growths.items()}
    return Evidence(
        goal[known], counts[known], kept, len(grown.trees), sizes / len(grown.trees), never
    )


def parents(depths: np.ndarray) -> np.ndarray:
    """Return the parent of each node from the depths in pre-order; -1 for the root."""
    parent = np.full(len(depths), -1)
    order = np.argsort(depths, kind="stable")
    bounds = np.searchsorted(depths[order], np.arange(depths.max() + 2))
    for depth in range(1, depths.max() + 1):
        above = order[bounds[depth - 1] : bounds[depth]]
        below = order[bounds[depth] : bounds[depth + 1]]
        parent[below] = above[np.searchsorted(above, below) - 1]
    return parent


def stopped(
    nodes: np.ndarray, parent: np.ndarray, n_node_samples: np.ndarray, least: int
) -> np.ndarray:
    """Return where paths to the nodes end if nodes of fewer than ``least`` samples are leaves."""
    found = nodes.copy()
    moving = np.arange(len(found))
    while moving.size:
        above = parent[found[moving]]
        small = (above >= 0) & (n_node_samples[above] < least)
        moving, above = moving[small], above[small]
        found[moving] = above
    return found


def _columns_of(forest: Any, outputs: np.ndarray) -> np.ndarray:
    """Return real outputs, or indicators of the classes of all outputs."""
    if not forest._classification:
        return outputs.astype(np.float64)
    columns = []
    for k, classes in enumerate(forest._class_lists()):
        shown = outputs[:, k][:, np.newaxis] == classes
        if not shown.any(axis=1).all():
            raise ValueError("y has classes that the forest was not fitted on.")
        columns.append(shown.astype(np.float64))
    return np.hstack(columns)


def _free_rows(
    grown: Any, n_rows: int, chosen: np.ndarray, held_out: bool, n_trees: int
) -> Iterator[np.ndarray]:
    """Yield which of the chosen rows each tree has not used."""
    if held_out:
        for _ in range(n_trees):
            yield np.ones(len(chosen), dtype=bool)
        return
    sampling = grown.require_out_of_bag("diagnose")
    if sampling.n_samples != n_rows:
        raise ValueError(
            f"X has {n_rows} rows, but the forest was fitted on {sampling.n_samples} rows. Pass "
            "the X and y of fit, or other rows with held_out=True."
        )
    sampling.check_against(grown.trees[0])
    native = grown.native_sampling()
    used = np.zeros(n_rows, dtype=bool)
    used[sampling.held_out(grown.seed)] = True
    for seed in grown.tree_seeds():
        free = ~used
        free[native.rows(seed)] = False
        yield free[chosen]
