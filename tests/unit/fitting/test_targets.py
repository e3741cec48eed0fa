"""Class labels of any type are numbered as ``np.unique`` numbers them, sorted or not."""

import numpy as np
import pytest

import silvics
from silvics._fitting import targets


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
