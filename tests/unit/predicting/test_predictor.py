"""One row or a table, in every form: what the forest says of it in a table, bit for bit."""

import re
import string
from collections import OrderedDict, UserDict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from silvics import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

from ..kinds import FORESTS, name_of, problem, small

NAMES = ["oak", "elm", "yew", "ash"]
each = pytest.mark.parametrize("kind", FORESTS, ids=name_of)


def framed(X):
    return pd.DataFrame(X, columns=NAMES)


def same(ours, theirs):
    """Equal to the last bit, in the same shape and type."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    assert ours.tolist() == theirs.tolist()


def same_row(predict, forest, row, table, i=0):
    """What is said of a row is what the forest says of it as line i of a table."""
    said, expected = predict(row), forest.predict(table)[i]
    if forest.n_outputs_ > 1:
        same(said, expected)
    else:
        plain = np.asarray(expected).tolist()
        assert (said, type(said)) == (plain, type(plain))
    if not forest._classification:
        return
    shares, all_shares = predict.predict_proba(row), forest.predict_proba(table)
    if forest.n_outputs_ == 1:
        same(shares, all_shares[i])
    else:
        assert isinstance(shares, list)
        for ours, theirs in zip(shares, all_shares, strict=True):
            same(ours, theirs[i])


def strided(row):
    wide = np.full(3 * len(row), 77.0)
    wide[::3] = row
    return wide[::3]


def unaligned(row):
    return np.frombuffer(b"\0" + row.tobytes(), dtype=row.dtype, offset=1)


def read_only(row):
    row = row.copy()
    row.flags.writeable = False
    return row


PLAIN = {
    "list": np.ndarray.tolist,
    "tuple": tuple,
    "list of NumPy's": list,
    "list of arrays": lambda row: [np.array(x) for x in row],
    "list of float32": lambda row: list(row.astype(np.float32)),
    "whole numbers": lambda row: [int(x) if x == int(x) else x for x in row.tolist()],
    "float64": np.copy,
    "float32": lambda row: row.astype(np.float32),
    "float16": lambda row: row.astype(np.float16),
    "longdouble": lambda row: row.astype(np.longdouble),
    "strided": strided,
    "backwards": lambda row: row[::-1].copy()[::-1],
    "unaligned": unaligned,
    "read only": read_only,
    "swapped bytes": lambda row: row.astype(">f8"),
    "swapped bytes of float32": lambda row: row.astype(">f4"),
    "objects": lambda row: row.astype(object),
    "masked, nowhere": np.ma.masked_array,
}
NAMED = {
    "dict": lambda row: dict(zip(NAMES, row.tolist(), strict=True)),
    "dict of NumPy's": lambda row: dict(zip(NAMES, row, strict=True)),
    "dict in another order": lambda row: dict(
        reversed(list(zip(NAMES, row.tolist(), strict=True)))
    ),
    "OrderedDict": lambda row: OrderedDict(zip(NAMES, row.tolist(), strict=True)),
    "UserDict": lambda row: UserDict(zip(NAMES, row.tolist(), strict=True)),
    "Series": lambda row: framed(row[np.newaxis]).iloc[0],
    "Series in another order": lambda row: framed(row[np.newaxis]).iloc[0][::-1],
    "Series of objects": lambda row: framed(row[np.newaxis]).astype(object).iloc[0],
}


@each
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("form", PLAIN)
def test_a_row_of_numbers(kind, n_outputs, form):
    X, y = problem(n_outputs=n_outputs)
    forest = small(kind).fit(X, y)
    predict = forest.predictor()
    for i in range(12):
        same_row(predict, forest, PLAIN[form](X[i]), X, i)


@each
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("form", NAMED)
def test_a_row_by_names(kind, n_outputs, form):
    X, y = problem(n_outputs=n_outputs)
    forest = small(kind).fit(framed(X), y)
    predict = forest.predictor()
    for i in range(6):
        same_row(predict, forest, NAMED[form](X[i]), framed(X), i)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8", "?", ">i4"])
def test_a_row_of_whole_numbers(dtype):
    X, y = problem()
    X = (X // 4).astype(dtype)
    forest = small(RandomForestClassifier).fit(X, y)
    for i in range(12):
        for row in (X[i], X[i].tolist(), list(X[i])):
            same_row(forest.predictor(), forest, row, X, i)


def test_a_row_with_names_may_be_a_list():
    X, y = problem()
    forest = small(RandomForestClassifier).fit(framed(X), y)
    for row in (X[3], X[3].tolist(), tuple(X[3])):
        same_row(forest.predictor(), forest, row, framed(X), 3)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT, float("nan"), np.float32("nan")])
@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesClassifier], ids=name_of)
def test_a_row_with_holes(missing, kind):
    X, y = problem()
    X[::3, 0] = X[::4, 2] = np.nan
    forest = small(kind).fit(X, y)
    for i in range(13):
        row = [missing if np.isnan(x) else x for x in X[i].tolist()]
        same_row(forest.predictor(), forest, row, X, i)
        same_row(forest.predictor(), forest, np.array(row, dtype=object), X, i)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_masked_values_are_missing(dtype):
    X, y = problem()
    X[::3, 0] = np.nan
    forest = small(RandomForestRegressor, max_features=None).fit(X, y)
    masked = np.ma.masked_array(np.nan_to_num(X, nan=63.0).astype(dtype), mask=np.isnan(X))
    for i in range(12):
        same_row(forest.predictor(), forest, masked[i], masked, i)


# ---- labels


LABELS = {
    "text": (np.array(list(string.ascii_lowercase)), str),
    "objects": (np.array(list(string.ascii_lowercase), dtype=object), str),
    "whole": (np.arange(26) * 7 - 50, int),
    "small": (np.arange(26, dtype=np.int8), int),
    "real": (np.arange(26.0) - 3.0, float),
    "bool": (np.array([False, True]), bool),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("n_classes", [2, 26])
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier], ids=name_of)
def test_labels(labels, n_classes, kind):
    """Of Python's own types, by the quick way and by the slow way."""
    classes, python = LABELS[labels]
    classes = classes[:n_classes]
    random = np.random.default_rng(0)
    X = random.integers(0, 64, size=(200, 3)) / 8
    y = classes[np.arange(200) % len(classes)]
    forest = small(kind, min_samples_leaf=3).fit(X, y)
    predict = forest.predictor()
    for i in range(30):
        for row in (X[i].tolist(), X[i].astype(object), X[i].astype(np.float16)):
            assert type(predict(row)) is python
            same_row(predict, forest, row, X, i)


