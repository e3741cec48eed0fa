"""Whatever a table comes in, it becomes blocks, or an error that says what to do."""

from __future__ import annotations

import pickle
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from scipy import sparse
from sklearn.utils import check_array

from silvics import RandomForestRegressor
from silvics.network import genie3

from .coded_tables import learn, read, values

NAN = np.nan


def objects(*columns):
    X = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        X[:, j] = column
    return X


# ---- arrays


@pytest.mark.parametrize(
    ("given", "expected"),
    [("f2", "f4"), ("g", "f8"), (">f8", "f8"), (">i4", "i4"), (">f4", "f4"), (">u8", "u8")],
)
def test_types_that_the_core_does_not_read(given, expected):
    X = np.array([[1, 2], [3, 4]], dtype=given)
    variables, blocks = learn(X)
    assert blocks.blocks[0].dtype == np.dtype(expected)
    assert blocks.blocks[0].dtype.isnative
    np.testing.assert_array_equal(blocks.blocks[0], [[1, 2], [3, 4]])
    assert variables.kinds == ("number", "number")
    assert variables.levels == (None, None)
    assert blocks.n_levels == []


def test_complex_numbers():
    for X in (
        np.array([[1j]]),
        np.array([[1j]], dtype=object),
        pd.DataFrame({"a": [1j], "b": ["x"]}),
        sparse.csr_array(np.array([[1j]])),
        [[1j]],
    ):
        with pytest.raises(ValueError, match="Complex data not supported"):
            learn(X)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", bool, object])
def test_masks_are_missing_values(dtype):
    X = np.ma.masked_array(np.array([[1, 0], [0, 1]], dtype=dtype), [[0, 1], [0, 0]])
    np.testing.assert_array_equal(values(learn(X)[1]), [[1, NAN], [0, 1]])
    X = np.ma.masked_array(np.array([[1, 0], [0, 1]], dtype=dtype))
    np.testing.assert_array_equal(values(learn(X)[1]), [[1, 0], [0, 1]])


def test_masked_times_and_text():
    X = np.ma.masked_array(np.array([[1], [2]], dtype="M8[us]"), [[1], [0]])
    np.testing.assert_array_equal(values(learn(X)[1]), [[NAN], [2]])
    for dtype in ("U1", "S1"):
        X = np.ma.masked_array(np.array([["a"], ["b"]], dtype=dtype), [[1], [0]])
        variables, blocks = learn(X)
        assert variables.levels[0].tolist() == ["b"]
        assert blocks.blocks[0].ravel().tolist() == [-1, 0]


def test_what_is_under_a_mask_does_not_matter():
    X = np.ma.masked_array([[np.inf], [1.0]], [[1], [0]])
    np.testing.assert_array_equal(values(learn(X)[1]), [[NAN], [1]])
    X = np.ma.masked_array([[2**60], [1]], [[1], [0]])
    np.testing.assert_array_equal(values(learn(X)[1]), [[NAN], [1]])
    X = np.ma.masked_array([[2**60 + 1], [1]], [[0], [1]])
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        learn(X)
    assert learn(X, categorical_features=[0])[0].levels[0].tolist() == [2**60 + 1]


@pytest.mark.parametrize("dtype", ["U", "S", np.dtypes.StringDType()])
def test_arrays_of_text_are_categories(dtype):
    X = np.array([["b", "1"], ["a", "1.0"]], dtype=dtype)
    variables, blocks = learn(X)
    assert variables.kinds == ("category", "category")
    assert [type(level) for level in variables.levels[1].tolist()] == [str, str]
    assert [levels.tolist() for levels in variables.levels] == [["a", "b"], ["1", "1.0"]]
    assert values(blocks).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_arrays_of_times(kind):
    X = np.array([[1, 2], ["NaT", -4]], dtype=f"{kind}[ms]")
    variables, blocks = learn(X)
    assert variables.kinds == (("date", "date") if kind == "M8" else ("duration", "duration"))
    np.testing.assert_array_equal(values(blocks), [[1000, 2000], [NAN, -4000]])
    assert blocks.blocks[1].dtype == np.int64


