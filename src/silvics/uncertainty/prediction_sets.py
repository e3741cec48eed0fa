"""Sets of classes that contain the class of a sample with a given probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._names import one_of
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.levels import checked_levels
from silvics._threads import n_threads
from silvics.uncertainty.difficulty import out_of_bag_means
from silvics.uncertainty.weights import positive_weights

SCORES = ("probability", "cumulative")
_WHAT = "predict_set"
_TOLERANCE = 1e-12


def predicted_sets(
    forest: Any, X: Any, confidence_level: Any, score: Any, n_jobs: int | None
) -> Any:
    """Compute sets; see the method ``predict_set``."""
    levels, single = checked_levels("confidence_level", confidence_level, closed=False)
    one_of("score", score, SCORES)
    grown: GrownForest = forest._grown
    grown.require_one_leaf_each(_WHAT)
    grown.require_out_of_bag(_WHAT)
    samples = grown.require_samples(_WHAT)
    means = out_of_bag_means(grown, samples, n_threads(forest._jobs(n_jobs)))
    known = np.isfinite(means[:, 0]) & positive_weights(forest._grown, len(means))
    if not known.any():
        raise ValueError(
            f"{_WHAT} needs out-of-bag rows, but no row has an out-of-bag tree. Fit more trees."
        )
    y, own = samples.y[known], forest._calibrated(means[known])
    here = forest._calibrated(means) if X is None else forest._values(X, n_jobs)
    parts = [prediction.split_outputs(values, forest.n_classes_) for values in (own, here)]
    found = [
        _sets(of_rows, y[:, k], of_samples, levels, score)
        for k, (of_rows, of_samples) in enumerate(zip(*parts, strict=True))
    ]
    found = [of[:, :, 0] if single else of for of in found]
    return found[0] if len(found) == 1 else found


def _sets(
    own: np.ndarray, y: np.ndarray, here: np.ndarray, levels: np.ndarray, score: str
) -> np.ndarray:
    """Return the sets of one output: samples x classes x levels."""
    n = len(y)
    of_rows = np.sort(_scores(own, score)[np.arange(n), y])
    ranks = np.ceil((n + 1) * levels - 1e-9).astype(int)
    largest = np.concatenate([of_rows, [np.inf]])[np.minimum(ranks, n + 1) - 1]
    found = _scores(here, score)[:, :, np.newaxis] <= largest + _TOLERANCE
    found[np.isnan(here[:, 0])] = True  # training rows that no tree leaves out can be of any class
    return found


def _scores(shares: np.ndarray, score: str) -> np.ndarray:
    """Return the score of each class of each row, larger for less likely classes."""
    if score == "probability":
        return 1 - shares
    order = np.argsort(-shares, axis=1, kind="stable")
    found = np.empty_like(shares)
    ordered = np.take_along_axis(shares, order, axis=1)
    # Half of the class itself, or the least probable classes of all rows would have a score of one.
    np.put_along_axis(found, order, np.cumsum(ordered, axis=1) - ordered / 2, axis=1)
    return found
