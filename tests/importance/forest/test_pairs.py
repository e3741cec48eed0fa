"""Pairs of variables by contexts: against sums over ``by_context()``, and planted interactions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silvics
from silvics import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))


def pairs_of_contexts(contexts, names):
    """(variable, other): importance and expected, from the rows of ``by_context()``."""
    rows = {(r.variable, frozenset(r.given)): r for r in contexts.itertuples()}
    found = {}
    for a in names:
        for b in names:
            row, first = rows.get((a, frozenset([b]))), rows.get((a, frozenset()))
            if row is None or a == b:
                continue
            key = tuple(sorted([a, b]))
            expected = 0.0 if first is None else row.weight * first.information
            old = found.get(key, (0.0, 0.0))
            found[key] = (old[0] + row.importance, old[1] + expected)
    return found


@pytest.mark.parametrize("max_features", [1, 2, None])
@pytest.mark.parametrize("settings", [{}, {"normalize": True}, {"feature_groups": {"z": [0, 3]}}])
def test_sums_over_contexts(max_features, settings):
    y = X[:, 0] + X[:, 1] * X[:, 3]
    forest = RandomForestRegressor(20, max_features=max_features, random_state=0).fit(X, y)
    importances = forest.importances(by="context", **settings)
    expected = pairs_of_contexts(importances.by_context(), importances.names)
    frame = importances.pairs()
    assert frame.columns.tolist() == ["variable", "other", "importance", "expected", "excess"]
    found = {tuple(sorted([r.variable, r.other])): (r.importance, r.expected)
             for r in frame.itertuples()}  # fmt: skip
    assert len(found) == len(frame)
    assert found.keys() == expected.keys()
    for pair, values in found.items():
        np.testing.assert_allclose(values, expected[pair], rtol=1e-12)
    np.testing.assert_allclose(frame["excess"], frame["importance"] - frame["expected"])
    assert frame["excess"].is_monotonic_decreasing
    pd.testing.assert_frame_equal(importances.pairs(top=2), frame.head(2))


def test_an_exclusive_or_is_worth_one_bit():
    """Alone the two variables say nothing, and the second one of a tree says everything."""
    table = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 10)
    forest = ExtraTreesClassifier(
        2000, criterion="entropy", max_features=1, random_state=0, n_jobs=2
    ).fit(table, table[:, 0] ^ table[:, 2])
    frame = forest.importances(by="context").pairs()
    assert frame.loc[0, ["variable", "other"]].tolist() == ["x0", "x2"]
    assert frame.loc[0, "expected"] == pytest.approx(0, abs=1e-12)
    # Both stand above x1 in a third of the trees; with x1 between or before, it is in the context.
    assert frame.loc[0, "excess"] == pytest.approx(1 / 3, abs=0.04)
    np.testing.assert_allclose(frame["excess"][1:], 0, atol=1e-12)


@pytest.mark.parametrize("classes", [False, True])
def test_a_planted_product_ranks_first(classes):
    table = np.random.default_rng(1).normal(size=(1000, 6))
    z = table[:, 0] + table[:, 2] + 2 * table[:, 1] * table[:, 3]
    kind = RandomForestClassifier if classes else RandomForestRegressor
    forest = kind(200, max_features=2, random_state=0).fit(table, z > 0 if classes else z)
    frame = forest.importances(by="context").pairs()
    assert frame.loc[0, ["variable", "other"]].tolist() == ["x1", "x3"]


def test_library_and_errors():
    table = pl.DataFrame({name: X[:, j] for j, name in enumerate("abcde")})
    forest = RandomForestRegressor(5, random_state=0).fit(table, X[:, 0])
    assert isinstance(forest.importances(by="context").pairs(), pl.DataFrame)
    assert len(forest.importances(by="context", max_degree=0).pairs()) == 0
    with pytest.raises(ValueError, match="have no contexts"):
        forest.importances(by="degree").pairs()
    with pytest.raises(ValueError, match="top"):
        forest.importances(by="context").pairs(top=-1)
    leaf = silvics.RandomForestRegressor(3).fit([[0.0], [1.0]], [2.0, 2.0])
    with pytest.raises(ValueError, match="have no contexts"):
        leaf.importances().pairs()


@pytest.mark.parametrize("by", ["degree", "context"])
def test_the_frame_has_a_column_for_each_degree(by):
    forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0] + X[:, 1] * X[:, 3])
    found = forest.importances(by=by)
    frame = found.to_frame()
    degrees = [f"degree {k}" for k in range(found.by_degree.shape[1])]
    assert frame.columns.tolist() == ["variable", "importance", "std", "standard_error", *degrees]
    assert len(degrees) > 2
    np.testing.assert_allclose(frame[degrees].sum(axis=1), frame["importance"])
    order = [found.names.tolist().index(name) for name in frame["variable"]]
    np.testing.assert_array_equal(frame[degrees], found.by_degree[order])
    assert "degree 0" in repr(found)
