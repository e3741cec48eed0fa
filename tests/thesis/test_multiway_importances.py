"""Trees of Definition 6.1, and their importances: Table 6.2 and Theorem 6.2."""

from functools import cache
from itertools import combinations, product
from math import log2

import numpy as np
import pytest

from silvics import ForestClassifier, ForestRegressor

from ..led import EXACT, PRINTED, SEGMENTS


def expected(K):
    """Expected importances of such trees on the LED table, from node to node (definition 3)."""

    @cache
    def below(digits, unused):
        if not unused:
            return np.zeros(7)
        # All digits differ, so that a segment tells H of its share among those left.
        gain = {}
        for j in unused:
            n = sum(SEGMENTS[d, j] for d in digits)
            parts = [m for m in (n, len(digits) - n) if m]
            gain[j] = sum(m / len(digits) * log2(len(digits) / m) for m in parts)
        sums = np.zeros(7)
        draws = list(combinations(sorted(unused), min(K, len(unused))))
        for drawn in draws:
            most = max(gain[j] for j in drawn)
            ties = [j for j in drawn if gain[j] > most - 1e-12]
            for j in ties:
                share = 1 / len(draws) / len(ties)
                sums[j] += share * len(digits) / 10 * gain[j]
                for value in (0, 1):
                    child = frozenset(d for d in digits if SEGMENTS[d, j] == value)
                    if child:
                        sums += share * below(child, unused - {j})
        return sums

    return below(frozenset(range(10)), frozenset(range(7)))


def importances(forest):
    """Of each tree, not rescaled."""
    return np.array([tree.impurity_decrease(False) for tree in forest._trees])


def leaf_depths(tree):
    depths = tree.compute_node_depths() - 1
    return depths[tree.feature == -2]


def definition_6_1(K=1, **parameters):
    return ForestClassifier(
        "totally_randomized_multiway", max_features=K, random_state=0, **parameters
    )


@pytest.mark.parametrize("K", range(1, 8))
def test_table_6_2(K):
    forest = definition_6_1(K, n_estimators=10_000).fit(SEGMENTS, np.arange(10))
    each = importances(forest)
    mean, error = each.mean(axis=0), each.std(axis=0) / 100
    exact = expected(K)
    if K in EXACT:
        assert exact == pytest.approx(EXACT[K], abs=6e-5)
    # Seven variables and seven K: 4.5 standard errors are passed by chance three times in 10^4.
    assert (abs(mean - exact) <= 4.5 * error + 1e-12).all()
    assert abs(exact - PRINTED[K - 1]).max() < 0.005
    # Theorem 6.2: whatever K, the importances of every tree add up to H(Y).
    assert np.allclose(each.sum(axis=1), np.log2(10))


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_a_full_table_has_all_leaves_at_the_last_level(p):
    X = np.array(list(product([0, 1], repeat=p)))
    y = np.random.default_rng(p).integers(0, 2, 2**p)
    y[0], y[-1] = 0, 1
    forest = definition_6_1(n_estimators=20).fit(X, y)
    for tree in forest:
        assert tree.tree_.n_leaves == 2**p
        assert (leaf_depths(tree.tree_) == p).all()


def test_so_has_any_table_though_variables_are_constant_at_nodes():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (30, 4)), rng.integers(0, 2, 30)
    forest = definition_6_1(n_estimators=20).fit(X, y)
    for tree in forest:
        assert (leaf_depths(tree.tree_) == 4).all()
        # On a branch every variable is asked once.
        stack = [(0, frozenset())]
        while stack:
            node, above = stack.pop()
            children = tree.tree_.children(node)
            if len(children) == 0:
                assert above == {0, 1, 2, 3}
                continue
            feature = int(tree.tree_.feature[node])
            assert feature not in above
            stack += [(child, above | {feature}) for child in children]


@pytest.mark.parametrize("q", [1, 2, 3])
def test_pruned_at_depth_q(q):
    forest = definition_6_1(n_estimators=30, max_depth=q).fit(SEGMENTS, np.arange(10))
    assert all((leaf_depths(tree.tree_) == q).all() for tree in forest)


def test_regression_takes_part():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 3))
    y = X[:, 0] + 0.1 * X[:, 1]
    forest = ForestRegressor("totally_randomized_multiway", n_estimators=50, random_state=0)
    forest.fit(X, y)
    each = importances(forest)
    assert np.allclose(each.sum(axis=1), y.var())
    assert np.allclose(forest.predict(X), y)
