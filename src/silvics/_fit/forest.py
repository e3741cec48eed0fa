"""What forests (thesis ch. 4) have in common: fitting, predicting, out-of-bag estimates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MultiOutputMixin,
    RegressorMixin,
    _fit_context,
)
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._fit import inputs, parameters, targets, walking
from silvics._fit.growing import Progress, all_or_nothing
from silvics._fit.tree import BaseTree
from silvics.recipes import RECIPES
from silvics.tree_arrays import digest


class BaseForest(CallbackSupportMixin, MultiOutputMixin, BaseEstimator):
    """What classification and regression forests have in common."""

    _recipe: ClassVar[str]
    _classification: ClassVar[bool]
    _tree_class: ClassVar[type[BaseTree]]

    _seed: int | None  # None for a forest that was not grown here

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **parameters.TREE_CONSTRAINTS,
        **parameters.FOREST_CONSTRAINTS,
    }

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BaseForest:
        """Grow the trees on a learning set.

        Ctrl-C ends the growing: the trees finished so far, in order, are kept and usable,
        ``interrupted_`` is True, and KeyboardInterrupt is raised.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The input variables, in any numeric type and memory layout.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The output: class labels, or real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, not negative. With ``bootstrap`` they are the odds of
            being drawn, otherwise a weight of two is a row given twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> BaseForest:
        if issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        X, y = inputs.learning_inputs(self, X, y)
        targets.warn_of_column(y)
        y = targets.as_columns(y)
        self.n_outputs_ = y.shape[1]
        encoded, sampling = self._encode(X, y, targets.checked_weights(sample_weight, X))
        kept, seeds = self._seeds_to_grow()
        self.interrupted_ = False
        error = None
        if seeds:
            error = self._grow(X, encoded, sampling, kept, seeds)
        if self.oob_score and error is None and (seeds or not hasattr(self, "oob_score_")):
            self._estimate_out_of_bag(X, encoded, sampling)
        if self._classification:
            targets.unwrap_single_output(self)
        if error is not None:
            raise error
        return self

    def _encode(
        self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None
    ) -> tuple[np.ndarray, _core.Sampling]:
        """Outputs for the core, and how each tree draws its rows."""
        balanced = False
        if self._classification:
            encoded = targets.encode_classes(self, y)
            if self.warm_start and isinstance(self.class_weight, str):
                warn(
                    'class_weight presets "balanced" or "balanced_subsample" are not '
                    "recommended for warm_start if the fitted data differs from the full "
                    "dataset. Compute the weights on the full set and pass them as a dict.",
                    stacklevel=4,
                )
            balanced = self.bootstrap and self.class_weight == "balanced_subsample"
            weights = targets.combined(
                weights, targets.class_weights(self, y, weights, self.bootstrap)
            )
        else:
            encoded = targets.real_values(y, self.criterion)
        self._n_samples = X.shape[0]
        self._sample_weight = weights
        self._n_samples_bootstrap = (
            parameters.n_rows_drawn(self.max_samples, X.shape[0], weights)
            if self.bootstrap
            else None
        )
        self._balanced_subsample = balanced
        return encoded, self._sampling()

    def _sampling(self) -> _core.Sampling:
        return _core.Sampling(
            self._n_samples,
            self.bootstrap,
            self._n_samples_bootstrap or 0,
            self._balanced_subsample,
            self._sample_weight,
        )

    def _seeds_to_grow(self) -> tuple[list[_core.Tree], list[int]]:
        """Trees that are kept, and seeds of those to add."""
        if self.warm_start and getattr(self, "_trees", None):
            if self._seed is None:
                raise ValueError(
                    "A forest brought from elsewhere cannot be grown further (warm_start=True)."
                )
            kept = list(self._trees)
        else:
            kept = []
            self._seed = parameters.seed_of(self.random_state)
        more = self.n_estimators - len(kept)
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={len(kept)} when warm_start==True"
            )
        if more == 0:
            warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                stacklevel=5,
            )
        return kept, self._tree_seeds(len(kept), more)

    def _tree_seeds(self, first: int, count: int) -> list[int]:
        assert self._seed is not None
        return _core.tree_seeds(self._seed, first, count)

    def _grow(
        self,
        X: np.ndarray,
        encoded: np.ndarray,
        sampling: _core.Sampling,
        kept: list[_core.Tree],
        seeds: list[int],
    ) -> BaseException | None:
        """Grow and keep trees; what cut it short, if anything."""
        n_jobs = parameters.n_threads(self.n_jobs)
        rules = parameters.growth_rules(self, X.shape, RECIPES[self._recipe].cut == "uniform")
        context = self._init_callback_context(max_subtasks=len(seeds))
        context.call_on_fit_task_begin(estimator=self, X=X, y=encoded)
        progress = Progress(self)
        grown, error = _core.grow(
            _core.code_table(X, self.max_bins or 0, self.binning == "width", n_jobs),
            targets.native_target(self, encoded, self._classification),
            sampling,
            self.criterion,
            rules,
            seeds,
            n_jobs,
            progress if progress else None,
        )
        if error is not None and not kept and not grown:
            raise error
        self._trees = kept + grown
        self._as_float32 = False
        self._forget_made_trees()
        self.interrupted_ = error is not None
        if error is None:
            context.call_on_fit_task_end(estimator=self, X=X, y=encoded)
        return error

    def _forget_made_trees(self) -> None:
        self.__dict__.pop("_estimators", None)

    def _adopt(self, trees: list[BaseTree]) -> None:
        """Become a forest of trees that were grown elsewhere, and cannot be grown again."""
        self._trees = [tree.tree_._native for tree in trees]
        self._estimators = trees
        self._as_float32 = trees[0].tree_._as_float32
        self.max_features_ = trees[0].max_features_
        self.interrupted_ = False
        self._seed = None

    # ---- out-of-bag estimates (thesis 4.4.1)

    def _estimate_out_of_bag(self, X: np.ndarray, y: np.ndarray, sampling: _core.Sampling) -> None:
        kind = type_of_target(y)
        if kind == "unknown" or (self._classification and kind == "multiclass-multioutput"):
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates. Got "
                f"{kind} while only the following are supported: continuous, "
                "continuous-multioutput, binary, multiclass, multilabel-indicator."
            )
        seeds = self._tree_seeds(0, len(self._trees))
        sums, counts = _core.out_of_bag(
            self._trees, seeds, sampling, X, parameters.n_threads(self.n_jobs)
        )
        if not counts.all():
            warn(
                "Some inputs do not have OOB scores. This probably means too few trees were "
                "used to compute any reliable OOB estimates.",
                stacklevel=5,
            )
        values = sums / np.maximum(counts, 1)[:, np.newaxis]
        score = self.oob_score if callable(self.oob_score) else None
        self._set_out_of_bag(y, values, score)

    # ---- the trees

    def __sklearn_is_fitted__(self) -> bool:
        return bool(getattr(self, "_trees", None))

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> BaseTree:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[BaseTree]:
        return iter(self.estimators_)

    @property
    def estimator_(self) -> BaseTree:
        """An unfitted tree of the kind that the forest is made of."""
        self._require_fitted("estimator_")
        return self._tree_class()

    @property
    def estimators_(self) -> list[BaseTree]:
        """The trees as estimators, sharing the forest's memory; made when first asked for."""
        self._require_fitted("estimators_")
        if not hasattr(self, "_estimators"):
            seeds = self._tree_seeds(0, len(self._trees))
            self._estimators = [
                self._tree_estimator(tree, seed)
                for tree, seed in zip(self._trees, seeds, strict=True)
            ]
        return self._estimators

    def _require_fitted(self, attribute: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(
                f"This {type(self).__name__} is not fitted yet: it has no {attribute}"
            )

    def _tree_estimator(self, native: _core.Tree, seed: int) -> BaseTree:
        """A fitted tree with this forest's parameters. Its classes are numbers, as in sklearn."""
        tree = self._tree_class(random_state=seed)
        shared = tree.get_params(deep=False).keys() - {"splitter", "random_state", "class_weight"}
        tree.set_params(**{name: getattr(self, name) for name in shared})
        tree.n_features_in_ = self.n_features_in_
        tree.n_outputs_ = self.n_outputs_
        tree.max_features_ = self.max_features_
        if self._classification:
            counts = np.atleast_1d(self.n_classes_)
            tree.classes_ = [np.arange(n, dtype=np.float64) for n in counts]
            tree.n_classes_ = counts
            targets.unwrap_single_output(tree)
        tree._take_tree(native, self._as_float32)
        return tree

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """Rows drawn by each tree, with repetitions; drawn again at each call."""
        self._require_fitted("estimators_samples_")
        if self._seed is None:
            raise AttributeError("The rows drawn are not known of a forest brought from elsewhere.")
        dtype = np.int32 if self._n_samples <= np.iinfo(np.int32).max else np.int64
        if not self.bootstrap:
            return [np.arange(self._n_samples, dtype=dtype) for _ in self._trees]
        sampling = self._sampling()
        seeds = self._tree_seeds(0, len(self._trees))
        return [sampling.rows(seed).astype(dtype) for seed in seeds]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean over the trees of each variable's decrease of impurity, summing to one."""
        check_is_fitted(self)
        importances = [t.impurity_decrease(True) for t in self._trees if t.node_count > 1]
        if not importances:
            return np.zeros(self.n_features_in_)
        mean = np.mean(importances, axis=0)
        whole = mean.sum()
        return mean / whole if whole > 0 else mean

    def digest(self) -> str:
        """SHA-256 of the trees alone: equal forests, equal digests.

        The same data, parameters and seed give the same digest for any ``n_jobs`` and any
        number of warm-start steps.

        Returns
        -------
        digest : str
        """
        check_is_fitted(self)
        return digest(self._trees)

    def to_sklearn(self) -> Any:
        """The same forest as a fitted scikit-learn estimator.

        Returns
        -------
        forest : estimator of sklearn.ensemble
            Predicts the same for inputs that float32 can hold.
        """
        from silvics.interop.sklearn import forest_to_sklearn

        check_is_fitted(self)
        return forest_to_sklearn(self)

    # ---- walking

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return inputs.prediction_inputs(self, X)

    def _values(self, X: Any) -> np.ndarray:
        return walking.mean_prediction(
            self._trees, self._checked(X), self._as_float32, parameters.n_threads(self.n_jobs)
        )

    def apply(self, X: Any) -> np.ndarray:
        """Leaf that each sample ends in, in every tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_leaves : ndarray of shape (n_samples, n_estimators)
        """
        X = self._checked(X)
        n_jobs = parameters.n_threads(self.n_jobs)
        return walking.leaves(self._trees, X, self._as_float32, n_jobs)

    def decision_path(self, X: Any) -> tuple[csr_matrix, np.ndarray]:
        """Nodes that each sample visits, in all trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            One where the sample visits the node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Columns ``n_nodes_ptr[i]:n_nodes_ptr[i + 1]`` are the nodes of tree i.
        """
        X = self._checked(X)
        n_jobs = parameters.n_threads(self.n_jobs)
        path = walking.decision_path(self._trees, X, self._as_float32, n_jobs)
        return path, np.cumsum([0, *(tree.node_count for tree in self._trees)])


class ForestClassifier(ClassifierMixin, BaseForest):
    """A forest that predicts classes."""

    _classification = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseForest._parameter_constraints,
        "criterion": [StrOptions(parameters.CLASSIFICATION_CRITERIA)],
        "class_weight": [StrOptions({"balanced_subsample", "balanced"}), dict, list, None],
    }

    def _set_out_of_bag(self, y: np.ndarray, values: np.ndarray, score: Any) -> None:
        shares = walking.split_outputs(values, self.n_classes_)
        if len(shares) == 1:
            self.oob_decision_function_ = shares[0]
            y = y[:, 0]
        else:
            self.oob_decision_function_ = np.stack(shares, axis=-1)
        predicted = np.argmax(self.oob_decision_function_, axis=1)
        self.oob_score_ = (score or accuracy_score)(y, predicted)

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest mean share over the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return walking.labels(self, self._values(X))

    def predict_proba(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """Mean over the trees of the class shares in a sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        return walking.probabilities(self, self._values(X))

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
        return walking.log_probabilities(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class ForestRegressor(RegressorMixin, BaseForest):
    """A forest that predicts real numbers."""

    _classification = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseForest._parameter_constraints,
        "criterion": [StrOptions(parameters.REGRESSION_CRITERIA)],
    }

    def _set_out_of_bag(self, y: np.ndarray, values: np.ndarray, score: Any) -> None:
        self.oob_prediction_ = walking.reals(values)
        self.oob_score_ = (score or r2_score)(walking.reals(y), self.oob_prediction_)

    def predict(self, X: Any) -> np.ndarray:
        """Mean over the trees of the value of a sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return walking.reals(self._values(X))
