"""Every public name of silvics. A new name needs a line here, and a reason.

The surface consists of names, not of modules: the names of ``silvics`` and of its public packages,
and the methods and attributes of the objects that they give. Other modules
(``silvics.interop``, ``silvics.plots`` and so on) and the names in them are private, whether their
own name has a leading underscore or not. Parameters are listed by ``tests/contract``.
"""

import dataclasses
import inspect

import pytest
import sklearn.ensemble
import sklearn.feature_selection
import sklearn.impute
import sklearn.tree
from sklearn.base import BaseEstimator

import silvics
from silvics import (
    bias_variance,
    datasets,
    importance,
    impute,
    inspection,
    network,
    patches,
    recipes,
)
from silvics._results import oob_curve, summary
from silvics.explain import dependence_result, shap_result
from silvics.plots.display import Display
from silvics.tuning import result as tuning_result
from silvics.uncertainty import calibration, distributions

X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]] * 5
Y = [0, 0, 1, 1] * 5


# ---- packages

SILVICS = """
DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor
RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor
ForestClassifier ForestRegressor RandomPatchesClassifier RandomPatchesRegressor
IsolationForest RandomTreesEmbedding ForestEmbedding
scan load merge from_sklearn ModelFileError report
bias_variance datasets importance impute inspection network patches recipes __version__
"""
IMPORTANCE = """
permutation_test one_forest_test contrast_test conditional_error_rate boruta
SelectByThreshold SelectByTest SelectTuned SelectByElimination SelectNonRedundant
asymptotic_importances masking forest_masking relevance redundant copies null_information
binary_encoding
Importances Significance AsymptoticImportances Masking ForestMasking Relevance Redundancy Copies
NullInformation
"""
DATASETS = """
Problem RegressionProblem ClassificationProblem
Friedman1 Friedman2 Friedman3 SumOfNormals NoisyCosine
LED XOR MixedCardinality ThresholdAndCopy TwoGaussians Twonorm Ringnorm Waveform
load_penguins load_seattle_weather
"""
BIAS_VARIANCE = """
decompose decompose_over decompose_by_resampling misclassification ambiguity majority_accuracy
BiasVariance BiasVarianceCurve Misclassification Ambiguity
"""
IMPUTE = "ErrorByRound ForestImputer ProximityImputer"
INSPECTION = """
diagnose estimate_cost outliers prototypes proximity_map
CostEstimate Diagnosis Finding Outliers Prototypes ProximityMap
interval_report IntervalReport
"""
NETWORK = "genie3 Network NetworkAccuracy"
PATCHES_NAMES = "DrawnPatch draw"
RECIPES = "RECIPES Recipe ByRows get names table"


PACKAGES = {
    silvics: SILVICS,
    bias_variance: BIAS_VARIANCE,
    datasets: DATASETS,
    importance: IMPORTANCE,
    impute: IMPUTE,
    inspection: INSPECTION,
    network: NETWORK,
    patches: PATCHES_NAMES,
    recipes: RECIPES,
}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_names_of_packages(package):
    assert sorted(package.__all__) == sorted(PACKAGES[package].split())


@pytest.mark.parametrize(
    "package",
    [package for package in PACKAGES if package is not recipes],
    ids=lambda package: package.__name__,
)
def test_dir_lists_public_names_only(package):
    listed = {name for name in dir(package) if not name.startswith("_")}
    assert listed == set(package.__all__) - {"__version__"}


# ---- estimators, beyond what scikit-learn's class of the same kind has

KEEP = "save digest to_sklearn to_onnx to_treelite to_json to_c"
FOREST = f"importances predictor summary {KEEP}"
ATTRIBUTES = "is_categorical_ categories_"  # what fit learned of categories, beside n_features_in_
# What growing took, whether Ctrl-C or a budget ended it; K, which scikit-learn has on trees only.
GROWN = "work_ interrupted_ stopped_ max_features_"
UNDERSTAND = "oob_curve in_bag_counts proximity neighbors shap partial_dependence"
# What is predicted besides the mean.
UNCERTAINTY = "predict_trees predict_standard_error"
CLASS_UNCERTAINTY = "predict_set"
REAL_UNCERTAINTY = "predict_quantiles predict_distribution predict_interval"
SUPERVISED = f"{FOREST} {UNDERSTAND} {UNCERTAINTY} attach_samples {ATTRIBUTES} {GROWN}"
TREE = f"to_text to_dot plot {KEEP} {ATTRIBUTES}"

