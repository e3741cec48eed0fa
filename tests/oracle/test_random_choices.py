"""With the node's random choices drawn again, trees that depend on them are equal too."""

import pytest

from .tables import CRITERIA, Case, assert_same_tree


def check(case):
    slow = case.slow_tree()
    for switches in [{"search": "sort"}, {"search": "bins"}, {"growth": "best_first"}]:
        if switches.get("growth") and case.rules.max_leaf_nodes:
            continue
        tree = case.fit(**switches).tree_
        assert_same_tree(tree, slow, f"{case.label}, {switches}")


@pytest.mark.parametrize("constant_features", ["count", "skip"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_some_variables(criterion, constant_features):
    for seed in range(5000, 5040):
        case = Case(criterion, seed).stop_somewhere()
        k = int(case.rng.integers(1, case.p + 1))
        check(case.use(max_features=k, constant_features=constant_features))


@pytest.mark.parametrize("constant_features", ["count", "skip"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_uniform_cuts(criterion, constant_features):
    for seed in range(6000, 6040):
        case = Case(criterion, seed, max_rows=100).stop_somewhere()
        k = int(case.rng.integers(1, case.p + 1))
        check(case.use(splitter="random", max_features=k, constant_features=constant_features))


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_on_a_sample(criterion, splitter):
    for seed in range(7000, 7030):
        case = Case(criterion, seed).stop_somewhere()
        k = int(case.rng.integers(1, case.p + 1))
        size = int(case.rng.integers(2, max(3, len(case.X) // 2)))
        check(case.use(splitter=splitter, max_features=k, split_sample=size))
