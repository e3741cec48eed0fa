"""Section 7.3.3: direct edges of networks, by strong relevance, by K > 1, and in samples."""

from itertools import product

import numpy as np
import pytest

from silvics.importance import asymptotic_importances, relevance
from silvics.network import genie3

FLIPPED = 0.2
LENGTH = 5


def chain():
    """All states of a Markov chain of binary variables, and their probabilities."""
    states = np.array(list(product([0, 1], repeat=LENGTH)))
    changes = (states[:, 1:] != states[:, :-1]).sum(axis=1)
    return states, 0.5 * FLIPPED**changes * (1.0 - FLIPPED) ** (LENGTH - 1 - changes)


def problem(target):
    """The prediction of one variable of the chain, and which of the others are next to it."""
    states, probabilities = chain()
    others = np.delete(np.arange(LENGTH), target)
    given = {"X": states[:, others], "y": states[:, target], "sample_weight": probabilities}
    return given, np.abs(others - target) == 1


@pytest.mark.parametrize("target", range(LENGTH))
def test_strongly_relevant_variables_are_those_with_a_direct_edge(target):
    given, direct = problem(target)
    found = relevance(**given)
    np.testing.assert_array_equal(found.strongly, direct)
    assert found.relevant.all()  # so that importances alone do not tell which edges are direct


@pytest.mark.parametrize("target", range(LENGTH))
def test_a_larger_k_hides_indirect_influences(target):
    given, direct = problem(target)
    shares = []
    for k in range(1, LENGTH):
        values = asymptotic_importances(**given, K=k, method="exact").importances
        shares.append(values[~direct].sum() / values.sum())
    assert shares[0] > shares[1] > shares[2]
    assert shares[0] > 0.1
    assert shares[-1] < 1e-12  # the best of all variables is always next in the chain


def test_a_simulated_network_is_found():
    """Five regulators with six targets each, whose effects are not linear."""
    random = np.random.default_rng(0)
    n, regulators, targets = 150, 5, 30
    levels = random.normal(size=(n, regulators))
    of_target = np.arange(targets) % regulators
    X = np.column_stack([levels, np.tanh(2.0 * levels[:, of_target])])
    X[:, regulators:] += 0.5 * random.normal(size=(n, targets))
    edges = [(f"x{regulator}", f"x{regulators + j}") for j, regulator in enumerate(of_target)]
    chosen = {"regulators": list(range(regulators)), "targets": list(range(regulators, X.shape[1]))}
    found = genie3(X, **chosen, n_estimators=50, random_state=0).accuracy(edges)
    assert found.aupr > 0.95
    assert found.auroc > 0.95
    shuffled = random.permuted(X, axis=0)
    by_chance = genie3(shuffled, **chosen, n_estimators=50, random_state=0).accuracy(edges)
    assert by_chance.aupr < 0.4  # a fifth of all pairs are edges