# scikit-learn's own: a request for each method with keywords besides X, and callbacks of 1.9.
ROUTING = "set_predict_request set_callbacks"
PROBABILITIES = "set_predict_proba_request set_predict_log_proba_request"

# Settings that are no parameters of these forests; the steps of fit read them from every forest.
FIXED = """
criterion max_features bootstrap max_samples max_depth max_leaf_nodes min_samples_split
min_samples_leaf min_weight_fraction_leaf min_impurity_decrease ccp_alpha oob_score monotonic_cst
feature_weights constant_features search max_bins binning split_sample growth category_gain
"""

ISOLATION = f"""
{FOREST} {ATTRIBUTES} {GROWN} {FIXED} n_outputs_ apply decision_path
set_callbacks set_predict_request set_decision_function_request
"""
EMBEDDING = f"""
{FOREST} {ATTRIBUTES} {GROWN} {FIXED} n_outputs_ set_callbacks set_transform_request
"""  # its predictor() raises: an embedding predicts nothing

# What a fit has read; and what every forest of a recipe has as a parameter, but patches are.
PATCHES = "max_samples_ max_columns_ n_passes_ bytes_read_ rows columns stages keep_samples"

ESTIMATORS = {
    "RandomForestClassifier": f"{SUPERVISED} {CLASS_UNCERTAINTY} {ROUTING} {PROBABILITIES}",
    "ExtraTreesClassifier": f"{SUPERVISED} {CLASS_UNCERTAINTY} {ROUTING} {PROBABILITIES}",
    "ForestClassifier": f"{SUPERVISED} {CLASS_UNCERTAINTY} {ROUTING} {PROBABILITIES}",
    "RandomForestRegressor": f"{SUPERVISED} {REAL_UNCERTAINTY} {ROUTING}",
    "ExtraTreesRegressor": f"{SUPERVISED} {REAL_UNCERTAINTY} {ROUTING}",
    "ForestRegressor": f"{SUPERVISED} {REAL_UNCERTAINTY} {ROUTING}",
    "RandomPatchesClassifier": f"""
        {SUPERVISED} {CLASS_UNCERTAINTY} {PATCHES} {ROUTING} {PROBABILITIES} calibrate
    """,
    "RandomPatchesRegressor": f"{SUPERVISED} {PATCHES} {REAL_UNCERTAINTY} {ROUTING}",
    "DecisionTreeClassifier": TREE,
    "DecisionTreeRegressor": TREE,
    "ExtraTreeClassifier": TREE,
    "ExtraTreeRegressor": TREE,
    "IsolationForest": ISOLATION,
    "RandomTreesEmbedding": EMBEDDING,
}
COUNTERPARTS = {
    "ForestClassifier": sklearn.ensemble.RandomForestClassifier,
    "ForestRegressor": sklearn.ensemble.RandomForestRegressor,
    "RandomPatchesClassifier": sklearn.ensemble.RandomForestClassifier,
    "RandomPatchesRegressor": sklearn.ensemble.RandomForestRegressor,
}


def public(value):
    """Names that an object has, and that raise no AttributeError."""
    return {name for name in dir(value) if not name.startswith("_") and hasattr(value, name)}


def fitted(estimator):
    return estimator().set_params(random_state=0).fit(X, Y)


def counterpart(name):
    if name in COUNTERPARTS:
        return COUNTERPARTS[name]
    return getattr(sklearn.tree, name, None) or getattr(sklearn.ensemble, name)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_names_of_estimators(name):
    ours, theirs = fitted(getattr(silvics, name)), fitted(counterpart(name))
    own = public(ours) - public(theirs) - set(ours.get_params())
    assert own == set(ESTIMATORS[name].split()) - public(theirs)


