"""What is done to estimators works on those of frames: stored, copied, grown on, searched over."""

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ..kinds import ALL, CLASSIFIERS, FORESTS, TREES, name_of, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
forests = pytest.mark.parametrize("kind", FORESTS, ids=name_of)

WORDS = np.array(["ash", "elm", "fir", "oak", "yew"], dtype=object)


def problem(n_rows=150, words=WORDS, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, len(words), n_rows)
    X = pd.DataFrame(
        {
            "tree": words[codes],
            "height": random.normal(size=n_rows),
            "soil": pd.Categorical(random.choice(["clay", "sand", "peat"], n_rows)),
        }
    )
    y = (codes % 2 + (X.soil == "sand") + (X.height > 0)).to_numpy() // 2
    X.loc[::7, "tree"] = None
    X.loc[3::8, "height"] = np.nan
    X.loc[5::11, "soil"] = np.nan
    return X, y


# ---- stored and copied


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


@each
@pytest.mark.parametrize("trip", [lambda m: pickle.loads(pickle.dumps(m)), through_joblib])
def test_stored(kind, trip):
    X, y = problem()
    fitted = small(kind, unknown_category="heavier").fit(X, y)
    again = trip(fitted)
    assert again.digest() == fitted.digest()
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(again.apply(X), fitted.apply(X))
    assert again.feature_names_in_.tolist() == list(X)
    assert again.is_categorical_.tolist() == [True, False, True]
    assert [None if c is None else c.tolist() for c in again.categories_] == [
        WORDS.tolist(),
        None,
        ["clay", "peat", "sand"],
    ]
    for ours, theirs in zip(
        getattr(again, "estimators_", [again]),
        getattr(fitted, "estimators_", [fitted]),
        strict=True,
    ):
        for node in np.flatnonzero(np.isnan(ours.tree_.threshold)):
            assert ours.tree_.left_levels(node).tolist() == theirs.tree_.left_levels(node).tolist()


@each
def test_cloned(kind):
    X, y = problem()
    chosen = {"categorical_features": ["tree", "soil"], "unknown_category": "heavier"}
    fitted = small(kind, missing="learned", **chosen).fit(X, y)
    again = clone(fitted)
    assert not hasattr(again, "categories_")
    assert not hasattr(again, "is_categorical_")
    assert again.get_params() == fitted.get_params()
    assert again.fit(X, y).digest() == fitted.digest()


@each
def test_fitted_again_on_another_table(kind):
    X, y = problem()
    model = small(kind).fit(X, y)
    numbers = X[["height"]].to_numpy()
    assert model.fit(numbers, y).digest() == small(kind).fit(numbers, y).digest()
    assert model.categories_ == [None]
    assert not hasattr(model, "feature_names_in_")
    assert model.fit(X, y).digest() == small(kind).fit(X, y).digest()


@forests
def test_trees_of_a_forest(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    cells = X.astype(object).to_numpy()
    for i, tree in enumerate(forest):
        assert tree.is_categorical_.tolist() == [True, False, True]
        np.testing.assert_array_equal(tree.apply(cells), forest.apply(X)[:, i])
    if not kind._classification:
        said = np.mean([tree.predict(cells) for tree in forest], axis=0)
        np.testing.assert_allclose(forest.predict(X), said)


@pytest.mark.parametrize("kind", TREES, ids=name_of)
def test_arrays_of_a_tree_take_numbers_of_levels(kind):
    X, y = problem()
    fitted = small(kind).fit(X, y)
    codes = np.column_stack(
        [
            X[name] if levels is None else pd.Categorical(X[name], categories=levels).codes
            for name, levels in zip(X, fitted.categories_, strict=True)
        ]
    )
    np.testing.assert_array_equal(fitted.tree_.apply(codes), fitted.apply(X))
    np.testing.assert_array_equal(fitted.apply(codes, check_input=False), fitted.apply(X))
    codes[codes < 0] = np.nan
    codes[:, 1] = X.height
    np.testing.assert_array_equal(fitted.tree_.apply(codes), fitted.apply(X))
    np.testing.assert_array_equal(fitted.apply(codes, check_input=False), fitted.apply(X))


@pytest.mark.parametrize("kind", TREES, ids=name_of)
def test_fast_partial_dependence_of_a_tree(kind):
    X, y = problem()
    fitted = small(kind).fit(X, y)
    tree = fitted.tree_
    grid = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [np.nan]])
    out = np.zeros(len(grid))
    tree.compute_partial_dependence(grid, np.array([0]), out)
    # Where each training row goes with that level, weighted as the rest went.
    for value, found in zip(grid[:, 0], out, strict=True):
        weights, expected = {0: 1.0}, 0.0
        for t in range(tree.node_count):
            weight = weights.pop(t, 0.0)
            left, right = tree.children_left[t], tree.children_right[t]
            if left < 0:
                expected += weight * tree.value[t, 0, 0]
                continue
            share = tree.weighted_n_node_samples[left] / tree.weighted_n_node_samples[t]
            if tree.feature[t] == 0:
                share = float(value in tree.left_levels(t))
                if np.isnan(value):
                    share = float(tree.missing_go_to_left[t])
            weights[left], weights[right] = weight * share, weight * (1 - share)
        assert found == pytest.approx(expected)


