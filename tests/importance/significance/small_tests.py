"""Tables, and tests of significance that take little time."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from silvics import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    permutation_test,
)
from silvics.importance.significance.result import Significance
from silvics.importance.significance.shadow_tests import boruta, contrast_test

rng = np.random.default_rng(3)
N, P = 50, 5
X = rng.normal(size=(N, P)).round(1)
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)
Y = np.where(X[:, 0] + 0.3 * rng.normal(size=N) > 0, "yes", "no")
NUMBERS = X[:, 0] + rng.normal(size=N)
WEIGHTS = rng.random(N) + 0.5
NAMES = ["height", "width", "age", "weight", "shade"]
FRAME = pd.DataFrame({"kind": np.where(X[:, 0] > 0, "ash", "elm"), "age": HOLES[:, 1]})
FRAME["code"] = rng.integers(0, 4, N)
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
SEEDS = 2**31 - 1


def small(n_estimators=8, **settings):
    return RandomForestClassifier(n_estimators, n_jobs=1, **settings)


def enough():
    """So many trees that each row is out of bag for one."""
    return small(n_estimators=30)


def values_of(forest, table, y, seed, kind="mdi", groups=None, weights=None):
    forest = clone(forest).set_params(random_state=seed).fit(table, y, weights)
    if kind == "mdi":
        return forest.importances(feature_groups=groups).values
    return forest.importances(kind, table, y, feature_groups=groups, random_state=seed).values


def made(p_values, importances=None, **settings):
    p_values = np.asarray(p_values, dtype=float)
    if importances is None:
        importances = 1 - np.nan_to_num(p_values)
    names = np.array([f"x{j}" for j in range(len(p_values))], dtype=object)
    return Significance("test", names, np.asarray(importances, dtype=float), p_values, **settings)


METHODS = {
    "permutations": lambda *a, **k: permutation_test(*a, n_permutations=4, **k),
    "contrasts": lambda *a, **k: contrast_test(*a, n_repeats=4, **k),
    "boruta": lambda *a, **k: boruta(*a, n_rounds=4, **k),
    "rates": lambda *a, **k: conditional_error_rate(*a, n_permutations=4, level=0.3, **k),
}
each_method = pytest.mark.parametrize("method", METHODS)


def same(a, b):
    return (
        np.array_equal(a.p_values, b.p_values, equal_nan=True)
        and (a.importances == b.importances).all()
        and (a.names == b.names).all()
    )


SETTINGS = {
    "classes": (small(), X, Y, {}),
    "numbers": (RandomForestRegressor(8), X, NUMBERS, {}),
    "mda": (RandomForestRegressor(25), X, NUMBERS, {"kind": "mda"}),
    "weights": (ExtraTreesClassifier(8, bootstrap=True), X, Y, {"sample_weight": WEIGHTS}),
    "groups": (small(), X, Y, {"feature_groups": {"two": [1, 4]}}),
    "holes": (small(), HOLES, Y, {}),
    "sparse": (small(), csr_matrix(X), Y, {}),
    "categories": (small(categorical_features=["code", "kind"]), FRAME, Y, {}),
    "two outputs": (small(), X, np.column_stack([Y, np.where(X[:, 2] > 0, "a", "b")]), {}),
}
