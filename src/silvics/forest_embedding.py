"""The transformer ``ForestEmbedding``: a supervised forest as sparse features."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from silvics._estimators.base_forest import BaseForest
from silvics._predicting.leaf_features import (
    leaf_features,
    leaf_names,
    leaves_of_trees,
    training_features,
)
from silvics._sklearn import BaseEstimator, MetaEstimatorMixin, TransformerMixin, fit_context
from silvics._state import fit_aside, reads_one_state

VALUES = ("ones", "proximity", "kernel")


class ForestEmbedding(TransformerMixin, MetaEstimatorMixin, BaseEstimator):
    """Embedding of samples by the leaves of a supervised forest (thesis 4.4.3).

    A sample is represented by the leaves that it reaches, one in each tree. Linear models and
    support vector machines on this representation separate what the forest separates. The leaves
    depend on the outputs of the training set, so that a model on top of them must be judged on
    other rows; see ``docs/embedding.md``.

    Parameters
    ----------
    estimator : forest of silvics
        The forest. ``fit`` fits a copy of it, unless ``prefit=True`` or it is in a
        ``sklearn.frozen.FrozenEstimator``.
    values : {"ones", "proximity", "kernel"}, default="ones"
        The elements for the leaves that a sample reaches. "ones" is the one-hot encoding of
        equation 4.40. "proximity" divides it by the square root of the number of trees M, so that
        the inner product of two samples is their proximity (equation 4.41). "kernel" also divides
        by the square root of the weight of the training rows in the leaf (equation 4.44). The inner
        product of ``transform(X)`` with ``transform_training_rows()`` is then the weight of each
        training row in each prediction (equation 4.43).
    prefit : bool, default=False
        Whether the forest is fitted already. ``fit`` then does nothing.
    sparse_output : bool, default=True
        Whether to return a sparse matrix instead of an array.
    n_jobs : int or None, default=None
        Number of threads of ``transform``. None takes that of the forest.

    Attributes
    ----------
    estimator_ : forest
        The fitted forest.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : ndarray of str
        Names of the variables, if X has names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from silvics import ForestEmbedding, RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> model = make_pipeline(ForestEmbedding(forest), LogisticRegression())
    >>> bool(model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "values": [StrOptions(set(VALUES))],
        "prefit": ["boolean"],
        "sparse_output": ["boolean"],
        "n_jobs": [int, None],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        values: str = "ones",
        prefit: bool = False,
        sparse_output: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.values = values
        self.prefit = prefit
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = get_tags(self.estimator)
        tags.input_tags = given.input_tags
        tags.target_tags.required = not self.prefit
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_") or (
            self.prefit and getattr(self.estimator, "_grown", None) is not None
        )

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The outputs. They may be None if the forest is fitted already.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, as in ``fit`` of the forest.

        Returns
        -------
        self : object
            The fitted embedding.

        Examples
        --------
        >>> from silvics import ForestEmbedding, RandomForestClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> embedding = ForestEmbedding(RandomForestClassifier(5, random_state=0))
        >>> embedding.fit(X, y).transform(X).shape[0]
        150
        """
        return fit_aside(self, lambda copy: copy._fit(X, y, sample_weight))

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        frozen = isinstance(self.estimator, FrozenEstimator)
        forest = self.estimator.estimator if frozen else self.estimator
        _require_forest(forest)
        if frozen or self.prefit:
            check_is_fitted(forest)
            self.estimator_ = forest
            return
        if y is None:
            raise ValueError(
                "ForestEmbedding fits a supervised forest, which requires y to be passed, but the "
                "target y is None. RandomTreesEmbedding needs no y."
            )
        self.estimator_ = clone(forest)
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_.fit(X, y, **given)

    def _forest(self) -> Any:
        """Return the fitted forest."""
        check_is_fitted(self)
        forest = getattr(self, "estimator_", self.estimator)
        _require_forest(forest)
        forest._grown.require_one_leaf_each("ForestEmbedding")
        return forest

    @property
    def n_features_in_(self) -> int:
        """Number of variables."""
        return int(_of_forest(self, "n_features_in_"))

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the variables."""
        return np.asarray(_of_forest(self, "feature_names_in_"))

    @property
    def _n_features_out(self) -> int:
        return sum(map(len, leaves_of_trees(self._forest()._trees)))

    @reads_one_state
    def transform(self, X: Any) -> Any:
        """Encode samples by the leaves that they reach.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_transformed : sparse matrix or ndarray of shape (n_samples, n_leaves)
            One column for each leaf of each tree; see ``values``.

        Examples
        --------
        >>> from silvics import ForestEmbedding, RandomForestClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> embedding = ForestEmbedding(RandomForestClassifier(5, random_state=0)).fit(X, y)
        >>> embedding.transform(X[:2]).sum(axis=1).tolist()
        [[5.0], [5.0]]
        """
        forest = self._forest()
        leaves = forest.apply(X, n_jobs=self.n_jobs)
        found = leaf_features(forest._trees, leaves, self._scales(forest))
        return found if self.sparse_output else found.toarray()

    @reads_one_state
    def transform_training_rows(self) -> Any:
        """Encode the training rows, with their in-bag weights if ``values="kernel"``.

        The forest must have its training rows: fit it with ``keep_samples=True``, or call its
        method ``attach_samples``. ``transform(X) @ transform_training_rows().T`` is
        ``forest.proximity(X, kind="kernel")`` if ``values="kernel"``, and the original proximity to
        the training rows if ``values="proximity"``.

        Returns
        -------
        X_transformed : sparse matrix or ndarray of shape (n_training_rows, n_leaves)
            One column for each leaf of each tree. With ``values="kernel"`` a row has no element for
            a tree that has not drawn it.

        Examples
        --------
        >>> from silvics import ForestEmbedding, RandomForestClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(5, keep_samples=True, random_state=0)
        >>> embedding = ForestEmbedding(forest, values="kernel").fit(X, y)
        >>> embedding.transform_training_rows().shape[0]
        150
        """
        forest = self._forest()
        samples = forest._grown.require_samples("transform_training_rows")
        found = training_features(samples, self._scales(forest), weighted=self.values == "kernel")
        return found if self.sparse_output else found.toarray()

    def _scales(self, forest: Any) -> np.ndarray | None:
        """Return the value of each column, or None if all are one."""
        if self.values not in VALUES:
            raise ValueError(f"values must be one of {list(VALUES)}, got {self.values!r}.")
        if self.values == "ones":
            return None
        trees = forest._trees
        leaves = leaves_of_trees(trees)
        if self.values == "proximity":
            return np.full(sum(map(len, leaves)), 1 / np.sqrt(len(trees)))
        if not trees.known:
            raise ValueError(
                'values="kernel" needs the weights of the leaves, which this model does not have: '
                "it was saved with for_prediction=True."
            )
        weights = np.concatenate(
            [tree.weighted_n_node_samples()[of] for tree, of in zip(trees, leaves, strict=True)]
        )
        if (weights <= 0).any():
            raise ValueError(
                'values="kernel" divides by the weight of the training rows in a leaf, but some '
                "leaves of this forest have none (honest trees and cells) and predict what the "
                'node above does. Use values="proximity".'
            )
        return np.asarray(1 / np.sqrt(len(trees) * weights))

    @reads_one_state
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of the embedding.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the variables, which must be those of ``fit``. None skips the check.

        Returns
        -------
        feature_names_out : ndarray of str objects
            ``{forest}_{tree}_{leaf}``, where ``forest`` is the name of the class of the forest in
            lower case, and ``leaf`` is the number of the leaf among all nodes of its tree.

        Examples
        --------
        >>> from silvics import ForestEmbedding, RandomForestClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> embedding = ForestEmbedding(RandomForestClassifier(5, random_state=0)).fit(X, y)
        >>> len(embedding.get_feature_names_out()) == embedding.transform(X).shape[1]
        True
        """
        forest = self._forest()
        _check_feature_names_in(forest, input_features=input_features, generate_names=False)
        return leaf_names(type(forest).__name__.lower(), forest._trees)


def _require_forest(forest: Any) -> None:
    if not (isinstance(forest, BaseForest) and forest._has_outputs):
        raise TypeError(
            "estimator must be a supervised forest of silvics, such as RandomForestClassifier or "
            f"ExtraTreesRegressor, got {type(forest).__name__}. silvics.from_sklearn converts "
            "forests of scikit-learn."
        )


def _of_forest(embedding: ForestEmbedding, name: str) -> Any:
    """Return an attribute of the fitted forest; AttributeError if there is none."""
    forest = getattr(embedding, "estimator_", embedding.estimator)
    return getattr(forest, name)