def test_every_estimator_is_listed():
    classes = {name for name in silvics.__all__ if inspect.isclass(getattr(silvics, name))}
    assert classes - {"ModelFileError", "ForestEmbedding"} == set(ESTIMATORS)


SELECTORS = {
    "SelectByThreshold": "forest_ importances_ support_",
    "SelectByTest": "forest_ importances_ support_ significance_",
    "SelectNonRedundant": "forest_ importances_ support_ rounds_",
    "SelectTuned": """
        forest_ importances_ support_ n_features_ n_features_grid_ scores_ standard_errors_ path_ at
    """,
    "SelectByElimination": """
        forest_ importances_ support_ n_features_ n_features_grid_ scores_ standard_errors_ path_ at
        ranking_ set_n_features
    """,
}


@pytest.mark.parametrize("name", SELECTORS)
def test_names_of_selectors(name):
    forest = silvics.RandomForestClassifier(10, random_state=0)
    ours = getattr(importance, name)(forest, random_state=0).fit(X, Y)
    theirs = sklearn.feature_selection.SelectFromModel(forest).fit(X, Y)
    found = public(ours) - public(theirs) - set(ours.get_params())
    assert found == {*SELECTORS[name].split(), "set_fit_request"} - public(theirs)


IMPUTERS = {
    # ``draws``: completed tables for multiple imputation; ``oob_error_``: how good the forests are.
    "ForestImputer": "n_iter_ oob_error_ draws",
    "ProximityImputer": "n_iter_ forest_",
}


@pytest.mark.parametrize("name", IMPUTERS)
def test_names_of_imputers(name):
    ours = getattr(impute, name)(5, random_state=0).fit(X, Y)
    theirs = sklearn.impute.SimpleImputer().fit(X)
    found = public(ours) - public(theirs) - set(ours.get_params())
    assert found == set(IMPUTERS[name].split())


def test_names_of_forest_embeddings():
    ours = silvics.ForestEmbedding(silvics.RandomForestClassifier(3)).fit(X, Y)
    theirs = sklearn.feature_selection.SelectFromModel(silvics.RandomForestClassifier(3)).fit(X, Y)
    found = public(ours) - set(ours.get_params())
    own = {"transform_training_rows", "set_fit_request"}
    assert own <= found
    assert found - own <= public(theirs)


# ---- other objects

