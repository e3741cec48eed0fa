"""Isotonic and Venn-Abers maps against slow definitions."""

import numpy as np
import pytest
from sklearn.isotonic import isotonic_regression

from silvics.uncertainty.monotonic_maps import MonotonicMaps, _Column, _Part, regressions

rng = np.random.default_rng(0)


def counts(n):
    weights = rng.integers(1, 6, size=n).astype(float)
    return rng.binomial(weights.astype(int), np.linspace(0.1, 0.9, n)).astype(float), weights


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_isotonic_regression_is_scikit_learns(n):
    some = [counts(n) for _ in range(3)]
    found = regressions(*(np.stack([of[k] for of in some], axis=1) for k in (0, 1)))
    for k, (ones, weights) in enumerate(some):
        wanted = isotonic_regression(ones / weights, sample_weight=weights)
        np.testing.assert_allclose(found["isotonic"][:, k], wanted, atol=1e-12)


def test_venn_abers_adds_a_row_with_each_class():
    ones, weights = counts(20)
    wanted = []
    for i in range(20):
        both = []
        for label in (0.0, 1.0):
            more, size = ones.copy(), weights.copy()
            more[i] += label
            size[i] += 1
            both.append(isotonic_regression(more / size, sample_weight=size)[i])
        wanted.append(both[1] / (1 - both[0] + both[1]))
    found = regressions(ones[:, None], weights[:, None])["venn-abers"]
    np.testing.assert_allclose(found[:, 0], wanted, atol=1e-12)


def test_groups_of_weight_zero_at_the_end_do_not_count():
    ones, weights = (of[:, None] for of in counts(9))
    alone = regressions(ones, weights)
    padded = regressions(*(np.pad(of, ((0, 4), (0, 0))) for of in (ones, weights)))
    for name, values in alone.items():
        np.testing.assert_array_equal(padded[name][:9], values)


def groups_by_definition(shares, is_class, weights):
    """Means, sums and weights of the groups of rows between quantiles, or of distinct values."""
    edges = np.unique(shares)
    if len(edges) > 64:
        levels = np.linspace(0, 1, 65)[1:-1]
        edges = np.unique(np.quantile(shares, levels, method="inverted_cdf"))
    group = np.searchsorted(edges, shares)
    weights = weights / weights.mean()
    whole, ones, sums = (
        np.bincount(group, of) for of in (weights, weights * is_class, weights * shares)
    )
    return sums / whole, ones, whole


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.003, 0.4, 1.0])
@pytest.mark.parametrize("n_votes", [5, 10_000])
def test_groups_are_those_between_quantiles(share_of_zeros, n_votes):
    shares = np.round(rng.uniform(size=700) * n_votes) / n_votes
    shares[rng.uniform(size=700) < share_of_zeros] = 0.0
    is_class, weights = rng.uniform(size=700) < 0.4, rng.integers(1, 4, size=700) * 3.0
    part = rng.uniform(size=700) < 0.8
    found = _Column(shares, is_class, weights).grouped(_Part.of(part, weights))
    wanted = groups_by_definition(shares[part], is_class[part], weights[part])
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    assert len(found[0]) <= 64


@pytest.mark.parametrize("n_classes", [2, 5])
def test_losses_are_those_of_the_maps(n_classes):
    shares = rng.dirichlet(np.full(n_classes, 0.3), 400)
    shares[shares < 0.02] = 0.0
    shares /= shares.sum(axis=1, keepdims=True)
    y, folds = rng.integers(0, n_classes, 400), rng.integers(0, 3, 400)
    maps = MonotonicMaps(shares, y, np.ones(400))
    for fitted in maps.fitted([folds != fold for fold in range(3)]).values():
        wanted = np.array([-np.log(fitted[folds[i]](shares[[i]])[0, y[i]]) for i in range(400)])
        np.testing.assert_allclose(maps.cross_losses(fitted, folds), wanted, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_maps_do_not_depend_on_the_unit_of_weights(unit):
    shares = rng.dirichlet([1.0, 1.0, 1.0], 200)
    y, weights = rng.integers(0, 3, 200), rng.uniform(0.5, 2.0, size=200)
    part = [np.ones(200, dtype=bool)]
    one, two = (MonotonicMaps(shares, y, w).fitted(part) for w in (weights, weights * unit))
    for name in one:
        np.testing.assert_allclose(one[name][0](shares), two[name][0](shares), atol=1e-9)
