"""Chapter 2: estimates of the error, the error that chose a model, and consistency."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

from silvics import DecisionTreeClassifier, ForestRegressor, RandomForestClassifier
from silvics.datasets import Friedman1, MixedCardinality


def test_estimates_of_the_error():
    """Resubstitution is far too low; out-of-bag agrees with cross-validation (2.7, 4.37)."""
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, y)
    folds = cross_val_score(forest, X, y, cv=10)
    assert forest.score(X, y) == 1.0
    spread = folds.std(ddof=1) / np.sqrt(10)
    assert abs(forest.oob_score_ - folds.mean()) < 3 * spread


def test_the_error_that_chose_is_too_low():
    """Algorithms 2.1 and 2.2, where nothing can be learned: every model errs half of the time."""
    chosen, tested, nested = [], [], []
    for seed in range(8):
        X, y = MixedCardinality(relevance=0.0).sample(80, seed)
        X_train, X_rest, y_train, y_rest = train_test_split(
            X, y, train_size=0.5, random_state=seed, stratify=y
        )
        half = len(y_rest) // 2
        models = [
            DecisionTreeClassifier(max_depth=depth, max_features=k, random_state=seed)
            for depth in (1, 2, 4, None)
            for k in (1, 3, 5)
        ]
        errors = [
            1 - model.fit(X_train, y_train).score(X_rest[:half], y_rest[:half]) for model in models
        ]
        best = int(np.argmin(errors))
        chosen.append(errors[best])
        tested.append(1 - models[best].score(X_rest[half:], y_rest[half:]))
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=seed),
            {"max_depth": [1, None], "max_features": [1, 5]},
            cv=3,
        )
        nested.append(1 - cross_val_score(search, X, y, cv=3).mean())
    assert np.mean(chosen) < 0.4
    assert abs(np.mean(tested) - 0.5) < 0.12  # 20 rows of 8 data sets: three standard errors
    assert abs(np.mean(nested) - 0.5) < 0.06


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
