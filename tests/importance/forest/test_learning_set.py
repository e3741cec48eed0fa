"""Importances from rows that are not the learning set, and forests that cannot know it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import ExtraTreesClassifier as TheirExtraTrees
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.exceptions import NotFittedError

import silvics
from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

from . import plain_importances as plain
from .small_forests import (
    BY_LEAVES,
    BY_ROWS,
    CLASSES,
    HELD_OUT,
    HOLES,
    NAMES,
    NUMBERS,
    WEIGHTS,
    X,
    asked,
    grown,
)

# ---- What is not the learning set


@pytest.mark.parametrize("keep_samples", [True, False])
@pytest.mark.parametrize("kind", BY_ROWS)
def test_rows_in_another_order(kind, keep_samples):
    """The rows of fit have other leaves and draws if their order changes."""
    forest = grown(keep_samples=keep_samples)
    asked(forest, kind, X, CLASSES)
    for order in (slice(None, None, -1), np.roll(np.arange(len(X)), 1)):
        with pytest.raises(ValueError, match=r"the rows that the forest|y differs.*same order"):
            asked(forest, kind, X[order], CLASSES[order])
        with pytest.raises(ValueError, match="the rows that the forest"):
            asked(forest, kind, X[order], CLASSES)


def test_outputs_of_another_type_of_numbers_are_the_same():
    forest = RandomForestRegressor(30, random_state=0, keep_samples=True)
    forest.fit(X, NUMBERS.astype(np.float32))
    forest.importances("mda", X, NUMBERS, random_state=0)
    with pytest.raises(ValueError, match="y differs from the y"):
        forest.importances("mda", X, NUMBERS + 0.01, random_state=0)


def test_large_forests_are_not_restored(monkeypatch):
    monkeypatch.setattr("silvics._predicting.prediction._MANY_NODES", 10)
    forest = RandomForestRegressor(30, random_state=0, keep_samples=True).fit(X, NUMBERS)
    forest.importances("mda", X, NUMBERS, random_state=0)
    assert not forest._grown.trees.has_native


def test_kept_outputs_are_compared():
    for forest, y in [
        (RandomForestClassifier(4, random_state=0, keep_samples=True), CLASSES),
        (RandomForestRegressor(4, random_state=0, keep_samples=True), NUMBERS),
    ]:
        forest.fit(X, y)
        with pytest.raises(ValueError, match="y differs from the y that the forest was fitted on"):
            forest.importances("mda", X, y[::-1])
        forest.importances("mda", X[::-1], y[::-1], rows="held_out")


BY_LEAF = ("mdi_oob", "ufi")  # kinds that need leaves only, which a forest may have kept


@pytest.mark.parametrize("kind", BY_ROWS)
def test_rows_that_are_not_those_of_fit(kind):
    forest = grown()
    for table, y, message in [
        (X[:-1], CLASSES, "79 rows, y has 80, and the forest was fitted on 80"),
        (X, CLASSES[:-1], "pass the X and y of fit"),
        (X[:-1], CLASSES[:-1], "fitted on 80"),
        (X[:, :3], CLASSES, "3 features"),
        (X, np.column_stack([CLASSES, CLASSES]), "2 outputs"),
        (X, np.where(CLASSES == "oak", "elm", CLASSES), "were not in the y of fit"),
        (X, np.where(CLASSES == "oak", 1, 0), "were not in the y of fit"),
        (X, None, "needs the X and y"),
        (None, None, f"needs the {'training rows' if kind in BY_LEAF else 'X and y'}"),
        (np.where(X > 4, np.inf, X), CLASSES, "infinity"),
    ]:
        with pytest.raises(ValueError, match=message):
            asked(forest, kind, table, y)
    by_number = RandomForestClassifier(4, random_state=0).fit(X, CLASSES == "oak")
    with pytest.raises(ValueError, match="were not in the y of fit"):
        asked(by_number, kind)
    frame = pd.DataFrame(X, columns=NAMES)
    named = RandomForestClassifier(4, random_state=0).fit(frame, CLASSES)
    with pytest.raises(ValueError, match="feature names"):
        asked(named, kind, frame.set_axis(list("efgh"), axis=1))


@pytest.mark.parametrize("kind", BY_ROWS)
def test_classes_that_are_missing(kind):
    with pytest.raises(ValueError, match="y"):
        asked(grown(), kind, y=np.where(CLASSES == "oak", None, CLASSES))
    by_number = RandomForestClassifier(4, random_state=0).fit(X, CLASSES == "oak")
    with pytest.raises(ValueError, match="y contains NaN"):
        asked(by_number, kind, y=np.where(CLASSES == "oak", np.nan, 0.0))
    of_numbers = RandomForestRegressor(4, random_state=0).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="y contains NaN"):
        asked(of_numbers, kind, y=np.where(NUMBERS > 5, np.nan, NUMBERS))
    with pytest.raises(ValueError, match="must be numbers"):
        asked(of_numbers, kind, y=CLASSES)


@pytest.mark.parametrize("kind", BY_ROWS)
def test_the_same_rows_in_any_form(kind):
    forest = grown()
    expected = asked(forest, kind).values
    forms = [
        (X.tolist(), CLASSES.tolist()),
        (np.asfortranarray(X), CLASSES.astype(object)),
        (X, CLASSES.reshape(-1, 1)),
        (X, pd.Series(CLASSES, dtype="category")),
        (X, pl.Series(CLASSES)),
        (X[::-1][::-1], CLASSES),
    ]
    for table, y in forms:
        assert (asked(forest, kind, table, y).values == expected).all()


# ---- Forests that do not know enough


@pytest.mark.parametrize("kind", [*BY_ROWS, "mdi", "local"])
def test_not_fitted(kind):
    with pytest.raises(NotFittedError):
        RandomForestClassifier().importances(kind, X, CLASSES)


@pytest.mark.parametrize("kind", HELD_OUT)
def test_trees_that_saw_all(kind):
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        asked(grown(bootstrap=False), kind)


@pytest.mark.parametrize("kind", BY_LEAVES)
def test_rows_that_go_both_ways(kind):
    forest = ForestClassifier("random_forest", missing="both", n_estimators=3, random_state=0)
    forest = forest.fit(HOLES, CLASSES)
    with pytest.raises(ValueError, match='missing="both"'):
        asked(forest, kind, HOLES)
    with pytest.raises(ValueError, match='missing="both"'):
        forest.importances("local", HOLES)
    with pytest.raises(ValueError, match='missing="both"'):
        forest.importances("mdi", HOLES, CLASSES, null="held_out")


def from_file(forest, folder, **chosen):
    forest.save(folder / "forest", **chosen)
    return silvics.load(folder / "forest")


@pytest.mark.parametrize("kind", BY_ROWS)
def test_files(kind, tmp_path):
    weighted = RandomForestClassifier(4, random_state=0).fit(X, CLASSES, WEIGHTS)
    with pytest.raises(ValueError, match="training_rows=True"):
        asked(from_file(weighted, tmp_path), kind)
    again = from_file(weighted, tmp_path, training_rows=True)
    assert (asked(again, kind).values == asked(weighted, kind).values).all()
    plainly = from_file(grown(), tmp_path)
    assert (asked(plainly, kind).values == asked(grown(), kind).values).all()
    pickled = pickle.loads(pickle.dumps(weighted))
    assert (asked(pickled, kind).values == asked(weighted, kind).values).all()


def from_elsewhere(folder):
    """Forests that do not know which rows their trees drew."""
    blind = ExtraTreesClassifier(3, max_features=1, random_state=0)
    return {
        "merged": silvics.merge([grown(), grown()]),
        "merged blind": silvics.merge([blind.fit(X, CLASSES), blind.fit(X, CLASSES)]),
        "scikit-learn's": silvics.from_sklearn(TheirForest(4, random_state=0).fit(X, CLASSES)),
        "scikit-learn's blind": silvics.from_sklearn(
            TheirExtraTrees(4, max_features=1, random_state=0).fit(X, CLASSES)
        ),
        "file": from_file(
            RandomForestClassifier(4, random_state=0).fit(X, CLASSES, WEIGHTS), folder
        ),
        "blind file": from_file(blind.fit(X, CLASSES, WEIGHTS), folder),
    }


ELSEWHERE = [
    "merged",
    "merged blind",
    "scikit-learn's",
    "scikit-learn's blind",
    "file",
    "blind file",
]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_forests_from_elsewhere(name, tmp_path):
    forest = from_elsewhere(tmp_path)[name]
    for kind in BY_ROWS:
        with pytest.raises(ValueError, match="which rows each tree has drawn"):
            asked(forest, kind)
    # What needs no more than the trees is still known.
    local = forest.importances("local", X)
    assert local.local == pytest.approx(plain.local(forest, X), abs=1e-12)
    parts = forest.importances(by="class")
    assert parts.by_class.sum(axis=1) == pytest.approx(parts.values)
    assert forest.importances(min_samples=9).replicates == pytest.approx(plain.mdi(forest, 9))


@pytest.mark.parametrize("null", ["auto", "exact", "held_out"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_noise_of_forests_from_elsewhere(name, null, tmp_path):
    forest = from_elsewhere(tmp_path)[name]
    try:
        found = forest.importances("mdi", X, CLASSES, null=null, random_state=0)
    except ValueError as error:
        words = ("null=", "drawn", "sample_weight")
        assert any(word in str(error) for word in words)  # noqa: PT017
    else:  # by forests that are grown again, if at all
        assert null == "auto"
        assert "permuted Y" in repr(found)


def test_weights_that_a_file_does_not_tell(tmp_path):
    forest = RandomForestClassifier(4, random_state=0).fit(X, CLASSES, WEIGHTS)
    again = from_file(forest, tmp_path)
    for of in (forest, again):
        with pytest.raises(ValueError, match="sample_weight"):
            of.importances("mdi", X, CLASSES, null="permuted", random_state=0)
    with_weights = forest.importances(
        "mdi", X, CLASSES, null="permuted", random_state=0, sample_weight=WEIGHTS
    )
    assert (with_weights.null > 0).all()


def test_weights_of_rows_and_of_classes():
    forest = RandomForestClassifier(4, class_weight="balanced", random_state=0)
    forest = forest.fit(X, CLASSES, WEIGHTS)
    with pytest.raises(ValueError, match="sample_weight"):
        forest.importances("mdi", X, CLASSES, null="permuted", random_state=0)


# ---- Trees without rows to confirm by


def three_rows(wanted):
    """A forest of which some trees, as wanted, have drawn all of three rows."""
    table, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    for seed in range(500):
        forest = RandomForestClassifier(len(wanted), random_state=seed).fit(table, y)
        if [len(set(rows.tolist())) == 3 for rows in forest.estimators_samples_] == wanted:
            return forest, table, y
    raise AssertionError("no such seed")


@pytest.mark.parametrize("kind", HELD_OUT)
def test_some_trees_that_drew_all_rows(kind):
    forest, table, y = three_rows([True, False, False])
    found = asked(forest, kind, table, y)
    assert np.isfinite(found.values).all()
    assert "nan" not in repr(found).split("+-")[0]


def on_all_rows(weights=None):
    return ForestClassifier(
        "random_forest", rows="subsample", max_samples=1.0, n_estimators=3, random_state=0
    ).fit(X, CLASSES, weights)


@pytest.mark.parametrize("kind", HELD_OUT)
def test_all_trees_that_drew_all_rows(kind):
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        asked(on_all_rows(), kind)


@pytest.mark.parametrize("kind", ["mdi_oob", "ufi"])
def test_all_trees_that_drew_all_rows_that_weigh(kind):
    with pytest.raises(ValueError, match=r"drawn|seen|out of bag"):
        asked(on_all_rows(np.repeat([0.0, 1.0], [20, 60])), kind)


def test_noise_where_nothing_is_held_out():
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        on_all_rows().importances("mdi", X, CLASSES, null="held_out")


@pytest.mark.parametrize("kind", [*BY_ROWS, "local"])
def test_progress_gets_to_its_end(kind):
    forest, table, y = three_rows([False, False, True])
    told = []
    rows = (table,) if kind == "local" else (table, y)
    forest.importances(kind, *rows, progress=lambda done, total: told.append((done, total)))
    done = [d for d, _ in told]
    assert {total for _, total in told} == {3}
    assert done == sorted(set(done))
    assert done[-1] == 3


def test_rows_of_no_weight():
    weights = np.repeat([0.0, 1.0], [20, 60])
    forest = RandomForestClassifier(4, random_state=0).fit(X, CLASSES, weights)
    bags = plain.in_bag(forest, CLASSES)
    out = [(bag == 0) * weights for bag in bags]
    for kind, reference in (("mdi_oob", plain.mdi_oob), ("ufi", plain.ufi)):
        expected = reference(forest, X, CLASSES, bags, out).sum(axis=2)
        assert asked(forest, kind).replicates == pytest.approx(expected, abs=1e-12)
    # What they are does not matter. ("mda" and "mda_tree" count rows, whatever they weigh.)
    other, others = X.copy(), CLASSES.copy()
    other[:20] = X[60:]
    others[:20] = CLASSES[60:]
    for kind in BY_LEAVES:
        assert (asked(forest, kind, other, others).values == asked(forest, kind).values).all()


@pytest.mark.parametrize("kind", BY_ROWS)
@pytest.mark.parametrize(
    "labels",
    [
        np.full(80, "2026-01-01", "M8[D]"),
        np.full(80, 1, "m8[s]"),
        np.array([1, "oak"] * 40, dtype=object),
        np.full(80, b"oak"),
    ],
    ids=["dates", "durations", "mixed", "bytes"],
)
def test_labels_of_another_type_than_the_classes(kind, labels):
    with pytest.raises(ValueError, match="were not in the y of fit"):
        asked(grown(), kind, X, labels)


@pytest.mark.parametrize("kind", BY_ROWS)
@pytest.mark.parametrize(
    "y",
    [
        np.full(80, "NaT", "M8[s]"),
        np.where(np.arange(80) > 7, CLASSES.astype(object), None),
        pd.Series(np.where(np.arange(80) > 7, 1.0, np.nan)),
        np.ma.masked_array(np.ones(80), np.arange(80) < 8),
    ],
    ids=["NaT", "None", "NaN", "masked"],
)
def test_outputs_that_are_missing(kind, y):
    with pytest.raises(ValueError, match="missing"):
        asked(grown(), kind, X, y)
