"""The estimator ``RandomTreesEmbedding``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from silvics import _core
from silvics._docs import documented, keep_parameters
from silvics._estimators.base_forest import BaseForest
from silvics._estimators.random_output import TABLE_CONSTRAINTS, RandomOutputForest
from silvics._predicting.leaf_features import leaf_features, leaf_names, leaves_of_trees
from silvics._predicting.predictor import Predictor
from silvics._sklearn import TransformerMixin
from silvics._state import reads_one_state
from silvics.trees import ExtraTreeRegressor

if TYPE_CHECKING:
    import sklearn.ensemble


@documented(
    "estimator_ estimators_ feature_importances_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ one_hot_encoder_ estimators_samples_ "
    "interrupted_ stopped_",
    """
    >>> from silvics import RandomTreesEmbedding
    >>> X = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> embedding = RandomTreesEmbedding(n_estimators=5, max_depth=1, random_state=0).fit(X)
    >>> leaves = embedding.transform(X)
    >>> leaves.shape, leaves.nnz
    ((5, 10), 25)
    """,
)
class RandomTreesEmbedding(TransformerMixin, RandomOutputForest):
    """Embedding by totally randomized trees (Geurts et al. 2006; Moosmann et al. 2007).

    Each tree partitions the input space at random, without an output. A sample is represented by
    the one-hot encoded leaves that it falls into. Samples that are close have many leaves in
    common.
    """

    sparse_output: bool

    _tree_class = ExtraTreeRegressor
    _no_exports = "it does not predict. Use transform instead."

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: BaseForest._parameter_constraints[name]
        for name in (
            "n_estimators",
            "max_depth",
            "min_samples_split",
            "min_samples_leaf",
            "min_weight_fraction_leaf",
            "max_leaf_nodes",
            "min_impurity_decrease",
            "n_jobs",
            "random_state",
            "verbose",
            "warm_start",
        )
    } | {"sparse_output": ["boolean"], **TABLE_CONSTRAINTS}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = 5,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        sparse_output: bool = True,
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

    def _problem_of_stored_trees(
        self, packed: _core.PackedForest, values: np.ndarray
    ) -> str | None:
        if packed.both_children:
            return "an embedding cannot send samples to several leaves"
        return super()._problem_of_stored_trees(packed, values)

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Fit the embedding to X and transform X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples. A sample with weight 0 is left out.

        Returns
        -------
        X_transformed : sparse matrix or ndarray of shape (n_samples, n_out)
            The embedded samples; see ``transform``.

        Examples
        --------
        >>> from silvics import RandomTreesEmbedding
        >>> X = [[0.0], [1.0], [4.0], [5.0]]
        >>> embedding = RandomTreesEmbedding(2, max_depth=1, random_state=0)
        >>> embedding.fit_transform(X).toarray()
        array([[1., 0., 1., 0.],
               [1., 0., 0., 1.],
               [0., 1., 0., 1.],
               [0., 1., 0., 1.]])
        """
        return self.fit(X, y, sample_weight=sample_weight).transform(X)

    @reads_one_state
    def transform(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Encode the samples by the leaves that they fall into.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        X_transformed : sparse matrix or ndarray of shape (n_samples, n_out)
            One column per leaf of each tree: 1 if the sample falls into the leaf, 0 otherwise. The
            result is sparse if ``sparse_output=True``.

        Examples
        --------
        >>> from silvics import RandomTreesEmbedding
        >>> X = [[0.0], [1.0], [4.0], [5.0]]
        >>> embedding = RandomTreesEmbedding(2, max_depth=1, random_state=0).fit(X)
        >>> embedding.transform([[0.5]]).toarray()
        array([[1., 0., 0., 1.]])
        """
        leaves = self.apply(X, n_jobs=n_jobs)
        made = leaf_features(self._trees, leaves)
        return made if self.sparse_output else made.toarray()

    @property
    def _n_features_out(self) -> int:
        return sum(map(len, leaves_of_trees(self._trees)))

    @property
    @reads_one_state
    def one_hot_encoder_(self) -> OneHotEncoder:
        """Encoder that turns the result of ``apply`` into that of ``transform``."""
        self._require_fitted("one_hot_encoder_")
        leaves = leaves_of_trees(self._trees)
        encoder = OneHotEncoder(categories=leaves, sparse_output=self.sparse_output)
        return encoder.fit([[places[0] for places in leaves]])

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
            ``randomtreesembedding_{tree}_{leaf}``, where ``leaf`` is the number of the leaf among
            all nodes of its tree.

        Examples
        --------
        >>> from silvics import RandomTreesEmbedding
        >>> X = [[0.0], [1.0], [4.0], [5.0]]
        >>> embedding = RandomTreesEmbedding(1, max_depth=1, random_state=0).fit(X)
        >>> embedding.get_feature_names_out().tolist()
        ['randomtreesembedding_0_1', 'randomtreesembedding_0_2']
        """
        check_is_fitted(self)
        _check_feature_names_in(self, input_features=input_features, generate_names=False)
        return leaf_names("randomtreesembedding", self._trees)

    def predictor(self, *, n_jobs: int = 1) -> Predictor:
        """Not available: an embedding does not predict.

        Parameters
        ----------
        n_jobs : int, default=1
            Ignored.

        Returns
        -------
        predictor : Predictor
            Nothing is returned.

        Raises
        ------
        AttributeError
            Always.
        """
        del n_jobs
        raise AttributeError("RandomTreesEmbedding has no predictor: use transform.")

    @reads_one_state
    def to_sklearn(self) -> sklearn.ensemble.RandomTreesEmbedding:
        """Convert the embedding to a fitted scikit-learn estimator.

        Returns
        -------
        embedding : sklearn.ensemble.RandomTreesEmbedding
            It transforms inputs that are exact in float32 in the same way; scikit-learn rounds
            inputs to float32.

        Examples
        --------
        >>> from silvics import RandomTreesEmbedding
        >>> X = [[0.0], [1.0], [4.0], [5.0]]
        >>> embedding = RandomTreesEmbedding(2, max_depth=1, random_state=0).fit(X)
        >>> embedding.to_sklearn().transform(X).shape
        (4, 4)
        """
        made = super().to_sklearn()
        made.one_hot_encoder_ = self.one_hot_encoder_
        made._n_features_out = self._n_features_out
        return made
