"""Stored trees are not trusted: what is no tree gives a ValueError, and never a crash."""

import copy
import pickle

import numpy as np
import pytest

from silvics import _core

from ..kinds import ALL, TREES, name_of, problem, small

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


def _predictor(trees):
    return _core.Predictor(_core.PackedForest.of(trees), False)


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


def missing_goes_right(arrays):
    """At the root."""
    arrays["link"][0] &= ~PURE
    return arrays


@each
@pytest.mark.parametrize("threshold", [np.inf, -np.inf])
def test_infinite_thresholds_part_missing_values_from_others(kind, threshold):
    arrays = missing_goes_right(changed(stored(kind), "threshold", 0, threshold))
    tree = loaded(arrays)
    assert tree.threshold()[0] == threshold
    X = np.array([[-1e308] * 4, [0.0] * 4, [1e308] * 4])
    first = _predictor([tree]).decision_paths(_core.Matrix([X]), 1)[1][1]
    assert first == (1 if threshold > 0 else tree.children_right()[0])
    nowhere = _core.Matrix([np.full((1, 4), np.nan)])
    assert _predictor([tree]).decision_paths(nowhere, 1)[1][1] == tree.children_right()[0]
    arrays["link"][0] |= PURE
    tree = loaded(arrays)
    assert tree.missing_go_to_left()[0] == 1
    assert _predictor([tree]).decision_paths(nowhere, 1)[1][1] == 1


def nan_of(bits):
    return np.array([bits], dtype=np.uint64).view(np.float64)[0]


def rule(form, content=0, others_left=0):
    """What a category node has in the place of its threshold (core/tree/level_rule.hpp)."""
    return nan_of(0x7FF8 << 48 | form << 48 | others_left << 47 | content)


FEW, COIN, APART = 1, 2, 3


@each
@pytest.mark.parametrize(
    "bits",
    [
        0x7FF8000000000000,  # NumPy's NaN: of no form
        0xFFF8000000000000,
        0xFFF9000000000001,  # a rule but for its sign
        0x7FF1000000000001,  # a rule, signalling
        *(0x7FF8 << 48 | form << 48 for form in range(4, 8)),
        0x7FFFFFFFFFFFFFFF,
    ],
)
def test_thresholds_that_are_no_rules(kind, bits):
    with pytest.raises(ValueError, match="not a valid tree: threshold"):
        loaded(changed(stored(kind), "threshold", 0, nan_of(bits)))


@each
@pytest.mark.parametrize("form", [FEW, COIN])
@pytest.mark.parametrize("content", [0, 0b1011, 2**47 - 1])
@pytest.mark.parametrize("others_left", [0, 1])
def test_rules_that_stand_alone(kind, form, content, others_left):
    arrays = changed(stored(kind), "threshold", 0, rule(form, content, others_left))
    tree = loaded(missing_goes_right(arrays))
    assert np.isnan(tree.threshold()[0])
    left = tree.left_levels(0, 200).tolist()
    if form == FEW:
        beyond = range(47, 200) if others_left else []
        assert left == [level for level in range(47) if content >> level & 1] + list(beyond)
    else:
        assert 60 < len(left) < 140
    X = np.zeros((203, 4))
    X[:, 0] = X[:, 1] = X[:, 2] = X[:, 3] = [*range(200), np.nan, -2, 1e300]
    second = tree.children_right()[0]
    starts, nodes = _predictor([tree]).decision_paths(_core.Matrix([X], [200] * 4), 1)
    went_left = nodes[starts[:-1] + 1] != second
    assert np.flatnonzero(went_left[:200]).tolist() == left
    assert went_left[200:].tolist() == [False, bool(others_left), False]


SETS = {
    "bits": ([64, 0b1011, 1 << 31], {0, 1, 3, 63}),
    "bits of part of a word": ([33, 0, 1], {32}),
    "no bits": ([0], set()),
    "list": ([2**31 + 3, 2, 50, 199], {2, 50, 199}),
    "empty list": ([2**31], set()),
    "after another": ([0, 2**31 + 1, 77], set()),
}


