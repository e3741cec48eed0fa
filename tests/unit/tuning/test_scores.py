"""Scores by votes: unbiased for any number of votes, and choices among rows of scores."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from silvics import RandomForestRegressor
from silvics.tuning.arms import first_votes, sum_of
from silvics.tuning.scores import (
    Scoring,
    Votes,
    best_of,
    clearly_better,
    means,
    optimism,
    row_groups,
    within_one_error,
)

RNG = np.random.default_rng(0)


def scoring_of(y, n_classes, n_trees, n_rows=None):
    """The scores of a task with these outputs."""
    y = np.asarray(y, dtype=float).reshape(len(y), -1)
    task = SimpleNamespace(
        outputs=SimpleNamespace(values=y, n_classes=n_classes),
        sampling=SimpleNamespace(groups=None, weights=None),
        seed=0,
        X=SimpleNamespace(shape=(len(y), 1)),
    )
    return Scoring(None, task, None, n_trees, n_rows or len(y))


def votes_of(predictions, y, scale):
    """Sums of predictions of shape n_trees x n_rows x width, NaN where a tree has drawn a row."""
    out = ~np.isnan(predictions[:, :, 0])
    errors = (((predictions - y) ** 2) * scale).sum(axis=2)
    return Votes(
        np.nansum(predictions, axis=0)[:, np.newaxis],
        np.nansum(errors, axis=0)[:, np.newaxis],
        out.sum(axis=0),
    )


def test_losses_are_means_over_pairs_of_trees():
    n, n_trees = 40, 6
    y = RNG.integers(0, 3, n)
    coded = np.eye(3)[y]
    predictions = RNG.dirichlet([1, 1, 1], (n_trees, n))
    predictions[RNG.random((n_trees, n)) < 0.4] = np.nan
    scoring = scoring_of(y, [3], 50)
    votes = votes_of(predictions, coded, 1.0)
    table = scoring.table(votes)
    losses = {}
    for i in range(n):
        e = (predictions[:, i] - coded[i])[~np.isnan(predictions[:, i, 0])]
        if len(e) < 2:
            continue
        pairs = np.mean([a @ b for a, b in permutations(e, 2)])
        variance = e.var(axis=0, ddof=1).sum()
        losses[i] = pairs + variance / 50
    for g in range(scoring.n_groups):
        rows = [i for i in losses if scoring.group_of[i] == g]
        if rows:
            assert table[0, g] == pytest.approx(-np.mean([losses[i] for i in rows]))
        else:
            assert np.isnan(table[0, g])


def test_scores_do_not_depend_on_the_number_of_votes():
    """Trees with the same errors have the same score, with two or twenty votes for each row."""
    n = 4000
    y = RNG.normal(size=n)
    bias, noise = RNG.normal(size=n) / 2, RNG.normal(size=(20, n))
    predictions = (y + bias + noise)[:, :, np.newaxis]
    scoring = scoring_of(y, [], 100)
    coded = y[:, np.newaxis]
    few = scoring.table(votes_of(predictions[:2], coded, scoring.scale))
    many = scoring.table(votes_of(predictions, coded, scoring.scale))
    expected = 1 - (np.mean(bias**2) + 1 / 100) / y.var()
    assert means(many)[0] == pytest.approx(expected, abs=0.02)
    assert means(few)[0] == pytest.approx(expected, abs=0.08)
    plain = 1 - np.mean((predictions[:2].mean(axis=0) - coded) ** 2) / y.var()
    assert plain < expected - 0.3  # what a comparison of plain scores would have seen


def test_first_votes_are_those_of_the_first_trees():
    sums = RNG.normal(size=(5, 9, 1, 2))
    out = RNG.integers(0, 2, (5, 9))
    votes = [
        Votes(s * o[:, None, None], s[:, :, 0] * o[:, None], o)
        for s, o in zip(sums, out, strict=True)
    ]
    wanted = np.array([1, 2, 0, 3, 1, 1, 2, 9, 1])
    found = first_votes(votes, wanted)
    assert np.array_equal(found.counts, np.minimum(wanted, out.sum(axis=0)))
    for i in range(9):
        which = np.flatnonzero(out[:, i])[: wanted[i]]
        assert np.allclose(found.sums[i, 0], sums[which, i, 0].sum(axis=0))
    assert np.allclose(sum_of(votes).sums, first_votes(votes, np.full(9, 5)).sums)


def test_choices():
    base = RNG.normal(size=20)
    table = np.stack([base, base + 0.5 + RNG.normal(size=20) / 50, base + 0.49])
    assert clearly_better(table) == 1
    assert best_of(table) == 1
    assert within_one_error(table, np.array([9.0, 1.0, 1.0])) != 0
    assert within_one_error(table[[1, 1]], np.array([1.0, 9.0])) == 1
    noisy = np.stack([base, base + RNG.normal(size=20) + 0.01])
    assert clearly_better(noisy) == 0
    unknown = np.full((2, 20), np.nan)
    assert clearly_better(unknown) == within_one_error(unknown, np.ones(2)) == 0
    assert optimism(unknown, clearly_better) == 0.0


def test_optimism_is_what_a_choice_among_equals_adds():
    """The best of many equal candidates looks better than it is by about what is subtracted."""
    found, added = [], []
    for seed in range(30):
        table = np.random.default_rng(seed).normal(size=(25, 20))
        found.append(optimism(table, best_of))
        added.append(means(table).max())  # all candidates have the mean zero
    assert np.mean(added) > 0.3
    assert np.mean(found) == pytest.approx(np.mean(added), abs=0.12)


def test_groups_of_rows():
    y = RNG.normal(size=400)
    groups = row_groups(y, None, 3)
    assert set(np.bincount(groups)) == {20}
    assert abs(np.corrcoef(groups, y)[0, 1]) < 0.1
    spread = [y[groups == g].mean() for g in range(20)]
    assert np.std(spread) < 0.05  # similar outputs in all of them
    assert row_groups(y[:12], None, 3).max() == 1
    of_user = np.repeat(np.arange(50), 8)
    together = row_groups(y, of_user, 3)
    assert all(len(set(together[of_user == g])) == 1 for g in range(50))


def test_an_interruption_keeps_the_trees_of_the_leader():
    X, y = RNG.normal(size=(200, 4)), RNG.normal(size=200)
    calls = []

    def interrupted(model, rows, outputs):
        calls.append(len(rows))
        if len(calls) > 25:
            raise KeyboardInterrupt
        return -np.abs(model.predict(rows) - outputs).mean()

    forest = RandomForestRegressor(30, random_state=0, tune="oob", scoring=interrupted)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, y)
    assert forest.interrupted_
    assert 0 < len(forest) < 30
    assert not hasattr(forest, "tuning_results_")
    plain = clone(forest).set_params(tune=None, scoring=None, n_estimators=len(forest))
    assert plain.set_params(**forest.best_params_).fit(X, y).digest() == forest.digest()
