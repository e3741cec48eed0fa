"""Base classes of single trees (thesis ch. 3): fitting, predicting, inspecting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils import Bunch, metadata_routing
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._estimators.base_model import BaseModel
from silvics._estimators.declared import GrowthParameters
from silvics._estimators.tree_pictures import ShowsTree
from silvics._fitting import parameters, targets
from silvics._fitting.axes import classic_axes
from silvics._fitting.growing import grow, grower_of
from silvics._fitting.learning_task import LearningTask
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.prediction import Trees
from silvics._predicting.sampling import RowSampling
from silvics._predicting.tree_arrays import Tree
from silvics._sklearn import (
    ClassifierMixin,
    RegressorMixin,
    fit_context,
)
from silvics._state import fit_aside, reads_one_state
from silvics._tables import inputs
from silvics._tables.table import Blocks, only_numbers
from silvics.interop.to_sklearn import tree_to_sklearn

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


class BaseTree(ShowsTree, BaseModel, GrowthParameters):
    """Base class of classification and regression trees."""

    _is_single_tree = True

    splitter: str
    tree_: Tree

    # Not routed through pipelines.
    __metadata_request__fit: ClassVar = {
        "check_input": metadata_routing.UNUSED,
        "feature_names": metadata_routing.UNUSED,
    }
    __metadata_request__predict: ClassVar = {"check_input": metadata_routing.UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "splitter": [StrOptions({"best", "random"})],
        **parameters.TREE_CONSTRAINTS,
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        check_input: bool = True,
        *,
        feature_names: Any = None,
    ) -> Self:
        """Fit the tree to a training set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples: an array, a data frame, a sparse matrix or a list of rows, of any
            numeric type and memory layout.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The outputs: class labels for classification, real numbers for regression.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples. A sample with weight 0 is left out. None gives all
            samples the same weight.
        check_input : bool, default=True
            If False, X and y are not checked and must be finite arrays of numbers.
        feature_names : array-like of str, default=None
            Names of the columns if X is an array or a sparse matrix. A data frame has its own
            names.

        Returns
        -------
        self : object
            The fitted tree.

        Examples
        --------
        >>> from silvics import DecisionTreeRegressor
        >>> tree = DecisionTreeRegressor(max_depth=2).fit([[0.0], [1.0], [2.0]], [1.0, 1.0, 4.0])
        >>> tree.tree_.node_count
        3
        """
        if feature_names is not None and not check_input:
            raise ValueError(
                "feature_names cannot be used with check_input=False: set check_input=True."
            )
        named = inputs.named(X, feature_names)
        return fit_aside(self, lambda copy: copy._fit(named, y, sample_weight, check_input))

    def _fit(self, X: Any, y: Any, sample_weight: Any, check_input: bool) -> bool:
        blocks, y = self._learning_inputs(X, y) if check_input else self._unchecked_inputs(X, y)
        y = targets.as_columns(y)
        weights = targets.checked_weights(sample_weight, blocks)
        outputs = targets.encode_outputs(y, self._classification, self.criterion, "positive")
        chosen = getattr(self, "class_weight", None)
        by_class = targets.class_weights(chosen, y, outputs, None, subsample=False)
        inputs.check_lengths(blocks, y)
        axes, seed = classic_axes(self), parameters.seed_of(self.random_state)
        sampling = RowSampling("all", len(y), weights=targets.combined(weights, by_class))
        task = LearningTask(self, axes, self._variables, blocks, outputs, seed, sampling)
        growth = grow(grower_of(task, 1, 1), [seed])
        if growth.error is not None:
            raise growth.error
        self._keep_outputs(outputs)
        self.max_features_ = parameters.n_variables_at_node(axes, blocks.shape[1])
        self._take_tree(growth.trees[0])
        return True

    def _unchecked_inputs(self, X: Any, y: Any) -> tuple[Blocks, np.ndarray]:
        blocks = inputs.unchecked(X)
        self.n_features_in_ = blocks.shape[1]
        self._variables = only_numbers(blocks.shape[1])
        return blocks, np.asarray(y)

    def _take_tree(self, native: _core.Tree, as_float32: bool = False) -> None:
        self.tree_ = Tree(native, as_float32, self._variables.n_levels)

    def _take_stored(self, grown: GrownForest) -> None:
        self.tree_ = Tree._of(grown.trees, self._variables.n_levels)

    @property
    def _trees(self) -> Trees:
        return self.tree_._trees

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def _checked(self, X: Any, check_input: bool) -> _core.Matrix:
        check_is_fitted(self)
        if check_input:
            return inputs.prediction_inputs(self, X)
        X = inputs.unchecked(X)
        if len(X.shape) != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[-1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return inputs.to_predict(X)

    def _values(self, X: Any, check_input: bool) -> np.ndarray:
        X = self._checked(X, check_input)
        return prediction.mean_prediction(self.tree_._predictor, X)

    @reads_one_state
    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Return the leaf that each sample falls into.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        check_input : bool, default=True
            If False, X is not checked and must be an array or a sparse matrix of numbers.

        Returns
        -------
        X_leaves : ndarray of shape (n_samples,)
            Number of the leaf among the nodes of ``tree_``.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "low", "high"]
        >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        >>> tree.apply([[0.5], [2.9]]).tolist()
        [1, 2]
        """
        X = self._checked(X, check_input)
        return self.tree_.apply(X)

    @reads_one_state
    def decision_path(self, X: Any, check_input: bool = True) -> csr_matrix:
        """Return the nodes on the path of each sample from the root to its leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        check_input : bool, default=True
            If False, X is not checked and must be an array or a sparse matrix of numbers.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, node_count)
            1 if the node is on the path of the sample, 0 otherwise.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "low", "high"]
        >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        >>> tree.decision_path([[0.5], [2.9]]).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        X = self._checked(X, check_input)
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        """Return the depth of the tree.

        Returns
        -------
        depth : int
            Largest number of splits on a path from the root to a leaf.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Returns
        -------
        n_leaves : int
            Number of leaves.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    @reads_one_state
    def feature_importances_(self) -> np.ndarray:
        """Total decrease of impurity of each variable, normalized to a sum of one (Eq. 6.2)."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Compute the effective alphas of minimal cost-complexity pruning.

        A tree is grown on the training set without pruning. Each effective alpha is the value of
        ``ccp_alpha`` at which the next subtree is pruned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples.

        Returns
        -------
        ccp_path : Bunch
            ``ccp_alphas`` has the effective alphas in ascending order, and ``impurities`` the total
            impurity of the leaves of the tree pruned at each alpha.

        Examples
        --------
        >>> from silvics import DecisionTreeRegressor
        >>> tree = DecisionTreeRegressor(random_state=0)
        >>> path = tree.cost_complexity_pruning_path([[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0])
        >>> path.ccp_alphas.round(2)
        array([0.  , 0.17, 4.5 ])
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        alphas, impurities = whole.tree_._native.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    @reads_one_state
    def to_sklearn(self) -> Any:
        """Convert the tree to a fitted scikit-learn estimator.

        Returns
        -------
        tree : estimator of sklearn.tree
            It makes the same predictions for inputs that are exact in float32. scikit-learn rounds
            inputs to float32; fit on ``X.astype(np.float32)`` if that matters.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["no", "yes"])
        >>> tree.to_sklearn().predict([[0.2]])
        array(['no'], dtype='<U3')
        """
        check_is_fitted(self)
        return tree_to_sklearn(self)


class TreeClassifier(ClassifierMixin, BaseTree):
    """Base class of classification trees."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> DecisionTreeClassifier: ...

    _classification = True

    __metadata_request__predict_proba: ClassVar = {"check_input": metadata_routing.UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseTree._parameter_constraints,
        "criterion": [StrOptions(parameters.CLASSIFICATION_CRITERIA)],
        "class_weight": [dict, list, StrOptions({"balanced"}), None],
    }

    @reads_one_state
    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Predict the class of each sample: the most frequent class in its leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        check_input : bool, default=True
            If False, X is not checked and must be an array or a sparse matrix of numbers.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted classes.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "low", "high"]
        >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        >>> tree.predict([[0.5], [2.9]])
        array(['low', 'high'], dtype='<U4')
        """
        return prediction.labels(self, self._values(X, check_input))

    @reads_one_state
    def predict_proba(self, X: Any, check_input: bool = True) -> np.ndarray | list[np.ndarray]:
        """Predict the class probabilities of each sample: the class proportions in its leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        check_input : bool, default=True
            If False, X is not checked and must be an array or a sparse matrix of numbers.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or list of ndarray
            The probabilities of the classes, in the order of ``classes_``. For several outputs, a
            list with one array per output.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "low", "high"]
        >>> tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(X, y)
        >>> tree.classes_
        array(['high', 'low'], dtype='<U4')
        >>> tree.predict_proba([[0.5], [2.9]])
        array([[0. , 1. ],
               [0.5, 0.5]])
        """
        return prediction.probabilities(self, self._values(X, check_input))

    @reads_one_state
    def predict_log_proba(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """Predict the logarithms of the class probabilities of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or list of ndarray
            The logarithms of the result of ``predict_proba``.
        """
        return prediction.log_probabilities(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class TreeRegressor(RegressorMixin, BaseTree):
    """Base class of regression trees."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> DecisionTreeRegressor: ...

    _classification = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseTree._parameter_constraints,
        "criterion": [StrOptions(parameters.REGRESSION_CRITERIA)],
    }

    @reads_one_state
    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Predict the output of each sample: the value of its leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        check_input : bool, default=True
            If False, X is not checked and must be an array or a sparse matrix of numbers.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted values.

        Examples
        --------
        >>> from silvics import DecisionTreeRegressor
        >>> tree = DecisionTreeRegressor(random_state=0).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> tree.predict([[0.2], [0.8]])
        array([2., 4.])
        """
        return prediction.reals(self._values(X, check_input))