@each
@pytest.mark.parametrize("others_left", [0, 1])
@pytest.mark.parametrize("name", SETS)
def test_rules_with_sets_apart(kind, name, others_left):
    sets, levels = SETS[name]
    arrays = changed(stored(kind), "threshold", 0, rule(APART, 0, others_left))
    arrays["level_sets"] = np.array(sets, dtype=np.uint32)
    left = set(loaded(arrays).left_levels(0, 200).tolist())
    if sets[0] >= 2**31:  # those that differ
        assert left == (set(range(200)) - levels if others_left else levels)
    else:
        assert left == levels | (set(range(sets[0], 200)) if others_left else set())
    assert loaded(arrays).stored_arrays()["level_sets"].tolist() == sets


@each
@pytest.mark.parametrize(
    ("sets", "offset"),
    [
        ([], 0),
        ([32, 5], 2),
        ([32, 5], 2**31),
        ([32, 5], 2**47 - 1),
        ([33, 5], 0),
        ([2**31 - 1, 5], 0),
        ([2**31 + 1], 0),
        ([2**31 + 2, 1], 0),
        ([2**32 - 1, 1], 0),
        ([2**31 + 2, 5, 3], 0),
        ([1, 0, 64, 7], 2),
    ],
)
def test_sets_that_are_not_there(kind, sets, offset):
    arrays = changed(stored(kind), "threshold", 0, rule(APART, offset))
    arrays["level_sets"] = np.array(sets, dtype=np.uint32)
    with pytest.raises(ValueError, match="not a valid tree: threshold"):
        loaded(arrays)


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


N_MUTATIONS = 500  # of each tree


