"""Stored trees are not trusted: what is no tree gives a ValueError, and never a crash."""

import copy
import pickle

import numpy as np
import pytest

from silvics import _core

from .kinds import ALL, TREES, name_of, problem, small

# Kinds of trees, each in both layouts: as it is kept, and with everything told of every node.
KINDS = [(kind, plain) for kind in TREES for plain in (False, True)]
each = pytest.mark.parametrize(
    "kind", KINDS, ids=lambda k: name_of(k[0]) + ("-plain" if k[1] else "")
)
PURE = np.uint32(2**31)


def stored(kind=KINDS[0], **parameters):
    X, y = problem()
    tree = small(kind[0], **parameters).fit(X, y).tree_._native
    return (tree.expanded() if kind[1] else tree).stored_arrays()


def loaded(arrays):
    return _core.Tree.from_stored_arrays(arrays)


def changed(arrays, name, index, value):
    arrays = {key: array.copy() for key, array in arrays.items()}
    arrays[name][index] = value
    return arrays


@each
def test_there_and_back(kind):
    arrays = stored(kind)
    again = loaded(arrays).stored_arrays()
    assert arrays.keys() == again.keys()
    for name, array in arrays.items():
        assert array.dtype == again[name].dtype
        np.testing.assert_array_equal(array, again[name])


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_pickle_and_copy(kind):
    X, y = problem()
    fitted = small(kind).fit(X, y)
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        assert again.digest() == fitted.digest()
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
        np.testing.assert_array_equal(again.apply(X), fitted.apply(X))


@each
def test_the_layout_is_the_one_asked_for(kind):
    assert ("derivation" in stored(kind)) is not kind[1]


@each
@pytest.mark.parametrize("name", stored())
def test_missing_array(kind, name):
    arrays = stored(kind)
    if arrays.pop(name, None) is None:
        return  # a plain tree does not have it
    # Without derivation it is read as a plain tree, and is none.
    complaint = "length of an array" if name == "derivation" else f"no {name}"
    with pytest.raises(ValueError, match=f"not a valid tree: {complaint}"):
        loaded(arrays)


@each
@pytest.mark.parametrize("name", [name for name in stored() if name != "leaf_weights"])
def test_wrong_length(kind, name):
    arrays = stored(kind)
    if name not in arrays:
        return
    for wrong in (arrays[name][:-1], np.append(arrays[name], arrays[name][-1:])):
        if len(wrong) == len(arrays[name]):
            continue  # an empty array stays one
        with pytest.raises(ValueError, match="not a valid tree"):
            loaded({**arrays, name: wrong})


@pytest.mark.parametrize("wrong", ["oak", None, 3, [[1.0]], np.zeros((2, 2)), np.array("x")])
def test_no_array_at_all(wrong):
    arrays = stored()
    for name in arrays:
        with pytest.raises((ValueError, TypeError)):
            loaded({**arrays, name: wrong})


@each
@pytest.mark.parametrize("link", [0, 1, 2**31 - 1, 2**31, 2**32 - 1])
def test_links_out_of_range_or_back(kind, link):
    arrays = stored(kind)
    for node in (0, int(np.flatnonzero(arrays["feature"] >= 0)[-1])):
        if arrays["link"][node] != link:
            with pytest.raises(ValueError, match="not a valid tree"):
                loaded(changed(arrays, "link", node, link))


@each
def test_cycles(kind):
    arrays = stored(kind)
    inner = np.flatnonzero(arrays["feature"] >= 0)
    for node in inner:
        for back in (node, 0, int(inner[0])):
            with pytest.raises(ValueError, match="not a valid tree"):
                loaded(changed(arrays, "link", node, back))


@each
def test_two_parents(kind):
    arrays = stored(kind)
    inner = np.flatnonzero(arrays["feature"] >= 0)
    with pytest.raises(ValueError, match="not a valid tree"):
        loaded(changed(arrays, "link", inner[1], arrays["link"][0]))


@each
@pytest.mark.parametrize("feature", [4, 2**31 - 1, -1, -3, -(2**31)])
def test_variables_out_of_range(kind, feature):
    with pytest.raises(ValueError, match="not a valid tree"):
        loaded(changed(stored(kind), "feature", 0, feature))


@each
@pytest.mark.parametrize("threshold", [np.nan, np.inf, -np.inf])
def test_thresholds_are_finite(kind, threshold):
    with pytest.raises(ValueError, match="not a valid tree: threshold"):
        loaded(changed(stored(kind), "threshold", 0, threshold))


@pytest.mark.parametrize("kind", TREES, ids=name_of)
@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_weights_are_positive(kind, weight):
    with pytest.raises(ValueError, match="not a valid tree: weight"):
        loaded(changed(stored((kind, True)), "weighted_n_node_samples", 1, weight))


@pytest.mark.parametrize("kind", TREES, ids=name_of)
@pytest.mark.parametrize("payload", [0.0, np.nan, np.inf])
def test_numbers_inside_leaves(kind, payload):
    """Where an inner node has its threshold, a leaf has its counts or its value."""
    arrays = stored((kind, False))
    if arrays["n_classes"].size == 0 and payload == 0.0:
        return  # a value like any other
    leaf = np.flatnonzero(arrays["feature"] < 0)[0]
    with pytest.raises(ValueError, match="not a valid tree: number"):
        loaded(changed(arrays, "threshold", leaf, payload))