def test_lists_of_rows():
    np.testing.assert_array_equal(values(learn([[1, 2.5], [3, None]])[1]), [[1, 2.5], [3, NAN]])
    assert learn([[1, 2], [3, 4]])[1].blocks[0].dtype == np.int64
    variables, blocks = learn([[1, "x"], [3.5, "y"], [None, None]])
    assert variables.kinds == ("number", "category")
    np.testing.assert_array_equal(values(blocks), [[1, 0], [3.5, 1], [NAN, -1]])


class NotAnArray:
    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return self.data


def test_things_that_give_arrays():
    np.testing.assert_array_equal(values(learn(NotAnArray(np.eye(2)))[1]), np.eye(2))
    with pytest.raises(TypeError, match=r"np\.matrix is not supported"):
        learn(np.eye(2).view(np.matrix))


@pytest.mark.parametrize(
    "X",
    [
        np.ones(3),
        np.array(1.0),
        np.ones((2, 2, 2)),
        np.ones((0, 3)),
        np.ones((3, 0)),
        np.array(["a"]),
        np.empty((0, 2), dtype=object),
        [],
        [1, 2],
        [[]],
        None,
        pd.Series([1.0]),
        sparse.csr_array((0, 3)),
        sparse.csr_array((3, 0)),
    ],
    ids=repr,
)
def test_shapes_in_the_words_of_scikit_learn(X):
    settings = {"dtype": None, "accept_sparse": True, "estimator": "Forest"}
    with pytest.raises(ValueError) as expected:  # noqa: PT011
        check_array(X, **settings)
    with pytest.raises(ValueError) as found:  # noqa: PT011
        learn(X)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_empty_frames(frame):
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) \(shape=\(0, 2\)\)"):
        learn(frame({"a": [], "b": []}))
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
        learn(frame({}))


def test_empty_frame_without_columns():
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\) \(shape=\(3, 0\)\)"):
        learn(pd.DataFrame(index=range(3)))


@pytest.mark.parametrize("kind", ["path", "dataset"])
def test_paths_and_datasets(tmp_path, kind):
    pa.parquet.write_table(pa.table({"a": [1.0, 2.0]}), tmp_path / "a.parquet")
    path = tmp_path / "a.parquet"
    given = [path, str(path)] if kind == "path" else [pa.dataset.dataset(path)]
    forest = RandomForestRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0])
    text = f"X is a {kind}, whose rows are not in memory.*silvics.scan"
    for X in given:
        for method in (learn, forest.predict, forest.apply, forest.shap, genie3):
            with pytest.raises(TypeError, match=text):
                method(X)
        with pytest.raises(TypeError, match=text):
            RandomForestRegressor(2).fit(X, [1.0, 2.0])


def test_lazy_frames():
    with pytest.raises(TypeError, match=r"lazy.*\.collect\(\)"):
        learn(pl.LazyFrame({"a": [1]}))


def test_series_of_polars():
    with pytest.raises(ValueError, match="Expected 2D array"):
        learn(pl.Series([1.0]))


# ---- names


def test_names_follow_scikit_learn():
    assert learn(pd.DataFrame([[1, "x"]], columns=["a", "X"]))[0].names.tolist() == ["a", "X"]
    assert learn(pd.DataFrame([[1, "x"]]))[0].names is None
    assert learn(pd.DataFrame([[1, 2]]))[0].names is None
    with pytest.raises(TypeError, match="Feature names are only supported if all"):
        learn(pd.DataFrame([[1, 2]], columns=["a", 1]))


def test_duplicate_names():
    for X in (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, "x"]], columns=["a", "a"]),
        pa.table([[1], [2]], names=["a", "a"]),
    ):
        with pytest.raises(ValueError, match="unique column names, got:\n- 'a' 2 times"):
            learn(X)


def test_errors_name_columns_that_have_no_string_names():
    with pytest.raises(ValueError, match=r"infinity .* in column 1"):
        learn(pd.DataFrame({0: ["a"], 1: [np.inf]}))


