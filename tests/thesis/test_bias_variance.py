"""Sections 4.1 to 4.3 of the thesis: what its figures show."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from silvics import ExtraTreesRegressor, RandomForestRegressor
from silvics.bias_variance import decompose, decompose_over
from silvics.datasets import NoisyCosine, SumOfNormals

THESIS = {"n_samples": 50, "n_learning_sets": 60, "n_test": 300, "random_state": 0}


@pytest.fixture(scope="module")
def curves():
    """The illustration of section 4.3.2, for some K."""
    values = [1, 4, 7, 10]
    return [
        decompose_over(forest(10), SumOfNormals(), "max_features", values, **THESIS)
        for forest in (RandomForestRegressor, ExtraTreesRegressor)
    ]


def of(curve, name):
    return np.array([getattr(result, name) for result in curve.results])


def test_bias_falls_and_variance_rises_with_k(curves):
    for curve in curves:
        assert (np.diff(of(curve, "bias")) < 0).all()
        assert of(curve, "variance")[-1] > of(curve, "variance")[0] + 0.1


def test_extra_trees_are_less_correlated_at_every_k(curves):
    forest, extra = curves
    assert (of(extra, "rho") < of(forest, "rho")).all()
    assert (np.diff(of(forest, "rho")) > 0).all()
    assert (np.diff(of(extra, "rho")) > 0).all()


def test_the_optimum_of_k_is_large_and_flat(curves):
    """The thesis has K = 8 for Random Forests and K = 10 for Extra-Trees."""
    for curve in curves:
        errors = of(curve, "error")
        assert curve.best >= 5
        large = errors[1:]
        assert large.max() < 1.1 * large.min()
        assert errors[0] > 1.3 * errors.min()
    assert of(curves[1], "error").min() < of(curves[0], "error").min()


def test_the_second_term_of_the_variance_falls_as_one_over_m():
    """Figure 4.5, with forests of different sizes instead of the formula."""
    sizes = [1, 2, 5, 20]
    curve = decompose_over(
        RandomForestRegressor(max_features=3), SumOfNormals(), "n_estimators", sizes, **THESIS
    )
    large = curve.results[-1]
    for m, result in zip(sizes, curve.results, strict=True):
        off = 4 * result.standard_errors["variance"]
        assert abs(result.variance - large.variance_with(m)) < off
    assert np.isnan(curve.results[0].rho)
    # The bias of an ensemble is that of one tree (Equation 4.26).
    biases = of(curve, "bias")
    assert np.abs(biases - biases.mean()).max() < 0.1 * biases.mean()


def test_polynomials_of_degree_1_5_and_15():
    """Figure 4.2: bias falls, variance explodes, degree 5 is best."""
    found = [
        decompose(
            make_pipeline(PolynomialFeatures(degree), LinearRegression()), NoisyCosine(),
            n_samples=30, n_learning_sets=100, n_test=300, random_state=0,
        )
        for degree in (1, 5, 15)
    ]  # fmt: skip
    inside = [(r.X[:, 0] > 0.05) & (r.X[:, 0] < 0.95) for r in found]
    bias = [np.mean(r.points["bias"][rows]) for r, rows in zip(found, inside, strict=True)]
    variance = [r.variance for r in found]
    assert bias[0] > 50 * abs(bias[1])
    assert variance[0] < variance[1] < variance[2]
    assert min(r.error for r in found) == found[1].error
