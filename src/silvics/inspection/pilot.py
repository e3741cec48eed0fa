"""Small fits that show what a large one takes."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from silvics._fitting.axes import Axes
from silvics._tables.some_rows import rows_of
from silvics._threads import n_threads
from silvics.inspection.calibration import Calibration
from silvics.model_file import writing


@dataclass(frozen=True)
class Pilot:
    """What a small fit took.

    Attributes
    ----------
    n_rows, n_trees : int
        Its size.
    spent : float
        Seconds of the pilot itself.
    before, round_, after : float
        Seconds before growth, for one tree of each thread, and after growth for one tree.
    cpu : float
        Seconds of the processors for growing a tree.
    values, nodes, tree_bytes, file_bytes : float
        Values read, nodes, memory and bytes in a file of a tree.
    most_values, most_nodes : float
        The largest numbers of values that are read of a row, and of nodes of a tree, that the
        limits of the forest allow.
    fixed_bytes, bytes_per_tree, bytes_per_node : float
        Memory besides the trees.
    """

    n_rows: int
    n_trees: int
    spent: float
    before: float
    round_: float
    after: float
    cpu: float
    values: float
    nodes: float
    tree_bytes: float
    file_bytes: float
    most_values: float
    most_nodes: float
    fixed_bytes: float
    bytes_per_tree: float
    bytes_per_node: float


def run_pilot(
    forest: Any, X: Any, y: Any, sample_weight: Any, n_trees: int, rows: np.ndarray | None = None
) -> Pilot:
    """Grow some trees, on all rows or on some of them."""
    begin = time.perf_counter()
    small = clone(forest).set_params(
        n_estimators=n_trees, warm_start=False, verbose=0, progress=None, max_time=None,
        max_memory=None,
    )  # fmt: skip
    # The pilot is grown by this process. Trees of residuals count as trees of outputs.
    here = {"engine": None, "resume": None, "stages": 1}
    own = small.get_params(deep=False)
    small.set_params(**{name: of for name, of in here.items() if name in own})
    if small.random_state is None or not isinstance(small.random_state, Integral):
        small.set_params(random_state=0)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows is not None:
        _scale_sizes(small, len(rows), n_rows)
        X = rows_of(X, rows)
        y = None if y is None else rows_of(y, rows)
        sample_weight = None if sample_weight is None else rows_of(sample_weight, rows)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few out-of-bag trees, and of what fit will say again
        fitted = time.perf_counter()
        small.fit(X, y, **weights)
        took = time.perf_counter() - fitted
    grown, run = small._grown, small._grown.run
    assert run is not None
    axes = _axes(forest, small.n_features_in_, n_rows)
    depth, leaves = axes.max_depth or inf, axes.max_leaf_nodes or inf
    _, arrays = writing.described(small, for_prediction=False, training_rows=False, compress=False)
    m, jobs = len(grown.trees), n_threads(forest.n_jobs)
    return Pilot(
        n_rows=grown.sampling.n_samples,
        n_trees=m,
        spent=time.perf_counter() - begin,
        before=run.prepare,
        round_=run.grow / n_rounds(m, jobs),
        after=max(took - run.prepare - run.grow, 0.0) / m,
        cpu=run.grow_cpu / m,
        values=sum(values for _, values, _, _ in grown.work) / m,
        nodes=sum(grown.trees.node_counts) / m,
        tree_bytes=sum(tree.memory_bytes for tree in grown.trees) / m,
        file_bytes=sum(array.nbytes for array in arrays.values()) / m,
        most_values=depth * small.max_features_,
        most_nodes=min(2.0 ** min(depth + 1, 1000), 2 * leaves),
        fixed_bytes=run.fixed_bytes,
        bytes_per_tree=run.bytes_per_tree,
        bytes_per_node=run.bytes_per_node,
    )


def n_rounds(n_trees: int, n_jobs: int) -> float:
    """Return how many times the seconds of a tree several threads need for these trees."""
    whole, rest = divmod(n_trees, n_jobs)
    if rest == 0:
        return whole
    # The last trees are grown by all threads together if that is faster (core/forest/grower.cpp).
    return whole + (rest / sqrt(n_jobs) if rest * rest < n_jobs else 1.0)


def some_rows(n_rows: int, n: int, random_state: Any) -> np.ndarray:
    """Return ``n`` of the rows, in their order."""
    return np.sort(check_random_state(random_state).permutation(n_rows)[:n])


def _axes(forest: Any, n_columns: int, n_rows: int) -> Axes:
    """Return the choices of the planned fit."""
    planned = clone(forest)
    planned.n_features_in_ = n_columns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return planned._choices(n_rows)


def _scale_sizes(forest: Any, n: int, n_rows: int) -> None:
    """Make a number of rows that trees draw the same share of fewer rows."""
    drawn = forest.get_params(deep=False).get("max_samples")
    if isinstance(drawn, Integral) and not isinstance(drawn, bool):
        forest.set_params(max_samples=max(1, round(int(drawn) * n / n_rows)))


def extrapolated(small: Pilot, large: Pilot, n_rows: int, kind: str, by: Calibration) -> Pilot:
    """Return what a pilot with all rows would have taken, from two pilots with fewer rows.

    The values read for each row grow with the logarithm of the number of rows (thesis Theorems 5.5
    and 5.7), and the number of nodes by a power of it. The seconds for a value grow as they have in
    the calibration of the machine.
    """
    steps = log(n_rows / large.n_rows) / log(large.n_rows / small.n_rows)
    each, before = large.values / large.n_rows, small.values / small.n_rows
    values = n_rows * min(each + steps * max(each - before, 0.0), max(large.most_values, each))
    widest = log(large.n_rows / small.n_rows)  # nodes do not grow faster than rows
    nodes = large.nodes * exp(min(max(log(large.nodes / small.nodes), 0.0), widest) * steps)
    longer = (values / large.values) * by.growth(kind, large.n_rows, n_rows)
    nodes = min(nodes, large.most_nodes)
    by_rows, by_nodes = n_rows / large.n_rows, nodes / large.nodes
    return Pilot(
        n_rows=n_rows,
        n_trees=large.n_trees,
        spent=small.spent + large.spent,
        before=_line(small.before, large.before, small.n_rows, large.n_rows, n_rows),
        round_=large.round_ * longer,
        after=large.after * by_rows,
        cpu=large.cpu * longer,
        values=values,
        nodes=nodes,
        tree_bytes=large.tree_bytes * by_nodes,
        file_bytes=large.file_bytes * by_nodes,
        most_values=large.most_values,
        most_nodes=large.most_nodes,
        fixed_bytes=_line(small.fixed_bytes, large.fixed_bytes, small.n_rows, large.n_rows, n_rows),
        bytes_per_tree=large.bytes_per_tree * by_rows,
        bytes_per_node=large.bytes_per_node,
    )


def _line(small: float, large: float, n_small: int, n_large: int, n: int) -> float:
    """Continue a line that does not fall."""
    return large + max(large - small, 0.0) / (n_large - n_small) * (n - n_large)
