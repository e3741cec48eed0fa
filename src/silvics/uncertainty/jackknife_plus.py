"""The jackknife+ after bootstrap (Kim, Xu and Barber 2020).

The forest without a training row i consists of the trees that have not drawn it. Its prediction of
a sample, minus or plus its error on row i, is one value for each training row; the bounds of the
interval are order statistics of these values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._predicting.grown_forest import GrownForest
from silvics.uncertainty.conformal import power_of_two
from silvics.uncertainty.tree_predictions import blocks_of_rows

# Number of pairs of a sample and a training row that are in memory at the same time: 32 MiB.
_PAIRS_AT_ONCE = 1 << 23
_TOLERANCE = 1e-9


def trees_without(grown: GrownForest) -> np.ndarray:
    """Return whether each row is out of bag for each tree: rows x trees."""
    assert grown.sampling is not None
    out = np.ascontiguousarray((grown.draw_counts() == 0).T)
    if grown.sampling.n_held_out:
        assert grown.seed is not None
        out[grown.sampling.held_out(grown.seed)] = False
    return out


def jackknife_bounds(
    grown: GrownForest,
    X: Any,
    errors: np.ndarray,
    levels: np.ndarray,
    groups: tuple[np.ndarray, np.ndarray] | None,
    n_jobs: int | None,
) -> np.ndarray:
    """Return the bounds of each sample: samples x 2 x levels x outputs.

    Parameters
    ----------
    grown : GrownForest
        The forest.
    X : Matrix
        The samples.
    errors : ndarray of shape (n_training_rows, n_outputs)
        Out-of-bag errors; NaN for rows that do not count.
    levels : ndarray of shape (n_levels,)
        Confidence levels.
    groups : tuple of two ndarray, or None
        Groups of the training rows and of the samples, numbered.
    n_jobs : int or None
        Number of threads of the traversal.
    """
    out = trees_without(grown)
    rows = np.flatnonzero(out.any(axis=1) & np.isfinite(errors[:, 0]))
    of_row = None if groups is None else groups[0][rows]
    shares = out[rows].astype(np.float32)
    shares /= shares.sum(axis=1, keepdims=True)
    distances = np.abs(errors[rows])
    found = np.empty((X.shape[0], 2, len(levels), errors.shape[1]))
    for block, values in blocks_of_rows(grown.trees, X, n_jobs):
        for k in range(errors.shape[1]):
            centre = values[:, :, k].mean()  # float32 has enough digits for what is left
            unit = power_of_two(np.append(values[:, :, k] - centre, distances[:, k]))
            of_trees = ((values[:, :, k] - centre) / unit).astype(np.float32)
            of_rows = (distances[:, k] / unit).astype(np.float32)
            size = max(_PAIRS_AT_ONCE // len(rows), 1)
            for first in range(0, len(of_trees), size):
                some = slice(block.start + first, min(block.start + first + size, block.stop))
                means = of_trees[first : first + size] @ shares.T
                of_samples = None if groups is None else groups[1][some]
                found[some, :, :, k] = centre + unit * _bounds(
                    means, of_rows, levels, of_row, of_samples
                )
    return found


def _bounds(
    means: np.ndarray,
    distances: np.ndarray,
    levels: np.ndarray,
    of_row: np.ndarray | None,
    of_samples: np.ndarray | None,
) -> np.ndarray:
    if of_row is None or of_samples is None:
        return _order_statistics(means, distances, levels)
    found = np.empty((len(means), 2, len(levels)))
    for group in np.unique(of_samples):
        inside, chosen = of_samples == group, of_row == group
        found[inside] = _order_statistics(means[np.ix_(inside, chosen)], distances[chosen], levels)
    return found


def _order_statistics(means: np.ndarray, distances: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return the order statistics of the sums and differences, samples x 2 x levels."""
    n = means.shape[1]
    found = np.empty((len(means), 2, len(levels)))
    ranks = np.ceil((n + 1) * levels - _TOLERANCE).astype(int)
    found[:, 0, ranks > n], found[:, 1, ranks > n] = -np.inf, np.inf
    known = ranks <= n
    if not known.any():
        return found
    values = np.empty_like(means)
    for side, sign in ((0, np.subtract), (1, np.add)):
        sign(means, distances, out=values)
        at = n - ranks[known] if side == 0 else ranks[known] - 1
        values.partition(np.unique(at), axis=1)
        found[:, side, known] = values[:, at]
    return found
