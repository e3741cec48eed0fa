"""The methods ``proximity`` and ``neighbors`` of forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._predicting.grown_forest import GrownForest
from silvics._sklearn import available_if
from silvics._state import reads_one_state
from silvics.proximity.forest_proximity import OUTPUTS, checked_number, comparison


class HasProximities:
    """Mixin with the methods that compare rows by the leaves that they reach."""

    _has_outputs: ClassVar[bool]
    _grown: GrownForest

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def proximity(
        self,
        X: Any = None,
        Y: Any = None,
        *,
        kind: str = "original",
        output: str = "dense",
        min_samples_in_node: int = 1,
        max_depth: int | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Any:
        """Compute proximities: how often samples reach the same leaf (thesis 4.4.3).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The rows of the matrix. None takes the training rows, which the forest must have: fit it
            with ``keep_samples=True``, or call ``attach_samples``.
        Y : array-like of shape (n_other, n_features) or None, default=None
            The columns of the matrix, for ``kind="original"``. None compares X with itself.
        kind : {"original", "oob", "gap", "kernel"}, default="original"
            "original" is the share of the trees in which two samples reach the same leaf (equation
            4.38). The other kinds compare with the training rows, which the forest must have. "oob"
            is the same share over the trees for which both rows are out of bag, and zero if there
            are none. "kernel" is the weight of each training row in the prediction of a sample: the
            mean over the trees of its in-bag weight divided by that of the leaf, or zero in other
            leaves (equation 4.42). Each row sums to one, and the prediction is the weighted mean of
            the training outputs. "gap" is the same over the trees for which the sample, a training
            row, is out of bag; its weighted mean is the out-of-bag prediction.
        output : {"dense", "sparse"}, default="dense"
            Whether to return an array or a sparse matrix in CSR format.
        min_samples_in_node : int, default=1
            Samples are compared in the deepest nodes on their paths with at least this number of
            in-bag rows, instead of in leaves. Deep trees have leaves of one or two rows, so that
            almost all proximities are zero; larger nodes give smoother ones.
        max_depth : int or None, default=None
            The largest depth of these nodes. None means any depth.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.
        progress : callable or None, default=None
            Called with the number of finished rows and the number of rows. None prints them if the
            parameter ``verbose`` is set.

        Returns
        -------
        proximity : ndarray or sparse matrix of shape (n_samples, n_columns)
            The proximities. "original" and "oob" are symmetric; "gap" and "kernel" are not.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1]
        >>> forest = RandomForestClassifier(100, keep_samples=True, random_state=0).fit(X, y)
        >>> P = forest.proximity(X)
        >>> bool(P[0, 1] > P[0, 2])
        True
        >>> forest.proximity(X, kind="kernel").sum(axis=1).round(6).tolist()
        [1.0, 1.0, 1.0, 1.0]
        """
        check_is_fitted(self)
        if output not in OUTPUTS:
            raise ValueError(f"output must be one of {list(OUTPUTS)}, got {output!r}.")
        found = comparison(
            self, X, Y, kind, min_samples_in_node, max_depth, n_jobs, progress=progress
        )
        return found.dense() if output == "dense" else found.sparse()

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def neighbors(
        self,
        X: Any = None,
        *,
        n_neighbors: int = 5,
        kind: str = "kernel",
        min_samples_in_node: int = 1,
        max_depth: int | None = None,
        max_samples_leaf: int | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the training rows behind each prediction, with their weights.

        The prediction of a sample is a weighted mean of the training outputs (equation 4.42); these
        are the rows of the largest weights. The matrix of all weights, ``proximity(X, kind=kind)``,
        is never kept. The forest must have its training rows: fit it with ``keep_samples=True``, or
        call ``attach_samples``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The samples. None takes the training rows.
        n_neighbors : int, default=5
            Number of training rows for each sample.
        kind : {"kernel", "gap", "original", "oob"}, default="kernel"
            The kind of proximity; see ``proximity``. With "gap", a training row is not among its
            own neighbours.
        min_samples_in_node : int, default=1
            Samples are compared in the deepest nodes with at least this number of in-bag rows.
        max_depth : int or None, default=None
            The largest depth of these nodes. None means any depth.
        max_samples_leaf : int or None, default=None
            The work grows with the squares of the sizes of the leaves. If it is an integer, at most
            this number of rows of a leaf are compared with a sample: those whose row numbers are
            closest to that of the sample, or to a number that is drawn for it if X is given. A
            weight is then at most the exact one. With ``kind="original"``, rows in bag and out of
            bag are limited separately. None compares all rows, and warns if there are very many.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.
        progress : callable or None, default=None
            Called with the number of finished rows and the number of rows. None prints them if the
            parameter ``verbose`` is set.

        Returns
        -------
        indices : ndarray of int32 of shape (n_samples, n_neighbors)
            The numbers of the training rows, by descending weight; ties go to the first row. If
            fewer rows have a weight, -1 fills the remaining places.
        weights : ndarray of shape (n_samples, n_neighbors)
            Their weights; zero in the remaining places.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [0.0, 0.1, 5.0, 5.1]
        >>> forest = RandomForestRegressor(100, keep_samples=True, random_state=0).fit(X, y)
        >>> indices, weights = forest.neighbors([[5.2]], n_neighbors=2)
        >>> indices.tolist()
        [[3, 2]]
        """
        check_is_fitted(self)
        size = checked_number("n_neighbors", n_neighbors)
        found = comparison(
            self, X, None, kind, min_samples_in_node, max_depth, n_jobs, "neighbors", progress
        )
        found.limit_leaves(max_samples_leaf, "neighbors")
        return found.neighbors(size)
