"""Every random rule against its definition.

Seeds are fixed; a test fails by chance for one seed in a thousand (p < 0.001). With 4,000 draws a
Kolmogorov-Smirnov test of that level sees a distribution function that is off by 0.04 anywhere
with a power above 0.9, and a chi-square test of 20 equal classes sees one that is off by a third.
"""

from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, poisson

from silvics import ForestClassifier, ForestRegressor

N_TREES = 4000
LEVEL = 1e-3


def stumps(X, y, recipe, **parameters):
    """Trees with one split each."""
    kind = ForestRegressor if np.asarray(y).dtype.kind == "f" else ForestClassifier
    parameters = {"max_depth": 1, "random_state": 0, "n_estimators": N_TREES} | parameters
    return kind(recipe, **parameters).fit(X, y)


def first_cuts(forest):
    return np.array([tree.threshold()[0] for tree in forest._trees if tree.node_count > 1])


def first_variables(forest):
    return np.array([tree.feature()[0] for tree in forest._trees])


def agrees(observed, shares):
    """Whether counts are as expected of these shares."""
    shares = np.asarray(shares) / np.sum(shares)
    return chisquare(observed, shares * np.sum(observed)).pvalue > LEVEL


def one_column(n=30, seed=0):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.gamma(1.0, size=n))
    return x[:, np.newaxis], rng.integers(0, 2, n)


def uniform_mixture(pairs):
    """Distribution function of a uniform point in an interval drawn from these."""
    low, high = np.array([sorted(pair) for pair in pairs]).T
    return lambda v: np.clip((np.asarray(v)[:, np.newaxis] - low) / (high - low), 0.0, 1.0).mean(
        axis=1
    )


@pytest.mark.parametrize("recipe", ["pert", "pert_stopped"])
def test_pert_cuts_between_two_samples_of_different_output(recipe):
    X, y = one_column()
    x = X[:, 0]
    pairs = [(x[i], x[j]) for i, j in combinations(range(len(x)), 2) if y[i] != y[j]]
    cuts = first_cuts(stumps(X, y, recipe))
    assert len(cuts) == N_TREES
    assert kstest(cuts, uniform_mixture(pairs)).pvalue > LEVEL
    # The density is not that of Extra-Trees.
    assert kstest(cuts, "uniform", (x[0], x[-1] - x[0])).pvalue < LEVEL


def test_pert_of_regression_wants_different_numbers():
    x = np.arange(6.0)
    y = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 2.0])
    pairs = [(a, b) for a, b in combinations(x, 2) if y[int(a)] != y[int(b)]]
    cuts = first_cuts(stumps(x[:, np.newaxis], y, "pert"))
    assert kstest(cuts, uniform_mixture(pairs)).pvalue > LEVEL


@pytest.mark.parametrize("recipe", ["extra_trees", "totally_randomized"])
def test_extra_trees_cut_uniformly_in_the_range(recipe):
    X, y = one_column()
    cuts = first_cuts(stumps(X, y, recipe))
    assert kstest(cuts, "uniform", (X.min(), np.ptp(X))).pvalue > LEVEL


def test_random_gaps_are_equally_likely_and_cut_uniformly():
    X, y = one_column(n=12)
    x = X[:, 0]
    cuts = first_cuts(stumps(X, y, "random_gap", max_leaf_nodes=2, max_depth=None))
    gap = np.searchsorted(x, cuts, side="right") - 1
    assert agrees(np.bincount(gap, minlength=11), np.ones(11))
    place = (cuts - x[gap]) / (x[gap + 1] - x[gap])
    assert kstest(place, "uniform").pvalue > LEVEL


