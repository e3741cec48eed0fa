"""Maps of probabilities against slow definitions."""

import numpy as np
import pytest
from sklearn.isotonic import isotonic_regression

from silvics.uncertainty.fitting_maps import (
    Fitter,
    _fitted_with,
    _grouped,
    _isotonic,
    _venn_abers,
    clipped,
)

rng = np.random.default_rng(0)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_isotonic_regression_is_scikit_learns(n):
    weights = rng.integers(1, 6, size=n).astype(float)
    ones = rng.binomial(weights.astype(int), np.linspace(0.1, 0.9, n)).astype(float)
    wanted = isotonic_regression(ones / weights, sample_weight=weights)
    np.testing.assert_allclose(_isotonic(ones, weights), wanted, atol=1e-12)


def test_venn_abers_adds_a_row_with_each_class():
    weights = rng.integers(1, 6, size=20).astype(float)
    ones = rng.binomial(weights.astype(int), np.linspace(0.1, 0.9, 20)).astype(float)
    wanted = []
    for i in range(20):
        both = []
        for label in (0.0, 1.0):
            more, size = ones.copy(), weights.copy()
            more[i] += label
            size[i] += 1
            both.append(isotonic_regression(more / size, sample_weight=size)[i])
        wanted.append(both[1] / (1 - both[0] + both[1]))
    np.testing.assert_allclose(_venn_abers(ones, weights), wanted, atol=1e-12)
    assert (np.diff(_fitted_with(ones, weights, 1.0, 1.0)) >= 0).all()


def test_groups_have_all_rows():
    shares, is_class = rng.uniform(size=500), rng.uniform(size=500) < 0.4
    x, ones, weights = _grouped(shares, is_class, np.full(500, 3.0))
    assert len(x) <= 64
    assert (np.diff(x) > 0).all()
    np.testing.assert_allclose([ones.sum(), weights.sum()], [is_class.sum(), 500])
    np.testing.assert_allclose(x @ weights, shares.sum())
    x, ones, weights = _grouped(np.array([0.5, 0.1, 0.5]), np.array([1, 0, 0]) > 0, np.ones(3))
    assert (x.tolist(), ones.tolist(), weights.tolist()) == ([0.1, 0.5], [0, 1], [1, 2])


def problem(n, distort, n_classes=2):
    scores = rng.normal(size=(n, n_classes)) * 1.5
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(n_classes, p=row) for row in p])
    q = distort(p)
    return q / q.sum(axis=1, keepdims=True), y, p


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_power_is_found_by_temperature(n_classes):
    shares, y, p = problem(4000, lambda p: p**0.4, n_classes)
    fitter = Fitter(shares, y, np.ones(4000), 10_000)
    found, losses, _ = fitter.chosen()
    assert losses[found.method] < losses["raw"] - 0.02
    temperature = fitter._temperature(np.ones(4000, dtype=bool))
    assert temperature.power == pytest.approx(2.5, rel=0.15)
    assert np.abs(temperature(shares) - p).mean() < 0.02
    assert np.abs(found(shares) - p).mean() < 0.05


def test_another_function_is_found_by_class():
    shares, y, p = problem(4000, lambda p: 0.3 * (p > 0.5) + 0.2 * p + 0.2)
    found, losses, calibrated = Fitter(shares, y, np.ones(4000), 100).chosen()
    assert set(losses) == {"raw", "temperature", "isotonic", "venn-abers"}
    assert losses[found.method] == min(losses.values())
    assert np.abs(calibrated - p).mean() < 0.06


def test_calibrated_probabilities_are_left_alone():
    shares, y, _ = problem(300, lambda p: p)
    found, losses, calibrated = Fitter(shares, y, np.ones(300), 100).chosen()
    assert found.method == "raw"
    assert losses[found.method] < min(losses.values()) + 0.02
    np.testing.assert_array_equal(calibrated, shares)


def test_too_few_rows_or_classes_stay_raw():
    shares, y, _ = problem(15, lambda p: p**0.1)
    assert Fitter(shares, y, np.ones(15), 100).chosen()[1].keys() == {"raw"}
    shares, y, _ = problem(100, lambda p: p**0.1)
    assert Fitter(shares, np.zeros(100, dtype=int), np.ones(100), 9).chosen()[0].method == "raw"


def test_weights_are_numbers_of_rows():
    shares, y, _ = problem(500, lambda p: p**0.3)
    weights = rng.integers(1, 4, size=500)
    part = np.ones(500, dtype=bool)
    repeated = np.repeat(np.arange(500), weights)
    one = Fitter(shares, y, weights.astype(float), 50)._temperature(part)
    two = Fitter(shares[repeated], y[repeated], np.ones(len(repeated)), 50)
    two = two._temperature(np.ones(len(repeated), dtype=bool))
    assert one.power == pytest.approx(two.power, rel=1e-3)


def test_clipped():
    np.testing.assert_allclose(clipped(np.array([[0.0, 1.0]]), 0.25), [[0.2, 0.8]])
