"""Class labels of any type are numbered as ``np.unique`` numbers them, sorted or not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silvics
from silvics._fitting import targets
from silvics._predicting import prediction


def random_labels(rng, kind, n):
    if kind in (object, "U5"):
        return rng.choice(np.array(["b", "a", "é", "", "Zz"]), n).astype(kind)
    if kind is bool:
        return rng.random(n) < rng.random()
    if kind is float:
        return rng.integers(-2, 3, n).astype(float)
    ends = np.iinfo(kind)
    low = [ends.min, max(ends.min, -3), ends.max - 60][rng.integers(3)]
    width = [2, 6, 60][rng.integers(3)]
    return np.array([low + int(step) for step in rng.integers(0, width, n)], dtype=kind)


@pytest.mark.parametrize(
    "kind", [bool, np.int8, np.uint8, np.int16, np.int64, np.uint64, float, object, "U5"]
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_numbered_as_sorted(kind):
    rng = np.random.default_rng(5)
    for _ in range(100):
        y = random_labels(rng, kind, int(rng.integers(1, 300))).reshape(-1, 1)
        if rng.random() < 0.3:
            y = np.hstack([y, y[::-1]])
        encoded = targets.encode_outputs(y, True, "gini", "")
        for k, levels in enumerate(encoded.classes):
            expected, numbers = np.unique(y[:, k], return_inverse=True)
            assert levels.dtype == expected.dtype
            assert np.array_equal(levels, expected)
            assert np.array_equal(encoded.values[:, k], numbers)
            assert encoded.n_classes[k] == len(expected)


def test_only_classes_are_classes():
    X = np.arange(40.0).reshape(-1, 1)
    model = silvics.RandomForestClassifier(2)
    with pytest.raises(ValueError, match="continuous"):
        model.fit(X, X[:, 0] + 0.5)
    with pytest.raises((TypeError, ValueError)):
        model.fit(X, np.array(["a", 1] * 20, dtype=object))
    with pytest.warns(UserWarning, match="unique classes"):
        model.fit(X, np.arange(40))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_outputs_of_several_types(frame):
    """Each output keeps its type, as if it were alone."""
    outputs = {"n": [3, 1, 2] * 20, "name": ["b", "abc", "c"] * 20, "yes": [True, False, True] * 20}
    X = np.arange(60.0).reshape(-1, 1) % 3
    forest = silvics.RandomForestClassifier(10, random_state=0).fit(X, frame(outputs))
    for of_output, values in zip(forest.classes_, outputs.values(), strict=True):
        assert of_output.tolist() == sorted(set(values))
    assert forest.predict(X[:3]).tolist() == [[3, "b", True], [1, "abc", False], [2, "c", True]]
    alone = silvics.RandomForestClassifier(10, random_state=0).fit(
        X, np.column_stack([np.unique(v, return_inverse=True)[1] for v in outputs.values()])
    )
    assert [tree.digest() for tree in alone.estimators_] == [t.digest() for t in forest.estimators_]


def test_class_names_of_different_length_are_whole():
    classes = [np.array(["a", "b"]), np.array(["long", "longer"])]
    shares = np.array([[0.0, 1.0, 0.0, 1.0]])
    assert prediction.likeliest(classes, shares).tolist() == [["b", "longer"]]
    assert prediction.likeliest(classes[::-1], shares).dtype == np.array("longer").dtype


@pytest.mark.parametrize("y", [["a", 1] * 10, [["a", 1], [2, "b"]] * 10])
def test_classes_that_have_no_order(y):
    with pytest.raises(TypeError, match="Convert each output to one type, such as str"):
        silvics.RandomForestClassifier(2).fit(np.eye(20), np.array(y, dtype=object))
