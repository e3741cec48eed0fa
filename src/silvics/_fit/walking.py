"""Trees walked by samples: the way of every prediction, for one tree and for a forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from silvics import _core

# Below this many steps down a tree, starting threads costs more than it saves.
_WORTH_A_THREAD = 200_000


def _threads(trees: Sequence[_core.Tree], X: _core.Matrix, n_jobs: int) -> int:
    steps = X.shape[0] * sum(tree.max_depth + 1 for tree in trees)
    return min(n_jobs, 1 + steps // _WORTH_A_THREAD)


def mean_prediction(
    trees: Sequence[_core.Tree], X: _core.Matrix, as_float32: bool, n_jobs: int = 1
) -> np.ndarray:
    """Class shares of all outputs side by side, or one column per real output."""
    return _core.predict(trees, X, as_float32, _threads(trees, X, n_jobs))


def leaves(
    trees: Sequence[_core.Tree], X: _core.Matrix, as_float32: bool, n_jobs: int = 1
) -> np.ndarray:
    """Leaf of every sample in every tree."""
    return _core.apply(trees, X, as_float32, _threads(trees, X, n_jobs))


def decision_path(
    trees: Sequence[_core.Tree], X: _core.Matrix, as_float32: bool, n_jobs: int = 1
) -> csr_matrix:
    """Which samples visit which nodes, over the nodes of all trees."""
    starts, nodes = _core.decision_paths(trees, X, as_float32, _threads(trees, X, n_jobs))
    width = sum(tree.node_count for tree in trees)
    return csr_matrix(
        (np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(X.shape[0], width)
    )


def split_outputs(values: np.ndarray, n_classes: Any) -> list[np.ndarray]:
    """Class shares of each output, out of those of all outputs side by side."""
    ends = np.cumsum(np.atleast_1d(n_classes))
    return [np.ascontiguousarray(part) for part in np.split(values, ends[:-1], axis=1)]


def labels(estimator: Any, values: np.ndarray) -> np.ndarray:
    """The likeliest class of each output; ties go to the first."""
    if estimator.n_outputs_ == 1:
        return estimator.classes_.take(np.argmax(values, axis=1), axis=0)
    columns = split_outputs(values, estimator.n_classes_)
    predicted = np.empty((len(values), estimator.n_outputs_), dtype=estimator.classes_[0].dtype)
    for k, shares in enumerate(columns):
        predicted[:, k] = estimator.classes_[k].take(np.argmax(shares, axis=1), axis=0)
    return predicted


def probabilities(estimator: Any, values: np.ndarray) -> np.ndarray | list[np.ndarray]:
    """Class shares: an array, or a list of them for several outputs."""
    if estimator.n_outputs_ == 1:
        return values
    return split_outputs(values, estimator.n_classes_)


def log_probabilities(shares: np.ndarray | list[np.ndarray]) -> np.ndarray | list[np.ndarray]:
    """Logarithms of class shares; minus infinity where a share is zero."""
    with np.errstate(divide="ignore"):
        return np.log(shares) if isinstance(shares, np.ndarray) else [np.log(s) for s in shares]


def reals(values: np.ndarray) -> np.ndarray:
    """Predictions of regression: a vector for one output."""
    return values[:, 0] if values.shape[1] == 1 else values
