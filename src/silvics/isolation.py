"""The estimator ``IsolationForest`` (Liu et al. 2008)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil, log2
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import sklearn.ensemble
from scipy.special import digamma
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._docs import documented, keep_parameters
from silvics._estimators.base_forest import BaseForest
from silvics._estimators.base_tree import BaseTree
from silvics._estimators.random_output import TABLE_CONSTRAINTS, RandomOutputForest
from silvics._fitting.axes import Axes, classic_axes
from silvics._fitting.learning_task import LearningTask
from silvics._parameter_docs import ISOLATION_VARIANTS
from silvics._predicting import prediction
from silvics._predicting.predictor import Predictor
from silvics._sklearn import OutlierMixin
from silvics._state import reads_one_state
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics._warnings import warn_user
from silvics.trees import ExtraTreeRegressor


def average_path_length(n: Any) -> np.ndarray:
    """Compute the mean depth of the leaves of a random binary tree with n samples.

    The tree is grown until every leaf has one sample. The mean depth is 2 H(n-1) - 2 (n-1) / n,
    where H(k) is the k-th harmonic number, and zero if n is at most 1.

    Parameters
    ----------
    n : array-like of int
        Number of samples.

    Returns
    -------
    length : ndarray of float64
        Mean depth for each element of ``n``.

    Examples
    --------
    >>> average_path_length([1, 2, 4]).round(12).tolist()
    [0.0, 1.0, 2.166666666667]
    """
    n = np.maximum(np.asarray(n, dtype=np.float64), 1.0)
    harmonic = digamma(n) + np.euler_gamma
    return np.where(n > 2, 2.0 * (harmonic - (n - 1.0) / n), n - 1.0)


def with_path_lengths(tree: _core.Tree) -> _core.Tree:
    """Return a copy of the tree whose leaves predict relative path lengths.

    The path length of a sample is the depth of its leaf plus the average path length of a tree
    grown on the samples of the leaf. It is divided by the average path length of a tree with as
    many samples as the root. A tree without splits therefore predicts exactly one.
    """
    n = tree.n_node_samples()
    lengths = tree.depths() + average_path_length(n)
    unit = average_path_length(n[0])
    arrays = tree.expanded().stored_arrays()
    arrays["node_values"] = lengths / unit if unit > 0.0 else np.ones(len(n))
    return _core.Tree.from_stored_arrays(arrays)


def _score(relative_length: Any) -> Any:
    """Turn mean relative path lengths into scores between -1 (abnormal) and 0."""
    return -(2.0**-relative_length)


class _ScorePredictor(Predictor):
    """Predictor whose result is the score of each row, as in ``score_samples``."""

    def __call__(self, X: Any) -> Any:
        return _score(super().__call__(X))


@documented(
    "estimator_ estimators_ estimators_features_ estimators_samples_ max_samples_ offset_ "
    "n_features_in_ feature_names_in_ is_categorical_ categories_ n_outputs_ interrupted_ stopped_",
    """
    >>> from silvics import IsolationForest
    >>> X = [[-1.1], [0.3], [0.5], [100]]
    >>> forest = IsolationForest(random_state=0).fit(X)
    >>> forest.predict([[0.1], [0], [90]])
    array([ 1,  1, -1])
    """,
    ISOLATION_VARIANTS,
)
class IsolationForest(OutlierMixin, RandomOutputForest):
    """Isolation forest for outlier detection (Liu et al. 2008).

    Each tree separates a small sample of the rows by random splits. Outliers are separated from
    all other rows after fewer splits than rows in dense regions. The score of a sample is computed
    from the mean length of its paths from the roots to the leaves.
    """

    contamination: Any

    _no_exports = (
        "its scores are not a mean of the values of leaves. Use predictor() instead, or export the "
        "trees of estimators_, which predict relative path lengths."
    )

    _tree_class = ExtraTreeRegressor

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: BaseForest._parameter_constraints[name]
            for name in (
                "n_estimators", "bootstrap", "n_jobs", "random_state", "verbose", "warm_start"
            )
        },
        "max_samples": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
        "max_features": [Integral, Interval(Real, 0, 1, closed="right")],
        **TABLE_CONSTRAINTS,
    }  # fmt: skip

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        max_samples: float | str = "auto",
        contamination: float | str = "auto",
        max_features: float = 1.0,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 2,
        unknown_category: str = "missing",
        missing: str = "learned",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
    ) -> None:
        keep_parameters(self, locals())

    # ---- files

    def _needed_in_files(self, grown_here: bool) -> set[str]:
        own = {"max_samples_", "offset_", *(["_n_columns_of_tree"] if grown_here else [])}
        return super()._needed_in_files(grown_here) | own

    def _problem_of_stored_trees(
        self, packed: _core.PackedForest, values: np.ndarray
    ) -> str | None:
        if (values < 0).any():
            return "it has negative path lengths"
        return super()._problem_of_stored_trees(packed, values)

    # ---- growing

    def _check_sampling(self) -> None:
        """Accept every combination of ``bootstrap`` and ``max_samples``."""

    def _choices(self, n_samples: int) -> Axes:
        self.max_samples_ = self._n_rows(n_samples)
        return replace(
            classic_axes(self),
            rows="bootstrap" if self.bootstrap else "subsample",
            max_samples=self.max_samples_,
            columns="subspace",
            max_columns=self._n_columns(),
            max_features=1,
            max_depth=self._depth(),
        )

    def _n_rows(self, n_samples: int) -> int:
        if self.max_samples == "auto":
            return min(256, n_samples)
        whole = 1 if isinstance(self.max_samples, Integral) else n_samples
        wanted = max(1, int(self.max_samples * whole))
        if wanted > n_samples:
            warn_user(
                f"max_samples ({wanted}) is greater than the total number of samples "
                f"({n_samples}). max_samples will be set to n_samples for estimation."
            )
        return min(wanted, n_samples)

    def _n_columns(self) -> int:
        whole = 1 if isinstance(self.max_features, Integral) else self.n_features_in_
        wanted = int(self.max_features * whole)
        if wanted > self.n_features_in_:
            raise ValueError(
                f"max_features must be <= n_features, got max_features={self.max_features} and "
                f"n_features={self.n_features_in_}."
            )
        return max(1, wanted)

    def _depth(self) -> int:
        """Return the maximum depth: longer paths than the average do not indicate outliers."""
        return ceil(log2(max(self.max_samples_, 2)))

    def _learning_task(
        self,
        axes: Axes,
        X: Blocks,
        y: np.ndarray,
        weights: np.ndarray | None,
        seed: int,
        groups: np.ndarray | None = None,
    ) -> LearningTask:
        if weights is not None and weights.min() == weights.max():
            weights = None
        if weights is not None:  # they are probabilities of being drawn
            axes = replace(axes, rows="bootstrap")
        self._n_columns_of_tree = axes.max_columns
        return super()._learning_task(axes, X, y, weights, seed, groups)

    def _finished(self, task: LearningTask, trees: list[_core.Tree]) -> list[_core.Tree]:
        del task
        return [with_path_lengths(tree) for tree in trees]

    def _estimate(self, task: LearningTask, grew: bool) -> None:
        del grew
        self.offset_ = -0.5
        if self.contamination != "auto":
            predictor, X = self._trees.predictor_by(self.n_jobs), inputs.to_predict(task.X)
            lengths = prediction.mean_prediction(predictor, X, self.n_jobs)
            self.offset_ = np.percentile(_score(lengths), 100.0 * self.contamination)

    # ---- the trees

    def _own_parameters(self, tree: BaseTree) -> dict[str, Any]:
        own = {"max_features": 1, "max_depth": self._depth()}
        return super()._own_parameters(tree) | own

    @property
    @reads_one_state
    def estimators_features_(self) -> list[np.ndarray]:
        """Indices of the columns drawn by each tree. They are drawn again on each access."""
        self._require_fitted("estimators_features_")
        if self._grown.seed is None:
            raise AttributeError(
                "estimators_features_ is not available for a forest that was merged or saved with "
                "for_prediction=True: the seeds of its trees are not known."
            )
        return [
            _core.tree_columns(seed, self.n_features_in_, self._n_columns_of_tree)
            for seed in self._grown.tree_seeds()
        ]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Not available: an isolation forest predicts no output."""
        raise AttributeError(
            "IsolationForest has no feature_importances_, because it predicts no output."
        )

    # ---- scores

    @reads_one_state
    def score_samples(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Compute the negative anomaly score of Liu et al. (2008).

        Scores of outliers are close to -1. A sample whose paths have average length has the score
        -0.5.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Score of each sample; the lower, the more abnormal.

        Examples
        --------
        >>> from silvics import IsolationForest
        >>> X = [[-1.1], [0.3], [0.5], [100.0]]
        >>> forest = IsolationForest(random_state=0).fit(X)
        >>> forest.score_samples([[0.1], [90.0]]).round(2)
        array([-0.39, -0.67])
        """
        return _score(prediction.reals(self._values(X, n_jobs)))

    @reads_one_state
    def decision_function(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Compute ``score_samples(X) - offset_``, which is negative for outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Score of each sample, relative to the threshold.

        Examples
        --------
        >>> from silvics import IsolationForest
        >>> X = [[-1.1], [0.3], [0.5], [100.0]]
        >>> forest = IsolationForest(random_state=0).fit(X)
        >>> forest.decision_function([[0.1], [90.0]]).round(2)
        array([ 0.11, -0.17])
        """
        return self.score_samples(X, n_jobs=n_jobs) - self.offset_

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Predict whether each sample is an inlier or an outlier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        is_inlier : ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.

        Examples
        --------
        >>> from silvics import IsolationForest
        >>> X = [[-1.1], [0.3], [0.5], [100.0]]
        >>> forest = IsolationForest(random_state=0).fit(X)
        >>> forest.predict([[0.1], [90.0]])
        array([ 1, -1])
        """
        return np.where(self.decision_function(X, n_jobs=n_jobs) < 0.0, -1, 1)

    @reads_one_state
    def predictor(self, *, n_jobs: int = 1) -> Predictor:
        """Return a callable that computes ``score_samples`` with little overhead.

        Parameters
        ----------
        n_jobs : int, default=1
            Number of threads for tables. A single row always uses the calling thread.

        Returns
        -------
        predictor : Predictor
            Returns the score of a row, or an array with the scores of a table.

        Examples
        --------
        >>> from silvics import IsolationForest
        >>> X = [[-1.1], [0.3], [0.5], [100.0]]
        >>> forest = IsolationForest(random_state=0).fit(X)
        >>> score = forest.predictor()
        >>> round(score([90.0]), 2)
        -0.67
        """
        check_is_fitted(self)
        return _ScorePredictor(
            self._trees, self._variables, None, self.unknown_category, self.missing, n_jobs
        )

    @reads_one_state
    def to_sklearn(self) -> sklearn.ensemble.IsolationForest:
        """Convert the forest to a fitted scikit-learn estimator.

        Returns
        -------
        forest : sklearn.ensemble.IsolationForest
            It has the same trees. Its scores differ slightly, because scikit-learn approximates
            average path lengths by a formula that is inaccurate for few samples.

        Examples
        --------
        >>> from silvics import IsolationForest
        >>> X = [[-1.1], [0.3], [0.5], [100.0]]
        >>> forest = IsolationForest(random_state=0).fit(X)
        >>> forest.to_sklearn().predict([[0.1], [90.0]])
        array([ 1, -1])
        """
        check_is_fitted(self)
        shared = sklearn.ensemble.IsolationForest().get_params(deep=False)
        made = sklearn.ensemble.IsolationForest(**{name: getattr(self, name) for name in shared})
        for name in ("n_features_in_", "feature_names_in_", "max_samples_", "offset_"):
            if hasattr(self, name):
                setattr(made, name, getattr(self, name))
        made._max_samples = self.max_samples_
        made._max_features = self.n_features_in_  # our trees index the columns of the whole X
        made.estimators_ = [tree.to_sklearn() for tree in self.estimators_]
        made.estimators_features_ = [np.arange(self.n_features_in_) for _ in self._trees]
        made._decision_path_lengths = [tree.depths() + 1 for tree in self._trees]
        made._average_path_length_per_tree = [
            average_path_length(tree.n_node_samples()) for tree in self._trees
        ]
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
