"""Quantiles of the training outputs in the leaves of a sample (Meinshausen 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import _core
from silvics._names import one_of
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.training_samples import TrainingSamples
from silvics._threads import n_threads
from silvics.uncertainty.levels import checked_levels
from silvics.uncertainty.weights import training_samples

INTERPOLATIONS = ("inverted_cdf", "linear", "lower", "higher", "midpoint", "nearest")


def predicted_quantiles(
    forest: Any, X: Any, quantiles: Any, interpolation: Any, n_jobs: int | None
) -> np.ndarray:
    """Compute the quantiles of each sample; see the method ``predict_quantiles``."""
    levels, single = checked_levels("quantiles", quantiles, closed=True)
    one_of("interpolation", interpolation, INTERPOLATIONS)
    samples = training_samples(forest, X, "predict_quantiles")
    rows = None if X is None else forest._checked(X)
    threads = n_threads(forest._jobs(n_jobs))
    found = leaf_quantiles(forest._grown, samples, threads).quantiles(
        rows, levels, interpolation, threads
    )
    return shaped(found, single)


def leaf_quantiles(
    grown: GrownForest, samples: TrainingSamples, threads: int
) -> _core.LeafQuantiles:
    """Prepare the quantiles of any rows."""
    outputs = np.ascontiguousarray(samples.y, dtype=np.float64)
    return _core.LeafQuantiles(grown.trees.predictor, samples.membership, outputs, threads)


def shaped(found: np.ndarray, single: bool) -> np.ndarray:
    """Drop the axis of the levels if there is a single one, and that of a single output.

    The last two axes of ``found`` are the levels and the outputs.
    """
    if found.shape[-1] == 1:
        found = found[..., 0]
        return found[..., 0] if single else found
    return found[..., 0, :] if single else found