# ---- grown on


@forests
def test_warm_start(kind):
    X, y = problem()
    forest = small(kind, n_estimators=2, warm_start=True).fit(X, y)
    forest.set_params(n_estimators=5).fit(X, y)
    assert forest.digest() == small(kind, n_estimators=5).fit(X, y).digest()


@forests
def test_warm_start_with_levels_that_are_new(kind):
    X, y = problem()
    more, _ = problem(words=np.array(["ash", "beech", "oak", "pine", "zelkova"], dtype=object))
    forest = small(kind, n_estimators=2, warm_start=True).fit(X, y)
    first = forest.apply(X)
    forest.set_params(n_estimators=4).fit(more, y)
    # Levels keep their numbers: those of the trees there are. New ones are unknown.
    assert forest.categories_[0].tolist() == WORDS.tolist()
    np.testing.assert_array_equal(forest.apply(X)[:, :2], first)
    missing = more.assign(tree=more.tree.where(more.tree.isin(WORDS)))
    same = small(kind, n_estimators=2, warm_start=True).fit(X, y)
    assert same.set_params(n_estimators=4).fit(missing, y).digest() == forest.digest()
    np.testing.assert_array_equal(forest.predict(more), forest.predict(missing))
    strict = small(kind, n_estimators=2, warm_start=True, unknown_category="error").fit(X, y)
    with pytest.raises(ValueError, match=r"not seen in training: '(beech|pine|zelkova)'"):
        strict.set_params(n_estimators=4).fit(more, y)
    assert len(strict) == 2


@pytest.mark.parametrize("kind", FORESTS[:2], ids=name_of)
@pytest.mark.filterwarnings("ignore:Input X.*numbers stored as text:UserWarning")
def test_warm_start_with_columns_of_another_kind(kind):
    """Trees that are there could not read them."""
    X, y = problem()
    forest = small(kind, n_estimators=2, warm_start=True).fit(X, y)
    first, digest = forest.predict(X), forest.digest()
    forest.set_params(n_estimators=4)
    for other in (
        X.assign(tree=np.arange(len(X))),
        X.assign(height=X.height.astype(str)),
        X.assign(height=pd.to_datetime(np.arange(len(X)))),
    ):
        with pytest.raises(ValueError, match=r"column '(tree|height)'|same variables"):
            forest.fit(other, y)
        assert forest.digest() == digest
        np.testing.assert_array_equal(forest.predict(X), first)


