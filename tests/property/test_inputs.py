"""X is its values: order, strides, type and owner of the memory play no part."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from .tables import estimators, learning_sets, numeric_tables, tasks


def unaligned(X):
    raw = np.frombuffer(b"\0" + X.tobytes(), dtype=X.dtype, offset=1).reshape(X.shape)
    assert not raw.flags.aligned
    return raw


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def strided(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), 77, dtype=X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


LAYOUTS = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read_only": read_only,
    "swapped_bytes": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "unaligned": unaligned,
    "lists": lambda X: X.tolist(),
}


@st.composite
def problems(draw, **table):
    classification = draw(tasks)
    X, y = draw(learning_sets(classification, **table))
    return draw(estimators(classification)), X, y


def assert_same_forest(estimator, X, y, other):
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(other, y)
    assert ours.digest() == theirs.digest()
    np.testing.assert_array_equal(ours.predict(X), ours.predict(other))
    np.testing.assert_array_equal(ours.apply(X), ours.apply(other))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@settings(max_examples=30)
@given(problem=problems())
def test_layout_of_x(layout, dtype, problem):
    estimator, X, y = problem
    X = (4 * X).astype(dtype)
    assert_same_forest(estimator, X, y, LAYOUTS[layout](X))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("n_outputs", [1, 2])
@settings(max_examples=10)
@given(problem=problems())
def test_layout_of_y(layout, dtype, n_outputs, problem):
    estimator, X, _ = problem
    y = np.random.default_rng(len(X)).integers(-3, 4, (len(X), n_outputs)).astype(dtype)
    other = LAYOUTS[layout](y)
    if n_outputs == 1:
        y, other = y[:, 0], np.ravel(other) if layout == "lists" else other[:, 0]
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(X, other)
    assert ours.digest() == theirs.digest()
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@given(problem=problems(elements=st.floats(width=32, allow_nan=False, allow_infinity=False)))
def test_float32_that_became_float64(problem):
    estimator, X, y = problem
    assert_same_forest(estimator, X, y, X.astype(np.float32))


@given(problem=problems(elements=st.floats(width=16, allow_nan=False, allow_infinity=False)))
def test_float16(problem):
    estimator, X, y = problem
    assert_same_forest(estimator, X, y, X.astype(np.float16))


@pytest.mark.parametrize(
    "dtype",
    [
        *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.longlong, np.ulonglong, np.intp, np.float32, np.longdouble, object),
    ],
)
@settings(max_examples=30)
@given(problem=problems(elements=st.integers(0, 100).map(float)))
def test_whole_numbers_of_any_type(dtype, problem):
    estimator, X, y = problem
    assert_same_forest(estimator, X, y, X.astype(dtype))


@given(problem=problems(elements=st.integers(-128, 127).map(float)), dtype=st.sampled_from("bhilq"))
def test_negative_whole_numbers(problem, dtype):
    estimator, X, y = problem
    assert_same_forest(estimator, X, y, X.astype(dtype))


@given(problem=problems(elements=st.sampled_from([0.0, 1.0])))
def test_bool(problem):
    estimator, X, y = problem
    assert_same_forest(estimator, X, y, X.astype(bool))


@given(problem=problems())
def test_negative_zero_is_zero(problem):
    estimator, X, y = problem
    assert_same_forest(estimator, X, y, np.where(X == 0.0, -0.0, X))


@given(X=numeric_tables(), data=st.data())
def test_memory_mapped(X, data, tmp_path_factory):
    classification = data.draw(tasks)
    estimator = data.draw(estimators(classification))
    y = np.arange(len(X)) % 3
    path = tmp_path_factory.getbasetemp() / "X.npy"
    np.save(path, X)
    assert_same_forest(estimator, X, y, np.load(path, mmap_mode="r"))


@given(problem=problems(), dtype=st.sampled_from([np.float32, np.int8, ">f8", ">i4"]))
def test_type_of_y(problem, dtype):
    estimator, X, y = problem
    y = np.round(y)
    ours, theirs = clone(estimator).fit(X, y), clone(estimator).fit(X, y.astype(dtype))
    assert ours.digest() == theirs.digest()


@given(problem=problems())
def test_inputs_are_left_as_they_were(problem):
    estimator, X, y = problem
    before = X.copy(), y.copy()
    estimator.fit(X, y).predict(X)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
