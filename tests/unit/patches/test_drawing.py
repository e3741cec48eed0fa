"""Patches for models of any kind: the rows and columns of those of the forests."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from silvics import RandomPatchesClassifier, _core, patches, scan

from .scanned_tables import table, write_parts

TABLE = table(1000)


def test_patches_are_parts_of_the_table(tmp_path):
    pattern = write_parts(TABLE, tmp_path)
    sources = [TABLE, pl.from_pandas(TABLE), scan(pattern), pattern, pl.scan_parquet(pattern)]
    for source in sources:
        drawn = list(patches.draw(source, "kind", n_patches=3, random_state=0))
        assert len(drawn) == 3
        for patch in drawn:
            assert len(patch.rows) == 250
            assert len(patch.columns) == 6
            X = patch.X.to_pandas() if isinstance(patch.X, pl.DataFrame | pa.Table) else patch.X
            expected = TABLE.loc[patch.rows, patch.columns].reset_index(drop=True)
            pd.testing.assert_frame_equal(X.reset_index(drop=True), expected, check_dtype=False)
            assert patch.y.tolist() == TABLE.kind[patch.rows].tolist()


def test_they_are_the_patches_of_a_forest():
    X = TABLE[["x0", "x1", "x2", "small"]].to_numpy()
    forest = RandomPatchesClassifier(n_estimators=4, random_state=7).fit(X, TABLE.kind)
    drawn = list(patches.draw(X, TABLE.kind, n_patches=4, random_state=7))
    for tree, patch, seed in zip(
        forest.estimators_samples_, drawn, _core.tree_seeds(7, 0, 4), strict=True
    ):
        np.testing.assert_array_equal(patch.rows, tree)
        assert patch.columns == _core.tree_columns(seed, 4, 2).tolist()
        np.testing.assert_array_equal(patch.X, X[np.ix_(patch.rows, patch.columns)])
        np.testing.assert_array_equal(patch.y, TABLE.kind[patch.rows])


@pytest.mark.parametrize("model", [KNeighborsClassifier, LinearRegression])
def test_any_model_can_be_bagged_from_files(tmp_path, model):
    frame = TABLE[["x0", "x1", "x2"]].assign(y=(TABLE.x0 + TABLE.x1 > 0).astype(int))
    path = write_parts(frame, tmp_path)
    X, predictions = frame.drop(columns="y"), []
    for patch in patches.draw(path, "y", n_patches=15, max_columns=2, random_state=0):
        fitted = model().fit(patch.X.to_pandas(), patch.y)
        predictions.append(fitted.predict(X[patch.columns]))
    assert np.mean((np.mean(predictions, axis=0) > 0.5) == frame.y) > 0.85


def test_memory_determines_passes_and_what_does_not_fit_is_refused(monkeypatch):
    from silvics.patches import drawing

    expected = [patch.rows for patch in patches.draw(TABLE, n_patches=5, random_state=0)]
    monkeypatch.setattr(drawing.memory, "available", lambda: 2 * 250 * 7 * 16 * 2)
    found = [patch.rows for patch in patches.draw(TABLE, n_patches=5, random_state=0)]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="Lower max_samples"):
        next(patches.draw(TABLE, max_memory="1kB"))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"max_samples": 2000}, "max_samples=2000"),
        ({"max_columns": 0}, "max_columns=0"),
        ({"y": "kinds"}, "Did you mean 'kind'"),
        ({"y": [1, 2]}, "y has 2"),
    ],
)
def test_other_values_are_refused(settings, text):
    with pytest.raises(ValueError, match=text):
        list(patches.draw(TABLE, **settings))


@pytest.mark.parametrize("name", ["bootstrap", "stratified", "groups"])
def test_other_draws_are_those_of_a_forest(tmp_path, name):
    groups = np.random.default_rng(0).integers(0, 30, len(TABLE))
    X = TABLE[["x0", "x1", "x2", "small"]]
    draw = {} if name == "groups" else {"draw": name}
    given = {"groups": groups} if name == "groups" else {}
    forest = RandomPatchesClassifier(n_estimators=3, random_state=7, max_samples=0.2, **draw)
    counts = forest.fit(X, TABLE.kind, **given).in_bag_counts()
    named = X.assign(kind=TABLE.kind, g=groups)
    path = write_parts(named if name == "groups" else named.drop(columns="g"), tmp_path)
    settings = {"n_patches": 3, "random_state": 7, "max_samples": 0.2, **draw}
    in_files = patches.draw(path, "kind", **settings, **({"groups": "g"} if given else {}))
    in_memory = patches.draw(X.to_numpy(), TABLE.kind, **settings, **given)
    for of_tree, a, b in zip(counts.T, in_files, in_memory, strict=True):
        np.testing.assert_array_equal(np.bincount(a.rows, minlength=len(TABLE)), of_tree)
        np.testing.assert_array_equal(a.rows, b.rows)
        assert a.y.tolist() == b.y.tolist() == TABLE.kind[a.rows].tolist()
        np.testing.assert_array_equal(a.X.to_pandas().to_numpy(), X.loc[a.rows, a.columns])


def test_draws_that_need_what_is_not_given():
    for settings, text in [
        ({"draw": "stratified"}, "pass y"),
        ({"draw": "bootstrap", "groups": "kind"}, "groups are drawn as a whole"),
        ({"draw": "importance"}, "draw must be one of"),
        ({"groups": np.zeros(3)}, "The table has 1000 rows, groups has 3"),
        ({"groups": "knid"}, "Did you mean 'kind'"),
    ]:
        with pytest.raises(ValueError, match=text):
            patches.draw(TABLE, **settings)
    missing = TABLE.assign(g=np.where(TABLE.x0 > 0, 1.0, np.nan))
    with pytest.raises(ValueError, match=r"rows 0 to 999: groups has missing values"):
        patches.draw(missing, groups="g")


@pytest.mark.parametrize("draw", ["uniform", "bootstrap", "stratified"])
def test_patches_have_the_weights_of_their_rows(tmp_path, draw):
    """Those by which the forest multiplies the rows; their column is no input."""
    settings = {"n_patches": 3, "random_state": 7, "draw": draw}
    path = write_parts(TABLE, tmp_path)
    without = patches.draw(TABLE.drop(columns="w"), "kind", **settings)
    named = patches.draw(path, "kind", sample_weight="w", **settings)
    given = patches.draw(TABLE.drop(columns="w"), "kind", sample_weight=TABLE.w, **settings)
    for a, b, c in zip(without, named, given, strict=True):
        assert a.columns == b.columns == c.columns
        assert a.sample_weight is None
        for patch in (b, c):
            np.testing.assert_array_equal(patch.rows, a.rows)
            np.testing.assert_array_equal(patch.sample_weight, TABLE.w[patch.rows])
            assert patch.y.tolist() == TABLE.kind[patch.rows].tolist()


def test_weights_that_cannot_be_used(tmp_path):
    for settings, text in [
        ({"y": "w", "sample_weight": "w"}, "y and sample_weight both name the column 'w'"),
        ({"y": "w", "groups": "w"}, "y and groups both name the column 'w'"),
        ({"sample_weight": "W"}, "sample_weight='W' is not a column"),
        ({"sample_weight": np.ones(3)}, "The table has 1000 rows, sample_weight has 3"),
        ({"sample_weight": 1.0}, "The table has 1000 rows, sample_weight has 1"),
        (
            {"sample_weight": "level"},
            r"rows 0 to \d+: sample_weight='level' must be a column of nu",
        ),
        ({"sample_weight": "x0"}, r"part-0.parquet, rows .*: sample_weight='x0' has values that"),
    ]:
        with pytest.raises(ValueError, match=text):
            list(patches.draw(write_parts(TABLE, tmp_path), **settings))


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_bad_numbers_of_patches(n):
    with pytest.raises(ValueError, match="n_patches must be a positive integer"):
        patches.draw(np.eye(4), n_patches=n)
