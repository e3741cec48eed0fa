"""Chapter 2: estimates of the error, and consistency."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

from silvics import ForestRegressor, RandomForestClassifier
from silvics.datasets import Friedman1


def test_estimates_of_the_error():
    """Resubstitution is far too low; out-of-bag agrees with cross-validation (2.7, 4.37)."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, y)
    folds = cross_val_score(forest, X, y, cv=10)
    assert forest.score(X, y) == 1.0
    spread = folds.std(ddof=1) / np.sqrt(10)
    assert abs(forest.oob_score_ - folds.mean()) < 3 * spread


@pytest.mark.parametrize("recipe", ["biau_2012", "denil_2013", "scornet_2014", "random_forest"])
def test_errors_approach_the_residual_error(recipe):
    """Definitions 2.8 and 2.9: one growing learning set, and the error beyond the residual one."""
    problem = Friedman1(n_features=5, noise=1.0)
    X, y = problem.sample(6400, 0)
    new, _ = problem.sample(2000, 1)
    truth = problem.bayes_model.predict(new)
    excess = [
        ((ForestRegressor(recipe, n_estimators=30, random_state=0).fit(X[:n], y[:n]).predict(new)
          - truth) ** 2).mean()
        for n in (100, 800, 6400)
    ]  # fmt: skip
    assert excess[1] < 0.9 * excess[0]
    assert excess[2] < 0.9 * excess[1]
