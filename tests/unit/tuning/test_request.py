"""What can be tuned, and what is refused with a reason."""

import numpy as np
import pytest
from sklearn.base import clone

import silvics
from silvics import (
    ForestClassifier,
    ForestRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomPatchesClassifier,
    RandomTreesEmbedding,
)

from ..kinds import problem

X, LABELS = problem(n_rows=120)
Y = X[:, 0] + np.random.default_rng(0).normal(size=len(X))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"recipe": "c4.5"}, "pruned"),
        ({"recipe": "reduced_error"}, "pruned"),
        ({"ccp_alpha": 0.01}, "pruned"),
        ({"honest": True}, "honest"),
        ({"recipe": "purely_random"}, "cells"),
        ({"cut": "cell_uniform"}, "cells"),
        ({"missing": "both"}, "both children"),
        ({"recipe": "rotation_forest"}, "components"),
        ({"growth": "random", "max_leaf_nodes": 5}, "order of nodes"),
        ({"growth": "size_first", "max_leaf_nodes": 5}, "order of nodes"),
        ({"max_splits": 5}, "max_splits leaves"),
    ],
)
def test_recipes_without_prefixes_are_refused(parameters, reason):
    with pytest.raises(ValueError, match=reason):
        ForestClassifier(n_estimators=5, tune="oob", **parameters).fit(X, LABELS)


@pytest.mark.parametrize(
    ("tune", "error"),
    [
        ({"max_dept": [1]}, "'max_dept', which cannot be tuned.*max_depth"),
        ({"n_estimators": [5]}, "cannot be tuned"),
        ({"max_depth": 3}, "list of values"),
        ({"max_depth": []}, "no values"),
        ({}, "empty dict"),
        ({"shrinkage": [-1.0]}, "at least 0"),
        ({"max_depth": list(range(1, 70)), "max_leaf_nodes": list(range(2, 99))}, "4096"),
        ("bag", "tune"),
        (3, "tune"),
    ],
)
def test_wrong_requests(tune, error):
    with pytest.raises(ValueError, match=error):
        RandomForestRegressor(5, tune=tune).fit(X, Y)


@pytest.mark.parametrize("parameters", [{"engine": "dask"}, {"resume": "folder"}], ids=str)
def test_clusters_and_folders_are_refused(parameters):
    with pytest.raises(ValueError, match="cannot be combined with tuning"):
        RandomForestRegressor(5, tune="oob", random_state=0, **parameters).fit(X, Y)


@pytest.mark.parametrize("growth", ["depth_first", "breadth_first"])
def test_leaves_are_limited_in_growth_that_is_best_first_only(growth):
    with pytest.raises(ValueError, match="only be tuned for growth that is best first"):
        ForestRegressor(n_estimators=5, growth=growth, tune={"max_leaf_nodes": [4, 8]}).fit(X, Y)
    tuned = ForestRegressor(n_estimators=8, growth=growth, tune="oob", random_state=0).fit(X, Y)
    tried = tuned.tuning_results_.to_frame()["parameters"]
    assert tried.str.contains("max_depth").any()
    assert not tried.str.contains("max_leaf_nodes").any()
    again = clone(tuned).set_params(**tuned.best_params_).fit(X, Y)
    assert again.digest() == tuned.digest()


def test_auto_has_no_grid():
    with pytest.raises(ValueError, match="makes its own choices"):
        ForestRegressor("auto", tune={"max_depth": [2]}).fit(X, Y)
    with pytest.raises(ValueError, match="no recipe 'autos'"):
        ForestRegressor("autos").fit(X, Y)
    assert "auto" not in silvics.recipes.names()


def test_a_wrong_score():
    with pytest.raises(ValueError, match="scoring"):
        RandomForestRegressor(5, tune="oob", scoring="r3").fit(X, Y)


@pytest.mark.parametrize("kind", [IsolationForest, RandomTreesEmbedding, RandomPatchesClassifier])
def test_other_forests_have_no_such_parameter(kind):
    with pytest.raises(TypeError, match="tune"):
        kind(tune="oob")


def test_only_parameters_at_their_defaults_are_searched():
    forest = RandomForestRegressor(12, random_state=0, tune="oob", max_features=2, max_depth=4)
    assert not {"max_features", "max_depth"} & forest.fit(X, Y).best_params_.keys()
    assert forest.max_features_ == 2


@pytest.mark.parametrize("n_rows", [1, 2, 5, 9, 14])
def test_few_rows(n_rows):
    for kind, y in ((RandomForestClassifier, LABELS), (RandomForestRegressor, Y)):
        forest = kind(8, random_state=0, tune="oob").fit(X[:n_rows], y[:n_rows])
        assert len(forest) == 8
        assert np.isfinite(np.asarray(forest.predict(X), dtype=float)).all()


def test_one_class_and_constant_outputs():
    forest = RandomForestClassifier(8, random_state=0, tune="oob").fit(X, np.zeros(len(X)))
    assert (forest.predict(X) == 0).all()
    forest = RandomForestRegressor(8, random_state=0, tune="oob").fit(X, np.ones(len(X)))
    assert (forest.predict(X) == 1).all()


def test_rows_of_weight_zero_do_not_count():
    weights = (np.arange(len(X)) < 80).astype(float)
    wild = np.where(weights > 0, Y, 1e6)
    one, other = (
        RandomForestRegressor(12, random_state=0, tune="oob").fit(X, y, weights) for y in (Y, wild)
    )
    assert one.best_score_ == pytest.approx(other.best_score_)
