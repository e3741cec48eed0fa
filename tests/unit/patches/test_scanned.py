"""Errors in files name the file and the rows; y and weights may be columns or arrays."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, scan
from silvics.patches import filling, plan
from silvics.patches.scanned import _places

from .scanned_tables import table, write_parts

TABLE = table(600)


def fit(source, y="price", **settings):
    return RandomPatchesRegressor(n_estimators=2, random_state=0).fit(source, y, **settings)


def written(tmp_path, change):
    frame = TABLE.drop(columns=["kind", "w"]).copy()
    change(frame)
    return scan(write_parts(frame, tmp_path, 2))


def test_values_that_cannot_be_used_are_named_with_their_file(tmp_path):
    def infinite(frame):
        frame.loc[450, "x1"] = np.inf

    with pytest.raises(ValueError, match=r"part-1.parquet, rows \d+ to \d+: .*infinity"):
        RandomPatchesRegressor(n_estimators=2, max_columns=1.0).fit(
            written(tmp_path, infinite), "price"
        )


def test_missing_outputs_are_named_with_their_file(tmp_path):
    def missing(frame):
        frame.loc[450, "price"] = np.nan

    with pytest.raises(ValueError, match=r"part-1.parquet, rows .*: Input y contains NaN"):
        fit(written(tmp_path, missing))


def test_arrays_of_outputs_and_weights_beside_a_scan(tmp_path):
    source = scan(write_parts(TABLE, tmp_path), columns=["x0", "x1", "level"])
    forest = fit(source, TABLE.price, sample_weight=TABLE.w)
    expected = fit(TABLE[["x0", "x1", "level"]], TABLE.price, sample_weight=TABLE.w)
    assert forest.digest() == expected.digest()
    with pytest.raises(ValueError, match="X has 600 rows, y has 599"):
        fit(source, TABLE.price[:-1])


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"y": "prise"}, "Did you mean 'price'"),
        ({"y": None}, "needs y"),
        ({"sample_weight": "weight"}, "sample_weight='weight' is not a column"),
        ({"sample_weight": "x0"}, "negative"),
    ],
)
def test_columns_that_are_not_there_or_are_no_weights(settings, text):
    with pytest.raises(ValueError, match=text):
        fit(scan(TABLE.drop(columns="kind")), **{"y": "price"} | settings)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"y": "w", "sample_weight": "w"}, "y and sample_weight both name the column 'w'"),
        ({"y": "w", "groups": "w"}, "y and groups both name the column 'w'"),
        ({"y": ["x0", "x0"]}, "y names the column 'x0' twice"),
        ({"y": ["x0", "w"], "sample_weight": "w"}, "y and sample_weight both name"),
        ({"sample_weight": "level"}, "sample_weight='level' must be a column of numbers.* '[a-g]'"),
        ({"sample_weight": "when"}, "sample_weight='when' must be a column of numbers"),
        ({"sample_weight": 2.0}, "sample_weight has 1 values, but the table has 600 rows"),
    ],
)
def test_columns_with_two_purposes_and_weights_that_are_no_numbers(settings, text):
    for frame in (TABLE, pl.from_pandas(TABLE)):
        with pytest.raises(ValueError, match=text):
            fit(scan(frame.drop(columns="kind")) if frame is TABLE else scan(frame),
                **{"y": "price"} | settings)  # fmt: skip


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("n", [3, 599, 601])
def test_weights_and_outputs_of_another_length(tmp_path, kind, n):
    """The rows of a CSV file are not counted before they are read."""
    frame = TABLE[["x0", "level", "kind"]]
    path = tmp_path / f"t.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    forest = RandomPatchesClassifier(n_estimators=2)
    with pytest.raises(ValueError, match=rf"sample_weight has {n} values, but the table has"):
        forest.fit(path, "kind", sample_weight=np.ones(n))
    with pytest.raises(ValueError, match=rf"groups has {n} values, but"):
        forest.fit(path, "kind", groups=np.arange(n))
    y = np.resize(TABLE.kind, n)
    with pytest.raises(ValueError, match=rf"y has {n}"):
        forest.fit(path, y, sample_weight=np.ones(600))


def test_a_scan_of_outputs_only_or_without_rows():
    with pytest.raises(ValueError, match="no column besides"):
        fit(scan(TABLE[["price"]]))
    with pytest.raises(ValueError, match="no rows in the table in memory"):
        fit(scan(TABLE[:0]))


def test_continuous_outputs_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type"):
        RandomPatchesClassifier().fit(scan(TABLE[["x0", "price"]]), "price")


def test_categories_that_are_numbers_or_times(tmp_path):
    frame = TABLE[["x0", "small", "when", "price"]].copy()
    frame["when"] = frame.when.dt.floor("D")
    frame["gap"] = np.where(frame.small > 50, np.nan, frame.small % 7)
    settings = {"n_estimators": 4, "random_state": 0, "max_columns": 1.0}
    settings["categorical_features"] = ["small", "when", "gap"]
    X = frame.drop(columns="price")
    expected = RandomPatchesRegressor(**settings).fit(X, frame.price)
    scanned = RandomPatchesRegressor(**settings).fit(scan(write_parts(frame, tmp_path)), "price")
    assert scanned.digest() == expected.digest()
    for a, b in zip(scanned.categories_, expected.categories_, strict=True):
        pd.testing.assert_series_equal(pd.Series(a), pd.Series(b))


def test_a_table_that_shrinks_between_passes_is_noticed():
    class Shrinking(type(scan(TABLE).source)):
        def batches(self, columns, n_rows):
            yield from list(super().batches(columns, 100))[: 5 if self.seen else None]
            self.seen = True

    source = Shrinking(TABLE.drop(columns="kind"))
    source.seen = False
    scanned = scan(TABLE.drop(columns="kind"))
    object.__setattr__(scanned, "source", source)
    with pytest.raises(ValueError, match="must not change during fit"):
        fit(scanned)


def test_tables_whose_columns_have_no_names_or_numbers_for_names():
    X = np.random.default_rng(0).normal(size=(300, 4))
    mixed = X.astype(object)
    mixed[:, 3] = np.where(X[:, 3] > 0, "a", "b")
    framed = pd.DataFrame(X, columns=[4, 1, 0, 2])
    for source in (X, mixed, framed):
        made = RandomPatchesRegressor(n_estimators=5, max_columns=2, random_state=0)
        scanned = clone(made).fit(scan(source), X[:, 1])
        expected = made.fit(source, X[:, 1])
        assert scanned.digest() == expected.digest()
        np.testing.assert_array_equal(scanned.predict(scan(source)), expected.predict(source))
    some = scan(framed, columns=[0, 1])
    expected = made.fit(X[:, [2, 1]], X[:, 1]).digest()
    assert made.fit(some, X[:, 1]).digest() == expected


@pytest.mark.parametrize(
    "values",
    [np.array([3, -128, 3, 127, 0], np.int8), np.array([200, 255, 0, 255], np.uint8),
     np.array([True, False, True]), np.array([5, -7, 5, 1 << 40]), np.array([0.5, -1.0, 0.5]),
     np.array(["b", "a", "ccc", "a"]), np.array(["b", "a", "ccc", "a"], object)],
    ids=lambda values: values.dtype.name,
)  # fmt: skip
def test_classes_are_numbered_in_their_order(values):
    levels, places = np.unique(values, return_inverse=True)
    column = np.column_stack([values, values])[:, 1]  # with a stride
    np.testing.assert_array_equal(_places(column, levels), places)
    for gone in range(len(levels)):
        with pytest.raises(ValueError, match="an earlier pass has not seen"):
            _places(values, np.delete(levels, gone) if len(levels) > 1 else levels[:0])


def test_threads_that_share_patches_fill_them_alike(monkeypatch):
    monkeypatch.setattr(plan, "_MOST_BATCH_ROWS", 100)
    fewest, forests = filling._FEWEST_SHARED_VALUES, []
    for least in (fewest, 0):
        monkeypatch.setattr(filling, "_FEWEST_SHARED_VALUES", least)
        forest = RandomPatchesRegressor(n_estimators=5, random_state=0, n_jobs=3)
        forests.append(forest.fit(scan(TABLE.drop(columns=["kind"])), "price").digest())
    assert forests[0] == forests[1]
