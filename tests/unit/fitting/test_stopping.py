"""Budgets of time and memory end growth with the forest of fewer trees."""

import re

import numpy as np
import pytest

import silvics
from silvics._estimators import forest_growth
from silvics._fitting.stopping import Footprint, MemoryBudget, StopRule, TimeBudget, Trial

from ..kinds import FORESTS, name_of, problem

X, Y = problem(n_rows=300)
ALL = [*FORESTS, silvics.ForestClassifier, silvics.IsolationForest, silvics.RandomTreesEmbedding]
each = pytest.mark.parametrize("kind", ALL, ids=name_of)


def made(kind, **parameters):
    return kind(random_state=0, **parameters)


def bytes_of(forest):
    return [tree.memory_bytes for tree in forest._grown.trees]


@each
def test_without_a_reason_to_stop_nothing_changes(kind):
    plain = made(kind, n_estimators=7).fit(X, Y)
    limited = made(kind, n_estimators=7, max_time=1e6, max_memory="1 TB").fit(X, Y)
    assert limited.stopped_ is None
    assert plain.stopped_ is None
    assert limited.digest() == plain.digest()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [silvics.RandomForestClassifier, silvics.ExtraTreesRegressor])
def test_time_ends_growth_with_the_first_trees(kind, n_jobs):
    X, y = problem(n_rows=20_000)
    forest = made(kind, n_estimators=20_000, n_jobs=n_jobs, max_time=1.5).fit(X, y)
    m = len(forest)
    assert 0 < m < 20_000
    assert forest.stopped_ == "max_time=1.5 was over"
    assert not forest.interrupted_
    assert forest.digest() == made(kind, n_estimators=m).fit(X, y).digest()
    assert len(forest._grown.work) == m


def test_time_that_is_over_before_the_first_tree():
    X, y = problem(n_rows=300_000)
    forest = made(silvics.RandomForestClassifier, max_time=1e-9)
    with pytest.raises(ValueError, match="max_time=1e-09 is over before the first tree"):
        forest.fit(X, y)
    assert not hasattr(forest, "stopped_")


@each
def test_memory_ends_growth_with_the_first_trees(kind):
    known = made(kind, n_estimators=40).fit(X, Y)
    for n_jobs in (1, 2):
        forest = made(kind, n_estimators=10_000, n_jobs=n_jobs, max_memory=900_000).fit(X, Y)
        m = len(forest)
        assert 1 < m < 10_000
        assert "no space for another tree" in forest.stopped_
        assert forest.digest() == made(kind, n_estimators=m).fit(X, Y).digest()
        assert sum(bytes_of(forest)) < 900_000
        assert forest[0].tree_.node_count == known[0].tree_.node_count


def test_memory_for_no_tree_is_refused_and_says_what_fits():
    forest = made(silvics.RandomForestRegressor, n_estimators=30)
    with pytest.raises(ValueError, match="max_memory=1 kB is not enough"):
        forest.set_params(max_memory=1000).fit(X, Y)
    assert not hasattr(forest, "stopped_")
    rule = MemoryBudget(120, Footprint(fixed=100), (), 30)
    with pytest.raises(ValueError, match="One tree fits into 150 bytes, and 30 trees into"):
        rule.verdict([Sized(50)], False)


def test_memory_below_that_of_the_table_is_refused_before_the_table_is_coded(monkeypatch):
    X, y = problem(n_rows=20_000)
    monkeypatch.setattr(forest_growth, "grower_of", lambda *_: 1 / 0)
    with pytest.raises(ValueError, match="max_memory=600 kB is not enough: fit needs"):
        made(silvics.RandomForestRegressor, max_memory="600 kB").fit(X, y)
    with pytest.raises(ZeroDivisionError):
        made(silvics.RandomForestRegressor, max_memory="10 MB").fit(X, y)


def test_warm_start_counts_the_trees_before():
    forest = made(silvics.RandomForestRegressor, n_estimators=10_000, max_memory=1_100_000)
    m = len(forest.set_params(warm_start=True).fit(X, Y))
    forest.set_params(max_memory=1_700_000).fit(X, Y)
    assert m < len(forest) < 10_000
    assert forest.stopped_ is not None
    more = made(silvics.RandomForestRegressor, n_estimators=len(forest)).fit(X, Y)
    assert forest.digest() == more.digest()
    at_once = made(silvics.RandomForestRegressor, n_estimators=10_000, max_memory=1_700_000)
    assert len(at_once.fit(X, Y)) == len(forest)
    with pytest.raises(ValueError, match=r"for \d+ trees\. One more tree"):
        forest.set_params(max_memory=1_100_000, n_estimators=20_000).fit(X, Y)


def test_what_is_computed_afterwards_is_that_of_the_kept_trees():
    forest = silvics.RandomForestClassifier(
        10_000, oob_score=True, keep_samples=True, max_memory=1_400_000, random_state=0
    ).fit(X, Y)
    m = len(forest)
    same = silvics.RandomForestClassifier(m, oob_score=True, random_state=0).fit(X, Y)
    assert forest.oob_score_ == same.oob_score_
    assert forest.work_ == same.work_
    assert forest._grown.samples.membership.n_trees == m


