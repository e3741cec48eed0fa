"""The jackknife+ against its definition, sample by sample."""

import numpy as np
import pytest

from silvics import ForestRegressor
from silvics import RandomForestRegressor as Forest
from silvics.uncertainty import jackknife_plus, tree_predictions

rng = np.random.default_rng(4)
X = rng.normal(size=(70, 3))
NEW = rng.normal(size=(25, 3))
Y = X[:, 0] + rng.normal(size=70)
LEVELS = [0.5, 0.9, 0.99]


def expected(forest, y=Y, chosen=slice(None)):
    out = forest.in_bag_counts() == 0
    trees, own = forest.predict_trees(NEW), forest.predict_trees(X)
    found = np.empty((len(NEW), 2, len(LEVELS)))
    for j in range(len(NEW)):
        low, high = [], []
        for i in np.arange(len(X))[chosen]:
            if not out[i].any():
                continue
            error = abs(y[i] - own[i, out[i]].mean())
            low.append(trees[j, out[i]].mean() - error)
            high.append(trees[j, out[i]].mean() + error)
        low, high, n = np.sort(low), np.sort(high), len(low)
        for q, level in enumerate(LEVELS):
            rank = int(np.ceil((n + 1) * level - 1e-9))
            found[j, :, q] = (low[n - rank], high[rank - 1]) if rank <= n else (-np.inf, np.inf)
    return found


@pytest.mark.parametrize("n_trees", [3, 30])
def test_bounds(n_trees, monkeypatch):
    forest = Forest(n_trees, keep_samples=True, random_state=0).fit(X, Y)
    wanted = expected(forest)
    found = forest.predict_interval(NEW, LEVELS, method="jackknife+")
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    monkeypatch.setattr(jackknife_plus, "_PAIRS_AT_ONCE", 200)
    monkeypatch.setattr(tree_predictions, "_VALUES_OF_BLOCK", 10 * n_trees)
    again = forest.predict_interval(NEW, LEVELS, method="jackknife+")
    np.testing.assert_allclose(again, found, rtol=1e-5, atol=1e-5)


def test_groups():
    forest = Forest(30, keep_samples=True, random_state=0).fit(X, Y)
    group, of_new = np.where(X[:, 1] > 0, "b", "a"), np.where(NEW[:, 1] > 0, "b", "a")
    found = forest.predict_interval(NEW, LEVELS, method="jackknife+", groups=(group, of_new))
    for name in "ab":
        wanted = expected(forest, chosen=group == name)
        np.testing.assert_allclose(
            found[of_new == name], wanted[of_new == name], rtol=1e-5, atol=1e-5
        )


def test_several_outputs():
    both = np.column_stack([Y, 100 + 5 * Y])
    forest = Forest(30, keep_samples=True, random_state=0).fit(X, both)
    found = forest.predict_interval(NEW, LEVELS, method="jackknife+")
    assert found.shape == (25, 2, 3, 2)
    np.testing.assert_allclose(found[..., 1], 100 + 5 * found[..., 0], rtol=1e-5)


def test_held_out_rows_are_not_out_of_bag():
    forest = ForestRegressor(
        "random_forest", n_estimators=5, pruning="reduced_error", keep_samples=True, random_state=0
    ).fit(X, Y)
    held = forest._grown.sampling.held_out(forest._grown.seed)
    assert len(held)
    out = jackknife_plus.trees_without(forest._grown)
    assert not out[held].any()
    rest = np.setdiff1d(np.arange(70), held)
    np.testing.assert_array_equal(out[rest], (forest.in_bag_counts() == 0)[rest])
