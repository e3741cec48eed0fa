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


REFUSED = [
    ("min_samples_leaf", 0),
    ("min_samples_leaf", -3),
    ("max_leaf_nodes", 1),
    ("max_depth", 2.5),
    ("max_depth", -1),
    ("max_depth", "a"),
    ("max_depth", [3]),
    ("min_impurity_decrease", np.nan),
    ("min_impurity_decrease", -1.0),
    ("min_samples_split", 0),
    ("min_samples_split", None),
    ("max_features", "sqr"),
    ("max_features", 0.0),
    ("max_samples", 0.0),
    ("max_bins", 1),
    ("criterion", "gin"),
    ("bootstrap", "yes"),
    ("min_weight_fraction_leaf", 0.6),
]


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_values_are_those_of_the_constructor(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter") as alone:
        RandomForestClassifier(5, **{name: value}).fit(X, LABELS)
    grown = []
    forest = RandomForestClassifier(5, progress=lambda *of: grown.append(of), tune={name: [value]})
    with pytest.raises(ValueError, match=f"'{name}' parameter") as tuned:
        forest.fit(X, LABELS)
    assert str(tuned.value).startswith(f"tune['{name}'] has a value that is not valid: ")
    assert str(tuned.value).endswith(str(alone.value))
    assert not grown


def test_a_wrong_value_after_others():
    with pytest.raises(ValueError, match=r"tune\['max_depth'\] has.*Got 0 instead"):
        RandomForestClassifier(5, tune={"max_features": [1, 2], "max_depth": [3, 0]}).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"tune\['vari|tune\['choice'\] has"):
        ForestClassifier(n_estimators=5, tune={"choice": ["worst"]}).fit(X, LABELS)


GRIDS = [
    {"max_depth": [2, None]},
    {"max_depth": [2**70]},
    {"min_samples_split": [0.3, 12]},
    {"min_samples_split": [0.01]},
    {"min_impurity_decrease": [0.0, 0.02]},
    {"min_impurity_decrease": [np.float32(0.02)]},
    {"max_leaf_nodes": [4, None]},
    {"max_leaf_nodes": [np.int64(5)]},
    {"criterion": ["gini", "entropy"]},
    {"max_features": [1, 0.9, None, "log2"]},
    {"max_features": [999]},
    {"max_samples": [0.4, 30, None]},
    {"max_samples": [2.0]},
    {"min_samples_leaf": [0.05, 3]},
    {"min_weight_fraction_leaf": [0.0, 0.1]},
    {"bootstrap": [False, True]},
    {"max_bins": [4, None]},
]


@pytest.mark.parametrize("tune", GRIDS, ids=str)
def test_the_chosen_forest_is_that_of_the_constructor(tune):
    forest = RandomForestClassifier(8, random_state=0, tune=tune).fit(X, LABELS)
    assert set(tune) <= set(forest.best_params_)
    again = clone(forest).set_params(**forest.best_params_)
    assert again.tune is None
    assert again.fit(X, LABELS).digest() == forest.digest()


RECIPE_GRIDS = [
    ("random_forest", {"recipe": ["pert", "random_forest"]}),
    ("random_forest", {"rows": ["bootstrap", "subsample"], "max_samples": [0.5]}),
    ("random_forest", {"cut": ["best", "uniform"]}),
    ("random_forest", {"choice": ["best", "one_of_best"]}),
    ("random_forest", {"variables": ["uniform", "poisson"]}),
    ("random_forest", {"split": ["binary", "multiway_categories"]}),
    ("forest_rc", {"n_combined": [2, 3]}),
    ("random_forest", {"split_sample": [20, None]}),
    ("random_forest", {"min_samples_split": [None]}),
    ("pert_stopped", {"min_samples_split": [None]}),
    ("pert_stopped", {"min_samples_split": [3]}),
    ("breiman_2004", {"max_depth": [None]}),
    ("breiman_2004", {"max_depth": [40]}),
    ("totally_randomized_multiway", {"min_samples_split": [1]}),
    ("totally_randomized_multiway", {"min_samples_split": [None, 20]}),
]


@pytest.mark.parametrize(("recipe", "tune"), RECIPE_GRIDS, ids=str)
def test_the_chosen_forest_is_that_of_the_recipe(recipe, tune):
    """A value of None is that of the recipe, which may limit growth."""
    table = np.round(X, 1) if "multiway" in recipe else X
    for rows in (None, "bootstrap"):  # without rows that are drawn, the forest is grown again
        forest = ForestClassifier(recipe, n_estimators=8, random_state=0, tune=tune, rows=rows)
        forest.fit(table, LABELS)
        again = clone(forest).set_params(**forest.best_params_)
        assert again.tune is None
        assert again.fit(table, LABELS).digest() == forest.digest()
