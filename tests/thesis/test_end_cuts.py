"""End-cut preference (thesis 3.6.2, Figure 5.6): the share of splits with a side under 5 %."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from silvics import ExtraTreesRegressor, RandomForestRegressor


def share_by_hand(forest):
    """Of the nodes in which one sample would be less than 5 %, those with a side that small."""
    splits = ends = 0
    for tree in forest:
        arrays = tree.tree_
        for node in np.flatnonzero(arrays.children_left >= 0):
            if arrays.n_node_samples[node] <= 20:
                continue
            children = [arrays.children_left[node], arrays.children_right[node]]
            weights = arrays.weighted_n_node_samples
            splits += 1
            ends += min(weights[children]) < 0.05 * weights[node]
    return ends / splits


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_share_counts_nodes_that_can_have_an_end_cut(kind):
    X, y = make_friedman1(300, 10, noise=1.0, random_state=0)
    forest = kind(5, random_state=0).fit(X, y)
    assert forest.work_["end_cut_share"] == share_by_hand(forest)


def test_nodes_too_small_for_end_cuts_do_not_count():
    X, y = make_friedman1(20, 10, noise=1.0, random_state=0)
    assert RandomForestRegressor(5, random_state=0).fit(X, y).work_["end_cut_share"] == 0.0


def test_noise_variables_make_random_forests_cut_ends_more_than_extra_trees():
    X, y = make_friedman1(1000, 60, noise=1.0, random_state=0)
    shares = [
        kind(100, max_features="sqrt", random_state=0).fit(X, y).work_["end_cut_share"]
        for kind in (RandomForestRegressor, ExtraTreesRegressor)
    ]
    assert shares[0] > 0.10
    assert shares[1] < 0.085
