"""Bins: the search sees only borders of bins, and cuts in the middle of the node's own gap."""

import pytest

from .tables import CRITERIA, Case, assert_same_tree


@pytest.mark.parametrize("binning", ["frequency", "width"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_bins(criterion, binning):
    for seed in range(8000, 8030):
        case = Case(criterion, seed).stop_somewhere()
        k = int(case.rng.integers(1, case.p + 1))
        case.use(max_bins=int(case.rng.integers(2, 12)), binning=binning, max_features=k)
        if case.rng.random() < 0.3:
            case.use(split_sample=int(case.rng.integers(2, 20)))
        slow = case.slow_tree()
        for search in ["sort", "bins", "auto"]:
            tree = case.fit(search=search).tree_
            assert_same_tree(tree, slow, f"{case.label}, {search}")


@pytest.mark.parametrize("binning", ["frequency", "width"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_enough_bins_are_exact_search(criterion, binning):
    for seed in range(9000, 9010):
        case = Case(criterion, seed)
        distinct = max(len(set(column)) for column in case.X.T.tolist())
        exact = case.slow_tree()
        model = case.fit(max_bins=max(2, distinct), binning=binning)
        assert_same_tree(model.tree_, exact, case.label)
        assert model.digest() == case.fit().digest(), case.label


@pytest.mark.parametrize("criterion", CRITERIA)
def test_random_cuts_know_no_bins(criterion):
    for seed in range(9500, 9510):
        case = Case(criterion, seed).use(splitter="random")
        assert_same_tree(case.fit(max_bins=2).tree_, case.slow_tree(), case.label)
