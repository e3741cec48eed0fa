"""Out-of-bag estimates (thesis 4.4.1): rows predicted by the trees that used them for nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from silvics import _core
from silvics._predicting import prediction
from silvics._predicting.held_out_rows import held_out_rows
from silvics._predicting.oob_stats import out_of_bag_stats
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics._threads import n_threads
from silvics._warnings import warn_user


def estimate(forest: Any, X: Blocks, y: np.ndarray, sampling: _core.Sampling) -> None:
    """Set the forest's out-of-bag predictions and score.

    Rows without an out-of-bag tree are NaN among the predictions, and are left out of the score.
    """
    assert forest._seed is not None
    seeds = forest._tree_seeds(0, len(forest._trees))
    sums, counts = forest._trees.predictor.out_of_bag(
        inputs.to_predict(X), seeds, sampling, n_threads(forest.n_jobs)
    )
    known = counts > 0
    expected = np.ones(len(known), dtype=bool)
    if n_held_out := getattr(forest, "_n_held_out", 0):
        expected[held_out_rows(forest._seed, len(known), n_held_out)] = False
    if not known[expected].all():
        warn_user(
            "Some inputs do not have OOB scores. This probably means too few trees were used to "
            "compute any reliable OOB estimates. These rows are left out of oob_score_, and are "
            "NaN among the out-of-bag predictions.",
        )
    values = np.full(sums.shape, np.nan)
    np.divide(sums, counts[:, np.newaxis], out=values, where=known[:, np.newaxis])
    if forest._classification:
        classes: Any = forest.n_classes_
        forest.oob_decision_function_ = _decision_function(values, classes)
        predicted = np.argmax(forest.oob_decision_function_, axis=1)
    else:
        classes = None
        forest.oob_prediction_ = predicted = prediction.reals(values)
    forest.oob_score_ = float("nan")
    if known.any():
        score = _share_right if forest._classification else r2_score
        if callable(forest.oob_score):
            score = forest.oob_score
        forest.oob_score_ = score(prediction.reals(y)[known], predicted[known])
    forest._oob_stats = out_of_bag_stats(y, values, counts, classes)


def _decision_function(values: np.ndarray, n_classes: Any) -> np.ndarray:
    """Class shares: a column for each class, and an array of such columns for each output.

    Outputs of fewer classes than others have zeros after theirs.
    """
    shares = prediction.split_outputs(values, n_classes)
    if len(shares) == 1:
        return shares[0]
    padded = np.zeros((len(values), max(n_classes), len(shares)))
    for k, of_output in enumerate(shares):
        padded[:, : of_output.shape[1], k] = of_output
    padded[np.isnan(values[:, 0])] = np.nan
    return padded


def _share_right(y: np.ndarray, predicted: np.ndarray) -> float:
    """The share of rows whose outputs are all predicted right."""
    right = y == predicted
    return float(np.mean(right if right.ndim == 1 else right.all(axis=1)))
