"""Intervals: their definitions, their coverage, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

from silvics import ExtraTreesRegressor
from silvics import RandomForestRegressor as Forest
from silvics.uncertainty.conformal import bounds, narrowest
from silvics.uncertainty.difficulty import out_of_bag_means, spreads

rng = np.random.default_rng(6)


def problem(n, seed):
    own = np.random.default_rng(seed)
    X = own.uniform(-1, 1, size=(n, 3))
    return X, X[:, 0] + (0.1 + np.abs(X[:, 1])) * own.normal(size=n)


X, Y = problem(400, 0)
NEW, AFTER = problem(3000, 1)
CAL = problem(300, 2)


@pytest.fixture(scope="module")
def forest():
    return Forest(60, min_samples_leaf=5, keep_samples=True, random_state=0).fit(X, Y)


def covered(intervals, y):
    return (intervals[:, 0] <= y) & (y <= intervals[:, 1])


def test_out_of_bag_intervals_are_their_definition(forest):
    grown, samples = forest._grown, forest._grown.samples
    errors = Y - out_of_bag_means(grown, samples, 1)[:, 0]
    spread = spreads(grown, samples, None, 1)[:, 0]
    form = narrowest(errors, spread)
    unit = np.sqrt(np.mean(spread**2))
    low, high = bounds(errors / form.scales(spread, unit), 0.8, form.symmetric)
    scales = form.scales(spreads(grown, samples, forest._checked(NEW), 1)[:, 0], unit)
    wanted = np.stack([forest.predict(NEW) + low * scales, forest.predict(NEW) + high * scales], 1)
    found = forest.predict_interval(NEW, 0.8, n_jobs=2)
    np.testing.assert_allclose(found, wanted)
    own = forest.predict_interval(None, 0.8)
    assert own.shape == (400, 2)
    # The bounds are order statistics of these rows, so that the level is met exactly.
    assert abs(covered(own, Y).mean() - 0.8) < 0.006


@pytest.mark.parametrize("method", ["oob", "jackknife+", "split"])
def test_levels_are_met(forest, method):
    calibration = CAL if method == "split" else None
    levels = [0.5, 0.8, 0.95]
    found = forest.predict_interval(NEW, levels, method=method, calibration=calibration)
    assert found.shape == (3000, 2, 3)
    assert (np.diff(found[:, 1] - found[:, 0], axis=1) >= 0).all()
    for q, level in enumerate(levels):
        assert abs(covered(found[:, :, q], AFTER).mean() - level) < 0.05
    one = forest.predict_interval(NEW, 0.8, method=method, calibration=calibration)
    np.testing.assert_array_equal(one, found[:, :, 1])


def test_widths_follow_the_noise(forest):
    found = forest.predict_interval(NEW, 0.9)
    width, quiet = found[:, 1] - found[:, 0], np.abs(NEW[:, 1]) < 0.2
    assert width[quiet].mean() < 0.9 * width[~quiet].mean()


def test_quantile_intervals_are_two_quantiles(forest):
    found = forest.predict_interval(NEW[:9], [0.5, 0.9], method="quantile")
    wanted = forest.predict_quantiles(NEW[:9], [0.25, 0.75, 0.05, 0.95])
    np.testing.assert_array_equal(found[:, :, 0], wanted[:, :2])
    np.testing.assert_array_equal(found[:, :, 1], wanted[:, 2:])
    assert forest.predict_interval(None, 0.9, method="quantile").shape == (400, 2)


def test_split_is_exact_for_its_own_rows(forest):
    """Of 300 rows that calibrate, ceil(301 * level) have an error within the bounds."""
    forest = Forest(30, keep_samples=True, random_state=0).fit(X, Y)
    found = forest.predict_interval(CAL[0], 0.9, method="split", calibration=CAL)
    assert covered(found, CAL[1]).sum() in (271, 272)
    trees = ExtraTreesRegressor(30, keep_samples=True, random_state=0).fit(X, Y)
    found = trees.predict_interval(CAL[0], 0.9, method="split", calibration=CAL)
    assert covered(found, CAL[1]).sum() == 271


def test_groups_hold_the_level_in_each_group(forest):
    group, of_new = X[:, 1] > 0.5, NEW[:, 1] > 0.5
    found = forest.predict_interval(NEW, 0.8, groups=(group, of_new))
    for value in (False, True):
        assert abs(covered(found, AFTER)[of_new == value].mean() - 0.8) < 0.07
    names = pd.Series(np.where(group, "loud", "quiet")), np.where(of_new, "loud", "quiet")
    np.testing.assert_array_equal(forest.predict_interval(NEW, 0.8, groups=names), found)
    few = np.arange(400) < 3
    rare = forest.predict_interval(NEW, 0.8, groups=(few, np.ones(3000, dtype=bool)))
    assert np.isinf(rare).all()
    split = forest.predict_interval(
        NEW, 0.8, method="split", calibration=CAL, groups=(CAL[0][:, 1] > 0.5, of_new)
    )
    assert np.isfinite(split).all()


def test_several_outputs():
    both = np.column_stack([Y, 100 + 5 * Y])
    forest = Forest(60, min_samples_leaf=5, keep_samples=True, random_state=0).fit(X, both)
    for method in ("oob", "quantile", "split"):
        calibration = (CAL[0], np.column_stack([CAL[1], 100 + 5 * CAL[1]]))
        found = forest.predict_interval(
            NEW, [0.5, 0.9], method=method, calibration=calibration if method == "split" else None
        )
        assert found.shape == (3000, 2, 2, 2)
        np.testing.assert_allclose(found[..., 1], 100 + 5 * found[..., 0], rtol=1e-6)
    assert forest.predict_interval(NEW, 0.5).shape == (3000, 2, 2)


def test_constant_outputs():
    forest = Forest(10, keep_samples=True, random_state=0).fit(X, np.ones(400))
    for method in ("oob", "quantile", "jackknife+"):
        np.testing.assert_array_equal(forest.predict_interval(NEW[:5], method=method), 1.0)


@pytest.mark.parametrize(
    ("parameters", "error", "text"),
    [
        ({"confidence_level": 1.0}, ValueError, "both excluded"),
        ({"confidence_level": "high"}, TypeError, "confidence_level must be a number"),
        ({"method": "jackknife"}, ValueError, r"Did you mean 'jackknife\+'"),
        ({"method": "split"}, ValueError, "needs calibration"),
        ({"calibration": CAL}, ValueError, "the other methods do not take it"),
        ({"method": "split", "calibration": CAL[0]}, ValueError, "must be a pair"),
        ({"method": "split", "calibration": (CAL[0], Y)}, ValueError, "y_cal has 400 rows, but"),
        (
            {"method": "split", "calibration": (CAL[0], np.stack([CAL[1]] * 2, axis=1))},
            ValueError,
            "y_cal has 2 outputs, but the forest has 1",
        ),
        ({"X": None, "method": "jackknife+"}, ValueError, "needs X"),
        ({"groups": (Y, AFTER), "method": "quantile"}, ValueError, "methods that calibrate"),
        ({"groups": Y}, ValueError, "groups must be a pair"),
        ({"groups": (Y[:5], AFTER)}, ValueError, "one label for each of 400 rows"),
        ({"groups": (np.zeros(400), np.ones(3000))}, ValueError, "has no rows that calibrate"),
        ({"groups": (["a"] * 400, ["zz"] * 3000)}, ValueError, "The group 'zz' of X"),
        (
            {"groups": (np.full(400, "a", dtype=object), np.zeros(3000))},
            TypeError,
            "labels of one type",
        ),
        ({"groups": ([None, "a"] * 200, ["a"] * 3000)}, ValueError, "must not be missing"),
        ({"groups": ([np.nan, 1.0] * 200, np.ones(3000))}, ValueError, "must not be missing"),
    ],
)
def test_bad_arguments(forest, parameters, error, text):
    with pytest.raises(error, match=text):
        forest.predict_interval(**{"X": NEW, **parameters})


def test_forests_without_what_intervals_need():
    with pytest.raises(ValueError, match="keep_samples=True"):
        Forest(5).fit(X, Y).predict_interval(NEW)
    with pytest.raises(ValueError, match="bootstrap=True"):
        ExtraTreesRegressor(5, keep_samples=True).fit(X, Y).predict_interval(NEW)


@pytest.mark.parametrize("method", ["oob", "jackknife+"])
def test_without_an_out_of_bag_row(method):
    forest = Forest(5, keep_samples=True, random_state=0).fit([[1.0]], [2.0])
    with pytest.raises(ValueError, match=r"no row has an out-of-bag tree. Fit more trees"):
        forest.predict_interval([[1.0]], method=method)
    found = forest.predict_interval([[1.0]], method="split", calibration=([[1.0]] * 20, [3.0] * 20))
    assert found.tolist() == [[1.0, 3.0]]


def test_rows_of_weight_zero_say_nothing_about_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    weights = np.where(np.arange(200) < 20, 0.0, 1.0)
    y[:20] = 1e6
    forest = Forest(50, keep_samples=True, random_state=0).fit(X, y, weights)
    for method in ("oob", "jackknife+"):
        low, high = forest.predict_interval(X[20:], 0.95, method=method).T
        assert (high - low < 5).all()


@pytest.mark.parametrize("method", ["oob", "quantile", "jackknife+", "split"])
@pytest.mark.parametrize("exponent", [-1000, 660])
def test_outputs_of_any_size_have_intervals(forest, method, exponent):
    """Multiplied by a power of two, they have the intervals multiplied by it."""
    unit = 2.0**exponent
    calibration = CAL if method == "split" else None
    expected = forest.predict_interval(NEW[:50], [0.5, 0.9], method=method, calibration=calibration)
    large = Forest(60, min_samples_leaf=5, keep_samples=True, random_state=0).fit(X, unit * Y)
    if calibration is not None:
        calibration = (CAL[0], unit * CAL[1])
    found = large.predict_interval(NEW[:50], [0.5, 0.9], method=method, calibration=calibration)
    np.testing.assert_allclose(found / unit, expected, rtol=1e-6)
