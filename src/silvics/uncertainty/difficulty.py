"""How difficult the outputs of samples are to predict: the spread of their distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.out_of_bag import mean_predictions
from silvics._predicting.training_samples import TrainingSamples
from silvics.uncertainty.conformal import power_of_two
from silvics.uncertainty.weights import kernel_weights


def spreads(grown: GrownForest, samples: TrainingSamples, rows: Any, threads: int) -> np.ndarray:
    """Return the standard deviation of the distribution of each sample, by output.

    If ``rows`` is None, the samples are the training rows with their out-of-bag trees, and rows
    without any have NaN.
    """
    y = samples.y - samples.y.mean(axis=0)
    units = power_of_two(y)  # squares of large or small outputs would not be floats
    y /= units
    n_outputs = y.shape[1]
    factors = np.column_stack([y, y**2, np.ones(len(y))])
    weights = kernel_weights(grown, samples, rows, threads)
    sums = weights.product(rows, factors, False, False, threads)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums[:, :-1] / sums[:, -1:]
    variances = np.maximum(means[:, n_outputs:] - means[:, :n_outputs] ** 2, 0.0)
    return np.sqrt(variances) * units


def out_of_bag_means(grown: GrownForest, samples: TrainingSamples, threads: int) -> np.ndarray:
    """Return the out-of-bag prediction of each training row; NaN without an out-of-bag tree."""
    predictor = grown.trees.predictor_by(threads)
    return mean_predictions(*samples.membership.out_of_bag(predictor, threads))
