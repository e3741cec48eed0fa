"""Which recipes take missing values apart, or in both children (thesis 4.4.4)."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from silvics import ForestClassifier, ForestRegressor, recipes

X, Y = make_friedman1(90, 5, random_state=0)
X[::5, 0] = np.nan

# docs/differences.md has the reasons.
MULTIWAY = {"id3", "c4.5", "kwok_carter", "totally_randomized_multiway"}
ROTATED = {"rotation_forest", "rotation_forest_original"}
REFUSE = {
    "apart": ROTATED,
    "both": MULTIWAY | ROTATED | {"reduced_error", "biau_2012_halves", "denil_2013"},
}


@pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals")  # of a few trees
@pytest.mark.parametrize("missing", ["apart", "both"])
@pytest.mark.parametrize("name", recipes.names())
def test_missing_values_in_every_recipe(name, missing):
    for kind, y in ((ForestClassifier, (Y > 14).astype(int)), (ForestRegressor, Y)):
        if kind is ForestClassifier and recipes.get(name).stages > 1:
            continue
        forest = kind(name, n_estimators=4, missing=missing, random_state=0)
        if name in REFUSE[missing]:
            with pytest.raises(ValueError, match='missing="learned"'):
                forest.fit(X, y)
            continue
        predicted = forest.fit(X, y).predict(X)
        assert predicted.shape == y.shape
        if missing == "both":
            with pytest.raises(ValueError, match="one leaf"):
                forest.set_params(keep_samples=True).fit(X, y)
        else:
            forest.set_params(keep_samples=True).fit(X, y)
            assert forest.proximity(X).shape == (90, 90)


@pytest.mark.parametrize("kind", ["original", "kernel"])
def test_proximities_need_one_leaf_each(kind):
    forest = ForestRegressor("bagging", n_estimators=4, missing="both", random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="one leaf for each sample"):
        forest.proximity(X, kind=kind)
