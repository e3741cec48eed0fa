"""Standard errors over rows: against loops over rows, and against repeated sampling."""

import numpy as np
import pytest

from silvics import (
    ExtraTreesRegressor,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    merge,
)
from silvics.datasets import Friedman1, MixedCardinality

TABLE, Y = Friedman1().sample(60, random_state=0)


def plain_variance(forest, bootstrap):
    """The formulas, row by row, without a bound from below."""
    each = forest.importances("mdi").replicates
    counts = forest.in_bag_counts()
    n, n_trees = counts.shape
    mean, variance = each.mean(axis=0), each.var(axis=0)
    jackknife, after, noise, noise_after = 0.0, 0.0, 0.0, 0.0
    for of_row in counts:
        covariance = np.mean((of_row - of_row.mean())[:, np.newaxis] * (each - mean), axis=0)
        jackknife = jackknife + covariance**2
        noise = noise + of_row.var() * variance / n_trees
        without = of_row == 0
        after = after + (each[without].mean(axis=0) - mean) ** 2
        noise_after = noise_after + (n_trees / without.sum() - 1) * variance / n_trees
    found = jackknife - noise
    if bootstrap:
        found = (found + (n - 1) / n * (after - noise_after)) / 2
    else:
        found = found * (n / (n - counts.sum() / n_trees)) ** 2
    return np.maximum(found, noise * np.sqrt(2 / n)) + each.var(axis=0, ddof=1) / n_trees


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestRegressor(120, max_features=3, random_state=0),
        RandomForestRegressor(120, max_samples=0.5, random_state=1),
        ForestRegressor(n_estimators=120, rows="subsample", max_samples=0.6, random_state=2),
    ],
)
def test_errors_are_those_of_the_formulas(forest):
    forest.fit(TABLE, Y)
    found = forest.importances("mdi", errors="rows")
    expected = plain_variance(forest, getattr(forest, "rows", None) != "subsample")
    np.testing.assert_allclose(found.standard_errors**2, expected, rtol=1e-9)
    np.testing.assert_array_equal(found.replicates, forest.importances("mdi").replicates)


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_errors_are_those_of_repeated_sampling(kind):
    """Continuous variables of a regression, and variables of many and of two values."""
    problem = Friedman1(n_features=6) if kind == "numbers" else MixedCardinality(relevance=0.4)
    grow = RandomForestRegressor if kind == "numbers" else RandomForestClassifier
    values, errors = [], []
    for seed in range(40):
        table, y = problem.sample(100, random_state=seed)
        forest = grow(200, max_features=2, random_state=seed).fit(table, y)
        found = forest.importances("mdi", errors="rows" if seed < 15 else "trees")
        values.append(found.values)
        if seed < 15:
            errors.append(found.standard_errors)
    actual = np.std(values, axis=0, ddof=1)
    estimated = np.sqrt(np.mean(np.square(errors), axis=0))
    strong = np.mean(values, axis=0) > 0.5 * np.mean(values, axis=0).max()
    assert (np.abs(np.log(estimated / actual))[strong] < np.log(1.5)).all()
    assert (estimated > 0.7 * actual).all()  # never far too small
    assert np.abs(np.log(np.mean(estimated / actual))) < np.log(1.6)


def test_errors_over_rows_are_larger_than_those_over_trees():
    forest = RandomForestRegressor(300, random_state=0).fit(TABLE, Y)
    rows = forest.importances("mdi", errors="rows").standard_errors
    trees = forest.importances("mdi").standard_errors
    assert (rows > trees).all()
    grouped = forest.importances("mdi", errors="rows", feature_groups=[[0, 1], [2]])
    assert len(grouped.standard_errors) == len(grouped.values)


def test_extreme_outputs():
    usual = RandomForestRegressor(100, random_state=0).fit(TABLE, Y)
    large = RandomForestRegressor(100, random_state=0).fit(TABLE, Y * 2.0**500)
    expected = usual.importances("mdi", errors="rows").standard_errors
    found = large.importances("mdi", errors="rows").standard_errors
    np.testing.assert_allclose(found * 2.0**-1000, expected, rtol=1e-9)


def test_forests_without_such_errors():
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        ExtraTreesRegressor(100).fit(TABLE, Y).importances(errors="rows")
    weighted = RandomForestRegressor(100).fit(TABLE, Y, np.arange(60.0))
    with pytest.raises(ValueError, match="same probability"):
        weighted.importances(errors="rows")
    balanced = RandomForestClassifier(100, class_weight="balanced_subsample")
    with pytest.raises(ValueError, match="same probability"):
        balanced.fit(TABLE, Y > 14).importances(errors="rows")
    small = RandomForestRegressor(10, random_state=0).fit(TABLE, Y)
    with pytest.raises(ValueError, match="never known"):
        merge([small, small]).importances(errors="rows")
    with pytest.warns(UserWarning, match="imprecise with 10 trees"):
        small.importances(errors="rows")
    one = RandomForestRegressor(1, random_state=0).fit(TABLE, Y)
    assert np.isnan(one.importances(errors="rows").standard_errors).all()
    with pytest.raises(ValueError, match="errors must be one of"):
        small.importances(errors="data")
    with pytest.raises(ValueError, match="errors= is not used"):
        small.importances("ufi", TABLE, Y, errors="rows")


# ---- how many trees


def test_so_many_trees_are_enough():
    forest = RandomForestRegressor(200, random_state=0).fit(TABLE, Y)
    found = forest.importances("mdi")
    needed = found.enough(0.05)
    errors = found.std * np.sqrt(200 / 199) / np.sqrt(needed)
    assert errors.max() <= 0.05 * found.values.max()
    assert (errors * np.sqrt(needed / max(needed - 1, 1))).max() > 0.05 * found.values.max()
    grown = RandomForestRegressor(needed, random_state=1).fit(TABLE, Y).importances("mdi")
    assert grown.standard_errors.max() < 0.065 * grown.values.max()
    assert f"{found.enough():,} trees would be needed" in repr(found)
    assert "are enough" not in repr(forest.importances("mda", TABLE, Y))


def test_where_trees_cannot_be_counted():
    forest = RandomForestRegressor(10, random_state=0).fit(TABLE, Y)
    with pytest.raises(ValueError, match="means over permutations"):
        forest.importances("mda", TABLE, Y).enough()
    with pytest.raises(ValueError, match="one tree"):
        RandomForestRegressor(1).fit(TABLE, Y).importances().enough()
    with pytest.raises(ValueError, match="tol must be positive"):
        forest.importances().enough(0)
    with pytest.raises(ValueError, match="positive importance"):
        RandomForestRegressor(5).fit(TABLE, np.ones(60)).importances().enough()
    same = RandomForestRegressor(5, bootstrap=False, max_features=None, random_state=0)
    assert same.fit(TABLE[:, :1], Y).importances().enough() == 1
