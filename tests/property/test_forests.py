"""What holds of every forest: merging, predicting in parts, probabilities, counts, importances."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import silvics
from silvics import _core
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest

from .tables import estimators, learning_sets, tasks, trees_of

FORESTS = [
    silvics.RandomForestClassifier,
    silvics.RandomForestRegressor,
    silvics.ExtraTreesClassifier,
    silvics.ExtraTreesRegressor,
]


@st.composite
def fitted(draw):
    classification = draw(tasks)
    X, y = draw(learning_sets(classification))
    return draw(estimators(classification)).fit(X, y), X, y


@pytest.mark.parametrize("kind", FORESTS)
@given(data=st.data(), first=st.integers(1, 4), more=st.integers(1, 4), bootstrap=st.booleans())
def test_growing_on_is_growing_at_once(kind, data, first, more, bootstrap):
    X, y = data.draw(learning_sets(kind._classification))
    forest = kind(random_state=data.draw(st.integers(0, 9)), bootstrap=bootstrap)
    some = clone(forest).set_params(n_estimators=first).fit(X, y)
    whole = clone(forest).set_params(n_estimators=first + more).fit(X, y)
    warm = clone(forest).set_params(n_estimators=first, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=first + more).fit(X, y)
    assert warm.digest() == whole.digest()
    assert [t.digest() for t in whole.estimators_[:first]] == [t.digest() for t in some]


def some_trees(forest, first, end):
    """A forest of some trees of another."""
    part = copy.copy(forest)
    part.__dict__.pop("_estimators", None)
    part._grown = GrownForest(prediction.Trees(forest._trees[first:end]))
    return part


@pytest.mark.parametrize("kind", FORESTS)
@given(data=st.data(), first=st.integers(1, 4), more=st.integers(1, 4))
def test_a_forest_is_its_parts_merged(kind, data, first, more):
    X, y = data.draw(learning_sets(kind._classification))
    seed = data.draw(st.integers(0, 9))
    whole = kind(first + more, random_state=seed).fit(X, y)
    some = kind(first, random_state=seed).fit(X, y)
    merged = silvics.merge([some, some_trees(whole, first, None)])
    assert merged.digest() == whole.digest()
    assert merged.n_estimators == first + more
    np.testing.assert_array_equal(merged.predict(X), whole.predict(X))


@st.composite
def tables_of_levels(draw):
    """Some levels, a few more often than others, beside a number; labels."""
    n = draw(st.integers(2, 25))
    levels = draw(st.lists(st.sampled_from([*"abcdefgh", None]), min_size=n, max_size=n))
    numbers = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    X = np.empty((n, 2), dtype=object)
    X[:, 0], X[:, 1] = levels, numbers
    return X, draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))


@pytest.mark.parametrize("recipe", ["random_forest", "extra_trees", "id3", "pert"])
@given(
    parts=st.lists(tables_of_levels(), min_size=1, max_size=4),
    unknown=st.sampled_from(["missing", "heavier"]),
    missing=st.sampled_from(["learned", "apart"]),
    frequency=st.integers(1, 3),
    data=st.data(),
)
def test_a_merged_forest_is_the_mean_of_its_parts(recipe, parts, unknown, missing, frequency, data):
    forest = silvics.ForestClassifier(
        recipe,
        2,
        unknown_category=unknown,
        missing=missing,
        min_category_frequency=frequency,
        categorical_features=[0],
        random_state=0,
    )
    grown = [clone(forest).fit(X, y) for X, y in parts]
    merged = silvics.merge(grown)
    X, _ = data.draw(tables_of_levels())
    np.testing.assert_array_equal(merged.apply(X), np.hstack([part.apply(X) for part in grown]))
    total = np.zeros((len(X), len(merged.classes_)))
    for part in grown:
        for tree in part:
            total[:, np.searchsorted(merged.classes_, part.classes_)] += tree.predict_proba(X)
    np.testing.assert_array_equal(merged.predict_proba(X), total / len(merged))
    cut = data.draw(st.integers(0, len(grown) - 1))
    again = silvics.merge([*([silvics.merge(grown[:cut])] if cut else []), *grown[cut:]])
    np.testing.assert_array_equal(again.predict_proba(X), merged.predict_proba(X))


@given(fitted(), st.data())
def test_predictions_of_parts(model, data):
    estimator, X, _ = model
    X = np.tile(X, (30, 1))  # more than one block of rows
    cut = data.draw(st.integers(1, len(X) - 1))
    for method in ("predict", "apply", "predict_proba"):
        if hasattr(estimator, method):
            say = getattr(estimator, method)
            parts = np.concatenate([say(X[:cut]), say(X[cut:])])
            np.testing.assert_array_equal(say(X), parts)


@given(fitted(), st.integers(2, 8))
def test_predictions_by_any_number_of_threads(model, n_jobs):
    estimator, X, _ = model
    trees = [tree._native for tree in trees_of(estimator)]
    X = _core.Matrix([np.tile(X, (30, 1))])
    predictor = _core.Predictor(_core.PackedForest.of(trees), False)
    for n in (1, n_jobs):  # 0: no thread at all
        for walk in (predictor.predict, predictor.apply):
            np.testing.assert_array_equal(walk(X, 0), walk(X, n))
        alone, team = (predictor.decision_paths(X, n) for n in (0, n))
        np.testing.assert_array_equal(alone[0], team[0])
        np.testing.assert_array_equal(alone[1], team[1])


@given(learning_sets(True), st.data())
def test_probabilities(problem, data):
    X, y = problem
    estimator = data.draw(estimators(True)).fit(X, y)
    shares = estimator.predict_proba(X)
    assert shares.shape == (len(X), len(set(y)))
    assert (shares >= 0.0).all()
    assert (shares <= 1.0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-15 * shares.shape[1])
    np.testing.assert_array_equal(
        estimator.predict(X), estimator.classes_[np.argmax(shares, axis=1)]
    )


@given(fitted())
def test_counts_add_up(model):
    estimator, X, _ = model
    for tree in trees_of(estimator):
        inner = tree.children_left >= 0
        left, right = tree.children_left[inner], tree.children_right[inner]
        for count in (tree.n_node_samples, tree.weighted_n_node_samples):
            assert count[0] == len(X)
            np.testing.assert_array_equal(count[inner], count[left] + count[right])
        leaves, reached = np.unique(tree.apply(X), return_counts=True)
        np.testing.assert_array_equal(leaves, np.flatnonzero(~inner))
        np.testing.assert_array_equal(reached, tree.n_node_samples[leaves])
        assert (tree.compute_node_depths().max() - 1) == tree.max_depth


@given(fitted())
def test_decision_paths_lead_to_the_leaves(model):
    estimator, X, _ = model
    for tree in trees_of(estimator):
        path = tree.decision_path(X)
        np.testing.assert_array_equal(path.sum(axis=0).A1, tree.n_node_samples)
        depths = tree.compute_node_depths()[tree.apply(X)]
        np.testing.assert_array_equal(path.sum(axis=1).A1, depths)


@given(fitted())
def test_importances(model):
    estimator, _, _ = model
    importances = estimator.feature_importances_
    assert importances.shape == (estimator.n_features_in_,)
    assert (importances >= 0.0).all()
    split = any(tree.node_count > 1 for tree in trees_of(estimator))
    # Splits of no decrease, as of XOR, leave nothing to share out.
    assert importances.sum() == pytest.approx(1.0, rel=1e-12) or importances.sum() == 0.0
    assert split or importances.sum() == 0.0


@given(learning_sets(False), st.data())
def test_values_are_means_of_the_leaf(problem, data):
    X, y = problem
    estimator = data.draw(estimators(False)).fit(X, y)
    for tree in trees_of(estimator):
        leaves = tree.apply(X)
        for leaf in np.unique(leaves):
            inside = y[leaves == leaf]
            central = np.median if estimator.criterion == "absolute_error" else np.mean
            assert tree.value[leaf, 0, 0] == pytest.approx(central(inside), rel=1e-14, abs=1e-14)
