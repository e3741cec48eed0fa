"""Missing values of numeric variables: each cut is tried with them on either side."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from .slow_criteria import exact_decrease
from .slow_tree import Rules, SlowTree
from .tables import CRITERIA, Case, check_on_paths

SEARCHES = [{"search": "sort"}, {"search": "bins"}]
GROWTHS = ["depth_first", "best_first", "breadth_first"]
ROUNDING = 1e-12


def some_variables(case):
    return case.use(max_features=int(case.rng.integers(1, case.p + 1)))


def holed(criterion, seeds, **about):
    for seed in seeds:
        yield Case(criterion, seed, holes=True, **about)


# ---- the native tree against the slow one


@pytest.mark.parametrize("criterion", CRITERIA)
def test_full_trees(criterion):
    paths = [search | {"growth": growth} for search in SEARCHES for growth in GROWTHS]
    for case in holed(criterion, range(40_000, 40_015)):
        check_on_paths(case, *paths)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_stopped_trees(criterion):
    for case in holed(criterion, range(41_000, 41_030)):
        check_on_paths(case.stop_somewhere(), *SEARCHES)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_leaves_in_every_order(criterion, growth):
    for case in holed(criterion, range(42_000, 42_008)):
        case.use(max_leaf_nodes=int(case.rng.integers(2, 12)), growth=growth)
        check_on_paths(case)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_monotonic_constraints(criterion, splitter):
    for case in holed(criterion, range(43_000, 43_015), n_outputs=1, n_classes=2):
        signs = case.stop_somewhere().rng.integers(-1, 2, case.p).tolist()
        case.use(monotonic_cst=signs if any(signs) else None, splitter=splitter)
        check_on_paths(case, *SEARCHES)


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "absolute_error"])
def test_real_numbers(criterion):
    for case in holed(criterion, range(44_000, 44_020), exact=False):
        check_on_paths(case.stop_somewhere(), *SEARCHES)


@pytest.mark.parametrize("constant_features", ["count", "skip"])
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_some_variables(criterion, splitter, constant_features):
    for case in holed(criterion, range(45_000, 45_015)):
        case.stop_somewhere().use(splitter=splitter, constant_features=constant_features)
        check_on_paths(some_variables(case), *SEARCHES, {"growth": "best_first"})


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_on_a_sample(criterion, splitter):
    for case in holed(criterion, range(46_000, 46_020)):
        size = int(case.stop_somewhere().rng.integers(2, max(3, len(case.X) // 2)))
        check_on_paths(some_variables(case.use(splitter=splitter, split_sample=size)), *SEARCHES)


@pytest.mark.parametrize("binning", ["frequency", "width"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_bins(criterion, binning):
    for case in holed(criterion, range(47_000, 47_020)):
        bins = int(case.stop_somewhere().rng.integers(2, 12))
        some_variables(case.use(max_bins=bins, binning=binning))
        if case.rng.random() < 0.3:
            case.use(split_sample=int(case.rng.integers(2, 20)))
        check_on_paths(case, *SEARCHES)


# ---- the slow tree against the definitions


def slow_tree_of(x, y, weights=None, **rules):
    X = [[value] for value in x]
    return SlowTree(X, [y], weights or [1.0] * len(y), Rules("squared_error", **rules), seed=0)


@pytest.mark.parametrize(
    ("x", "y", "threshold", "missing_left"),
    [
        # Missing go with the values they are like.
        ([1, 2, np.nan, 3, np.nan], [0.0, 0.0, 8.0, 8.0, 8.0], 2.5, False),
        ([1, 2, np.nan, 3, np.nan], [0.0, 0.0, 0.0, 8.0, 8.0], 2.5, False),
        ([1, 2, np.nan, 3, np.nan], [0.0, 0.0, 0.0, 8.0, 0.0], 2.5, True),
        # On their own they are on the right: of equals, missing right came first.
        ([1, 2, np.nan, 3, np.nan], [0.0, 0.0, 8.0, 0.0, 8.0], inf, False),
        ([5, np.nan, 5], [1.0, 0.0, 1.0], inf, False),
        # None is missing: then they would follow the heavier side.
        ([1, 2, 3, 4], [0.0, 0.0, 0.0, 1.0], 3.5, True),
        ([1, 2, 3, 4], [0.0, 0.0, 1.0, 1.0], 2.5, False),
    ],
)
def test_worked_examples(x, y, threshold, missing_left):
    way = slow_tree_of(x, y, max_depth=1).root.way
    assert (way.threshold, way.missing_left) == (threshold, missing_left)


def test_all_missing_is_constant():
    assert slow_tree_of([np.nan] * 4, [0.0, 1.0, 2.0, 3.0]).root.split is None
    # Known in a row of weight zero only: it is as if that row were not there.
    tree = slow_tree_of([np.nan, np.nan, 1], [0.0, 1.0, 2.0], [1.0, 1.0, 0.0])
    assert tree.root.split is None


def test_missing_without_weight_is_not_missing():
    tree = slow_tree_of([1, 2, 3, np.nan], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0])
    assert tree.root.way.threshold == 2.5
    assert tree.root.way.missing_left  # the heavier side


def sides_of_any_cut(column, rows):
    """Rows that go left, for every threshold that matters and both places of the missing."""
    missing = [i for i in rows if np.isnan(column[i])]
    for v in {-inf, *(column[i] for i in rows if not np.isnan(column[i]))}:
        known = [i for i in rows if column[i] <= v]
        for left in (known, known + missing):
            if 0 < len(left) < len(rows):
                yield left


@pytest.mark.parametrize("criterion", CRITERIA)
def test_slow_splits_are_the_best(criterion):
    """Of all thresholds with missing on either side, tried one by one at every node."""
    n_splits = 0
    for case in holed(criterion, range(48_000, 48_040), max_rows=25):
        tree = case.slow_tree()
        columns = case.X.T.tolist()
        for node in tree.nodes:
            if node.children:
                chosen = exact_decrease(tree.criterion, node.rows, node.children[0].rows)
                for column in columns:
                    for left in sides_of_any_cut(column, node.rows):
                        if has_score(tree, node.rows, left):
                            other = exact_decrease(tree.criterion, node.rows, left)
                            exact = isinstance(other, Fraction)
                            assert other <= chosen + (0 if exact else ROUNDING), case.label
                n_splits += 1
    assert n_splits > 80


def has_score(tree, rows, left):
    """A mean of zero has no deviance."""
    if tree.rules.criterion != "poisson":
        return True
    sides = left, [i for i in rows if i not in set(left)]
    return all(min(tree.criterion.means(side)) > 0.0 for side in sides)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_slow_walk_finds_the_rows_again(criterion, splitter):
    for case in holed(criterion, range(49_000, 49_010), levels=0.4):
        tree = case.stop_somewhere().use(splitter=splitter, split_sample=15).slow_tree()
        X = case.numbered(case.X).tolist()
        for t, node in enumerate(tree.nodes):
            if not node.children:
                assert {tree.leaf_of(X[i]) for i in node.rows} == {t}, case.label
