"""Training rows by leaf in files: what does not fit together is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import silvics

from . import files


def content(kind):
    load, forest = {
        "classes": (load_iris, silvics.RandomForestClassifier(4, random_state=0)),
        "numbers": (load_diabetes, silvics.ExtraTreesRegressor(3, random_state=0)),
    }[kind]
    forest.set_params(keep_samples=True).fit(*load(return_X_y=True))
    return files.content_of(forest, training_rows=True)


def changed(kind, change):
    words, model, arrays = files.opened(content(kind))
    change(model, arrays)
    return files.mended(files.closed(words, model, arrays))


def swap(name, i, j):
    def change(_, arrays):
        arrays[name][[i, j]] = arrays[name][[j, i]]

    return change


def put(name, i, value):
    return lambda _, arrays: arrays[name].__setitem__(i, value)


def shorten(name):
    return lambda _, arrays: arrays.__setitem__(name, arrays[name][:-1].copy())


def drop(name):
    return lambda _, arrays: arrays.pop(name)


CHANGES = {
    "a row twice": put("member_rows", 0, 7),
    "a row out of range": put("member_rows", 0, 10**6),
    "a row lacking": shorten("member_rows"),
    "ends in disorder": swap("member_ends", 0, 8),
    "an end out of range": put("member_ends", -1, 10**6),
    "an end lacking": shorten("member_ends"),
    "leaves of other trees": put("member_first_leaf", 1, 1),
    "a tree lacking": shorten("member_first_leaf"),
    "no rows": drop("member_rows"),
    "no ends": drop("member_ends"),
    "no outputs": drop("member_outputs"),
    "an output lacking": shorten("member_outputs"),
    "a class out of range": put("member_outputs", 0, 3),
    "the largest class": put("member_outputs", 0, 2**32 - 1),
    "outputs of another type": lambda _, arrays: arrays.__setitem__(
        "member_outputs", arrays["member_outputs"].astype(np.float64)
    ),
    "a weight of a row out of bag": lambda _, arrays: arrays["member_weights"].fill(1),
    "no weight in bag": lambda _, arrays: arrays["member_weights"].fill(0),
    "a weight lacking": shorten("member_weights"),
    "two kinds of weights": lambda _, arrays: arrays.__setitem__(
        "member_row_weights", np.ones(150)
    ),
    "three parts": lambda model, _: model["samples"].__setitem__("n_parts", 3),
    "no parts": lambda model, _: model["samples"].__setitem__("n_parts", 0),
    "other fields": lambda model, _: model["samples"].__setitem__("rows", 150),
    "unannounced": lambda model, _: model.pop("samples"),
    "without growth": lambda model, _: model.__setitem__("growth", None),
    "without training rows": lambda model, _: model.__setitem__("training_rows", False),
}


def test_unchanged_content_is_taken():
    for kind in ("classes", "numbers"):
        assert files.loaded(changed(kind, lambda *_: None))._grown.samples is not None


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_does_not_fit_is_refused(change):
    with pytest.raises(silvics.ModelFileError):
        files.loaded(changed("classes", change))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_outputs_are_finite(value):
    with pytest.raises(silvics.ModelFileError):
        files.loaded(changed("numbers", put("member_outputs", 0, value)))
