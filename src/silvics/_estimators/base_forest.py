"""What forests (thesis ch. 4) have in common: fitting, predicting, out-of-bag estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import metadata_routing
from sklearn.utils._param_validation import StrOptions

from silvics import _core
from silvics._estimators.declared import ForestParameters
from silvics._estimators.fitted_forest import GrownForest
from silvics._estimators.saving import Saved
from silvics._fitting import parameters, pruning, rotation, targets
from silvics._fitting.axes import Axes, classic_axes
from silvics._fitting.progress import Progress
from silvics._predicting import out_of_bag, prediction
from silvics._sklearn import (
    BaseEstimator,
    CallbackSupportMixin,
    ClassifierMixin,
    MultiOutputMixin,
    RegressorMixin,
    fit_context,
    with_callbacks,
)
from silvics._state import fit_aside, reads_one_state
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


class BaseForest(
    Saved,
    inputs.TakesAnyTable,
    ForestParameters,
    CallbackSupportMixin,
    MultiOutputMixin,
    GrownForest,
    BaseEstimator,
):
    """What classification and regression forests have in common."""

    _recipe: ClassVar[str]

    # Not a thing to route through a pipeline.
    __metadata_request__fit: ClassVar = {"feature_names": metadata_routing.UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **parameters.TREE_CONSTRAINTS,
        **parameters.FOREST_CONSTRAINTS,
    }

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

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        if issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        self._check_sampling()
        before = dict(vars(self))
        given, (X, y) = X, self._learning_inputs(X, y)
        inputs.check_lengths(X, y)
        axes = self._choices(X.shape[0])
        targets.warn_of_column(y)
        y = targets.as_columns(y)
        self.n_outputs_ = y.shape[1]
        weights = targets.checked_weights(sample_weight, X)
        kept, seeds = self._seeds_to_grow()
        encoded, sampling = self._encode(axes, X, y, weights)
        if kept and not self._fits(kept[0], X.shape[1]):
            if not seeds:  # nothing to add, and nothing to change
                self.__dict__.update(before)
                return self
            raise ValueError(
                "warm_start=True adds trees to those there are: X and y must have the same "
                "variables, outputs and numbers of classes as before."
            )
        self.interrupted_ = False
        error = None
        if seeds:
            error = self._grow(axes, given, X, encoded, sampling, kept, seeds)
        self._estimate(X, encoded, sampling, bool(seeds), error)
        if self._classification:
            targets.unwrap_single_output(self)
        if error is not None:
            raise error
        return self

    def _needed_in_files(self, grown_here: bool) -> set[str]:
        return super()._needed_in_files(grown_here) | {"interrupted_"}

    def _learning_inputs(self, X: Any, y: Any) -> tuple[Blocks, np.ndarray]:
        blocks = inputs.learning_inputs(self, X, y)
        return blocks, targets.checked_outputs(y)

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
        """Every choice that the trees are grown by."""
        del n_samples  # of rows that depend on it there are none among the classic ones
        return classic_axes(self)

    def _encode(
        self, axes: Axes, X: Blocks, y: np.ndarray, weights: np.ndarray | None
    ) -> tuple[np.ndarray, _core.Sampling]:
        """Outputs for the core, and how each tree draws its rows."""
        balanced = False
        for name in ("_weights_given", "_n_held_out"):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self._classification:
            encoded = targets.encode_classes(self, y)
            if self.warm_start and isinstance(self.class_weight, str):
                warn_user(
                    'class_weight presets "balanced" or "balanced_subsample" are not '
                    "recommended for warm_start if the fitted data differs from the full "
                    "dataset. Compute the weights on the full set and pass them as a dict.",
                )
            if weights is not None and self.class_weight is not None:
                self._weights_given = True  # which the product below does not tell
            bootstrap = axes.rows == "bootstrap"
            balanced = bootstrap and self.class_weight == "balanced_subsample"
            weights = targets.combined(
                weights, targets.class_weights(self, y, encoded, weights, bootstrap)
            )
        else:
            encoded = targets.real_values(y, axes.criterion, "strictly positive")
        if axes.pruning == "reduced_error":
            weights = pruning.hold_out(self, axes, X.shape[0], weights)
        self._n_samples = X.shape[0]
        self._sample_weight = weights
        self._rows = axes.rows
        self._n_samples_bootstrap = (
            None if axes.rows == "all" else parameters.n_rows_drawn(axes, X.shape[0], weights)
        )
        self._balanced_subsample = balanced
        self._structure = axes.honest
        return encoded, self._sampling()

    def _fits(self, tree: _core.Tree, n_features: int) -> bool:
        """Whether a tree could be of this learning set."""
        classes = [int(n) for n in self.n_classes_] if self._classification else []
        seen = (tree.n_features, tree.n_outputs, tree.n_classes)
        return seen == (n_features, self.n_outputs_, classes)

    def _seeds_to_grow(self) -> tuple[list[_core.Tree], list[int]]:
        """Trees that are kept, and seeds of those to add."""
        if self.warm_start and getattr(self, "_trees", None):
            if self._seed is None:
                raise ValueError(
                    "A forest brought from elsewhere, or merged, cannot be grown further "
                    "(warm_start=True)."
                )
            kept = list(self._trees)
        else:
            kept = []
            self._seed = parameters.seed_of(self.random_state)
        n_estimators = self._n_trees()
        more = n_estimators - len(kept)
        if more < 0:
            raise ValueError(
                f"n_estimators={n_estimators} must be larger or equal to "
                f"len(estimators_)={len(kept)} when warm_start==True"
            )
        if more == 0:
            warn_user(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
            )
        return kept, self._tree_seeds(len(kept), more)

    def _n_trees(self) -> int:
        return int(self.n_estimators)

    def _grow(
        self,
        axes: Axes,
        given: Any,
        X: Blocks,
        encoded: np.ndarray,
        sampling: _core.Sampling,
        kept: list[_core.Tree],
        seeds: list[int],
    ) -> BaseException | None:
        """Grow and keep trees; what cut it short, if anything."""
        n_jobs = n_threads(self.n_jobs)
        context = self._init_callback_context(max_subtasks=len(seeds))
        context.call_on_fit_task_begin(estimator=self, X=given, y=encoded)
        progress = Progress(self)
        grower = rotation.grow if axes.rotates else _grow_on_table
        target = targets.native_target(
            self, parameters.core_criterion(axes), encoded, self._classification,
            self._sample_weight,
        )  # fmt: skip
        grown, work, error = grower(
            self, axes, X, encoded, target, sampling, seeds, n_jobs, progress if progress else None
        )
        if error is not None and not kept and not grown:
            raise error
        grown = self._finished(axes, grown, X, encoded)
        made = getattr(self, "_estimators", [])[: len(kept)]
        self._work = (self._work if kept else []) + work
        self._trees = prediction.Trees(kept + grown, by_majority=axes.vote == "majority")
        self._forget_estimates()
        if made:  # trees that were handed out stay the same objects
            self._estimators = [*made, *map(self._tree_estimator, grown, seeds)]
        self.interrupted_ = error is not None
        if error is None:
            context.call_on_fit_task_end(estimator=self, X=given, y=encoded)
        return error

    def _finished(
        self, axes: Axes, grown: list[_core.Tree], X: Blocks, encoded: np.ndarray
    ) -> list[_core.Tree]:
        """What becomes of trees once they are grown."""
        return pruning.pruned(self, axes, grown, X, encoded)

    # ---- out-of-bag estimates (thesis 4.4.1)

    def _estimate(
        self,
        X: Blocks,
        y: np.ndarray,
        sampling: _core.Sampling,
        grew: bool,
        error: BaseException | None,
    ) -> None:
        """What the trees there are, which may be too few, say of their learning set."""
        if self.oob_score and error is None and (grew or not hasattr(self, "oob_score_")):
            out_of_bag.estimate(self, X, y, sampling)


def _grow_on_table(
    estimator: Any,
    axes: Axes,
    X: Blocks,
    _y: np.ndarray,
    target: _core.Target,
    sampling: _core.Sampling,
    seeds: list[int],
    n_jobs: int,
    progress: Any,
) -> tuple[list[_core.Tree], list[tuple[int, int, int, int]], BaseException | None]:
    """Trees of the seeds, what each has taken, and what cut it short, if anything."""
    rules = parameters.growth_rules(estimator, axes, X.shape)
    drawn = estimator._n_samples_bootstrap or X.shape[0]
    looks = drawn * len(seeds) / X.shape[0]
    table = parameters.coded_table(estimator, inputs.to_grow(X), rules, n_jobs, looks)
    return _core.grow(
        table, target, sampling, parameters.core_criterion(axes), rules, seeds, n_jobs, progress
    )


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
