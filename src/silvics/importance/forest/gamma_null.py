"""Equation 7.19, the mean information of noise in samples of finite size, summed over a forest."""

from __future__ import annotations

import numpy as np

from silvics import _core
from silvics.importance._checks import whole_number
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.tree_means import by_group, impurity_of

_LEAF, _COMBINATION = -2, -3


def null_by_gamma(request: ImportanceRequest) -> np.ndarray:
    """Return the sum of p(t) times equation 7.19 over the nodes of each group, by entropy."""
    forest = request.forest
    if impurity_of(forest) != "entropy":
        raise ValueError(
            'null="gamma" is the mean of an estimated information (equation 7.19), so it needs '
            'trees that were grown with criterion="entropy". "held_out" and "permuted" are '
            "available for every criterion."
        )
    n_classes = np.atleast_1d(forest.n_classes_).tolist()
    least = whole_number("min_samples", request.min_samples, 0)
    trees = forest._grown.trees.native
    per_tree = np.array([_of_tree(tree, n_classes, least) for tree in trees])
    return np.asarray(by_group(per_tree, request).mean(axis=0))


def _of_tree(tree: _core.Tree, n_classes: list[int], least: int) -> np.ndarray:
    feature, n_samples = tree.feature(), tree.n_node_samples()
    if (feature == _COMBINATION).any():
        raise ValueError('null="gamma" needs tests of single variables, not oblique splits.')
    inner = np.flatnonzero((feature != _LEAF) & (n_samples >= least))
    freedom = (_n_branches(tree, inner, n_samples) - 1) * _n_more_classes(tree, n_classes)[inner]
    weight = tree.weighted_n_node_samples()
    terms = weight[inner] / weight[0] * freedom / (2 * n_samples[inner] * np.log(2))
    return np.bincount(feature[inner], terms, minlength=tree.n_features)


def _n_branches(tree: _core.Tree, inner: np.ndarray, n_samples: np.ndarray) -> np.ndarray:
    """Return the number of children with samples of each inner node."""
    counts = np.full(len(inner), 2)
    if not tree.is_binary:
        for k, t in enumerate(inner.tolist()):
            counts[k] = np.count_nonzero(n_samples[tree.children(t)])
    return counts


def _n_more_classes(tree: _core.Tree, n_classes: list[int]) -> np.ndarray:
    """Return the number of classes at each node less one, averaged over the outputs."""
    present = (tree.values() > 0).astype(np.float64)
    starts = np.cumsum([0, *n_classes[:-1]])
    counts = np.add.reduceat(present, starts, axis=1)
    return np.asarray((counts - 1).mean(axis=1))
