"""to_treelite(): its reference predictor gives the same from float64, to the last bit."""

import numpy as np
import pytest

import silvics

from .exported_models import PLAIN, coded, made, values_of

treelite = pytest.importorskip("treelite")


def predicted(model, rows, n_classes):
    """Values of all outputs side by side."""
    given = treelite.gtil.predict(model, np.ascontiguousarray(rows), nthread=1)
    return np.concatenate([given[:, k, :n] for k, n in enumerate(n_classes)], axis=1)


def classes_of(model):
    if not hasattr(model, "classes_"):
        return [1] * model.n_outputs_
    return np.atleast_1d(model.n_classes_).tolist()


@pytest.mark.parametrize("name", PLAIN)
def test_same_to_the_last_bit(name):
    model, tables = made(name)
    theirs = model.to_treelite()
    assert theirs.num_tree == (len(model) if hasattr(model, "estimators_") else 1)
    assert theirs.num_feature == model.n_features_in_
    for X in tables:
        found = predicted(theirs, coded(model, X), classes_of(model))
        np.testing.assert_array_equal(found, values_of(model, X))


@pytest.mark.parametrize("name", ["RandomForestClassifier-categories", "ExtraTreesRegressor"])
def test_it_can_be_stored(name):
    model, [X, *_] = made(name)
    theirs = treelite.Model.deserialize_bytes(model.to_treelite().serialize_bytes())
    found = predicted(theirs, coded(model, X), classes_of(model))
    np.testing.assert_array_equal(found, values_of(model, X))
    assert '"threshold_type": "float64"' in theirs.dump_as_json()


def test_leaves_are_ours():
    model, [X] = made("RandomForestRegressor-holes")
    leaves = treelite.gtil.predict_leaf(model.to_treelite(), X, nthread=1)
    np.testing.assert_array_equal(leaves, model.apply(X))


def test_forests_that_were_fitted_on_float32():
    X = np.random.default_rng(0).integers(0, 50, (100, 3)).astype(np.float32)
    forest = silvics.ExtraTreesClassifier(5, random_state=0).fit(X, X.sum(axis=1) > 70)
    found = treelite.gtil.predict(forest.to_treelite(), X.astype(np.float64), nthread=1)
    np.testing.assert_array_equal(found[:, 0], forest.predict_proba(X))
