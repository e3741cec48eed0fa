"""Theorem 3.3: a strictly concave impurity falls unless both children have the node's classes."""

import numpy as np
import pytest

from silvics import DecisionTreeClassifier


def decrease(criterion, counts):
    """Decrease by the only split of a node, from the counts [child, class]."""
    X = np.concatenate([np.full(row.sum(), float(side)) for side, row in enumerate(counts)])
    y = np.concatenate([np.repeat(np.arange(len(row)), row) for row in counts])
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X[:, np.newaxis], y).tree_
    assert tree.node_count == 3
    share = tree.weighted_n_node_samples / len(y)
    return tree.impurity[0] - share[1] * tree.impurity[1] - share[2] * tree.impurity[2]


def random_counts(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (2, rng.integers(2, 6)))
    counts[:, 0] += 1  # no child is empty
    counts[0, 1] += 1  # and there are two classes
    return counts


def same_classes(counts):
    return np.allclose(counts[0] / counts[0].sum(), counts[1] / counts[1].sum())


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_concave_impurities_fall_with_every_split(criterion):
    for seed in range(60):
        counts = random_counts(seed)
        assert not same_classes(counts)
        assert decrease(criterion, counts) > 1e-9, counts
        counts[1] = 2 * counts[0]
        assert decrease(criterion, counts) == pytest.approx(0.0, abs=1e-12), counts


def test_training_error_stays_where_the_majority_does():
    """It is concave, but not strictly: what the theorem excludes."""
    n_without = 0
    for seed in range(60):
        counts = random_counts(seed)
        found = decrease("misclassification", counts)
        wrong = [row.sum() - row.max() for row in (counts.sum(axis=0), *counts)]
        assert found == pytest.approx((wrong[0] - wrong[1] - wrong[2]) / counts.sum(), abs=1e-12)
        n_without += found < 1e-12 and not same_classes(counts)
    assert n_without > 10
