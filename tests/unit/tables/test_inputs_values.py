"""Numbers at the edge: an answer that is right, or an error that says what is wrong."""

import numpy as np
import pytest

import silvics

from ..kinds import ALL, CLASSIFIERS, REGRESSORS, name_of, problem, small

NOT_FINITE = [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
LARGEST = np.finfo(np.float64).max
SMALLEST = np.nextafter(0.0, 1.0)

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
not_finite = pytest.mark.parametrize(("value", "word"), NOT_FINITE)


def no_bootstrap(kind):
    return {"bootstrap": False} if "bootstrap" in kind().get_params() else {}


def with_one(array, value):
    array = np.array(array, dtype=np.float64)
    array.flat[array.size // 2] = value
    return array


@each
@not_finite
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, object])
def test_x_is_finite(kind, value, word, dtype):
    X, y = problem()
    hostile = with_one(X, value).astype(dtype)
    only_known = {"missing": "error"} if word == "NaN" else {}
    with pytest.raises(ValueError, match=f"Input X contains {word}"):
        small(kind, **only_known).fit(hostile, y)
    fitted = small(kind, **only_known).fit(X, y)
    for method in (fitted.predict, fitted.apply, fitted.decision_path):
        with pytest.raises(ValueError, match=f"Input X contains {word}"):
            method(hostile)


@each
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.longdouble, object])
def test_nan_is_missing_in_any_type(kind, dtype):
    X, y = problem()
    X[::4, 0] = X[3, 2] = np.nan
    fitted = small(kind).fit(X, y)
    other = X.astype(dtype)
    assert small(kind).fit(other, y).digest() == fitted.digest()
    for method in (fitted.predict, fitted.apply):
        np.testing.assert_array_equal(method(other), method(X))


@each
def test_every_nan_is_the_same(kind):
    """Whatever its sign and its bits: some of them are rules of category nodes."""
    X, y = problem()
    X[::4, 0] = np.nan
    expected = small(kind).fit(X, y)
    for bits in (0xFFF8000000000000, 0x7FF0000000000001, 0x7FF9000000000005, 0x7FFBFFFFFFFFFFFF):
        X[::4, 0] = np.array([bits], dtype=np.uint64).view(np.float64)
        assert small(kind).fit(X, y).digest() == expected.digest()
        np.testing.assert_array_equal(expected.apply(X), small(kind).fit(X, y).apply(X))


@each
@not_finite
def test_y_is_finite(kind, value, word):
    X, y = problem()
    with pytest.raises(ValueError, match=f"Input y contains {word}"):
        small(kind).fit(X, with_one(y, value))


@each
@not_finite
def test_weights_are_finite(kind, value, word):
    X, y = problem()
    with pytest.raises(ValueError, match=f"Input sample_weight contains {word}"):
        small(kind).fit(X, y, sample_weight=with_one(np.ones(len(y)), value))


