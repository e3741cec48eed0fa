"""Residual errors of normal classes, against other integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from silvics.datasets import Ringnorm, TwoGaussians, Twonorm, Waveform
from silvics.datasets import normal_classes as module


def test_density_of_a_wave_is_the_integral_over_u():
    X, _ = Waveform().sample(20, 0)
    a, b = module._WAVES[0], module._WAVES[2]
    for x in X:
        density = quad(
            lambda u, x=x: multivariate_normal(u * a + (1 - u) * b).pdf(x) * (2 * np.pi) ** 10.5,
            0, 1, epsabs=0, epsrel=1e-9, limit=200,
        )[0]  # fmt: skip
        assert module._log_density(x[None], a, b)[0] == pytest.approx(np.log(density), rel=1e-6)


def test_residual_error_of_waves_does_not_depend_on_the_grid(monkeypatch):
    expected = Waveform().residual_error
    assert expected == pytest.approx(0.1329, abs=2e-3)  # printed as about 0.14 by Breiman
    monkeypatch.setattr(module, "_STEP", 0.0317)
    monkeypatch.setattr(module, "_MARGIN", 7.3)
    assert Waveform(n_irrelevant=2).residual_error == pytest.approx(expected, abs=1e-6)


def test_probabilities_far_from_all_waves_are_finite():
    X = np.vstack([np.full(21, 1e3), np.full(21, -1e3), np.zeros(21)])
    shares = Waveform().bayes_model.predict_proba(X)
    assert np.isfinite(shares).all()


def test_residual_error_of_a_ring_in_one_dimension():
    problem = Ringnorm(n_features=1)
    largest = quad(
        lambda x: max(norm(0, 2).pdf(x), norm(1, 1).pdf(x)) / 2, -30, 30,
        limit=500, points=[-2, -1, 0, 1, 2, 3, 4],
    )[0]  # fmt: skip
    assert problem.residual_error == pytest.approx(1 - largest, abs=1e-8)


def test_means_of_two_classes():
    for problem, distance in ((Twonorm(), 4.0), (TwoGaussians(3.0), 3.0)):
        X, y = problem.sample(40_000, 0)
        apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
        assert np.linalg.norm(apart) == pytest.approx(distance, abs=0.06)
        assert np.allclose(X[y == 0].std(axis=0), 1.0, atol=0.03)