def test_labels_of_a_series():
    X, y = problem()
    words = pd.Series(np.array(["thin", "thick", "old", "dead"])[y.astype(int)])
    forest = small(RandomForestClassifier).fit(framed(X), words)
    for form in ("dict", "UserDict", "Series"):
        assert type(forest.predictor()(NAMED[form](X[0]))) is str


@pytest.mark.parametrize("dtype", [object, "U1"])
def test_labels_of_several_outputs(dtype):
    X, _ = problem()
    y = np.array([["a", "x"], ["b", "y"], ["a", "z"]], dtype=dtype)[np.arange(60) % 3]
    forest = small(RandomForestClassifier).fit(X, y)
    for i in range(12):
        same_row(forest.predictor(), forest, X[i].tolist(), X, i)


def test_one_class():
    X, _ = problem()
    forest = small(RandomForestClassifier).fit(X, np.full(60, "x"))
    assert forest.predictor()(X[0].tolist()) == "x"
    assert forest.predictor().predict_proba(X[0]).tolist() == [1.0]


def test_ties_go_to_the_first_class():
    X = np.zeros((4, 1))
    forest = RandomForestClassifier(2, bootstrap=False).fit(X, ["b", "a", "b", "a"])
    assert forest.predict(X).tolist() == ["a"] * 4
    assert forest.predictor()([0.0]) == forest.predictor()([False]) == "a"


