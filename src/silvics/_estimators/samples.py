"""Training rows by leaf: kept by ``fit``, or attached to a fitted forest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._fitting import targets
from silvics._fitting.axes import Axes
from silvics._fitting.groups import group_numbers
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.tunable import shrinkage_of
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.training_samples import build_samples, check_samples
from silvics._sklearn import available_if
from silvics._state import with_state
from silvics._tables import inputs
from silvics._threads import n_threads

if TYPE_CHECKING:
    from silvics._estimators.base_forest import BaseForest


class HasSamples:
    """Mixin with the method that adds training rows to a fitted forest."""

    _has_outputs: ClassVar[bool]

    @available_if(lambda forest: forest._has_outputs)
    def attach_samples(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None
    ) -> Self:
        """Add the training rows of every leaf to a fitted forest.

        The result is the same as that of ``fit`` with ``keep_samples=True``. The rows must be those
        of ``fit``, in the same order: it is checked that every leaf gets the same number of rows,
        with the same total weight, as when its tree was grown. X itself is not kept.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples that the forest was fitted to.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The outputs that the forest was fitted to.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that were passed to ``fit``, if any.
        groups : array-like of shape (n_samples,), default=None
            The groups that were passed to ``fit``, if any.

        Returns
        -------
        self : object
            The forest, with the training rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
        >>> importances = forest.attach_samples(X, y).importances("ufi")
        """
        check_is_fitted(self)
        state = vars(self)  # a fit in another thread replaces the whole dictionary
        state["_grown"] = with_attached_samples(
            cast("BaseForest", with_state(self, state)), X, y, sample_weight, groups
        )
        return self


def check_can_keep_samples(axes: Axes) -> None:
    """Raise ValueError if a row of a tree may be in several leaves."""
    if axes.missing == "both":
        raise ValueError(
            'keep_samples=True needs one leaf for each row and tree, but with missing="both" a row '
            'can be in several leaves: use missing="learned".'
        )


def with_samples(grown: GrownForest, task: LearningTask, n_jobs: int | None) -> GrownForest:
    """Return the forest with the training rows of every leaf."""
    samples = build_samples(
        grown.trees, inputs.to_predict(task.X), task.outputs.values, task.target,
        grown.tree_seeds(), task.native_sampling, n_threads(n_jobs),
    )  # fmt: skip
    return replace(grown, sampling=task.sampling, samples=samples)


def with_attached_samples(
    forest: BaseForest, X: Any, y: Any, sample_weight: Any, groups: Any
) -> GrownForest:
    """Return the forest with the training rows; ValueError if they are not those of ``fit``."""
    task = _task_of_fit(forest, X, y, sample_weight, groups)
    grown = with_samples(forest._grown, task, forest.n_jobs)
    samples = grown.require_samples("attach_samples")
    has_means = (
        task.axes.criterion != "absolute_error"
        and forest.monotonic_cst is None
        and not shrinkage_of(getattr(forest, "best_params_", {}))
    )
    check_samples(grown.trees, samples, has_means, grown.stages)
    return grown


def _task_of_fit(
    forest: BaseForest, X: Any, y: Any, sample_weight: Any, groups: Any
) -> LearningTask:
    """Reconstruct the learning task of ``fit`` from its rows."""
    grown = forest._grown
    if not grown.trees.known:
        raise ValueError(
            "attach_samples compares the rows with the statistics of the leaves, which this model "
            "does not have: it was saved with for_prediction=True. Save it with "
            "for_prediction=False."
        )
    if grown.seed is None or grown.sampling is None:
        raise ValueError(
            "attach_samples needs the rows that each tree has drawn. They are not known for a "
            "forest that was merged or converted from another library."
        )
    grown.require_one_leaf_each("attach_samples")
    if X is None or y is None:
        raise ValueError(
            f"attach_samples needs the X and y of fit, but {'X' if X is None else 'y'} is None."
        )
    blocks = inputs.prediction_blocks(forest, X)
    y = targets.as_columns(targets.checked_outputs(y))
    inputs.check_lengths(blocks, y)
    n_samples = grown.sampling.n_samples
    if blocks.shape[0] != n_samples:
        raise ValueError(
            f"X has {blocks.shape[0]} rows, but the forest was fitted on {n_samples} rows. Pass "
            "the X, y and sample_weight of fit."
        )
    weights = targets.checked_weights(sample_weight, blocks)
    numbers = group_numbers(groups, n_samples)
    if (0 if numbers is None else int(numbers.max()) + 1) != grown.sampling.n_groups:
        raise ValueError(
            f"The forest was fitted with {grown.sampling.n_groups or 'no'} groups. Pass the groups "
            "of fit."
        )
    in_use = forest._in_use
    task = in_use._task_again(in_use._choices(n_samples), blocks, y, weights, grown.seed, numbers)
    outputs, classes = task.outputs, forest._class_lists() if forest._classification else []
    if outputs.n_outputs != forest.n_outputs_ or not (
        outputs.n_classes == [len(levels) for levels in classes]
        and all(map(np.array_equal, outputs.classes or [], classes))
    ):
        raise ValueError(
            "y does not have the same outputs and classes as in fit. Pass the y of fit."
        )
    return task