# ---- sparse, annotated


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_matrices_are_passed_on(kind):
    X = kind(np.eye(3))
    variables, blocks = learn(X)
    assert blocks.sparse is X
    assert blocks.blocks == []
    assert blocks.shape == (3, 3)
    assert variables.kinds == ("number",) * 3
    assert read(variables, X).sparse is X
    assert read(variables, np.eye(3)).blocks[0].shape == (3, 3)


def test_other_sparse_formats():
    for kind in (sparse.coo_array, sparse.dok_array, sparse.lil_matrix, sparse.bsr_array):
        assert learn(kind(np.eye(3)))[1].sparse.format == "csr"


def test_sparse_values():
    for dtype in (bool, np.int8, np.float32):
        assert learn(sparse.csr_array(np.eye(3, dtype=dtype)))[1].sparse.dtype == dtype
    assert learn(sparse.csr_array(np.eye(3, dtype=np.longdouble)))[1].sparse.dtype == np.float64
    X = sparse.csr_array(np.eye(2))
    X.data = X.data.astype(object)
    with pytest.raises(TypeError, match="must have numbers"):
        learn(X)
    for kind in (sparse.csr_array, sparse.csc_array):
        X = np.eye(3)
        X[1, 2] = NAN
        assert learn(kind(X))[1].sparse.nnz == 4
        with pytest.raises(ValueError, match=r"Input X contains NaN(.|\n)*some in column 2"):
            learn(kind(X), missing="error")
        X[1, 2] = np.inf
        with pytest.raises(ValueError, match="Input X contains infinity"):
            learn(kind(X))
        big = np.array([[0, 0], [0, 2**60]])
        with pytest.raises(ValueError, match=r"beyond 2\*\*53 .* in column 1"):
            learn(kind(big))


def test_sparse_matrices_have_no_categories():
    X = sparse.csr_array(np.eye(2))
    with pytest.raises(ValueError, match="needs a dense table"):
        learn(X, categorical_features=[0])
    for features in (None, [], [False, False]):
        assert learn(X, categorical_features=features)[1].sparse is X
    variables, _ = learn(np.eye(2), categorical_features=[1])
    with pytest.raises(ValueError, match=r"X is sparse, but .* column 1 had other types"):
        read(variables, X)


def test_annotated_tables():
    X = SimpleNamespace(X=np.eye(2), var_names=pd.Index(["g", "h"]))
    variables, blocks = learn(X, categorical_features=["h"])
    assert variables.names.tolist() == ["g", "h"]
    assert variables.kinds == ("number", "category")
    np.testing.assert_array_equal(values(read(variables, X)), values(blocks))
    assert learn(SimpleNamespace(X=np.eye(2)))[0].names is None
    assert learn(SimpleNamespace(X=sparse.csr_array(np.eye(2))))[1].sparse is not None
    with pytest.raises(ValueError, match="Column 0 was 'g' and is now 'h'"):
        read(variables, SimpleNamespace(X=np.eye(2), var_names=["h", "g"]))
    with pytest.raises(ValueError, match="var_names has 1 names, but"):
        learn(SimpleNamespace(X=np.eye(2), var_names=["h"]))


# ---- values


def table_with(value):
    return {
        "numpy": np.array([[1.0, 2.0], [3.0, value]]),
        "float32": np.array([[1.0, 2.0], [3.0, value]], dtype=np.float32),
        "objects": np.array([[1.0, 2.0], [3.0, value]], dtype=object),
        "pandas": pd.DataFrame({0: [1.0, 3.0], 1: [2.0, value]}),
        "pandas mixed": pd.DataFrame({0: ["a", "b"], 1: [2.0, value]}),
        "polars": pl.DataFrame({"0": ["a", "b"], "1": [2.0, value]}),
        "pyarrow": pa.table({"0": ["a", "b"], "1": [2.0, value]}),
    }


@pytest.mark.parametrize("library", table_with(0))
def test_infinity_is_an_error(library):
    variables, _ = learn(table_with(1.0)[library])
    words = r"Input X contains infinity or a value too large for dtype\('float(32|64)'\)\."
    for value in (np.inf, -np.inf):
        X = table_with(value)[library]
        with pytest.raises(ValueError, match=words):
            learn(X)
        with pytest.raises(ValueError, match=words):
            learn(X, categorical_features=[0, 1])
        with pytest.raises(ValueError, match=words):
            read(variables, X)


