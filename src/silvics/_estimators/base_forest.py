"""Base classes of forests (thesis ch. 4): fitting, predicting, out-of-bag estimates."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import metadata_routing
from sklearn.utils._param_validation import StrOptions

from silvics import _core
from silvics._estimators.calibration import HasCalibration
from silvics._estimators.distributions import HasDistributions
from silvics._estimators.forest_growth import GrowsTrees
from silvics._estimators.out_of_bag import HasOutOfBag
from silvics._estimators.proximities import HasProximities
from silvics._estimators.samples import HasSamples, check_can_keep_samples, with_samples
from silvics._estimators.tuning import HasTuning
from silvics._fitting import parameters, targets
from silvics._fitting.axes import Axes, classic_axes
from silvics._fitting.groups import check_same_groups, group_numbers
from silvics._fitting.learning_task import LearningTask, forest_task
from silvics._fitting.stages import check_task
from silvics._predicting import prediction
from silvics._predicting.out_of_bag import out_of_bag_estimate
from silvics._predicting.sampling import require_rows_left_out
from silvics._sklearn import (
    ClassifierMixin,
    RegressorMixin,
    fit_context,
    with_callbacks,
)
from silvics._state import fit_aside, reads_one_state
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics._tasks.choosing import check_tasks
from silvics._warnings import warn_user

if TYPE_CHECKING:
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )


class BaseForest(HasTuning, HasOutOfBag, HasProximities, HasSamples, GrowsTrees):
    """Base class of classification and regression forests."""

    _has_outputs = True

    # Not routed through pipelines.
    __metadata_request__fit: ClassVar = {"feature_names": metadata_routing.UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **parameters.TREE_CONSTRAINTS,
        **parameters.FOREST_CONSTRAINTS,
    }

    def _needed_in_files(self, grown_here: bool) -> set[str]:
        return super()._needed_in_files(grown_here) | {"interrupted_"}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        feature_names: Any = None,
    ) -> Self:
        """Fit the forest to a training set.

        Ctrl-C or an exception of ``progress`` stops the fit. The trees that are finished by then
        are kept and can be used, ``interrupted_`` is set to True, and the exception is raised.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples: an array, a data frame, a sparse matrix or a list of rows, of any
            numeric type and memory layout.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The outputs: class labels for classification, real numbers for regression.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples. With ``bootstrap=True`` a row is drawn with a
            probability proportional to its weight. Otherwise the weights multiply the samples, so
            that a weight of two is the same as a row given twice. None gives all samples the same
            weight.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as a patient or a day. Trees draw groups as a whole, all
            with the same probability, so that a sample is out of bag only if its whole group is.
            ``max_samples`` is then the number or the fraction of groups, and weights multiply the
            samples. None draws single samples.
        feature_names : array-like of str, default=None
            Names of the columns if X is an array or a sparse matrix. A data frame has its own
            names.

        Returns
        -------
        self : object
            The fitted forest.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(10, random_state=0).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> len(forest.estimators_)
        10
        """
        named = inputs.named(X, feature_names)
        return fit_aside(self, lambda copy: copy._fit(named, y, sample_weight, groups))

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> bool:
        """Fit this copy of the estimator. Return False if nothing has changed."""
        begin = time.monotonic()
        if issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        self._check_sampling()
        self._check_tasks()
        blocks, y = self._learning_inputs(X, y)
        inputs.check_lengths(blocks, y)
        axes = self._choices(blocks.shape[0])
        keeps_samples = getattr(self, "keep_samples", False)
        if keeps_samples:
            check_can_keep_samples(axes)
        targets.warn_of_column(y)
        y = targets.as_columns(y)
        weights = targets.checked_weights(sample_weight, blocks)
        numbers = group_numbers(groups, blocks.shape[0])
        before, seed, n_more = self._to_grow()
        task = self._learning_task(axes, blocks, y, weights, seed, numbers)
        if before is not None and not _could_be_of(before.trees[0], task):
            if n_more == 0:
                return False
            raise ValueError(
                "warm_start=True adds trees to the existing ones, so X and y must have the same "
                "number of columns, outputs and classes as in the previous fit. Set "
                "warm_start=False to grow a new forest."
            )
        self._keep_outputs(task.outputs)
        if self._is_tuned:
            n_tuned = n_more // axes.stages  # the second stage has the parameters of the first
            task = self._tuned_task(before, n_tuned, blocks, y, weights, seed, numbers)
        else:
            self._forget_tuning()
        check_same_groups(None if before is None else before.sampling, task.sampling)
        check_task(task)
        if self._stops_early:
            of_user = "early_stopping=True" if self.early_stopping else "target_score"
            require_rows_left_out(task.sampling, of_user)
        if self.oob_score:
            require_rows_left_out(task.sampling, f"oob_score={self.oob_score}")
        self.interrupted_, self.stopped_ = False, None
        error = None
        if before is not None and n_more == 0:
            self._grown = replace(before, sampling=task.sampling)
        else:
            error = self._grow(task, X, before, n_more, begin)
        try:
            if keeps_samples and not self.interrupted_:
                self._grown.trees.release_native(self.n_jobs)
                self._grown = with_samples(self._grown, task, self.n_jobs)
            self._estimate(task, grew=n_more > 0)
        except KeyboardInterrupt:  # the trees are kept, without the estimates
            self.interrupted_ = True
            raise
        if error is not None:
            raise error
        return True

    # ---- steps of fit

    def _check_sampling(self) -> None:
        """Raise the errors that scikit-learn raises before it reads X."""
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")

    def _check_tasks(self) -> None:
        """Raise the errors of ``engine`` and ``resume`` before X is read."""
        check_tasks(self)
        if getattr(self, "engine", None) is not None and self.max_memory is not None:
            raise ValueError(
                "max_memory is the memory of this process, but with engine= trees are grown by "
                "workers, whose memory Dask limits (memory_limit of a worker). Set max_memory=None."
            )

    def _choices(self, n_samples: int) -> Axes:
        """Return all choices of the recipe; some depend on the number of rows."""
        del n_samples
        return classic_axes(self)

    def _learning_task(
        self,
        axes: Axes,
        X: Blocks,
        y: np.ndarray,
        weights: np.ndarray | None,
        seed: int,
        groups: np.ndarray | None = None,
    ) -> LearningTask:
        """Encode the outputs and decide how each tree draws its rows."""
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
            weights_given=weights is not None and chosen is not None, groups=groups,
        )  # fmt: skip

    def _task_again(self, *given: Any) -> LearningTask:
        """Return the task of a fit that has been done."""
        return self._learning_task(*given)

    def _estimate(self, task: LearningTask, grew: bool) -> None:
        """Set the out-of-bag estimates (thesis 4.4.1), if ``oob_score`` is set."""
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
    """Return whether the tree has the columns, outputs and classes of the task."""
    outputs = task.outputs
    seen = (tree.n_features, tree.n_outputs, tree.n_classes)
    return seen == (task.X.shape[1], outputs.n_outputs, outputs.n_classes)


class BaseForestClassifier(HasCalibration, ClassifierMixin, BaseForest):
    """Base class of classification forests."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> RandomForestClassifier | ExtraTreesClassifier: ...

    _classification = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseForest._parameter_constraints,
        "criterion": [StrOptions(parameters.CLASSIFICATION_CRITERIA)],
        "class_weight": [StrOptions({"balanced_subsample", "balanced"}), dict, list, None],
        "calibrate": [StrOptions({"oob"}), None],
    }

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Predict the class of each sample.

        The predicted class has the largest mean probability over the trees, or the most votes if
        the trees vote by majority.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted classes.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.predict([[0.5], [5.5]])
        array(['low', 'high'], dtype='<U4')
        """
        return prediction.labels(self, self._values(X, n_jobs))

    @reads_one_state
    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray | list[np.ndarray]:
        """Predict the class probabilities of each sample.

        The probabilities are the mean over the trees of the class proportions in the leaf of the
        sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or list of ndarray
            The probabilities of the classes, in the order of ``classes_``. For several outputs, a
            list with one array per output.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
        >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
        >>> forest.predict_proba([[0.5], [5.5]])
        array([[0., 1.],
               [1., 0.]])
        """
        return prediction.probabilities(self, self._values(X, n_jobs))

    @reads_one_state
    def predict_log_proba(
        self, X: Any, *, n_jobs: int | None = None
    ) -> np.ndarray | list[np.ndarray]:
        """Predict the logarithms of the class probabilities of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), or list of ndarray
            The logarithms of the result of ``predict_proba``.
        """
        return prediction.log_probabilities(self.predict_proba(X, n_jobs=n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class BaseForestRegressor(HasDistributions, RegressorMixin, BaseForest):
    """Base class of regression forests."""

    if TYPE_CHECKING:

        def to_sklearn(self) -> RandomForestRegressor | ExtraTreesRegressor: ...

    _classification = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseForest._parameter_constraints,
        "criterion": [StrOptions(parameters.REGRESSION_CRITERIA)],
    }

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray:
        """Predict the output of each sample: the mean of the predictions of the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted values.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(10, random_state=0).fit([[0.0], [1.0]], [3.0, 3.0])
        >>> forest.predict([[0.5]])
        array([3.])
        """
        return prediction.reals(self._values(X, n_jobs))
