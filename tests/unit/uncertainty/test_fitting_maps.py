"""Maps of probabilities against slow definitions."""

import numpy as np
import pytest

from silvics.uncertainty.fitting_maps import Fitter, clipped, log_losses
from silvics.uncertainty.temperature import Temperatures

rng = np.random.default_rng(0)


def problem(n, distort, n_classes=2):
    scores = rng.normal(size=(n, n_classes)) * 1.5
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(n_classes, p=row) for row in p])
    q = distort(p)
    return q / q.sum(axis=1, keepdims=True), y, p


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_power_is_found_by_temperature(n_classes):
    shares, y, p = problem(4000, lambda p: p**0.4, n_classes)
    found, losses, _ = Fitter(shares, y, np.ones(4000), 10_000).chosen()
    assert losses[found.method] < losses["raw"] - 0.02
    (temperature,) = Temperatures(shares, y, 10_000).fitted([np.ones(4000)])
    assert temperature.power == pytest.approx(2.5, rel=0.15)
    assert np.abs(temperature(shares) - p).mean() < 0.02
    assert np.abs(found(shares) - p).mean() < 0.05


def test_another_function_is_found_by_class():
    shares, y, p = problem(4000, lambda p: 0.3 * (p > 0.5) + 0.2 * p + 0.2)
    found, losses, calibrated = Fitter(shares, y, np.ones(4000), 100).chosen()
    assert set(losses) == {"raw", "temperature", "isotonic", "venn-abers"}
    assert losses[found.method] == min(losses.values())
    assert np.abs(calibrated - p).mean() < 0.06


@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_are_those_of_the_calibrated_probabilities(n_classes):
    shares, y, _ = problem(600, lambda p: p**0.3, n_classes)
    weights = rng.uniform(0.5, 2.0, size=600)
    found, losses, calibrated = Fitter(shares, y, weights, 100).chosen()
    assert found.method != "raw"
    wanted = np.average(log_losses(calibrated, y), weights=weights)
    assert losses[found.method] == pytest.approx(wanted)


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
    repeated = np.repeat(np.arange(500), weights)
    (one,) = Temperatures(shares, y, 50).fitted([weights.astype(float)])
    (two,) = Temperatures(shares[repeated], y[repeated], 50).fitted([np.ones(len(repeated))])
    assert one.power == pytest.approx(two.power, rel=1e-3)


def test_clipped():
    np.testing.assert_allclose(clipped(np.array([[0.0, 1.0]]), 0.25), [[0.2, 0.8]])
