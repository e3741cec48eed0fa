"""One table has one coding, whichever library holds it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from .coded_tables import learn, read, values

EAST = timezone(timedelta(hours=5, minutes=30))

# Each column: its values, and its type in Arrow.
COLUMNS = {
    "float": ([1.5, -0.0, 2.25, 1e300], pa.float64()),
    "float with nulls": ([1.5, None, 2.25, None], pa.float32()),
    "integer": ([3, -1, 2**53, 0], pa.int64()),
    "integer with nulls": ([3, None, 2**53, 0], pa.int64()),
    "small": ([3, None, 255, 0], pa.uint8()),
    "bool": ([True, False, True, True], pa.bool_()),
    "bool with nulls": ([True, None, False, None], pa.bool_()),
    "text": (["b", "a", "é", "01"], pa.string()),
    "text with nulls": (["b", None, "1", ""], pa.string()),
    "decimal": ([Decimal("0.29"), None, Decimal("1.13"), Decimal("2.01")], pa.decimal128(9, 2)),
    "date": ([date(1960, 2, 29), None, date(2024, 1, 1), date(1970, 1, 1)], pa.date32()),
    "time": (
        [
            datetime(1969, 12, 31, 23, 59, 59, 999999),
            None,
            datetime(2024, 1, 1),
            datetime(2000, 1, 1),
        ],
        pa.timestamp("us"),
    ),
    "instant": (
        [
            datetime(2024, 1, 1, 5, 30, tzinfo=EAST),
            None,
            datetime(2024, 1, 1, tzinfo=UTC),
            datetime(1960, 1, 1, tzinfo=UTC),
        ],
        pa.timestamp("ns", "Asia/Kolkata"),
    ),
    "duration": (
        [timedelta(days=-1), None, timedelta(microseconds=7), timedelta(1)],
        pa.duration("us"),
    ),
    "time of day": ([time(1, 2, 3, 4), None, time(0), time(23, 59)], pa.time64("us")),
    "nothing": ([None] * 4, pa.null()),
}


def as_numpy(names):
    X = np.empty((4, len(names)), dtype=object)
    for j, name in enumerate(names):
        X[:, j] = COLUMNS[name][0]
    return X


def as_arrow(names):
    return pa.table({name: pa.array(*COLUMNS[name]) for name in names})


LIBRARIES = {
    "numpy": as_numpy,
    "lists": lambda names: as_numpy(names).tolist(),
    "pandas objects": lambda names: pd.DataFrame(
        {name: pd.Series(COLUMNS[name][0], dtype=object) for name in names}
    ),
    "pandas": lambda names: pd.DataFrame({name: COLUMNS[name][0] for name in names}),
    "pandas nullable": lambda names: pd.DataFrame(
        {name: COLUMNS[name][0] for name in names}
    ).convert_dtypes(),
    "pandas of arrow": lambda names: as_arrow(names).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda names: pl.DataFrame({name: COLUMNS[name][0] for name in names}, strict=False),
    "polars from arrow": lambda names: pl.from_arrow(as_arrow(names)),
    "pyarrow": as_arrow,
    "chunks": lambda names: pa.concat_tables(
        [as_arrow(names).slice(0, 1), as_arrow(names).slice(1, 3)]
    ),
    "polars chunks": lambda names: pl.concat(
        [pl.from_arrow(as_arrow(names))[:1], pl.from_arrow(as_arrow(names))[1:]], rechunk=False
    ),
    "narwhals": lambda names: nw.from_native(pl.from_arrow(as_arrow(names))),
}


def assert_same(one, other):
    assert one.kinds == other.kinds
    for a, b in zip(one.levels, other.levels, strict=True):
        if a is None:
            assert b is None
        else:
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist()
            assert [type(v) for v in a.tolist()] == [type(v) for v in b.tolist()]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("features", ["from_dtype", [0]])
def test_a_column_has_one_coding(name, library, features):
    expected, blocks = learn(as_numpy([name]), categorical_features=features)
    X = LIBRARIES[library]([name])
    variables, found = learn(X, categorical_features=features)
    assert_same(variables, expected)
    np.testing.assert_array_equal(values(found), values(blocks))
    assert found.n_levels == blocks.n_levels == variables.n_levels
    assert found.shape == (4, 1)
    again = read(expected, X)
    np.testing.assert_array_equal(values(again), values(blocks))
    if features == [0]:
        assert again.blocks[0].dtype == found.blocks[0].dtype == np.int8


@pytest.mark.parametrize("library", LIBRARIES)
def test_all_columns_together(library):
    names = list(COLUMNS)
    expected, blocks = learn(as_numpy(names))
    variables, found = learn(LIBRARIES[library](names))
    assert_same(variables, expected)
    np.testing.assert_array_equal(values(found), values(blocks))
    assert found.n_levels == blocks.n_levels
    if library in ("numpy", "lists"):
        assert variables.names is None
    else:
        assert variables.names.dtype == object
        assert variables.names.tolist() == names


def test_what_the_codes_are():
    names = ["float with nulls", "text with nulls", "bool with nulls", "date", "time", "instant"]
    names += ["duration", "time of day", "nothing", "integer"]
    variables, blocks = learn(as_arrow(names))
    assert variables.kinds == (
        "number", "category", "number", "date", "date", "date", "duration", "duration",
        "nothing", "number",
    )  # fmt: skip
    assert variables.levels[1].tolist() == ["", "1", "b"]
    assert blocks.n_levels == [-1, 3] + [-1] * 8
    assert variables.is_categorical.tolist() == [False, True] + [False] * 8
    nan, day = np.nan, 86_400_000_000
    found = values(blocks)
    expected = [
        [1.5, nan, 2.25, nan],
        [2, -1, 1, 0],
        [1, nan, 0, nan],
        [-3594 * day, nan, 19723 * day, 0],
        [-1, nan, 19723 * day, 10957 * day],
        [19723 * day, nan, 19723 * day, -3653 * day],
        [-day, nan, 7, day],
        [3_723_000_004, nan, 0, 86_340_000_000],
        [nan] * 4,
        [3, -1, 2**53, 0],
    ]
    np.testing.assert_array_equal(found, np.transpose(expected))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_units_of_time(unit):
    times = np.array(["1960-01-01T00:00:01", "NaT", "2024-02-29T12:00:00"], dtype=f"M8[{unit}]")
    expected = np.array([[-315619199e6], [np.nan], [1709208e9]])
    frames = [times[:, np.newaxis], pd.DataFrame({"t": times})]
    frames += [pa.table({"t": pa.array(times)}), times[:, np.newaxis].astype(object)]
    frames += [
        pd.DataFrame({"t": pd.Series(times).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")})
    ]
    if unit != "s":
        frames.append(pl.DataFrame({"t": times}))
    if unit == "ns":
        frames.pop(3)  # NumPy gives bare integers
    for X in frames:
        variables, blocks = learn(X)
        assert variables.kinds == ("date",)
        np.testing.assert_array_equal(values(blocks), expected)


def test_nanoseconds_round_down_everywhere():
    times = np.array([-1, 999, 1000], dtype="M8[ns]")
    for X in (times[:, None], pd.DataFrame({"t": times}), pl.DataFrame({"t": times})):
        assert values(learn(X)[1]).ravel().tolist() == [-1, 0, 1]


# ---- category types

TEXT = ["pear", None, "apple", "pear"]
UNUSED = ["zebra", "pear", "apple", "aardvark"]


def categories_of_text():
    arrow = pa.DictionaryArray.from_arrays(pa.array([1, None, 2, 1], pa.uint8()), pa.array(UNUSED))
    chunks = pa.chunked_array(
        [pa.array(TEXT[:2]).dictionary_encode(), pa.array(TEXT[2:]).dictionary_encode()]
    )
    return {
        "pandas": pd.DataFrame({"c": pd.Categorical(TEXT, categories=UNUSED)}),
        "pandas str": pd.DataFrame({"c": pd.Series(TEXT, dtype="str").astype("category")}),
        "pandas arrow": pd.DataFrame({"c": pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type))}),
        "polars": pl.DataFrame({"c": pl.Series(TEXT, dtype=pl.Categorical)}),
        "polars slice": pl.DataFrame({"c": pl.Series(["zebra", *TEXT], dtype=pl.Categorical)})[1:],
        "pyarrow": pa.table({"c": arrow}),
        "pyarrow chunks": pa.table({"c": chunks}),
        "numpy": np.array(TEXT, dtype=object)[:, np.newaxis],
        "StringDType": np.array(TEXT, dtype=np.dtypes.StringDType(na_object=None))[:, np.newaxis],
    }


@pytest.mark.parametrize("library", categories_of_text())
def test_only_seen_levels_are_kept(library):
    X = categories_of_text()[library]
    variables, blocks = learn(X)
    assert variables.kinds == ("category",)
    assert variables.levels[0].tolist() == ["apple", "pear"]
    assert variables.levels[0].dtype == object
    assert blocks.n_levels == [2]
    assert blocks.blocks[0].ravel().tolist() == [1, -1, 0, 1]
    for other in categories_of_text().values():
        assert read(variables, other).blocks[0].ravel().tolist() == [1, -1, 0, 1]


ORDER = ["small", "middle", "large", "huge"]


def ordered(kind):
    cells = ["large", None, "small", "large"]
    arrow = pa.DictionaryArray.from_arrays([2, None, 0, 2], ORDER, ordered=True)
    return {
        "pandas": lambda: pd.DataFrame({"c": pd.Categorical(cells, ORDER, ordered=True)}),
        "polars": lambda: pl.DataFrame({"c": pl.Series(cells, dtype=pl.Enum(ORDER))}),
        "pyarrow": lambda: pa.table({"c": arrow}),
        "pandas arrow": lambda: pd.DataFrame(
            {"c": pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type))}
        ),
    }[kind]()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "pandas arrow"])
def test_ordered_categories_are_positions(library):
    variables, blocks = learn(ordered(library))
    assert variables.kinds == ("ordered",)
    assert variables.levels[0].tolist() == ORDER
    assert variables.levels[0].dtype == object
    assert blocks.n_levels == [] == variables.n_levels
    assert not variables.is_categorical.any()
    np.testing.assert_array_equal(values(blocks), [[2], [np.nan], [0], [2]])
    # By name, whatever the type: and a declared level is known, though it was never seen.
    cells = np.array([["huge"], ["small"], [None], ["tiny"]], dtype=object)
    np.testing.assert_array_equal(values(read(variables, cells)), [[3], [0], [np.nan], [np.nan]])
    for unknown in ("missing", "heavier"):
        found = values(read(variables, cells, unknown_category=unknown))
        np.testing.assert_array_equal(found, [[3], [0], [np.nan], [np.nan]])
    with pytest.raises(ValueError, match=r"column 'c' has categories .*: 'tiny'"):
        read(variables, cells, unknown_category="error")
    assert learn(ordered(library), categorical_features=[0])[0].kinds == ("category",)
    assert learn(ordered(library), categorical_features=None)[0].kinds == ("ordered",)


def test_an_unused_level_of_a_type_is_not_an_unknown_one():
    variables, _ = learn(pd.DataFrame({"c": pd.Categorical(["a", "b"])}))
    X = pd.DataFrame({"c": pd.Categorical(["a", "b"], ["z", "b", "a"], ordered=True)})
    blocks = read(variables, X, unknown_category="error")
    assert blocks.blocks[0].ravel().tolist() == [0, 1]


def test_categories_that_are_numbers():
    expected = None
    for X in (
        pd.DataFrame({"c": pd.Categorical([10, 2, None, 2], categories=[7, 10, 2])}),
        pd.DataFrame({"c": pd.Categorical([10.0, 2.0, None, 2.0])}),
        pa.table({"c": pa.array([10, 2, None, 2]).dictionary_encode()}),
    ):
        variables, blocks = learn(X)
        assert variables.levels[0].tolist() == [2.0, 10.0]
        assert variables.levels[0].dtype == np.float64
        assert blocks.blocks[0].ravel().tolist() == [1, 0, -1, 0]
        expected = expected or variables
        assert_same(variables, expected)
        as_number, numbers = learn(X, categorical_features=None)
        assert as_number.kinds == ("number",)
        np.testing.assert_array_equal(values(numbers), [[10], [2], [np.nan], [2]])


def test_categories_of_intervals_and_times():
    cut = pd.DataFrame({"c": pd.cut([1, 5, 9, np.nan], [0, 4, 6, 10])})
    variables, blocks = learn(cut)
    assert variables.kinds == ("ordered",)
    assert variables.levels[0].tolist() == ["(0, 4]", "(4, 6]", "(6, 10]"]
    np.testing.assert_array_equal(values(blocks), [[0], [1], [2], [np.nan]])
    days = pd.DataFrame({"c": pd.Categorical(pd.to_datetime(["2024-01-02", "2024-01-01", None]))})
    variables, blocks = learn(days)
    assert variables.levels[0].dtype == "M8[us]"
    assert blocks.blocks[0].ravel().tolist() == [1, 0, -1]


# ---- no copies


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.uint16, np.int64, bool])
def test_arrays_are_not_copied(dtype):
    X = np.arange(24).reshape(4, 6).astype(dtype)
    for view in (X, np.asfortranarray(X), X[::2, ::-1], X.T):
        _, blocks = learn(view)
        assert len(blocks.blocks) == 1
        assert blocks.blocks[0].shape == view.shape
        assert np.shares_memory(blocks.blocks[0], view)
    X = pd.DataFrame(X)
    variables, blocks = learn(X)
    assert len(blocks.blocks) == 1
    assert np.shares_memory(blocks.blocks[0], X.to_numpy())
    assert np.shares_memory(read(variables, X).blocks[0], X.to_numpy())


def test_numbers_beside_categories_stay_in_place():
    X = np.arange(24.0).reshape(4, 6)
    variables, blocks = learn(X, categorical_features=[2])
    assert [block.shape[1] for block in blocks.blocks] == [2, 1, 3]
    assert [np.shares_memory(block, X) for block in blocks.blocks] == [True, False, True]
    assert blocks.n_levels == [-1, -1, 4, -1, -1, -1]
    found = read(variables, X).blocks
    assert all(np.array_equal(a, b) for a, b in zip(found, blocks.blocks, strict=True))


def test_columns_of_frames_are_not_copied():
    numbers = {"a": np.arange(3.0), "b": np.arange(3), "c": np.arange(3, dtype=np.float32)}
    frames = {
        "pandas": (pd.DataFrame(numbers | {"s": ["x", "y", "x"]}), lambda X, c: X[c].to_numpy()),
        "polars": (pl.DataFrame(numbers | {"s": ["x", "y", "x"]}), lambda X, c: X[c].to_numpy()),
        "pyarrow": (
            pa.table(numbers | {"s": ["x", "y", "x"]}),
            lambda X, c: X[c].chunk(0).to_numpy(),
        ),
    }
    for X, column in frames.values():
        _, blocks = learn(X)
        for j, name in enumerate(numbers):
            assert blocks.blocks[j].shape == (3, 1)
            assert np.shares_memory(blocks.blocks[j], column(X, name))


def test_a_frame_of_several_arrays_is_read_by_column():
    columns = {"a": np.arange(3.0), "b": np.arange(3.0)}
    X = pd.concat([pd.DataFrame({n: c}, copy=False) for n, c in columns.items()], axis=1)
    found = values(learn(X)[1])
    np.testing.assert_array_equal(found, X.to_numpy())


def test_wide_types_in_frames():
    X = pd.DataFrame({"a": np.arange(3, dtype=np.float16), "b": np.arange(3, dtype=np.float16)})
    assert learn(X)[1].blocks[0].dtype == np.float32
    X = pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int128)})
    np.testing.assert_array_equal(values(learn(X)[1]), [[1], [np.nan]])
    X = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0]), "b": [1, 2]})
    np.testing.assert_array_equal(values(learn(X)[1]), [[0, 1], [1, 2]])
