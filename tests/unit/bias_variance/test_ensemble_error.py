"""Ambiguity and majorities."""

from itertools import product

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import brier_score_loss, mean_squared_error

from silvics import ExtraTreesClassifier, ForestClassifier, RandomForestRegressor
from silvics.bias_variance import ambiguity, majority_accuracy
from silvics.datasets import Friedman1, TwoGaussians

X, Y = Friedman1().sample(200, 0)
NEW, NEW_Y = Friedman1().sample(150, 1)


def test_identity_and_each_term():
    forest = RandomForestRegressor(7, random_state=0).fit(X, Y)
    found = ambiguity(forest, NEW, NEW_Y)
    trees = np.stack([tree.predict(NEW) for tree in forest.estimators_])
    assert found.error == pytest.approx(mean_squared_error(NEW_Y, forest.predict(NEW)), rel=1e-12)
    np.testing.assert_allclose(found.errors, ((trees - NEW_Y) ** 2).mean(axis=1))
    np.testing.assert_allclose(found.ambiguities, ((trees - trees.mean(axis=0)) ** 2).mean(axis=1))
    assert found.error == pytest.approx(found.member_error - found.ambiguity, rel=1e-12)
    assert found.to_frame().shape == (7, 3)
    assert "ambiguity" in repr(found)
    assert len(found.plot().ax_.patches) == 3


@pytest.mark.parametrize("vote", ["soft", "majority"])
def test_classification_is_the_brier_score(vote):
    problem = TwoGaussians()
    X, y = problem.sample(100, 0)
    new, new_y = problem.sample(80, 1)
    forest = ForestClassifier("bagging", n_estimators=9, vote=vote, random_state=0).fit(X, y)
    found = ambiguity(forest, new, new_y)
    shares = forest.predict_proba(new)[:, 1]
    assert found.error == pytest.approx(2 * brier_score_loss(new_y, shares))
    assert found.error == pytest.approx(found.member_error - found.ambiguity, rel=1e-12)


def test_weights_and_several_outputs():
    both = np.column_stack([Y, -2 * Y])
    forest = RandomForestRegressor(5, random_state=0).fit(X, both)
    weights = np.arange(150.0)
    found = ambiguity(forest, NEW, np.column_stack([NEW_Y, -2 * NEW_Y]), sample_weight=weights)
    assert found.error == pytest.approx(found.member_error - found.ambiguity, rel=1e-12)
    repeated = np.repeat(np.arange(150), np.arange(150))
    again = ambiguity(forest, NEW[repeated], np.column_stack([NEW_Y, -2 * NEW_Y])[repeated])
    assert again.error == pytest.approx(found.error)


def test_models_without_averages_are_refused():
    with pytest.raises(ValueError, match="mean of those of its estimators_"):
        ambiguity(GradientBoostingRegressor(n_estimators=3).fit(X, Y), NEW, NEW_Y)
    several = ExtraTreesClassifier(3).fit(X, np.column_stack([Y > 10, Y > 15]))
    with pytest.raises(ValueError, match="one output of classes"):
        ambiguity(several, NEW, NEW_Y > 10)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        ambiguity(RandomForestRegressor(3).fit(X, Y), NEW, NEW_Y[:-1])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_majorities_by_enumeration(n, p):
    total = 0.0
    for votes in product((0, 1), repeat=n):
        chance = np.prod([p if vote else 1 - p for vote in votes])
        total += chance * (1.0 if 2 * sum(votes) > n else 0.5 if 2 * sum(votes) == n else 0.0)
    assert majority_accuracy(n, p) == pytest.approx(total, abs=1e-12)


def test_condorcet():
    better = [majority_accuracy(n, 0.55) for n in (1, 11, 101, 1001)]
    assert better == sorted(better)
    assert better[-1] > 0.99
    worse = [majority_accuracy(n, 0.45) for n in (1, 11, 101, 1001)]
    assert worse == sorted(worse, reverse=True)


def test_correlated_votes_by_simulation():
    rng = np.random.default_rng(0)
    p, rho, n = 0.6, 0.2, 15
    strength = (1 - rho) / rho
    chances = rng.beta(p * strength, (1 - p) * strength, size=400_000)
    right = (rng.binomial(n, chances) > n / 2).mean()
    assert majority_accuracy(n, p, rho) == pytest.approx(right, abs=0.004)
    votes = rng.uniform(size=(400_000, 2)) < chances[:, None]
    assert np.corrcoef(votes.T)[0, 1] == pytest.approx(rho, abs=0.01)
    assert majority_accuracy(1001, p, 1.0) == p


@pytest.mark.parametrize("arguments", [(0, 0.5), (3, 1.5), (3, 0.5, -0.1), ("3", 0.5), (3, "a")])
def test_wrong_arguments(arguments):
    with pytest.raises((TypeError, ValueError), match="must be"):
        majority_accuracy(*arguments)
