"""Cost-complexity pruning: the weakest link, looked for anew after every cut."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from .tables import CRITERIA, Case, assert_same_tree

ROUNDING = 1e-11


def leaves_below(node):
    return sum(map(leaves_below, node.children)) if node.children else 1


def risk_below(tree, node):
    """R(T_t): impurities of the leaves below, each with its share of the weight."""
    if node.children:
        return sum(risk_below(tree, child) for child in node.children)
    return risk(tree, node)


def risk(tree, node):
    exact = tree.criterion.impurity(node.rows, Fraction)
    return exact * type(exact)(tree.weight_of(node) / tree.whole)


def weakest_link(tree):
    """(alpha, node) of the inner node whose branch buys the least per leaf; None at the end."""
    links = []
    for node in tree.nodes:
        if node.children:
            gain = risk(tree, node) - risk_below(tree, node)
            links.append((gain / (leaves_below(node) - 1), node))
    return min(links, key=lambda link: link[0]) if links else None


def cut(tree, node):
    node.children = []
    tree.nodes = [n for n in tree.nodes if n.path[: len(node.path)] != node.path or n is node]


def small_tree(criterion, seed):
    # Weights of one: shares of weight are then compared as small fractions.
    case = Case(criterion, seed, max_rows=25).use(max_depth=4)
    case.weights = None
    return case, case.slow_tree()


def merged(steps):
    """Links of one alpha may go in any order: what counts is what is left after all of them."""
    kept = []
    for alpha, impurity in steps:
        if kept and alpha - kept[-1][0] < 1e-9:
            kept[-1][1] = float(impurity)
        else:
            kept.append([float(alpha), float(impurity)])
    return kept


@pytest.mark.parametrize("criterion", CRITERIA)
def test_path(criterion):
    n_steps = 0
    for seed in range(30_000, 30_025):
        case, tree = small_tree(criterion, seed)
        steps = [(0.0, risk_below(tree, tree.root))]
        while link := weakest_link(tree):
            cut(tree, link[1])
            steps.append((max(link[0], steps[-1][0]), risk_below(tree, tree.root)))
        with np.errstate(invalid="ignore"):
            path = case.model().cost_complexity_pruning_path(case.X, case.outputs())
        got = zip(path.ccp_alphas, path.impurities, strict=True)
        np.testing.assert_allclose(merged(got), merged(steps), atol=ROUNDING, err_msg=case.label)
        n_steps += len(steps)
    assert n_steps > 50


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pruned_trees(criterion):
    n_trees = 0
    for seed in range(31_000, 31_025):
        case, tree = small_tree(criterion, seed)
        alpha = 0.0
        while link := weakest_link(tree):
            # Between two steps of the path, the tree is that of the steps so far.
            if alpha > 0.0 and link[0] - alpha > 1e-9:
                between = float(alpha + (link[0] - alpha) / 2)
                assert_same_tree(case.fit(ccp_alpha=between).tree_, tree, case.label)
                n_trees += 1
            alpha = max(alpha, link[0])
            cut(tree, link[1])
        assert_same_tree(case.fit(ccp_alpha=float(alpha) + 1.0).tree_, tree, case.label)
    assert n_trees > 10


def test_alphas_rise():
    case, _ = small_tree("squared_error", 30_001)
    path = case.model().cost_complexity_pruning_path(case.X, case.outputs())
    assert len(path.ccp_alphas) > 3
    assert all(a <= b for a, b in pairwise(path.ccp_alphas))
