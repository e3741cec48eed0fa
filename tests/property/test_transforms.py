"""Changes of the problem that a tree does not see, or sees as the same change of itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from silvics import DecisionTreeRegressor

from .tables import (
    SPLITS,
    assert_same_arrays,
    estimators,
    labels_of,
    learning_sets,
    numeric_tables,
    tasks,
    together,
    trees_of,
)

FACTS = ("impurity", "n_node_samples", "weighted_n_node_samples")


@given(numeric_tables(), st.data())
def test_names_of_classes_in_the_same_order(X, data):
    y = data.draw(labels_of(len(X)))
    estimator = data.draw(estimators(True))
    renamed = clone(estimator).fit(X, np.array(["ash", "elm", "yew"])[y])
    assert renamed.digest() == clone(estimator).fit(X, y).digest()


@given(numeric_tables(), st.permutations(range(3)), st.data())
def test_names_of_classes_in_another_order(X, order, data):
    y = np.concatenate([[0, 1, 2], data.draw(labels_of(len(X) + 1))])  # each class occurs
    X = np.concatenate([X, X, X])[: len(y)]
    y = y[: len(X)]
    estimator = data.draw(estimators(True))
    ours = clone(estimator).fit(X, y)
    renamed = clone(estimator).fit(X, np.array(order)[y])
    assert_same_arrays(ours, renamed, (*SPLITS, *FACTS))
    present = ours.classes_
    columns = np.searchsorted(renamed.classes_, np.array(order)[present])
    np.testing.assert_array_equal(ours.predict_proba(X), renamed.predict_proba(X)[:, columns])


@st.composite
def scales_of_levels(draw, n_levels):
    """Any ascending numbers, from subnormal ones to nearly the largest there are."""
    values = st.floats(-1e305, 1e305)
    return np.sort(draw(st.lists(values, min_size=n_levels, max_size=n_levels, unique=True)))


@given(tasks, st.data())
def test_monotone_transforms_keep_the_partition(classification, data):
    n_levels = 6
    levels = st.integers(0, n_levels - 1).map(float)
    X, y = data.draw(learning_sets(classification, elements=levels))
    estimator = data.draw(estimators(classification, cuts=["best"]))
    other = np.empty_like(X)
    for j in range(X.shape[1]):
        other[:, j] = data.draw(scales_of_levels(n_levels))[X[:, j].astype(int)]
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(other, y)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(other))
    same = ("children_left", "children_right", "feature", "value", *FACTS)
    assert_same_arrays(ours, theirs, same)


@st.composite
def tie_free(draw, classification):
    """Different partitions never score the same; only cuts that part the rows alike do.

    Which side is which may then change, so this is nothing for cuts that depend on the path.
    """
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    X = random.normal(size=(n, p))
    if not classification:
        return X, random.normal(size=n), np.ones(n)
    return X, random.integers(0, 3, size=n), random.uniform(0.5, 2.0, size=n)


def tie_free_estimators(classification):
    return estimators(classification, cuts=["best"], all_variables=True, n_criteria=2)


def assert_alike(estimator, X, y, weights, other):
    """X and `other`, with the same rows, give the same partition and predictions."""
    ours = clone(estimator).fit(X, y, sample_weight=weights)
    theirs = clone(estimator).fit(other, y, sample_weight=weights)
    np.testing.assert_array_equal(together(ours, X), together(theirs, other))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(other))


@given(tasks, st.data())
def test_a_constant_column_changes_nothing(classification, data):
    X, y, weights = data.draw(tie_free(classification))
    estimator = data.draw(tie_free_estimators(classification))
    constant = np.full((len(X), 1), data.draw(st.sampled_from([0.0, 1e300])))
    assert_alike(estimator, X, y, weights, np.hstack([X, constant]))


@given(tasks, st.data())
def test_a_constant_column_beside_a_single_one(classification, data):
    X, y = data.draw(learning_sets(classification, max_columns=1))
    estimator = data.draw(estimators(classification, all_variables=True))
    ours = clone(estimator).fit(X, y)
    theirs = clone(estimator).fit(np.hstack([X, np.ones_like(X)]), y)
    assert_same_arrays(ours, theirs, (*SPLITS, *FACTS, "value"))


@given(tasks, st.data())
def test_order_of_columns(classification, data):
    X, y, weights = data.draw(tie_free(classification))
    estimator = data.draw(tie_free_estimators(classification))
    order = data.draw(st.permutations(range(X.shape[1])))
    assert_alike(estimator, X, y, weights, X[:, order])


@given(learning_sets(False), st.sampled_from([1e9, -1e9, 2.0**40]), st.data())
def test_shifted_y(problem, shift, data):
    X, y = problem
    estimator = data.draw(estimators(False))
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(X, y + shift)
    assert_same_arrays(ours, theirs, (*SPLITS, "n_node_samples", "weighted_n_node_samples"))
    for a, b in zip(trees_of(ours), trees_of(theirs), strict=True):
        # Inner nodes derive theirs from the leaves' means, which are rounded to what is stored.
        np.testing.assert_allclose(a.impurity, b.impurity, rtol=1e-12, atol=1e-13)
        # Both sides are rounded to doubles of that size once.
        np.testing.assert_allclose(a.value + shift, b.value, rtol=0, atol=np.spacing(abs(shift)))


@given(learning_sets(False), st.integers(-60, 60), st.data())
def test_scaled_y(problem, power, data):
    X, y = problem
    estimator = data.draw(estimators(False))
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(X, y * 2.0**power)
    assert_same_arrays(ours, theirs, (*SPLITS, "n_node_samples", "weighted_n_node_samples"))
    squared = 1 if estimator.criterion == "absolute_error" else 2
    for a, b in zip(trees_of(ours), trees_of(theirs), strict=True):
        np.testing.assert_array_equal(a.value * 2.0**power, b.value)
        np.testing.assert_array_equal(a.impurity * 2.0 ** (squared * power), b.impurity)


@given(learning_sets(False), st.sampled_from([-1000, -900, 900, 1000]), st.data())
def test_y_scaled_to_extremes(problem, power, data):
    X, y = problem
    estimator = data.draw(estimators(False))
    estimator.set_params(max_leaf_nodes=None)
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(X, y * 2.0**power)
    assert_same_arrays(ours, theirs, (*SPLITS, "n_node_samples", "weighted_n_node_samples"))
    for a, b in zip(trees_of(ours), trees_of(theirs), strict=True):
        np.testing.assert_array_equal(a.value * 2.0**power, b.value)
        assert not np.isnan(b.impurity).any()


@pytest.mark.parametrize("power", [-900, 900])
@given(problem=learning_sets(False), criterion=st.sampled_from(["squared_error", "friedman_mse"]))
def test_best_first_growth_with_y_scaled_to_extremes(power, problem, criterion):
    X, y = problem
    tree = DecisionTreeRegressor(criterion=criterion, max_leaf_nodes=4, random_state=0)
    ours, theirs = clone(tree).fit(X, y), clone(tree).fit(X, y * 2.0**power)
    assert_same_arrays(ours, theirs, SPLITS)
