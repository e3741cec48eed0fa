"""The prediction of every tree for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from silvics import _core
from silvics._predicting import prediction
from silvics._predicting.prediction import Trees

# Values of trees that are in memory at the same time: 32 MiB.
_VALUES_OF_BLOCK = 1 << 22


def predicted_by_trees(forest: Any, X: Any, n_jobs: int | None) -> np.ndarray | list[np.ndarray]:
    """Predict each sample by each tree; see the method ``predict_trees``."""
    forest._grown.require_whole_trees("predict_trees")
    rows, jobs = forest._checked(X), forest._jobs(n_jobs)
    found = values_of_trees(forest._grown.trees, rows, jobs, 0, rows.shape[0])
    if not forest._classification:
        return found[:, :, 0] if found.shape[2] == 1 else found
    if forest.n_outputs_ == 1:
        return found
    ends = np.cumsum(forest.n_classes_)[:-1]
    return [np.ascontiguousarray(part) for part in np.split(found, ends, axis=2)]


def values_of_trees(
    trees: Trees, X: _core.Matrix, n_jobs: int | None, first: int, size: int
) -> np.ndarray:
    """Return the values of every tree for some rows: rows x trees x values."""
    predictor = trees.predictor_by(n_jobs)
    threads = prediction.threads_for_rows(predictor, size, n_jobs)
    return predictor.predict_trees(X, threads, first, size)


def blocks_of_rows(
    trees: Trees, X: _core.Matrix, n_jobs: int | None
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the values of trees for all rows, some rows at a time."""
    n = X.shape[0]
    width = trees.predictor_by(n_jobs).value_width * len(trees)
    size = max(_VALUES_OF_BLOCK // width, 1)
    for first in range(0, n, size):
        some = min(size, n - first)
        yield slice(first, first + some), values_of_trees(trees, X, n_jobs, first, some)