@each
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (with_one(np.ones(60), -1.0), "Negative values in data passed to `sample_weight`"),
        (np.zeros(60), "Sample weights must contain at least one non-zero number"),
        (np.full(60, LARGEST / 4), "sum of sample_weight is too large"),
        (np.ones(59), r"sample_weight.shape == \(59,\), expected \(60,\)"),
        (np.ones((60, 1)), "Sample weights must be 1D"),
        (["heavy"] * 60, "could not convert string to float"),
    ],
)
def test_weights(kind, weights, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        small(kind).fit(X, y, sample_weight=weights)


@each
@pytest.mark.parametrize("weight", [SMALLEST, 1e-300, 1e-160, 1e150, 1e300])
def test_equal_weights_are_no_weights(kind, weight):
    X, y = problem()
    plain = small(kind, **no_bootstrap(kind)).fit(X, y)
    weights = np.full(len(y), weight)
    heavy = small(kind, **no_bootstrap(kind)).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(plain.predict(X), heavy.predict(X))


@each
def test_a_single_weight_far_above_the_others(kind):
    X, y = problem()
    weights = with_one(np.ones(len(y)), 1e12)
    heaviest = [weights.argmax()]
    fitted = small(kind).fit(X, y, sample_weight=weights)
    assert fitted.predict(X[heaviest]) == pytest.approx(y[heaviest], rel=1e-9)


# ---- one column, two values: whatever they are, the cut tells them apart

PAIRS = {
    "adjacent": (1.0, np.nextafter(1.0, 2.0)),
    "adjacent, negative": (np.nextafter(-1.0, -2.0), -1.0),
    "zero and the smallest": (0.0, SMALLEST),
    "around zero": (-SMALLEST, 0.0),
    "subnormal": (SMALLEST * 5, SMALLEST * 6),
    "the whole range": (-LARGEST, LARGEST),
    "the largest two": (np.nextafter(LARGEST, 0), LARGEST),
    "the lowest two": (-LARGEST, np.nextafter(-LARGEST, 0)),
    "tiny and huge": (SMALLEST, LARGEST),
}


@each
@pytest.mark.parametrize("pair", PAIRS)
def test_cut_between_two_values(kind, pair):
    low, high = PAIRS[pair]
    X = np.repeat([[low], [high]], 10, axis=0)
    y = np.repeat([0, 1], 10)
    with np.errstate(all="raise"):
        fitted = small(kind).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    for tree in getattr(fitted, "estimators_", [fitted]):
        if tree.tree_.node_count > 1:  # a bootstrap replicate may hold one value only
            assert low <= tree.tree_.threshold[0] < high


@pytest.mark.filterwarnings("error")
def test_huge_values_of_both_signs_give_no_warning():
    X = np.repeat([[-LARGEST, LARGEST], [LARGEST, -LARGEST]], 5, axis=0)
    silvics.DecisionTreeClassifier().fit(X, np.repeat([0, 1], 5)).predict(X)


@each
def test_zeros_of_both_signs_are_equal(kind):
    X = np.array([[0.0], [-0.0]] * 10)
    fitted = small(kind).fit(X, np.arange(20) % 2)
    assert all(t.tree_.node_count == 1 for t in getattr(fitted, "estimators_", [fitted]))


@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "friedman_mse"])
@pytest.mark.parametrize(
    "y", [[-LARGEST, 0.0, LARGEST], [0.0, SMALLEST, 2 * SMALLEST], [1e9, 1e9 + 2e-7, 1e9 - 1.0]]
)
def test_extreme_y_is_learned(kind, criterion, y):
    X = np.arange(3.0)[:, np.newaxis]
    fitted = small(kind, criterion=criterion, **no_bootstrap(kind)).fit(X, y)
    for tree in getattr(fitted, "estimators_", [fitted]):
        np.testing.assert_array_equal(tree.predict(X), y)
        leaves = tree.tree_.children_left < 0
        np.testing.assert_array_equal(tree.tree_.impurity[leaves], 0.0)
        assert not np.isnan(tree.tree_.impurity).any()


def test_importances_of_extreme_y():
    X = np.arange(3.0)[:, np.newaxis]
    tree = silvics.DecisionTreeRegressor().fit(X, [-LARGEST, 0.0, LARGEST])
    assert tree.feature_importances_.tolist() == [1.0]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@each
def test_integers_beyond_exact_doubles(kind, dtype):
    X = np.array([[2**53 + 1], [3]], dtype=dtype)
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53.*Subtract an offset"):
        small(kind).fit(X, [0, 1])
    exact = np.array([[2**53], [2**53 - 1]] * 5, dtype=dtype)
    fitted = small(kind).fit(exact, [0, 1] * 5)
    np.testing.assert_array_equal(fitted.predict(exact), [0, 1] * 5)
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53"):
        fitted.predict(X)


@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
@pytest.mark.parametrize(("shift", "message"), [(-1.0, "negative"), (-np.inf, "infinity")])
def test_poisson_needs_counts(kind, shift, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        small(kind, criterion="poisson").fit(X, np.minimum(y, 0) + shift)
    with pytest.raises(ValueError, match=r"Sum of y is not (strictly )?positive"):
        small(kind, criterion="poisson").fit(X, 0 * y)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_real_numbers_are_no_classes(kind):
    X, y = problem()
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        small(kind).fit(X, y + 0.25 * X[:, 0])


@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", "b"] * 30),
        np.array(["a", "b"] * 30, dtype=object),
        np.arange(60).astype("datetime64[s]"),
        np.arange(60) + 1j,
    ],
    ids=["str", "object", "datetime", "complex"],
)
def test_regression_learns_numbers(kind, y):
    with pytest.raises(ValueError, match=r"y must be numbers|Complex data not supported"):
        small(kind).fit(problem()[0], y)