def test_one_of_the_twenty_best_is_taken_uniformly():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(60)
    splits = []
    for j in range(2):
        x = np.sort(X[:, j])
        for a, b in pairwise(x):
            left = X[:, j] <= a
            decrease = y.var() - (left.mean() * y[left].var() + (~left).mean() * y[~left].var())
            splits.append((decrease, j, a + (b - a) / 2))
    splits.sort(reverse=True)
    assert splits[19][0] - splits[20][0] > 1e-9
    places = {(j, round(v, 12)): k for k, (_, j, v) in enumerate(splits)}
    forest = stumps(X, y, "dietterich_kong")
    drawn = [
        places[j, round(v, 12)]
        for j, v in zip(first_variables(forest), first_cuts(forest), strict=True)
    ]
    counts = np.bincount(drawn)
    assert len(counts) == 20
    assert agrees(counts, np.ones(20))


def test_fewer_splits_than_twenty_are_all_there_is():
    X, y = np.arange(5.0)[:, np.newaxis], np.array([0, 1, 0, 1, 1])
    cuts = first_cuts(stumps(X, y, "dietterich_kong"))
    assert agrees(np.unique(cuts, return_counts=True)[1], np.ones(4))


def test_purely_random_cells_are_cut_without_looking_at_samples():
    X, y = one_column()
    low, high = X.min(), X.max()
    forest = stumps(X, y, "purely_random", max_depth=None, max_leaf_nodes=3)
    first, sides, places = [], [], []
    for tree in forest._trees:
        threshold = tree.threshold()
        first.append(threshold[0])
        left, right = tree.children(0)
        for side, child in enumerate((left, right)):
            if len(tree.children(child)) == 0:
                continue
            sides.append(side)
            ends = (low, threshold[0]) if side == 0 else (threshold[0], high)
            places.append((threshold[child] - ends[0]) / (ends[1] - ends[0]))
    assert kstest(first, "uniform", (low, high - low)).pvalue > LEVEL
    assert kstest(places, "uniform").pvalue > LEVEL
    # Either leaf is split next with the same odds, however many samples it has; a cell without
    # samples counts, though nothing is seen of its parts.
    empty = sum(0 in tree.n_node_samples() for tree in forest._trees)
    assert len(sides) + empty >= N_TREES
    assert agrees(np.bincount(sides, minlength=2), np.ones(2))


def test_biau_2012_halves_the_cells():
    rng = np.random.default_rng(0)
    X = rng.random((50, 2))
    X[0], X[1] = 0.0, 1.0  # the cell is the unit square
    y = rng.integers(0, 2, 50)
    forest = stumps(X, y, "biau_2012", max_depth=3, feature_weights=[1, 3], n_estimators=500)
    for tree in forest._trees:
        stack = [(0, np.array([[0.0, 1.0], [0.0, 1.0]]))]
        while stack:
            node, cell = stack.pop()
            children = tree.children(node)
            if len(children) == 0:
                continue
            j, v = tree.feature()[node], tree.threshold()[node]
            assert v == cell[j].mean()
            for side, child in enumerate(children):
                part = cell.copy()
                part[j, 1 - side] = v
                stack.append((child, part))
    assert agrees(np.bincount(first_variables(forest), minlength=2), [1, 3])


def test_variables_are_drawn_by_their_odds():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 4)), rng.integers(0, 2, 40)
    odds = [1.0, 2.0, 0.0, 5.0]
    forest = stumps(X, y, "totally_randomized", variables="weighted", feature_weights=odds)
    counts = np.bincount(first_variables(forest), minlength=4)
    assert counts[2] == 0
    assert agrees(counts[[0, 1, 3]], [1.0, 2.0, 5.0])


@pytest.mark.parametrize("K", [1, 2, 4])
def test_one_plus_poisson_variables_are_drawn(K):
    rng = np.random.default_rng(0)
    p, n = 6, 200
    y = rng.standard_normal(n)
    # The sooner a variable comes, the better its best split.
    X = np.column_stack([y + (0.05 + 0.3 * j) * rng.standard_normal(n) for j in range(p)])
    forest = stumps(X, y, "random_forest", rows="all", variables="poisson", max_features=K)
    numbers = poisson.pmf(np.arange(p - 1), K)
    odds = [*numbers, 1 - numbers.sum()]  # of 1 .. p variables
    shares = [
        sum(odds[m - 1] * comb(p - r - 1, m - 1) / comb(p, m) for m in range(1, p + 1))
        for r in range(p)
    ]
    assert agrees(np.bincount(first_variables(forest), minlength=p), shares)


