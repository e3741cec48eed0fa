"""Chapter 3: what a split can only improve, what it need not, and two criteria that are one."""

import numpy as np
import pytest

from silvics import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

N_SETS = 20


def inner_nodes(tree):
    return np.flatnonzero(tree.children_left >= 0)


def noisy_classes(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 4))
    return X, (X[:, 0] + rng.integers(0, 4, n)) % 3


def noisy_values(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] + rng.normal(size=n)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_proposition_3_1(kind, criterion):
    """Training error never rises with a split, however it was found."""
    n_unchanged = 0
    for seed in range(N_SETS):
        X, y = noisy_classes(seed)
        tree = kind(criterion=criterion, max_features=1, random_state=seed).fit(X, y).tree_
        counts = np.rint(tree.value[:, 0] * tree.n_node_samples[:, np.newaxis])
        errors = tree.n_node_samples - counts.max(axis=1)
        for t in inner_nodes(tree):
            left, right = tree.children_left[t], tree.children_right[t]
            assert errors[left] + errors[right] <= errors[t]
            majorities = {int(counts[u].argmax()) for u in (t, left, right)}
            if len(majorities) == 1:
                assert errors[left] + errors[right] == errors[t]
                n_unchanged += 1
    assert n_unchanged > 0


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_proposition_3_2(kind):
    """Squared training error falls with a split by W_L W_R / W times the means' squared gap."""
    for seed in range(N_SETS):
        X, y = noisy_values(seed)
        tree = kind(max_features=1, random_state=seed).fit(X, y).tree_
        paths = tree.decision_path(X).toarray().astype(bool)
        errors = [((y[rows] - tree.value[t, 0, 0]) ** 2).sum() for t, rows in enumerate(paths.T)]
        n = tree.n_node_samples
        for t in inner_nodes(tree):
            left, right = tree.children_left[t], tree.children_right[t]
            fall = errors[t] - errors[left] - errors[right]
            gap = tree.value[left, 0, 0] - tree.value[right, 0, 0]
            assert fall >= -1e-12
            assert fall == pytest.approx(n[left] * n[right] / n[t] * gap**2, abs=1e-12)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_deeper_trees_fit_classes_better(kind):
    X, y = noisy_classes(0, n=200)
    scores = [
        kind(max_depth=d, max_features=1, random_state=0).fit(X, y).score(X, y)
        for d in range(1, 12)
    ]
    assert (np.diff(scores) >= 0).all()
    assert scores[-1] > scores[0]


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_deeper_trees_fit_values_better(kind):
    X, y = noisy_values(0, n=200)
    scores = [
        kind(max_depth=d, max_features=1, random_state=0).fit(X, y).score(X, y)
        for d in [*range(1, 12), None]
    ]
    assert (np.diff(scores) >= 0).all()
    assert scores[-1] == 1.0


# ---- equation 3.23


def assert_half_the_gini(X, y, weights, **parameters):
    counted = DecisionTreeClassifier(criterion="gini", **parameters)
    counted = counted.fit(X, y, sample_weight=weights).tree_
    averaged = DecisionTreeRegressor(criterion="squared_error", **parameters)
    averaged = averaged.fit(X, y.astype(float), sample_weight=weights).tree_
    for name in ["children_left", "children_right", "feature", "threshold", "n_node_samples"]:
        np.testing.assert_array_equal(getattr(averaged, name), getattr(counted, name))
    np.testing.assert_allclose(averaged.impurity, counted.impurity / 2, atol=1e-15)
    np.testing.assert_allclose(averaged.value[:, 0, 0], counted.value[:, 0, 1], atol=1e-15)


def test_variance_of_zeros_and_ones_is_half_their_gini():
    for seed in range(N_SETS):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 5))
        y = (X[:, 0] + rng.normal(size=150) > 0).astype(int)
        # Large whole weights: sums are exact, and no two different partitions are tied.
        weights = rng.integers(1, 2**20, 150).astype(float)
        assert_half_the_gini(X, y, weights, random_state=seed)
        assert_half_the_gini(X, y, weights, random_state=seed, max_features=2, max_leaf_nodes=12)


def test_tied_cuts_of_zeros_and_ones_are_tied_for_both():
    """With equal weights many cuts have the same decrease: rounding must not choose among them."""
    for seed in range(4 * N_SETS):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 8, (60, 4))
        y = (X[:, 0] + 3 * rng.normal(size=60) > 2).astype(int)
        assert_half_the_gini(X, y, None, random_state=seed)


# ---- zero-gain splits


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(criterion=c) for c in ["gini", "entropy", "misclassification"]]
    + [
        DecisionTreeRegressor(criterion=c)
        for c in ["squared_error", "absolute_error", "friedman_mse"]
    ],
)
def test_exclusive_or_is_learned(model):
    """No first split gains anything; it is made all the same, and the second gains all."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([0, 1, 1, 0])
    tree = model.fit(X, y).tree_
    np.testing.assert_array_equal(model.predict(X), y)
    assert tree.max_depth == 2
    assert tree.n_leaves == 4
    root, left, right = tree.impurity[[0, tree.children_left[0], tree.children_right[0]]]
    assert root == left == right > 0.0


def test_exclusive_or_needs_a_split_that_gains_nothing():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([0, 1, 1, 0])
    stump = DecisionTreeClassifier(min_impurity_decrease=1e-9).fit(X, y)
    assert stump.tree_.node_count == 1
