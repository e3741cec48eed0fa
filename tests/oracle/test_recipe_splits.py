"""Splits of other kinds: a child for each value, random combinations; missing values elsewhere."""

import pytest

from .recipe_tables import Table, Tally


def tables(criterion, seeds, **about):
    for seed in seeds:
        holes, weights = 0.15 * (seed % 2), seed % 3 == 0
        yield Table(seed, criterion, holes=holes, weights=weights, **about)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_a_child_for_each_value(criterion):
    """ID3."""
    tally, most = Tally(), 0
    for table in tables(criterion, range(100, 112), numbers=2, few=2, categories=2):
        rules = {"split": "multiway", "max_values": 2 + table.seed % 5}
        if table.seed % 4 == 0:
            rules |= {"min_samples_leaf": 3, "max_features": 2}
        _, trees = tally.check(table, "id3", **rules)
        most = max([most, *(len(node.children) for tree in trees or [] for node in tree.nodes)])
    tally.enough(10)
    assert most > 3


ALL_SPLIT = {"split_pure": True, "min_samples_split": 1}


@pytest.mark.parametrize("max_features", [1, 2])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_variables_used_once(criterion, max_features):
    """The trees of Definition 6.1: variables that part nothing are used up by single children."""
    tally, n_single = Tally(), 0
    for table in tables(criterion, range(120, 130), numbers=1, few=2, categories=1):
        rules = {"split": "multiway", "variables": "unused", "max_values": 4, **ALL_SPLIT}
        _, trees = tally.check(
            table, "totally_randomized_multiway", max_features=max_features, **rules
        )
        for tree in trees or []:
            n_single += sum(len(node.children) == 1 for node in tree.nodes)
            leaves = [node for node in tree.nodes if not node.children]
            assert {node.depth for node in leaves} == {table.p}
    tally.enough(8)
    assert n_single > 10


def test_gain_ratio():
    """C4.5 before its pruning: thresholds of numbers, a child for each level of a category."""
    tally = Tally()
    for table in tables("gain_ratio", range(140, 165), categories=2):
        leaf = 1 + table.seed % 3
        tally.check(table, split="multiway_categories", min_samples_leaf=leaf)
    for table in tables("gain_ratio", range(165, 170), categories=2):
        tally.check(table, min_samples_leaf=3)  # categories in two
    tally.enough(22)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_combinations(criterion):
    """Forest-RC."""
    tally = Tally()
    for table in tables(criterion, range(180, 190), numbers=3, few=1, categories=1):
        rules = {"split": "oblique", "max_features": 1 + table.seed % 3}
        rules |= {"n_combined": 1 + table.seed % 4, "category_gain": "plain"}
        tally.check(table, "forest_rc", rows="all", **rules)
        tally.check(table, split="oblique", cut="uniform", max_features=2)
    tally.enough(16)


HOLES = {"holes": 0.2, "few": 1}


@pytest.mark.parametrize("categories", [0, 2])
@pytest.mark.parametrize("missing", ["apart", "both"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_missing_values_apart_or_in_both_children(criterion, missing, categories):
    """Node by node, weights and values too; and new rows with holes."""
    tally = Tally()
    for seed in range(200, 208):
        table = Table(seed, criterion, **HOLES, categories=categories, weights=seed % 3 == 0)
        tally.check(table, missing=missing, max_depth=4, max_features=1 + seed % 4)
        tally.check(table, missing=missing, min_samples_leaf=3, max_depth=5)
        tally.check(table, missing=missing, cut="uniform", max_features=2, max_depth=4)
    tally.enough(20)
