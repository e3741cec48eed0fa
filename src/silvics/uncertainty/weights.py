"""The weights of the training rows in the predictions of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import _core
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.training_samples import TrainingSamples

# Leaves are compared, whatever their size and depth.
_ANY_SIZE, _ANY_DEPTH = 0, 2**62


def training_samples(forest: Any, X: Any, what: str) -> TrainingSamples:
    """Return the training rows of a forest; ValueError if it has none, or none out of bag."""
    grown: GrownForest = forest._grown
    grown.require_whole_trees(what)
    grown.require_one_leaf_each(what)
    if X is None:
        grown.require_out_of_bag(f"{what} without X")
    return grown.require_samples(what)


def positive_weights(grown: GrownForest, n_samples: int) -> np.ndarray:
    """Return which training rows have a positive weight; the others say nothing about errors."""
    weights = None if grown.sampling is None else grown.sampling.weights
    return np.ones(n_samples, dtype=bool) if weights is None else np.asarray(weights) > 0


def kernel_weights(
    grown: GrownForest, samples: TrainingSamples, rows: _core.Matrix | None, threads: int
) -> _core.Proximity:
    """Return the weights of the training rows for some rows.

    If ``rows`` is None, they are the training rows with their out-of-bag trees.
    """
    return _core.Proximity(
        grown.trees.predictor, samples.membership, "gap" if rows is None else "kernel",
        np.zeros(0, dtype=np.uint32), _ANY_SIZE, _ANY_DEPTH, threads,
    )  # fmt: skip
