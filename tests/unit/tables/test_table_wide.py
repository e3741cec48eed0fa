"""Tables as they are in genetics: few rows, very many columns, small integers."""

import numpy as np
import pytest

from ..kinds import ALL, FORESTS, name_of, small


def genotypes(n_rows, n_columns, holes=0.0):
    """0, 1 or 2; the last column says all."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, size=(n_rows, n_columns), dtype=np.int8)
    if holes:
        X = X.astype(np.float32)
        X[random.random(X.shape, dtype=np.float32) < holes] = np.nan
        X[:, -1] = random.integers(0, 3, n_rows)
    return X, 1.0 * (X[:, -1] == 1)


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_twenty_thousand_columns(kind):
    X, y = genotypes(200, 20_000)
    fitted = small(kind, max_features=2000).fit(X, y)
    assert fitted.predict(X).shape == y.shape
    assert fitted.feature_importances_.shape == (20_000,)
    other = np.asfortranarray(X.astype(np.float32))
    assert small(kind, max_features=2000).fit(other, y).digest() == fitted.digest()


@pytest.mark.parametrize("kind", ALL[:2], ids=name_of)
def test_the_one_that_counts_is_found(kind):
    X, y = genotypes(200, 20_000)
    found = small(kind, max_depth=2).fit(X, y)
    assert found.feature_importances_.argmax() == 19_999
    np.testing.assert_array_equal(found.predict(X), y)
    stump = small(kind, max_depth=1, categorical_features=[19_999]).fit(X, y)
    np.testing.assert_array_equal(stump.predict(X), y)


@pytest.fixture(scope="module")
def very_wide():
    return genotypes(1_000, 100_000)


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_a_hundred_thousand_columns(kind, very_wide):
    X, y = very_wide
    forest = small(kind, n_estimators=2, max_features="sqrt").fit(X, y)
    assert forest.predict(X).shape == y.shape
    assert forest.work_["values_read"] < X.size / 10


def test_wide_and_full_of_holes():
    X, y = genotypes(200, 20_000, holes=0.1)
    for kind in FORESTS:
        forest = small(kind, max_features=200).fit(X, y)
        assert np.isfinite(forest.predict(X)).all()
    tree = small(ALL[0], max_depth=2).fit(X, y)
    np.testing.assert_array_equal(tree.predict(X), y)
