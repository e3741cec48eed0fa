"""A fitted estimator stays the same when it is saved, copied, sent away or grown again."""

import copy
import io
import pickle

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from .estimators import FORESTS, WITHOUT_OUTPUT, answer, known

X, Y = make_classification(n_samples=80, n_features=6, random_state=0)


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


TRIPS = {
    "pickle-2": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "pickle-5": lambda model: pickle.loads(pickle.dumps(model, protocol=5)),
    "cloudpickle": lambda model: cloudpickle.loads(cloudpickle.dumps(model)),
    "joblib": through_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def fitted(ours, y=Y):
    return ours(random_state=3, **known(ours, max_features=2, n_estimators=7)).fit(X, y)


def one_tree(model):
    return model if hasattr(model, "tree_") else model[2]


@pytest.fixture(params=TRIPS.values(), ids=TRIPS.keys())
def trip(request):
    return request.param


def test_a_copy_is_the_same_model(ours, trip):
    model = fitted(ours)
    again = trip(model)
    assert again.digest() == model.digest()
    assert again.get_params() == model.get_params()
    assert again.n_features_in_ == model.n_features_in_
    np.testing.assert_array_equal(answer(again, X), answer(model, X))
    np.testing.assert_array_equal(again.apply(X), model.apply(X))
    if hasattr(model, "feature_importances_"):
        np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_a_copy_is_the_same_model_for_several_outputs(ours, trip):
    model = fitted(ours, np.column_stack([Y, X[:, 0] > 0]).astype(int))
    again = trip(model)
    assert again.digest() == model.digest()
    np.testing.assert_array_equal(answer(again, X), answer(model, X))


def any_table():
    """Categories, times and holes."""
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame["c"] = np.array(["oak", "elm", "yew", None], dtype=object)[np.arange(len(X)) * 7 % 11 % 4]
    frame["d"] = pd.Categorical((X[:, 2] > 0).astype(str))
    frame["e"] = pd.to_datetime((1e9 * X[:, 3]).astype(np.int64))
    frame.loc[::5, ["a", "d", "e"]] = None
    return frame


def test_a_copy_reads_any_table_in_the_same_way(ours, trip):
    frame = any_table()
    model = ours(random_state=3, **known(ours, n_estimators=7)).fit(frame, Y)
    again = trip(model)
    assert again.digest() == model.digest()
    assert again.feature_names_in_.tolist() == list(frame)
    assert again.is_categorical_.tolist() == [False, False, True, True, False]
    assert again.categories_[2].tolist() == ["elm", "oak", "yew"]
    unknown = frame.assign(c=frame.c.replace("yew", "never seen"))
    for rows in (frame, unknown, frame[::-1]):
        np.testing.assert_array_equal(again.apply(rows), model.apply(rows))
    assert clone(again).fit(frame, Y).digest() == model.digest()
    with pytest.raises(ValueError, match="column 'c' had strings in training"):
        answer(again, frame.assign(c=1.0))


def test_a_tree_whose_arrays_were_looked_at_is_the_same(ours, trip):
    tree = one_tree(fitted(ours))
    value = tree.tree_.value.copy()
    again = trip(tree)
    assert again.digest() == tree.digest()
    np.testing.assert_array_equal(again.tree_.value, value)
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))


def test_a_clone_grows_into_the_same_model(ours):
    model = fitted(ours)
    again = clone(model)
    assert not hasattr(again, "n_features_in_")
    assert again.fit(X, Y).digest() == model.digest()


def test_a_model_fitted_again_is_the_same(ours):
    model = fitted(ours)
    first = model.digest()
    assert model.fit(X, Y).digest() == first


@pytest.mark.parametrize("ours", FORESTS + WITHOUT_OUTPUT, ids=lambda forest: forest.__name__)
def test_a_copied_forest_grows_on(ours, trip):
    model = fitted(ours)
    again = trip(model).set_params(warm_start=True, n_estimators=11).fit(X, Y)
    assert again.digest() == clone(model).set_params(n_estimators=11).fit(X, Y).digest()
    assert len(again) == 11
    assert len(model) == 7


def test_a_model_sent_to_a_worker_process_is_the_same(ours):
    model = fitted(ours)
    there = joblib.Parallel(n_jobs=2)(joblib.delayed(ours.digest)(model) for _ in range(2))
    assert there == [model.digest()] * 2
