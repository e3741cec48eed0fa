"""What a predictor outlives, what forests keep of it, and many threads at once."""

import copy
import gc
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import cloudpickle
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from joblib import parallel_config

from silvics import (
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
    from_sklearn,
)
from silvics._predicting import prediction

from ..kinds import FORESTS, name_of, problem, small
from ..mixed_table import objects, pandas_of_numpy, target

each = pytest.mark.parametrize("kind", FORESTS, ids=name_of)


def said(predict, X):
    return [np.asarray(predict(row)).tolist() for row in X]


COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "pickle, protocol 2": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
    "cloudpickle": lambda thing: pickle.loads(cloudpickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@each
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_copies(kind, how, n_outputs):
    X, y = problem(n_outputs=n_outputs)
    forest = small(kind).fit(X, y)
    predict = forest.predictor(n_jobs=2)
    rows = X[:10].tolist()
    expected = said(predict, rows)
    assert said(COPIES[how](predict), rows) == expected
    other = COPIES[how](forest)
    assert said(other.predictor(), rows) == expected
    np.testing.assert_array_equal(other.predict(X), forest.predict(X))
    assert repr(COPIES[how](predict)) == repr(predict)


@pytest.mark.parametrize("how", COPIES)
def test_copies_know_levels_and_rules(how):
    X = objects()
    forest = RandomForestClassifier(5, random_state=0, unknown_category="error")
    predict = COPIES[how](forest.fit(X, target()).predictor())
    assert said(predict, X) == said(forest.predictor(), X)
    row = X[0].tolist()
    row[3] = "no such"
    with pytest.raises(ValueError, match="not seen in training: 'no such'"):
        predict(row)


@each
def test_a_pickle_does_not_grow(kind):
    """What is packed to predict is not stored."""
    X, y = problem()
    forest = small(kind, n_estimators=20).fit(X, y)
    stored, kept = pickle.dumps(forest), dict(vars(forest))
    predict = forest.predictor()
    fresh = pickle.dumps(predict)
    forest.predict(X)
    forest.predict(X[:1])
    forest.apply(X)
    forest.decision_path(X)
    said(predict, X)
    assert pickle.dumps(forest) == stored
    assert pickle.dumps(predict) == fresh
    assert len(fresh) < len(stored) + 500
    assert vars(forest).keys() == kept.keys()
    assert all(vars(forest)[name] is value for name, value in kept.items())


def test_a_predictor_outlives_its_forest():
    X, y = problem()
    forest = small(RandomForestClassifier).fit(X, y)
    predict = forest.predictor()
    expected, shares = said(predict, X), said(predict.predict_proba, X)
    forest.fit(X[:, :2], y > 1)
    forest.set_params(missing="error", unknown_category="error")
    assert said(predict, X) == expected
    del forest
    gc.collect()
    assert said(predict, X) == expected
    assert said(predict.predict_proba, X) == shares
    assert predict(X).tolist() == expected


@each
def test_warm_start(kind):
    X, y = problem()
    forest = small(kind, warm_start=True).fit(X, y)
    first = forest.predictor()
    before = said(first, X)
    np.testing.assert_array_equal(forest.predict(X), before)
    forest.set_params(n_estimators=9).fit(X, y)
    whole = small(kind, n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(forest.predict(X), whole.predict(X))
    np.testing.assert_array_equal(forest.apply(X), whole.apply(X))
    assert said(forest.predictor(), X) == whole.predict(X).tolist()
    assert said(first, X) == before
    assert repr(first) != repr(forest.predictor())


@each
def test_a_refitted_forest_predicts_anew(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    forest.predict(X)
    forest.fit(X, y[::-1])
    other = small(kind).fit(X, y[::-1])
    np.testing.assert_array_equal(forest.predict(X), other.predict(X))
    assert said(forest.predictor(), X) == other.predict(X).tolist()


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_forests_of_sklearn(kind, n_outputs):
    """Their trees want values rounded to float32, also one row of them."""
    random = np.random.default_rng(0)
    X = random.random((60, 3))
    _, y = problem(n_outputs=n_outputs)
    theirs = getattr(sklearn.ensemble, kind.__name__)(5, random_state=0).fit(X, y)
    forest = from_sklearn(theirs)
    hostile = np.concatenate([tree.tree_.threshold for tree in theirs.estimators_])
    hostile = np.resize(hostile[hostile > 0], (40, 3))
    for rows in (X, hostile, np.nextafter(hostile, 1), hostile * 1e200):
        expected = forest.predict(rows).tolist()
        for predict in (forest.predictor(), *(how(forest).predictor() for how in COPIES.values())):
            assert said(predict, rows.tolist()) == expected
            assert said(predict, rows) == expected
    np.testing.assert_array_equal(forest.predict(hostile), theirs.predict(hostile))
    as_float32 = hostile.astype(np.float32)
    assert said(forest.predictor(), as_float32) == theirs.predict(as_float32).tolist()


def test_not_fitted():
    with pytest.raises(sklearn.exceptions.NotFittedError):
        RandomForestClassifier().predictor()


# ---- threads


def at_once(n, body):
    """Run in so many threads, which begin together."""
    gate = threading.Barrier(n)

    def run(i):
        gate.wait()
        return body(i)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(run, range(n)))


@pytest.mark.parametrize("n_trees", [10, 3000])
def test_sixteen_threads(n_trees):
    """Rows of few steps and of many, for which the lock of Python is let go."""
    X, y = problem()
    forest = ExtraTreesRegressor(n_trees, random_state=0, n_jobs=2).fit(X, y)
    assert (forest._trees.predictor.n_steps >= 20_000) == (n_trees == 3000)
    rows, expected = X[:20].tolist(), forest.predict(X)[:20].tolist()
    predict = forest.predictor(n_jobs=2)

    def body(i):
        if i % 4 == 0:
            return forest.predict(X[:20]).tolist()
        if i % 4 == 1:
            return predict(X)[:20].tolist()
        return said(predict, rows if i % 4 == 2 else X[:20])

    for answer in at_once(16, body):
        assert answer == expected


def test_sixteen_first_predictions():
    """None of them finds the trees packed."""
    X, y = problem()
    expected = small(RandomForestClassifier, n_estimators=50).fit(X, y).predict(X).tolist()
    for _ in range(5):
        forest = small(RandomForestClassifier, n_estimators=50).fit(X, y)
        answers = at_once(
            16, lambda i, f=forest: (f.predict(X) if i % 2 else f.predictor()(X)).tolist()
        )
        assert all(answer == expected for answer in answers)


def test_threads_that_predict_first_pack_the_trees_once(monkeypatch):
    """The forest is large enough for threads to pack it, without the lock of Python."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6_000, 3)), rng.normal(size=6_000)
    forest = ExtraTreesRegressor(12, random_state=0, n_jobs=2).fit(X, y)
    assert sum(t.node_count for t in forest._trees) > 2 * prediction._NODES_WORTH_A_THREAD
    expected = np.mean([tree.predict(X[:50]) for tree in forest.estimators_], axis=0)
    packed = []

    class Packing:
        @staticmethod
        def of(trees, n_jobs):
            packed.append((len(trees), n_jobs))
            return _core.PackedForest.of(trees, n_jobs)

    class Core:
        PackedForest, Predictor = Packing, _core.Predictor

    monkeypatch.setattr(prediction, "_core", Core)
    answers = at_once(8, lambda _: forest.predict(X[:50]))
    assert packed == [(12, 2)]
    for answer in answers:
        np.testing.assert_allclose(answer, expected, rtol=1e-12)


@pytest.mark.parametrize("n_outputs", [1, 2])
@each
def test_packed_arrays_for_any_number_of_threads(kind, n_outputs):
    X, y = problem()
    forest = small(kind, n_estimators=7).fit(X, y if n_outputs == 1 else np.column_stack([y, y]))
    trees = forest._trees.native
    expected = _core.PackedForest.of(trees).arrays()
    for n_jobs in (1, 2, 16):
        arrays = _core.PackedForest.of(trees, n_jobs).arrays()
        assert arrays.keys() == expected.keys()
        for name, array in arrays.items():
            assert array.dtype == expected[name].dtype
            assert array.tobytes() == expected[name].tobytes()


def test_sixteen_threads_and_one_that_refits():
    X, y = problem()
    forest = small(RandomForestClassifier).fit(X, y)
    predict, expected = forest.predictor(), forest.predict(X).tolist()

    def body(i):
        if i:
            return [said(predict, X.tolist()) for _ in range(3)]
        for seed in range(20):
            forest.set_params(random_state=seed).fit(X, y)
            forest.predict(X)
        return [expected]

    assert all(answer == expected for answers in at_once(16, body) for answer in answers)


# ---- n_jobs

METHODS = ["predict", "predict_proba", "predict_log_proba", "apply"]


@each
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("n_rows", [1, 9, 60, 30_000])
def test_any_number_of_threads(kind, n_outputs, n_rows):
    X, y = problem(n_outputs=n_outputs)
    forest = small(kind).fit(X, y)
    X = np.resize(X, (n_rows, 4))
    ways = [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": None}, {"n_jobs": 7}, {"n_jobs": -1}, {}]
    for method in METHODS:
        if hasattr(forest, method):
            first, *others = (np.asarray(getattr(forest, method)(X, **way)) for way in ways)
            for other in others:
                np.testing.assert_array_equal(first, other)
    (path, starts), *others = (forest.decision_path(X, **way) for way in ways)
    for other, other_starts in others:
        np.testing.assert_array_equal(starts, other_starts)
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(path, part), getattr(other, part))
    for n_jobs in (1, 2, None, -1):
        predict = forest.predictor(n_jobs=n_jobs)
        np.testing.assert_array_equal(predict(X), forest.predict(X))


def test_n_jobs_of_the_forest_and_of_joblib():
    X, y = problem()
    expected = small(RandomForestRegressor).fit(X, y).predict(np.resize(X, (30_000, 4)))
    for n_jobs in (None, 1, 2, -1):
        forest = small(RandomForestRegressor, n_jobs=n_jobs).fit(X, y)
        with parallel_config(n_jobs=2):
            np.testing.assert_array_equal(forest.predict(np.resize(X, (30_000, 4))), expected)


def test_reading_a_wide_table_is_work():
    """A stump takes two steps, but a thousand columns are read: not under the lock."""
    X = np.random.default_rng(0).normal(size=(1000, 1000))
    stump = RandomForestRegressor(1, max_depth=1, random_state=0).fit(X[:50], X[:50, 0])
    predictor = stump._trees.predictor
    assert prediction._threads(predictor, _core.Matrix([X], []), 2) == 2
    assert prediction._threads(predictor, _core.Matrix([X[:1]], []), 2) == 0


@pytest.mark.parametrize("n_rows", [1, 30_000])
@pytest.mark.parametrize("method", ["predict", "apply", "decision_path"])
def test_no_threads_are_an_error(n_rows, method):
    """Whatever the table is like: not only once it is large."""
    X, y = problem()
    forest = small(RandomForestRegressor).fit(X, y)
    with pytest.raises(ValueError, match="n_jobs == 0"):
        getattr(forest, method)(np.resize(X, (n_rows, 4)), n_jobs=0)


# ---- rows that change while they are read


class Shrinks:
    """Something that empties its row whenever it is asked for anything."""

    row: list | dict

    def _shrink(self, *_):
        self.row.clear()
        return 1.0

    __float__ = _shrink
    __len__ = None

    def __array__(self, *arguments, **settings):
        return np.array(self._shrink())


class Shrinking(Shrinks, float):
    pass


class Word(str):
    """Text that empties its row when it is compared or looked up."""

    __slots__ = ("row",)

    def __hash__(self):
        self.row.clear()
        return str.__hash__(self)

    def __eq__(self, other):
        self.row.clear()
        return str.__eq__(self, other)


def survives(call, *arguments):
    """An answer or an error of Python's, but an end to it."""
    try:
        return call(*arguments)
    except Exception as error:
        return error


@pytest.mark.parametrize("value", [Shrinks, Shrinking, lambda: Word("oak")])
@pytest.mark.parametrize("at", [0, 3, 6])
def test_a_list_that_shrinks(value, at):
    X = objects()
    forest = small(RandomForestClassifier).fit(X, target())
    row = X[2].tolist()
    hostile = value()
    hostile.row = row
    row[at] = hostile
    survives(forest.predictor(), row)
    survives(forest.predictor().predict_proba, row)
    assert said(forest.predictor(), X[2:4]) == forest.predict(X[2:4]).tolist()


class Key:
    """Looks like the name of a variable, and empties the dict that it is in."""

    def __init__(self, name, row, error=None):
        self.name, self.row, self.error = name, row, error

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        self.row.clear()
        if self.error is not None:
            raise self.error
        return other == self.name


@pytest.mark.parametrize("error", [None, ZeroDivisionError("of a key")])
@pytest.mark.parametrize("name", ["whole", "tree", "soil"])
def test_a_dict_that_shrinks(name, error):
    X = pandas_of_numpy()
    predict = small(RandomForestClassifier).fit(X, target()).predictor()
    row = {}
    for key, value in X.iloc[2].to_dict().items():
        row[Key(key, row, error) if key == name else key] = value
    assert isinstance(survives(predict, row), Exception)
    assert said(predict, X.to_dict("records"))


def test_a_dict_that_makes_what_it_lacks():
    class Made(dict):
        def __missing__(self, name):
            return 0.0

    X, y = problem()
    predict = small(RandomForestRegressor).fit(pd.DataFrame(X, columns=list("abcd")), y).predictor()
    with pytest.raises(ValueError, match="'d' is absent"):
        predict(Made(a=1.0, b=2.0, c=3.0))


def test_rows_are_left_as_they_were():
    X, y = problem()
    theirs = sklearn.ensemble.RandomForestRegressor(3, random_state=0).fit(X + 1 / 3, y)
    for forest in (small(RandomForestRegressor).fit(X, y), from_sklearn(theirs)):
        row = np.array([0.1, 1 / 3, 0.7, 1e-9])
        before = row.copy()
        forest.predictor()(row)
        forest.predict(row[np.newaxis])
        np.testing.assert_array_equal(row, before)
