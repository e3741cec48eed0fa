"""Training rows by leaf: what a forest keeps of its learning set, and how it gets it back."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import silvics
from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics._predicting import prediction

RNG = np.random.default_rng(0)
N = 120
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "c": pd.Categorical(RNG.choice(["ash", "elm", "oak", "yew"], N)),
    }
)
CLASSES = np.where(FRAME["a"] + (FRAME["c"] == "oak") > 0.3, "tall", "short")
NUMBERS = FRAME["a"].to_numpy() + RNG.normal(size=N)
TWO = np.column_stack([NUMBERS, NUMBERS**2])
WEIGHTS = RNG.integers(0, 4, N) / 2.0

FORESTS = {
    "classes": (RandomForestClassifier(9), CLASSES),
    "numbers": (RandomForestRegressor(9), NUMBERS),
    "several outputs": (RandomForestRegressor(9), TWO),
    "class outputs": (RandomForestClassifier(9), np.column_stack([CLASSES, CLASSES[::-1]])),
    "all rows": (ExtraTreesRegressor(9), NUMBERS),
    "balanced": (ExtraTreesClassifier(9, class_weight="balanced"), CLASSES),
    "balanced subsample": (RandomForestClassifier(9, class_weight="balanced_subsample"), CLASSES),
    "absolute error": (RandomForestRegressor(9, criterion="absolute_error"), NUMBERS),
    "honest": (ForestRegressor("random_forest", n_estimators=9, honest=0.5), NUMBERS),
    "subsample": (ForestClassifier("scornet_2014", n_estimators=9), CLASSES),
    "pruned": (ForestClassifier("reduced_error", rows="bootstrap", n_estimators=9), CLASSES),
    "multiway": (ForestClassifier("id3", n_estimators=9, rows="bootstrap"), CLASSES),
    "majority": (ForestClassifier("bagging", n_estimators=9, vote="majority"), CLASSES),
    "rotation": (ForestClassifier("rotation_forest", n_estimators=9), CLASSES),
    "cells": (ForestRegressor("purely_random", n_estimators=9), NUMBERS),
}


def table_of(name):
    """Cells and rotations are for numbers that are there."""
    return FRAME[["a"]].assign(d=FRAME["a"] ** 2) if name in ("rotation", "cells") else FRAME


def fitted(name, **settings):
    forest, y = FORESTS[name]
    return clone(forest).set_params(random_state=0, **settings).fit(table_of(name), y)


def arrays_of(forest):
    samples = forest._grown.require_samples("a test")
    return {**samples.membership.arrays(), "y": samples.y}


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("name", FORESTS)
def test_kept_and_attached_rows_are_the_same(name):
    kept = fitted(name, keep_samples=True)
    attached = fitted(name).attach_samples(table_of(name), FORESTS[name][1])
    assert kept.digest() == attached.digest()
    assert same(arrays_of(kept), arrays_of(attached))


@pytest.mark.parametrize("name", FORESTS)
def test_every_row_is_in_the_leaf_that_it_reaches(name):
    forest = fitted(name, keep_samples=True)
    membership = forest._grown.samples.membership
    leaves = forest.apply(table_of(name))
    for m in range(9):
        rows, leaf, weight = membership.in_bag(m)
        numbers = forest._trees.packed.leaves(m)
        assert np.array_equal(numbers[leaf], leaves[rows, m])
        assert (weight > 0).all()
        n = forest.estimators_[m].tree_.n_node_samples[numbers]
        assert np.array_equal(np.bincount(leaf, minlength=len(numbers)), n)


@pytest.mark.parametrize("name", FORESTS)
def test_trees_of_large_forests_are_packed_until_they_are_needed(name, monkeypatch):
    plain = fitted(name, keep_samples=True)
    assert plain._trees._native is not None
    monkeypatch.setattr(prediction, "_MANY_NODES", 1)
    packed = fitted(name, keep_samples=True)
    assert packed._trees._native is None
    assert np.array_equal(packed.predict(table_of(name)), plain.predict(table_of(name)))
    assert same(arrays_of(packed), arrays_of(plain))
    assert len(packed._trees) == 9
    assert packed._trees._native is None  # none of these needs the trees
    assert packed.digest() == plain.digest()
    assert packed._trees._native is not None
    if name not in ("majority", "pruned"):
        assert np.array_equal(packed.feature_importances_, plain.feature_importances_)
    if name.startswith("balanced"):
        return  # warm_start warns of these weights
    more = packed.set_params(warm_start=True, n_estimators=11).fit(table_of(name), FORESTS[name][1])
    assert more.digest() == fitted(name, n_estimators=11).digest()


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("name", ["classes", "numbers", "all rows", "balanced", "subsample"])
def test_weights_are_those_of_fit(name, weights):
    forest, y = FORESTS[name]
    forest = clone(forest).set_params(random_state=0).fit(FRAME, y, sample_weight=weights)
    forest.attach_samples(FRAME, y, sample_weight=weights)
    other = WEIGHTS if weights is None else None
    with pytest.raises(ValueError, match="not the rows that the forest was fitted on"):
        forest.attach_samples(FRAME, y, sample_weight=other)


@pytest.mark.parametrize("name", ["classes", "numbers", "several outputs", "majority", "pruned"])
def test_out_of_bag_estimates_are_the_same(name):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
        plain = fitted(name, oob_score=True, n_estimators=30)
        kept = fitted(name, oob_score=True, n_estimators=30, keep_samples=True)
    assert plain.oob_score_ == kept.oob_score_
    attribute = "oob_prediction_" if hasattr(plain, "oob_prediction_") else "oob_decision_function_"
    assert np.array_equal(getattr(plain, attribute), getattr(kept, attribute), equal_nan=True)


@pytest.mark.parametrize("kind", ["mdi_oob", "ufi"])
@pytest.mark.parametrize("name", ["classes", "numbers", "several outputs", "honest", "subsample"])
def test_importances_need_no_table(name, kind):
    forest = fitted(name, keep_samples=True)
    given = forest.importances(kind, table_of(name), FORESTS[name][1])
    assert np.array_equal(forest.importances(kind).replicates, given.replicates)


def test_the_noise_part_needs_no_table():
    forest = fitted("classes", keep_samples=True)
    given = forest.importances("mdi", FRAME, CLASSES, null="held_out")
    assert np.array_equal(forest.importances("mdi", null="held_out").null, given.null)


def test_the_error_names_both_ways():
    forest = fitted("classes")
    for call in (
        lambda: forest.importances("ufi"),
        lambda: forest.importances("mdi", null="held_out"),
    ):
        with pytest.raises(ValueError, match=r"keep_samples=True, or call attach_samples\(X, y\)"):
            call()


@pytest.mark.parametrize(
    "change",
    [
        lambda X, y: (X[::-1], y),
        lambda X, y: (X, y[::-1]),
        lambda X, y: (X, np.roll(y, 1)),
        lambda X, y: (X[:-1], y[:-1]),
        lambda X, y: (X.iloc[RNG.permutation(N)], y),
        lambda X, y: (X.assign(a=X["a"] + 0.5), y),
        lambda X, y: (X, np.column_stack([y, y])),
        lambda X, y: (X, np.where(y == "tall", "taller", y) if y.dtype.kind == "U" else 2 * y),
    ],
)
@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_other_rows_are_refused_and_change_nothing(name, change):
    forest, y = fitted(name), FORESTS[name][1]
    with pytest.raises(ValueError, match="fit"):
        forest.attach_samples(*change(FRAME, y))
    assert forest._grown.samples is None


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_rows_without_table_or_outputs_are_refused(name):
    forest, y = fitted(name), FORESTS[name][1]
    for table, outputs, message in (
        (FRAME, None, "y is None"),
        (None, y, "X is None"),
        (None, None, "X is None"),
        (FRAME, np.full(N, np.nan), "missing"),
        (FRAME, np.full(N, "NaT", "M8[s]"), "missing"),
        (FRAME, [], "0 sample"),
        (FRAME, np.zeros((N, 0)), "0 feature"),
        (FRAME, np.zeros((N, 1, 1)), "dim 3"),
    ):
        with pytest.raises(ValueError, match=message):
            forest.attach_samples(table, outputs)
    assert forest._grown.samples is None


def test_forests_whose_draws_are_not_known_are_refused(tmp_path):
    forest = fitted("classes")
    merged = silvics.merge([forest, fitted("classes", n_jobs=2)])
    with pytest.raises(ValueError, match="merged"):
        merged.attach_samples(FRAME, CLASSES)
    forest.save(tmp_path / "small.silvics", for_prediction=True)
    with pytest.raises(ValueError, match="for_prediction"):
        silvics.load(tmp_path / "small.silvics").attach_samples(FRAME, CLASSES)


def test_rows_in_several_leaves_are_refused():
    settings = {"n_estimators": 3, "missing": "both", "random_state": 0}
    with pytest.raises(ValueError, match='missing="learned"'):
        ForestClassifier("bagging", keep_samples=True, **settings).fit(FRAME, CLASSES)
    forest = ForestClassifier("bagging", **settings).fit(FRAME, CLASSES)
    with pytest.raises(ValueError, match='missing="learned"'):
        forest.attach_samples(FRAME, CLASSES)


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("name", ["classes", "numbers", "several outputs", "honest", "balanced"])
def test_files_keep_them_on_request(name, compress, tmp_path):
    forest, path = fitted(name, keep_samples=True), tmp_path / "forest.silvics"
    forest.save(path, training_rows=True, compress=compress)
    again = silvics.load(path)
    assert same(arrays_of(again), arrays_of(forest))
    forest.save(path, compress=compress)
    again = silvics.load(path)
    assert again._grown.samples is None
    again.attach_samples(table_of(name), FORESTS[name][1])
    assert same(arrays_of(again), arrays_of(forest))


def test_pickles_keep_them():
    forest = fitted("classes", keep_samples=True)
    assert same(arrays_of(pickle.loads(pickle.dumps(forest))), arrays_of(forest))


def test_a_forest_that_grows_on_keeps_all_its_trees():
    forest = fitted("classes", keep_samples=True, warm_start=True)
    forest.set_params(n_estimators=20).fit(FRAME, CLASSES)
    at_once = fitted("classes", keep_samples=True, n_estimators=20)
    assert same(arrays_of(forest), arrays_of(at_once))


def test_a_refit_without_them_has_none():
    forest = fitted("classes", keep_samples=True)
    forest.set_params(keep_samples=False).fit(FRAME, CLASSES)
    assert forest._grown.samples is None


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_any_number_of_threads(n_jobs):
    assert same(
        arrays_of(fitted("classes", keep_samples=True, n_jobs=n_jobs)),
        arrays_of(fitted("classes", keep_samples=True)),
    )


def test_the_summary_reports_their_size():
    forest = fitted("classes", keep_samples=True)
    assert forest._grown.samples.nbytes > 9 * N * 5
    assert "Training rows" in str(forest.summary())
    assert "Training rows" not in str(fitted("classes").summary())


def test_results_do_not_depend_on_them():
    forest = fitted("numbers", keep_samples=True)
    without = fitted("numbers")
    assert np.array_equal(forest.predict(FRAME), without.predict(FRAME))
