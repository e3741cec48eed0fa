"""Statistics of given predictions, against loops over the definitions."""

import numpy as np
import pytest

from silvics.bias_variance.statistics import Predictions, standard_errors
from tests.unit.bias_variance.slow_decomposition import slow_table


def given(predictions, bayes):
    """The predictions of trees as the module takes them."""
    away = predictions.mean(axis=1) - bayes
    within = predictions.var(axis=1, ddof=1) if predictions.shape[1] > 1 else None
    columns = None if within is None else within[:, :, None]
    return Predictions(away[:, :, None], columns, predictions.shape[1])


@pytest.mark.parametrize(("R", "M"), [(2, 2), (3, 1), (5, 4), (10, 3)])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_equal_to_the_definitions(R, M, offset):
    rng = np.random.default_rng(R * 10 + M)
    predictions = rng.normal(size=(R, 1, 6)) + rng.normal(size=(R, M, 6)) + offset
    bayes = rng.normal(size=6) + offset
    bias, variance, rho, tree_variance = slow_table(predictions - offset, bayes - offset)
    points = given(predictions, bayes).sums().points()
    tolerance = 1e-10 if offset == 0 else 1e-6
    np.testing.assert_allclose(points.bias, bias, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(points.variance, variance, rtol=tolerance)
    if M == 1:
        assert points.rho is None
        return
    np.testing.assert_allclose(points.rho, rho.astype(float), rtol=1e-5, atol=tolerance)
    np.testing.assert_allclose(points.of_sets + points.of_members, tree_variance.astype(float),
                               rtol=1e-6)  # fmt: skip


def test_both_forms_of_the_variance_are_equal():
    rng = np.random.default_rng(0)
    M = 4
    predictions = rng.normal(size=(20, 1, 50)) + rng.normal(size=(20, M, 50))
    points = given(predictions, np.zeros(50)).sums().points()
    whole = points.of_sets + points.of_members
    by_correlation = points.rho * whole + (1 - points.rho) / M * whole  # Equation 4.28
    by_conditioning = points.of_sets + points.of_members / M  # Equation 4.30
    np.testing.assert_allclose(by_correlation, points.variance, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_conditioning, points.variance, rtol=1e-12, atol=1e-14)


def test_mean_squared_error_is_bias_plus_variance():
    predictions = np.random.default_rng(1).normal(size=(7, 3, 9))
    points = given(predictions, np.ones(9)).sums().points()
    errors = ((predictions.mean(axis=1) - 1) ** 2).mean(axis=0)
    np.testing.assert_allclose(points.bias + points.variance, errors, rtol=1e-12)


def test_columns_are_added_up():
    rng = np.random.default_rng(2)
    away, within = rng.normal(size=(5, 8, 3)), rng.uniform(size=(5, 8, 3))
    together = Predictions(away, within, 2).sums().points()
    apart = [Predictions(away[:, :, [c]], within[:, :, [c]], 2).sums().points() for c in range(3)]
    for name in ("bias", "variance", "of_sets", "of_members"):
        expected = sum(getattr(points, name) for points in apart)
        np.testing.assert_allclose(getattr(together, name), expected, rtol=1e-12)


def test_estimates_are_unbiased_and_standard_errors_are_right():
    """Repeated simulations of trees with known bias, variance and correlation."""
    rng = np.random.default_rng(3)
    R, M, T, rho = 12, 5, 40, 0.3
    found, claimed = [], []
    for _ in range(300):
        common = np.sqrt(rho) * rng.normal(size=(R, 1, T))
        trees = 0.5 + common + np.sqrt(1 - rho) * rng.normal(size=(R, M, T))
        predictions = given(trees, np.zeros(T))
        averages = predictions.sums().points().averages()
        found.append([averages["bias"], averages["variance"], averages["member_variance"]])
        errors = standard_errors(predictions)
        claimed.append([errors["bias"], errors["variance"], errors["member_variance"]])
    found, claimed = np.array(found), np.array(claimed)
    expected = [0.25, rho + (1 - rho) / M, 1.0]
    off = 4.5 * found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - expected) < off).all()
    # Samples share nothing here, so both parts of the error count the same variation at most twice.
    ratio = claimed.mean(axis=0) / found.std(axis=0)
    assert (ratio > 0.9).all()
    assert (ratio < 1.7).all()


def test_trees_that_do_not_vary_have_no_correlation():
    points = Predictions(np.zeros((3, 4, 1)), np.zeros((3, 4, 1)), 2).sums().points()
    assert np.isnan(points.rho).all()
    assert np.isnan(points.averages()["rho"])
