"""Quantiles of the training outputs in the leaves of a sample (Meinshausen 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._names import one_of
from silvics._predicting.levels import INTERPOLATIONS, checked_levels, shaped
from silvics._threads import n_threads
from silvics.uncertainty.weights import training_samples


def predicted_quantiles(
    forest: Any, X: Any, quantiles: Any, interpolation: Any, n_jobs: int | None
) -> np.ndarray:
    """Compute the quantiles of each sample; see the method ``predict_quantiles``."""
    levels, single = checked_levels("quantiles", quantiles, closed=True)
    one_of("interpolation", interpolation, INTERPOLATIONS)
    samples = training_samples(forest, X, "predict_quantiles")
    rows = None if X is None else forest._checked(X)
    threads = n_threads(forest._jobs(n_jobs))
    found = samples.leaf_quantiles(forest._grown.trees, threads).quantiles(
        rows, levels, interpolation, threads
    )
    return shaped(found, single)
