"""Pruned trees are those of the definitions; reduced-error ones the best of all prunings."""

import numpy as np
import pytest
from scipy.stats import binom

from silvics import ForestRegressor

from .recipe_tables import Table, Tally, assert_same_predictions, assert_same_recipe_tree
from .slow_pruning import (
    all_prunings,
    errors_on,
    grow_back,
    leaves_below,
    pessimistic_errors,
    pruned,
    upper_limit,
)
from .slow_random import tree_seed

C45 = {"split": "multiway_categories"}


def test_upper_limit():
    for errors, n, confidence in [(0, 7, 0.25), (3, 9, 0.25), (2, 30, 0.1)]:
        np.testing.assert_allclose(
            binom.cdf(errors, n, upper_limit(errors, n, confidence)), confidence
        )


@pytest.mark.parametrize("criterion", ["gain_ratio", "gini", "entropy"])
def test_pessimistic(criterion):
    tally, n_cut = Tally(), 0
    for seed in range(600, 620):
        table = Table(seed, criterion, categories=2, holes=0.1 * (seed % 2), weights=seed % 5 == 0)
        rules = {"max_features": 2} if criterion != "gain_ratio" else C45
        confidence = [0.25, 0.1, 0.6][seed % 3]
        _, trees = tally.check(table, **rules)
        if trees is None:
            continue
        (tree,) = trees
        cut, close = pruned(tree, pessimistic_errors(tree, confidence), slack=0.1)
        if close:
            continue
        n_cut += len(cut)
        model = table.fit(pruning="pessimistic", confidence=confidence, **rules)
        grow_back(tree, cut)
        label = f"seed={seed}, {criterion}, confidence={confidence}"
        assert_same_recipe_tree(model._trees[0], tree, label)
        assert_same_predictions(table, model, [tree], label)
    tally.enough(15)
    assert n_cut > 10


def held_out(n, random_state, fraction):
    """Outputs are powers of two, so that the root's mean tells which rows it has."""
    model = ForestRegressor(
        "cart", 1, pruning="reduced_error", validation_fraction=fraction, max_depth=1,
        random_state=random_state,
    ).fit(np.arange(n)[:, np.newaxis], 2.0 ** np.arange(n))  # fmt: skip
    root = model._trees[0]
    total = round(float(root.values()[0][0]) * int(root.n_node_samples()[0]))
    return [i for i in range(n) if not total >> i & 1]


@pytest.mark.parametrize("criterion", ["gini", "gain_ratio", "squared_error"])
def test_reduced_error(criterion):
    n_cut = n_prunings = n_same = 0
    for seed in range(640, 660):
        table = Table(
            seed,
            criterion,
            numbers=2,
            categories=1,
            holes=0.1 * (seed % 2),
            n_rows=30,
            weights=seed % 3 == 0,
        )
        rules = {"max_depth": 4, **(C45 if criterion == "gain_ratio" else {})}
        fraction = [0.25, 0.4][seed % 2]
        held = held_out(table.n, table.random_state, fraction)
        assert len(held) == round(fraction * table.n)
        model = table.fit(pruning="reduced_error", validation_fraction=fraction, **rules)
        weights = np.ones(table.n) if table.weights is None else table.weights.copy()
        weights[held] = 0.0
        tree = table.slow(tree_seed(table.random_state, 0), rules, weights=weights)
        errors = errors_on(tree, held, table.weights)
        prunings = list(all_prunings(tree.root))
        least = min((sum(map(errors, leaves)), len(leaves)) for leaves in prunings)
        cut, close = pruned(tree, errors, slack=0.0)
        left = leaves_below(tree.root, cut)
        np.testing.assert_allclose((sum(map(errors, left)), len(left)), least)
        n_cut, n_prunings = n_cut + len(cut), n_prunings + len(prunings)
        grow_back(tree, cut)
        try:
            assert_same_recipe_tree(model._trees[0], tree, f"seed={seed}, {criterion}, {fraction}")
        except AssertionError:
            if not (tree.close_call or close):
                raise
            continue
        n_same += 1
    assert n_same > 15
    assert n_cut > 20
    assert n_prunings > 200
