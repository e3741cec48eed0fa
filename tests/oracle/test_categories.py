"""Categories: levels without an order go left or right, missing ones like one more level."""

import numpy as np
import pytest

from . import slow_tree
from .slow_random import random_subsets
from .slow_tree import ALL_SUBSETS_UP_TO
from .tables import CRITERIA, Case, check_on_paths

SEARCHES = [{"search": "sort"}, {"search": "bins"}]
GROWTHS = ["depth_first", "best_first", "breadth_first"]


def some_variables(case):
    return case.use(max_features=int(case.rng.integers(1, case.p + 1)))


def mixed(criterion, seeds, **about):
    """Categories among numeric columns; every other table has missing values."""
    for seed in seeds:
        share = [0.2, 0.5, 0.9][seed % 3]
        case = Case(criterion, seed, holes=seed % 2 == 1, levels=share, **about)
        yield case.use(category_gain="plain") if seed % 5 == 0 else case


@pytest.mark.parametrize("criterion", CRITERIA)
def test_full_trees(criterion):
    paths = [search | {"growth": growth} for search in SEARCHES for growth in GROWTHS]
    for case in mixed(criterion, range(50_000, 50_015)):
        check_on_paths(case, *paths)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_stopped_trees(criterion):
    for case in mixed(criterion, range(51_000, 51_030)):
        check_on_paths(case.stop_somewhere(), *SEARCHES)


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_two_classes(criterion, n_outputs):
    """One output of two classes is searched in the order of means, two by subsets."""
    for case in mixed(criterion, range(52_000, 52_010), n_outputs=n_outputs, n_classes=2):
        check_on_paths(case.stop_somewhere(), *SEARCHES)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_leaves_in_every_order(criterion, growth):
    for case in mixed(criterion, range(53_000, 53_008)):
        case.use(max_leaf_nodes=int(case.rng.integers(2, 12)), growth=growth)
        check_on_paths(case)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_constraints_on_the_numbers_beside(criterion, splitter):
    for case in mixed(criterion, range(54_000, 54_012), n_outputs=1, n_classes=2):
        signs = case.stop_somewhere().rng.integers(-1, 2, case.p)
        signs[list(case.categories)] = 0
        case.use(monotonic_cst=signs.tolist() if any(signs) else None, splitter=splitter)
        check_on_paths(case, *SEARCHES)


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "absolute_error"])
def test_real_numbers(criterion):
    for case in mixed(criterion, range(55_000, 55_020), exact=False):
        check_on_paths(case.stop_somewhere(), *SEARCHES)


@pytest.mark.parametrize("constant_features", ["count", "skip"])
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_some_variables(criterion, splitter, constant_features):
    for case in mixed(criterion, range(56_000, 56_015)):
        case.stop_somewhere().use(splitter=splitter, constant_features=constant_features)
        check_on_paths(some_variables(case), *SEARCHES, {"growth": "best_first"})


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_on_a_sample(criterion, splitter):
    for case in mixed(criterion, range(57_000, 57_020)):
        size = int(case.stop_somewhere().rng.integers(2, max(3, len(case.X) // 2)))
        check_on_paths(some_variables(case.use(splitter=splitter, split_sample=size)), *SEARCHES)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_bins_are_for_numbers(criterion):
    for case in mixed(criterion, range(58_000, 58_020)):
        bins = int(case.stop_somewhere().rng.integers(2, 8))
        check_on_paths(some_variables(case.use(max_bins=bins)), *SEARCHES)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_more_levels_than_bits_of_a_word(criterion, splitter):
    most = 0
    for case in mixed(criterion, range(59_000, 59_004), n_outputs=2, n_classes=4, max_rows=250):
        f = min(case.categories)
        case.X[:, f] = case.rng.permutation(len(case.X))
        case.weights = None
        if case.seed % 2:
            case.X[case.rng.random(len(case.X)) < 0.1, f] = np.nan
        check_on_paths(case.use(max_depth=2, splitter=splitter), *SEARCHES)
        most = max(most, len(case.levels_seen(f)))
    assert most > 64


@pytest.mark.parametrize("criterion", CRITERIA)
def test_random_subsets_decide(criterion):
    """Sides must weigh the same: cuts of the ordering seldom do, so that some subset is taken."""
    sizes = []
    for case in mixed(criterion, range(64_000, 64_020), n_outputs=2, n_classes=4, max_rows=250):
        n = len(case.X)
        case.X, case.categories = case.rng.permutation(n)[:, np.newaxis].astype(float), {0}
        case.X[case.rng.random(n) < 0.1 * (case.seed % 2)] = np.nan
        case.weights = case.rng.integers(1, 4, n).astype(float)
        case.weights[0] += case.weights.sum() % 2
        check_on_paths(case.use(min_weight_fraction_leaf=0.5), *SEARCHES)
        tree = case.slow_tree()
        known, missing = tree.groups(0, tree.root.rows)
        groups = [*known, missing] if missing else known
        if tree.root.children and len(groups) > ALL_SUBSETS_UP_TO:
            tree.criterion.enter(tree.root.rows)
            places = [tree.root.split.way.goes_left(tree.columns[0][g[0]]) for g in groups]
            along = [places[g] for g in tree.order_by_axis(groups)]
            if along != sorted(along, reverse=True):  # not a cut of the ordering
                sizes.append(len(groups))
    assert len(sizes) > 3
    assert max(sizes) > 70  # more than a word has bits


def twenty_levels(tree_seed):
    """A root that, with sides of one weight, is split by a random subset."""
    rng = np.random.default_rng(65_000)
    case = Case("gini", 65_000, levels=1.0)
    case.X, case.categories = rng.permutation(20)[:, np.newaxis].astype(float), {0}
    case.y, case.weights = rng.integers(0, 4, (20, 2)), np.arange(1.0, 21.0)
    case.tree_seed = tree_seed
    return case.use(max_depth=1, min_weight_fraction_leaf=0.5)


# Seeds that were looked for: the best subset is the last of the 256, or would be the one after.
@pytest.mark.parametrize(("n_subsets", "seeds"), [(255, [82, 544, 556]), (257, [60, 83, 104])])
def test_subsets_are_as_many_as_said(n_subsets, seeds, monkeypatch):
    for seed in seeds:
        case = twenty_levels(seed)
        check_on_paths(case, *SEARCHES)
        way = case.slow_tree().root.way
        with monkeypatch.context() as patch:
            patch.setattr(
                slow_tree, "random_subsets", lambda *about: random_subsets(*about, n_subsets)
            )
            assert getattr(case.slow_tree().root.way, "levels", None) != way.levels


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_numbers_past_the_last_level_are_missing(criterion, splitter):
    """Asked of the tree itself, which no estimator stands before."""
    for case in mixed(criterion, range(66_000, 66_015)):
        case.use(splitter=splitter)
        slow, tree = case.slow_tree(), case.fit().tree_
        X = case.numbered(case.new_rows())
        for f in case.categories:
            past = slow.n_levels[f] + case.rng.integers(0, 70, len(X))
            X[:, f] = np.where(X[:, f] == -1, past, X[:, f])
        expected = [slow.leaf_of(row) for row in X.tolist()]
        assert tree.apply(X).tolist() == expected, case.label
