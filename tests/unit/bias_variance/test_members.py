"""Members of ensembles of both libraries."""

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

import silvics
from silvics.bias_variance.members import as_columns, member_stats, predictions_of_members

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 4))
Y = X[:, 0] + rng.normal(size=80)
LABELS = np.array(["b", "a", "c"])[(X[:, 1] > 0).astype(int) + (X[:, 2] > 1)]


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(6, random_state=0),
        silvics.RandomForestRegressor(6, random_state=0),
        silvics.ForestRegressor("rotation_forest", n_estimators=6, random_state=0),
        BaggingRegressor(n_estimators=6, max_features=2, random_state=0),
    ],
    ids=repr,
)
def test_members_of_regression_ensembles(model):
    model.fit(X, Y)
    found = member_stats(model, X, None)
    members = np.stack(list(predictions_of_members(model, X, None)))
    assert found.n_members == 6
    np.testing.assert_allclose(found.mean, members.mean(axis=0))
    np.testing.assert_allclose(found.within, members.var(axis=0, ddof=1), atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(6, random_state=0),
        silvics.RandomForestClassifier(6, random_state=0),
        silvics.ForestClassifier("pert", n_estimators=6, random_state=0),
        silvics.ForestClassifier("bagging", vote="majority", n_estimators=6, random_state=0),
        BaggingClassifier(n_estimators=6, random_state=0),
        VotingClassifier(
            [("a", LogisticRegression()), ("b", KNeighborsClassifier())], voting="soft"
        ),
    ],
    ids=lambda model: type(model).__name__,
)
def test_members_of_classification_ensembles(model):
    model.fit(X, LABELS)
    classes = np.array(["a", "b", "c", "d"])  # "d" is in no learning set
    found = member_stats(model, X, classes)
    assert found.within is not None
    assert found.mean.shape == (80, 4)
    assert not found.mean[:, 3].any()
    np.testing.assert_allclose(found.mean[:, :3], model.predict_proba(X))


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingRegressor(n_estimators=3),
        DecisionTreeRegressor(),
        silvics.ExtraTreeRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_models_are_single(model):
    found = member_stats(model.fit(X, Y), X, None)
    assert found.within is None
    assert found.n_members == 1


def test_classifiers_without_probabilities_vote():
    class Constant:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return np.ones(len(X), dtype=int)

    np.testing.assert_array_equal(as_columns(Constant(), X[:2], np.array([0, 1])), [[0, 1], [0, 1]])
