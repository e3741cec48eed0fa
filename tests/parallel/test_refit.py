"""A fit replaces the model as a whole: readers see the old one or the new one, never a mixture."""

import threading

import numpy as np
import pytest

from silvics import (
    DecisionTreeClassifier,
    ForestClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from silvics.importance import SelectByThreshold

X = np.random.default_rng(0).normal(size=(60, 3))
OLD = np.where(X[:, 0] > 0, "a", "b")
NEW = np.where(X[:, 1] > 0, "y", np.where(X[:, 2] > 0, "z", "x"))
BEFORE = np.stack([OLD, OLD[::-1]], axis=1)
AFTER = np.stack([NEW, NEW[::-1]], axis=1)


class RefitsWhenRead:
    """Rows that fit the model again at the moment when a method of the model reads them."""

    def __init__(self, model, y):
        self._model, self._y = model, y
        self.shape = X.shape

    def __len__(self):
        return len(X)

    def __array__(self, dtype=None, copy=None):
        self._model.fit(X, self._y)
        return X.astype(dtype or X.dtype)


def forest(**settings):
    return RandomForestClassifier(n_estimators=5, random_state=0, **settings)


@pytest.mark.parametrize("model", [forest(), DecisionTreeClassifier(random_state=0)])
@pytest.mark.parametrize(("before", "after"), [(OLD, NEW), (BEFORE, AFTER)])
@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
def test_a_method_sees_one_model_even_if_it_is_fitted_again_meanwhile(model, before, after, method):
    model.fit(X, before)
    expected = getattr(model, method)(X)
    np.testing.assert_array_equal(getattr(model, method)(RefitsWhenRead(model, after)), expected)
    assert set(np.unique(model.predict(X))) <= {"x", "y", "z"}  # the fit did happen


def test_scores_of_an_isolation_forest_are_of_one_model():
    model = IsolationForest(n_estimators=5, contamination=0.2, random_state=0).fit(X)
    expected = model.decision_function(X)
    rows = RefitsWhenRead(model.set_params(contamination=0.5), None)
    np.testing.assert_array_equal(model.decision_function(rows), expected)
    assert model.offset_ != pytest.approx(-0.5)


def test_an_embedding_is_of_one_model():
    model = RandomTreesEmbedding(n_estimators=5, max_depth=3, random_state=0).fit(X)
    expected = model.transform(X).toarray()
    rows = RefitsWhenRead(model.set_params(max_depth=6), None)
    np.testing.assert_array_equal(model.transform(rows).toarray(), expected)


@pytest.mark.parametrize(("before", "after"), [(OLD, NEW), (BEFORE, AFTER)])
def test_progress_sees_the_old_model(before, after):
    model = forest().fit(X, before)
    expected, digest = model.predict(X), model.digest()
    seen = []

    def progress(done, total):
        seen.append(done)
        np.testing.assert_array_equal(model.predict(X), expected)
        assert model.digest() == digest

    assert model.set_params(progress=progress).fit(X, after) is model
    assert seen
    np.testing.assert_array_equal(model.classes_, forest().fit(X, after).classes_)


def test_progress_of_a_first_fit_sees_no_model():
    fitted = []
    model = forest(progress=lambda done, total: fitted.append(model.__sklearn_is_fitted__()))
    model.fit(X, OLD)
    assert fitted
    assert not any(fitted)


@pytest.mark.parametrize(("before", "after"), [(OLD, NEW), (BEFORE, AFTER)])
def test_other_threads_predict_with_the_old_model_or_the_new_one(before, after):
    model = forest().fit(X, before)
    possible = [forest().fit(X, y).predict(X) for y in (before, after)]
    done, wrong, answers = threading.Event(), [], []

    def read():
        while not done.is_set():
            try:
                answer = model.predict(X)
                answers.append(any(np.array_equal(answer, one) for one in possible))
            except Exception as error:
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(60):
        model.fit(X, before if turn % 2 else after)
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert all(answers)


def test_two_fits_at_once_give_one_of_the_two_models():
    model = forest()
    digests = {forest().fit(X, y).digest() for y in (OLD, NEW)}
    errors = []

    def fit(y):
        try:
            for _ in range(20):
                model.fit(X, y)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=fit, args=(y,)) for y in (OLD, NEW)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert model.digest() in digests
    expected = {"a", "b"} if len(model.classes_) == 2 else {"x", "y", "z"}
    assert set(model.predict(X)) <= expected


def test_a_fit_that_fails_leaves_everything_as_it_was():
    model = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0])
    before = dict(vars(model))
    with pytest.raises(ValueError, match="y"):
        model.fit(X, np.full(len(X), np.inf))
    assert vars(model) == before


def test_an_interrupted_fit_replaces_the_model_and_raises():
    def stop(done, total):
        if done >= 2:
            raise KeyboardInterrupt

    model = ForestClassifier("bagging", n_estimators=400, random_state=0).fit(X, OLD)
    model.set_params(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, NEW)
    assert model.interrupted_
    assert set(model.classes_) == {"x", "y", "z"}
    assert len(model) >= 2


def test_a_selector_that_fails_keeps_its_selection():
    selector = SelectByThreshold(forest(), threshold=0.0).fit(X, OLD)
    before = selector.support_.copy()
    with pytest.raises(ValueError, match="y"):
        selector.fit(X, OLD[:10])
    np.testing.assert_array_equal(selector.support_, before)