def test_rotated_trees_stop_in_time():
    forest = silvics.ForestClassifier(
        "rotation_forest", 20_000, max_time=1.5, random_state=0, n_jobs=2
    ).fit(X, Y)
    assert forest.stopped_ is not None
    same = silvics.ForestClassifier("rotation_forest", len(forest), random_state=0).fit(X, Y)
    assert forest.digest() == same.digest()


def test_progress_counts_all_trees_over_the_batches():
    told = []
    forest = made(silvics.ExtraTreesRegressor, n_estimators=60, max_memory="100 MB")
    forest.set_params(progress=lambda *step: told.append(step)).fit(X, Y)
    assert told[-1] == (60, 60)
    assert told == sorted(set(told))


@pytest.mark.parametrize("given", ["", "GB", "-1 GB", "2 gigabytes", "1e9"])
def test_no_amounts_of_memory(given):
    with pytest.raises(ValueError, match="max_memory must be a number of bytes"):
        silvics.RandomForestClassifier(max_memory=given).fit(X, Y)


def test_patches_stop_in_time():
    forest = silvics.RandomPatchesRegressor(n_estimators=20_000, max_time=0.5, random_state=0)
    forest.fit(X, Y)
    assert forest.stopped_ == "max_time=0.5 was over"
    same = silvics.RandomPatchesRegressor(n_estimators=len(forest), random_state=0).fit(X, Y)
    assert forest.digest() == same.digest()


def test_the_state_of_a_stopped_forest_is_kept_in_files(tmp_path):
    forest = made(silvics.RandomForestRegressor, n_estimators=10_000, max_memory=1_100_000).fit(
        X, Y
    )
    forest.save(tmp_path / "forest.silvics")
    again = silvics.load(tmp_path / "forest.silvics")
    assert again.stopped_ == forest.stopped_


# ---- the rules alone


class Sized:
    node_count = 1

    def __init__(self, memory_bytes):
        self.memory_bytes = memory_bytes


def test_the_end_does_not_depend_on_the_batches():
    sizes = np.random.default_rng(0).integers(50, 100, 60)
    trees = [Sized(int(size)) for size in sizes]
    ends = set()
    for step in (1, 2, 7, 60):
        rule = MemoryBudget(1000, Footprint(fixed=100), (), 60)
        for n in range(step, 61, step):
            end = rule.verdict(trees[:n], False)
            if end is not None:
                break
        ends.add(end.n_trees)
    assert len(ends) == 1
    m = ends.pop()
    assert 100 + sizes[:m].sum() <= 1000 < 100 + sizes[:m].sum() + sizes[:m].max()


def test_batches_fit_into_the_memory():
    trees, rule = [], MemoryBudget(10_000, Footprint(fixed=0), (), 500)
    while rule.verdict(trees, False) is None:
        n = rule.next_batch(trees, 500 - len(trees), 2)
        trees += [Sized(100)] * n
        assert 100 * len(trees) <= 10_000
    assert len(trees) == 100


def test_a_rule_of_the_base_class_never_ends_growth():
    rule = StopRule()
    assert rule.next_batch([], 12, 2) == 12
    assert rule.seconds_left() == float("inf")
    rule.check(lambda: Trial(1e9, 1, 2))
    assert rule.verdict([], False) is None


def test_a_budget_of_time_refuses_before_growth_and_says_what_fits():
    small = Trial(0.01, 1_000, 100_000)
    assert small.seconds_of(1_000) == 0.01
    assert small.seconds_of(100_000) == pytest.approx(0.01 * 100 * 5 / 3)
    TimeBudget(1000.0).check(lambda: small)
    TimeBudget(0.5, n_kept=3).check(lambda: small)
    TimeBudget(0.5).check(lambda: None)
    with pytest.raises(ValueError, match="is too short: a tree of 100000 rows is expected") as told:
        TimeBudget(0.5).check(lambda: small)
    fits = int(re.search(r"max_samples=(\d+)", str(told.value))[1])
    assert small.seconds_of(fits) <= 0.25 < small.seconds_of(2 * fits) + 0.01


def test_trials_have_some_of_the_rows_if_there_are_many(monkeypatch):
    tried = []
    monkeypatch.setattr(TimeBudget, "check", lambda rule, trial: tried.append(trial()))
    many, y = problem(n_rows=60_000)
    forest = silvics.RandomForestClassifier(1, max_samples=50_000, max_time=1e6, random_state=0)
    digest = forest.fit(many, y).digest()
    forest.set_params(n_estimators=3).fit(X, Y)
    assert (tried[0].n_rows, tried[0].n_rows_of_tree) == (500, 50_000)
    assert tried[1] is None
    assert digest == forest.set_params(n_estimators=1, max_time=None).fit(many, y).digest()


def test_a_budget_of_time_counts_from_the_beginning():
    assert TimeBudget(10.0, begin=0.0).seconds_left() == 0.0
