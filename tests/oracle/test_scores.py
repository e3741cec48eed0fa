"""What the search maximises is the thesis' decrease of impurity (Eq. 3.5), exactly computed."""

from fractions import Fraction
from itertools import pairwise
from math import inf, isclose

import pytest

from .slow_criteria import exact_decrease
from .tables import CRITERIA, Case

# Exact fractions of small numbers differ by far more than this, or not at all.
ROUNDING = 1e-12


def cuts_of_node(tree, node, decrease):
    """(score, exact decrease) of every cut that has a score."""
    criterion = tree.criterion
    criterion.enter(node.rows)
    whole = criterion.summary(node.rows)
    for f in range(len(tree.columns)):
        for groups, _ in tree.cuts(node, f, node.rows):
            left = criterion.joined([criterion.summary(group) for group in groups])
            right = criterion.rest(whole, left)
            score = criterion.score(left, right)
            if score > -inf:
                exact = decrease(criterion, node.rows, [i for g in groups for i in g])
                yield score, exact, criterion.decrease(whole, left, right)


def friedman_improvement(criterion, rows, left):
    """Friedman's measure of a cut: the squared difference of the means of both sides."""
    gone = set(left)
    right = [i for i in rows if i not in gone]
    weights = [sum(Fraction(criterion.weights[i]) for i in side) for side in (left, right)]
    means = [criterion.means(side, Fraction) for side in (left, right)]
    difference = sum(a - b for a, b in zip(*means, strict=True))
    return weights[0] * weights[1] * difference**2


@pytest.mark.parametrize("criterion", CRITERIA)
def test_score_rises_with_the_decrease(criterion):
    n_cuts = 0
    measure = friedman_improvement if criterion == "friedman_mse" else exact_decrease
    for seed in range(20_000, 20_030):
        tree = Case(criterion, seed, max_rows=25).slow_tree()
        for node in tree.nodes:
            cuts = sorted(cuts_of_node(tree, node, measure), key=lambda cut: cut[1])
            n_cuts += len(cuts)
            size = max((abs(score) for score, _, _ in cuts), default=0.0)
            for (low, less, _), (high, more, _) in pairwise(cuts):
                if more - less > ROUNDING:
                    assert low < high, f"seed={seed}"
                else:
                    assert isclose(low, high, abs_tol=ROUNDING * size), f"seed={seed}"
    assert n_cuts > 500


@pytest.mark.parametrize("criterion", CRITERIA)
def test_decrease_of_a_cut(criterion):
    for seed in range(21_000, 21_020):
        tree = Case(criterion, seed, max_rows=25).slow_tree()
        for node in tree.nodes:
            for _, exact, decrease in cuts_of_node(tree, node, exact_decrease):
                assert isclose(decrease, exact, rel_tol=1e-9, abs_tol=ROUNDING), f"seed={seed}"


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "friedman_mse"])
def test_native_splits_are_the_best(criterion):
    """Straight from the definition: no cut of the node has a larger decrease."""
    n_splits = 0
    for seed in range(22_000, 22_030):
        case = Case(criterion, seed, max_rows=25)
        tree, slow = case.fit().tree_, case.slow_tree()
        rows_of = case_rows(case, tree)
        for t in range(tree.node_count):
            if tree.children_left[t] < 0:
                continue
            node = slow.nodes[t]
            best = max(exact for _, exact, _ in cuts_of_node(slow, node, exact_decrease))
            chosen = exact_decrease(slow.criterion, rows_of[t], rows_of[tree.children_left[t]])
            assert best - chosen <= ROUNDING, f"seed={seed}, node={t}"
            n_splits += 1
    assert n_splits > 100


def case_rows(case, tree):
    """Rows of positive weight at each node of the native tree, by its own decision paths."""
    paths = tree.decision_path(case.X).tocsc()
    weights = case.weights
    return [
        [int(i) for i in sorted(paths[:, t].indices) if weights is None or weights[i] > 0.0]
        for t in range(tree.node_count)
    ]
