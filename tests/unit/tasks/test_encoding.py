"""Trees as the bytes that travel between machines."""

import numpy as np
import pytest

from silvics import ForestClassifier, ForestRegressor, ModelFileError
from silvics._predicting.prediction import Trees
from silvics._tasks import encoding

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 4))
X[RANDOM.random(X.shape) < 0.1] = np.nan
Y = (np.nan_to_num(X[:, 0]) + RANDOM.normal(size=120) > 0).astype(int)


def encoded(forest):
    return encoding.encode(*encoding.tree_arrays(list(forest._trees), forest._grown.work))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"criterion": "entropy"},
        {"honest": True},
        {"missing": "both"},
        {"missing": "apart"},
        {"recipe": "extra_trees", "split": "oblique", "missing": "error"},
        {"ccp_alpha": 0.01},
    ],
)
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_trees_are_restored(kind, parameters):
    if kind is ForestRegressor:
        parameters = {name: of for name, of in parameters.items() if name != "criterion"}
    table = np.nan_to_num(X) if parameters.get("missing") == "error" else X
    forest = kind(n_estimators=4, random_state=0, **parameters).fit(table, Y)
    trees, work = encoding.trees_of(*encoding.decode(encoded(forest)))
    assert Trees(trees).digest() == forest.digest()
    assert work == forest._grown.work


def test_no_trees():
    content, arrays = encoding.tree_arrays([], [])
    assert encoding.trees_of(*encoding.decode(encoding.encode(content, arrays))) == ([], [])


def test_every_damaged_byte_is_noticed():
    forest = ForestClassifier(n_estimators=1, max_depth=2, random_state=0).fit(X, Y)
    whole = encoded(forest)
    for at in RANDOM.choice(len(whole), 200, replace=False):
        damaged = whole.copy()
        damaged[at] ^= 1 << RANDOM.integers(8)
        with pytest.raises(ModelFileError):
            encoding.decode(damaged)
    for end in RANDOM.choice(len(whole), 50, replace=False):
        with pytest.raises(ModelFileError):
            encoding.decode(whole[:end])


@pytest.mark.parametrize(
    "change",
    [
        {"n_features": -1},
        {"n_features": 2**70},
        {"n_features": "4"},
        {"n_outputs": 2},
        {"n_classes": [2, 2]},
        {"n_classes": None},
        {"both_children": 1.5},
        {"n_trees": 9},
    ],
)
def test_wrong_shapes_are_refused(change):
    forest = ForestClassifier(n_estimators=3, random_state=0).fit(X, Y)
    content, arrays = encoding.tree_arrays(list(forest._trees), forest._grown.work)
    with pytest.raises(ModelFileError):
        encoding.trees_of(content | change, arrays)
    for name in arrays:
        with pytest.raises(ModelFileError):
            encoding.trees_of(content, {of: arrays[of] for of in arrays if of != name})


@pytest.mark.parametrize("value", [b"", b"{}", [1], None, "text", np.zeros(3)])
def test_other_values_are_refused(value):
    with pytest.raises(ModelFileError):
        encoding.decode(value)