def test_regression_gives_a_float():
    X, y = problem()
    predict = small(RandomForestRegressor).fit(X, y).predictor()
    for row in (X[0], X[0].tolist(), X[0].astype(object), tuple(X[0])):
        assert type(predict(row)) is float
    with pytest.raises(AttributeError, match="classification only"):
        predict.predict_proba(X[0])


def test_shares_are_the_callers_own():
    X, y = problem()
    forest = small(RandomForestClassifier).fit(X, y)
    predict = forest.predictor()
    first = predict.predict_proba(X[0])
    first[:] = 7.0
    same_row(predict, forest, X[0], X)


def test_many_trees():
    """More than are walked side by side."""
    X, y = problem()
    forest = ExtraTreesClassifier(600, random_state=0).fit(X, y)
    for i in range(12):
        same_row(forest.predictor(), forest, X[i].tolist(), X, i)


def test_many_classes():
    """More than a packed leaf can tell."""
    n = 2**16 + 3
    X = np.tile(np.arange(float(n)), 2)[:, np.newaxis]
    forest = ExtraTreesClassifier(1, random_state=0).fit(X, np.tile(np.arange(n), 2))
    predict = forest.predictor()
    for i in (0, 2**16 - 2, 2**16 - 1, 2**16, n - 1):
        assert predict([float(i)]) == i
        assert forest.predict(X[[i]]).tolist() == [i]
    some = X[2**16 - 6 : n]
    assert forest.predict(some).tolist() == some[:, 0].tolist()


def test_a_bare_root():
    forest = RandomForestRegressor(3, random_state=0, max_depth=1).fit([[1.0]] * 4, [2.0] * 4)
    assert forest.predictor()([5.0]) == 2.0
    assert forest.predictor()(np.array([np.nan])) == 2.0


# ---- tables


TABLES = {
    "float64": np.copy,
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "objects": lambda X: X.astype(object),
    "lists": np.ndarray.tolist,
    "tuples": lambda X: tuple(map(tuple, X.tolist())),
    "list of arrays": list,
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "masked": np.ma.masked_array,
}
FRAMES = {
    "pandas": framed,
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "list of dicts": lambda X: framed(X).to_dict("records"),
    "tuple of dicts": lambda X: tuple(framed(X).to_dict("records")),
}


@pytest.mark.parametrize("form", [*TABLES, *FRAMES])
@pytest.mark.parametrize("n_outputs", [1, 2])
@each
def test_tables(form, n_outputs, kind):
    X, y = problem(n_outputs=n_outputs)
    whole = framed(X) if form in FRAMES else X
    forest = small(kind).fit(whole, y)
    predict = forest.predictor(n_jobs=2)
    for n_rows in (1, 2, 60):
        table = (TABLES | FRAMES)[form](X[:n_rows])
        same(predict(table), forest.predict(whole)[:n_rows])
        if forest._classification:
            ours, theirs = predict.predict_proba(table), forest.predict_proba(whole)
            if n_outputs == 1:
                ours, theirs = [ours], [theirs]
            for a, b in zip(ours, theirs, strict=True):
                same(a, b[:n_rows])


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_a_frame_of_other_columns_is_refused(form):
    """As by the forest: what is in another order would be taken for something else."""
    X, y = problem()
    forest = small(RandomForestRegressor).fit(framed(X), y)
    table = FRAMES[form](X)
    turned = table[NAMES[::-1]] if form != "pyarrow" else table.select(NAMES[::-1])
    for predict in (forest.predict, forest.predictor()):
        with pytest.raises(ValueError, match="feature names should match"):
            predict(turned)


# ---- what is not a row


@pytest.fixture
def by_names():
    X, y = problem()
    return small(RandomForestRegressor).fit(framed(X), y).predictor()


@pytest.fixture
def by_place():
    X, y = problem()
    return small(RandomForestClassifier).fit(X, y).predictor()


