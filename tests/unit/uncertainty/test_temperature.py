"""The best smoothing and power, against a search in small steps."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from silvics._predicting.calibrated import ProbabilityMap
from silvics.uncertainty.temperature import Temperatures, weighted_sum

rng = np.random.default_rng(0)
SMOOTHINGS = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)


def problem(n, n_classes, power, n_trees=40):
    p = rng.dirichlet(np.full(n_classes, 0.5), n)
    y = np.array([rng.choice(n_classes, p=row) for row in p])
    q = p**power / (p**power).sum(axis=1, keepdims=True)
    votes = np.array([rng.multinomial(n_trees, row) for row in q])
    return votes / n_trees, y


def loss_of(found, shares, y, weights):
    return float(np.average(-np.log(found(shares)[np.arange(len(y)), y]), weights=weights))


def best_loss(shares, y, weights, n_trees):
    """The smallest loss of all smoothings, each over a grid of powers that is refined."""
    least = np.inf
    for smoothing in np.array(SMOOTHINGS) / n_trees:

        def loss(log_power, smoothing=smoothing):
            found = ProbabilityMap("temperature", smoothing, float(np.exp(log_power)))
            return loss_of(found, shares, y, weights)

        start = min(np.linspace(-2, 2, 21), key=loss)
        bounds = max(start - 0.2, -2.0), min(start + 0.2, 2.0)
        found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
        least = min(least, found.fun)
    return least


@pytest.mark.parametrize("n_classes", [2, 3, 12])
@pytest.mark.parametrize("n", [40, 1500])
@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
def test_the_best_of_each_part_is_found(n_classes, n, power):
    shares, y = problem(n, n_classes, power)
    weights = rng.integers(1, 4, size=n).astype(float)
    folds = rng.permutation(n) % 5
    parts = [weights, *(weights * (folds != fold) for fold in range(5))]
    for part, found in zip(parts, Temperatures(shares, y, 40).fitted(parts), strict=True):
        wanted = best_loss(shares, y, part, 40)
        assert loss_of(found, shares, y, part) == pytest.approx(wanted, abs=1e-8)


@pytest.mark.parametrize(("right", "power"), [(True, np.exp(2.0)), (False, np.exp(-2.0))])
def test_powers_have_bounds(right, power):
    """Rows of which the most probable class is always right, or never."""
    shares = np.tile([[0.7, 0.2, 0.1]], (50, 1))
    y = np.full(50, 0 if right else 2)
    assert Temperatures(shares, y, 10).fitted([np.ones(50)])[0].power == pytest.approx(power)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_are_those_of_the_maps(n_classes):
    shares, y = problem(200, n_classes, 2.0)
    folds = rng.integers(0, 3, 200)
    maps = [ProbabilityMap("temperature", *of) for of in ((0.01, 1.5), (0.1, 0.7), (0.01, 2.0))]
    found = Temperatures(shares, y, 40).cross_losses(maps, folds)
    wanted = [-np.log(maps[folds[i]](shares[[i]])[0, y[i]]) for i in range(200)]
    np.testing.assert_allclose(found, wanted, atol=1e-10)


def test_weighted_sum():
    assert weighted_sum(np.array([1.0, 2.0]), np.array([3.0, 0.5])) == 4.0
