"""The eight estimators, and small problems for them."""

import numpy as np

import silvics

TREES = (
    silvics.DecisionTreeClassifier,
    silvics.DecisionTreeRegressor,
    silvics.ExtraTreeClassifier,
    silvics.ExtraTreeRegressor,
)
FORESTS = (
    silvics.RandomForestClassifier,
    silvics.RandomForestRegressor,
    silvics.ExtraTreesClassifier,
    silvics.ExtraTreesRegressor,
)
ALL = TREES + FORESTS
CLASSIFIERS = tuple(kind for kind in ALL if kind._classification)
REGRESSORS = tuple(kind for kind in ALL if not kind._classification)


def name_of(kind):
    return kind.__name__


def small(kind, **parameters):
    """An estimator that fits at once, the same each time."""
    if kind in FORESTS:
        parameters = {"n_estimators": 3, **parameters}
    return kind(random_state=0, **parameters)


def problem(n_rows=60, n_columns=4, n_outputs=1, seed=0):
    """Numbers that float32 holds; y for classes and for regression alike."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 64, size=(n_rows, n_columns)) / 8
    y = random.integers(0, 3, size=(n_rows, n_outputs)) + 1.0 * (X[:, [0]] > 4)
    return X, y[:, 0] if n_outputs == 1 else y
