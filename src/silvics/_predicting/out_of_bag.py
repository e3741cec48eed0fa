"""Out-of-bag estimates (thesis 4.4.1): rows are predicted by the trees that did not use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.oob_stats import out_of_bag_stats
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics._threads import n_threads
from silvics._warnings import warn_user


@dataclass(frozen=True, eq=False)
class OutOfBagEstimate:
    """Out-of-bag predictions of a forest, and their score.

    Attributes
    ----------
    values : ndarray
        Class probabilities, of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs),
        or predicted numbers. NaN for rows without an out-of-bag tree.
    score : float
        Score over the rows with an out-of-bag tree; NaN if there are none.
    stats : list
        Statistics of each output; see ``out_of_bag_stats``.
    """

    values: np.ndarray
    score: float
    stats: list[Any]


def out_of_bag_estimate(
    grown: GrownForest,
    X: Blocks,
    y: np.ndarray,
    n_classes: list[int] | None,
    score: Callable[..., float] | None,
    n_jobs: int | None,
) -> OutOfBagEstimate:
    """Predict each training row by the trees that have not drawn it.

    Parameters
    ----------
    grown : GrownForest
        Forest that was grown on these rows.
    X : Blocks
        The training rows.
    y : ndarray of shape (n_samples, n_outputs)
        Indices of classes, or real values.
    n_classes : list of int, or None
        Number of classes of each output; None for regression.
    score : callable or None
        Function of outputs and predictions. None means the accuracy, or R2 for regression.
    n_jobs : int or None
        Number of threads.

    Returns
    -------
    estimate : OutOfBagEstimate
        The estimate. Rows without an out-of-bag tree do not count in the score.
    """
    assert grown.seed is not None
    assert grown.sampling is not None
    sums, counts = out_of_bag_sums(grown, X, n_jobs)
    known = counts > 0
    expected = np.ones(len(known), dtype=bool)
    expected[grown.sampling.held_out(grown.seed)] = False
    if not known[expected].all():
        warn_user(
            "Some inputs do not have OOB scores. This probably means too few trees were used to "
            "compute any reliable OOB estimates. oob_score_ ignores these rows, and their "
            "out-of-bag predictions are NaN.",
        )
    means = mean_predictions(sums, counts)
    if n_classes is None:
        values = predicted = prediction.reals(means)
    else:
        values = _decision_function(means, n_classes)
        predicted = np.argmax(values, axis=1)
    result = float("nan")
    if known.any():
        usual = r2_score if n_classes is None else accuracy
        result = (score or usual)(prediction.reals(y)[known], predicted[known])
    return OutOfBagEstimate(values, result, out_of_bag_stats(y, means, counts, n_classes))


def out_of_bag_sums(
    grown: GrownForest, X: Blocks, n_jobs: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of the out-of-bag predictions of each row, and the number of its trees."""
    assert grown.seed is not None
    predictor, threads = grown.trees.predictor_by(n_jobs), n_threads(n_jobs)
    if grown.samples is not None:
        return grown.samples.membership.out_of_bag(predictor, threads)
    return predictor.out_of_bag(
        inputs.to_predict(X), grown.tree_seeds(), grown.native_sampling(), threads
    )


def mean_predictions(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean predictions of out-of-bag trees; NaN for rows without any."""
    means = np.full(sums.shape, np.nan)
    some = (counts > 0)[:, np.newaxis]
    return np.divide(sums, counts[:, np.newaxis], out=means, where=some)


def _decision_function(values: np.ndarray, n_classes: Any) -> np.ndarray:
    """Return class probabilities, by rows and classes, and by outputs if there are several.

    Outputs with fewer classes than others are padded with zeros.
    """
    shares = prediction.split_outputs(values, n_classes)
    if len(shares) == 1:
        return shares[0]
    padded = np.zeros((len(values), max(n_classes), len(shares)))
    for k, of_output in enumerate(shares):
        padded[:, : of_output.shape[1], k] = of_output
    padded[np.isnan(values[:, 0])] = np.nan
    return padded


def accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Return the fraction of rows of which all outputs are predicted correctly."""
    right = y == predicted
    return float(np.mean(right if right.ndim == 1 else right.all(axis=1)))
