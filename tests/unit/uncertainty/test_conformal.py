"""Bounds of errors, and the form of intervals."""

import numpy as np
import pytest

from silvics.uncertainty.conformal import Form, bounds, narrowest

rng = np.random.default_rng(0)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("symmetric", [True, False])
def test_bounds_cover_another_row_at_least_at_the_level(level, symmetric):
    """Of n + 1 exchangeable errors, count for how many the bounds of the others hold."""
    errors = rng.exponential(size=60) - 0.5
    covered = 0
    for i in range(60):
        low, high = bounds(np.delete(errors, i), level, symmetric)
        covered += low <= errors[i] <= high
    assert level - 1e-9 <= covered / 60 <= level + (1 if symmetric else 2) / 60 + 1e-9


def test_ranks_are_not_moved_by_rounding():
    errors = np.arange(1.0, 10.0)  # 9 of 10 ranks: 0.9 * 10 is 9.000000000000002
    assert bounds(errors, 0.9, True) == (-9.0, 9.0)
    assert bounds(errors, 0.8, False) == (1.0, 9.0)


def test_too_few_errors_give_infinite_bounds():
    assert bounds(np.ones(5), 0.9, True) == (-np.inf, np.inf)
    assert bounds(np.ones(10), 0.9, False) == (-np.inf, np.inf)
    assert bounds(np.zeros(0), 0.5, True) == (-np.inf, np.inf)


def test_scales():
    spread = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(Form(1.0).scales(spread, np.sqrt(3.0)), np.sqrt([3.0, 4.0, 7.0]))
    np.testing.assert_array_equal(Form(np.inf).scales(spread, 3.0), 1.0)
    np.testing.assert_array_equal(Form(1.0).scales(np.zeros(3), 0.0), 1.0)


def test_the_narrowest_form_follows_the_errors():
    spread = rng.uniform(0.1, 3.0, size=3000)
    normal = rng.normal(size=3000)
    assert narrowest(normal * spread, spread).addition <= 0.3
    assert np.isinf(narrowest(normal, spread).addition)
    assert not narrowest(rng.exponential(size=3000) ** 2, np.ones(3000)).symmetric
    assert narrowest(np.ones(3), np.ones(3)) == Form()  # all widths are infinite
