"""Which columns are categories, what their levels are, and what becomes of unknown ones."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from .coded_tables import learn, read

FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


def column(cells):
    X = np.empty((len(cells), 1), dtype=object)
    X[:, 0] = cells
    return X


def codes(blocks):
    (block,) = blocks.blocks
    return block.ravel().tolist()


# ---- categorical_features


@pytest.mark.parametrize("features", [["b"], [1], np.array([1]), [False, True, False], ("b",)])
@pytest.mark.parametrize("frame", FRAMES)
def test_exactly_the_named_columns(frame, features):
    X = frame({"a": [1, 2, 1], "b": [3, 1, 3], "c": [1.5, None, 0]})
    variables, blocks = learn(X, categorical_features=features)
    assert variables.is_categorical.tolist() == [False, True, False]
    assert variables.levels[1].tolist() == [1, 3]
    assert blocks.n_levels == [-1, 2, -1]
    assert blocks.blocks[1].ravel().tolist() == [1, 0, 1]


@pytest.mark.parametrize("features", [None, [], [0], [True, False], ["a"]])
@pytest.mark.parametrize("frame", FRAMES)
def test_other_text_is_an_error(frame, features):
    X = frame({"a": [1, 2], "b": ["abc", None]})
    words = r"could not convert string to float: 'abc' \(Input X: column 'b'\).*\"from_dtype\""
    with pytest.raises(ValueError, match=words):
        learn(X, categorical_features=features)


def test_text_arrays_that_are_no_categories():
    with pytest.raises(ValueError, match="could not convert string to float: '1'"):
        learn(np.array([["1"]]), categorical_features=None)


def test_text_without_any_value_may_be_a_number():
    X = pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)})
    assert learn(X, categorical_features=None)[0].kinds == ("nothing",)
    variables, blocks = learn(X)
    assert variables.kinds == ("category",)
    assert blocks.n_levels == [0]
    assert codes(blocks) == [-1, -1]


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (["z"], "item value 'z' which is not a valid feature name of the training data. Observed"),
        ([0, "a"], "item value '0' which is not a valid feature name"),
        ([2], r"integer indices must be in \[0, n_features - 1\]"),
        ([-1], r"integer indices must be in \[0, n_features - 1\]"),
        ([True], r"boolean mask must have shape \(n_features,\), got: \(1,\)"),
        ([0.5], "array-like of bool, int or str, got: float64"),
        (np.array(["a", 1], dtype=object), "array-like of bool, int or str, got: int, str"),
        ("auto", "must be 'from_dtype', None, or an array-like"),
        (3, "must be 'from_dtype', None, or an array-like"),
        ([[True, False]], "must be 'from_dtype', None, or an array-like"),
    ],
)
def test_wrong_categorical_features(features, words):
    with pytest.raises(ValueError, match=words):
        learn(pd.DataFrame({"a": [1], "b": [2]}), categorical_features=features)


def test_names_need_names():
    with pytest.raises(ValueError, match="when the model is fitted on data without feature names"):
        learn(np.eye(2), categorical_features=["a"])


def test_bools_and_times_may_be_categories():
    X = pl.DataFrame({"a": [True, None, False], "b": [date(2024, 1, 2), None, date(2024, 1, 1)]})
    variables, blocks = learn(X, categorical_features=["a", "b"])
    assert variables.levels[0].tolist() == [0.0, 1.0]
    assert variables.levels[1].dtype == "M8[us]"
    assert [block.ravel().tolist() for block in blocks.blocks] == [[1, -1, 0], [1, -1, 0]]
    again = read(variables, X.to_pandas(), unknown_category="error")
    assert [block.ravel().tolist() for block in again.blocks] == [[1, -1, 0], [1, -1, 0]]


# ---- levels


def test_nan_is_never_a_level():
    for X in (np.array([[np.nan], [0.0], [-0.0]]), column([np.nan, 0, -0.0])):
        variables, blocks = learn(X, categorical_features=[0])
        assert str(variables.levels[0].tolist()) == "[0.0]"
        assert codes(blocks) == [-1, 0, 0]
    variables, blocks = learn(column([np.nan, "nan", "NaN", "None", "", None]))
    assert variables.levels[0].tolist() == ["", "NaN", "None", "nan"]
    assert codes(blocks) == [-1, 3, 1, 2, 0, -1]


def test_text_that_looks_like_numbers():
    for X in (column(["1", "01", "10", "2"]), pd.DataFrame({"a": ["1", "01", "10", "2"]})):
        variables, blocks = learn(X)
        assert variables.levels[0].tolist() == ["01", "1", "10", "2"]
        assert codes(blocks) == [1, 0, 2, 3]


def test_levels_are_sorted_by_code_point():
    cells = ["é", "z", "Z", "\U0001f600", "\uffff", "a b", "a"]
    for frame in FRAMES:
        assert learn(frame({"a": cells}))[0].levels[0].tolist() == sorted(cells)


def test_numbers_of_several_types_are_one_level():
    variables, blocks = learn(column([1, 1.0, True, 2]), categorical_features=[0])
    assert variables.levels[0].tolist() == [1.0, 2.0]
    assert codes(blocks) == [0, 0, 0, 1]
    assert codes(read(variables, np.array([[2], [1]], dtype=np.int8))) == [1, 0]
    assert codes(read(variables, np.array([[True], [False]]))) == [0, -1]


def test_subclasses_of_str():
    variables, _ = learn(column([np.str_("a"), "a"]))
    assert [type(level) for level in variables.levels[0]] == [str]


@pytest.mark.parametrize(("n", "dtype"), [(128, "i1"), (129, "i2"), (32768, "i2"), (32769, "i4")])
def test_codes_are_in_the_smallest_type(n, dtype):
    variables, blocks = learn(np.arange(n, dtype=np.float64)[:, None], categorical_features=[0])
    assert blocks.blocks[0].dtype == np.dtype(dtype)
    assert codes(blocks) == list(range(n))
    unseen = read(variables, np.array([[-1.0]]), unknown_category="heavier").blocks[0]
    assert unseen.dtype == np.dtype(dtype)
    assert unseen.item() == -2


@pytest.mark.parametrize("library", ["numpy", "pandas", "polars", "pyarrow"])
def test_a_million_levels(library):
    n = 1_000_000 if library == "pandas" else 100_000
    cells = [f"id{i}" for i in range(n, 0, -1)]
    X = {
        "numpy": column,
        "pandas": lambda cells: pd.DataFrame({"a": cells}),
        "polars": lambda cells: pl.DataFrame({"a": cells}),
        "pyarrow": lambda cells: pa.table({"a": cells}),
    }[library]
    variables, blocks = learn(X(cells))
    assert variables.n_levels == [n]
    found = blocks.blocks[0].ravel()
    assert found.dtype == np.int32
    assert variables.levels[0][found[:3]].tolist() == cells[:3]
    assert np.array_equal(np.sort(found), np.arange(n))
    assert read(variables, X([cells[0], "?"])).blocks[0].ravel().tolist() == [found[0], -1]


def test_dictionaries_may_repeat_values_and_hold_nulls():
    array = pa.DictionaryArray.from_arrays([0, 1, 2, 3, None], pa.array(["b", "a", None, "b"]))
    variables, blocks = learn(pa.table({"a": array}))
    assert variables.levels[0].tolist() == ["a", "b"]
    assert codes(blocks) == [1, 0, -1, 1, -1]


def test_categories_of_mixed_types():
    cells = pd.Categorical(["a", 1, "a"])
    with pytest.raises(TypeError, match=r"column 'c' mixes int \(1\) and str \('a'\)"):
        learn(pd.DataFrame({"c": cells}))
    variables, _ = learn(pd.DataFrame({"c": cells[[0, 2]]}))  # the other is declared, not seen
    assert variables.levels[0].tolist() == ["a"]


# ---- unknown levels


@pytest.mark.parametrize("frame", FRAMES)
def test_unknown_levels(frame):
    variables, _ = learn(frame({"a": ["x", "y", None]}))
    X = frame({"a": ["y", "new", None, "new", "x"]})
    assert codes(read(variables, X)) == [1, -1, -1, -1, 0]
    assert codes(read(variables, X, unknown_category="heavier")) == [1, -2, -1, -2, 0]
    with pytest.raises(ValueError, match=r"column 'a' has categories .* in training: 'new'\."):
        read(variables, X, unknown_category="error")
    known = frame({"a": ["y", None]})
    assert codes(read(variables, known, unknown_category="error")) == [1, -1]


def test_five_unknown_levels_are_named():
    variables, _ = learn(np.zeros((2, 1)), categorical_features=[0])
    X = np.arange(9.0)[:, None]
    with pytest.raises(ValueError, match=r"column 0 .*: 1\.0, 2\.0, 3\.0, 4\.0, 5\.0 and 3 more\."):
        read(variables, X, unknown_category="error")


# ---- a column keeps its sort


ROWS = {
    "number": [1.5, 2.5],
    "string": ["x", "y"],
    "date": [date(2020, 1, 1), date(2021, 1, 1)],
    "duration": [timedelta(1), timedelta(2)],
}


@pytest.mark.parametrize("frame", [*FRAMES, lambda cells: column(cells["a"])])
@pytest.mark.parametrize("trained", ROWS)
@pytest.mark.parametrize("given", ROWS)
@pytest.mark.parametrize("features", ["from_dtype", [0]])
def test_a_column_keeps_its_sort(frame, trained, given, features):
    variables, _ = learn(frame({"a": ROWS[trained]}), categorical_features=features)
    X = frame({"a": ROWS[given]})
    if trained == given:
        read(variables, X, unknown_category="error")
    else:
        words = f"('a'|0) had {trained}s in training, but now has {given}s, such as "
        with pytest.raises(ValueError, match=words):
            read(variables, X)


def test_numbers_and_bools_are_one_sort():
    variables, _ = learn(pd.DataFrame({"a": [1.5, 0], "b": ["x", "y"]}))
    for cells in ([True, False], pd.array([True, None], dtype="boolean"), [1, 0]):
        assert read(variables, pd.DataFrame({"a": cells, "b": "x"})).blocks[0][0, 0] == 1
    X = pd.DataFrame({"a": pd.Categorical([1, 0]), "b": "x"})
    assert read(variables, X).blocks[0].ravel().tolist() == [1, 0]


@pytest.mark.parametrize("trained", ROWS)
def test_nothing_fits_everywhere(trained):
    nothing = [pd.DataFrame({"a": [None, None]}), pl.DataFrame({"a": [None, None]})]
    nothing += [pa.table({"a": pa.nulls(2)}), column([None, None])]
    for X in nothing:
        variables, _ = learn(pl.DataFrame({"a": ROWS[trained]}))
        (block,) = read(variables, X).blocks
        assert (block == -1).all() if trained == "string" else np.isnan(block).all()
        # And what was nothing in training says nothing now.
        for features, expected in (("from_dtype", np.isnan), ([0], lambda block: block == -1)):
            variables, blocks = learn(X, categorical_features=features)
            assert expected(blocks.blocks[0]).all()
            found = read(variables, pl.DataFrame({"a": ROWS[trained]}))
            assert expected(found.blocks[0]).all()
