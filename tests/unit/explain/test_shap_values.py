"""Shapley values: from the definition, against shap, additivity, and any recipe and table."""

import warnings

import numpy as np
import pandas as pd
import pytest

import silvics
from silvics import recipes

from .shap_package import shap_package
from .slow_games import SlowForest, interactions, shapley

P = 5


def mixed(n=80, seed=0):
    """Numbers, a category, missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n).astype(float),
            "b": rng.normal(size=n).round(1),
            "c": rng.choice(["ash", "elm", "oak", "yew"], n),
            "d": rng.integers(0, 3, n),
            "e": rng.normal(size=n).round(1),
        }
    )
    X.loc[rng.random(n) < 0.2, "b"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    z = X["a"] / 3 + np.nan_to_num(X["b"]) + 2 * (X["c"] == "elm") * X["d"] + X["e"] / 2
    return X, z.to_numpy()


def numbers(n=80, seed=0):
    X, z = mixed(n, seed)
    X["c"] = X["c"].map({"ash": 0, "elm": 1, "oak": 2, "yew": 3}).fillna(0.0)
    return X.fillna(0.0).to_numpy(), z


def check_definition(forest, X, rows=3, atol=1e-12):
    slow = SlowForest(forest)
    found = forest.shap(X, interactions=True)
    values, pairs = (
        v if found.values.ndim == 3 else v[..., np.newaxis]
        for v in (found.values, found.interactions)
    )
    scale = max(np.abs(values).max(), 1.0)
    for i, x in enumerate(slow.cells(X)[:rows]):
        game = slow.game(x)
        p = slow.model.n_features
        np.testing.assert_allclose(found.base_values, game[0], atol=atol * scale)
        np.testing.assert_allclose(values[i], shapley(game, p), atol=atol * scale)
        np.testing.assert_allclose(pairs[i], interactions(game, p), atol=atol * scale)
    predicted = forest.predict_proba(X) if forest._classification else forest.predict(X)
    if isinstance(predicted, list):
        predicted = np.hstack(predicted)
    total = found.base_values + values.sum(axis=1)
    np.testing.assert_allclose(total, predicted.reshape(total.shape), atol=1e-9 * scale)
    np.testing.assert_allclose(pairs.sum(axis=2), values, atol=1e-9 * scale)
    np.testing.assert_array_equal(pairs, pairs.swapaxes(1, 2))
    return found


OBLIQUE = {"forest_rc", "rotation_forest", "rotation_forest_original"}
NAMES = [name for name in recipes.names() if name not in OBLIQUE]


@pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals")  # of a few trees
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("classes", [False, True])
def test_every_recipe_follows_the_definition(name, classes):
    X, z = mixed()
    kind = silvics.ForestClassifier if classes else silvics.ForestRegressor
    y = np.digitize(z, [1.0, 2.0]) if classes else z
    if classes and recipes.get(name).stages > 1:
        pytest.skip("for numbers only")
    forest = kind(name, n_estimators=2, max_depth=4, random_state=0).fit(X, y)
    check_definition(forest, X[:20], rows=1)


@pytest.mark.parametrize("missing", ["learned", "apart", "both"])
@pytest.mark.parametrize("split", ["binary", "multiway"])
def test_missing_values_and_categories(missing, split):
    X, z = mixed()
    forest = silvics.ForestRegressor(
        "cart", split=split, missing=missing, n_estimators=2, max_depth=4, random_state=0
    )
    if (split, missing) == ("multiway", "both"):
        with pytest.raises(ValueError, match="missing"):
            forest.fit(X, z)
        return
    forest.fit(X, z)
    rows = X.iloc[:20].copy()
    rows.loc[0, ["b", "c"]] = None
    rows.loc[1, "c"] = "not seen"
    check_definition(forest, rows)


def test_several_outputs():
    X, z = numbers()
    y = np.column_stack([z, -z + X[:, 1]])
    found = check_definition(silvics.RandomForestRegressor(3, max_depth=4).fit(X, y), X[:20])
    assert found.values.shape == (20, P, 2)
    classes = np.column_stack([np.digitize(z, [1]), np.digitize(z, [0, 1])])
    found = check_definition(silvics.RandomForestClassifier(3, max_depth=4).fit(X, classes), X[:20])
    assert found.values.shape == (20, P, 5)
    assert found.outputs.tolist() == ["0: 0", "0: 1", "1: 0", "1: 1", "1: 2"]


def test_votes_and_weights():
    X, z = numbers()
    weight = np.random.default_rng(1).uniform(0, 3, len(z))
    forest = silvics.ForestClassifier("bagging", vote="majority", n_estimators=3, max_depth=3)
    check_definition(forest.fit(X, z > 1, weight), X[:20])


def test_many_classes_take_several_passes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, P))
    y = rng.integers(0, 26, 300)
    forest = silvics.RandomForestClassifier(3, max_depth=5, random_state=0).fit(X, y)
    check_definition(forest, X[:20], rows=1)


def test_more_rows_than_a_block_and_any_number_of_threads():
    X, z = numbers(700)
    forest = silvics.RandomForestRegressor(7, random_state=0).fit(X, z)
    one, two = forest.shap(X, n_jobs=1), forest.shap(X, n_jobs=3)
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.values[130:133], forest.shap(X[130:133]).values)
    np.testing.assert_allclose(
        one.base_values + one.values.sum(axis=1), forest.predict(X), atol=1e-9
    )


def test_deep_trees_on_many_variables():
    """More variables on a path than any fixed quadrature is exact for."""
    n, p = 120, 60
    X = np.tri(n, p, -1)[:, ::-1] + np.random.default_rng(0).normal(size=(n, p)) * 1e-3
    y = np.arange(n) % 2 * 1.0
    forest = silvics.ForestRegressor(
        "extra_trees", n_estimators=2, max_features=1, random_state=0
    ).fit(X, y)
    found = forest.shap(X[:10], interactions=True)
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, forest.predict(X[:10]), atol=1e-12)
    np.testing.assert_allclose(found.interactions.sum(axis=1), found.values, atol=1e-12)


@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("classes", [2, 3, 0])
def test_equal_to_shap(kind, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8)).astype(np.float32).astype(float)
    z = X[:, 0] + X[:, 1] * X[:, 2]
    if classes:
        y = np.digitize(z, np.quantile(z, np.arange(1, classes) / classes))
        forest = getattr(silvics, f"{kind}Classifier")(10, max_depth=8, random_state=0).fit(X, y)
    else:
        forest = getattr(silvics, f"{kind}Regressor")(10, max_depth=8, random_state=0).fit(X, z)
    explainer = shap_package.TreeExplainer(forest.to_sklearn())
    found = forest.shap(X[:20], interactions=True)
    theirs = explainer.shap_values(X[:20], check_additivity=False)
    np.testing.assert_allclose(found.values, theirs, atol=1e-6)
    np.testing.assert_allclose(found.base_values, np.ravel(explainer.expected_value), atol=1e-6)
    pairs = explainer.shap_interaction_values(X[:20])
    np.testing.assert_allclose(found.interactions, pairs, atol=1e-6)


def test_no_training_weight_below_a_node():
    """Estimation samples of an honest tree may all miss a node."""
    X, z = numbers(40)
    forest = silvics.ForestRegressor("biau_2012_halves", n_estimators=5, random_state=0).fit(X, z)
    cover = np.concatenate([t.weighted_n_node_samples() for t in forest._trees])
    assert (cover == 0).any()
    check_definition(forest, X, rows=5)


# ---- with a background


@pytest.mark.parametrize("name", ["random_forest", "totally_randomized_multiway", "extra_trees"])
@pytest.mark.parametrize("classes", [False, True])
def test_a_background_follows_the_definition(name, classes):
    X, z = mixed()
    kind = silvics.ForestClassifier if classes else silvics.ForestRegressor
    y = np.digitize(z, [1.0, 2.0]) if classes else z
    forest = kind(name, n_estimators=2, max_depth=4, random_state=0).fit(X, y)
    rows, background = X.iloc[:4], X.iloc[20:27]
    found = forest.shap(rows, background)
    slow = SlowForest(forest)
    values = found.values.reshape(4, P, -1)
    for i, x in enumerate(slow.cells(rows)[:2]):
        game = slow.game_against(x, slow.cells(background))
        np.testing.assert_allclose(found.base_values, game[0], atol=1e-12)
        np.testing.assert_allclose(values[i], shapley(game, P), atol=1e-12)
    predicted = forest.predict_proba(rows) if classes else forest.predict(rows)[:, np.newaxis]
    total = found.base_values + values.sum(axis=1)
    np.testing.assert_allclose(total, predicted, atol=1e-9)


def test_a_large_background_is_equal_to_shap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6)).astype(np.float32).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2]
    forest = silvics.RandomForestRegressor(5, random_state=0).fit(X, y)
    found = forest.shap(X[:5], X[100:400], n_jobs=2)
    masker = shap_package.maskers.Independent(X[100:400], max_samples=300)
    explainer = shap_package.TreeExplainer(
        forest.to_sklearn(), masker, feature_perturbation="interventional"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = explainer.shap_values(X[:5], check_additivity=False)
    np.testing.assert_allclose(found.values, theirs, atol=1e-6)
    np.testing.assert_array_equal(found.values, forest.shap(X[:5], X[100:400], n_jobs=1).values)
    parts = [forest.shap(X[:5], X[at : at + 100]).values for at in (100, 200, 300)]
    np.testing.assert_allclose(found.values, np.mean(parts, axis=0), atol=1e-12)


def test_a_background_needs_no_statistics_of_nodes(tmp_path):
    X, z = numbers()
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, z)
    forest.save(tmp_path / "model", for_prediction=True)
    stored = silvics.load(tmp_path / "model")
    np.testing.assert_array_equal(
        stored.shap(X[:3], X[:9]).values, forest.shap(X[:3], X[:9]).values
    )
    with pytest.raises(AttributeError, match="for_prediction"):
        stored.shap(X[:3])


def test_bad_backgrounds():
    X, z = mixed()
    forest = silvics.ForestRegressor("cart", missing="both", n_estimators=2, random_state=0)
    forest.fit(X, z)
    whole = X.dropna()
    assert forest.shap(whole, whole).values.shape == (len(whole), P)
    for rows, background in ((X, whole), (whole, X)):
        with pytest.raises(ValueError, match="both children"):
            forest.shap(rows, background)
    with pytest.raises(ValueError, match="without a background"):
        forest.shap(whole, whole, interactions=True)
    with pytest.raises(ValueError, match="0 sample"):
        forest.shap(whole, whole.iloc[:0])


def test_one_leaf():
    forest = silvics.RandomForestRegressor(3).fit([[0.0], [1.0]], [2.0, 2.0])
    found = forest.shap([[0.5]], interactions=True)
    assert found.values.tolist() == [[0.0]]
    assert found.base_values.tolist() == [2.0]


@pytest.mark.parametrize("name", sorted(OBLIQUE))
def test_oblique_splits_are_refused(name):
    X, z = numbers()
    forest = silvics.ForestClassifier(name, n_estimators=3, random_state=0).fit(X, z > 1)
    with pytest.raises(ValueError, match="oblique"):
        forest.shap(X)


def test_bad_arguments():
    X, z = numbers()
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, z)
    with pytest.raises(TypeError, match="interactions must be"):
        forest.shap(X, interactions="yes")
    with pytest.raises(TypeError, match="progress"):
        forest.shap(X, progress=1)
    with pytest.raises(ValueError, match="features"):
        forest.shap(X[:, :2])
    with pytest.raises(ValueError, match="0 sample"):
        forest.shap(X[:0])
    assert not hasattr(silvics.IsolationForest(), "shap")
    with pytest.raises(ValueError, match="not fitted"):
        silvics.RandomForestRegressor().shap(X)


def test_progress_and_interruption():
    X, z = numbers()
    forest = silvics.RandomForestRegressor(5, random_state=0).fit(X, z)
    seen = []
    forest.shap(X, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (5, 5)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        forest.shap(X, progress=stop)
