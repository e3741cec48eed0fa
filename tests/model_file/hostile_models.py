"""Models whose files are changed by the tests of hostile files."""

import numpy as np
import pytest

import silvics

from .files import (
    content_of,
    loaded,
    small_model,
    small_regressor,
)

NOT_VALID = "^Not a valid model file: "


def recipe_model(**parameters):
    """Trees with records: several children, combinations of variables."""
    random = np.random.default_rng(1)
    X = random.integers(0, 6, size=(60, 3)).astype(float)
    X[:, 2] = random.normal(size=60)
    X[::7, 2] = np.nan
    y = (X[:, 0] + X[:, 1] > 5).astype(int) + (X[:, 0] == 2)
    parameters = {"split": "multiway", "max_depth": 3, **parameters}
    return silvics.ForestClassifier(n_estimators=2, random_state=0, **parameters).fit(X, y)


def isolation_model():
    X = np.random.default_rng(2).normal(size=(20, 2))
    return silvics.IsolationForest(n_estimators=2, max_samples=8, random_state=0).fit(X)


def many_levels_model():
    """Categories of so many levels that their sets are kept apart."""
    random = np.random.default_rng(3)
    levels = random.integers(0, 90, 400)
    X = np.array([f"l{i:02d}" for i in levels], dtype=object)[:, np.newaxis]
    y = (levels * 7 % 3).astype(float) + random.normal(size=400) / 9
    return silvics.RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, y)


MODELS = {
    "classifier": lambda: content_of(small_model()),
    "regressor": lambda: content_of(small_regressor()),
    "squeezed": lambda: content_of(small_regressor(), compress=True),
    "prediction": lambda: content_of(small_model(), for_prediction=True),
    "isolation": lambda: content_of(isolation_model()),
    "records": lambda: content_of(recipe_model()),
    "levels": lambda: content_of(many_levels_model()),
    "tree": lambda: content_of(silvics.DecisionTreeRegressor().fit([[0], [1], [2]], [0, 1, 5])),
}


def refuse(content, why=""):
    with pytest.raises(silvics.ModelFileError, match=NOT_VALID) as caught:
        loaded(content)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 2000


LEAF = 1 << 31
