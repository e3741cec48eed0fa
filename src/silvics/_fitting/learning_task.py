"""The learning task: all data and decisions that are needed to grow trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from silvics import _core
from silvics._fitting import parameters, pruning
from silvics._fitting.axes import Axes
from silvics._fitting.class_samples import drawn_of_classes
from silvics._fitting.custom_criterion import CheckedCriterion
from silvics._fitting.groups import check_choices, n_groups_drawn
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.sampling import RowSampling
from silvics._tables.table import Blocks, Variables

if TYPE_CHECKING:
    from silvics._fitting.growing import Growth


@dataclass(frozen=True, eq=False)
class LearningTask:
    """The data, the choices and the sampling of one fit of a tree or a forest.

    Attributes
    ----------
    settings : estimator
        Estimator whose other parameters are read. It is not changed.
    axes : Axes
        The choices of the recipe.
    variables, X : Variables, Blocks
        Description of the columns, and the table.
    outputs : EncodedOutputs
        The outputs.
    seed : int
        Seed of the forest or the tree.
    sampling : RowSampling
        How each tree draws its rows.
    held_out : HeldOut or None
        Rows that are held out for pruning.
    shrinkage : float
        Hierarchical shrinkage of the values of the trees; 0 if there is none.
    begun : Growth or None
        The first of the trees, if tuning has grown them.
    """

    settings: Any
    axes: Axes
    variables: Variables
    X: Blocks
    outputs: EncodedOutputs
    seed: int
    sampling: RowSampling
    held_out: pruning.HeldOut | None = None
    shrinkage: float = 0.0
    begun: Growth | None = None

    @property
    def criterion(self) -> str:
        """The impurity that the core decreases."""
        return parameters.core_criterion(self.axes, self.outputs.classes is not None)

    @cached_property
    def target(self) -> _core.Target:
        """The outputs in the form of the core."""
        target = self.outputs.native(self.criterion, self.sampling.weights)
        if callable(self.axes.criterion):
            target.set_impurity(CheckedCriterion(self.axes.criterion))
        return target

    @cached_property
    def native_sampling(self) -> _core.Sampling:
        """The sampling of rows in the form of the core."""
        return self.sampling.native(self.seed)

    def rules(self, axes: Axes) -> _core.GrowthRules:
        """Return the growth rules for the given choices."""
        return parameters.growth_rules(
            self.settings, axes, self.X.shape, self.variables, self.outputs
        )


def forest_task(
    settings: Any,
    axes: Axes,
    variables: Variables,
    X: Blocks,
    outputs: EncodedOutputs,
    weights: np.ndarray | None,
    seed: int,
    *,
    balanced: bool,
    weights_given: bool,
    groups: np.ndarray | None = None,
) -> LearningTask:
    """Create the task of a forest whose trees draw their rows by these weights or groups."""
    n_samples, held_out, n_groups, n_drawn = X.shape[0], None, 0, None
    if groups is not None:
        check_choices(axes)
        n_groups = int(groups.max()) + 1
        n_drawn = n_groups_drawn(axes, n_groups)
    if axes.pruning == "reduced_error":
        weights, held_out = pruning.hold_out(axes, seed, n_samples, weights)
    strata, class_draws = drawn_of_classes(axes, outputs, weights, groups is not None)
    if strata is not None:
        n_drawn = sum(class_draws)
    elif axes.rows != "all" and groups is None:
        n_drawn = parameters.n_rows_drawn(axes, n_samples, weights)
    sampling = RowSampling(
        rows=axes.rows,
        n_samples=n_samples,
        n_drawn=n_drawn,
        weights=weights,
        balanced=balanced,
        structure=axes.honest,
        n_held_out=0 if held_out is None else len(held_out.rows),
        weights_given=weights_given,
        groups=groups,
        n_groups=n_groups,
        strata=strata,
        n_strata=len(class_draws),
        class_draws=class_draws,
    )
    return LearningTask(settings, axes, variables, X, outputs, seed, sampling, held_out)
