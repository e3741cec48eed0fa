"""Quantiles are those of the weights of training rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from silvics import ExtraTreesRegressor, ForestRegressor, RandomForestClassifier
from silvics import RandomForestRegressor as Forest

from .plain_weights import oob_weights_of, weighted_quantile, weights_of

LEVELS = [0.0, 0.05, 0.3, 0.5, 0.9, 1.0]
rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
NEW = rng.normal(size=(20, 3))
Y = np.round(X[:, 0] + rng.normal(size=90), 1)  # with ties
BOTH = np.column_stack([Y, rng.normal(size=90)])


def grown(y=Y, kind=Forest, **parameters):
    parameters = {"min_samples_leaf": 3, "keep_samples": True, "random_state": 0, **parameters}
    return kind(n_estimators=15, **parameters).fit(X, y)


def expected(weights, y=Y):
    return np.array([[weighted_quantile(y, row, level) for level in LEVELS] for row in weights])


def test_quantiles_of_new_rows():
    forest = grown()
    found = forest.predict_quantiles(NEW, LEVELS)
    np.testing.assert_array_equal(found, expected(weights_of(forest, NEW, X)))
    np.testing.assert_array_equal(forest.predict_quantiles(NEW, 0.3), found[:, 2])
    np.testing.assert_array_equal(forest.predict_quantiles(NEW, LEVELS, n_jobs=2), found)


def test_out_of_bag_quantiles_of_training_rows():
    forest = grown(max_samples=0.9)
    np.testing.assert_array_equal(
        forest.predict_quantiles(None, LEVELS), expected(oob_weights_of(forest, X))
    )


def test_rows_that_are_in_bag_everywhere_have_no_quantiles():
    forest = Forest(2, keep_samples=True, random_state=0).fit(X, Y)
    found = forest.predict_quantiles(None, [0.5])
    in_bag = (forest.in_bag_counts() > 0).all(axis=1)
    assert in_bag.any()
    np.testing.assert_array_equal(np.isnan(found[:, 0]), in_bag)


def test_several_outputs_have_the_last_axis():
    forest = grown(BOTH)
    found = forest.predict_quantiles(NEW, LEVELS)
    assert found.shape == (20, len(LEVELS), 2)
    assert forest.predict_quantiles(NEW, 0.5).shape == (20, 2)
    weights = weights_of(forest, NEW, X)
    for k in range(2):
        np.testing.assert_array_equal(found[:, :, k], expected(weights, BOTH[:, k]))


def test_weights_of_rows_without_bootstrap():
    weight = rng.integers(1, 4, size=90).astype(float)
    forest = ExtraTreesRegressor(10, min_samples_leaf=4, keep_samples=True, random_state=0)
    forest.fit(X, Y, weight)
    found = forest.predict_quantiles(NEW, LEVELS)
    np.testing.assert_array_equal(found, expected(weights_of(forest, NEW, X, weight)))
    with pytest.raises(ValueError, match=r"bootstrap=True"):
        forest.predict_quantiles(None, LEVELS)


def test_honest_leaves_have_estimation_rows():
    forest = grown(kind=ForestRegressor, rows="bootstrap", honest=0.5)
    membership, y = forest._grown.samples.membership, forest._grown.samples.y[:, 0]
    leaves = [forest._grown.trees.packed.leaves(m).tolist() for m in range(15)]
    weights = np.zeros((20, 90))
    for m in range(15):
        rows, leaf, weight = membership.in_bag(m)
        for i, reached in enumerate(forest.apply(NEW)[:, m]):
            inside = leaf == leaves[m].index(reached)
            if inside.any():
                weights[i, rows[inside]] += weight[inside] / weight[inside].sum()
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(forest.predict_quantiles(NEW, LEVELS), expected(weights, y))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_interpolation_is_that_of_numpy_for_equal_weights(method):
    forest = Forest(1, bootstrap=False, max_depth=1, keep_samples=True, random_state=0).fit(X, Y)
    leaves, own = forest.apply(NEW)[:, 0], forest.apply(X)[:, 0]
    levels = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0]
    found = forest.predict_quantiles(NEW, levels, interpolation=method)
    for i in range(20):
        wanted = np.quantile(Y[own == leaves[i]], levels, method=method)
        np.testing.assert_allclose(found[i], wanted, rtol=1e-12, atol=1e-12)


def test_attached_and_saved_forests_have_the_same_quantiles(tmp_path):
    import silvics

    forest = grown()
    found = forest.predict_quantiles(NEW, LEVELS)
    bare = grown(keep_samples=False)
    with pytest.raises(ValueError, match=r"keep_samples=True, or call attach_samples"):
        bare.predict_quantiles(NEW, LEVELS)
    np.testing.assert_array_equal(bare.attach_samples(X, Y).predict_quantiles(NEW, LEVELS), found)
    with pytest.raises(ValueError, match="merged or converted from another library does not have"):
        silvics.merge([forest, forest]).predict_quantiles(NEW, LEVELS)
    forest.save(tmp_path / "f.silvics", training_rows=True)
    loaded = silvics.load(tmp_path / "f.silvics")
    np.testing.assert_array_equal(loaded.predict_quantiles(NEW, LEVELS), found)


def test_frames_missing_values_and_sparse_tables():
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["d"] = pd.Categorical(np.where(X[:, 0] > 0, "high", "low"))
    frame.loc[::7, "b"] = np.nan
    forest = Forest(10, min_samples_leaf=3, keep_samples=True, random_state=0).fit(frame, Y)
    found = forest.predict_quantiles(frame, 0.5)
    np.testing.assert_array_equal(found, [
        weighted_quantile(Y, row, 0.5) for row in weights_of(forest, frame, frame)
    ])  # fmt: skip
    sparse = np.where(np.abs(X) > 1, X, 0.0)
    forest = Forest(10, keep_samples=True, random_state=0).fit(sparse, Y)
    np.testing.assert_array_equal(
        forest.predict_quantiles(csr_matrix(sparse), LEVELS),
        forest.predict_quantiles(sparse, LEVELS),
    )


@pytest.mark.parametrize(
    ("parameters", "error", "text"),
    [
        ({"quantiles": 1.5}, ValueError, "quantiles must be between 0 and 1"),
        ({"quantiles": [np.nan]}, ValueError, "quantiles must be between 0 and 1"),
        ({"quantiles": []}, ValueError, "a number or a list of numbers"),
        ({"quantiles": "half"}, TypeError, "a number or a list of numbers"),
        ({"quantiles": 0.5, "interpolation": "liner"}, ValueError, "Did you mean 'linear'"),
    ],
)
def test_bad_arguments(parameters, error, text):
    with pytest.raises(error, match=text):
        grown().predict_quantiles(NEW, **parameters)


def test_forests_without_quantiles():
    assert not hasattr(RandomForestClassifier(), "predict_quantiles")
    forest = ForestRegressor("extra_trees", missing="both", n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match="one leaf for each sample"):
        forest.predict_quantiles(NEW, 0.5)


@pytest.mark.parametrize("recipe", ["purely_random", "biau_2012"])
def test_leaves_without_rows_have_the_quantiles_of_the_node_above(recipe):
    """They predict what the node above does, whose rows have the weights."""
    X = np.random.default_rng(0).random((60, 2))
    forest = ForestRegressor(recipe, 5, keep_samples=True, random_state=0)
    forest.fit(X, X[:, 0])
    trees = [tree.tree_ for tree in forest.estimators_]
    sizes = [tree.n_node_samples[tree.children_left < 0] for tree in trees]
    assert min(of.min() for of in sizes) == 0
    levels = [0.05, 0.31, 0.5, 0.9]
    found = forest.predict_quantiles(X, levels)
    weights = forest.predict_distribution(X).weights
    order = np.argsort(X[:, 0])
    for i, of_row in enumerate(weights.toarray()[:, order].cumsum(axis=1)):
        at = [np.flatnonzero(of_row >= level - 1e-12)[0] for level in levels]
        np.testing.assert_array_equal(found[i], X[order[at], 0])
    assert np.isfinite(forest.predict_interval(X, method="quantile")).all()