@pytest.mark.parametrize(
    "form",
    [
        *(dict, OrderedDict, lambda row: pd.Series(row, dtype=object)),
        *(lambda row: [row], lambda row: (dict.fromkeys(NAMES, 1.0), row)),
    ],
    ids=["dict", "OrderedDict", "Series", "list", "tuple"],
)
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["oak", "elm", "yew"], "'ash' is absent"),
        (["oak", "elm", "yew", "Ash"], "'ash' is absent, 'Ash' is unknown"),
        (["oak", "elm", "yew", "ash", "fir"], "'fir' is unknown"),
        (["oak", "elm", "yew", 3], "'ash' is absent, 3 is unknown"),
        (["oak"], "'elm' is absent, 'yew' is absent, 'ash' is absent"),
        ([*NAMES, ("ash", 0)], r"\('ash', 0\) is unknown"),
    ],
)
def test_wrong_names(by_names, form, names, words):
    with pytest.raises(ValueError, match=f"not those seen in fit: {words}"):
        by_names(form(dict.fromkeys(names, 1.0)))


@pytest.mark.parametrize("row", [{}, {"oak": 1.0}, dict.fromkeys(NAMES, 1.0), {0: 1.0}])
def test_names_without_names(by_place, row):
    for given in (row, [row], OrderedDict(row)):
        with pytest.raises(ValueError, match="without names"):
            by_place(given)
        with pytest.raises(ValueError, match="without names"):
            by_place.predict_proba(given)


@pytest.mark.parametrize("make", [list, tuple, np.array, lambda x: np.array(x, dtype=object)])
@pytest.mark.parametrize("n", [1, 3, 5, 400])
def test_rows_of_another_length(by_place, by_names, make, n):
    for predict in (by_place, by_names, by_place.predict_proba):
        with pytest.raises(ValueError, match=f"X has {n} features.* expecting 4"):
            predict(make([1.0] * n))


@pytest.mark.parametrize(
    "nothing",
    [
        *([], (), [[]], [()], np.array([]), np.zeros((0, 4)), np.zeros((1, 0))),
        *(sparse.csr_array((0, 4)), pd.DataFrame(), pd.DataFrame(columns=NAMES), pd.Series()),
    ],
    ids=repr,
)
def test_nothing(by_place, by_names, nothing):
    for predict in (by_place, by_names, by_place.predict_proba):
        with pytest.raises(ValueError, match=r"0 sample|0 feature|'oak' is absent|without names"):
            predict(nothing)


@pytest.mark.parametrize(
    "strange",
    [
        *([[[1.0] * 4]], [1.0, 2.0, 3.0, [4.0]], [[1.0], 2.0, 3.0, 4.0], [[1.0] * 4, [1.0]]),
        *([1.0, 2.0, 3.0, {}], [1.0, 2.0, 3.0, object()], [1.0, 2.0, 3.0, 1j], [1.0, 2, 3, b"4"]),
        *(np.zeros((1, 1, 4)), np.zeros(()), np.zeros(4, dtype=complex), np.zeros(4, "V8")),
        *(3.0, "oak!", b"1234", {1.0, 2.0, 3.0, 4.0}, object(), (x for x in "oaks"), None),
        *([{"oak": 1.0}, [1.0] * 4], [{"oak": 1.0}, None], [None, {"oak": 1.0}], [[], [], [], []]),
        *(np.zeros(4, dtype="M8[s]"), np.zeros(4, dtype="S3"), np.array(["1", "2", "3", "4"])),
    ],
    ids=lambda strange: re.sub(" at 0x.*", "", repr(strange)),
)
def test_what_is_no_row_is_refused(by_place, by_names, strange):
    for predict in (by_place, by_names, by_place.predict_proba):
        with pytest.raises((ValueError, TypeError)) as error:
            predict(strange)
        assert "incompatible function arguments" not in str(error.value)


def test_repr(by_place):
    assert repr(by_place) == "<Predictor of 3 trees on 4 variables>"
