"""Standard errors: the infinitesimal jackknife against its definition."""

import numpy as np
import pytest

from silvics import (
    ExtraTreesRegressor,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.uncertainty import standard_errors

rng = np.random.default_rng(3)
X = rng.uniform(size=(70, 2))
NEW = rng.uniform(size=(12, 2))
Y = X[:, 0] + 0.3 * rng.normal(size=70)


def raw_variances(values, counts):
    """The sum of squared covariances, minus what covariances over T trees add by chance."""
    n_trees = values.shape[1]
    d = values - values.mean(axis=1, keepdims=True)
    drawn = counts - counts.mean(axis=1, keepdims=True)
    covariances = d @ drawn.T / n_trees
    noise = (d**2).mean(axis=1) * (drawn**2).mean(axis=1).sum() / n_trees
    return (covariances**2).sum(axis=1) - noise


def test_raw_variances_are_their_definition():
    forest = RandomForestRegressor(30, random_state=0).fit(X, Y)
    wanted = raw_variances(forest.predict_trees(NEW), forest.in_bag_counts())
    found = forest.predict_standard_error(NEW, raw=True)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("n_trees", [4, 5, 30])
def test_halves_are_those_of_every_second_tree(n_trees):
    forest = RandomForestRegressor(n_trees, random_state=0).fit(X, Y)
    values, counts = forest.predict_trees(NEW), forest.in_bag_counts()
    form = standard_errors._Form(standard_errors.count_products(forest._grown))
    of_all, difference = form.variances(values)
    np.testing.assert_allclose(of_all, raw_variances(values, counts), rtol=1e-9, atol=1e-14)
    first, second = (raw_variances(values[:, k::2], counts[:, k::2]) for k in (0, 1))
    np.testing.assert_allclose(np.abs(difference), np.abs(first - second), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("grouped", [False, True])
def test_products_of_counts_come_from_parts_of_the_rows(grouped, monkeypatch):
    groups = np.arange(70) // 3 if grouped else None
    forest = ForestRegressor("random_forest", n_estimators=6, random_state=0)
    forest.fit(X, Y, groups=groups) if grouped else forest.fit(X, Y)
    counts = forest.in_bag_counts()[:: 3 if grouped else 1].astype(float)
    wanted = counts.T @ counts
    monkeypatch.setattr(standard_errors, "_ROWS_AT_ONCE", 8)
    monkeypatch.setattr(standard_errors, "_COUNTS_AT_ONCE", 6 * 20)
    for threads in (1, 3):
        found = standard_errors.count_products(forest._grown, threads)
        np.testing.assert_array_equal(found, wanted)


def test_many_draws_of_a_row_are_counted():
    rows, outputs = np.repeat(X, 5, axis=0), np.repeat(Y, 5)
    forest = RandomForestRegressor(3, random_state=0)
    counts = forest.fit(rows, outputs, sample_weight=np.arange(350) == 7).in_bag_counts()
    assert counts[7].tolist() == [350] * 3
    assert counts.sum() == 3 * 350


def test_rows_drawn_without_replacement_have_a_factor():
    forest = ForestRegressor(
        "random_forest", n_estimators=40, rows="subsample", max_samples=0.5, random_state=0
    ).fit(X, Y)
    wanted = raw_variances(forest.predict_trees(NEW), forest.in_bag_counts())
    found = forest.predict_standard_error(NEW, raw=True)
    np.testing.assert_allclose(found, wanted * 69 / 70 * 4, rtol=1e-9, atol=1e-14)


def test_negative_variances_are_replaced_and_counted():
    forest = RandomForestRegressor(20, random_state=0).fit(X, Y)
    raw = forest.predict_standard_error(X, raw=True)
    n_negative = np.count_nonzero(raw < 0)
    assert n_negative > 0
    with pytest.warns(UserWarning, match=f"{n_negative} of 70 estimates"):
        errors = forest.predict_standard_error(X)
    assert (errors > 0).all()
    # A monotonic function of the raw estimates, with a smaller spread.
    assert (np.diff(errors[np.argsort(raw)]) >= -1e-12).all()
    assert np.ptp(errors**2) < np.ptp(raw)


def test_alone_a_negative_variance_becomes_a_mean_of_positive_values():
    forest = RandomForestRegressor(30, random_state=0).fit(X, Y)
    raw = forest.predict_standard_error(NEW, raw=True)
    i = int(np.argmin(raw))
    assert raw[i] < 0
    with pytest.warns(UserWarning, match="1 of 1 estimates .* shrunk"):
        found = forest.predict_standard_error(NEW[i : i + 1])
    form = standard_errors._Form(standard_errors.count_products(forest._grown))
    half = form.variances(forest.predict_trees(NEW[i : i + 1]))[1][0]
    draws = np.random.default_rng(0).normal(raw[i], abs(half) / 2, 400_000)
    assert found[0] ** 2 == pytest.approx(draws[draws > 0].mean(), rel=0.02)


@pytest.mark.filterwarnings("ignore:.*estimates of the variance")
def test_single_samples_and_pairs_are_possible():
    forest = RandomForestRegressor(3, random_state=0).fit(X, Y)
    assert np.isfinite(forest.predict_standard_error(X[:1])).all()
    assert np.isfinite(forest.predict_standard_error(X[:2])).all()
    constant = RandomForestRegressor(10, random_state=0).fit(X, np.ones(70))
    np.testing.assert_array_equal(constant.predict_standard_error(X), 0.0)


def test_errors_are_those_of_repeated_learning_sets():
    """The mean estimate is close to the spread of forests grown on independent learning sets."""
    spread, estimated = [], []
    for seed in range(30):
        own = np.random.default_rng(seed)
        table = own.uniform(size=(60, 2))
        outputs = table[:, 0] + 0.3 * own.normal(size=60)
        forest = RandomForestRegressor(300, min_samples_leaf=5, random_state=seed)
        forest.fit(table, outputs)
        spread.append(forest.predict(NEW))
        estimated.append(forest.predict_standard_error(NEW, raw=True))
    ratio = np.mean(estimated) / np.var(spread, axis=0, ddof=1).mean()
    assert 0.6 < ratio < 1.7


def test_classes_and_outputs():
    classes = (Y > 0.5).astype(int) + (Y > 0.8)
    forest = RandomForestClassifier(50, random_state=0).fit(X, classes)
    raw = forest.predict_standard_error(NEW, raw=True)
    assert raw.shape == (12, 3)
    values = forest.predict_trees(NEW)[:, :, 1]
    wanted = raw_variances(values, forest.in_bag_counts())
    np.testing.assert_allclose(raw[:, 1], wanted, rtol=1e-9, atol=1e-14)
    two = RandomForestClassifier(50, random_state=0).fit(X, np.column_stack([classes, Y > 0.5]))
    assert [part.shape for part in two.predict_standard_error(NEW, raw=True)] == [(12, 3), (12, 2)]
    both = RandomForestRegressor(50, random_state=0).fit(X, np.column_stack([Y, Y]))
    assert both.predict_standard_error(NEW, raw=True).shape == (12, 2)


def test_trees_must_have_drawn_rows():
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        ExtraTreesRegressor(5).fit(X, Y).predict_standard_error(X)
    with pytest.raises(ValueError, match="at least two trees"):
        RandomForestRegressor(1).fit(X, Y).predict_standard_error(X)
