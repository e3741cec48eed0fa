"""What single trees (thesis ch. 3) have in common: fitting, predicting, looking inside."""

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
from silvics._fitting.growing import grow
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
    """What classification and regression trees have in common."""

    _is_single_tree = True

    splitter: str
    tree_: Tree

    # Not a thing to route through a pipeline.
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
        """Grow the tree on a learning set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The input variables, in any numeric type and memory layout.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The output: class labels, or real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, not negative; zero leaves a sample out.
        check_input : bool, default=True
            False skips the checks of X and y, which must then be finite arrays.
        feature_names : array-like of str, default=None
            Names of the columns, for a sparse matrix or an array, which have none.

        Returns
        -------
        self : object
        """
        if feature_names is not None and not check_input:
            raise ValueError("feature_names needs check_input=True.")
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
        growth = grow(task, [seed])
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
        """Leaf that each sample ends in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        check_input : bool, default=True
            False skips the checks of X.

        Returns
        -------
        X_leaves : ndarray of shape (n_samples,)
            Numbers of nodes of ``tree_``.
        """
        X = self._checked(X, check_input)
        return self.tree_.apply(X)

    @reads_one_state
    def decision_path(self, X: Any, check_input: bool = True) -> csr_matrix:
        """Nodes that each sample visits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        check_input : bool, default=True
            False skips the checks of X.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, node_count)
            One where the sample visits the node.
        """
        X = self._checked(X, check_input)
        return self.tree_.decision_path(X)

    def get_depth(self) -> int:
        """Largest number of splits between the root and a leaf.

        Returns
        -------
        depth : int
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves.

        Returns
        -------
        n_leaves : int
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    @reads_one_state
    def feature_importances_(self) -> np.ndarray:
        """Decrease of impurity by each variable, as shares of the whole (Eq. 6.2)."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Effective alphas at which the tree loses its weakest links.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The input variables.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The output.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        ccp_path : Bunch
            ``ccp_alphas``, and the ``impurities`` of the leaves left at each.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        alphas, impurities = whole.tree_._native.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    @reads_one_state
    def to_sklearn(self) -> Any:
        """The same tree as a fitted scikit-learn estimator.

        Returns
        -------
        tree : estimator of sklearn.tree
            Predicts the same for inputs that float32 can hold, which is what scikit-learn
            rounds inputs to. Fit on ``X.astype(np.float32)`` where that matters.
        """
        check_is_fitted(self)
        return tree_to_sklearn(self)


class TreeClassifier(ClassifierMixin, BaseTree):
    """A tree that predicts classes."""

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
        """The majority class of each sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        check_input : bool, default=True
            False skips the checks of X.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return prediction.labels(self, self._values(X, check_input))

    @reads_one_state
    def predict_proba(self, X: Any, check_input: bool = True) -> np.ndarray | list[np.ndarray]:
        """Shares of the classes in each sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        check_input : bool, default=True
            False skips the checks of X.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        return prediction.probabilities(self, self._values(X, check_input))

    @reads_one_state
    def predict_log_proba(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """Logarithms of ``predict_proba``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        return prediction.log_probabilities(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class TreeRegressor(RegressorMixin, BaseTree):
    """A tree that predicts real numbers."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> DecisionTreeRegressor: ...

    _classification = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseTree._parameter_constraints,
        "criterion": [StrOptions(parameters.REGRESSION_CRITERIA)],
    }

    @reads_one_state
    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The value of each sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        check_input : bool, default=True
            False skips the checks of X.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return prediction.reals(self._values(X, check_input))
