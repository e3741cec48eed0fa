"""Cuts that recipes draw: in gaps, between pairs, in the middle, in cells."""

import pytest

from .recipe_tables import Table, Tally

CRITERIA = ["gini", "entropy", "squared_error"]


def tables(criterion, seeds, **about):
    for seed in seeds:
        yield Table(
            seed,
            criterion,
            few=1,
            categories=seed % 3,
            holes=0.15 * (seed % 2),
            weights=seed % 5 == 0,
            **about,
        )


@pytest.mark.parametrize("cut", ["gap", "middle", "relevance"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_in_the_range_of_the_node(criterion, cut):
    tally = Tally()
    for table in tables(criterion, range(12)):
        rules = {"cut": cut, "max_features": 1 + table.seed % 3}
        if cut == "relevance":
            rules["relevant"] = table.rng.random(table.p) < 0.5
        tally.check(table, **rules)
        leaf = {"min_samples_leaf": 3, "max_depth": 4, "constant_features": "skip"}
        tally.check(table, **rules, **leaf)
    tally.enough(20)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_between_a_pair(criterion):
    tally = Tally()
    for table in tables(criterion, range(20, 36)):
        leaf = {"min_samples_leaf": 3} if table.seed % 4 == 0 else {}
        tally.check(table, "pert", cut="pair", max_features=1 + table.seed // 2 % 2, **leaf)
    tally.enough(12)


PURELY_RANDOM = {"growth": "random", "split_pure": True, "min_samples_split": 1, "max_features": 1}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("cut", ["gap", "cell_uniform", "cell_middle"])
def test_leaves_drawn_at_random(criterion, cut):
    """Purely Random Forests and the random-gap forest: cells without samples among the leaves."""
    tally, n_empty = Tally(), 0
    for seed in range(40, 52):
        table = Table(seed, criterion, holes=0.2 * (seed % 2), few=1, weights=seed % 3 == 0)
        n_leaves = int(table.rng.integers(2, 30))
        _, trees = tally.check(
            table, "purely_random", cut=cut, max_leaf_nodes=n_leaves, **PURELY_RANDOM
        )
        n_empty += sum(not node.rows for tree in trees or [] for node in tree.nodes)
    tally.enough(10)
    assert (n_empty > 0) == (cut != "gap")


WEIGHTED = {"variables": "weighted", "max_features": 1, "growth": "breadth_first"}
ALL_SPLIT = {"split_pure": True, "min_samples_split": 1}


@pytest.mark.parametrize("categories", [0, 2])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_middles_of_cells(criterion, categories):
    """Biau 2012: full levels, variables of given odds, leaves without samples."""
    tally, n_empty = Tally(), 0
    for seed in range(60, 72):
        table = Table(seed, criterion, categories=categories, holes=0.2 * (seed % 2))
        odds = table.rng.random(table.p)
        odds[table.rng.integers(table.p)] = 0.0
        rules = {**WEIGHTED, **ALL_SPLIT, "feature_weights": odds.tolist()}
        _, trees = tally.check(table, "biau_2012", cut="cell_middle", max_depth=4, **rules)
        n_empty += sum(not node.rows for tree in trees or [] for node in tree.nodes)
    tally.enough(10)
    assert n_empty > 10
