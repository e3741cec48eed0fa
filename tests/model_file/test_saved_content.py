"""What a file contains, and what cannot be saved."""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import silvics

from .files import AT_SUM, content_of, loaded, opened
from .round_trips import ESTIMATORS, classes_of, numbers, round_trip, small, table_of_all

# ---- words


def test_words_of_the_header(tmp_path):
    frame = table_of_all()
    model = small(silvics.RandomForestClassifier, max_depth=3).fit(frame, ["a", "b"] * 40)
    content = content_of(model)
    words, told, arrays = opened(content)
    assert words.keys() == {"checksum", "format", "version"}
    assert (words["format"], words["version"]) == ("silvics", "1")
    assert words["checksum"] == content[AT_SUM].decode()
    assert told["estimator"] == "RandomForestClassifier"
    assert told["library"] == silvics.__version__
    assert told["contents"] == "all"
    assert told["digest"] == model.digest()
    assert told["parameters"].keys() == model.get_params().keys() - {"engine", "resume"}
    assert told["variables"]["n"] == 12
    assert told["outputs"] == {
        "n": 1,
        "classes": [{"dtype": "<U1", "shape": [2], "values": ["a", "b"]}],
    }
    assert told["forest"] == {
        "n_trees": 4,
        "n_nodes": sum(tree.tree_.node_count for tree in model),
        "as_float32": False,
        "by_majority": False,
        "both_ways": False,
    }
    assert told["training_rows"] is False
    assert len(arrays["first_node"]) == 5
    assert opened(content_of(model, for_prediction=True))[1]["contents"] == "prediction"


def test_arrays_begin_where_lines_of_memory_do():
    content = content_of(small(silvics.RandomForestRegressor).fit(numbers(), numbers()[:, 0]))
    length = int.from_bytes(content[:8], "little")
    assert (8 + length) % 64 == 0
    header = json.loads(content[8 : 8 + length])
    for told in list(header.values())[1:]:
        assert told["data_offsets"][0] % int(told["dtype"][1:]) * 8 % 8 == 0


def test_smaller_files():
    X = numbers(400)
    model = small(silvics.RandomForestRegressor, n_estimators=20).fit(X, X[:, 0].round(1))
    whole, short = len(content_of(model)), len(content_of(model, for_prediction=True))
    assert short < 0.9 * whole
    assert len(content_of(model, compress=True)) < 0.8 * whole


def test_the_file_does_not_depend_on_threads():
    X = numbers(300)
    files = {
        content_of(
            small(silvics.RandomForestClassifier, n_jobs=n)
            .fit(X, classes_of(X))
            .set_params(n_jobs=1)
        )
        for n in (1, 2, 3)
    }
    assert len(files) == 1


def test_parameters_of_every_kind_of_data(tmp_path):
    X = numbers()
    y = classes_of(X)
    for parameters in (
        {"class_weight": {0: 1.0, 1: 2, 2: np.float64(0.5)}},
        {"class_weight": "balanced", "max_features": 0.5, "max_depth": np.int64(3)},
        {"categorical_features": None, "max_samples": 0.5, "min_impurity_decrease": 1e-300},
        {"monotonic_cst": None, "missing": "error", "criterion": "entropy"},
        {"random_state": 2**32 - 1, "n_jobs": -1, "verbose": 0},
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = small(silvics.RandomForestClassifier, **parameters).fit(X, y)
        again = loaded(content_of(model))
        for name, value in model.get_params().items():
            np.testing.assert_equal(again.get_params()[name], value)
        assert clone(again).fit(X, y).digest() == clone(model).fit(X, y).digest()


def test_arrays_as_parameters(tmp_path):
    X = numbers().round()
    model = small(
        silvics.RandomForestClassifier, categorical_features=np.array([True, False, False, True])
    ).fit(X, classes_of(X))
    round_trip(model, tmp_path / "model.silvics", X)


# ---- errors


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_model_that_is_not_fitted(kind, tmp_path):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        kind().save(tmp_path / "model.silvics")
    assert not list(tmp_path.iterdir())


class OwnForest(silvics.RandomForestClassifier):
    pass


class RandomForestClassifier(silvics.RandomForestClassifier):
    """A class of a user with a name of ours."""


@pytest.mark.parametrize("kind", [OwnForest, RandomForestClassifier])
def test_a_class_of_a_user(kind, tmp_path):
    X = numbers()
    model = kind(3).fit(X, classes_of(X))
    with pytest.raises(TypeError, match=r"is defined elsewhere\. Pickle it"):
        model.save(tmp_path / "model.silvics")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("random_state", np.random.RandomState(0)),
        ("progress", lambda done, of: None),
        ("oob_score", lambda y, p: 0.5),
    ],
)
def test_parameters_that_are_more_than_data(name, value, tmp_path):
    X = numbers()
    model = small(silvics.RandomForestClassifier, n_estimators=40, **{name: value})
    model.fit(X, classes_of(X))
    with pytest.warns(UserWarning, match=f"does not have the values of {name}="):
        model.save(tmp_path / "model.silvics")
    again = silvics.load(tmp_path / "model.silvics")
    assert again.get_params()[name] == silvics.RandomForestClassifier().get_params()[name]
    assert again.digest() == model.digest()


def test_models_for_prediction_tell_nothing_else(tmp_path):
    X = numbers()
    for kind in ESTIMATORS:
        model = small(kind).fit(X, classes_of(X))
        model.save(tmp_path / "model.silvics", for_prediction=True)
        again = silvics.load(tmp_path / "model.silvics")
        one = hasattr(again, "tree_")
        assert again.digest() == model.digest()
        with pytest.raises(AttributeError, match="can only predict"):
            again.tree_.impurity if one else again.estimators_  # noqa: B018
        with pytest.raises(AttributeError):
            again.feature_importances_  # noqa: B018
        if kind not in (silvics.IsolationForest, *ESTIMATORS[:4]):
            with pytest.raises(AttributeError, match="saved with for_prediction=True"):
                again.feature_importances_  # noqa: B018
        with pytest.raises((AttributeError, ValueError), match=r"for_prediction|cannot add trees"):
            again.to_sklearn()
        with pytest.raises(ValueError, match="for_prediction"):
            again.save(tmp_path / "again.silvics")
        if not one:
            again.set_params(warm_start=True, n_estimators=9)
            with pytest.raises(
                (AttributeError, ValueError), match=r"for_prediction|cannot add trees"
            ):
                again.fit(X, classes_of(X))
            np.testing.assert_array_equal(again.apply(X), model.apply(X))
    assert not (tmp_path / "again.silvics").exists()


def test_options_that_exclude_each_other(tmp_path):
    model = small(silvics.RandomForestClassifier).fit(numbers(), classes_of(numbers()))
    with pytest.raises(
        ValueError, match="for_prediction=True and training_rows=True cannot be combined"
    ):
        model.save(tmp_path / "model.silvics", for_prediction=True, training_rows=True)


def test_text_much_wider_than_it_is_told(tmp_path):
    y = np.array(3 * ["x" * 20_000, *(str(i) for i in range(80))], dtype=str)
    model = small(silvics.RandomForestClassifier).fit(numbers(243), y)
    with pytest.raises(ValueError, match=r"astype\(object\)"):
        model.save(tmp_path / "model.silvics")
    model = small(silvics.RandomForestClassifier).fit(numbers(243), y.astype(object))
    round_trip(model, tmp_path / "model.silvics", numbers(9))
