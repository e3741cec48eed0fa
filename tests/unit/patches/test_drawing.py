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