RESULT = "to_frame plot"
RESULTS = {
    importance.Importances: f"""
        {RESULT} kind names values std standard_errors replicates local by_class classes by_output
        by_degree null corrected null_share impurity total interval enough redundancy by_context
        pairs
    """,
    importance.Significance: f"""
        {RESULT} method names importances p_values null level decision hits
        adjusted mask selected fdr_of_list
    """,
    importance.AsymptoticImportances: f"""
        {RESULT} names importances by_degree standard_errors exact n_trees impurity total settings
        by_context by_cut
    """,
    importance.Masking: f"{RESULT} names importances standard_errors hidden exact pairs",
    importance.ForestMasking: f"""
        {RESULT} names K importances standard_errors lost stands_for likeness
    """,
    importance.Copies: f"{RESULT} names variable importances",
    importance.Relevance: f"""
        {RESULT} names kind relevant marginally strongly weakly witnesses information max_size
    """,
    importance.Redundancy: f"{RESULT} redundant excess given conditions",
    importance.NullInformation: f"{RESULT} observed expected gamma gamma_mean p_value",
    summary.Summary: f"""
        {RESULT} to_dict estimator recipe n_trees n_nodes n_leaves depth mean_depth n_features
        n_outputs max_features oob oob_error confusion class_errors importances interrupted
        samples_nbytes
    """,
    oob_curve.OobCurve: f"""
        {RESULT} scoring n_trees scores n_rows by_class classes predictions probabilities enough
    """,
    tuning_result.TuningResults: f"{RESULT} scoring trials best_params best_score optimism",
    calibration.Calibration: f"""
        {RESULT} method log_loss n_rows reliability raw_reliability
    """,
    distributions.PredictedDistributions: f"""
        {RESULT} weights outputs mean cdf crps quantile_ranks sample
    """,
    dependence_result.PartialDependence: f"""
        {RESULT} kind names grid average std individual outputs centered
    """,
    shap_result.ShapValues: f"""
        {RESULT} values base_values names outputs interactions X mean_absolute to_shap pairs
        pairs_by_row
    """,
    bias_variance.BiasVariance: f"""
        {RESULT} noise bias noise_and_bias variance error measured_error rho member_variance
        variance_of_learning_set variance_of_randomness variance_with points averages
        standard_errors n_members n_learning_sets n_samples X
    """,
    bias_variance.BiasVarianceCurve: f"{RESULT} param_name values results best",
    bias_variance.Misclassification: f"""
        {RESULT} noise error normal_error estimate variance points averages standard_errors
        n_learning_sets n_samples X
    """,
    bias_variance.Ambiguity: f"{RESULT} error member_error ambiguity errors ambiguities",
    inspection.Diagnosis: f"""
        {RESULT} findings error error_of_infinite_forest error_of_tree error_of_constant goals
    """,
    inspection.Finding: "name value text advice",
    inspection.IntervalReport: f"""
        {RESULT} levels intervals predictions y method coverage widths plot_intervals plot_fan
    """,
    inspection.Outliers: f"{RESULT} scores raw labels measure",
    inspection.Prototypes: f"{RESULT} rows labels ranks scores values neighbors method",
    inspection.ProximityMap: f"{RESULT} coordinates eigenvalues explained labels landmarks",
    network.Network: f"""
        {RESULT} regulators targets importances recipe n_estimators interrupted accuracy edges
    """,
    network.NetworkAccuracy: f"""
        {RESULT} aupr auroc n_edges n_pairs density precision recall thresholds
    """,
    impute.ErrorByRound: f"{RESULT} columns measures n_missing errors changes kept",
    patches.DrawnPatch: "X y rows columns sample_weight",
    summary.OutputErrors: "n_rows error r2 classes confusion class_errors",
}


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.__name__)
def test_names_of_results(result):
    fields = {field.name for field in dataclasses.fields(result)}
    names = {name for name in {*dir(result), *fields} if not name.startswith("_")}
    assert names == set(RESULTS[result].split())


def test_names_of_problems():
    names = {"n_features", "feature_names", "description", "bayes_model", "residual_error"}
    names |= {"residual_error_at", "sample", "sample_outputs"}
    assert public(datasets.Friedman1()) == {*names, "noise"}
    assert public(datasets.Twonorm()) == {*names, "classes"}
    for name in DATASETS.split():
        owner = getattr(datasets, name)
        if inspect.isclass(owner):
            assert not {n for n in vars(owner) if not n.startswith("_")} - names - {"table"}


def test_names_of_displays():
    assert public(Display) == set()
    tree = fitted(silvics.DecisionTreeClassifier)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert public(tree.plot(ax=pyplot.figure().add_subplot())) == {"ax_", "figure_"}
    pyplot.close("all")


@pytest.mark.parametrize("name", ["RandomForestClassifier", "IsolationForest"])
def test_names_of_predictors(name):
    predictor = fitted(getattr(silvics, name)).predictor()
    assert callable(predictor)
    assert public(predictor) == {"predict_proba", "predict_quantiles"}


def test_names_of_tree_arrays():
    """``children`` and ``split`` describe all nodes, ``left_levels`` those of categories."""
    ours = fitted(silvics.DecisionTreeClassifier).tree_
    theirs = fitted(sklearn.tree.DecisionTreeClassifier).tree_
    assert public(ours) - public(theirs) == {"children", "split", "left_levels"}
    assert public(theirs) <= public(ours)


def test_names_of_model_file_errors():
    assert public(silvics.ModelFileError) == public(ValueError)


def test_bases_are_scikit_learns():
    for name in (*ESTIMATORS, *SELECTORS):
        owner = silvics if name in ESTIMATORS else importance
        assert issubclass(getattr(owner, name), BaseEstimator)
