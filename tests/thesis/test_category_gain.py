"""What levels that mean nothing gain by chance, and what is taken off for it (7.2.2)."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from silvics import DecisionTreeClassifier, RandomForestClassifier, RandomForestRegressor


def gini(y):
    return 1 - sum(Fraction(int(n), len(y)) ** 2 for n in np.unique(y, return_counts=True)[1])


def variance(y):
    mean = Fraction(int(y.sum()), len(y))
    return sum((int(v) - mean) ** 2 for v in y) / len(y)


@pytest.mark.parametrize("impurity", [gini, variance])
@pytest.mark.parametrize("levels", [[0, 0, 0, 1, 1, 2], [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 1, 1]])
def test_share_of_the_impurity_that_levels_explain_by_chance(impurity, levels):
    """(L - 1) / (n - 1), exactly, on average over all permutations."""
    y = np.array([0, 1, 1, 2, 2, 0])
    n, decreases = len(levels), []
    for shuffled in permutations(levels):
        sides = [y[np.array(shuffled) == level] for level in set(levels)]
        left = sum(Fraction(len(side), n) * impurity(side) for side in sides)
        decreases.append(impurity(y) - left)
    expected = Fraction(len(set(levels)) - 1, n - 1) * impurity(y)
    assert sum(decreases) / len(decreases) == expected


def noise_and_signal(rng, n=400, n_levels=60):
    X = np.stack([rng.integers(0, n_levels, n), rng.normal(size=n)], axis=1).astype(float)
    return X, X[:, 1] + 2.0 * rng.normal(size=n)


def share_of_roots_on_the_category(kind, y_of, gain):
    """Roots of single-variable depth: which of the two is chosen when both are tried."""
    chosen = []
    for seed in range(20):
        X, y = noise_and_signal(np.random.default_rng(seed))
        forest = kind(
            10,
            max_depth=1,
            max_features=None,
            categorical_features=[0],
            category_gain=gain,
            random_state=seed,
        ).fit(X, y_of(y))
        chosen += [tree.tree_.feature[0] == 0 for tree in forest.estimators_]
    return np.mean(chosen)


@pytest.mark.parametrize(
    ("kind", "y_of"),
    [
        (RandomForestRegressor, lambda y: y),
        (RandomForestClassifier, lambda y: y > 0),
        (RandomForestClassifier, lambda y: np.digitize(y, [-1, 1])),
        (RandomForestRegressor, lambda y: np.stack([y, -y], axis=1)),
    ],
    ids=["numbers", "two classes", "three classes", "two outputs"],
)
def test_levels_that_mean_nothing_are_not_chosen(kind, y_of):
    """Sixty levels of noise beat a number that explains a fifth, unless adjusted."""
    assert share_of_roots_on_the_category(kind, y_of, "plain") > 0.3
    assert share_of_roots_on_the_category(kind, y_of, "adjusted") < 0.05


def test_levels_that_mean_much_are_chosen():
    rng = np.random.default_rng(0)
    X = np.stack([rng.integers(0, 60, 2000), rng.normal(size=2000)], axis=1)
    y = rng.integers(0, 2, 60)[X[:, 0].astype(int)]
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    assert tree.tree_.feature.tolist() == [0, -2, -2]


def test_decrease_of_impurity_is_not_adjusted():
    """Importances count all of it."""
    X, y = noise_and_signal(np.random.default_rng(0))
    trees = [
        DecisionTreeClassifier(categorical_features=[0], category_gain=gain).fit(X[:, :1], y > 0)
        for gain in ("adjusted", "plain")
    ]
    a, b = (tree.tree_ for tree in trees)
    assert a.impurity.tolist() == b.impurity.tolist()
    assert trees[0].tree_.node_count == trees[1].tree_.node_count > 1


def test_two_levels_are_a_number_of_two_values():
    rng = np.random.default_rng(0)
    for seed in range(20):
        X = rng.integers(0, 2, (40, 6)).astype(float)
        y = (X.sum(axis=1) + rng.normal(size=40)) > 3
        model = DecisionTreeClassifier(max_depth=1, random_state=seed)
        as_numbers = model.fit(X, y).tree_.feature[0]
        model.set_params(categorical_features=[1, 3, 4])
        assert model.fit(X, y).tree_.feature[0] == as_numbers
