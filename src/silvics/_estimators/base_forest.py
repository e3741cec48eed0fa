"""What forests (thesis ch. 4) have in common: fitting, predicting, out-of-bag estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import metadata_routing
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._estimators.fitted_forest import FittedForest
from silvics._estimators.samples import check_can_keep_samples, with_attached_samples, with_samples
from silvics._fitting import parameters, pruning, targets
from silvics._fitting.axes import Axes, classic_axes
from silvics._fitting.growing import grow
from silvics._fitting.learning_task import LearningTask, forest_task
from silvics._fitting.progress import Progress
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.out_of_bag import out_of_bag_estimate
from silvics._sklearn import (
    CallbackSupportMixin,
    ClassifierMixin,
    RegressorMixin,
    available_if,
    fit_context,
    with_callbacks,
)
from silvics._state import fit_aside, reads_one_state, with_state
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics._threads import n_threads
from silvics._warnings import warn_user

if TYPE_CHECKING:
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )


class BaseForest(CallbackSupportMixin, FittedForest):
    """What classification and regression forests have in common: growing the trees."""

    # Not a thing to route through a pipeline.
    _has_outputs = True

    __metadata_request__fit: ClassVar = {"feature_names": metadata_routing.UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **parameters.TREE_CONSTRAINTS,
        **parameters.FOREST_CONSTRAINTS,
    }

    def _needed_in_files(self, grown_here: bool) -> set[str]:
        return super()._needed_in_files(grown_here) | {"interrupted_"}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, feature_names: Any = None) -> Self:
        """Grow the trees on a learning set.

        Ctrl-C, or an exception of ``progress``, ends the growing: the trees finished so far,
        in order, are kept and usable, ``interrupted_`` is True, and the exception is raised.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The input variables, in any numeric type and memory layout.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The output: class labels, or real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, not negative. With ``bootstrap`` they are the odds of
            being drawn, otherwise a weight of two is a row given twice.
        feature_names : array-like of str, default=None
            Names of the columns, for a sparse matrix or an array, which have none.

        Returns
        -------
        self : object
        """
        named = inputs.named(X, feature_names)
        return fit_aside(self, lambda copy: copy._fit(named, y, sample_weight))

    @available_if(lambda forest: forest._has_outputs)
    def attach_samples(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Give a fitted forest its training rows by leaf, as ``keep_samples=True`` keeps them.

        The rows descend all trees once. They must be those of ``fit``, in the same order: every
        leaf must have as many of them, of the same weight, as when its tree was grown. X itself is
        not kept.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples that the forest was fitted on.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their outputs.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, if ``fit`` had any.

        Returns
        -------
        self : object

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> importances = forest.attach_samples(X, y).importances("ufi")
        """
        check_is_fitted(self)
        state = vars(self)  # a fit in another thread replaces it
        state["_grown"] = with_attached_samples(with_state(self, state), X, y, sample_weight)
        return self

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> bool:
        """Fit this copy of the estimator; False if there is nothing to change."""
        if issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        self._check_sampling()
        blocks, y = self._learning_inputs(X, y)
        inputs.check_lengths(blocks, y)
        axes = self._choices(blocks.shape[0])
        keeps_samples = getattr(self, "keep_samples", False)
        if keeps_samples:
            check_can_keep_samples(axes)
        targets.warn_of_column(y)
        y = targets.as_columns(y)
        weights = targets.checked_weights(sample_weight, blocks)
        before, seed, n_more = self._to_grow()
        task = self._learning_task(axes, blocks, y, weights, seed)
        if before is not None and not _could_be_of(before.trees[0], task):
            if n_more == 0:
                return False
            raise ValueError(
                "warm_start=True adds trees to those there are: X and y must have the same "
                "variables, outputs and numbers of classes as before."
            )
        self._keep_outputs(task.outputs)
        self.interrupted_ = False
        error = None
        if before is not None and n_more == 0:
            self._grown = replace(before, sampling=task.sampling)
        else:
            error = self._grow(task, X, before, n_more)
        if keeps_samples and not self.interrupted_:
            self._grown = with_samples(self._grown, task, self.n_jobs)
        self._estimate(task, grew=n_more > 0)
        if error is not None:
            raise error
        return True

    # ---- steps of fit

    def _check_sampling(self) -> None:
        """What scikit-learn refuses before it looks at X."""
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")

    def _choices(self, n_samples: int) -> Axes:
        """Every choice that the trees are grown by; some recipes choose by the number of rows."""
        del n_samples
        return classic_axes(self)

    def _to_grow(self) -> tuple[GrownForest | None, int, int]:
        """The forest that trees are added to, if any, the seed, and the number of new trees."""
        before = getattr(self, "_grown", None) if self.warm_start else None
        if before is not None and before.seed is None:
            raise ValueError(
                "A forest brought from elsewhere, or merged, cannot be grown further "
                "(warm_start=True)."
            )
        seed = parameters.seed_of(self.random_state) if before is None else before.seed
        assert seed is not None
        n_kept = 0 if before is None else len(before.trees)
        n_more = self._n_trees() - n_kept
        if n_more < 0:
            raise ValueError(
                f"n_estimators={self._n_trees()} must be larger or equal to "
                f"len(estimators_)={n_kept} when warm_start==True"
            )
        if n_more == 0:
            warn_user(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
            )
        return before, seed, n_more

    def _n_trees(self) -> int:
        return int(self.n_estimators)

    def _learning_task(
        self, axes: Axes, X: Blocks, y: np.ndarray, weights: np.ndarray | None, seed: int
    ) -> LearningTask:
        """Outputs for the core, and how each tree draws its rows."""
        outputs = targets.encode_outputs(
            y, self._classification, axes.criterion, "strictly positive"
        )
        chosen = getattr(self, "class_weight", None)
        if self.warm_start and isinstance(chosen, str):
            warn_user(
                'class_weight presets "balanced" or "balanced_subsample" are not '
                "recommended for warm_start if the fitted data differs from the full "
                "dataset. Compute the weights on the full set and pass them as a dict.",
            )
        bootstrap = axes.rows == "bootstrap"
        by_class = targets.class_weights(chosen, y, outputs, weights, bootstrap)
        return forest_task(
            self, axes, self._variables, X, outputs, targets.combined(weights, by_class), seed,
            balanced=bootstrap and isinstance(chosen, str) and chosen == "balanced_subsample",
            weights_given=weights is not None and chosen is not None,
        )  # fmt: skip

    def _grow(
        self, task: LearningTask, given: Any, before: GrownForest | None, n_more: int
    ) -> BaseException | None:
        """Grow and keep trees; what ended the growing early, if anything."""
        kept = [] if before is None else list(before.trees)
        seeds = _core.tree_seeds(task.seed, len(kept), n_more)
        y = task.outputs.values
        context = self._init_callback_context(max_subtasks=n_more)
        context.call_on_fit_task_begin(estimator=self, X=given, y=y)
        growth = grow(task, seeds, n_threads(self.n_jobs), Progress(self) or None)
        if growth.error is not None and not kept and not growth.trees:
            raise growth.error
        made = getattr(self, "_estimators", [])[: len(kept)]
        trees = self._finished(task, growth.trees)
        self._grown = GrownForest(
            prediction.Trees(kept + trees, by_majority=task.axes.vote == "majority"),
            task.seed,
            task.sampling,
            ([] if before is None else before.work) + growth.work,
        )
        self.max_features_ = parameters.n_variables_at_node(task.axes, task.X.shape[1])
        self._forget_estimates()
        if made:  # trees that were handed out stay the same objects
            self._estimators = [*made, *map(self._tree_estimator, trees, seeds)]
        self.interrupted_ = growth.error is not None
        if growth.error is None:
            context.call_on_fit_task_end(estimator=self, X=given, y=y)
        return growth.error

    def _finished(self, task: LearningTask, trees: list[_core.Tree]) -> list[_core.Tree]:
        """What becomes of trees once they are grown."""
        return pruning.pruned(task.axes, trees, task.X, task.outputs.values, task.held_out)

    def _estimate(self, task: LearningTask, grew: bool) -> None:
        """Set what the trees say of their learning set: out-of-bag estimates (thesis 4.4.1)."""
        if not self.oob_score or self.interrupted_ or (not grew and hasattr(self, "oob_score_")):
            return
        score = self.oob_score if callable(self.oob_score) else None
        n_classes = task.outputs.n_classes if self._classification else None
        found = out_of_bag_estimate(
            self._grown, task.X, task.outputs.values, n_classes, score, self.n_jobs
        )
        if self._classification:
            self.oob_decision_function_ = found.values
        else:
            self.oob_prediction_ = found.values
        self.oob_score_, self._oob_stats = found.score, found.stats