def mutated(arrays, random, among=None):
    """One byte of one array is another."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    names = [name for name in among or arrays if arrays[name].size]
    raw = arrays[random.choice(names)].view(np.uint8)
    raw[random.integers(len(raw))] ^= random.integers(1, 256)
    return arrays


@each
@pytest.mark.parametrize("parameters", [{}, {"min_samples_leaf": 4}, {"max_depth": 1}])
def test_random_mutations(kind, parameters):
    random = np.random.default_rng(0)
    arrays = stored(kind, **parameters)
    refused = 0
    for _ in range(N_MUTATIONS):
        try:
            tree = loaded(mutated(arrays, random))
        except (ValueError, OverflowError):
            refused += 1
            continue
        can_be_walked(tree)
    assert 0 < refused < N_MUTATIONS


ANYTHING = [0.0, 3.0, 46.0, 47.0, 48.0, 120.0, 1e6, 2.0**31, 1e300, -1.0, -2.0, np.nan]


def can_be_walked(tree):
    if tree.n_features + tree.value_width < 1000:  # wider ones are trees too, but slow
        n = len(ANYTHING)
        X = np.repeat(np.array(ANYTHING)[:, np.newaxis], tree.n_features, axis=1)
        for n_levels in ([], [150] * tree.n_features):
            matrix = _core.Matrix([X], n_levels)
            predictor = _predictor([tree])
            assert predictor.predict(matrix, 1).shape == (n, tree.value_width)
            assert (predictor.apply(matrix, 1) < tree.node_count).all()
            predictor.decision_paths(matrix, 1)
        tree.impurity_decrease(True)
        assert tree.values().shape == (tree.node_count, tree.value_width)
    for node in range(min(tree.node_count, 5)):
        assert (tree.left_levels(node, 200) < 200).all()
    assert tree.depths().max() == tree.max_depth
    tree.pruning_path()


# Levels that are few, or many: then sets stand apart, as lists and as bits. Extra-Trees have coins.
LEVELS = {"few": 8, "many": 60, "thousands": 3000}


def stored_with_categories(kind, n_levels):
    random = np.random.default_rng(1)
    X = random.integers(0, n_levels, size=(6 * n_levels if n_levels < 100 else 3000, 3))
    y = (random.random((3, n_levels)) < 0.5)[np.arange(3), X] @ [1, 2, 4] % 3
    X = X.astype(float)
    X[::9, 1] = np.nan
    parameters = {"max_depth": 4, "categorical_features": [0, 1], "min_category_frequency": 1}
    tree = small(kind[0], **parameters).fit(X, y).tree_._native
    return (tree.expanded() if kind[1] else tree).stored_arrays()


def rules_of(arrays):
    threshold = arrays["threshold"][arrays["feature"] >= 0]
    bits = threshold[np.isnan(threshold)].view(np.uint64)
    return bits >> np.uint64(48) & np.uint64(7), bits & np.uint64(2**47 - 1)


@each
@pytest.mark.parametrize("levels", LEVELS)
def test_trees_with_categories_there_and_back(kind, levels):
    arrays = stored_with_categories(kind, LEVELS[levels])
    forms, contents = rules_of(arrays)
    assert len(forms)
    if kind[0].__name__.startswith("Extra"):
        assert set(forms) == {COIN}
    elif levels == "few":
        assert set(forms) == {FEW}
    else:
        assert APART in forms
        heads = arrays["level_sets"][contents[forms == APART].astype(np.intp)]
        assert (heads < PURE).any() or (heads >= PURE).any()
    again = loaded(arrays).stored_arrays()
    for name, array in arrays.items():
        assert array.dtype == again[name].dtype
        assert array.tobytes() == again[name].tobytes()


@each
@pytest.mark.parametrize("levels", LEVELS)
def test_random_mutations_of_trees_with_categories(kind, levels):
    random = np.random.default_rng(0)
    arrays = stored_with_categories(kind, LEVELS[levels])
    refused = 0
    for i in range(N_MUTATIONS):
        names = ["threshold", "level_sets", "link"] if i % 2 else list(arrays)
        hostile = mutated(arrays, random, names)
        try:
            tree = loaded(hostile)
        except (ValueError, OverflowError):
            refused += 1
            continue
        can_be_walked(tree)
    assert 0 < refused < N_MUTATIONS


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
    with pytest.raises(ValueError, match="trees of different kinds"):
        _predictor(trees)
    with pytest.raises(ValueError, match="no trees"):
        _predictor([])
    predictor = _predictor(trees[:1])
    for walk in (predictor.predict, predictor.apply, predictor.decision_paths):
        for matrix in (_core.Matrix([X[:, :2]]), _core.Matrix([])):
            with pytest.raises(ValueError, match="number of variables"):
                walk(matrix, 1)


NO_MATRIX = [np.zeros(4), np.zeros((2, 2, 2)), np.zeros((2, 4), dtype="U3"), np.zeros((2, 4)) * 1j]


@pytest.mark.parametrize("X", [*NO_MATRIX, "X", None])
def test_the_core_refuses_what_is_no_matrix(X):
    with pytest.raises((TypeError, ValueError)):
        _core.Matrix([X])
    with pytest.raises((TypeError, ValueError)):
        _core.Matrix(X)
    with pytest.raises((TypeError, ValueError)):
        _predictor([loaded(stored())]).predict(X, 1)


@pytest.mark.parametrize("X", [np.zeros((2, 4)), "X", 3])
def test_the_core_codes_matrices_only(X):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.code_table(X, 0, False, 1)


def test_the_core_refuses_blocks_that_do_not_fit():
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="different numbers of rows"):
        _core.Matrix([X, X[:2]])
    with pytest.raises(ValueError, match="one number per column"):
        _core.Matrix([X, X], [1, 1])
    assert _core.Matrix([X, X], [-1, 1, -1, 1]).shape == (3, 4)


def vectors(*arrays):
    return [np.asarray(array)[:, np.newaxis] for array in arrays]


@pytest.mark.parametrize(
    ("starts", "places", "values"),
    [
        ([0, 1], [0, 1], [1.0, 2.0]),
        ([0, 1, 2, 2], [0, 1], [1.0, 2.0]),
        ([0, 1, 2], [0, 1], [1.0]),
        ([0, 2, 1], [0, 1], [1.0, 2.0]),
        ([0, 1, 3], [0, 1], [1.0, 2.0]),
        ([-1, 1, 2], [0, 1], [1.0, 2.0]),
        ([0, 1, 2], [0, 4], [1.0, 2.0]),
        ([0, 1, 2], [0, -1], [1.0, 2.0]),
        ([0, 1, 2], [0, 2**31 - 1], [1.0, 2.0]),
    ],
)
@pytest.mark.parametrize("by_columns", [False, True])
def test_the_core_refuses_what_is_no_sparse_matrix(starts, places, values, by_columns):
    shape = (4, 2) if by_columns else (2, 4)

    def use():
        X = _core.Matrix.sparse(*vectors(starts, places, values), shape, by_columns)
        if by_columns:
            return _core.code_table(X, 0, False, 1)
        return _predictor([loaded(stored())]).predict(X, 1)

    with pytest.raises(ValueError, match=r"not a valid sparse matrix|place in the sparse matrix"):
        use()
