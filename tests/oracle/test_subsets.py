"""Where a category has few levels, its cut is the best of all subsets, tried one by one."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from .slow_criteria import exact_decrease
from .slow_random import coin, random_subsets
from .slow_tree import ALL_SUBSETS_UP_TO, principal_order
from .tables import CLASSIFICATION, CRITERIA, Case

# Decreases that are fractions are compared exactly, others to this.
ROUNDING = 1e-12


def decreases_of_subsets(criterion, rows, column):
    """Of every division of the column's values in two, straight from the samples."""
    values = list({column[i] for i in rows})
    for size in range(len(values) - 1):
        for others in combinations(values[1:], size):
            gone = {values[0], *others}
            left = [i for i in rows if column[i] in gone]
            right = [i for i in rows if column[i] not in gone]
            if getattr(criterion, "name", None) == "poisson" and any(
                min(criterion.means(side)) == 0.0 for side in (left, right)
            ):
                continue  # no logarithm: such a cut is not taken
            yield exact_decrease(criterion, rows, left)


def assert_best(chosen, best, label):
    if isinstance(chosen, Fraction) and isinstance(best, Fraction):
        assert chosen == best, label
    else:
        assert abs(float(chosen) - float(best)) <= ROUNDING, label


def n_groups(column, rows):
    return len({column[i] for i in rows})


def category_alone(criterion, seed, **about):
    """One column of levels, with missing ones in every other case."""
    case = Case(criterion, seed, levels=1.0, holes=seed % 2 == 1, max_rows=25, **about)
    case.X, case.categories = case.X[:, -1:], {0}
    return case


def check_every_node(criterion, seeds, by_mean, **about):
    n_splits = 0
    for seed in seeds:
        case = category_alone(criterion, seed, **about)
        tree = case.slow_tree()
        for node in tree.nodes:
            if n_groups(tree.columns[0], node.rows) > ALL_SUBSETS_UP_TO:
                continue
            tree.criterion.enter(node.rows)
            best = max(decreases_of_subsets(tree.criterion, node.rows, tree.columns[0]), default=0)
            if node.children:
                if tree.mean_orders_levels() != by_mean:
                    continue  # fewer classes are left than the case began with
                chosen = exact_decrease(tree.criterion, node.rows, node.children[0].rows)
                assert_best(chosen, best, case.label)
                n_splits += 1
            else:
                outputs = {tuple(column[i] for column in tree.criterion.y) for i in node.rows}
                assert len(outputs) == 1 or best == 0, case.label
    assert n_splits > 20


@pytest.mark.parametrize("criterion", [*CLASSIFICATION, "squared_error", "friedman_mse"])
def test_order_of_means_has_the_best_subset(criterion):
    """Theorem 3.4."""
    check_every_node(criterion, range(60_000, 60_040), True, n_outputs=1, n_classes=2)


@pytest.mark.parametrize("criterion", [*CLASSIFICATION, "absolute_error", "poisson"])
def test_all_subsets_of_one_output(criterion):
    check_every_node(criterion, range(61_000, 61_035), False, n_outputs=1, n_classes=5)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_all_subsets_of_outputs(criterion):
    check_every_node(criterion, range(62_000, 62_025), False, n_outputs=2, n_classes=2)


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_native_root_has_the_best_subset(criterion, n_outputs):
    """Of all categories of the table; what goes left is read off the native tree."""
    n_splits = 0
    for seed in range(63_000, 63_020):
        case = Case(criterion, seed, n_outputs, levels=1.0, holes=seed % 2 == 1, max_rows=30)
        case.use(max_depth=1, category_gain="plain")
        case.X = case.X[:, :3]
        case.categories = set(range(case.p))
        slow = case.slow_tree()
        rows, columns = slow.root.rows, slow.columns
        if any(n_groups(column, rows) > ALL_SUBSETS_UP_TO for column in columns):
            continue
        decreases = [d for c in columns for d in decreases_of_subsets(slow.criterion, rows, c)]
        tree = case.fit().tree_
        if tree.node_count == 1:
            outputs = {tuple(column[i] for column in slow.criterion.y) for i in rows}
            assert len(outputs) == 1 or not decreases, case.label
            continue
        column = columns[tree.feature[0]]
        gone = set(tree.left_levels(0).tolist())
        if tree.missing_go_to_left[0]:
            gone.add(None)
        left = [i for i in rows if column[i] in gone]
        chosen = exact_decrease(slow.criterion, rows, left)
        assert_best(chosen, max(decreases), case.label)
        n_splits += 1
    assert n_splits >= 5


# ---- what more than ten levels are searched by


def test_principal_order_of_two_classes_is_that_of_means():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 15))
        counts = rng.integers(0, 6, (n, 2)) + np.array([1, 0])
        weights = counts.sum(axis=1).astype(float).tolist()
        shares = (counts / counts.sum(axis=1, keepdims=True)).tolist()
        first = [shares[g][0] for g in principal_order(weights, shares)]
        assert first in (sorted(first), sorted(first, reverse=True))


def test_principal_order_follows_the_widest_axis():
    rng = np.random.default_rng(1)
    for _ in range(50):
        along = rng.permutation(12)
        points = np.outer(along, [3.0, -4.0, 12.0]) + rng.normal(scale=0.01, size=(12, 3))
        ordered = along[principal_order(rng.integers(1, 5, 12).tolist(), points.tolist())].tolist()
        assert ordered in (sorted(along), sorted(along, reverse=True))


def test_points_in_one_place_stay_in_order():
    assert principal_order([1.0, 2.0, 1.0], [[0.25, 0.75]] * 3) == [0, 1, 2]


@pytest.mark.parametrize("n", [11, 64, 65, 130])
def test_random_subsets_are_fair(n):
    subsets = np.array(list(random_subsets(12345, 3, n)))
    assert len(subsets) <= 256
    assert len(np.unique(subsets, axis=0)) > 230
    assert abs(subsets.mean(axis=0) - 0.5).max() < 0.15
    assert 0 < subsets.sum(axis=1).min() <= subsets.sum(axis=1).max() < n


def test_coins_are_fair():
    heads = np.array([[coin(seed, level) for level in range(8)] for seed in range(2000)])
    assert abs(heads.mean(axis=0) - 0.5).max() < 0.05
    assert abs(np.corrcoef(heads.T) - np.eye(8)).max() < 0.1
