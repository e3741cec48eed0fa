"""Tables of the wrong shape, type or kind: an error that says so, or the right answer."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from ..kinds import ALL, CLASSIFIERS, name_of, problem, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)


@each
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.float64(3.0), "Expected 2D array, got scalar array"),
        (np.arange(60.0), "Expected 2D array, got 1D array"),
        (np.ones((60, 2, 2)), "Found array with dim 3"),
        (np.ones((0, 4)), "Found array with 0 sample"),
        (np.ones((60, 0)), "Found array with 0 feature"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous|setting an array element"),
        (np.ones((60, 2)) * 1j, "Complex data not supported"),
        (np.zeros(60, dtype=[("a", float), ("b", float)]), "Expected 2D array"),
    ],
)
def test_x(kind, X, message):
    with pytest.raises(ValueError, match=message):
        small(kind).fit(X, np.arange(60) % 2)


@each
@pytest.mark.parametrize("value", [{}, object(), [1], 1j, b"oak", np.void(b"oak"), {1}])
def test_objects_in_x(kind, value):
    X = np.empty((60, 1), dtype=object)
    X[:, 0] = [value] * 60
    words = r"column 0.*number|Complex data not supported"
    with pytest.raises((ValueError, TypeError), match=words):
        small(kind).fit(X, np.arange(60) % 2)
    with pytest.raises((ValueError, TypeError), match=words):
        small(kind).fit(np.ones((60, 1)), np.arange(60) % 2).predict(X)


@each
def test_raw_memory_is_no_column(kind):
    with pytest.raises(TypeError, match=r"column 0 is of type \|V4, which cannot be split on"):
        small(kind).fit(np.zeros((60, 2), dtype="V4"), np.arange(60) % 2)


# ---- what tables of text and of nothing mean

WORDS = {
    "text": lambda codes: np.array(["elm", "oak", "yew", ""])[codes],
    "bytes": lambda codes: np.array([b"elm", b"oak", b"yew", b""])[codes],
    "StringDType": lambda codes: WORDS["text"](codes).astype(np.dtypes.StringDType()),
    "objects": lambda codes: WORDS["text"](codes).astype(object),
    "numbers in words": lambda codes: np.array(["10", "9", "1.5", "-3"])[codes],
    "lists": lambda codes: WORDS["text"](codes).tolist(),
}


@each
@pytest.mark.parametrize("form", WORDS)
@pytest.mark.filterwarnings("ignore:Input X.*numbers stored as text:UserWarning")
def test_text_is_a_category(kind, form):
    codes = np.arange(120).reshape(60, 2) * 7 % 11 % 4
    y = (codes[:, 0] % 3 == 0) * 1
    X = WORDS[form](codes)
    fitted = small(kind).fit(X, y)
    assert fitted.is_categorical_.tolist() == [True, True]
    levels = sorted(set(np.ravel(WORDS["text"](np.arange(4)))))
    if form == "numbers in words":
        levels = ["-3", "1.5", "10", "9"]
    assert [list(found) for found in fitted.categories_] == [levels] * 2
    if form != "bytes":  # as objects they are no text
        as_objects = np.asarray(X, dtype=object)
        np.testing.assert_array_equal(fitted.predict(X), fitted.predict(as_objects))
    numbers = np.searchsorted(
        levels, WORDS[form](codes) if form == "numbers in words" else WORDS["text"](codes)
    )
    numbered = small(kind, categorical_features=[0, 1]).fit(numbers, y)
    assert fitted.digest() == numbered.digest()
    np.testing.assert_array_equal(fitted.predict(X), numbered.predict(numbers))
    with pytest.raises(ValueError, match="could not convert string to float: '"):
        small(kind, categorical_features=None).fit(X, y)


@each
@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT])
def test_a_table_of_nothing_has_nothing_to_split(kind, nothing):
    X, y = np.full((60, 2), nothing, dtype=object), np.arange(60) % 2
    fitted = small(kind).fit(X, y)
    assert all(t.tree_.node_count == 1 for t in getattr(fitted, "estimators_", [fitted]))
    assert len(set(fitted.predict(np.ones((5, 2))))) == 1
    with pytest.raises(ValueError, match="Input X contains NaN"):
        small(kind, missing="error").fit(X, y)


@each
@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "requires y to be passed"),
        (np.ones(59), ValueError, r"inconsistent numbers of samples: \[60, 59\]"),
        (np.ones((60, 2, 2)), ValueError, "dim"),
        (1.0, TypeError, "at least 1 dimension"),
        ([[0], [1, 2]] * 30, ValueError, "inhomogeneous|setting an array element"),
        (sparse.csr_array(np.ones((60, 1))), (ValueError, TypeError), "[Ss]parse"),
        (np.ones(60) * 1j, ValueError, "Complex data not supported"),
        ([], ValueError, "0 sample|inconsistent numbers of samples"),
    ],
)
def test_y(kind, y, error, message):
    with pytest.raises(error, match=message):
        small(kind).fit(problem()[0], y)


@each
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_x_is_x(kind, form):
    X, y = problem()
    X[X < 4] = 0
    other = sparse.coo_array(X).asformat(form)
    dense, fitted = small(kind).fit(X, y), small(kind).fit(other, y)
    assert fitted.digest() == dense.digest()
    np.testing.assert_array_equal(dense.predict(other), dense.predict(X))
    np.testing.assert_array_equal(fitted.predict(other), dense.predict(X))


@each
def test_a_sparse_x_that_is_no_table(kind):
    y = np.arange(60) % 2
    with pytest.raises(ValueError, match="Complex data not supported"):
        small(kind).fit(sparse.csr_array(np.ones((60, 2)) * 1j), y)
    with pytest.raises(ValueError, match="Found array with 0 feature"):
        small(kind).fit(sparse.csr_array((60, 0)), y)
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        small(kind).fit(sparse.csr_array((0, 2)), y)
    with pytest.raises(ValueError, match="needs a dense table"):
        small(kind, categorical_features=[0]).fit(sparse.csr_array(np.ones((60, 2))), y)
    for value, word in ((np.inf, "infinity"), (2**53 + 1, r"integers beyond 2\*\*53")):
        hostile = sparse.csr_array(np.full((60, 2), value))
        for X in (hostile, hostile.tocsc(), hostile.tocoo()):
            with pytest.raises(ValueError, match=f"Input X contains {word}"):
                small(kind).fit(X, y)


@each
def test_masked_values_are_missing_values(kind):
    X, y = problem()
    hidden = np.ma.masked_array(X, mask=X > 7)
    missing = np.where(X > 7, np.nan, X)
    fitted = small(kind).fit(missing, y)
    as_none = missing.astype(object)
    as_none[X > 7] = None
    for other in (hidden, as_none, hidden.astype(np.float32)):
        assert small(kind).fit(other, y).digest() == fitted.digest()
        np.testing.assert_array_equal(fitted.predict(other), fitted.predict(missing))
        with pytest.raises(ValueError, match="Input X contains NaN"):
            small(kind, missing="error").fit(other, y)
    assert fitted.digest() != small(kind).fit(X, y).digest()
    assert small(kind).fit(np.ma.masked_array(X), y).digest() == small(kind).fit(X, y).digest()


@each
def test_times_mean_microseconds(kind):
    X, y = problem()
    seconds = (8 * X).astype("datetime64[s]")
    microseconds = seconds.astype("datetime64[us]")
    fitted = small(kind).fit(seconds, y)
    assert fitted.digest() == small(kind).fit(microseconds.astype(np.int64), y).digest()
    np.testing.assert_array_equal(fitted.predict(seconds), fitted.predict(microseconds))


@each
def test_not_a_time_is_missing(kind):
    X, y = problem()
    X = (8 * X).astype("datetime64[s]")
    X[::3, 1] = np.datetime64("NaT")
    numbers = X.astype("datetime64[us]").astype(np.int64).astype(np.float64)
    numbers[::3, 1] = np.nan
    fitted = small(kind).fit(X, y)
    assert fitted.digest() == small(kind).fit(numbers, y).digest()
    assert fitted.digest() == small(kind).fit(X.astype(object), y).digest()
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict(X.astype(object)))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        small(kind, missing="error").fit(X, y)


# ---- the smallest problems


@each
def test_one_row(kind):
    fitted = small(kind).fit([[1.0, 2.0]], [7])
    assert fitted.predict([[5.0, -5.0]]).tolist() == [7]
    assert fitted.feature_importances_.tolist() == [0.0, 0.0]


@each
def test_constant_columns(kind):
    X, y = problem()
    fitted = small(kind).fit(np.ones_like(X), y)
    assert all(t.tree_.node_count == 1 for t in getattr(fitted, "estimators_", [fitted]))
    assert len(set(fitted.predict(X))) == 1


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_one_class(kind):
    X, _ = problem()
    fitted = small(kind).fit(X, ["yew"] * len(X))
    assert fitted.predict_proba(X).tolist() == [[1.0]] * len(X)
    assert set(fitted.predict(X)) == {"yew"}


@each
def test_no_rows_to_predict(kind):
    X, y = problem()
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        small(kind).fit(X, y).predict(X[:0])


@each
@pytest.mark.parametrize("method", ["predict", "apply", "decision_path", "digest", "to_sklearn"])
def test_not_fitted(kind, method):
    arguments = [] if method in ("digest", "to_sklearn") else [problem()[0]]
    with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
        getattr(small(kind), method)(*arguments)


@each
def test_other_number_of_columns(kind):
    X, y = problem()
    fitted = small(kind).fit(X, y)
    for method in (fitted.predict, fitted.apply, fitted.decision_path):
        with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4 features"):
            method(X[:, :3])


def test_skipped_checks_do_not_skip_the_shape():
    X, y = problem()
    fitted = small(ALL[0]).fit(X, y, check_input=False)
    for hostile in (X[:, :3], X[0], X[np.newaxis]):
        with pytest.raises(ValueError, match="features"):
            fitted.predict(hostile, check_input=False)


@pytest.mark.parametrize("hostile", [np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_skipped_checks_do_not_let_infinity_in(hostile, form):
    X, y = problem()
    X[3, 1] = hostile
    with pytest.raises(ValueError, match="Input X contains infinity"):
        small(ALL[0]).fit(form(X), y, check_input=False)


def test_skipped_checks_and_missing_values():
    X, y = problem()
    X[::3, 1] = np.nan
    checked = small(ALL[0]).fit(X, y)
    fitted = small(ALL[0]).fit(X, y, check_input=False)
    assert fitted.digest() == checked.digest()
    np.testing.assert_array_equal(fitted.predict(X, check_input=False), checked.predict(X))


@each
def test_a_failed_fit_leaves_the_estimator_as_it_was(kind):
    X, y = problem()
    estimator = small(kind)
    with pytest.raises(ValueError, match="inconsistent"):
        estimator.fit(X, y[:-1])
    assert vars(estimator) == estimator.get_params()
    digest = estimator.fit(X, y).digest()
    with pytest.raises(ValueError, match="infinity"):
        estimator.fit(X + np.inf, y)
    with pytest.raises(ValueError, match="inconsistent"):
        estimator.fit(pd.DataFrame({"a": ["oak"] * 60}), y[:-1])
    with pytest.raises(ValueError, match="Negative values"):
        estimator.fit(pd.DataFrame({"a": ["oak"] * 60}), y, sample_weight=-np.ones(60))
    assert estimator.digest() == digest
    assert estimator.is_categorical_.tolist() == [False] * 4
    assert estimator.categories_ == [None] * 4
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.predict(X).shape == y.shape


# ---- frames

FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcd")),
    "pandas, nullable": lambda X: pd.DataFrame(X, columns=list("abcd")).convert_dtypes(),
    "pandas, arrow": lambda X: pd.DataFrame(X, columns=list("abcd")).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": lambda X: pl.DataFrame(X, schema=list("abcd")),
    "pyarrow": lambda X: pa.table({name: X[:, j] for j, name in enumerate("abcd")}),
    "lists": lambda X: X.tolist(),
}


@each
@pytest.mark.parametrize("frame", FRAMES)
def test_numeric_frames_are_arrays(kind, frame):
    X, y = problem()
    ours, theirs = small(kind).fit(X, y), small(kind).fit(FRAMES[frame](X), y)
    assert ours.digest() == theirs.digest()
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(FRAMES[frame](X)))
    if frame != "lists":
        assert theirs.feature_names_in_.tolist() == list("abcd")


def test_mixed_numeric_columns():
    _, y = problem()
    columns = {"a": np.arange(60) % 7, "b": np.arange(60) % 2 == 0, "c": np.arange(60) / 8}
    X = np.column_stack([np.asarray(column, dtype=float) for column in columns.values()])
    expected = small(ALL[0]).fit(X, y).digest()
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert small(ALL[0]).fit(frame, y).digest() == expected


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_missing_values_in_frames(frame):
    X = frame({"a": [1.0, None, 2.0, 3.0]})
    fitted = small(ALL[0]).fit(X, [0, 1, 0, 0])
    assert fitted.predict(X).tolist() == [0, 1, 0, 0]
    assert fitted.digest() == small(ALL[0]).fit([[1], [np.nan], [2], [3]], [0, 1, 0, 0]).digest()
    with pytest.raises(ValueError, match="Input X contains NaN"):
        small(ALL[0], missing="error").fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_words_in_frames(frame):
    X = frame({"a": [1.0, 2.0, 2.0, 1.0], "b": ["oak", "elm", "oak", "elm"]})
    y = [0, 1, 0, 1]
    fitted = small(ALL[0]).fit(X, y)
    assert fitted.predict(X).tolist() == y
    assert fitted.is_categorical_.tolist() == [False, True]
    assert fitted.categories_[0] is None
    assert fitted.categories_[1].tolist() == ["elm", "oak"]
    with pytest.raises(ValueError, match=r"could not convert string to float: '(oak|elm)'"):
        small(ALL[0], categorical_features=None).fit(X, y)


def test_categories_in_frames():
    X = pd.DataFrame({"a": pd.Categorical(["oak", "elm"] * 2)})
    fitted = small(ALL[0]).fit(X, [0, 1] * 2)
    assert fitted.predict(X).tolist() == [0, 1] * 2
    assert (
        fitted.digest()
        == small(ALL[0]).fit(pd.DataFrame({"a": ["oak", "elm"] * 2}), [0, 1] * 2).digest()
    )
    with pytest.raises(ValueError, match="could not convert string to float"):
        small(ALL[0], categorical_features=None).fit(X, [0, 1] * 2)


@each
def test_names_of_columns(kind):
    X, y = problem()
    frame = FRAMES["pandas"](X)
    fitted = small(kind).fit(frame, y)
    with pytest.raises(ValueError, match="must be in the same order"):
        fitted.predict(frame[list("bacd")])
    with pytest.raises(ValueError, match="now missing:\n- d"):
        fitted.predict(frame[list("abc")])
    with pytest.raises(ValueError, match="unseen at fit time:\n- e"):
        fitted.predict(frame.rename(columns={"d": "e"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        fitted.predict(X)


@each
def test_the_same_name_twice(kind):
    X, y = problem()
    with pytest.raises(ValueError, match="unique column names"):
        small(kind).fit(pd.DataFrame(X, columns=list("abca")), y)
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        small(kind).fit(pd.DataFrame(X, columns=["a", "b", "c", 4]), y)
