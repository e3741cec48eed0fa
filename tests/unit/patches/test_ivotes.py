"""Ivotes: the rows of a tree are mostly those that earlier trees predict wrongly."""

import numpy as np
import pytest

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, _core, load, scan
from silvics.datasets import Ringnorm
from silvics.patches import ivotes


def problem(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (np.abs(X[:, 0] + X[:, 1]) < 1).astype(int)


def made(**settings):
    settings = {"n_estimators": 30, "max_samples": 0.05, "max_columns": 1.0} | settings
    return RandomPatchesClassifier("cart", draw="importance", random_state=0, **settings)


def test_rows_of_later_trees_are_those_that_are_wrong(monkeypatch):
    """A plain loop over the definition, with the rows that each tree has taken."""
    X, y = problem()
    seen = []
    kept = ivotes._kept

    def recorded(task, seed, wrong, error):
        found = kept(task, seed, wrong, error)
        seen.append((error, wrong.mean(), wrong[found].mean(), len(found)))
        return found

    monkeypatch.setattr(ivotes, "_kept", recorded)
    made(max_samples=0.075).fit(X, y)
    assert len(seen) == 30
    assert seen[0][0] == 0.5  # every row is kept at first
    assert all(130 <= n <= 150 for *_, n in seen)
    for error, share, of_kept, _ in seen[20:]:
        # wrong rows are kept, right ones with probability e / (1 - e)
        expected = share / (share + (1 - share) * error / (1 - error))
        assert of_kept == pytest.approx(expected, abs=0.15)
        assert of_kept > 1.5 * share
    errors = [error for error, *_ in seen]
    assert errors == sorted(errors, reverse=True) or errors[-1] < 0.3


def test_rows_and_columns_at_once(monkeypatch):
    """Columns are drawn as for uniform rows; rows by the votes of trees on other columns.

    The votes are counted by a plain loop over the rows and the trees that are finished.
    """
    X, y = problem(1000)
    X = np.column_stack([X, X[:, :2] + 0.1])
    blocks, votes = [], ivotes._votes

    def recorded(task, candidate, places, earlier, n_jobs):
        wrong, known = votes(task, candidate, places, earlier, n_jobs)
        blocks.append((candidate.seed, places, [set(of.tolist()) for of in earlier.rows], wrong))
        return wrong, known

    drawn, patches = ivotes._drawn, []
    monkeypatch.setattr(ivotes, "_votes", recorded)
    monkeypatch.setattr(
        ivotes, "_drawn", lambda *given: patches.append(drawn(*given)) or patches[-1]
    )
    forest = made(n_estimators=30, max_columns=3).fit(X, y)
    assert forest.max_columns_ == 3
    of_trees = [patch for block, _, _ in patches for patch in block]
    rows_of_trees = [rows for _, block, _ in patches for rows in block]
    for tree, patch, (seed, *_) in zip(forest.estimators_, of_trees, blocks, strict=True):
        np.testing.assert_array_equal(patch.columns, _core.tree_columns(seed, 6, 3))
        used = tree.tree_.feature[tree.tree_.feature >= 0]
        assert set(used.tolist()) <= set(patch.columns.tolist())
    assert len({tuple(patch.columns) for patch in of_trees}) > 5
    probabilities = np.array([tree.predict_proba(X) for tree in forest.estimators_[:20]])
    for k, (_, places, earlier, wrong) in enumerate(blocks[20:25], start=20):
        assert len(earlier) == 20  # those of the first two blocks
        for place, is_wrong in zip(places.tolist(), wrong, strict=True):
            out = [probabilities[t, place] for t in range(20) if place not in earlier[t]]
            assert is_wrong == (not out or np.sum(out, axis=0).argmax() != y[place])
        of_places = dict(zip(places.tolist(), wrong.tolist(), strict=True))
        kept = [of_places[place] for place in rows_of_trees[k].tolist()]
        assert np.mean(kept) > 1.5 * wrong.mean()
        np.testing.assert_array_equal(of_trees[k].y[:, 0], y[rows_of_trees[k]])


def test_it_is_better_than_uniform_draws_of_small_samples():
    X, y = Ringnorm().sample(3000, 0)
    X_test, y_test = Ringnorm().sample(2000, 1)
    important, uniform = (
        made(n_estimators=40, max_samples=0.03).set_params(draw=draw).fit(X, y)
        for draw in ("importance", "uniform")
    )
    assert important.score(X_test, y_test) > uniform.score(X_test, y_test) + 0.005


def test_files_and_threads_give_the_same_forest(tmp_path):
    X, y = problem(1000)
    np.save(tmp_path / "x.npy", X)
    expected = made(n_estimators=12).fit(X, y)
    scanned = made(n_estimators=12, n_jobs=2).fit(scan(tmp_path / "x.npy"), y)
    assert scanned.digest() == expected.digest()
    assert scanned.n_passes_ == 2  # a pass for each block of ten trees
    scanned.save(tmp_path / "forest.silvics")
    assert load(tmp_path / "forest.silvics").digest() == expected.digest()
    with pytest.raises(AttributeError, match="not known"):
        _ = scanned.estimators_samples_


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"oob_score": True}, "oob_score"),
        ({"warm_start": True}, "warm_start"),
        ({"max_memory": 1000}, "are left"),
    ],
)
def test_what_it_does_not_support_is_refused(settings, text):
    X, y = problem(200)
    with pytest.raises(ValueError, match=text):
        made(**settings).fit(X, y)


def test_it_is_for_one_output_of_classes():
    X, y = problem(200)
    with pytest.raises(ValueError, match="several outputs"):
        made().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="'draw' parameter"):
        RandomPatchesRegressor(draw="importance").fit(X, y)


def test_an_interrupted_fit_keeps_the_trees_of_finished_blocks(monkeypatch):
    X, y = problem(500)
    votes, calls = ivotes._votes, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 15:
            raise KeyboardInterrupt
        return votes(*given)

    monkeypatch.setattr(ivotes, "_votes", interrupted)
    forest = made(n_estimators=30)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, y)
    monkeypatch.undo()
    assert forest.interrupted_
    assert len(forest) == 10
    assert forest.digest() == made(n_estimators=10).fit(X, y).digest()
