"""Which of the splits found is taken, and whether a node is split at all."""

import pytest

from .recipe_tables import Table, Tally


def tables(criterion, seeds, **about):
    for seed in seeds:
        holes, weights = 0.15 * (seed % 2), seed % 3 == 0
        yield Table(seed, criterion, holes=holes, weights=weights, **about)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_one_of_the_best(criterion):
    """Dietterich and Kong: every threshold is a split of its own."""
    tally = Tally()
    for table in tables(criterion, range(300, 312), few=1, categories=1):
        n_best = [20, 5, 2][table.seed % 3]
        tally.check(table, choice="one_of_best", n_best=n_best, min_samples_split=6)
    tally.enough(8)


@pytest.mark.parametrize("split", ["binary", "multiway"])
@pytest.mark.parametrize("criterion", ["entropy", "squared_error"])
def test_near_the_best(criterion, split):
    """Kwok and Carter: only near the root."""
    tally = Tally()
    for table in tables(criterion, range(320, 328), few=1, categories=1):
        near = {"near_best": 0.25 + 0.1 * (table.seed % 4), "near_best_depth": table.seed % 4}
        tally.check(table, choice="near_best", split=split, max_values=4, **near)
    tally.enough(6)


@pytest.mark.parametrize("choice", ["significant", "best"])
@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_dependence(criterion, choice):
    """Conditional inference trees, by chi-square and by permutations."""
    tally, n_stopped = Tally(), 0
    for table in tables(criterion, range(340, 350), few=1, categories=1, n_rows=30):
        level = [0.05, 0.5, 0.9][table.seed % 3]
        drawn = {"max_features": 2} if table.seed % 2 else {}
        tally.check(table, choice=choice, significance=level, **drawn)
        rules = {"significance": 0.45, "n_permutations": 9}
        _, trees = tally.check(table, choice=choice, **rules, **drawn)
        for tree in trees or []:
            leaves = [node for node in tree.nodes if not node.children]
            n_stopped += sum(not tree.is_pure(leaf.rows) for leaf in leaves)
    tally.enough(15)
    assert n_stopped > 10
