"""Numbers of values and levels around 8 and 16 bits, the largest nodes and the smallest."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import silvics

from ..kinds import ALL, FORESTS, TREES, name_of, small

EDGES = [2, 127, 128, 129, 254, 255, 256, 257, 32768, 65534, 65535, 65536, 65537]


def values_and_holes(n_distinct, n_holes):
    """Each value once, holes, and y that says where the holes and the last value are."""
    x = np.concatenate([np.arange(n_distinct) / 2, np.full(n_holes, np.nan)])
    y = np.isnan(x) + 2.0 * (x == (n_distinct - 1) / 2) + 3.0 * (x == 0)
    order = np.random.default_rng(0).permutation(len(x))
    return x[order], y[order]


@pytest.mark.parametrize("kind", TREES, ids=name_of)
@pytest.mark.parametrize("n_distinct", EDGES)
@pytest.mark.parametrize("n_holes", [0, 40])
def test_numbers_of_values(kind, n_distinct, n_holes):
    x, y = values_and_holes(n_distinct, n_holes)
    X = x[:, np.newaxis]
    fitted = small(kind).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    assert small(kind).fit(sparse.csc_array(X), y).digest() == fitted.digest()
    assert (
        small(kind).fit(pd.DataFrame({"x": pd.array(x, "Float64")}), y).digest() == fitted.digest()
    )
    if "Extra" not in kind.__name__:
        for search in ("sort", "bins"):
            assert small(kind, search=search).fit(X, y).digest() == fitted.digest()
        theirs = fitted.to_sklearn()
        np.testing.assert_array_equal(theirs.predict(X), y)


@pytest.mark.parametrize("kind", TREES[1:3], ids=name_of)
@pytest.mark.parametrize("n_distinct", EDGES)
@pytest.mark.parametrize("n_holes", [0, 40])
def test_sparse_numbers_of_values(kind, n_distinct, n_holes):
    """With zeros that are not stored, among values of both signs."""
    x, y = values_and_holes(n_distinct, n_holes)
    x = np.concatenate([x - 100.25, np.zeros(len(x) // 2 + 3)])
    y = np.concatenate([y, np.full(len(x) - len(y), 5.0)])
    X = x[:, np.newaxis]
    dense, fitted = (small(kind).fit(form, y) for form in (X, sparse.csr_array(X)))
    assert fitted.digest() == dense.digest()
    np.testing.assert_array_equal(fitted.predict(sparse.csr_array(X)), y)


@pytest.mark.parametrize("kind", TREES, ids=name_of)
@pytest.mark.parametrize("n_levels", EDGES)
@pytest.mark.parametrize("n_holes", [0, 40])
def test_numbers_of_levels(kind, n_levels, n_holes):
    x, y = values_and_holes(n_levels, n_holes)
    X = x[:, np.newaxis]
    parameters = {"categorical_features": [0], "unknown_category": "error"}
    parameters["min_category_frequency"] = 1
    fitted = small(kind, **parameters).fit(X, y)
    assert len(fitted.categories_[0]) == n_levels
    np.testing.assert_array_equal(fitted.predict(X), y)
    with pytest.raises(ValueError, match="not seen in training"):
        fitted.predict([[-1.0]])
    for unknown in ("missing", "heavier"):
        fitted.set_params(unknown_category=unknown)
        assert fitted.predict([[-1.0], [n_levels]]).shape == (2,)
    if n_holes == 40 and "Extra" not in kind.__name__:
        assert fitted.set_params(unknown_category="missing").predict([[-1.0]]).tolist() == [1.0]


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_large_nodes_are_searched_together(kind):
    """One tree and two threads: they share the variables of a node."""
    random = np.random.default_rng(0)
    n = 60_000
    X = random.integers(0, 300, size=(n, 6)).astype(np.float32)
    y = 1.0 * (X[:, 0] % 7 + (X[:, 1] > 99) + (X[:, 2] % 2) > 3)
    X[random.random(X.shape) < 0.1] = np.nan
    X[:, 4][random.random(n) < 0.7] = 0.0
    more = {"n_estimators": 1, "max_depth": 6, "max_features": None}
    more["categorical_features"] = [0, 2, 5]
    one, two = (small(kind, n_jobs=n_jobs, **more).fit(X, y) for n_jobs in (1, 2))
    assert one.digest() == two.digest()
    del more["categorical_features"]
    dense = small(kind, n_jobs=1, **more).fit(X, y)
    for n_jobs in (1, 2):
        assert (
            small(kind, n_jobs=n_jobs, **more).fit(sparse.csc_array(X), y).digest()
            == dense.digest()
        )


@pytest.mark.parametrize("n_classes", [2, 3, 40])
@pytest.mark.parametrize("n_levels", [9, 10, 11, 12])
def test_levels_with_holes_around_those_tried_in_all_ways(n_classes, n_levels):
    """Missing values are a level more."""
    random = np.random.default_rng(n_levels)
    codes = random.integers(-1, n_levels, 600)
    y = (codes + 1) * 7 % n_classes
    X = np.where(codes < 0, np.nan, codes)[:, np.newaxis]
    for criterion in ("gini", "entropy"):
        tree = silvics.DecisionTreeClassifier(
            criterion=criterion, categorical_features=[0], random_state=0
        ).fit(X, y)
        np.testing.assert_array_equal(tree.predict(X), y)


@pytest.mark.parametrize("kind", ALL, ids=name_of)
@pytest.mark.parametrize("n_rows", [1, 2, 3, 4, 5])
def test_few_rows(kind, n_rows):
    """They are searched by other means."""
    cells = pd.DataFrame(
        {"a": ["oak", "elm", None, "yew", "ash"], "x": [1.0, np.nan, 2.0, 3.0, 4.0]}
    )
    more = {"bootstrap": False} if kind in FORESTS else {}
    more["min_category_frequency"] = 1
    X, y = cells[:n_rows], np.array([3.0, 1.0, 2.0, 0.0, 4.0])[:n_rows]
    for columns in (["a"], ["x"], ["a", "x"]):
        fitted = small(kind, **more).fit(X[columns], y)
        np.testing.assert_array_equal(fitted.predict(X[columns]), y)
        coded = small(kind, **more, min_samples_leaf=2).fit(X[columns], y)
        assert np.isfinite(coded.predict(cells[columns])).all()