@pytest.mark.parametrize("derivation", [0, 2, 4, 5, 255])
def test_derivations(derivation):
    """Entropy in place of Gini is a tree as well."""
    arrays = changed(stored(), "derivation", 0, derivation)
    if derivation == 2:
        assert loaded(arrays).impurity()[0] > loaded(stored()).impurity()[0]
        return
    with pytest.raises(ValueError, match="not a valid tree"):
        loaded(arrays)


@each
@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("size", [0, 2**31, 2**32, 2**63, 2**64 - 1])
def test_shape(kind, index, size):
    with pytest.raises((ValueError, OverflowError), match=r"not a valid tree|holds at most"):
        loaded(changed(stored(kind), "shape", index, np.uint64(size)))


@pytest.mark.parametrize("n_classes", [0, 1, 2**31, 2**32 - 1])
def test_numbers_of_classes(n_classes):
    with pytest.raises(ValueError, match="not a valid tree"):
        loaded(changed(stored(), "n_classes", 0, n_classes))


def test_many_numbers_of_classes_do_not_wrap():
    arrays = stored()
    arrays["n_classes"] = np.full(4, 2**31 - 1, dtype=np.uint32)
    arrays["shape"][1] = 4
    with pytest.raises(ValueError, match="not a valid tree"):
        loaded(arrays)


def test_classes_of_leaves_out_of_range():
    arrays = stored()
    pure = np.flatnonzero((arrays["feature"] < 0) & (arrays["link"] >= PURE))
    for wrong in (PURE + 4, 2**32 - 1):
        with pytest.raises(ValueError, match="not a valid tree: class of a leaf"):
            loaded(changed(arrays, "link", pure[0], wrong))


def test_rows_of_leaves_out_of_range():
    arrays = stored(min_samples_leaf=5)
    mixed = np.flatnonzero((arrays["feature"] < 0) & (arrays["link"] < PURE))
    for wrong in (len(mixed), 2**31 - 1):
        with pytest.raises(ValueError, match="not a valid tree: weights of a leaf"):
            loaded(changed(arrays, "link", mixed[0], wrong))


# ---- thousands of small changes: each is refused, or can be walked


def mutated(arrays, random):
    """One byte of one array is another."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    names = [name for name, array in arrays.items() if array.size]
    raw = arrays[random.choice(names)].view(np.uint8)
    raw[random.integers(len(raw))] ^= random.integers(1, 256)
    return arrays


@each
@pytest.mark.parametrize("parameters", [{}, {"min_samples_leaf": 4}, {"max_depth": 1}])
def test_random_mutations(kind, parameters):
    random = np.random.default_rng(0)
    arrays = stored(kind, **parameters)
    refused = 0
    for _ in range(1500):
        try:
            tree = loaded(mutated(arrays, random))
        except (ValueError, OverflowError):
            refused += 1
            continue
        if tree.n_features + tree.value_width < 1000:  # wider ones are trees too, but slow
            X = np.zeros((10, tree.n_features))
            assert _core.predict([tree], X, False, 1).shape == (10, tree.value_width)
            assert (_core.apply([tree], X, False, 1) < tree.node_count).all()
            _core.decision_paths([tree], X, False, 1)
            tree.impurity_decrease(True)
            assert tree.values().shape == (tree.node_count, tree.value_width)
        assert tree.depths().max() == tree.max_depth
        tree.pruning_path()
    assert 0 < refused < 1500


def test_hostile_pickles_are_checked_as_well():
    arrays = stored()
    tree = loaded(arrays)
    state = tree.__getstate__()
    assert state == {name: array.tobytes() for name, array in arrays.items()}
    wrong = changed(arrays, "link", 0, 2**31 - 1)["link"]
    # Arrays are taken as well: they are what pickles of earlier days hold.
    for link in (wrong, wrong.tobytes(), wrong.tobytes()[:-1], state["link"][:-4], b"", "oak"):
        with pytest.raises(ValueError, match="not a valid tree"):
            tree.__class__.__new__(tree.__class__).__setstate__({**state, "link": link})


def test_trees_of_different_kinds_do_not_mix():
    X, _ = problem()
    trees = [loaded(stored((kind, False))) for kind in TREES[:2]]
    for walk in (_core.predict, _core.apply):
        with pytest.raises(ValueError, match="trees of different kinds"):
            walk(trees, X, False, 1)
    with pytest.raises(ValueError, match="no trees"):
        _core.predict([], X, False, 1)
    with pytest.raises(ValueError, match="number of variables"):
        _core.predict(trees[:1], X[:, :2], False, 1)


@pytest.mark.parametrize("X", [np.zeros(4), np.zeros((2, 2, 2)), np.zeros((2, 4), dtype="U3"), "X"])
def test_the_core_refuses_what_is_no_matrix(X):
    with pytest.raises((TypeError, ValueError)):
        _core.predict([loaded(stored())], X, False, 1)
    with pytest.raises((TypeError, ValueError)):
        _core.code_table(X, 0, False, 1)
