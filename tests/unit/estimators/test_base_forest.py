"""Adding trees to a forest, on the data it was grown on and on other data."""

import warnings

import numpy as np
import pytest

from silvics import RandomForestClassifier, RandomForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)


@pytest.mark.parametrize(
    ("other_X", "other_y"),
    [(X[:, :2], Y), (X, Y % 2), (X, np.stack([Y, Y], axis=1))],
    ids=["fewer columns", "fewer classes", "more outputs"],
)
def test_other_data_is_refused_and_the_forest_kept(other_X, other_y):
    forest = RandomForestClassifier(3, warm_start=True, random_state=0).fit(X, Y)
    before = forest.digest(), forest.predict_proba(X)
    with pytest.raises(ValueError, match="same number of columns, outputs and classes"):
        forest.set_params(n_estimators=5).fit(other_X, other_y)
    assert forest.digest() == before[0]
    np.testing.assert_array_equal(forest.predict_proba(X), before[1])


def test_nothing_to_add_changes_nothing():
    forest = RandomForestRegressor(3, warm_start=True, random_state=0).fit(X, Y)
    before = forest.predict(X)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        forest.fit(X[:, :2], Y)
    np.testing.assert_array_equal(forest.predict(X), before)


def test_warnings_point_at_the_user():
    forest = RandomForestRegressor(1, oob_score=True, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forest.fit(X, Y)
    assert [w.filename for w in caught] == [__file__]
