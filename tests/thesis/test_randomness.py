"""Distributions: each is drawn many times, with fixed seeds, and put to a test.

A test rejects at one in ten thousand, so that of all of them hardly one would fail by chance
when the seeds are changed; each has power against the mistake that its docstring names.
"""

from collections import Counter
from math import comb, sqrt

import numpy as np
import pytest
from scipy import stats

from silvics import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

REJECT = 1e-4
N_SEEDS = 1000


def assert_frequencies(counts, shares):
    shares = np.asarray(shares, dtype=float)
    expected = shares / shares.sum() * np.sum(counts)
    assert stats.chisquare(counts, expected).pvalue > REJECT


def tally(draws, n):
    seen = Counter(draws)
    assert set(seen) <= set(range(n))
    return [seen[i] for i in range(n)]


# ---- variables of a node


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_each_variable_is_equally_likely(splitter):
    X = np.repeat(np.arange(8.0)[:, np.newaxis], 5, axis=1)
    roots = [
        DecisionTreeRegressor(max_features=1, max_depth=1, splitter=splitter, random_state=seed)
        .fit(X, X[:, 0])
        .tree_.feature[0]
        for seed in range(N_SEEDS)
    ]
    assert_frequencies(tally(roots, 5), np.ones(5))


def test_ties_go_to_the_first_drawn():
    """Not to the first column: all variables are tied, and each wins as often."""
    X = np.repeat(np.arange(8.0)[:, np.newaxis], 4, axis=1)
    roots = [
        DecisionTreeRegressor(max_depth=1, random_state=seed).fit(X, X[:, 0]).tree_.feature[0]
        for seed in range(N_SEEDS)
    ]
    assert_frequencies(tally(roots, 4), np.ones(4))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_k_variables_are_drawn_without_replacement(k):
    """The r-th best of p variables wins if it is drawn and no better one is."""
    p, n = 5, 64
    y = (np.arange(n) >= n // 2).astype(int)
    X = np.repeat(y[:, np.newaxis], p, axis=1)
    for r in range(p):  # the r-th variable is wrong on r rows of each class
        X[:r, r] ^= 1
        X[n - r :, r] ^= 1
    roots = [
        DecisionTreeClassifier(max_features=k, max_depth=1, random_state=seed)
        .fit(X, y)
        .tree_.feature[0]
        for seed in range(N_SEEDS)
    ]
    counts = tally(roots, p)
    ways = [comb(p - 1 - r, k - 1) for r in range(p)]
    assert sum(counts[p - k + 1 :]) == 0
    assert_frequencies(counts[: p - k + 1], ways[: p - k + 1])


def test_nodes_draw_independently():
    """Root, left and right child: all triples of variables are equally likely."""
    X = np.repeat(np.arange(8.0)[:, np.newaxis], 3, axis=1)
    triples = []
    for seed in range(N_SEEDS):
        tree = DecisionTreeRegressor(max_features=1, max_depth=2, random_state=seed)
        a, b, c = tree.fit(X, X[:, 0]).tree_.feature[[0, 1, 4]]
        triples.append(int(9 * a + 3 * b + c))
    assert_frequencies(tally(triples, 27), np.ones(27))


def test_constants_count_or_are_skipped():
    """K = 2 of one good, one poor and four constant variables; drawing goes on to a useful one.

    Counted, the poor one wins when both useful ones are not among the first two drawn and it
    comes first: (1 - 1/15) / 2. Skipped, two useful ones are always compared.
    """
    y = np.repeat([0, 1], 8)
    good, poor = y, y.copy()
    poor[[0, -1]] ^= 1
    X = np.column_stack([good, poor, *np.zeros((4, 16), dtype=int)])
    roots = {}
    for rule in ["count", "skip"]:
        roots[rule] = [
            DecisionTreeClassifier(
                max_features=2, max_depth=1, constant_features=rule, random_state=seed
            )
            .fit(X, y)
            .tree_.feature[0]
            for seed in range(N_SEEDS)
        ]
    assert_frequencies(tally(roots["count"], 2), [8 / 15, 7 / 15])
    assert set(roots["skip"]) == {0}


# ---- Extra-Trees' cut


def test_cut_is_uniform():
    X, y = np.array([[-2.0], [6.0]]), np.array([0, 1])
    cuts = np.array(
        [
            ExtraTreeClassifier(random_state=seed).fit(X, y).tree_.threshold[0]
            for seed in range(N_SEEDS)
        ]
    )
    assert cuts.min() >= -2.0
    assert cuts.max() < 6.0
    assert stats.kstest(cuts, stats.uniform(-2.0, 8.0).cdf).pvalue > REJECT


@pytest.mark.parametrize("p", [1, 3])
def test_cuts_of_variables_are_independent(p):
    """Of p copies the cut nearest to the middle wins: nearer than one cut for all would be."""
    x = np.arange(64.0)
    y = (x >= 32).astype(int)
    X = np.repeat(x[:, np.newaxis], p, axis=1)
    tree = ExtraTreeClassifier(max_features=None, max_depth=1)
    distances = []
    for seed in range(1000):
        n_left = tree.set_params(random_state=seed).fit(X, y).tree_.n_node_samples[1]
        distances.append(abs(n_left - 32))
    # One cut puts 1 .. 63 samples left, all equally likely, so it is d or more away from the
    # middle with probability 2 (32 - d) / 63.
    borders = np.array([1, 2, 3, 4, 6, 9, 13, 18, 24])
    beyond = np.concatenate([[1.0], (2 * (32 - borders) / 63) ** p, [0.0]])
    counts = np.bincount(np.digitize(distances, borders), minlength=len(borders) + 1)
    assert_frequencies(counts, -np.diff(beyond))


@pytest.mark.parametrize("n", [10, 50, 250])
def test_depth_of_leaves_of_totally_randomized_trees(n):
    """2 H_N - 2 edges on equally spaced values (Theorem 5.7 counts nodes: one more)."""
    x = np.arange(float(n))
    depths = []
    for seed in range(400):
        tree = ExtraTreeRegressor(max_features=1, random_state=seed).fit(x[:, np.newaxis], x).tree_
        depths.append((tree.compute_node_depths() - 1)[tree.children_left < 0].mean())
        assert tree.n_leaves == n
    expected = 2 * (1 / np.arange(1, n + 1)).sum() - 2
    error = np.std(depths, ddof=1) / sqrt(len(depths))
    assert error < 0.05  # a twentieth of an edge: one edge more or less is twenty errors away
    assert abs(np.mean(depths) - expected) < stats.norm.isf(REJECT / 2) * error


# ---- bootstrap


def test_rows_of_a_replicate_are_uniform():
    x = np.arange(20.0)
    forest = RandomForestRegressor(n_estimators=500, random_state=0).fit(x[:, np.newaxis], x)
    drawn = np.concatenate(forest.estimators_samples_)
    assert_frequencies(np.bincount(drawn, minlength=20), np.ones(20))


def test_rows_are_drawn_in_proportion_to_their_weights():
    x = np.arange(20.0)
    weights = np.arange(20) / 4.0  # row 0 is never drawn
    forest = RandomForestRegressor(n_estimators=500, random_state=0)
    forest.fit(x[:, np.newaxis], x, sample_weight=weights)
    counts = np.bincount(np.concatenate(forest.estimators_samples_), minlength=20)
    assert counts[0] == 0
    assert_frequencies(counts[1:], weights[1:])


def test_class_weights_are_odds_of_being_drawn():
    x, y = np.arange(20.0), np.repeat([0, 1], [15, 5])
    forest = RandomForestClassifier(n_estimators=500, class_weight="balanced", random_state=0)
    forest.fit(x[:, np.newaxis], y)
    counts = np.bincount(y[np.concatenate(forest.estimators_samples_)])
    assert_frequencies(counts, [1, 1])


def test_unique_rows_of_a_replicate():
    """About 0.632 N (5.27): the mean over trees against its exact expectation and variance."""
    n, m = 200, 500
    x = np.arange(float(n))
    forest = RandomForestRegressor(n_estimators=m, max_depth=1, random_state=0)
    forest.fit(x[:, np.newaxis], x)
    unique = np.array([len(set(rows)) for rows in forest.estimators_samples_])
    roots = [tree.tree_.n_node_samples[0] for tree in forest.estimators_]
    np.testing.assert_array_equal(roots, unique)  # what the tree grows on, and counts
    one, two = (1 - 1 / n) ** n, (1 - 2 / n) ** n
    expected = n * (1 - one)
    variance = n * one + n * (n - 1) * two - (n * one) ** 2
    assert expected / n == pytest.approx(0.632, abs=2e-3)
    error = sqrt(variance / m)
    assert abs(unique.mean() - expected) < stats.norm.isf(REJECT / 2) * error
    assert (m - 1) * unique.var(ddof=1) / variance == pytest.approx(m, rel=0.3)


def test_trees_of_a_forest_draw_independently():
    """Shared rows of two replicates: as many as chance gives."""
    n, m = 100, 200
    x = np.arange(float(n))
    forest = RandomForestRegressor(n_estimators=m, max_depth=1, random_state=0)
    forest.fit(x[:, np.newaxis], x)
    rows = [set(drawn) for drawn in forest.estimators_samples_]
    shared = np.array([len(a & b) for a, b in zip(rows[::2], rows[1::2], strict=True)])
    share = 1 - (1 - 1 / n) ** n
    error = shared.std(ddof=1) / sqrt(len(shared))
    assert abs(shared.mean() - n * share**2) < stats.norm.isf(REJECT / 2) * error
