"""Tables, outputs and options that are wrong, odd, small or large: an answer, or a clear error."""

import datetime as dt
import os
import signal
import subprocess
import sys
import time

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

rng = np.random.default_rng(0)
X = rng.integers(0, 3, (40, 3))
Y = rng.integers(0, 2, 40)
LABELS = np.array(["a", "b"])[Y]
NAMES = list("abc")
EVERY_SPLIT = ["multiway", "extra", "best", "encoded"]
EVERY_CRITERION = ["entropy", "gini", "variance"]
PLAIN = asymptotic_importances(X, Y).importances


def first_missing(values, missing=None):
    return [missing, *list(values)[1:]]


# Seconds, only to end a hang: such a process usually takes one or two.
HANG = 300


def run_apart(code, *, gigabytes=4):
    """What a process prints that may hang or eat all memory; None if it had to be stopped."""
    limits = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({gigabytes} << 30,) * 2)\n"
    setup = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import numpy as np\n"
        "from silvics.importance import *\n"
        "rng = np.random.default_rng(0)\n"
        "def bits(*shape): return rng.integers(0, 2, shape)\n"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", limits + setup + code],
            capture_output=True,
            text=True,
            timeout=HANG,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout + done.stderr


# ---- tables

numbers = pd.DataFrame(X, columns=NAMES)
texts = pd.DataFrame(np.array(["u", "v", "w"])[X], columns=NAMES)
times = numbers.apply(lambda column: pd.Timestamp(2020, 1, 1) + pd.to_timedelta(column, unit="D"))
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
    with pytest.raises(ValueError, match=r'needs an order.*splits="multiway"'):
        asymptotic_importances(WITHOUT_ORDER[table], Y, splits=splits)
    with pytest.raises(ValueError, match="needs an order"):
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
        with pytest.raises(ValueError, match=r"needs an order, and column .* has missing values"):
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


# ---- options


@pytest.mark.parametrize("option", ["K", "depth", "subspace", "n_trees"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "2", True, [1], np.float64(2), None])
def test_no_number(option, value):
    if value is None and option in ("depth", "subspace"):
        value = 0
    error = ValueError if value in (0, -1) and value is not False else TypeError
    with pytest.raises(error, match=f"{option} must be"):
        asymptotic_importances(X, Y, **{option: value})


@pytest.mark.parametrize("option", ["K", "subspace"])
def test_more_than_all_variables(option):
    with pytest.raises(ValueError, match=f"{option} must be .* at most 3, the number of variables"):
        asymptotic_importances(X, Y, **{option: 4})


@pytest.mark.parametrize("options", [{}, {"K": 2}, {"splits": "extra"}, {"splits": "encoded"}])
@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_any_depth_is_deep_enough(options, method):
    options = options | {"method": method, "n_trees": 20, "random_state": 0}
    found = asymptotic_importances(X, Y, depth=10**30, **options)
    np.testing.assert_array_equal(
        found.importances, asymptotic_importances(X, Y, **options).importances
    )


@pytest.mark.parametrize("option", ["criterion", "splits", "constant_features", "method"])
@pytest.mark.parametrize("value", ["foo", "Entropy", None, 1, ["entropy"]])
def test_no_word(option, value):
    with pytest.raises((ValueError, TypeError), match=f"{option} must be"):
        asymptotic_importances(X, Y, **{option: value})


@pytest.mark.parametrize("criterion", ["foo", None])
def test_no_criterion(criterion):
    match = "criterion must be one of"
    for function in (masking, relevance):
        with pytest.raises(ValueError, match=match):
            function(X, Y, criterion=criterion)
    with pytest.raises(ValueError, match=match):
        copies(X, Y, 0, criterion=criterion)
    with pytest.raises(ValueError, match=match):
        null_information(X[:, 0], Y, criterion=criterion)
    for y in (None, Y):
        with pytest.raises(ValueError, match=match):
            redundant(X[:, 0], X[:, 1], y, criterion=criterion)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splits": "encoded", "K": 2}, 'splits="extra"'),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs must"),
        ({"n_jobs": "a"}, "n_jobs must"),
        ({"method": "sampled", "random_state": -1}, "[Ss]eed"),
        ({"method": "sampled", "random_state": "a"}, "seed"),
        ({"progress": 1}, "callable"),
        ({"subspace": 2, "method": "sampled"}, "sampled"),
    ],
    ids=str,
)
def test_no_option(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        asymptotic_importances(X, Y, **options)


@pytest.mark.parametrize("n_trees", [10**12, 2**63, 10**30])
def test_too_many_trees(n_trees):
    code = f"""
try: asymptotic_importances(bits(9, 2), bits(9), method="sampled", n_trees={n_trees})
except (ValueError, TypeError, MemoryError) as error: print(error)
"""
    told = run_apart(code) or ""
    assert "n_trees" in told
    assert "incompatible function arguments" not in told


@pytest.mark.parametrize("top", [-1, 1.5, "3"])
def test_no_top(top):
    with pytest.raises((ValueError, TypeError), match="top must be"):
        asymptotic_importances(X, Y).by_context(top=top)
    with pytest.raises((ValueError, TypeError), match="top must be"):
        masking(X, Y).pairs(top=top)


@pytest.mark.parametrize("K", [0, 4, 1.5, "3"])
def test_no_K_of_pairs(K):
    with pytest.raises((ValueError, TypeError), match="K must be"):
        masking(X, Y).pairs(K=K)


@pytest.mark.parametrize("max_size", [-1, 1.5, "2"])
def test_no_max_size(max_size):
    with pytest.raises((ValueError, TypeError), match="max_size must"):
        relevance(X, Y, max_size=max_size)


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, "a", None])
def test_no_tolerance(tolerance):
    with pytest.raises((ValueError, TypeError), match="tolerance must"):
        relevance(X, Y, tolerance=tolerance)
    with pytest.raises((ValueError, TypeError), match="tolerance must"):
        redundant(X[:, 0], X[:, 0], tolerance=tolerance)


