"""Predicted distributions: the functions of their weights against plain sums."""

import numpy as np
import pytest

from silvics import RandomForestRegressor as Forest

from .plain_weights import oob_weights_of, weights_of

rng = np.random.default_rng(1)
X = rng.normal(size=(80, 3))
NEW = rng.normal(size=(15, 3))
Y = np.round(X[:, 0] + rng.normal(size=80), 1)
BOTH = np.column_stack([Y, rng.normal(size=80)])
AT = rng.normal(size=15)


@pytest.fixture(scope="module")
def forest():
    return Forest(20, min_samples_leaf=3, keep_samples=True, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def several():
    return Forest(20, min_samples_leaf=3, keep_samples=True, random_state=0).fit(X, BOTH)


def test_weights(forest):
    found = forest.predict_distribution(NEW)
    np.testing.assert_allclose(found.weights.toarray(), weights_of(forest, NEW, X), atol=1e-14)
    np.testing.assert_array_equal(found.outputs, Y)
    own = forest.predict_distribution(None)
    np.testing.assert_allclose(own.weights.toarray(), oob_weights_of(forest, X), atol=1e-14)


def test_mean_is_the_prediction(forest, several):
    np.testing.assert_allclose(forest.predict_distribution(NEW).mean(), forest.predict(NEW))
    np.testing.assert_allclose(several.predict_distribution(NEW).mean(), several.predict(NEW))


def test_cdf_is_the_inverse_of_quantiles(forest, several):
    found = forest.predict_distribution(NEW)
    weights = found.weights.toarray()
    points = [-1.0, 0.0, 0.7]
    wanted = np.stack([(weights * (p >= Y)).sum(axis=1) for p in points], axis=1)
    np.testing.assert_allclose(found.cdf(points), wanted, atol=1e-14)
    np.testing.assert_allclose(found.cdf(0.7), wanted[:, 2], atol=1e-14)
    assert several.predict_distribution(NEW).cdf(points).shape == (15, 3, 2)
    assert several.predict_distribution(NEW).cdf(0.7).shape == (15, 2)
    median = forest.predict_quantiles(NEW, 0.5)
    assert (np.diag(found.cdf(median)) >= 0.5 - 1e-12).all()
    with pytest.raises(ValueError, match="a number or a vector"):
        found.cdf([[0.0]])


def test_ranks_of_outputs(forest):
    found = forest.predict_distribution(X[:15])
    weights = found.weights.toarray()
    at = Y[:15, None]
    weak, strict = (weights * (at >= Y)).sum(axis=1), (weights * (at > Y)).sum(axis=1)
    np.testing.assert_allclose(found.quantile_ranks(Y[:15], kind="weak"), weak, atol=1e-14)
    np.testing.assert_allclose(found.quantile_ranks(Y[:15], kind="strict"), strict, atol=1e-14)
    np.testing.assert_allclose(found.quantile_ranks(Y[:15]), (weak + strict) / 2, atol=1e-14)
    with pytest.raises(ValueError, match="kind must be one of"):
        found.quantile_ranks(Y[:15], kind="mid")
    with pytest.raises(ValueError, match=r"y must be of shape \(15,\)"):
        found.quantile_ranks(Y)


def test_crps_is_its_definition(forest, several):
    found = forest.predict_distribution(NEW)
    for i, weights in enumerate(found.weights.toarray()):
        apart = weights @ np.abs(Y[:, None] - Y[None, :]) @ weights
        wanted = weights @ np.abs(Y - AT[i]) - apart / 2
        np.testing.assert_allclose(found.crps(AT)[i], wanted, atol=1e-12)
    both = several.predict_distribution(NEW).crps(np.column_stack([AT, AT]))
    assert both.shape == (15, 2)


def test_what_is_unknown_of_y_is_unknown_of_results(forest, several):
    found, at = forest.predict_distribution(NEW), AT.copy()
    at[3] = np.nan
    for wanted, given in ((found.quantile_ranks(AT), found.quantile_ranks(at)),
                          (found.crps(AT), found.crps(at))):  # fmt: skip
        assert np.isnan(given[3])
        np.testing.assert_array_equal(np.delete(given, 3), np.delete(wanted, 3))
    np.testing.assert_array_equal(found.cdf([np.nan, 0.0])[:, 1], found.cdf(0.0))
    assert np.isnan(found.cdf(np.nan)).all()
    assert np.isnan(several.predict_distribution(NEW).cdf([np.nan])).all()
    for use in (found.cdf, found.crps):
        with pytest.raises(TypeError, match="y must be numbers, got"):
            use(["a"] * 15)


def test_draws_follow_the_weights(forest, several):
    found = forest.predict_distribution(NEW[:3])
    draws = found.sample(4000, random_state=0)
    assert draws.shape == (3, 4000)
    np.testing.assert_array_equal(draws, found.sample(4000, random_state=0))
    assert np.abs((draws <= 0.3).mean(axis=1) - found.cdf(0.3)).max() < 0.04
    both = several.predict_distribution(NEW).sample(5, random_state=0)
    rows = {tuple(row) for row in BOTH}
    assert both.shape == (15, 5, 2)
    assert all(tuple(row) in rows for row in both.reshape(-1, 2))


def test_rows_without_out_of_bag_trees_have_nan():
    few = Forest(2, keep_samples=True, random_state=0).fit(X, Y)
    found = few.predict_distribution(None)
    unknown = (few.in_bag_counts() > 0).all(axis=1)
    for values in (found.mean(), found.cdf(0.0), found.crps(Y), found.quantile_ranks(Y)):
        np.testing.assert_array_equal(np.isnan(values), unknown)
    np.testing.assert_array_equal(np.isnan(found.sample(1, random_state=0)[:, 0]), unknown)


def test_frame_text_and_plot(forest, several):
    found = forest.predict_distribution(NEW)
    frame = found.to_frame()
    assert frame.columns.tolist() == ["row", "mean", "std", "n_rows"]
    np.testing.assert_allclose(frame["mean"], forest.predict(NEW))
    assert len(several.predict_distribution(NEW).to_frame()) == 30
    assert "Distributions of 15 samples" in repr(found)
    pytest.importorskip("matplotlib")
    assert len(found.plot().ax_.get_lines()) == 10


@pytest.mark.parametrize("n", [-1, 2.5, True])
def test_bad_numbers_of_draws(n):
    forest = Forest(20, keep_samples=True, random_state=0)
    found = forest.fit([[0.0], [1.0]], [0.0, 1.0]).predict_distribution([[0.0]])
    with pytest.raises(ValueError, match="n must be an integer"):
        found.sample(n)
