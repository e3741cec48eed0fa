"""A weight of two is a row given twice; a weight of zero is no row at all."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from .tables import SPLITS, assert_same_arrays, estimators, learning_sets, tasks, trees_of


@st.composite
def weighted_problems(draw, lightest):
    classification = draw(tasks)
    X, y = draw(learning_sets(classification))
    weights = draw(arrays(np.int64, len(X), elements=st.integers(lightest, 3)))
    return draw(estimators(classification)), X, y, weights


def assert_same_trees(weighted, repeated):
    """All but the number of distinct rows, and rounding in sums of squares."""
    assert_same_arrays(weighted, repeated, (*SPLITS, "weighted_n_node_samples", "value"))
    for a, b in zip(trees_of(weighted), trees_of(repeated), strict=True):
        np.testing.assert_allclose(a.impurity, b.impurity, rtol=1e-12, atol=1e-13)


@given(weighted_problems(lightest=1))
def test_integer_weights_are_repeated_rows(problem):
    estimator, X, y, weights = problem
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same_trees(weighted, repeated)


@given(weighted_problems(lightest=0))
def test_zero_weight_is_a_removed_row(problem):
    estimator, X, y, weights = problem
    kept = weights > 0
    # A class seen in rows without weight alone would still be a class.
    assume(kept.any() and set(y[kept]) == set(y))
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    removed = clone(estimator).fit(X[kept], y[kept], sample_weight=weights[kept])
    assert weighted.digest() == removed.digest()


def assert_same_in_another_unit(problem, power, arrays):
    estimator, X, y, weights = problem
    assume(estimator.criterion != "entropy")  # x log x is not exact in another unit
    plain = clone(estimator).fit(X, y, sample_weight=weights)
    scaled = clone(estimator).fit(X, y, sample_weight=weights * 2.0**power)
    assert_same_arrays(plain, scaled, arrays)
    return plain, scaled


@given(weighted_problems(lightest=1), st.integers(-30, 30))
def test_the_unit_of_weights_does_not_matter(problem, power):
    arrays = (*SPLITS, "value", "n_node_samples")
    plain, scaled = assert_same_in_another_unit(problem, power, arrays)
    # Weights that are not whole are summed in another way.
    for a, b in zip(trees_of(plain), trees_of(scaled), strict=True):
        np.testing.assert_allclose(a.impurity, b.impurity, rtol=1e-12, atol=1e-13)


@given(weighted_problems(lightest=1), st.sampled_from([-900, -600, 600, 900]))
def test_nor_does_an_extreme_unit(problem, power):
    # Squares of such weights are beyond what a double holds.
    assert_same_in_another_unit(problem, power, (*SPLITS, "value", "n_node_samples"))
