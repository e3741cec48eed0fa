"""Standard errors over samples of rows, by the infinitesimal jackknife (section 6.6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._predicting.sampling import RowSampling, require_rows_left_out
from silvics._warnings import warn_user
from silvics.importance._types import FittedForest
from silvics.importance.forest.tree_means import standard_error

_WHAT = 'errors="rows"'
_FEWEST_TREES = 100


def errors_over_rows(forest: FittedForest, per_tree: np.ndarray) -> Any:
    """Return how much each importance would differ in a forest on other rows.

    Rows that a tree has drawn often change its importances. The covariance of the number of times
    that a row is drawn with the importance of a tree is the influence of the row on the importance
    of the forest, and the sum of its squares is the variance over samples of rows (infinitesimal
    jackknife, Wager et al. 2014). For bootstrap samples it is averaged with the jackknife after
    bootstrap, which errs in the other direction. Both are corrected for the number of trees, whose
    own variance is then added. The correction has a standard error too; a smaller variance cannot
    be distinguished from zero, and that standard error takes its place.

    Parameters
    ----------
    forest : FittedForest
        A forest whose trees draw their rows.
    per_tree : ndarray of shape (n_trees, n_variables)
        The importances in each tree.

    Returns
    -------
    errors : ndarray of shape (n_variables,)
    """
    sampling = _checked(forest)
    n_trees = len(per_tree)
    if n_trees < 2:
        return np.full(per_tree.shape[1], np.nan)
    if n_trees < _FEWEST_TREES:
        warn_user(
            f"{_WHAT} is imprecise with {n_trees} trees. Use several hundred trees: the number of "
            "rows, or more."
        )
    scale = np.abs(per_tree).max(initial=0.0) or 1.0  # avoids overflow of squares
    deviations = (per_tree - per_tree.mean(axis=0)) / scale
    counts = forest._grown.in_bag_counts().astype(np.float64)  # rows x trees
    n = len(counts)
    spread = (deviations**2).sum(axis=0) / n_trees**2  # variance of the mean over the trees
    covariances = counts @ deviations / n_trees  # the deviations have mean zero
    noise = counts.var(axis=1).sum() * spread
    if sampling.rows == "subsample":  # rows without replacement are negatively correlated
        drawn = counts.sum() / n_trees
        variance = ((covariances**2).sum(axis=0) - noise) * (n / (n - drawn)) ** 2
    else:
        variance = (covariances**2).sum(axis=0) - noise
        variance = (variance + _after_bootstrap(counts == 0, deviations, spread)) / 2
    variance = np.maximum(variance, noise * np.sqrt(2 / n))
    return np.sqrt(variance + (standard_error(per_tree) / scale) ** 2) * scale


def _after_bootstrap(left_out: np.ndarray, deviations: np.ndarray, spread: np.ndarray) -> Any:
    """Return the variance by leaving out each row: only the trees that have not drawn it count."""
    n, n_trees = left_out.shape
    n_without = left_out.sum(axis=1)
    known = n_without > 0  # a row that all trees have drawn cannot be left out
    without = (left_out[known] @ deviations) / n_without[known, np.newaxis]
    noise = (n_trees / n_without[known] - 1).sum() * spread
    return ((without**2).sum(axis=0) - noise) * (n - 1) / max(int(known.sum()), 1)


def _checked(forest: FittedForest) -> RowSampling:
    forest._grown.require_whole_trees(_WHAT)
    sampling = forest._grown.sampling
    if sampling is None:
        forest._grown.in_bag_counts()  # raises the error for draws that are not known
        raise AssertionError
    require_rows_left_out(sampling, _WHAT)
    if sampling.weights is not None or sampling.balanced or not sampling.weights_known:
        raise ValueError(
            f"{_WHAT} is not available for forests with sample_weight, class_weight or held-out "
            "rows: their trees do not draw all rows with the same probability."
        )
    return sampling
