"""Methods of fitted forests: trees, predictions, importances, summaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._estimators.base_model import BaseModel
from silvics._estimators.base_tree import BaseTree
from silvics._estimators.declared import ForestParameters
from silvics._estimators.explanations import HasExplanations
from silvics._estimators.importances import HasImportances
from silvics._estimators.tree_predictions import HasTreePredictions
from silvics._fitting import targets
from silvics._predicting import prediction
from silvics._predicting.calibrated import ProbabilityMap
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.prediction import Trees
from silvics._predicting.predictor import Predictor
from silvics._predicting.training_samples import TrainingSamples
from silvics._results.summary import FittedSection, Summary, summary_of
from silvics._state import reads_one_state
from silvics._tables import inputs
from silvics._tables.table import Variables
from silvics.interop.to_sklearn import forest_to_sklearn


class FittedForest(
    HasImportances, HasExplanations, HasTreePredictions, BaseModel, ForestParameters
):
    """Base class of forests with the methods that need a fitted forest."""

    _tree_class: ClassVar[type[BaseTree]]

    _grown: GrownForest
    _estimators: list[BaseTree]  # created on first access

    @property
    def _trees(self) -> Trees:
        return self._grown.trees

    # Two private names of scikit-learn, which its own tests read.

    @property
    def _n_samples_bootstrap(self) -> int | None:
        """The number of rows that a tree draws."""
        return None if self._grown.sampling is None else self._grown.sampling.n_drawn

    @property
    def _sample_weight(self) -> np.ndarray | None:
        """Sample weights times class weights."""
        return None if self._grown.sampling is None else self._grown.sampling.weights

    def _take_stored(self, grown: GrownForest) -> None:
        self._grown = grown

    def _forget_estimates(self) -> None:
        """Remove the attributes that were computed from the previous trees."""
        for name in ("_estimators", "_oob_stats", "oob_score_", "oob_decision_function_",
                     "oob_prediction_"):  # fmt: skip
            self.__dict__.pop(name, None)

    def _adopt(self, trees: list[BaseTree]) -> None:
        """Take over fitted trees that were grown elsewhere and whose seeds are not known."""
        natives = Trees((t.tree_._native for t in trees), trees[0].tree_._as_float32)
        self._take_trees(natives, trees[0]._variables)
        self._estimators = trees
        self.max_features_ = trees[0].max_features_

    def _take_trees(self, trees: Trees, variables: Variables, stages: int = 1) -> None:
        """Take over native trees whose seeds are not known."""
        self._grown = GrownForest(trees, stages=stages)
        self._variables = variables
        self.interrupted_, self.stopped_ = False, None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_grown")

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> BaseTree:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[BaseTree]:
        return iter(self.estimators_)

    @property
    def estimator(self) -> BaseTree:
        """Unfitted tree of the class that the forest consists of."""
        return self._tree_class()

    @property
    def estimator_(self) -> BaseTree:
        """Unfitted tree of the class that the forest consists of; available after ``fit``."""
        self._require_fitted("estimator_")
        return self.estimator

    @property
    @reads_one_state
    def estimators_(self) -> list[BaseTree]:
        """The fitted trees. They are created on first access and share the forest's memory."""
        self._require_fitted("estimators_")
        if not hasattr(self, "_estimators"):
            grown = self._grown
            seeds = [None] * len(grown.trees) if grown.seed is None else grown.tree_seeds()
            self._estimators = list(map(self._tree_estimator, self._trees, seeds))
        return self._estimators

    def _require_fitted(self, attribute: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(
                f"This {type(self).__name__} is not fitted yet and has no attribute "
                f"{attribute!r}. Call fit first."
            )

    def _tree_estimator(self, native: _core.Tree, seed: int | None) -> BaseTree:
        """Return a fitted tree with the forest's parameters and numbers as classes, as sklearn."""
        tree = self._tree_class()
        tree.set_params(random_state=seed, **self._own_parameters(tree))
        tree.n_features_in_ = self.n_features_in_
        tree._variables = self._variables
        tree.n_outputs_ = self.n_outputs_
        tree.max_features_ = self.max_features_
        if self._classification:
            counts = np.atleast_1d(self.n_classes_)
            targets.set_classes(tree, [np.arange(n, dtype=np.float64) for n in counts])
            tree._class_labels = self._class_lists()
        tree._take_tree(native, self._trees.as_float32)
        return tree

    def _class_lists(self) -> list[np.ndarray]:
        """Return the classes of each output."""
        return [self.classes_] if self.n_outputs_ == 1 else list(self.classes_)

    def _own_parameters(self, tree: BaseTree) -> dict[str, Any]:
        """Return the parameters that a single tree has as well."""
        shared = tree.get_params(deep=False).keys() - {"splitter", "random_state", "class_weight"}
        return {name: getattr(self, name) for name in shared}

    @property
    @reads_one_state
    def estimators_samples_(self) -> list[np.ndarray]:
        """Indices of the rows drawn by each tree, with repetitions; drawn again on each access."""
        self._require_fitted("estimators_samples_")
        return self._grown.rows_drawn()

    @property
    @reads_one_state
    def feature_importances_(self) -> np.ndarray:
        """Mean decrease of impurity of each variable, normalized to a sum of one."""
        check_is_fitted(self)
        return self._grown.feature_importances()

    @property
    @reads_one_state
    def work_(self) -> dict[str, float]:
        """Counts of the work that growing took, and the shape of the trees (thesis ch. 5)."""
        self._require_fitted("work_")
        return self._grown.total_work()

    @reads_one_state
    def summary(self) -> Summary:
        """Summarize the forest: its size, out-of-bag error and most important variables.

        Returns
        -------
        summary : Summary
            It prints as text, and as HTML in notebooks. Its attributes are ``n_trees``,
            ``n_nodes``, ``depth``, ``oob_error``, ``confusion``, ``class_errors`` and
            ``importances``; ``to_dict()`` returns all of them.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> RandomForestRegressor(10, random_state=0).fit([[0], [1]], [0, 1]).summary().n_trees
        10
        """
        check_is_fitted(self)
        return summary_of(self)

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Show the summary in the HTML form; scikit-learn's own would compute every attribute."""
        del doc_link
        return FittedSection(self.summary())

    @reads_one_state
    def to_sklearn(self) -> Any:
        """Convert the forest to a fitted scikit-learn estimator.

        Returns
        -------
        forest : estimator of sklearn.ensemble
            It makes the same predictions for inputs that are exact in float32. scikit-learn rounds
            inputs to float32; fit on ``X.astype(np.float32)`` if that matters.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.to_sklearn().predict([[0.5]])
        array(['low'], dtype='<U4')
        """
        check_is_fitted(self)
        return forest_to_sklearn(self)

    # ---- predicting

    def _checked(self, X: Any) -> _core.Matrix:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        return inputs.prediction_inputs(self, X)

    def _values(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        X, jobs = self._checked(X), self._jobs(n_jobs)
        return prediction.mean_prediction(self._trees.predictor_by(jobs), X, jobs)

    def _jobs(self, n_jobs: int | None) -> int | None:
        return self.n_jobs if n_jobs is None else n_jobs

    @reads_one_state
    def predictor(self, *, n_jobs: int = 1) -> Predictor:
        """Return a callable that predicts with little overhead, for use in services.

        It predicts a single row (a list, a dict or a vector) in microseconds, and tables as
        ``predict`` does.

        Parameters
        ----------
        n_jobs : int, default=1
            Number of threads for tables. A single row always uses the calling thread.

        Returns
        -------
        predictor : Predictor
            The callable. It can be pickled and used by several threads at once.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> predict = RandomForestRegressor(random_state=0).fit([[0.0], [1.0]], [2, 2]).predictor()
        >>> predict([0.5])
        2.0
        """
        check_is_fitted(self)
        return self._predictor_with(None, n_jobs)

    def _predictor_with(self, samples: TrainingSamples | None, n_jobs: int) -> Predictor:
        return Predictor(
            self._trees,
            self._variables,
            self._class_lists() if self._classification else None,
            self.unknown_category,
            self.missing,
            n_jobs,
            self._maps(),
            samples,
        )

    def _maps(self) -> list[ProbabilityMap] | None:
        """Return what calibration does to the probabilities of each output, if anything."""
        return None

    @reads_one_state
    def apply(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Return the leaf that each sample falls into, for every tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        X_leaves : ndarray of shape (n_samples, n_estimators)
            Number of the leaf among the nodes of its tree.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
        >>> forest = RandomForestClassifier(3, random_state=0).fit(X, y)
        >>> forest.apply([[0.5], [5.5]]).tolist()
        [[1, 1, 1], [2, 2, 2]]
        """
        X, jobs = self._checked(X), self._jobs(n_jobs)
        predictor = self._trees.predictor_by(jobs)
        self._grown.require_one_leaf_each("apply")
        return prediction.leaves(predictor, X, jobs)

    @reads_one_state
    def decision_path(self, X: Any, *, n_jobs: int | None = None) -> tuple[csr_matrix, np.ndarray]:
        """Return the nodes on the paths of each sample from the roots to its leaves.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            1 if the node is on the path of the sample, 0 otherwise.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Columns ``n_nodes_ptr[i]:n_nodes_ptr[i + 1]`` belong to the nodes of tree i.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
        >>> forest = RandomForestClassifier(3, random_state=0).fit(X, y)
        >>> indicator, n_nodes_ptr = forest.decision_path([[0.5], [5.5]])
        >>> n_nodes_ptr
        array([0, 3, 6, 9])
        >>> indicator[:, n_nodes_ptr[0] : n_nodes_ptr[1]].toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        X, jobs = self._checked(X), self._jobs(n_jobs)
        predictor = self._trees.predictor_by(jobs)
        self._grown.require_one_leaf_each("decision_path")
        path = prediction.decision_path(predictor, X, jobs)
        return path, np.cumsum([0, *self._trees.node_counts])
