"""Forests of two stages: trees of the outputs, and trees of what these leave (decision 54).

The second stage is fitted to the out-of-bag residuals of the first. Both have the same number of
trees, and tree m of the second stage draws the rows of tree m of the first, so that the trees for
which a row is out of bag come in pairs. The values of all trees are doubled: the mean over all of
them, over all rows or out of bag, is then the sum of the two stages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting.axes import Axes, recipe_of
from silvics._fitting.growing import Growth
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.out_of_bag import mean_predictions, out_of_bag_sums
from silvics._predicting.prediction import Trees
from silvics._predicting.sampling import require_rows_left_out
from silvics._warnings import warn_user

# The parameters that may end growth at any tree, with their values that do not.
_ENDING = {
    "max_time": None,
    "max_memory": None,
    "early_stopping": False,
    "target_score": None,
}
# Sums of doubled values must stay finite.
_LARGEST = float(np.finfo(np.float64).max) / 2**10


def check_stages(axes: Axes, estimator: Any, n_trees: int) -> None:
    """Raise ValueError if a forest of two stages cannot have these choices."""
    if axes.stages == 1:
        return
    for wrong, why in _refused(axes, estimator, n_trees):
        if wrong:
            raise ValueError(f"recipe {recipe_of(estimator)!r}, stages=2: {why}")


def _refused(axes: Axes, estimator: Any, n_trees: int) -> list[tuple[bool, str]]:
    """Return conditions that exclude a second stage, each with its error text."""
    ending = [name for name, no in _ENDING.items() if getattr(estimator, name, no) != no]
    tasks = [name for name in ("engine", "resume") if getattr(estimator, name, None) is not None]
    given = ", ".join(f"{name}={getattr(estimator, name)!r}" for name in [*ending, *tasks])
    return [
        (
            estimator._classification,
            "the second stage predicts residuals, which are numbers and not classes. For classes, "
            'calibration gains as much: use ForestClassifier("auto"), or calibrate="oob".',
        ),
        (
            axes.rows == "all",
            "the second stage is fitted to out-of-bag residuals, but every tree is grown on all "
            'rows. Set rows="bootstrap" or rows="subsample".',
        ),
        (
            n_trees % 2 == 1,
            f"both stages have the same number of trees, so that n_estimators={n_trees} must be "
            "even.",
        ),
        (
            axes.criterion == "poisson" or callable(axes.criterion),
            'criterion must be "squared_error", "friedman_mse" or "absolute_error", because '
            "residuals can be negative and have another scale than the outputs.",
        ),
        (
            axes.pruning == "reduced_error",
            'pruning="reduced_error" holds out rows, which have no out-of-bag residuals: use '
            "ccp_alpha.",
        ),
        (
            bool(estimator.warm_start),
            "warm_start=True adds trees to a forest, but more trees in the first stage would "
            "change the residuals that the second is fitted to. Set warm_start=False.",
        ),
        (
            bool(ending),
            f"{given} may end growth at any tree, but the second stage needs the whole first one, "
            "and as many trees. Choose n_estimators.",
        ),
        (
            bool(tasks),
            f"{given} grows trees in tasks that do not know each other, but the second stage needs "
            "the residuals of the first. Set engine=None and resume=None.",
        ),
    ]


def check_task(task: LearningTask) -> None:
    """Raise ValueError if the outputs or the draws of rows do not allow a second stage."""
    if task.axes.stages == 1:
        return
    require_rows_left_out(task.sampling, "stages=2")
    largest = float(np.abs(task.outputs.values).max())
    if not largest <= _LARGEST:
        raise ValueError(
            f"stages=2 doubles the values of trees, but y has {largest:g}, whose double is too "
            "large for float64: scale the outputs down."
        )


def residual_task(task: LearningTask, trees: list[_core.Tree], n_jobs: int | None) -> LearningTask:
    """Return the task of the second stage, whose outputs are residuals of these trees."""
    first = GrownForest(Trees(trees), task.seed, task.sampling)
    sums, counts = out_of_bag_sums(first, task.X, n_jobs)
    residuals = task.outputs.values - mean_predictions(sums, counts)
    n_unknown = int((counts == 0).sum())
    if n_unknown:
        warn_user(
            f"{n_unknown:,} rows were drawn by all {len(trees)} trees of the first stage and have "
            "no out-of-bag residuals. They count as zero. Fit more trees."
        )
        residuals[counts == 0] = 0.0
    return replace(task, outputs=EncodedOutputs(residuals, None), begun=None)


def of_both_stages(task: LearningTask, first: Growth, second: Growth) -> Growth:
    """Return the trees of both stages, with doubled values."""
    degree = 1 if task.axes.criterion == "absolute_error" else 2
    run = first.run
    if run is not None and second.run is not None:
        run = replace(
            run,
            grow=run.grow + second.run.grow,
            grow_cpu=run.grow_cpu + second.run.grow_cpu,
            fixed_bytes=max(run.fixed_bytes, second.run.fixed_bytes),
        )
    # The first stage is not changed: after an interruption here, it is a forest by itself.
    for m, tree in enumerate(second.trees):
        second.trees[m] = tree.doubled(degree)
    trees = [tree.doubled(degree) for tree in first.trees] + second.trees
    return Growth(trees, first.work + second.work, None, None, run)
