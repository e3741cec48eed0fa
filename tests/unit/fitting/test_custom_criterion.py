"""Criteria that are functions of the user: what they see, their errors, copies and files."""

import inspect
import operator
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import silvics
from silvics import ForestClassifier, ForestRegressor

from ..kinds import problem

X, Y = problem(n_rows=120)
LABELS = Y.astype(int)


def gini(counts):
    return 1.0 - ((counts / counts.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)


def variance(moments):
    return moments[:, 2]


def test_the_library_s_own_criteria_as_functions():
    continuous = np.random.default_rng(0).normal(size=(150, 3))
    labels = (continuous[:, 0] * continuous[:, 1] > 0).astype(int)
    for kind, y, function, name in (
        (ForestClassifier, labels, gini, "gini"),
        (ForestRegressor, continuous[:, 0] ** 2 + continuous[:, 1], variance, "squared_error"),
    ):
        given = {"n_estimators": 5, "random_state": 0, "max_depth": 4}
        ours = kind("random_forest", criterion=function, **given).fit(continuous, y)
        theirs = kind("random_forest", criterion=name, **given).fit(continuous, y)
        for a, b in zip(ours, theirs, strict=True):
            assert a.tree_.feature.tolist() == b.tree_.feature.tolist()
            np.testing.assert_allclose(a.tree_.threshold, b.tree_.threshold)
            np.testing.assert_allclose(a.tree_.impurity, b.tree_.impurity, atol=1e-9)
        np.testing.assert_allclose(
            ours.feature_importances_, theirs.feature_importances_, atol=1e-9
        )


def test_what_the_function_sees():
    seen = []

    def keeps(rows):
        assert rows.dtype == np.float64
        assert rows.flags.c_contiguous
        seen.append(rows)
        return gini(rows)

    ForestClassifier("cart", criterion=keeps, max_depth=1).fit(X, LABELS)
    counts = np.bincount(LABELS)
    assert all(rows.shape[1] == len(counts) for rows in seen)
    root = next(rows for rows in seen if len(rows) == 1)
    assert root[0].tolist() == counts.tolist()
    cuts = max(seen, key=len)  # both sides of every cut of a variable
    assert (cuts[::2] + cuts[1::2] == counts).all()

    def moments(rows):
        seen.append(rows)
        return rows[:, 2]

    seen.clear()
    shifted = Y + 1e6
    ForestRegressor("cart", criterion=moments, max_depth=1).fit(X, shifted)
    root = next(rows for rows in seen if len(rows) == 1)
    np.testing.assert_allclose(root[0], [len(X), shifted.mean(), shifted.var()], rtol=1e-12)


def test_several_outputs_are_averaged():
    two = np.stack([LABELS, LABELS > 1], axis=1).astype(int)
    ours = ForestClassifier("cart", criterion=gini).fit(X, two)
    theirs = ForestClassifier("cart", criterion="gini").fit(X, two)
    np.testing.assert_allclose(ours[0].tree_.impurity[0], theirs[0].tree_.impurity[0])
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_exceptions_of_the_function_are_raised_with_a_note(n_jobs):
    def fails(counts):
        if len(counts) > 1:
            raise ZeroDivisionError("no division today")
        return gini(counts)

    forest = ForestClassifier("random_forest", 20, criterion=fails, n_jobs=n_jobs)
    with pytest.raises(ZeroDivisionError, match="no division today") as caught:
        forest.fit(X, LABELS)
    assert "the function fails that was passed as criterion" in caught.value.__notes__[0]
    with pytest.raises(NotFittedError):
        forest.predict(X)
    fitted = ForestClassifier("random_forest", 3, random_state=0).fit(X, LABELS)
    before = fitted.digest()
    with pytest.raises(ZeroDivisionError):
        fitted.set_params(criterion=fails).fit(X, LABELS)
    assert fitted.digest() == before


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda counts: counts, "returned an array of shape"),
        (lambda counts: 0.5, r"returned an array of shape \(\)"),
        (lambda counts: np.full(len(counts), np.nan), "Impurities must be finite"),
    ],
)
def test_values_that_are_no_impurities(function, words):
    with pytest.raises(ValueError, match=words):
        ForestClassifier("cart", criterion=function).fit(X, LABELS)


def test_clones_files_and_pickles(tmp_path):
    forest = ForestClassifier("random_forest", 5, criterion=gini, random_state=0).fit(X, LABELS)
    assert clone(forest).criterion is gini
    assert clone(forest).fit(X, LABELS).digest() == forest.digest()
    again = pickle.loads(pickle.dumps(forest))
    assert again.criterion is gini
    assert again.digest() == forest.digest()
    with pytest.warns(UserWarning, match="criterion=<function gini"):
        forest.save(tmp_path / "forest.silvics")
    loaded = silvics.load(tmp_path / "forest.silvics")
    assert loaded.criterion is None
    assert loaded.digest() == forest.digest()
    local = ForestClassifier("cart", criterion=lambda counts: gini(counts)).fit(X, LABELS)
    with pytest.warns(UserWarning, match="cannot be pickled"):
        content = pickle.dumps(local)
    assert pickle.loads(content).criterion is None


def test_other_threads_go_on_while_a_function_runs():
    """The interpreter lock is held only inside of the function."""
    forest = ForestRegressor("random_forest", 6, criterion=variance, n_jobs=4, random_state=0)
    alone = ForestRegressor("random_forest", 6, criterion=variance, n_jobs=1, random_state=0)
    assert forest.fit(X, Y).digest() == alone.fit(X, Y).digest()


def test_names_of_classes_and_kinds_that_are_not_functions():
    with pytest.raises(ValueError, match="criterion"):
        ForestClassifier("cart", criterion=3).fit(X, LABELS)
    with pytest.raises(ValueError, match="criterion"):
        silvics.RandomForestClassifier(criterion=gini).fit(X, LABELS)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda counts: "a", "returned 'a'. It must return numbers: one impurity for each row"),
        (lambda counts: None, "shape|returned None"),
        (lambda: 1.0, "must take one argument, an array with one row for each part"),
        (lambda counts, weights: 1.0, "must take one argument.*'weights'"),
    ],
)
def test_functions_that_cannot_be_criteria(function, words):
    for kind in (ForestClassifier, ForestRegressor):
        with pytest.raises((TypeError, ValueError), match=words) as caught:
            kind(n_estimators=2, criterion=function).fit(X, LABELS)
        assert "passed as criterion" in str(caught.value)


def test_a_function_without_a_signature():
    first = operator.itemgetter((slice(None), 0))
    with pytest.raises(ValueError, match="signature"):
        inspect.signature(first)
    settings = {"n_estimators": 2, "random_state": 0}
    forest = ForestClassifier(criterion=lambda counts: counts[:, 0], **settings)
    same = ForestClassifier(criterion=first, **settings)
    assert same.fit(X, LABELS).digest() == forest.fit(X, LABELS).digest()
