"""missing="both": samples with missing values go to both children, a bounded number of times."""

import numpy as np
import pytest

from silvics import ForestClassifier


def knocked_out(n, p=6, share=0.2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)
    X[rng.random(X.shape) < share] = np.nan
    return X, y


@pytest.mark.parametrize(("recipe", "n"), [("forest_rc", 150), ("forest_rc", 300), ("cart", 3000)])
def test_copies_that_grow_without_bound_are_an_error(recipe, n):
    X, y = knocked_out(n)
    forest = ForestClassifier(recipe, n_estimators=10, missing="both", random_state=0)
    with pytest.raises(ValueError, match='copies: use missing="learned"'):
        forest.fit(X, y)
    with pytest.raises(ValueError, match="max_depth"):
        forest.set_params(growth="best_first", max_leaf_nodes=10**6).fit(X, y)


def test_the_remedies_work():
    X, y = knocked_out(300)
    forest = ForestClassifier("forest_rc", n_estimators=3, missing="both", random_state=0)
    for settings in ({"max_depth": 6}, {"min_samples_split": 60}, {"max_leaf_nodes": 50}):
        fitted = forest.set_params(
            max_depth=None, min_samples_split=None, max_leaf_nodes=None
        ).set_params(**settings)
        assert fitted.fit(X, y).score(X, y) > 0.6
    ForestClassifier("forest_rc", n_estimators=3, missing="learned").fit(X, y)