# ---- many variables, many rows


@pytest.mark.parametrize("p", [30, 100, 1500])
def test_many_variables_are_sampled(p):
    table, y = rng.integers(0, 2, (40, p)), rng.integers(0, 2, 40)
    with pytest.warns(UserWarning, match="mean of 8 sampled trees") as caught:
        found = asymptotic_importances(table, y, n_trees=8, random_state=0)
    assert caught[0].filename == __file__
    assert not found.exact
    assert found.n_trees == 8
    assert found.total == pytest.approx(found.impurity)  # all rows are different
    again = asymptotic_importances(table, y, n_trees=8, random_state=0, method="sampled")
    np.testing.assert_array_equal(found.by_degree, again.by_degree)


@pytest.mark.parametrize("p", [30, 100])
@pytest.mark.parametrize("depth", [1, 2])
def test_many_variables_and_few_tests_are_exact(p, depth):
    table, y = rng.integers(0, 2, (40, p)), rng.integers(0, 2, 40)
    found = asymptotic_importances(table, y, depth=depth, method="exact")
    assert found.exact
    few = asymptotic_importances(table, y, depth=1)
    np.testing.assert_allclose(found.by_degree[:, 0], few.importances, rtol=1e-9)


@pytest.mark.parametrize("n_rows", [8, 200])
@pytest.mark.parametrize("p", [30, 100, 1500])
def test_too_many_variables_to_be_exact(p, n_rows):
    code = f"""
try: asymptotic_importances(bits({n_rows}, {p}), bits({n_rows}), method="exact")
except ValueError as error: print(error)
"""
    told = run_apart(code)
    assert told is not None, "it did not end"
    assert 'method="sampled"' in told


def test_too_many_variables_for_all_sets():
    table, y = rng.integers(0, 2, (40, 30)), rng.integers(0, 2, 40)
    with pytest.raises(ValueError, match="max_size"):
        relevance(table, y)
    assert relevance(table, y, max_size=1).max_size == 1
    with pytest.raises(ValueError, match="24"):
        copies(table, y, 0)
    with pytest.raises(ValueError, match="24"):
        redundant(table[:, 0], table[:, 1], y, given=table[:, 2:])


def test_too_many_subspaces():
    table, y = rng.integers(0, 2, (20, 40)), rng.integers(0, 2, 20)
    with pytest.raises(ValueError, match="depth=5"):
        asymptotic_importances(table, y, subspace=5)


@pytest.mark.parametrize("splits", ["extra", "best"])
def test_many_values_are_no_danger(splits):
    """A split for each of 60,000 gaps: what is below them must not all be kept."""
    code = f"""
found = asymptotic_importances(rng.random((20_000, 3)), bits(20_000), splits="{splits}", n_trees=2)
print(found.total)
"""
    told = run_apart(code)
    assert told is not None, "it did not end"
    assert float(told.strip().splitlines()[-1]) > 0.9


def test_many_distinct_rows():
    table = rng.integers(0, 60, (50_000, 3))
    y = rng.integers(0, 2, 50_000)
    found = asymptotic_importances(table, y, K=2)
    assert found.exact
    assert found.total == pytest.approx(asymptotic_importances(table, y).total)


def test_many_rows():
    found = asymptotic_importances(rng.integers(0, 2, (300_000, 8)), np.arange(300_000) % 2)
    assert found.exact
    assert 0 < found.total < 0.01


CASES = {
    "sets": "asymptotic_importances(rng.integers(0, 4, (9999, 22)), bits(9999), method='exact')",
    "nodes": "masking(rng.integers(0, 4, (20_000, 12)), bits(20_000), method='exact')",
    "trees": "asymptotic_importances(bits(999, 90), bits(999), method='sampled', n_trees=10**6)",
}


@pytest.mark.parametrize("case", CASES)
def test_interrupt(case):
    setup = (
        "import numpy as np; from silvics.importance import *; rng = np.random.default_rng(0)\n"
        "def bits(*shape): return rng.integers(0, 2, shape)\n"
        "print('go', flush=True)\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", setup + CASES[case]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        run.stdout.readline()
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=HANG)
    finally:
        run.kill()
        run.wait()
    assert told.strip().splitlines()[-1] == "KeyboardInterrupt"


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
