"""Arrays that go past scikit-learn's checks: the same results and errors as with them."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

from silvics import RandomForestClassifier, RandomForestRegressor
from silvics._tables import inputs

from ..kinds import ALL, FORESTS, name_of, problem, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
LARGEST = np.finfo(np.float64).max
LARGEST32 = float(np.finfo(np.float32).max)


class Sub(np.ndarray):
    pass


def outcome(forest, method, X):
    """What is said of X, or the error; and what is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = getattr(forest, method)(X)
            said = (found[0].toarray() if method == "decision_path" else found).tolist()
        except Exception as error:
            said = (type(error), str(error))
    return said, [(w.category, str(w.message)) for w in caught]


def both_ways(monkeypatch, forest, X, method="predict"):
    """The outcome, after it was seen to be that of the slow way too."""
    quick = outcome(forest, method, X)
    with monkeypatch.context() as patched:
        patched.setattr(inputs, "_needs_no_checks", lambda *_: False)
        assert outcome(forest, method, X) == quick
    return quick


def strided(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), 77.0, dtype=X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def with_one(X, *values):
    X = X.copy()
    X.flat[: len(values)] = values
    return X


ARRAYS = {
    "float64": np.copy,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "int": lambda X: X.astype(np.int64),
    "bool": lambda X: X > 4,
    "complex": lambda X: X.astype(complex),
    "objects": lambda X: X.astype(object),
    "text": lambda X: X.astype(str),
    "swapped bytes": lambda X: X.astype(">f8"),
    "swapped bytes of float32": lambda X: X.astype(">f4"),
    "fortran": np.asfortranarray,
    "strided": strided,
    "strided float32": lambda X: strided(X.astype(np.float32)),
    "backwards": lambda X: X[::-1, ::-1],
    "one row again and again": lambda X: np.broadcast_to(X[0], X.shape),
    "read only": read_only,
    "unaligned": lambda X: np.frombuffer(b"\0" + X.tobytes(), offset=1).reshape(X.shape),
    "matrix": lambda X: X.view(np.matrix),
    "subclass": lambda X: X.view(Sub),
    "masked": lambda X: np.ma.masked_array(X, X > 7),
    "masked nowhere": np.ma.masked_array,
    "one row": lambda X: X[:1],
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "fewer columns": lambda X: X[:, :3],
    "more columns": lambda X: X[:, [0, 1, 2, 3, 0]],
    "turned": lambda X: X.T,
    "1-d": lambda X: X[0],
    "1-d of one": lambda X: X[0, :1],
    "0-d": lambda X: X[0, 0],
    "3-d": lambda X: X[np.newaxis],
    "nan": lambda X: with_one(X, np.nan),
    "all nan": lambda X: np.full_like(X, np.nan),
    "nan in float32": lambda X: with_one(X, np.nan).astype(np.float32),
    "inf": lambda X: with_one(X, np.inf),
    "-inf": lambda X: with_one(X, -np.inf),
    "inf in float32": lambda X: with_one(X, np.inf).astype(np.float32),
    "inf and -inf": lambda X: with_one(X, np.inf, -np.inf),
    "inf and nan": lambda X: with_one(X, np.inf, np.nan),
    "nan and inf": lambda X: with_one(X, np.nan, np.inf),
    "large": lambda X: with_one(X, LARGEST, LARGEST),
    "large of both signs": lambda X: with_one(X, LARGEST, LARGEST, -LARGEST, -LARGEST),
    "all large": lambda X: np.full_like(X, -1e308),
    "large in float32": lambda X: np.full_like(X, LARGEST32, dtype=np.float32),
    "large and nan": lambda X: with_one(X, LARGEST, LARGEST, np.nan),
    "large and inf": lambda X: with_one(X, LARGEST, LARGEST, np.inf),
    "-nan": lambda X: with_one(X, -np.nan),
    "-0.0": lambda X: -0.0 * X,
    "lists": np.ndarray.tolist,
    "frame": pd.DataFrame,
    "named frame": lambda X: pd.DataFrame(X, columns=list("abcd")),
}


@cache
def fitted(kind, missing="learned"):
    return small(kind, missing=missing).fit(*problem())


@each
@pytest.mark.parametrize("form", ARRAYS)
def test_both_ways(monkeypatch, kind, form):
    X, _ = problem()
    for missing in ("learned", "error"):
        both_ways(monkeypatch, fitted(kind, missing), ARRAYS[form](X))


@pytest.mark.parametrize("form", ARRAYS)
@pytest.mark.parametrize("method", ["predict_proba", "apply", "decision_path"])
def test_both_ways_of_other_methods(monkeypatch, form, method):
    X, _ = problem()
    both_ways(monkeypatch, fitted(RandomForestClassifier), ARRAYS[form](X), method)


@pytest.mark.parametrize("form", ARRAYS)
def test_both_ways_with_names(monkeypatch, form):
    """Of an array where there were names, scikit-learn warns."""
    X, y = problem()
    forest = small(RandomForestRegressor).fit(pd.DataFrame(X, columns=list("abcd")), y)
    said, warned = both_ways(monkeypatch, forest, ARRAYS[form](X))
    if form in ("float64", "float32", "fortran", "strided", "one row"):
        assert isinstance(said, list)
        assert [category for category, _ in warned] == [UserWarning]
        assert "does not have valid feature names" in warned[0][1]


@pytest.mark.parametrize("form", ARRAYS)
@pytest.mark.parametrize("unknown", ["missing", "error"])
def test_both_ways_with_categories(monkeypatch, form, unknown):
    X, y = problem()
    forest = small(RandomForestRegressor, categorical_features=[1], unknown_category=unknown)
    both_ways(monkeypatch, forest.fit(X, y), ARRAYS[form](X))


def test_what_is_quick():
    """Plain arrays of plain numbers, and nothing that a check may have something to say of."""
    X, _ = problem()
    forest = fitted(RandomForestRegressor)
    quick = {form for form in ARRAYS if inputs._needs_no_checks(forest, ARRAYS[form](X))}
    quick.discard("large of both signs")  # by the order of the sum
    assert quick == {
        *("float64", "float32", "fortran", "strided", "strided float32", "backwards"),
        *("one row again and again", "read only", "unaligned", "one row", "-0.0"),
    }


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_arrays_of_any_form_say_the_same(kind):
    X, _ = problem()
    forest = fitted(kind)
    forms = ("float32", "float16", "swapped bytes", "fortran", "strided", "read only", "unaligned")
    forms += ("longdouble", "objects", "subclass", "masked nowhere", "lists")
    for form in forms:
        for method in (forest.predict, forest.apply):
            np.testing.assert_array_equal(method(ARRAYS[form](X)), method(X))


def test_warnings_of_sums_are_not_ours():
    X, _ = problem()
    forest = fitted(RandomForestRegressor)
    with np.errstate(all="raise"):
        for form in ("large", "large of both signs", "all large", "large in float32", "nan"):
            forest.predict(ARRAYS[form](X))


def test_a_forest_that_is_not_fitted(monkeypatch):
    X, _ = problem()
    (error, words), _ = both_ways(monkeypatch, RandomForestClassifier(), X)
    assert error.__name__ == "NotFittedError"
    assert "not fitted yet" in words
