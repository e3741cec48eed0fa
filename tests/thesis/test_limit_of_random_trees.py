"""Infinitely many totally randomized trees: continuous, piecewise multilinear (thesis 4.5)."""

from itertools import pairwise, product

import numpy as np
import pytest

from silvics import ExtraTreesClassifier, ExtraTreesRegressor
from tests.thesis.exact_limit import expected_prediction

rng = np.random.default_rng(0)
X = rng.uniform(size=(7, 2)).round(2)
Y = rng.normal(size=7)
NEW = rng.uniform(-0.2, 1.2, size=(40, 2))


def test_many_trees_approach_the_exact_limit():
    n_trees = 20_000
    forest = ExtraTreesRegressor(n_trees, max_features=1, random_state=0, n_jobs=2).fit(X, Y)
    exact = np.array([expected_prediction(X, Y, x) for x in NEW])
    # The variance of one tree is at most a quarter of the squared range of y.
    off = 4.5 * np.ptp(Y) / 2 / np.sqrt(n_trees)
    assert np.abs(forest.predict(NEW) - exact).max() < off
    assert np.ptp(exact) > 10 * off


def test_the_limit_for_classes():
    y = (Y > np.median(Y)).astype(int)
    forest = ExtraTreesClassifier(20_000, max_features=1, random_state=1, n_jobs=2).fit(X, y)
    exact = np.array([expected_prediction(X, y, x) for x in NEW])
    assert np.abs(forest.predict_proba(NEW)[:, 1] - exact).max() < 4.5 * 0.5 / np.sqrt(20_000)


def test_the_limit_interpolates_the_learning_set():
    for x, y in zip(X, Y, strict=True):
        assert expected_prediction(X, Y, x) == pytest.approx(y, abs=1e-12)


@pytest.mark.parametrize("j", [0, 1])
def test_the_limit_is_continuous(j):
    for value in X[:, j]:
        x = NEW[0].copy()
        around = []
        for step in (-1e-9, 0.0, 1e-9):
            x[j] = value + step
            around.append(expected_prediction(X, Y, x))
        assert np.ptp(around) < 1e-6


def test_the_limit_is_multilinear_between_the_values_of_the_learning_set():
    """In each cell of the grid of values, the corners determine all other points."""
    edges = [np.unique(X[:, j]) for j in range(2)]
    for (a, b), (c, d) in product(*(list(pairwise(e))[:3] for e in edges)):
        corners = {
            (i, k): expected_prediction(X, Y, (x0, x1))
            for i, x0 in enumerate((a, b)) for k, x1 in enumerate((c, d))
        }  # fmt: skip
        for u, v in rng.uniform(size=(3, 2)):
            expected = (
                (1 - u) * (1 - v) * corners[0, 0] + u * (1 - v) * corners[1, 0]
                + (1 - u) * v * corners[0, 1] + u * v * corners[1, 1]
            )  # fmt: skip
            found = expected_prediction(X, Y, (a + u * (b - a), c + v * (d - c)))
            assert found == pytest.approx(expected, abs=1e-12)


def test_the_limit_is_constant_outside_the_learning_set():
    assert expected_prediction(X, Y, (5.0, 0.3)) == pytest.approx(
        expected_prediction(X, Y, (X[:, 0].max(), 0.3)), abs=1e-12
    )