def test_subspaces_are_uniform():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 5)), rng.integers(0, 2, 30)
    forest = ForestClassifier("random_subspace", N_TREES, max_columns=2, random_state=0).fit(X, y)
    seen = [frozenset(tree.feature()[tree.feature() >= 0].tolist()) for tree in forest._trees]
    assert max(len(s) for s in seen) == 2
    pairs = [frozenset(pair) for pair in combinations(range(5), 2)]
    # Full trees of two columns nearly always use both.
    counts = [sum(s == pair for s in seen) for pair in pairs]
    assert sum(counts) > 0.99 * N_TREES
    assert agrees(counts, np.ones(10))


def test_subsamples_are_uniform():
    X, y = np.arange(6.0)[:, np.newaxis], np.array([0, 1, 0, 1, 0, 1])
    forest = ForestClassifier("pasting", N_TREES, max_samples=2, random_state=0).fit(X, y)
    drawn = [tuple(sorted(rows)) for rows in forest.estimators_samples_]
    assert all(len(set(rows)) == 2 for rows in drawn)
    counts = [drawn.count(pair) for pair in combinations(range(6), 2)]
    assert agrees(counts, np.ones(15))


def test_relevant_variables_are_cut_in_the_middle():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2)), rng.integers(0, 2, 40)
    forest = stumps(X, y, "breiman_2004", relevant=[0])
    variable, cuts = first_variables(forest), first_cuts(forest)
    assert agrees(np.bincount(variable), [1, 1])
    low, high = X.min(axis=0), X.max(axis=0)
    assert np.allclose(cuts[variable == 0], (low[0] + high[0]) / 2)
    assert kstest(cuts[variable == 1], "uniform", (low[1], high[1] - low[1])).pvalue > LEVEL


def test_near_the_root_any_variable_of_almost_the_best_gain_is_taken():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    flip = [0.1, 0.11, 0.12, 0.4]
    X = np.column_stack([np.where(rng.random(400) < f, 1 - y, y) for f in flip])
    forest = stumps(X, y, "kwok_carter", near_best=0.5)
    counts = np.bincount(first_variables(forest), minlength=4)
    assert counts[3] == 0
    assert agrees(counts[:3], np.ones(3))
    below = stumps(X, y, "kwok_carter", near_best=0.5, near_best_depth=0, n_estimators=50)
    assert len(set(first_variables(below))) == 1


def test_combinations_have_uniform_coefficients_over_ranges():
    rng = np.random.default_rng(0)
    X = rng.random((50, 4)) * [1, 10, 100, 1000]
    y = rng.integers(0, 2, 50)
    forest = stumps(X, y, "forest_rc", rows="all", max_features=1, n_combined=2)
    terms = [tree.record(0)["terms"] for tree in forest._trees]
    used = np.array([[f for f, _ in of_tree] for of_tree in terms])
    assert agrees(np.bincount(used.ravel(), minlength=4), np.ones(4))
    ranges = np.ptp(X, axis=0)
    coefficients = np.array([a * ranges[f] for of_tree in terms for f, a in of_tree])
    assert kstest(coefficients, "uniform", (-1, 2)).pvalue > LEVEL


def test_either_half_of_an_honest_tree_is_any_half():
    # Samples that fill leaves are counted at the root, by what they are.
    y = np.array([0, 1, 2, 3, 0, 1, 2, 3])
    X = np.arange(8.0)[:, np.newaxis]
    forest = stumps(X, y, "random_forest", rows="all", honest=True)
    shares = np.array([tree.values()[0] for tree in forest._trees]) * 4
    assert np.allclose(shares.sum(axis=1), 4)
    counts = np.rint(shares).astype(int)
    # Four of eight: how many of a class are among them is hypergeometric.
    assert agrees(np.bincount(counts[:, 0]), [comb(6, 4), 2 * comb(6, 3), comb(6, 2)])