@pytest.mark.parametrize("kind", FORESTS[:2], ids=name_of)
@pytest.mark.parametrize("nothing", [None, np.nan])
@pytest.mark.parametrize("name", ["tree", "height", "soil"])
def test_warm_start_with_a_column_of_nothing(kind, name, nothing):
    """It stays what it was, and its levels stay."""
    X, y = problem()
    forest = small(kind, n_estimators=2, warm_start=True).fit(X, y)
    first = forest.apply(X)
    levels = [None if c is None else c.tolist() for c in forest.categories_]
    hollow = X.assign(**{name: pd.Series([nothing] * len(X), dtype=object)})
    forest.set_params(n_estimators=4).fit(hollow, y)
    assert [None if c is None else c.tolist() for c in forest.categories_] == levels
    np.testing.assert_array_equal(forest.apply(X)[:, :2], first)


@forests
def test_out_of_bag_of_frames(kind):
    X, y = problem()
    parameters = {"n_estimators": 50, "bootstrap": True, "oob_score": True}
    forest = small(kind, **parameters).fit(X, y)
    assert 0.3 < forest.oob_score_ <= 1.0
    grown_on = small(kind, **{**parameters, "n_estimators": 30}, warm_start=True).fit(X, y)
    grown_on.set_params(n_estimators=50).fit(X, y)
    assert grown_on.oob_score_ == forest.oob_score_


# ---- scikit-learn's tools


@each
def test_permutation_importance(kind):
    X, y = problem()
    X["nothing"] = WORDS[np.arange(len(X)) % 5]
    fitted = small(kind, max_depth=4).fit(X, y)
    found = permutation_importance(fitted, X, y, n_repeats=3, random_state=0)
    assert found.importances_mean.shape == (4,)
    assert found.importances_mean[:3].max() > 0.05


@each
@pytest.mark.parametrize("feature", ["tree", "height", "soil"])
def test_partial_dependence(kind, feature):
    X, y = problem()
    X["tree"] = X.tree.fillna("elm")
    X["soil"] = X.soil.fillna("clay")
    X["height"] = X.height.fillna(0.0)
    fitted = small(kind).fit(X, y)
    found = partial_dependence(
        fitted,
        X,
        [feature],
        categorical_features=["tree", "soil"],
        method="brute",
        grid_resolution=5,
    )
    for value, mean in zip(found["grid_values"][0], found["average"][0], strict=True):
        rows = X.assign(**{feature: value})
        said = fitted.predict_proba(rows)[:, 1] if kind._classification else fitted.predict(rows)
        assert mean == pytest.approx(said.mean())


@pytest.mark.parametrize("kind", ALL[4:6], ids=name_of)
def test_pipelines_and_searches(kind):
    X, y = problem()
    scores = cross_val_score(small(kind, n_estimators=10), X, y, cv=3)
    assert np.isfinite(scores).all()
    pipeline = make_pipeline(FunctionTransformer(lambda frame: frame.copy()), small(kind))
    pipeline.fit(X, y)
    np.testing.assert_array_equal(pipeline.predict(X), small(kind).fit(X, y).predict(X))
    search = GridSearchCV(
        small(kind),
        {
            "unknown_category": ["missing", "heavier"],
            "categorical_features": ["from_dtype", [0, 2]],
        },
        cv=3,
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert cross_val_predict(small(kind), X, y, cv=3).shape == y.shape


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_folds_that_lack_a_level(kind):
    """Sorted by level: each fold has levels that the others do not."""
    X, y = problem()
    order = np.argsort(X.tree.fillna(""), kind="stable")
    scores = cross_val_score(small(kind), X.iloc[order], y[order], cv=5, error_score="raise")
    assert np.isfinite(scores).all()


@each
def test_after_transformers(kind):
    X, y = problem()
    prepare = make_column_transformer(
        (SimpleImputer(), ["height"]), remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    model = make_pipeline(prepare, small(kind)).fit(X, y)
    assert model[-1].feature_names_in_.tolist() == ["height", "tree", "soil"]
    assert model[-1].is_categorical_.tolist() == [False, True, True]
    assert model.score(X, y) > 0.2


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_class_weights_and_metadata(kind):
    X, y = problem()
    more = {"class_weight": "balanced"} if kind._classification else {}
    fitted = small(kind, **more).fit(X, y, sample_weight=1.0 + np.arange(len(y)) % 2)
    assert fitted.n_features_in_ == 3
    assert fitted.predict(X).shape == y.shape
