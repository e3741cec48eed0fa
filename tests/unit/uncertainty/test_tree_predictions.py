"""What each tree of a forest predicts."""

import numpy as np
import pytest

from silvics import ForestClassifier, RandomForestClassifier, RandomForestRegressor
from silvics.uncertainty import tree_predictions

rng = np.random.default_rng(2)
X = rng.normal(size=(60, 3))
Y = X[:, 0] + rng.normal(size=60)
CLASSES = np.array(["a", "b", "c"])[rng.integers(0, 3, size=60)]


def test_numbers():
    forest = RandomForestRegressor(7, random_state=0).fit(X, Y)
    found = forest.predict_trees(X)
    wanted = np.stack([tree.predict(X) for tree in forest.estimators_], axis=1)
    np.testing.assert_array_equal(found, wanted)
    both = RandomForestRegressor(7, random_state=0).fit(X, np.column_stack([Y, -Y]))
    assert both.predict_trees(X).shape == (60, 7, 2)
    np.testing.assert_allclose(both.predict_trees(X).mean(axis=1), both.predict(X))


def test_probabilities_and_votes():
    forest = RandomForestClassifier(7, min_samples_leaf=5, random_state=0).fit(X, CLASSES)
    found = forest.predict_trees(X, n_jobs=2)
    np.testing.assert_allclose(found.mean(axis=1), forest.predict_proba(X))
    two = np.column_stack([CLASSES, X[:, 0] > 0])
    first, second = RandomForestClassifier(7, random_state=0).fit(X, two).predict_trees(X)
    assert first.shape == (60, 7, 3)
    assert second.shape == (60, 7, 2)
    votes = ForestClassifier("random_forest", n_estimators=7, vote="majority", random_state=0)
    assert set(np.unique(votes.fit(X, CLASSES).predict_trees(X))) == {0.0, 1.0}


def test_blocks_of_rows_are_all_rows(monkeypatch):
    monkeypatch.setattr(tree_predictions, "_VALUES_OF_BLOCK", 7 * 13)
    forest = RandomForestRegressor(7, random_state=0).fit(X, Y)
    blocks = list(tree_predictions.blocks_of_rows(forest._trees, forest._checked(X), 1))
    assert len(blocks) == 5
    whole = np.concatenate([values for _, values in blocks])[:, :, 0]
    np.testing.assert_array_equal(whole, forest.predict_trees(X))
    assert [rows.start for rows, _ in blocks] == [0, 13, 26, 39, 52]


def test_needs_a_fitted_forest():
    with pytest.raises(ValueError, match="not fitted"):
        RandomForestRegressor().predict_trees(X)
