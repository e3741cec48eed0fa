"""Every constructor parameter refuses what it cannot mean, and names itself in doing so."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from silvics import _core

from ..kinds import ALL, CLASSIFIERS, FORESTS, REGRESSORS, name_of, problem, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)

WRONG = {
    "n_estimators": [0, -1, 2.5, "many", None, [10]],
    "criterion": ["mse", "", None, 1, ["gini"]],
    "splitter": ["worst", None, 1],
    "max_depth": [0, -1, 2.5, "deep", [3]],
    "min_samples_split": [0, 1, -2, 0.0, 1.5, -0.1, "2", None, np.nan],
    "min_samples_leaf": [0, -1, 0.0, 1.0, 1.5, "1", None, np.nan],
    "min_weight_fraction_leaf": [-0.1, 0.6, "0", None, np.nan],
    "max_features": [0, -1, 0.0, 1.1, -0.5, "auto", "all", [1], np.nan],
    "max_leaf_nodes": [0, 1, -1, 2.5, "10", [4]],
    "min_impurity_decrease": [-0.1, "0", None, np.nan],
    "bootstrap": ["yes", None, 2, [True]],
    "oob_score": ["yes", 2, [True]],
    "keep_samples": ["yes", None, 2, [True]],
    "calibrate": ["yes", True, 1],
    "n_jobs": [1.5, "2", [1]],
    "random_state": [-1, 2**32, 1.5, "seed", [0]],
    "verbose": [-1, "loud", None, [1]],
    "warm_start": ["yes", None, 2],
    "class_weight": ["heavy", 1, 0.5],
    "ccp_alpha": [-0.1, "0", None, np.nan],
    "max_samples": [0, -1, 0.0, -0.5, "all", [10]],
    "monotonic_cst": ["up", 1],
    "feature_weights": ["uniform", 2, 0.5],
    "interaction_cst": ["triples", 2, 0.5],
    "constant_features": ["ignore", None, True],
    "search": ["fast", None, 0],
    "max_bins": [1, 0, -1, 2.5, "256"],
    "binning": ["quantile", None, 0],
    "split_sample": [1, 0, -1, 0.5, "100"],
    "growth": ["upwards", 0, ["depth_first"]],
    "progress": [True, "bar", 1],
    "max_time": [0, -1.0, "1 h", [1]],
    "max_memory": [0, -1, [1], {}],
    "early_stopping": ["auto", 2],
    "n_iter_no_change": [0, 1.5, None],
    "tol": [-1e-9, "a", None],
    "engine": [1, True, ["dask"]],
    "resume": [1, True, ["folder"]],
    "tune": ["bag", True, 1, [3]],
    "scoring": [1, True, ["r2"]],
    "categorical_features": ["auto", "a", 1, 0.5, True],
    "unknown_category": ["ignore", None, True, ["missing"]],
    "missing": ["impute", None, False, np.nan],
    "min_category_frequency": [0, -1, 2.5, "2", "auto", None, [2]],
    "category_gain": ["Adjusted", None, True, 0],
}


def wrong_values():
    for kind in ALL:
        for name in kind().get_params():
            for value in WRONG[name]:
                yield pytest.param(kind, name, value, id=f"{kind.__name__}-{name}-{value!r}")


@pytest.mark.parametrize(("kind", "name", "value"), list(wrong_values()))
def test_wrong_value(kind, name, value):
    estimator = kind(**{name: value})  # constructors take anything, as scikit-learn's
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of {kind.__name__}"):
        estimator.fit(*problem())


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
def test_losses_are_not_for_classes(kind, criterion):
    with pytest.raises(InvalidParameterError, match="'criterion' parameter"):
        small(kind, criterion=criterion).fit(*problem())


@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_impurities_are_not_for_numbers(kind, criterion):
    with pytest.raises(InvalidParameterError, match="'criterion' parameter"):
        small(kind, criterion=criterion).fit(*problem())


LIMITS = ("max_depth", "max_leaf_nodes", "max_features", "max_bins", "split_sample")


@each
@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("value", [10**6, 2**31, 2**32, 2**63 - 1, 10**30])
def test_a_limit_out_of_reach_is_no_limit(kind, name, value):
    X, y = problem()
    free, far = small(kind, max_features=None), small(kind, max_features=None)
    far.set_params(**{name: value})
    assert far.fit(X, y).digest() == free.fit(X, y).digest()


@each
@pytest.mark.parametrize("name", ["min_samples_split", "min_samples_leaf"])
@pytest.mark.parametrize("value", [10**6, 2**32, 2**63 - 1, 10**30])
def test_a_demand_out_of_reach_leaves_the_root(kind, name, value):
    fitted = small(kind, **{name: value}).fit(*problem())
    assert all(t.tree_.node_count == 1 for t in getattr(fitted, "estimators_", [fitted]))


@each
@pytest.mark.parametrize("integer", [np.int8, np.int64, np.uint16])
def test_numpy_numbers_are_numbers(kind, integer):
    X, y = problem()
    ours = small(kind, max_depth=integer(3), min_samples_leaf=integer(2), max_features=integer(2))
    theirs = small(kind, max_depth=3, min_samples_leaf=2, max_features=2)
    assert ours.fit(X, y).digest() == theirs.fit(X, y).digest()


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_jobs": 0}, "n_jobs == 0"),
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"bootstrap": False, "max_samples": 0.5}, "cannot be set if `bootstrap=False`"),
    ],
)
def test_parameters_that_do_not_go_together(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        small(kind, **parameters).fit(*problem())


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_fewer_trees_with_warm_start(kind):
    X, y = problem()
    forest = small(kind, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=2 must be larger or equal"):
        forest.set_params(n_estimators=2).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        forest.set_params(n_estimators=3).fit(X, y)


@each
@pytest.mark.parametrize(
    ("signs", "message"),
    [
        ([1, 0], "monotonic_cst has shape 2 but the input data X has 4 features"),
        ([2, 0, 0, 0], "array-like of -1, 0 or 1"),
        ([0.5, 0, 0, 0], "array-like of -1, 0 or 1"),
        ([[1, 0, 0, 0]], "monotonic_cst has shape"),
    ],
)
def test_monotonic_signs(kind, signs, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        small(kind, monotonic_cst=signs).fit(X, y > 1)


@each
@pytest.mark.parametrize("categories", [[0], [True, False, False, False], [0, 3]])
@pytest.mark.parametrize("sign", [1, -1])
def test_monotonic_constraints_are_not_for_categories(kind, categories, sign):
    X, y = problem()
    words = r"not supported for categories.*Set monotonic_cst to 0 for column 0"
    chosen = {"categorical_features": categories}
    with pytest.raises(ValueError, match=words):
        small(kind, monotonic_cst=[sign, 1, 0, 0], **chosen).fit(X, y > 1)
    small(kind, monotonic_cst=[0, sign, 0, 0], **chosen).fit(X, y > 1)
    frame = pd.DataFrame({"a": ["oak", "elm"] * 30, "b": X[:, 0]})
    with pytest.raises(ValueError, match=r"Set monotonic_cst to 0 for column 'a'"):
        small(kind, monotonic_cst=[sign, 0]).fit(frame, y > 1)
    small(kind, monotonic_cst=[0, sign]).fit(frame, y > 1)


@each
@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ([4], r"must be in \[0, n_features - 1\]"),
        ([-1], r"must be in \[0, n_features - 1\]"),
        ([True], r"boolean mask must have shape \(n_features,\)"),
        (["a"], "fitted on data without feature names"),
        ([0.5], "array-like of bool, int or str"),
        ([[0]], "with one dimension"),
    ],
)
def test_categories_that_are_not_there(kind, categories, message):
    with pytest.raises(ValueError, match=message):
        small(kind, categorical_features=categories).fit(*problem())


@each
def test_monotonic_constraints_are_for_one_output(kind):
    X, y = problem(n_outputs=2)
    with pytest.raises(ValueError, match="not supported with multiple outputs"):
        small(kind, monotonic_cst=[1, 0, 0, 0]).fit(X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_monotonic_constraints_are_for_two_classes(kind):
    with pytest.raises(ValueError, match="not supported with multiclass"):
        small(kind, monotonic_cst=[1, 0, 0, 0]).fit(*problem())


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({77: 2.0}, "are not in class_weight"),
        ([{0: 1.0}, {0: 1.0}], "class_weight"),
        ({0: -1.0}, "negative|Negative"),
        ({0: np.nan}, "NaN|finite"),
        ({0: np.inf}, "infinity|finite"),
    ],
)
def test_class_weights(kind, weights, message):
    with pytest.raises(ValueError, match=message):
        small(kind, class_weight=weights).fit(*problem())


@pytest.mark.parametrize(
    "random_state", [0, 2**32 - 1, np.int32(7), np.random.RandomState(3), None]
)
@each
def test_seeds(kind, random_state):
    X, y = problem()
    fitted = kind(random_state=random_state).fit(X, y)
    assert fitted.predict(X).shape == (len(X),)


def test_seeds_of_trees_differ():
    seeds = _core.tree_seeds(0, 0, 100_000)
    assert len(set(seeds)) == 100_000
    assert _core.tree_seeds(0, 5, 3) == seeds[5:8]