@pytest.mark.parametrize("library", table_with(0))
def test_missing_values_may_be_an_error(library):
    variables, _ = learn(table_with(1.0)[library], missing="error")
    X = table_with(NAN)[library]
    words = "contains NaN\\.\nForest does not accept .* in column '?1'?\\. Set missing=\"learned\""
    for settings in ({}, {"categorical_features": [0, 1]}):
        learn(X, **settings)
        with pytest.raises(ValueError, match=words):
            learn(X, missing="error", **settings)
    with pytest.raises(ValueError, match=words):
        read(variables, X, missing="error")
    read(variables, X)


def test_missing_text_may_be_an_error():
    X = pl.DataFrame({f"c{j}": ["a", None] for j in range(7)})
    with pytest.raises(ValueError, match=r"in column 'c0', .* column 'c4' and 2 more"):
        learn(X, missing="error")
    # A level that is unknown is there.
    variables, _ = learn(pl.DataFrame({"a": ["x"]}), missing="error")
    assert read(variables, pl.DataFrame({"a": ["y"]}), missing="error").blocks[0].item() == -1


def test_finite_values_whose_sum_is_not():
    X = np.full((4, 2), np.finfo(np.float64).max)
    assert learn(X)[1].blocks[0] is not None
    learn(pd.DataFrame({"a": X[:, 0], "b": ["x"] * 4}))


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 2**62 + 1])
def test_integers_that_float64_does_not_hold(value):
    cells = [0, value]
    words = r"integers beyond 2\*\*53 \(from -?\d+ to -?\d+\), .* in column "
    tables = [
        np.array([[0, 0], [0, value]]),
        np.array([[0, 0], [0, value]], dtype=object),
        pd.DataFrame({"a": [0, 0], "b": cells}),
        pd.DataFrame({"a": ["x", "y"], "b": pd.array(cells, dtype="Int64")}),
        pl.DataFrame({"a": ["x", "y"], "b": cells}),
        pl.DataFrame({"a": ["x", "y"], "b": pl.Series(cells, dtype=pl.Int128)}),
        pa.table({"a": ["x", "y"], "b": cells}),
    ]
    with_null = [0, None, value]
    tables += [
        pd.DataFrame({"a": 0, "b": pd.array(with_null, dtype="Int64")}),
        pd.DataFrame({"a": 0, "b": pd.array(with_null, dtype=pd.ArrowDtype(pa.int64()))}),
        pl.DataFrame({"a": [0, 0, 0], "b": with_null}),
        pa.table({"a": [0, 0, 0], "b": with_null}),
        objects([0, 0, 0], with_null),
    ]
    for X in tables:
        with pytest.raises(ValueError, match=words + "('b'|1)"):
            learn(X)
        variables, blocks = learn(X, categorical_features=[0, 1])
        assert variables.levels[1].tolist() == sorted([0, value])
        assert variables.levels[1].dtype == np.int64
        again = read(variables, X, unknown_category="error")
        np.testing.assert_array_equal(values(again), values(blocks))
        near = objects([None, None], [value - 1, 0])  # the same in float64
        assert (values(read(variables, near))[:, 1] < 0).tolist() == [True, False]


def test_enormous_integers():
    for value in (2**64, -(2**63) - 1, 2**200):
        with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
            learn(objects([0, value]))
    assert learn([[2**64 - 1], [0]], categorical_features=[0])[0].levels[0].dtype == np.uint64
    for X in (objects([0.5, 2**60]), [[0.5], [2**60]]):
        with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
            learn(X, categorical_features=[0])
    for value in (2**53 + 1, 2**63, 2**64 - 1):  # NumPy alone would round the last ones
        with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
            learn([[value, 0.5], [1, 0.5]])
    assert values(learn([[1e300], [1.0]])[1]).tolist() == [[1e300], [1]]


