"""Tables with holes, categories and sparse cells: never a crash, always the same answer."""

import pickle

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.base import clone

from .tables import (
    SPLITS,
    assert_same_arrays,
    estimators,
    labels_of,
    quarters,
    reals_of,
    tasks,
    together,
    trees_of,
)

NAN = float("nan")
LEVELS = [f"level {i:02}" for i in range(60)]


@st.composite
def shapes(draw, max_columns=4):
    return draw(st.integers(2, 40)), draw(st.integers(1, max_columns))


@st.composite
def holed(draw, zeros=False):
    """An estimator, numbers with holes, and y."""
    shape = draw(shapes())
    common = st.sampled_from([NAN, 0.0] if zeros else [NAN])
    X = draw(arrays(np.float64, shape, elements=st.one_of(common, quarters(-8, 8))))
    classification = draw(tasks)
    y = draw(labels_of(len(X)) if classification else reals_of(len(X)))
    return draw(estimators(classification)), X, y


@st.composite
def mixed(draw):
    """An estimator, codes of levels (-1: missing) beside numbers with holes, and y."""
    n, n_columns = draw(shapes(3))
    n_levels = draw(st.sampled_from([1, 2, 5, 11, 60]))
    codes = draw(arrays(np.int64, (n, n_columns), elements=st.integers(-1, n_levels - 1)))
    numbers = draw(
        arrays(np.float64, n, elements=st.one_of(st.just(NAN), st.integers(-4, 4).map(float)))
    )
    classification = draw(tasks)
    n_classes = draw(st.sampled_from([2, 4]))
    y = draw(labels_of(n, n_classes) if classification else reals_of(n))
    return draw(estimators(classification)), codes, numbers, y


def framed(codes, numbers, names=LEVELS):
    words = np.array([*names, None], dtype=object)
    frame = pd.DataFrame({f"c{j}": words[column] for j, column in enumerate(codes.T)})
    return frame.assign(x=numbers)


def well_formed(estimator, X):
    assert np.isfinite(estimator.predict(X)).all()
    for tree in trees_of(estimator):
        inner = tree.children_left >= 0
        left, right = tree.children_left[inner], tree.children_right[inner]
        n = tree.n_node_samples
        np.testing.assert_array_equal(n[inner], n[left] + n[right])
        assert (n > 0).all()
        assert np.isfinite(tree.value).all()
        assert np.isfinite(tree.impurity).all()
    np.testing.assert_allclose(estimator.feature_importances_.sum().round(9) % 1.0, 0.0)


@settings(max_examples=60)
@given(problem=holed())
def test_numbers_with_holes(problem):
    estimator, X, y = problem
    estimator.fit(X, y)
    well_formed(estimator, X)
    well_formed(estimator, np.full_like(X, np.nan))
    # What is counted at leaves is what arrives there.
    leaves = np.asarray(estimator.apply(X)).reshape(len(X), -1)
    for tree, at in zip(trees_of(estimator), leaves.T, strict=True):
        counts = np.bincount(at, minlength=tree.node_count)
        is_leaf = tree.children_left < 0
        np.testing.assert_array_equal(counts[is_leaf], tree.n_node_samples[is_leaf])


@settings(max_examples=60)
@given(problem=holed())
def test_none_and_masks_are_nan(problem):
    estimator, X, y = problem
    expected = clone(estimator).fit(X, y).digest()
    objects = X.astype(object)
    objects[np.isnan(X)] = None
    masked = np.ma.masked_array(np.nan_to_num(X, nan=77.0), mask=np.isnan(X))
    frame = pd.DataFrame({f"x{j}": pd.array(column, "Float64") for j, column in enumerate(X.T)})
    for other in (masked, X.astype(np.float32), frame):
        assert clone(estimator).fit(other, y).digest() == expected
    if not np.isnan(X).all(axis=0).any():  # a column of None is of no kind
        assert clone(estimator).fit(objects, y).digest() == expected


@settings(max_examples=60)
@given(problem=holed())
def test_holes_do_not_mind_what_numbers_are(problem):
    """Scaled by a power of two, thresholds are too, and nothing else changes."""
    estimator, X, y = problem
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(16.0 * X, y)
    assert_same_arrays(ours, theirs, [name for name in SPLITS if name != "threshold"])
    assert_same_arrays(ours, theirs, ["missing_go_to_left", "n_node_samples"])
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(16.0 * X))


def grown_alike(estimator, X, other, y):
    """Two forms of one table give one forest, and lead to the same leaves."""
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(other, y)
    assert ours.digest() == theirs.digest()
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(other))
    return ours, theirs


@settings(max_examples=60)
@given(problem=holed(zeros=True), form=st.sampled_from(["csr", "csc", "coo"]))
def test_sparse_is_dense(problem, form):
    estimator, X, y = problem
    other = sparse.coo_array(X).asformat(form)
    ours, theirs = grown_alike(estimator, X, other, y)
    np.testing.assert_array_equal(ours.predict(other), theirs.predict(X))


@settings(max_examples=60)
@given(problem=mixed())
def test_categories(problem):
    estimator, codes, numbers, y = problem
    X = framed(codes, numbers)
    estimator.fit(X, y)
    well_formed(estimator, X)
    well_formed(estimator, framed(np.full_like(codes, -1), np.full_like(numbers, np.nan)))
    for unknown in ("missing", "heavier"):
        estimator.set_params(unknown_category=unknown)
        well_formed(estimator, X.assign(c0="never seen"))


@settings(max_examples=60)
@given(problem=mixed())
def test_names_of_levels_play_no_part(problem):
    estimator, codes, numbers, y = problem
    X = framed(codes, numbers)
    other = framed(codes, numbers, [f"{i:03}" for i in range(60)])
    grown_alike(estimator, X, other, y)


@settings(max_examples=60)
@given(problem=mixed())
def test_numbers_of_levels_are_levels(problem):
    estimator, codes, numbers, y = problem
    X = framed(codes, numbers)
    coded = np.column_stack([np.where(codes < 0, np.nan, codes), numbers])
    by_number = clone(estimator).set_params(categorical_features=list(range(codes.shape[1])))
    if (codes < 0).all(axis=0).any():  # all None: of no kind in the frame
        return
    assert by_number.fit(coded, y).digest() == clone(estimator).fit(X, y).digest()


@settings(max_examples=60)
@given(problem=mixed(), unknown=st.sampled_from(["missing", "heavier"]))
def test_a_stored_forest_says_the_same(problem, unknown):
    estimator, codes, numbers, y = problem
    X = framed(codes, numbers)
    estimator.set_params(unknown_category=unknown).fit(X, y)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.digest() == estimator.digest()
    rows = X.assign(c0="never seen")
    np.testing.assert_array_equal(together(again, X), together(estimator, X))
    np.testing.assert_array_equal(again.apply(rows), estimator.apply(rows))
