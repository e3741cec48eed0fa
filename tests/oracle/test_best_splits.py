"""With K = p and the best cut, the native tree equals the slow one, on every path."""

import pytest

from .tables import CRITERIA, Case, assert_same_tree

SEARCHES = ["sort", "bins", "auto"]
GROWTHS = ["depth_first", "best_first", "breadth_first"]


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_full_trees(criterion, block):
    for seed in range(100 * block, 100 * block + 25):
        case = Case(criterion, seed)
        slow = case.slow_tree()
        for i, search in enumerate(SEARCHES):
            # Each search with one order of growth; all pairs of them for every fifth table.
            for growth in GROWTHS if seed % 5 == 0 else [GROWTHS[(seed + i) % 3]]:
                tree = case.fit(search=search, growth=growth).tree_
                assert_same_tree(tree, slow, f"{case.label}, {search}, {growth}")


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_stopped_trees(criterion, block):
    for seed in range(1000 + 100 * block, 1000 + 100 * block + 30):
        case = Case(criterion, seed).stop_somewhere()
        slow = case.slow_tree()
        for search in SEARCHES:
            tree = case.fit(search=search).tree_
            assert_same_tree(tree, slow, f"{case.label}, {search}")


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_leaves_in_every_order(criterion, growth):
    """Where leaves are limited the order of growth shows; equals go from left to right."""
    for seed in range(2000, 2015):
        case = Case(criterion, seed)
        case.use(max_leaf_nodes=int(case.rng.integers(2, 12)), growth=growth)
        assert_same_tree(case.fit().tree_, case.slow_tree(), case.label)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_monotonic_constraints(criterion, splitter):
    for seed in range(3000, 3030):
        case = Case(criterion, seed, n_outputs=1, n_classes=2).stop_somewhere()
        signs = case.rng.integers(-1, 2, case.p).tolist()
        case.use(monotonic_cst=signs if any(signs) else None, splitter=splitter)
        slow = case.slow_tree()
        for search in ["sort", "bins"]:
            tree = case.fit(search=search).tree_
            assert_same_tree(tree, slow, f"{case.label}, {search}")


# Sums of medians' deviations have no defined order, so absolute error needs exact numbers.
@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "absolute_error"])
def test_real_numbers(criterion):
    """Sums that round: their order is defined, and the same on every path."""
    for seed in range(4000, 4030):
        case = Case(criterion, seed, exact=False).stop_somewhere()
        slow = case.slow_tree()
        for search in SEARCHES:
            tree = case.fit(search=search).tree_
            assert_same_tree(tree, slow, f"{case.label}, {search}")
