"""Weights of training rows by plain loops, for comparison."""

import numpy as np


def tree_weights(forest, X, train, m, weights=None):
    """Rows of X by training rows: the share of each training row in the leaf of tree m."""
    leaves, own = forest.apply(X)[:, m], forest.apply(train)[:, m]
    counts = forest.in_bag_counts()[:, m].astype(float)
    if weights is not None:
        counts = counts * weights
    same = (leaves[:, None] == own[None, :]) * counts
    return same / same.sum(axis=1, keepdims=True)


def weights_of(forest, X, train, weights=None):
    """The mean over the trees."""
    n = len(forest.estimators_)
    return sum(tree_weights(forest, X, train, m, weights) for m in range(n)) / n


def oob_weights_of(forest, train):
    """The mean over the trees for which each training row is out of bag."""
    out = forest.in_bag_counts() == 0
    total = np.zeros((len(train), len(train)))
    for m in range(out.shape[1]):
        total[out[:, m]] += tree_weights(forest, train, train, m)[out[:, m]]
    with np.errstate(invalid="ignore"):
        return total / out.sum(axis=1, keepdims=True)


def weighted_quantile(values, weights, level):
    """The smallest value whose distribution function reaches the level."""
    if np.isnan(weights).any():
        return np.nan
    order = np.argsort(values, kind="stable")
    values, weights = values[order][weights[order] > 0], weights[order][weights[order] > 0]
    reached = np.cumsum(weights) >= level - 1e-12
    return values[np.argmax(reached) if reached.any() else -1]
