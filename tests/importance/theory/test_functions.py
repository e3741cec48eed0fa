"""Null information, redundancy and binary encoding of odd columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from silvics.importance import (
    binary_encoding,
    copies,
    null_information,
    redundant,
)

from .small_tables import EVERY_CRITERION, PLAIN, X, Y, numbers, run_apart, texts

# ---- the smaller functions


@pytest.mark.parametrize(
    "x",
    [
        X[:, 0].tolist(),
        pd.Series(X[:, 0], name=3),
        pl.Series(X[:, 0]),
        pa.array(X[:, 0]),
        pa.chunked_array([X[:, 0]]),
        numbers[["a"]],
        texts["a"],
        texts["a"].astype("category"),
    ],
)
def test_any_column(x):
    assert null_information(x, Y).observed == pytest.approx(
        null_information(X[:, 0], Y).observed, abs=1e-12
    )
    assert redundant(x, X[:, 0])


def test_null_information_of_next_to_nothing():
    for x, y in [([1], [0]), ([1] * 9, [0, 1, 1] * 3), (range(9), [1] * 9)]:
        for criterion in EVERY_CRITERION:
            null = null_information(x, y, criterion=criterion)
            assert (null.observed, null.expected) == (0, 0)
            assert null.p_value == (1 if criterion == "entropy" else None)


def test_null_information_has_plain_numbers():
    null = null_information(X[:, 0], Y)
    numbers = (null.observed, null.expected, null.gamma_mean, null.p_value)
    assert {type(number) for number in numbers} == {float}


def test_null_information_of_many_sizes_is_quick():
    """Levels of 400 sizes and classes of 200: 80,000 cells, each a distribution."""
    code = """
x = np.repeat(np.arange(400), np.arange(1, 401))
y = np.repeat(np.arange(400), np.arange(1, 401)[::-1])
print(null_information(x, y).expected > 0)
"""
    assert run_apart(code) == "True\n"


@pytest.mark.parametrize("x", [X, 3, None, []])
def test_no_column(x):
    with pytest.raises((ValueError, TypeError), match=r"column|1D|2D|0 sample"):
        null_information(x, Y)
    with pytest.raises((ValueError, TypeError), match=r"column|1D|2D|0 sample"):
        redundant(x, Y)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((X[:, 0], X[:-1, 1]), {}, "different numbers of rows"),
        ((X[:, 0], X[:, 1], Y[:-1]), {}, "y has 39"),
        ((X[:, 0], X[:, 1], Y), {"given": X[:-1]}, "given has 39 rows"),
        ((X[:, 0], X[:, 1]), {"given": X}, "given needs y"),
    ],
)
def test_not_redundant_in_length(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        redundant(*arguments, **options)


def test_redundant_with_many_levels():
    assert redundant(np.arange(20_000), np.arange(20_000)[::-1])


def test_which_variable_is_copied():
    found = copies(numbers, Y, "c")
    for variable in (2, -1, np.int64(2), np.str_("c")):
        same = copies(numbers, Y, variable)
        assert same.variable == "c"
        np.testing.assert_array_equal(same.importances, found.importances)
    np.testing.assert_allclose(found.importances[0], PLAIN, rtol=1e-12)


@pytest.mark.parametrize("variable", ["d", "", 3, -4, 1.0, None, True, ["a"]])
def test_no_variable_to_copy(variable):
    with pytest.raises((ValueError, TypeError), match="variable"):
        copies(numbers, Y, variable)


@pytest.mark.parametrize("n_copies", [-1, 1.5, "2", None, True])
def test_no_number_of_copies(n_copies):
    with pytest.raises((ValueError, TypeError), match="n_copies must"):
        copies(numbers, Y, 0, n_copies)


def test_a_thousand_copies():
    code = """
found = copies(bits(40, 3), bits(40), 0, 1000).importances
print(found.shape, np.isfinite(found).all())
"""
    assert run_apart(code) == "(1001, 3) True\n"


@pytest.mark.parametrize("library", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "values",
    [
        [1_000_000, 1_000_001, 1_000_002],
        [0.1, 0.1 + 1e-9, 0.2],
        [1.0, 1.5, 2.0],
        np.array(["2020-01-01T00:00:00", "2020-01-01T00:00:01", "2020-01-02"], dtype="M8[us]"),
    ],
    ids=["large", "close", "plain", "times"],
)
def test_each_level_has_its_binary_column(library, values):
    table = np.asarray(values)[:, None] if library is np.asarray else library({"a": values})
    encoded, variables = binary_encoding(table)
    assert encoded.shape == (3, 2)
    np.testing.assert_array_equal(variables, [0, 0])
    np.testing.assert_array_equal(np.asarray(encoded), [[1, 1], [0, 1], [0, 0]])


def test_binary_encoding_keeps_rows_and_index():
    table = numbers.set_index(np.arange(40)[::-1])
    encoded, _ = binary_encoding(table)
    assert encoded.index.equals(table.index)
    encoded, variables = binary_encoding(pd.DataFrame({"a": [1, 1]}))  # constant: no columns
    assert encoded.shape == (2, 0)
    assert variables.shape == (0,)


def test_binary_encoding_names_levels():
    levels = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    table = pd.DataFrame({"a": pd.Series(["low", "high", "middle"], dtype=levels)})
    assert list(binary_encoding(table)[0]) == ["a <= low", "a <= middle"]