def _could_be_of(tree: _core.Tree, task: LearningTask) -> bool:
    """Whether a tree could have been grown on this learning set."""
    outputs = task.outputs
    seen = (tree.n_features, tree.n_outputs, tree.n_classes)
    return seen == (task.X.shape[1], outputs.n_outputs, outputs.n_classes)


class BaseForestClassifier(ClassifierMixin, BaseForest):
    """A forest that predicts classes."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> RandomForestClassifier | ExtraTreesClassifier: ...

    _classification = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseForest._parameter_constraints,
        "criterion": [StrOptions(parameters.CLASSIFICATION_CRITERIA)],
        "class_weight": [StrOptions({"balanced_subsample", "balanced"}), dict, list, None],
    }

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """The class with the largest mean share over the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None
            Threads; None is the forest's ``n_jobs``.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return prediction.labels(self, self._values(X, n_jobs))

    @reads_one_state
    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray | list[np.ndarray]:
        """Mean over the trees of the class shares in a sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None
            Threads; None is the forest's ``n_jobs``.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        return prediction.probabilities(self, self._values(X, n_jobs))

    @reads_one_state
    def predict_log_proba(
        self, X: Any, *, n_jobs: int | None = None
    ) -> np.ndarray | list[np.ndarray]:
        """Logarithms of ``predict_proba``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None
            Threads; None is the forest's ``n_jobs``.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        return prediction.log_probabilities(self.predict_proba(X, n_jobs=n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class BaseForestRegressor(RegressorMixin, BaseForest):
    """A forest that predicts real numbers."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> RandomForestRegressor | ExtraTreesRegressor: ...

    _classification = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseForest._parameter_constraints,
        "criterion": [StrOptions(parameters.REGRESSION_CRITERIA)],
    }

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Mean over the trees of the value of a sample's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        n_jobs : int or None
            Threads; None is the forest's ``n_jobs``.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return prediction.reals(self._values(X, n_jobs))
