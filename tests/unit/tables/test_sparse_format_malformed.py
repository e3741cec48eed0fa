"""Sparse matrices whose arrays do not belong together: an error, whatever SciPy would do."""

import numpy as np
import pytest
from scipy import sparse

import silvics
from silvics import importance


def made(form="csr", kind="array"):
    X = np.random.default_rng(0).integers(0, 3, size=(40, 6)).astype(float)
    return getattr(sparse, f"{form}_{kind}")(sparse.coo_array(X)), (X[:, 0] > 0).astype(int)


def with_(name, change):
    def spoil(X):
        array = getattr(X, name).copy()
        array = change(array)
        setattr(X, name, array)

    return spoil


def put(at, value):
    def change(array):
        array[at] = value
        return array

    return change


def lil_column(X):
    X.rows[3] = [0, 10**6]
    X.data[3] = [1.0, 2.0]


def lil_length(X):
    X.data[3] = [1.0] * 9


HUGE = 2**31 - 1
COMPRESSED = {
    "index too large": with_("indices", put(5, HUGE)),
    "last index too large": with_("indices", put(-1, 1000)),
    "index negative": with_("indices", put(5, -HUGE)),
    "start too large": with_("indptr", put(3, HUGE)),
    "start negative": with_("indptr", put(3, -5)),
    "first start": with_("indptr", put(0, 2)),
    "end too large": with_("indptr", put(-1, HUGE)),
    "too few starts": with_("indptr", lambda a: a[:3].copy()),
    "too few indices": with_("indices", lambda a: a[:3].copy()),
    "too few values": with_("data", lambda a: a[:3].copy()),
    "indices are floats": with_("indices", lambda a: a.astype(float)),
}
OTHERS = {
    "coo": {
        "row too large": lambda X: X.row.__setitem__(5, HUGE),
        "row negative": lambda X: X.row.__setitem__(5, -9),
        "column too large": lambda X: X.col.__setitem__(5, HUGE),
        "too few values": lambda X: setattr(X, "data", X.data[:3]),
    },
    "dia": {
        "an offset": with_("offsets", put(0, HUGE)),
        "too few offsets": lambda X: setattr(X, "offsets", X.offsets[:-1]),
    },
    "lil": {"a column": lil_column, "a length": lil_length},
    "dok": {"a key": lambda X: X._dict.__setitem__((1000, 2), 1.0)},
}
FORMATS = dict.fromkeys(("csr", "csc", "bsr"), COMPRESSED) | OTHERS
CASES = [(form, name, spoil) for form, each in FORMATS.items() for name, spoil in each.items()]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize(
    ("form", "spoil"),
    [(form, spoil) for form, _, spoil in CASES],
    ids=[f"{form}-{name}" for form, name, _ in CASES],
)
def test_a_malformed_matrix_is_refused_everywhere(form, spoil, kind):
    good, y = made()
    bad, _ = made(form, kind)
    spoil(bad)
    forest = silvics.RandomForestClassifier(3, random_state=0).fit(good, y)
    tree = silvics.DecisionTreeClassifier(random_state=0).fit(good, y)
    select = importance.SelectByThreshold(forest).fit(good, y)
    calls = [
        lambda: silvics.RandomForestClassifier(3).fit(bad, y),
        lambda: silvics.DecisionTreeClassifier().fit(bad, y),
        lambda: silvics.IsolationForest(n_estimators=3).fit(bad),
        lambda: silvics.ForestClassifier("rotation_forest", n_estimators=3).fit(bad, y),
        lambda: forest.predict(bad),
        lambda: forest.decision_path(bad),
        lambda: forest.importances("mda", bad, y),
        lambda: forest.importances("mdi", bad, y, null="permuted"),
        lambda: tree.predict(bad, check_input=False),
        lambda: tree.apply(bad, check_input=False),
        lambda: importance.permutation_test(forest, bad, y, n_permutations=20),
        lambda: select.transform(bad),
        lambda: importance.SelectByThreshold(forest).fit(bad, y),
    ]
    if form != "dok":  # a predictor takes a dict for a row with names
        calls.append(lambda: forest.predictor()(bad))
    for call in calls:
        with pytest.raises(ValueError, match=f"not a valid sparse matrix of format '{form}'"):
            call()


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_matrices_of_every_format_are_taken(form, kind):
    good, y = made()
    X, _ = made(form, kind)
    one, other = (silvics.RandomForestClassifier(3, random_state=0) for _ in range(2))
    assert one.fit(X, y).digest() == other.fit(good, y).digest()
    empty = getattr(sparse, f"{form}_{kind}")((5, 6))
    np.testing.assert_array_equal(one.predict(empty), one.predict(np.zeros((5, 6))))


def test_room_that_is_not_used_may_hold_anything():
    X, y = made()
    expected = silvics.RandomForestClassifier(3, random_state=0).fit(X, y).digest()
    X.indices = np.append(X.indices, [10**6, -3]).astype(np.int32)
    X.data = np.append(X.data, [2.0, 1.0])
    assert silvics.RandomForestClassifier(3, random_state=0).fit(X, y).digest() == expected


def test_a_vector_is_no_table():
    vector = sparse.coo_array(np.arange(6.0))
    with pytest.raises(ValueError, match="Expected 2D"):
        silvics.RandomForestClassifier(3).fit(vector, np.zeros(6))
