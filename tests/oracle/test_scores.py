"""What the search maximises is the thesis' decrease of impurity (Eq. 3.5), exactly computed."""

from itertools import pairwise
from math import inf, isclose

import numpy as np
import pytest

from .slow_criteria import exact_decrease
from .slow_tree import Node
from .tables import CRITERIA, Case

# Exact fractions of small numbers differ by far more than this, or not at all.
ROUNDING = 1e-12
ENTROPY_ROUNDING = 1e-10  # terms of whole weights are multiples of 2^-32


def cuts_of_node(tree, node):
    """(score, exact decrease, computed decrease) of every cut that has a score."""
    criterion = tree.criterion
    criterion.enter(node.rows)
    whole = criterion.summary(node.rows)
    for f in range(len(tree.columns)):
        for groups, _ in tree.cuts(node, f, node.rows):
            left = criterion.joined([criterion.summary(group) for group in groups])
            right = criterion.rest(whole, left)
            score = criterion.score(left, right, whole)
            if score > -inf:
                exact = exact_decrease(criterion, node.rows, [i for g in groups for i in g])
                yield score, exact, criterion.decrease(whole, score)


def test_friedman_is_the_decrease_of_one_output():
    for seed in range(19_000, 19_010):
        case = Case("friedman_mse", seed, n_outputs=1, max_rows=25)
        friedman, squared = case.slow_tree(), case.use(criterion="squared_error").slow_tree()
        for node in friedman.nodes:
            for side in [node.rows[:k] for k in range(1, len(node.rows))]:
                a = exact_decrease(friedman.criterion, node.rows, side)
                assert a == exact_decrease(squared.criterion, node.rows, side), f"seed={seed}"


@pytest.mark.parametrize("criterion", CRITERIA)
def test_score_rises_with_the_decrease(criterion):
    n_cuts = 0
    for seed in range(20_000, 20_030):
        tree = Case(criterion, seed, max_rows=25).slow_tree()
        for node in tree.nodes:
            cuts = sorted(cuts_of_node(tree, node), key=lambda cut: cut[1])
            n_cuts += len(cuts)
            size = max((abs(score) for score, _, _ in cuts), default=0.0)
            for (low, less, _), (high, more, _) in pairwise(cuts):
                if more - less > ROUNDING:
                    assert low < high, f"seed={seed}"
                else:
                    assert isclose(low, high, abs_tol=ROUNDING * size), f"seed={seed}"
    assert n_cuts > 300


@pytest.mark.parametrize("criterion", CRITERIA)
def test_decrease_of_a_cut(criterion):
    rounding = ENTROPY_ROUNDING if criterion == "entropy" else ROUNDING
    for seed in range(21_000, 21_020):
        tree = Case(criterion, seed, max_rows=25).slow_tree()
        for node in tree.nodes:
            for _, exact, decrease in cuts_of_node(tree, node):
                assert isclose(decrease, exact, rel_tol=1e-9, abs_tol=rounding), f"seed={seed}"


def rows_of_nodes(case, tree):
    """Rows of positive weight at each node of the native tree, by its own decision paths."""
    paths = tree.decision_path(case.X).tocsc()
    learned = np.ones(len(case.X)) if case.weights is None else case.weights
    return [
        [int(i) for i in np.sort(paths[:, [t]].indices) if learned[i] > 0.0]
        for t in range(tree.node_count)
    ]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_native_splits_are_the_best(criterion, exact):
    """Straight from the definition: no cut of the node has a larger decrease."""
    n_splits = 0
    for seed in range(22_000, 22_030):
        case = Case(criterion, seed, max_rows=25, exact=exact)
        tree, slow = case.fit().tree_, case.slow_tree()
        rows = rows_of_nodes(case, tree)
        for t in np.flatnonzero(tree.children_left >= 0):
            cuts = cuts_of_node(slow, Node(rows[t], depth=0, key=0))
            best = max(decrease for _, decrease, _ in cuts)
            chosen = exact_decrease(slow.criterion, rows[t], rows[tree.children_left[t]])
            assert best - chosen <= ROUNDING, f"{case.label}, node {t}"
            n_splits += 1
    assert n_splits > 80


@pytest.mark.parametrize("criterion", CRITERIA)
def test_impurity_is_zero_where_outputs_are_equal_and_never_less(criterion):
    for seed in range(23_000, 23_040):
        case = Case(criterion, seed, exact=False)
        tree = case.fit().tree_
        assert min(tree.impurity) >= 0.0, case.label
        for rows, impurity in zip(rows_of_nodes(case, tree), tree.impurity, strict=True):
            if len(np.unique(case.y[rows], axis=0)) == 1:
                assert impurity == 0.0, case.label
