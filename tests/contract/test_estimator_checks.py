"""scikit-learn's checks of what an estimator is, on every public class."""

import pytest
import sklearn.ensemble
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS
from sklearn.utils.estimator_checks import parametrize_with_checks

import silvics
from silvics import IsolationForest, RandomTreesEmbedding, recipes
from silvics.impute import ForestImputer, ProximityImputer

from .estimators import ESTIMATORS, FORESTS, OF_ANY_RECIPE, PATCHES, TREES

TREE_CHOICES = [
    {"growth": "breadth_first", "search": "sort"},
    {"growth": "best_first", "search": "bins", "constant_features": "skip"},
    {"max_leaf_nodes": 30},
    {"max_bins": 4},
    {"split_sample": 5},
]
FOREST_CHOICES = [
    {"bootstrap": False, "growth": "breadth_first", "search": "sort"},
    {"bootstrap": False, "max_leaf_nodes": 5, "search": "bins", "constant_features": "skip"},
    {"bootstrap": True, "max_samples": 0.8, "oob_score": True, "n_jobs": 2},
    {"bootstrap": True, "max_bins": 4, "binning": "width", "split_sample": 5},
]
CHOICES_WITHOUT_OUTPUT = [
    (IsolationForest, {"contamination": 0.2, "max_features": 0.5, "n_jobs": 2}),
    (IsolationForest, {"bootstrap": True, "max_samples": 0.8}),
    (RandomTreesEmbedding, {"sparse_output": False, "max_depth": None}),
    (RandomTreesEmbedding, {"max_leaf_nodes": 7, "n_jobs": 2}),
]

# They skip themselves: there is no decision_function, and no array but NumPy's.
NOT_FOR_TREES = {
    "check_array_api_input",
    "check_classifiers_multilabel_output_format_decision_function",
}

# One of each kind of choice.
RECIPES = [
    "id3",
    "c4.5",
    "conditional_inference",
    "dietterich_kong",
    "forest_rc",
    "pert",
    "totally_randomized_multiway",
    "rotation_forest",
    "random_patches",
    "purely_random",
    "biau_2012",
    "denil_2013",
]

REPEATING = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


BY_ROWS_AS_GIVEN = {
    "id3",
    "pert",
    "totally_randomized_multiway",
    "purely_random",
    "biau_2012",
    "denil_2013",
}
# Their splits know nothing of the output, or ask for tenths of a variable.
BLIND = {
    "ForestClassifier": (
        {"purely_random", "biau_2012", "id3", "totally_randomized_multiway"},
        "check_class_weight_classifiers",
    ),
    "ForestRegressor": ({"purely_random", "biau_2012"}, "check_regressors_train"),
}
# Three trees on three quarters of the rows happen to agree in what they say of these classes.
AGREES = ("random_patches", "ForestClassifier")


def expected_failures(estimator):
    if isinstance(estimator, ForestImputer | ProximityImputer):
        return {"check_transformer_n_iter": "a table without missing values needs no round"}
    if isinstance(estimator, IsolationForest):
        reason = "sample_weight is the chance to be drawn: equal to repeated rows on average only"
    elif isinstance(estimator, RandomTreesEmbedding):
        if estimator.max_leaf_nodes is None:
            return {}
        reason = "which node is split first is drawn by the rows as they are given"
    elif isinstance(estimator, tuple(OF_ANY_RECIPE)):
        name, kind = estimator.recipe, type(estimator).__name__
        failures = {}
        if recipes.get(name).rows != "all" or name in BY_ROWS_AS_GIVEN:
            reason = "rows as they are given are drawn, counted, or set apart"
            failures |= dict.fromkeys(REPEATING, reason)
        if (name, kind) == AGREES:
            failures = {}
        blind, check = BLIND[kind]
        if name in blind:
            failures[check] = "three trees whose splits hardly look at the output"
        return failures
    elif isinstance(estimator, tuple(PATCHES)):
        reason = "rows as they are given are drawn"
    elif getattr(estimator, "bootstrap", False):
        reason = "sample_weight is the chance to be drawn: equal to repeated rows on average only"
    elif estimator.split_sample is not None:
        reason = "the samples searched are drawn from the rows as they are given"
    elif estimator.max_bins is not None and estimator.splitter == "best":
        reason = "bins hold equal numbers of rows as they are given"
    else:
        return {}
    return dict.fromkeys(REPEATING, reason)


def with_checks(estimators):
    """``parametrize_with_checks``, with the list that pytest 9 wants instead of a generator."""
    mark = parametrize_with_checks(
        estimators, expected_failed_checks=expected_failures, xfail_strict=True
    )
    names, pairs = mark.args
    return pytest.mark.parametrize(
        names, [pair for pair in pairs if name_of(pair) not in NOT_FOR_TREES], **mark.kwargs
    )


def name_of(pair):
    _, check = getattr(pair, "values", pair)
    return check.func.__name__


@with_checks([estimator() for estimator in ESTIMATORS])
def test_checks_hold_by_default(estimator, check):
    check(estimator)


@with_checks([tree(**choice) for tree in TREES for choice in TREE_CHOICES])
def test_checks_hold_for_trees_of_every_kind(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores:UserWarning")
@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples:UserWarning")
@with_checks([forest(n_estimators=5, **choice) for forest in FORESTS for choice in FOREST_CHOICES])
def test_checks_hold_for_forests_of_every_kind(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores:UserWarning")
@pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals:UserWarning")
@with_checks(
    [
        *[forest(name, 3) for forest in OF_ANY_RECIPE for name in RECIPES],
        silvics.ForestRegressor("residual_forest", 20),
    ]
)
def test_checks_hold_for_recipes(estimator, check):
    check(estimator)


@with_checks([forest(n_estimators=5, **choice) for forest, choice in CHOICES_WITHOUT_OUTPUT])
def test_checks_hold_for_forests_without_output_of_every_kind(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "theirs", [RandomForestClassifier, RandomForestRegressor, sklearn.ensemble.IsolationForest]
)
def test_expected_failures_are_among_those_of_scikit_learn(theirs):
    assert PER_ESTIMATOR_XFAIL_CHECKS[theirs].keys() >= set(REPEATING)


@with_checks(
    [
        ForestImputer(5, max_iter=2),
        ForestImputer(5, max_iter=2, sample_posterior=True, n_jobs=2),
        ProximityImputer(5, max_iter=2),
        ProximityImputer(5, max_iter=2, kind="gap"),
    ]
)
def test_checks_hold_for_imputers(estimator, check):
    check(estimator)
