"""The race of shapes: an unbiased estimate of the error, and choices that follow the data."""

import numpy as np
import pytest

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, load, scan
from silvics.patches.racing import Racer

RNG = np.random.default_rng(0)


def test_the_error_of_a_larger_forest_is_estimated_without_bias():
    """From two trees of variance 4 that are wrong by 1 on average: 1 + 4 / M."""
    n, trees, expected = 200_000, 3, 1 + 4 / 50
    values = 1 + 2 * RNG.normal(size=(n, trees, 1))
    racer = Racer(None, values.sum(axis=1), (values**2).sum(axis=1), np.full(n, float(trees)))
    assert racer.errors(np.zeros((n, 1)), 50).mean() == pytest.approx(expected, abs=0.03)
    racer.counts[:10] = 1
    assert np.isnan(racer.errors(np.zeros((n, 1)), 50)[:10]).all()


def linear(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + 0.1 * rng.normal(size=n)


def test_all_columns_are_chosen_if_one_alone_matters():
    X, y = linear(2000, 12)
    forest = RandomPatchesRegressor(
        max_samples="auto", max_columns="auto", n_estimators=30, random_state=0
    ).fit(X, y)
    assert forest.max_columns_ == 12
    assert forest.max_samples_ >= 500
    default = RandomPatchesRegressor(n_estimators=30, random_state=0).fit(X, y)
    X_test, y_test = linear(1000, 12, 1)
    assert forest.score(X_test, y_test) > default.score(X_test, y_test) + 0.05


def test_small_patches_are_chosen_if_the_output_is_noise():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000)
    forest = RandomPatchesClassifier(
        "cart", max_samples="auto", max_columns=1.0, n_estimators=200, random_state=0
    ).fit(X, y)
    assert forest.max_samples_ <= 750
    assert forest.max_columns_ == 2


def test_files_threads_and_warm_start_give_the_same_choice(tmp_path):
    X, y = linear(1500, 6)
    settings = {"max_samples": "auto", "max_columns": "auto", "n_estimators": 8, "random_state": 1}
    expected = RandomPatchesRegressor(**settings).fit(X, y)
    np.save(tmp_path / "x.npy", X)
    scanned = RandomPatchesRegressor(**settings, n_jobs=2).fit(scan(tmp_path / "x.npy"), y)
    assert scanned.digest() == expected.digest()
    fixed = settings | {"max_samples": expected.max_samples_, "max_columns": expected.max_columns_}
    assert RandomPatchesRegressor(**fixed).fit(X, y).digest() == expected.digest()
    grown = RandomPatchesRegressor(**settings | {"n_estimators": 3, "warm_start": True}).fit(X, y)
    if (grown.max_samples_, grown.max_columns_) == (expected.max_samples_, expected.max_columns_):
        assert grown.set_params(n_estimators=8).fit(X, y).digest() == expected.digest()
    expected.save(tmp_path / "forest.silvics")
    assert load(tmp_path / "forest.silvics").max_columns_ == expected.max_columns_


def test_shapes_that_do_not_fit_are_refused():
    X, y = linear(1000, 4)
    with pytest.raises(ValueError, match="No shape of patches fits"):
        RandomPatchesRegressor(max_samples="auto", max_memory="10MB").fit(X, y)