def test_times_too_far_away():
    for X in (
        np.array([["9999-12-31"]], dtype="M8[D]"),
        pd.DataFrame({"t": [date(9999, 12, 31), None]}),
        pl.DataFrame({"t": [date(9999, 12, 31)]}),
    ):
        with pytest.raises(ValueError, match=r"(0|'t') has times beyond 2\*\*53 microseconds"):
            learn(X)
        assert learn(X, categorical_features=[0])[0].n_levels == [1]
    with pytest.raises(ValueError, match="64-bit microseconds cannot represent"):
        learn(np.array([[10**15]], dtype="M8[D]"))


# ---- columns of objects


def test_all_ways_to_be_missing():
    missing = [None, NAN, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked]
    missing += [Decimal("NaN"), float("nan")]
    numbers, text, times = ([*missing, value] for value in (1.5, "a", date(1970, 1, 2)))
    for X in (objects(numbers, text, times), pd.DataFrame(objects(numbers, text, times))):
        variables, blocks = learn(X)
        assert variables.kinds == ("number", "category", "date")
        found = values(blocks)
        assert found[-1].tolist() == [1.5, 0, 86400e6]
        assert np.isnan(found[:-1, [0, 2]]).all()
        assert (found[:-1, 1] == -1).all()
        assert variables.levels[1].tolist() == ["a"]


def test_objects_that_are_numbers():
    cells = [
        1,
        2.5,
        True,
        np.int8(3),
        np.float32(0.5),
        np.bool_(False),
        Decimal("0.1"),
        Fraction(1, 4),
    ]
    expected = [[1], [2.5], [1], [3], [0.5], [0], [0.1], [0.25]]
    assert values(learn(objects(cells))[1]).tolist() == expected


def test_objects_that_are_durations():
    cells = [timedelta(seconds=1), np.timedelta64(2, "s"), pd.Timedelta(3, "s"), None]
    variables, blocks = learn(objects(cells))
    assert variables.kinds == ("duration",)
    np.testing.assert_array_equal(values(blocks), [[1e6], [2e6], [3e6], [NAN]])


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["a", 1], r"column 0 mixes int \(1\) and str \('a'\). Convert all values to one type"),
        ([date(2020, 1, 1), 1.5], r"mixes date \(datetime.date\(2020, 1, 1\)\) and float"),
        ([1, {"a": 1}], "column 0 is of type dict.*argument must be a string or a real number"),
        ([1, [2]], "column 0 is of type list"),
        ([b"a", None], "column 0 is of type bytes"),
        ([object(), None], "column 0 is of type object"),
    ],
)
def test_objects_that_are_no_column(cells, words):
    for X in (objects(cells), pd.DataFrame({0: pd.Series(cells, dtype=object)})):
        for features in ("from_dtype", [0]):
            with pytest.raises(TypeError, match=words):
                learn(X, categorical_features=features)


@pytest.mark.parametrize(
    ("cells", "word"),
    [
        (pl.Series([[1]]), "List"),
        (pl.Series([{"a": 1}]), "Struct"),
        (pl.Series([b"a"]), "Binary"),
        (pl.Series([[1, 2]], dtype=pl.Array(pl.Int8, 2)), "Array"),
        (pl.Series([object()], dtype=pl.Object), "object"),
    ],
)
def test_types_that_are_no_column(cells, word):
    with pytest.raises(TypeError, match=f"column 'a' is of type {word}"):
        learn(pl.DataFrame({"a": cells}))
    with pytest.raises(TypeError, match="column 'a' is of type Period"):
        learn(pd.DataFrame({"a": pd.period_range("2020", periods=2)}))


# ---- what was learned


def test_variables_are_plain():
    X = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": pd.Categorical([2, 1], ordered=True)})
    variables, blocks = learn(X)
    assert variables.n_levels == [-1, 1, -1]
    again = pickle.loads(pickle.dumps(variables))
    assert set(vars(again)) == {"names", "kinds", "levels", "rare"}
    assert again.names.tolist() == ["a", "b", "c"]
    assert again.kinds == variables.kinds
    np.testing.assert_array_equal(values(read(again, X)), values(blocks))
    with pytest.raises(AttributeError):
        variables.names = None


def test_the_number_of_columns():
    variables, _ = learn(np.eye(3))
    with pytest.raises(ValueError, match="X has 2 features, but Forest is expecting 3 features"):
        read(variables, np.eye(2))
