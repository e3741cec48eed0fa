"""Importances from rows that the forest was not fitted on; seeds, other names, printed parts."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_classification, make_regression

import silvics
from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

N = 120
X, CLASSES = make_classification(N, 6, n_informative=4, n_classes=3, random_state=0)
REAL, NUMBERS = make_regression(N, 6, n_informative=3, noise=3.0, random_state=0)
KINDS = ["mdi", "mda", "mda_tree", "surrogate", "mdi_oob", "ufi", "air", "local"]
UNSEEN = ["mda", "mda_tree", "mdi_oob", "ufi"]
FIRST, REST = slice(0, 80), slice(80, N)


def rows_of(kind, table=X, y=CLASSES):
    return {"mdi": (), "local": (table,)}.get(kind, (table, y))


# ---- Rows that are held out


FORESTS = {
    "classes": lambda: (RandomForestClassifier(1, random_state=0), X, CLASSES),
    "two outputs": lambda: (
        RandomForestClassifier(1, random_state=1), X, np.column_stack([CLASSES, CLASSES > 0]),
    ),
    "numbers": lambda: (RandomForestRegressor(1, random_state=0), REAL, NUMBERS),
    "far from zero": lambda: (RandomForestRegressor(1, random_state=0), REAL, 1e3 * NUMBERS + 1e7),
    "two numbers": lambda: (
        RandomForestRegressor(1, random_state=0), REAL, np.column_stack([NUMBERS, REAL[:, 0]]),
    ),
    "entropy": lambda: (RandomForestClassifier(1, criterion="entropy", random_state=2), X, CLASSES),
    "majority": lambda: (
        ForestClassifier("random_forest", vote="majority", n_estimators=1, random_state=0),
        X, CLASSES,
    ),
    "multiway": lambda: (
        ForestClassifier("id3", rows="subsample", max_samples=0.6, n_estimators=1, random_state=0),
        X.round(), CLASSES,
    ),
    "poisson": lambda: (
        RandomForestRegressor(1, criterion="poisson", random_state=0), REAL, np.abs(NUMBERS),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["mdi_oob", "ufi"])
@pytest.mark.parametrize("by", [None, "output"])
@pytest.mark.parametrize("name", FORESTS)
def test_the_rows_that_one_tree_did_not_draw(name, by, kind):
    """Given by themselves, they say what they say out of bag."""
    forest, table, y = FORESTS[name]()
    forest.fit(table, y)
    expected = forest.importances(kind, table, y, by=by)
    out = np.setdiff1d(np.arange(N), forest.estimators_samples_[0])
    found = forest.importances(kind, table[out], y[out], rows="held_out", by=by)
    scale = np.abs(expected.values).max()
    assert found.values == pytest.approx(expected.values, rel=1e-7, abs=1e-7 * scale)
    if by is not None:
        assert found.by_output == pytest.approx(expected.by_output, rel=1e-7, abs=1e-7 * scale)


@pytest.mark.parametrize("forest", [RandomForestClassifier(9), ExtraTreesClassifier(9)])
def test_permutations_of_rows_that_are_held_out(forest):
    """By hand: all trees predict all rows; also where they have drawn all rows of fit."""
    forest.set_params(random_state=0).fit(X[FIRST], CLASSES[FIRST])
    table, y = X[REST], CLASSES[REST]
    found = forest.importances("mda", table, y, rows="held_out", n_repeats=4, random_state=3)
    generator = np.random.RandomState(3)
    before = (forest.predict(table) != y).mean()
    expected = np.empty((4, 6))
    for j in range(6):
        for repeat in expected:
            other = table.copy()
            other[:, j] = table[generator.permutation(len(table)), j]
            repeat[j] = (forest.predict(other) != y).mean() - before
    assert found.replicates == pytest.approx(expected)
    assert found.impurity == pytest.approx(before)
    assert "held-out loss" in repr(found)
    per_tree = forest.importances("mda_tree", table, y, rows="held_out", random_state=3)
    assert len(per_tree.replicates) == 9
    losses = [(tree.predict(table) != y).mean() for tree in forest.estimators_]
    assert per_tree.impurity == pytest.approx(np.mean(losses))


def test_forests_whose_draws_are_not_known():
    learning = X[FIRST], CLASSES[FIRST]
    parts = [RandomForestClassifier(4, random_state=seed).fit(*learning) for seed in (0, 1)]
    merged = silvics.merge(parts)
    for kind in UNSEEN:
        with pytest.raises(ValueError, match='rows="held_out"'):
            merged.importances(kind, *learning)
        found = merged.importances(kind, X[REST], CLASSES[REST], rows="held_out", random_state=0)
        assert found.values.max() > 0
    for kind in ("mdi_oob", "ufi"):
        of_parts = [
            part.importances(kind, X[REST], CLASSES[REST], rows="held_out").values for part in parts
        ]
        found = merged.importances(kind, X[REST], CLASSES[REST], rows="held_out")
        assert found.values == pytest.approx(np.mean(of_parts, axis=0))


@pytest.mark.parametrize("kind", UNSEEN)
def test_errors_name_the_parameter(kind):
    forest = RandomForestClassifier(5, random_state=0).fit(X[FIRST], CLASSES[FIRST])
    with pytest.raises(ValueError, match=r'fitted on 80.*rows="held_out"'):
        forest.importances(kind, X[REST], CLASSES[REST])
    all_drawn = ExtraTreesClassifier(5, random_state=0).fit(X[FIRST], CLASSES[FIRST])
    with pytest.raises(ValueError, match=r'bootstrap=True.*rows="held_out"'):
        all_drawn.importances(kind, X[FIRST], CLASSES[FIRST])
    with pytest.raises(ValueError, match="41 rows, y has 40"):
        forest.importances(kind, X[79:], CLASSES[REST], rows="held_out")
    with pytest.raises(ValueError, match="were not in the y of fit: leave such rows out"):
        forest.importances(kind, X[REST], CLASSES[REST] + 1, rows="held_out")
    with pytest.raises(ValueError, match=r"rows must be one of.*Did you mean 'held_out'"):
        forest.importances(kind, X[REST], CLASSES[REST], rows="heldout")


@pytest.mark.parametrize("kind", ["mdi", "surrogate", "air", "local"])
def test_kinds_that_hold_nothing_out(kind):
    forest = RandomForestClassifier(3, random_state=0).fit(X, CLASSES)
    with pytest.raises(ValueError, match="rows= is not used by"):
        forest.importances(kind, *rows_of(kind), rows="held_out")


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestRegressor(3, criterion="absolute_error"),
        RandomForestRegressor(3, monotonic_cst=[1, 0, 0, 0, 0, 0]),
        ForestRegressor("random_forest", criterion="absolute_error", n_estimators=3),
    ],
)
@pytest.mark.parametrize("kind", ["mdi_oob", "ufi"])
def test_nodes_that_keep_no_means(forest, kind):
    forest.fit(REAL[FIRST], NUMBERS[FIRST])
    with pytest.raises(ValueError, match="means of Y stored at the nodes"):
        forest.importances(kind, REAL[REST], NUMBERS[REST], rows="held_out")
    assert forest.importances("mda", REAL[REST], NUMBERS[REST], rows="held_out").values.max() > 0


@pytest.mark.parametrize("kind", UNSEEN)
def test_rows_held_out_for_any_number_of_threads(kind):
    forest = RandomForestClassifier(70, random_state=0).fit(X[FIRST], CLASSES[FIRST])
    found = [
        forest.importances(kind, X[REST], CLASSES[REST], rows="held_out", n_jobs=n).replicates
        for n in (1, 2, 5)
    ]
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


# ---- Seeds and names


@pytest.mark.parametrize("kind", KINDS)
def test_two_calls_agree(kind):
    forest = RandomForestClassifier(30).fit(X, CLASSES)
    values = forest.importances(kind, *rows_of(kind)).values
    assert (forest.importances(kind, *rows_of(kind)).values == values).all()
    seeded = forest.importances(kind, *rows_of(kind), random_state=forest._grown.seed)
    assert (seeded.values == values).all()
    again = RandomForestClassifier(30, random_state=1).fit(X, CLASSES)
    other = RandomForestClassifier(30, random_state=1).fit(X, CLASSES)
    first = again.importances(kind, *rows_of(kind)).values
    assert (other.importances(kind, *rows_of(kind)).values == first).all()


def test_noise_of_two_calls_agrees():
    forest = RandomForestClassifier(30).fit(X, CLASSES)
    first = forest.importances("mdi", X, CLASSES, null="permuted", n_repeats=1).null
    assert (forest.importances("mdi", X, CLASSES, null="permuted", n_repeats=1).null == first).all()


def test_permutation_is_another_name():
    forest = RandomForestClassifier(30, random_state=0).fit(X, CLASSES)
    found = forest.importances("permutation", X, CLASSES)
    assert found.kind == "mda"
    assert (found.values == forest.importances("mda", X, CLASSES).values).all()
    select = silvics.importance.SelectByThreshold(forest, kind="permutation", random_state=0)
    named = select.fit(X, CLASSES).importances_
    assert named.kind == "mda"
    assert (named.values == select.set_params(kind="mda").fit(X, CLASSES).importances_.values).all()


def test_the_guide_promises_the_noise_part_of_the_kinds_that_have_it():
    forest = RandomForestClassifier(30, random_state=0).fit(X, CLASSES)
    assert forest.importances("mdi", X, CLASSES, null="auto").null is not None
    for kind in KINDS[1:]:
        with pytest.raises(ValueError, match="null= is not used by"):
            forest.importances(kind, *rows_of(kind), null="auto")
    text = " ".join((Path(__file__).parents[3] / "docs" / "importances.md").read_text().split())
    (promised,) = re.findall(r"`null=` estimates how much of the ([^.]*) importance", text)
    assert re.findall('"(.*?)"', promised) == ["mdi"]


# ---- Printed and labelled


@pytest.mark.parametrize("kind", ["mdi", "mda", "ufi"])
def test_classes_are_printed(kind):
    y = np.array(["ash", "elm", "oak"])[CLASSES]
    forest = RandomForestClassifier(30, random_state=0).fit(X, y)
    found = forest.importances(kind, X, y, by="class")
    lines = repr(found).splitlines()
    at = next(i for i, line in enumerate(lines) if "class ash" in line)
    assert lines[at].split() == [
        "variable", "importance", "standard_error", "class", "ash", "class", "elm", "class", "oak",
    ]  # fmt: skip
    order = np.argsort(-found.values, kind="stable")
    for line, j in zip(lines[at + 1 :], order, strict=True):
        name, value, error, *parts = line.split()
        assert name == found.names[j]
        assert (value, error) == (f"{found.values[j]:.4g}", f"{found.standard_errors[j]:.2g}")
        assert parts == [f"{part:.4g}" for part in found.by_class[j]]
    assert "class" not in repr(forest.importances(kind, X, y))


def test_outputs_are_printed_and_many_classes_are_not():
    y = np.column_stack([NUMBERS, REAL[:, 1]])
    forest = RandomForestRegressor(4, random_state=0).fit(REAL, y)
    assert "output 1" in repr(forest.importances("ufi", REAL, y, by="output"))
    many = np.arange(N) % 12
    forest = RandomForestClassifier(4, random_state=0).fit(X, many)
    text = repr(forest.importances("mdi", by="class"))
    assert "class 7" in text
    assert "class 8" not in text
    assert "... and 4 more columns: see to_frame()" in text


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_intervals_are_labelled(library):
    table = library({f"v{j}": X[:, j] for j in range(6)})
    forest = RandomForestClassifier(20, random_state=0).fit(table, CLASSES)
    found = forest.importances()
    frame = found.interval(random_state=0)
    assert isinstance(frame, library)
    assert list(frame.columns) == ["variable", "importance", "lower", "upper"]
    order = np.argsort(-found.values, kind="stable")
    assert list(frame["variable"]) == list(found.names[order])
    assert np.asarray(frame["importance"]) == pytest.approx(found.values[order])
    assert (np.asarray(frame["lower"]) <= np.asarray(frame["importance"])).all()
    assert (np.asarray(frame["importance"]) <= np.asarray(frame["upper"])).all()
