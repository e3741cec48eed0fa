"""Theorem 6.2 on a table taken as the distribution: importances add up to the information."""

import numpy as np
import pytest

from silvics import DecisionTreeClassifier


def entropy(*columns):
    """Joint entropy of some columns of the table, in bits."""
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log2(p)).sum())


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_pure_leaves_tell_the_whole_entropy(k, splitter):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (60, 4))
        y = (X[:, 0] * X[:, 1] + X[:, 2]) % 3  # a function of X: every leaf is pure
        tree = DecisionTreeClassifier(
            criterion="entropy", max_features=k, splitter=splitter, random_state=seed
        )
        importances = tree.fit(X, y).tree_.compute_feature_importances(normalize=False)
        assert (tree.tree_.impurity[tree.tree_.children_left < 0] == 0.0).all()
        assert importances.sum() == pytest.approx(entropy(y), abs=1e-12)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_impure_leaves_tell_the_mutual_information(k, splitter):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (60, 4))
        y = (X[:, 0] + rng.integers(0, 2, 60)) % 3
        tree = DecisionTreeClassifier(
            criterion="entropy", max_features=k, splitter=splitter, random_state=seed
        )
        importances = tree.fit(X, y).tree_.compute_feature_importances(normalize=False)
        information = entropy(X) + entropy(y) - entropy(X, y)
        assert 0.0 < information < entropy(y)
        assert importances.sum() == pytest.approx(information, abs=1e-12)
