"""Every tree of a forest is the slow tree of its seed and of its bootstrap counts."""

import numpy as np
import pytest

from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
)

from .slow_random import bootstrap_rows, tree_seed
from .tables import CLASSIFICATION, CRITERIA, Case, assert_same_tree

N_TREES = 3


def fit_forest(case, classifier, regressor, **parameters):
    kind = classifier if case.rules.criterion in CLASSIFICATION else regressor
    given = case.parameters()
    del given["splitter"]
    with np.errstate(invalid="ignore"):
        model = kind(n_estimators=N_TREES, n_jobs=2, **given | parameters)
        return model.fit(case.X, case.outputs(), sample_weight=case.weights)


def balanced(counts, y, n_draws):
    """Weights that make the drawn classes equally heavy in every output."""
    weights = counts.copy()
    for column in y.T:
        drawn = {c: counts[column == c].sum() for c in set(column.tolist())}
        present = float(sum(n > 0.0 for n in drawn.values()))
        for i in np.flatnonzero(counts):
            weights[i] *= n_draws / (present * drawn[column[i]])
    return weights


def test_seeds_of_trees():
    for forest_seed in [0, 1, 42, 2**31, 2**32 - 1]:
        seeds = [tree_seed(forest_seed, tree) for tree in range(50)]
        assert seeds == _core.tree_seeds(forest_seed, 0, 50)
        assert len(set(seeds)) == 50


def check_bootstrap(case, class_weight=None):
    rng, n = case.rng, len(case.X)
    k = int(rng.integers(1, case.p + 1))
    case.use(max_features=k)
    parameters = {"max_samples": int(rng.integers(1, n + 1)) if rng.random() < 0.5 else None}
    if class_weight:
        parameters["class_weight"] = class_weight
    forest = fit_forest(case, RandomForestClassifier, RandomForestRegressor, **parameters)
    n_draws = parameters["max_samples"] or n
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        seed = tree.random_state
        assert drawn.tolist() == bootstrap_rows(seed, n_draws, n, case.weights), case.label
        weights = np.bincount(drawn, minlength=n).astype(float)
        if class_weight:
            weights = balanced(weights, case.y, n_draws)
        slow = case.slow_tree(weights, seed)
        assert_same_tree(tree.tree_, slow, f"{case.label}, {parameters}")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_bootstrap_counts_are_weights(criterion):
    for seed in range(10_000, 10_020):
        check_bootstrap(Case(criterion, seed).stop_somewhere())


@pytest.mark.parametrize("criterion", CLASSIFICATION)
def test_balanced_subsample(criterion):
    for seed in range(11_000, 11_020):
        check_bootstrap(Case(criterion, seed).stop_somewhere(), "balanced_subsample")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_extra_trees(criterion):
    for seed in range(12_000, 12_020):
        case = Case(criterion, seed).stop_somewhere().use(splitter="random")
        case.use(max_features=int(case.rng.integers(1, case.p + 1)))
        forest = fit_forest(case, ExtraTreesClassifier, ExtraTreesRegressor)
        for tree in forest.estimators_:
            slow = case.slow_tree(seed=tree.random_state)
            assert_same_tree(tree.tree_, slow, case.label)


def test_trees_of_a_forest_differ():
    """Otherwise the tests above would compare one tree with itself."""
    y = np.arange(30.0)
    forest = RandomForestRegressor(n_estimators=5, random_state=0).fit(y[:, np.newaxis], y)
    assert len({tuple(drawn) for drawn in forest.estimators_samples_}) == 5
    assert len({tree.digest() for tree in forest.estimators_}) == 5
