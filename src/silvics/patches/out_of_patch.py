"""The score of a forest on rows of a scan, each predicted by trees whose patch does not have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from silvics import _core
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.oob_stats import out_of_bag_stats
from silvics._predicting.out_of_bag import accuracy, mean_predictions
from silvics._tables import inputs
from silvics.patches.filling import Patch, fill
from silvics.patches.growing import PatchTask
from silvics.patches.membership import Membership, SingleRows

# The rows are those of a tree that no forest has.
_NO_TREE = 2**32 - 1
_BATCH_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class Score:
    """A score, and the statistics of each output; see ``out_of_bag_stats``."""

    score: float
    stats: list[Any]


def score(
    grown: GrownForest,
    task: PatchTask,
    n_rows: int,
    scoring: Callable[..., float] | None,
    n_jobs: int,
) -> Score:
    """Score the forest on at most ``n_rows`` rows; one more pass reads them.

    Rows that are in the patches of all trees do not count. NaN if there are no others.
    """
    sampling = task.sampling
    n_rows, n_features = min(n_rows, sampling.n_samples), task.X.shape[1]
    seed = _core.tree_seeds(task.seed, _NO_TREE, 1)[0]
    of_trees = task.membership
    rows = SingleRows(sampling.n_samples, n_rows)
    sample = Patch(seed, rows, np.arange(n_features), unit_of=of_trees)
    fill(task.rows, [sample], _BATCH_ROWS, n_jobs)
    matrix = inputs.to_predict(sample.blocks(n_features, task.variables.n_levels))
    sums, counts = _sums(grown, sample, of_trees, matrix, n_jobs)
    means = mean_predictions(sums, counts)
    known = counts > 0
    n_classes = task.outputs.n_classes if task.outputs.classes is not None else None
    y = sample.y.astype(np.float64 if n_classes is None else np.int64)
    stats = out_of_bag_stats(y, means, counts, n_classes)
    if not known.any():
        return Score(float("nan"), stats)
    if n_classes is None:
        predicted = prediction.reals(means)
    else:
        shares = prediction.split_outputs(means, n_classes)
        columns = [np.argmax(share, axis=1) for share in shares]
        predicted = columns[0] if len(columns) == 1 else np.column_stack(columns)
    usual = r2_score if n_classes is None else accuracy
    found = (scoring or usual)(prediction.reals(y)[known], predicted[known])
    return Score(float(found), stats)


def _sums(
    grown: GrownForest, sample: Patch, of_trees: Membership, matrix: _core.Matrix, n_jobs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of the predictions of trees without a row, and their number."""
    sums, counts = None, np.zeros(sample.n_drawn)
    for tree, seed in zip(grown.trees, grown.tree_seeds(), strict=True):
        out = sample.not_in(of_trees.drawn_units(seed))
        one = prediction.Trees([tree], grown.trees.as_float32, grown.trees.by_majority)
        values = one.predictor.predict(matrix, n_jobs)
        sums = np.zeros(values.shape) if sums is None else sums
        sums[out] += values[out]
        counts += out
    assert sums is not None
    return sums, counts
