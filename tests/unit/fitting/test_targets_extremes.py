"""Values at the ends of their types: the largest outputs, the least weights, NaN that signals."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import silvics

REGRESSORS = [
    silvics.RandomForestRegressor,
    silvics.ExtraTreesRegressor,
    silvics.ForestRegressor,
]


def table(n=60):
    return np.random.default_rng(0).normal(size=(n, 4))


# ---- the largest outputs


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("largest", [1e308, np.finfo(float).max])
def test_forests_predict_the_largest_numbers(kind, outputs, largest):
    X = table()
    y = np.where(X[:, :outputs] > 0, largest, -largest)
    y = y[:, 0] if outputs == 1 else y
    forest = kind(n_estimators=7, random_state=0).fit(X, y)
    predicted = forest.predict(X)
    assert np.isfinite(predicted).all()
    unit = 2.0**-1023  # scaled by a power of two, the same forest
    small = kind(n_estimators=7, random_state=0).fit(X, y * unit)
    np.testing.assert_allclose(predicted * unit, small.predict(X), rtol=1e-15, atol=1e-15)
    np.testing.assert_array_equal(forest.predictor()(X), predicted)
    if outputs == 1:
        row = X[np.argmax(predicted)].tolist()
        assert forest.predictor()(row) == predicted.max()


# ---- the least weights


@pytest.mark.parametrize("least", [5e-324, 1e-320, 1e-308, 1e-300])
def test_equal_weights_are_drawn_evenly(least):
    X = table()
    y = X[:, 0] > 0
    forests = [
        silvics.RandomForestClassifier(3, random_state=0, max_samples=60).fit(X, y, sample_weight=w)
        for w in (np.full(60, least), np.ones(60))
    ]
    for one, other in zip(*(f.estimators_samples_ for f in forests), strict=True):
        assert np.bincount(one, minlength=60).max() < 10
        if least >= 1e-308 or least == 5e-324:  # a power of two, or enough digits
            assert len(set(one.tolist())) > 25
        assert len(one) == len(other)


# ---- friedman_mse


def test_friedman_mse_of_one_output_is_squared_error():
    X = table()
    grown = [
        silvics.DecisionTreeRegressor(criterion=c, random_state=0).fit(X, X[:, 0] + X[:, 1])
        for c in ("friedman_mse", "squared_error")
    ]
    np.testing.assert_array_equal(*(g.tree_.threshold for g in grown))


def test_friedman_mse_of_several_outputs_is_of_their_mean():
    X = table()
    first, second = (X[:, 0] > 0) * 1.0, (X[:, 1] > 0) * 10.0
    y = np.column_stack([first, second, -second])  # whose mean is a third of the first

    def root(criterion):
        tree = silvics.DecisionTreeRegressor(criterion=criterion, max_depth=1, random_state=0)
        return tree.fit(X, y).tree_.feature[0]

    assert root("friedman_mse") == 0
    assert root("squared_error") == 1


# ---- outputs that are missing


@pytest.mark.parametrize(
    "kind",
    [silvics.RandomForestClassifier, silvics.DecisionTreeRegressor, silvics.ExtraTreesClassifier],
)
def test_masked_outputs_are_refused(kind):
    X = table()
    y = np.ma.MaskedArray((X[:, 0] > 0).astype(int))
    plain = kind(random_state=0).fit(X, y.data)
    assert kind(random_state=0).fit(X, y).digest() == plain.digest()  # nothing is masked
    y[3] = np.ma.masked
    with pytest.raises(ValueError, match="y has masked values"):
        kind().fit(X, y)
    with pytest.raises(ValueError, match="y has masked values"):
        kind().fit(X, np.ma.column_stack([y, y]))


# ---- NaN that signals


def decimals(n=20):
    numbers = [[Decimal(i % 7), Decimal(i)] for i in range(n)]
    return np.array(numbers, dtype=object), np.arange(n) % 2


@pytest.mark.parametrize("wrap", [np.asarray, pd.DataFrame, np.ndarray.tolist])
def test_a_signalling_nan_in_X_is_a_missing_value(wrap):
    X, y = decimals()
    signalling, quiet = X.copy(), X.copy()
    signalling[3, 0], quiet[3, 0] = Decimal("sNaN"), Decimal("NaN")
    one, other = (
        silvics.RandomForestClassifier(3, random_state=0).fit(wrap(table), y)
        for table in (signalling, quiet)
    )
    assert one.digest() == other.digest()
    np.testing.assert_array_equal(one.predict(wrap(signalling)), other.predict(wrap(quiet)))
    with pytest.raises(ValueError, match="X contains NaN"):
        silvics.RandomForestClassifier(3, missing="error").fit(wrap(signalling), y)


def test_a_signalling_nan_in_a_row():
    X, y = decimals()
    predictor = silvics.RandomForestClassifier(3, random_state=0).fit(X, y).predictor()
    expected = predictor([Decimal("NaN"), Decimal(3)])
    np.testing.assert_array_equal(predictor([Decimal("sNaN"), Decimal(3)]), expected)


@pytest.mark.parametrize("kind", [silvics.RandomForestClassifier, silvics.RandomForestRegressor])
def test_a_signalling_nan_in_y_is_an_error(kind):
    X, _ = decimals()
    y = np.array([Decimal(i % 3) for i in range(20)], dtype=object)
    y[4] = Decimal("sNaN")
    with pytest.raises(ValueError, match="y contains NaN"):
        kind(3).fit(X, y)
