"""What trees are grown on and how: all that is decided before the first tree is grown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import parameters, pruning
from silvics._fitting.axes import Axes
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.sampling import RowSampling
from silvics._tables.table import Blocks, Variables


@dataclass(frozen=True, eq=False)
class LearningTask:
    """Rows, outputs, choices and draws of one fit, of a tree or a forest.

    Attributes
    ----------
    settings : estimator
        The parameters that are no choice of a recipe are read from it; nothing is set.
    axes : Axes
        The choices that are.
    variables, X : Variables, Blocks
        What is known of the columns, and the rows.
    outputs : EncodedOutputs
        What is learned.
    seed : int
        The seed of the forest, or of the tree.
    sampling : RowSampling
        How each tree draws its rows.
    held_out : HeldOut or None
        Rows to prune on.
    """

    settings: Any
    axes: Axes
    variables: Variables
    X: Blocks
    outputs: EncodedOutputs
    seed: int
    sampling: RowSampling
    held_out: pruning.HeldOut | None = None

    @property
    def criterion(self) -> str:
        """The impurity that the core lowers."""
        return parameters.core_criterion(self.axes)

    @cached_property
    def target(self) -> _core.Target:
        """The outputs for the core."""
        return self.outputs.native(self.criterion, self.sampling.weights)

    @cached_property
    def native_sampling(self) -> _core.Sampling:
        """The draws for the core."""
        return self.sampling.native(self.seed)

    def rules(self, axes: Axes) -> _core.GrowthRules:
        """The rules that trees grow by, if these are the choices."""
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
) -> LearningTask:
    """The task of a forest, whose trees draw their rows by these weights."""
    n_samples, held_out = X.shape[0], None
    if axes.pruning == "reduced_error":
        weights, held_out = pruning.hold_out(axes, seed, n_samples, weights)
    sampling = RowSampling(
        rows=axes.rows,
        n_samples=n_samples,
        n_drawn=None if axes.rows == "all" else parameters.n_rows_drawn(axes, n_samples, weights),
        weights=weights,
        balanced=balanced,
        structure=axes.honest,
        n_held_out=0 if held_out is None else len(held_out.rows),
        weights_given=weights_given,
    )
    return LearningTask(settings, axes, variables, X, outputs, seed, sampling, held_out)
