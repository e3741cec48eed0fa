"""Which rows a proximity compares, and whether the forest can do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn import get_config

from silvics import _core
from silvics._fitting.progress import PrintedProgress
from silvics._fitting.tunable import shrinkage_of
from silvics._predicting.grown_forest import GrownForest
from silvics._threads import n_threads
from silvics._warnings import warn_user

KINDS = ("original", "oob", "gap", "kernel")
OUTPUTS = ("dense", "sparse")
# Core depth limit that no tree reaches.
_ANY_DEPTH = 2**62
# Number of compared pairs of rows, a few minutes of work, from which on users are warned.
_MUCH_WORK = 2e11


@dataclass(frozen=True, eq=False)
class Comparison:
    """Rows and columns of a proximity matrix, which the core computes on request.

    Attributes
    ----------
    native : Proximity
        The proximities to the columns.
    rows : Matrix or None
        The rows; None if they are the columns.
    n_jobs : int
        Number of threads.
    progress : callable or None
        Called with the number of finished rows and of all rows.
    """

    native: _core.Proximity
    rows: _core.Matrix | None
    n_jobs: int
    progress: Callable[[int, int], object] | None = None

    def dense(self) -> np.ndarray:
        """Return the matrix as an array."""
        return self.native.dense(self.rows, self.n_jobs, self.progress)

    def sparse(self) -> Any:
        """Return the matrix as a sparse matrix, or array, as scikit-learn is configured."""
        starts, columns, values = self.native.sparse(self.rows, self.n_jobs, self.progress)
        kind = csr_array if get_config()["sparse_interface"] == "sparray" else csr_matrix
        n_columns = self.n_columns
        return kind((values, columns, starts), shape=(len(starts) - 1, n_columns))

    def neighbors(self, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns with the largest values of each row, and these values."""
        return self.native.neighbors(self.rows, n_neighbors, self.n_jobs, self.progress)

    def limit_leaves(self, max_samples_leaf: int | None, what: str) -> None:
        """Compare at most this number of rows of a leaf; warn of large leaves without a limit."""
        if max_samples_leaf is not None:
            most = checked_number("max_samples_leaf", max_samples_leaf)
            self.native.limit_leaves(most, self.n_jobs)
            return
        n_columns = max(self.n_columns, 1)
        n_rows = n_columns if self.rows is None else self.rows.shape[0]
        work = self.native.work(self.n_jobs) * n_rows / n_columns
        if work > _MUCH_WORK:
            warn_user(
                f"{what} compares {work:.1e} pairs of rows, because the leaves of this forest are "
                "large. Set max_samples_leaf, for example to 1000, to compare with some rows of "
                "each leaf only."
            )

    def product(
        self, factors: np.ndarray, *, squares: bool = False, without_diagonal: bool = False
    ) -> np.ndarray:
        """Return the matrix, or that of its squared elements, times a dense matrix."""
        columns = np.ascontiguousarray(factors, dtype=np.float64)
        return self.native.product(
            self.rows, columns, squares, without_diagonal, self.n_jobs, self.progress
        )

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.native.n_columns


def comparison(
    forest: Any,
    X: Any,
    Y: Any,
    kind: str,
    min_samples_in_node: Any,
    max_depth: Any,
    n_jobs: int | None,
    what: str = "proximity",
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Check the arguments of a method of a forest, and return what it compares."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {list(KINDS)}, got {kind!r}.")
    grown: GrownForest = forest._grown
    least = _checked_bound("min_samples_in_node", min_samples_in_node, 1)
    deepest = _ANY_DEPTH if max_depth is None else _checked_bound("max_depth", max_depth, 0)
    grown.require_one_leaf_each(what)
    _check_pair(X, Y, kind)
    threads = n_threads(forest._jobs(n_jobs))
    predictor = grown.trees.predictor
    rows = None if X is None else forest._checked(X)
    named = f"{what}(kind={kind!r})" if X is not None else f"{what} without X"
    sizes = np.zeros(0, dtype=np.uint32)
    if kind == "original" and X is not None and what == "proximity":
        columns = _core.rows_by_leaf(predictor, forest._checked(X if Y is None else Y), threads)
        if Y is None:
            rows = None
        if least > 1:
            sizes = _leaf_sizes(grown)
    else:
        if kind in ("oob", "gap"):
            grown.require_out_of_bag(named)
        columns = grown.require_samples(named).membership
    if kind in ("gap", "kernel"):
        require_means(forest, f"{what}(kind={kind!r})")
    native = _core.Proximity(
        predictor, columns, kind, sizes, 0 if least == 1 else least, deepest, threads
    )
    if kind in ("oob", "gap") and rows is not None:
        if not native.has_rows(rows, threads):
            raise ValueError(
                f"kind={kind!r} is about the rows that the forest was fitted on, and X has others. "
                'Pass those rows, or X=None; for other rows use kind="original" or "kernel".'
            )
        rows = None
    return Comparison(native, rows, threads, _reports(forest, progress))


def _reports(forest: Any, progress: Any) -> Callable[[int, int], object] | None:
    """Return what is called with the progress; it prints if the forest is verbose."""
    if progress is not None:
        if not callable(progress):
            raise TypeError(f"progress must be a callable or None, got {progress!r}.")
        return progress
    return PrintedProgress(forest.verbose, "rows") if forest.verbose else None


def require_means(forest: Any, what: str) -> None:
    """Raise ValueError unless predictions are weighted means of the training outputs."""
    grown: GrownForest = forest._grown
    reason = None
    if grown.trees.by_majority:
        reason = 'its trees vote for one class each (vote="majority")'
    elif getattr(forest, "monotonic_cst", None) is not None:
        reason = "monotonic constraints change the predictions of its leaves"
    elif shrinkage_of(getattr(forest, "best_params_", {})):
        reason = "shrinkage changes the predictions of its leaves"
    elif grown.sampling is not None:
        criterion = forest._in_use._choices(grown.sampling.n_samples).criterion
        if criterion == "absolute_error":
            reason = "its leaves predict medians (criterion='absolute_error')"
    if reason is not None:
        raise ValueError(
            f"{what} needs a forest whose predictions are means of the training outputs, but "
            f'{reason}. Use proximity with kind="original" or "oob".'
        )


def _check_pair(X: Any, Y: Any, kind: str) -> None:
    if Y is None:
        return
    if kind != "original":
        raise ValueError(
            f"kind={kind!r} compares rows with those that the forest was fitted on, so that Y must "
            'be None. Only kind="original" compares any two tables.'
        )
    if X is None:
        raise ValueError("Y was given without X. Pass the rows to compare with Y as X.")


def _checked_bound(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if not least <= int(value) < _ANY_DEPTH:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.")
    return int(value)


def checked_number(name: str, value: Any) -> int:
    """Return a positive integer; TypeError or ValueError for other values."""
    return _checked_bound(name, value, 1)


def _leaf_sizes(grown: GrownForest) -> np.ndarray:
    """Return the number of in-bag rows of every leaf of every tree."""
    if grown.samples is not None:
        membership = grown.samples.membership
        found = [membership.leaf_stats(m)[0] for m in range(membership.n_trees)]
    else:
        packed = grown.trees.packed
        found = [tree.n_node_samples()[packed.leaves(m)] for m, tree in enumerate(grown.trees)]
    return np.concatenate(found).astype(np.uint32)
