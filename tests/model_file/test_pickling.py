"""Pickles, copies and other containers: the same model, through the same checks."""

import copy
import io
import pickle

import cloudpickle
import joblib
import numpy as np
import pytest
import skops.io
from safetensors import safe_open
from safetensors.numpy import load as load_safetensors
from sklearn.base import clone

import silvics
from silvics.model_file import container, reading
from silvics.model_file.loading import new_model

from .files import answers, assert_same, changed, content_of, loaded, opened, small_model
from .round_trips import ESTIMATORS, FORESTS, classes_of, numbers, small, table_of_all


def through_joblib(model, **options):
    file = io.BytesIO()
    joblib.dump(model, file, **options)
    file.seek(0)
    return joblib.load(file)


WAYS = {
    **{
        f"pickle-{p}": (lambda model, p=p: pickle.loads(pickle.dumps(model, protocol=p)))
        for p in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "python-pickle": lambda model: pickle._loads(pickle._dumps(model)),
    "joblib": through_joblib,
    "joblib-compressed": lambda model: through_joblib(model, compress=3),
    "cloudpickle": lambda model: cloudpickle.loads(cloudpickle.dumps(model)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "file": lambda model: loaded(content_of(model, training_rows=True)),
}


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_way_gives_the_same_model(kind):
    frame = table_of_all(40)
    model = small(kind).fit(frame, np.arange(40) % 3, sample_weight=np.arange(40) % 4)
    said, content = answers(model, frame), content_of(model, training_rows=True)
    for way in WAYS.values():
        again = way(model)
        assert type(again) is kind
        assert_same(said, answers(again, frame))
        assert content_of(again, training_rows=True) == content
    assert_same(said, answers(model, frame))


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_model_not_fitted(kind):
    model = small(kind)
    for way in list(WAYS)[:-1]:
        again = WAYS[way](model)
        assert again.get_params() == model.get_params()
        assert not again.__sklearn_is_fitted__()


@pytest.mark.parametrize("kind", FORESTS, ids=lambda kind: kind.__name__)
def test_growing_on_after_a_pickle(kind):
    X = numbers()
    model = small(kind, warm_start=True).fit(X, classes_of(X))
    again = pickle.loads(pickle.dumps(model))
    for grown in (model, again):
        grown.set_params(n_estimators=6).fit(X, classes_of(X))
    assert again.digest() == model.digest()


def test_a_pickle_keeps_what_a_file_would_not():
    """Parameters that are no data, estimates, attributes of a user."""
    X = numbers()
    random = np.random.RandomState(0)
    model = small(
        silvics.RandomForestClassifier, random_state=random, n_estimators=40, oob_score=True
    )
    model.fit(X, classes_of(X)).note = {"of": "a user"}
    again = pickle.loads(pickle.dumps(model))
    assert isinstance(again.random_state, np.random.RandomState)
    assert again.note == {"of": "a user"}
    assert again.oob_score_ == model.oob_score_
    np.testing.assert_array_equal(again.oob_decision_function_, model.oob_decision_function_)
    np.testing.assert_equal(again.estimators_samples_, model.estimators_samples_)


def test_models_for_prediction_pickle():
    X = numbers()
    for kind in ESTIMATORS:
        model = loaded(content_of(small(kind).fit(X, classes_of(X)), for_prediction=True))
        for way in ("pickle-5", "joblib", "copy", "deepcopy"):
            again = WAYS[way](model)
            assert_same(answers(model, X), answers(again, X))
            assert content_of(again, for_prediction=True) == content_of(model, for_prediction=True)


def test_models_from_elsewhere_pickle():
    frame = table_of_all()
    parts = [
        small(silvics.RandomForestClassifier, random_state=i).fit(rows, np.arange(40) % (2 + i))
        for i, rows in enumerate((frame.iloc[:40], frame.iloc[40:]))
    ]
    merged = silvics.merge(parts)
    X = numbers()
    theirs = small(silvics.RandomForestRegressor).fit(X, X[:, 0]).to_sklearn()
    for model, rows in ((merged, frame), (silvics.from_sklearn(theirs), X)):
        for way in ("pickle-5", "deepcopy", "joblib"):
            assert_same(answers(model, rows), answers(WAYS[way](model), rows))


def test_trees_of_a_forest_pickle():
    X = numbers()
    tree = small(silvics.RandomForestClassifier).fit(X, classes_of(X))[1]
    assert_same(answers(tree, X), answers(pickle.loads(pickle.dumps(tree)), X))
    table = pickle.loads(pickle.dumps(tree.tree_))
    np.testing.assert_array_equal(table.value, tree.tree_.value)


def test_predictors_pickle():
    X = numbers()
    predictor = small(silvics.RandomForestClassifier).fit(X, classes_of(X)).predictor()
    again = pickle.loads(pickle.dumps(predictor))
    np.testing.assert_array_equal(again(X), predictor(X))


def test_a_copy_is_apart():
    X = numbers()
    model = small(silvics.RandomForestClassifier).fit(X, classes_of(X))
    for way in (copy.copy, copy.deepcopy):
        again = way(model)
        again.set_params(n_estimators=6, warm_start=True).fit(X, classes_of(X))
        assert len(model.estimators_) == 4
        assert model.n_estimators == 4
        again.classes_[0] = 99
        assert model.classes_[0] == 0


def test_a_clone_has_nothing_of_the_fit():
    X = numbers()
    model = small(silvics.RandomForestClassifier).fit(X, classes_of(X))
    again = clone(loaded(content_of(model)))
    assert not again.__sklearn_is_fitted__()
    assert again.fit(X, classes_of(X)).digest() == model.digest()


class OwnForest(silvics.ForestClassifier):
    """A class of a user, with more of its own."""

    def __init__(self, recipe="random_forest", *, n_estimators=3, random_state=None, more=()):
        super().__init__(recipe, n_estimators=n_estimators, random_state=random_state)
        self.more = more

    def fit(self, X, y):
        super().fit(X, y)
        self.seen_ = np.asarray(X).sum()
        return self


class OwnTree(silvics.ExtraTreeRegressor):
    def __setstate__(self, state):
        super().__setstate__(state)
        self.read = True


@pytest.mark.parametrize("way", [way for way in WAYS if way != "file"])
def test_classes_of_users(way):
    X = numbers()
    model = OwnForest(random_state=0, more=("x", 1)).fit(X, classes_of(X))
    again = WAYS[way](model)
    assert type(again) is OwnForest
    assert again.more == ("x", 1)
    assert again.seen_ == model.seen_
    assert_same(answers(model, X), answers(again, X))
    tree = OwnTree(random_state=0).fit(X, X[:, 0])
    again = WAYS[way](tree)
    assert again.read is True
    assert_same(answers(tree, X), answers(again, X))


# ---- joblib's memory maps, skops, safetensors


@pytest.mark.parametrize("mode", [None, "r", "r+", "c"])
def test_joblib_mapped(mode, tmp_path):
    frame = table_of_all()
    model = small(silvics.RandomForestClassifier).fit(frame, np.arange(80) % 3)
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib", mmap_mode=mode)
    assert_same(answers(model, frame), answers(again, frame))


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_skops(kind):
    frame = table_of_all(40)
    model = small(kind).fit(frame, np.arange(40) % 3)
    content = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=content)
    assert all(name.startswith("silvics.") for name in types)
    again = skops.io.loads(content, trusted=types)
    assert_same(answers(model, frame), answers(again, frame))
    with pytest.raises(skops.io.exceptions.UntrustedTypesFoundException):
        skops.io.loads(content)


@pytest.mark.parametrize("options", [{}, {"compress": True}, {"for_prediction": True}])
def test_the_library_of_the_container_reads_it(options, tmp_path):
    frame = table_of_all()
    model = small(silvics.RandomForestClassifier).fit(frame, np.arange(80) % 3)
    path = tmp_path / "model.safetensors"
    model.save(path, **options)
    words, _, arrays = opened(path.read_bytes())
    with safe_open(path, framework="np") as file:
        assert set(file.keys()) == arrays.keys()
        metadata = file.metadata()
        assert metadata.pop("model")
        assert metadata == words
        for name, array in arrays.items():
            np.testing.assert_array_equal(file.get_tensor(name), array, strict=True)
    assert load_safetensors(path.read_bytes()).keys() == arrays.keys()


# ---- pickles that lie


def state_of(model):
    return copy.deepcopy(model.__getstate__())


@pytest.mark.parametrize(
    "content",
    [
        b"", b"abc", "abc", 1, [], [1, 2], {}, (), np.zeros(0, dtype=np.uint8), np.array(1),
        np.zeros(500), np.zeros(500, dtype=np.uint8), np.zeros((50, 50), dtype=np.uint8),
        np.zeros(500, dtype=object), np.zeros(500, dtype="V1"), np.array("abc"), True, 1.5,
    ],
    ids=lambda content: f"{type(content).__name__}",
)  # fmt: skip
def test_states_that_are_not_bytes(content):
    state_ = {**state_of(small_model()), "_model_file": content}
    with pytest.raises(silvics.ModelFileError):
        silvics.RandomForestClassifier().__setstate__(state_)


def test_damaged_states():
    state_ = state_of(small_model())
    content = state_["_model_file"]
    random = np.random.default_rng(0)
    for at in random.choice(len(content), 300, replace=False):
        damaged = content.copy()
        damaged[at] ^= random.integers(1, 256, dtype=np.uint8)
        with pytest.raises(silvics.ModelFileError):
            silvics.RandomForestClassifier().__setstate__({**state_, "_model_file": damaged})
    for n in range(0, len(content), 50):
        with pytest.raises(silvics.ModelFileError):
            silvics.RandomForestClassifier().__setstate__({**state_, "_model_file": content[:n]})
    for strange in (content.astype(np.int8), content[::-1], content.view("V1"), content.tobytes()):
        with pytest.raises(silvics.ModelFileError):
            silvics.RandomForestClassifier().__setstate__({**state_, "_model_file": strange})
    strided = np.repeat(content, 2)[::2]
    model = silvics.RandomForestClassifier()
    model.__setstate__({**state_, "_model_file": strided})
    assert model.digest() == small_model().digest()


def test_damaged_pickles_whose_bytes_are_those_of_a_file():
    content = pickle.dumps(small_model(), protocol=5)
    at = content.index(b"__metadata__") + 300
    damaged = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    with pytest.raises(silvics.ModelFileError, match="checksum"):
        pickle.loads(damaged)


def test_a_state_of_another_estimator():
    state_ = state_of(small_model())
    for kind in ESTIMATORS:
        if kind is not silvics.RandomForestClassifier:
            with pytest.raises(silvics.ModelFileError, match="it is a RandomForestClassifier"):
                kind().__setstate__(dict(state_))


def test_setting_a_state_leaves_it_as_it_was():
    state_ = state_of(small_model())
    keys = set(state_)
    silvics.RandomForestClassifier().__setstate__(state_)
    assert set(state_) == keys


def test_a_pickle_holds_no_objects_but_the_estimator():
    """Names of what a pickle would call: the estimator and arrays."""
    model = small(silvics.RandomForestClassifier).fit(table_of_all(), np.arange(80) % 3)
    called = set()

    class Listening(pickle.Unpickler):
        def find_class(self, module, name):
            called.add((module, name))
            return super().find_class(module, name)

    Listening(io.BytesIO(pickle.dumps(model))).load()
    assert {module.split(".")[0] for module, _ in called} == {"silvics", "numpy"}
    assert {name for module, name in called if module.startswith("silvics")} == {
        "RandomForestClassifier"
    }


def test_a_file_in_the_place_of_a_state():
    """The bytes of a file are a state too, with the parameters of whoever has it."""
    content = np.frombuffer(content_of(small_model()), dtype=np.uint8)
    model = silvics.RandomForestClassifier(n_estimators=77)
    model.__setstate__(
        {**silvics.RandomForestClassifier(77).__getstate__(), "_model_file": content}
    )
    assert model.n_estimators == 77
    assert model.digest() == small_model().digest()


def test_restored_names_what_a_file_gives_back():
    """Nothing fitted is both in the bytes and beside them."""
    X = numbers()
    for kind in ESTIMATORS:
        model = small(kind).fit(X, classes_of(X))
        beside = set(model.__getstate__()) - {"_model_file"} - model.get_params().keys()
        assert beside <= {"_sklearn_version"}


def test_states_are_checked_as_files_are():
    """With its checksum mended, a lie about trees is found all the same."""

    def change(words, model, arrays):
        arrays["nodes"][0, 3:7] = 255

    content = changed(content_of(small_model()), change)
    with pytest.raises(silvics.ModelFileError):
        reading.restored(*container.from_bytes(np.frombuffer(content, dtype=np.uint8)), new_model)
    model = silvics.RandomForestClassifier()
    with pytest.raises(silvics.ModelFileError, match="not a valid forest"):
        model.__setstate__({"_model_file": np.frombuffer(content, dtype=np.uint8)})
