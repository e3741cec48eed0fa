"""Trees that stop earlier, against forests that were grown so."""

import numpy as np
import pytest

from silvics import ForestClassifier, RandomForestClassifier, RandomForestRegressor
from silvics.datasets import Friedman1, Waveform, load_penguins
from silvics.inspection.evidence import gather, parents


@pytest.mark.parametrize("least", [5, 20, 100])
def test_prefixes_are_the_forests_grown_under_the_limit(least):
    X, y = Friedman1().sample(300, 0)
    full = RandomForestRegressor(40, random_state=0).fit(X, y)
    limited = RandomForestRegressor(
        40, random_state=0, min_samples_split=least, oob_score=True
    ).fit(X, y)  # fmt: skip
    evidence = gather(full, X, y, False, 0)
    found = evidence.growths[least].sums[:, 0] / evidence.counts
    np.testing.assert_allclose(found, limited.oob_prediction_, rtol=1e-12)


def test_prefixes_of_classes():
    X, y = Waveform().sample(200, 0)
    full = RandomForestClassifier(60, random_state=0).fit(X, y)
    limited = RandomForestClassifier(
        60, random_state=0, min_samples_split=50, oob_score=True
    ).fit(X, y)  # fmt: skip
    evidence = gather(full, X, y, False, 0)
    found = evidence.growths[50].sums / evidence.counts[:, None]
    np.testing.assert_allclose(found, limited.oob_decision_function_, atol=1e-12)


def test_variance_is_that_of_the_trees():
    X, y = Friedman1().sample(60, 0)
    forest = RandomForestRegressor(30, random_state=0).fit(X, y)
    evidence = gather(forest, X, y, False, 0)
    trees = np.stack([tree.predict(X) for tree in forest.estimators_], axis=1)
    free = forest.in_bag_counts() == 0
    expected = [trees[i, free[i]].var(ddof=1) for i in range(60)]
    np.testing.assert_allclose(evidence.growths["full"].variance(evidence.counts), expected)


@pytest.mark.parametrize("recipe", ["random_forest", "id3"])
def test_parents_of_binary_and_multiway_trees(recipe):
    X, y = load_penguins(return_X_y=True)
    kept = X[["island", "sex"]]
    tree = ForestClassifier(recipe, n_estimators=1, random_state=0).fit(kept, y)._grown.trees[0]
    expected = np.full(tree.node_count, -1)
    for node in range(tree.node_count):
        if tree.feature()[node] != -2:
            expected[tree.children(node)] = node
    np.testing.assert_array_equal(parents(tree.depths()), expected)
