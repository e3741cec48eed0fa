"""Tables, weights and outputs that are wrong, odd, small or large: an answer, or a clear error."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from silvics.importance import (
    asymptotic_importances,
    binary_encoding,
    copies,
    masking,
    null_information,
    redundant,
    relevance,
)

from .small_tables import (
    EVERY_CRITERION,
    EVERY_SPLIT,
    LABELS,
    NAMES,
    PLAIN,
    X,
    Y,
    first_missing,
    numbers,
    rng,
    texts,
    times,
)

# ---- tables


WITH_ORDER = {
    "lists": X.tolist(),
    "float32": X.astype(np.float32),
    "object": X.astype(object),
    "pandas": numbers,
    "Int64": numbers.astype("Int64"),
    "arrow": numbers.astype("int64[pyarrow]"),
    "ordered": texts.astype(pd.CategoricalDtype(["u", "v", "w"], ordered=True)),
    "polars": pl.DataFrame(numbers),
    "enum": pl.DataFrame(texts).cast(pl.Enum(["u", "v", "w"])),
    "pyarrow": pa.Table.from_pandas(numbers),
    "sparse": sparse.csr_array(X),
    "times": times,
    "durations": times - pd.Timestamp(2020, 1, 1),
    "dates": pl.DataFrame(times).cast(pl.Date),
    "numbered": pd.DataFrame(X),
    "shuffled index": numbers.set_index(np.arange(40)[::-1]),
}
WITHOUT_ORDER = {
    "text": texts,
    "text lists": texts.to_numpy().tolist(),
    "category": texts.astype("category"),
    "polars text": pl.DataFrame(texts),
    "polars category": pl.DataFrame(texts).cast(pl.Categorical),
    "dictionary": pa.table({c: pa.array(texts[c].tolist()).dictionary_encode() for c in NAMES}),
}


@pytest.mark.parametrize("table", WITH_ORDER | WITHOUT_ORDER)
def test_any_table(table):
    found = asymptotic_importances((WITH_ORDER | WITHOUT_ORDER)[table], Y)
    np.testing.assert_array_equal(found.importances, PLAIN)


@pytest.mark.parametrize("splits", EVERY_SPLIT[1:])
@pytest.mark.parametrize("table", WITH_ORDER)
def test_any_table_with_an_order(table, splits):
    expected = asymptotic_importances(X, Y, splits=splits)
    found = asymptotic_importances(WITH_ORDER[table], Y, splits=splits)
    np.testing.assert_array_equal(found.importances, expected.importances)


@pytest.mark.parametrize("splits", EVERY_SPLIT[1:])
@pytest.mark.parametrize("table", WITHOUT_ORDER)
def test_no_order(table, splits):
    with pytest.raises(ValueError, match=r'needs ordered variables.*splits="multiway"'):
        asymptotic_importances(WITHOUT_ORDER[table], Y, splits=splits)
    with pytest.raises(ValueError, match="needs ordered variables"):
        binary_encoding(WITHOUT_ORDER[table])


gone = X[:, 0] == 2
MISSING = {
    "nan": pd.DataFrame({"a": np.where(gone, np.nan, X[:, 0])}),
    "None": pd.DataFrame({"a": np.where(gone, None, X[:, 0])}),
    "NA": pd.DataFrame({"a": np.where(gone, pd.NA, X[:, 0])}),
    "Int64": pd.DataFrame({"a": pd.Series(X[:, 0], dtype="Int64").mask(gone)}),
    "NaT": pd.DataFrame({"a": times["a"].mask(gone)}),
    "text": pd.DataFrame({"a": texts["a"].mask(gone)}),
    "ordered": pd.DataFrame({"a": WITH_ORDER["ordered"]["a"].mask(gone)}),
    "polars": pl.DataFrame({"a": [None if v == 2 else v for v in X[:, 0].tolist()]}),
    "polars nan": pl.DataFrame({"a": np.where(gone, np.nan, X[:, 0])}),
    "pyarrow": pa.table({"a": [None if v == 2 else v for v in X[:, 0].tolist()]}),
    "array": np.where(gone, np.nan, X[:, 0])[:, None],
    "lists": [[None if v == 2 else v] for v in X[:, 0].tolist()],
}


@pytest.mark.parametrize("table", MISSING)
def test_missing_is_a_level(table):
    expected = asymptotic_importances(X[:, :1], Y).importances
    found = asymptotic_importances(MISSING[table], Y).importances
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for splits in EVERY_SPLIT[1:]:
        with pytest.raises(
            ValueError, match=r"needs ordered variables, but column .* has missing values"
        ):
            asymptotic_importances(MISSING[table], Y, splits=splits)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((40, 0)), "0 feature"),
        (np.zeros((0, 2)), "0 sample"),
        (pd.DataFrame({"a": []}), "0 sample"),
        ([], "2D"),
        (X[:, 0], "2D"),
        (None, "2D"),
        (np.zeros((40, 1, 1)), "dim"),
        (np.where(X == 0, np.inf, X), "infinity"),
        (X + 2**53 + 1, r"beyond 2\*\*53"),
        (X + 1j, "[Cc]omplex"),
        ([[object()]] * 40, "cannot be split on"),
        ([[1], ["a"]] * 20, "mixes int"),
        (pl.DataFrame(numbers).lazy(), "collect"),
        (pl.DataFrame({"a": [[1]] * 40}), "cannot be split on"),
        (pd.DataFrame(X, columns=["a", 1, "b"]), "string names"),
        (pd.DataFrame(X, columns=["a", "a", "b"]), "names"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
@pytest.mark.parametrize("function", [asymptotic_importances, masking, relevance])
def test_no_table(function, table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        function(table, Y)


@pytest.mark.parametrize("splits", EVERY_SPLIT)
@pytest.mark.parametrize("criterion", EVERY_CRITERION)
def test_nothing_to_tell(splits, criterion):
    options = {"splits": splits, "criterion": criterion}
    for table, y in [(X, np.ones(40)), ([[1, 2]], [3]), (np.ones((40, 2)), Y), (X[:, :1], Y * 0)]:
        found = asymptotic_importances(table, y, **options)
        assert found.total == 0
        assert found.exact
        sampled = asymptotic_importances(table, y, method="sampled", n_trees=9, **options)
        assert sampled.total == 0


def test_repeated_rows_and_weights_are_the_same():
    twice = asymptotic_importances(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
    np.testing.assert_allclose(twice.importances, PLAIN, rtol=1e-12)
    counts = rng.integers(0, 3, 40)
    weighted = asymptotic_importances(X, Y, sample_weight=counts).importances
    repeated = asymptotic_importances(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    np.testing.assert_allclose(weighted, repeated.importances, rtol=1e-12)


@pytest.mark.parametrize("splits", EVERY_SPLIT)
@pytest.mark.parametrize("scale", [5e-324, 1e-100, 1e100, 8e307])
def test_values_of_any_scale(splits, scale):
    # The whole range of float64, and the difference of two values is beyond it.
    found = asymptotic_importances((X - 1) * (2 * scale), Y, splits=splits)
    expected = asymptotic_importances(X, Y, splits=splits)
    np.testing.assert_allclose(found.importances, expected.importances, rtol=1e-9)
    assert found.total == pytest.approx(expected.total)


# ---- weights


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-9, 1e9, 1e300])
def test_weights_in_any_unit(scale):
    found = asymptotic_importances(X, Y, sample_weight=np.full(40, scale))
    np.testing.assert_allclose(found.importances, PLAIN, rtol=1e-9)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(40), "zero"),
        (-np.ones(40), "[Nn]egative"),
        (first_missing(np.ones(40), np.nan), "NaN"),
        (first_missing(np.ones(40), np.inf), "infinity"),
        (np.ones(39), "shape"),
        (np.ones((40, 2)), "1D"),
        (np.full(40, 1e307), "scale the weights down"),
        (["a"] * 40, "convert"),
    ],
)
def test_no_weights(weights, message):
    for function in (asymptotic_importances, masking, relevance):
        with pytest.raises(ValueError, match=message):
            function(X, Y, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        copies(X, Y, 0, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        redundant(X[:, 0], X[:, 1], sample_weight=weights)


def test_rows_without_weight_are_not_there():
    weights = np.arange(40) < 20
    some = asymptotic_importances(X[:20], Y[:20], splits="extra")
    changed = np.where(weights[:, None], X, 99)
    found = asymptotic_importances(changed, Y, splits="extra", sample_weight=weights)
    np.testing.assert_array_equal(found.importances, some.importances)
    np.testing.assert_array_equal(found.by_cut(), some.by_cut())


# ---- outputs

OUTPUTS = {
    "list": Y.tolist(),
    "text": LABELS,
    "object": LABELS.astype(object),
    "bool": Y > 0,
    "whole floats": Y.astype(float),
    "column": Y[:, None],
    "series": pd.Series(LABELS, index=np.arange(40)[::-1]),
    "category": pd.Series(LABELS, dtype="category"),
    "Int64": pd.Series(Y, dtype="Int64"),
    "boolean": pd.Series(Y > 0, dtype="boolean"),
    "arrow": pd.Series(LABELS, dtype="string[pyarrow]"),
    "polars": pl.Series(LABELS),
    "enum": pl.Series(LABELS, dtype=pl.Enum(["a", "b"])),
    "pyarrow": pa.array(LABELS.tolist()),
    "chunks": pa.chunked_array([pa.array(Y[:20]), pa.array(Y[20:])]),
    "dictionary": pa.array(LABELS.tolist()).dictionary_encode(),
    "frame": pl.DataFrame({"y": Y}),
    "dates": [dt.date(2020, 1, 1 + v) for v in Y.tolist()],
}


@pytest.mark.parametrize("y", OUTPUTS)
def test_any_output(y):
    np.testing.assert_array_equal(asymptotic_importances(X, OUTPUTS[y]).importances, PLAIN)


@pytest.mark.parametrize("criterion", EVERY_CRITERION)
@pytest.mark.parametrize(
    "y",
    [
        first_missing(Y.tolist()),
        first_missing(Y, np.nan),
        pd.Series(first_missing(Y.tolist()), dtype="Int64"),
        pl.Series(first_missing(Y.tolist())),
        pa.array(first_missing(Y.tolist())),
    ],
    ids=["None", "nan", "Int64", "polars", "pyarrow"],
)
def test_missing_numbers_in_y(y, criterion):
    with pytest.raises(ValueError, match=r"y contains (NaN|missing values)"):
        asymptotic_importances(X, y, criterion=criterion)


@pytest.mark.parametrize(
    "y",
    [
        first_missing(LABELS),
        first_missing(LABELS, np.nan),
        first_missing(LABELS, pd.NA),
        np.array(first_missing(LABELS, np.nan), dtype=object),
        pd.Series(first_missing(LABELS), dtype="string"),
        pd.Series(first_missing(LABELS), dtype="category"),
        pl.Series(first_missing(LABELS)),
        pa.array(first_missing(LABELS)),
        times["a"].mask(np.arange(40) == 0),
        np.array(first_missing(["2020"] * 40, "NaT"), dtype="M8[D]"),
    ],
    ids=[
        *("None", "nan", "NA", "object nan", "string", "category", "polars", "pyarrow"),
        *("NaT", "numpy NaT"),
    ],
)
def test_missing_classes_in_y(y):
    with pytest.raises(ValueError, match=r"[Ii]nput( y)? contains (NaN|missing values)"):
        asymptotic_importances(X, y)


@pytest.mark.parametrize(
    ("y", "criterion", "message"),
    [
        (rng.random(40), "entropy", 'criterion="variance"'),
        (rng.random(40), "gini", 'criterion="variance"'),
        (rng.random(40).astype(object), "entropy", 'criterion="variance"'),
        (LABELS, "variance", 'criterion="entropy"'),
        (pd.Series(LABELS, dtype="category"), "variance", 'criterion="entropy"'),
        (np.column_stack([Y, Y]), "entropy", "one at a time"),
        (pd.DataFrame({"a": Y, "b": Y}), "variance", "one at a time"),
        (Y[:-1], "entropy", "40 rows, y has 39"),
        ([], "entropy", "0 sample"),
        (first_missing(Y, np.inf), "variance", "infinity"),
        (Y * 1e200, "variance", "scale y down"),
        (np.where(Y, 1.7e308, -1.7e308), "variance", "scale y down"),
        (None, "entropy", r"\by\b"),
        (3, "entropy", r"\by\b"),
    ],
)
def test_no_output(y, criterion, message):
    for function in (asymptotic_importances, masking, relevance):
        with pytest.raises((ValueError, TypeError), match=message):
            function(X, y, criterion=criterion)
    if y is not None:
        with pytest.raises((ValueError, TypeError), match=message):
            null_information(X[:, 0], y, criterion=criterion)


@pytest.mark.parametrize("scale", [1e-100, 1e-3, 1e3, 1e100])
@pytest.mark.parametrize("options", [{}, {"K": 2}, {"splits": "extra", "K": 2}])
def test_variance_scales(scale, options):
    expected = asymptotic_importances(X, Y, criterion="variance", **options)
    found = asymptotic_importances(X, Y * scale, criterion="variance", **options)
    np.testing.assert_allclose(found.importances / scale**2, expected.importances, rtol=1e-9)
    assert found.impurity / scale**2 == pytest.approx(expected.impurity)
    moved = asymptotic_importances(X, Y + 1e9, criterion="variance", **options)
    np.testing.assert_allclose(moved.importances, expected.importances, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-160, 1e-200, 1e-300])
def test_relevance_of_a_tiny_output(scale):
    # Its variance is less than the least float64, or next to it.
    try:
        found = relevance(X, Y * scale, criterion="variance").kind
    except ValueError as error:
        found = str(error)
    else:
        assert found == relevance(X, Y, criterion="variance").kind
        return
    assert "scale y up" in found


def test_many_classes():
    y = np.arange(2000) % 1000
    found = asymptotic_importances(rng.integers(0, 4, (2000, 3)), y)
    assert found.impurity == pytest.approx(np.log2(1000))
    with pytest.raises(ValueError, match=r"too many for .* distinct rows"):
        asymptotic_importances(np.arange(20_000)[:, None], np.arange(20_000))
