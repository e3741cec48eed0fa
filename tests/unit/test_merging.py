"""`silvics.merge`: forests grown apart become one, and every tree says what it said before."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import silvics
from silvics import recipes
from silvics._tables import inputs

from .kinds import FORESTS, TREES, name_of, problem, small

each_forest = pytest.mark.parametrize("kind", FORESTS, ids=name_of)
each_classifier = pytest.mark.parametrize("kind", FORESTS[::2], ids=name_of)
UNKNOWN = ("missing", "heavier", "error")
WORDS = np.array([f"w{i:03}" for i in range(130)], dtype=object)


def on_union(forest, classes, X):
    """predict_proba with a column for each of these classes."""
    shares = np.zeros((len(X), len(classes)))
    shares[:, np.searchsorted(classes, forest.classes_)] = forest.predict_proba(X)
    return shares


def words(seed, low, high, n_rows=200, holes=True):
    """A column of some words, one of numbers, one of few words; labels that they tell of."""
    random = np.random.default_rng(seed)
    at = random.integers(low, high, n_rows)
    few = random.integers(low // 30, low // 30 + 3, n_rows)
    X = np.empty((n_rows, 3), dtype=object)
    X[:, 0], X[:, 1], X[:, 2] = WORDS[at], random.normal(size=n_rows).round(2), WORDS[few]
    y = (at * 7 % 5 + few) % 4 + random.integers(0, 2, n_rows)
    if holes:
        X[::9, 0] = None
        X[::11, 2] = None
    return X, y


def leaves_of_levels(forest, levels):
    """Leaves of all trees for each level of the first column, the others being as they are."""
    X = np.empty((len(levels) * 4, 3), dtype=object)
    X[:, 0] = np.repeat(levels, 4)
    X[:, 1] = np.tile([0.0, -1.0, 1.0, None], len(levels))
    X[:, 2] = np.tile([WORDS[0], WORDS[1], None, WORDS[2]], len(levels))
    return forest.apply(X)


# ---- trees, classes, levels


@each_forest
def test_one_forest_stays_itself(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    merged = silvics.merge([forest])
    assert type(merged) is kind
    assert merged is not forest
    assert merged.digest() == forest.digest()
    assert merged.get_params() == forest.get_params()
    assert all(a is b for a, b in zip(merged._trees, forest._trees, strict=True))
    np.testing.assert_array_equal(merged.predict(X), forest.predict(X))
    np.testing.assert_array_equal(merged.feature_importances_, forest.feature_importances_)


@each_forest
def test_trees_in_order_and_shared_where_nothing_changes(kind):
    parts = [small(kind, n_estimators=m + 2).fit(*problem(seed=m)) for m in range(3)]
    before = [part.digest() for part in parts]
    merged = silvics.merge(parts)
    natives = [tree for part in parts for tree in part._trees]
    assert len(merged) == merged.n_estimators == 9
    if not kind._classification:
        assert all(a is b for a, b in zip(merged._trees, natives, strict=True))
    X, _ = problem(seed=9)
    np.testing.assert_array_equal(merged.apply(X), np.hstack([p.apply(X) for p in parts]))
    assert [part.digest() for part in parts] == before
    path, starts = merged.decision_path(X)
    assert path.shape == (len(X), starts[-1])


@each_classifier
def test_classes_are_those_of_all(kind):
    X, y = problem()
    parts = [
        small(kind, n_estimators=4).fit(X[y != 1], y[y != 1]),
        small(kind, n_estimators=4).fit(X[y > 0], y[y > 0]),
        small(kind, n_estimators=4).fit(X, np.where(y == 2, -7.0, y)),
    ]
    merged = silvics.merge(parts)
    assert merged.classes_.tolist() == [-7.0, 0.0, 1.0, 2.0, 3.0]
    assert merged.n_classes_ == 5
    shares = merged.predict_proba(X)
    expected = np.mean([on_union(part, merged.classes_, X) for part in parts], axis=0)
    np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-15)
    # To the last bit: the sum over trees in their order.
    total = np.zeros_like(shares)
    for part in parts:
        for tree in part:
            at = np.searchsorted(merged.classes_, part.classes_)
            total[:, at] += tree.predict_proba(X)
    np.testing.assert_array_equal(shares, total / 12)
    for tree in merged:
        assert tree.n_classes_ == 5
        assert tree.predict_proba(X).shape == (len(X), 5)
    assert merged.predictor()(X[0]) == merged.predict(X[:1])[0]
    np.testing.assert_array_equal(merged.to_sklearn().predict_proba(X), shares)


def test_several_outputs_each_with_classes_of_its_own():
    X, y = problem(n_outputs=2)
    Y = y.astype(int).astype(str).astype(object)
    a = small(silvics.RandomForestClassifier).fit(X[:30], Y[:30])
    Y[:, 1] = "x" + Y[:, 1]
    b = small(silvics.RandomForestClassifier).fit(X[30:], Y[30:])
    merged = silvics.merge([a, b])
    for k in range(2):
        known = np.union1d(a.classes_[k], b.classes_[k])
        assert merged.classes_[k].tolist() == known.tolist()
        expected = np.zeros((len(X), len(known)))
        for part in (a, b):
            shares = part.predict_proba(X)[k] / 2
            expected[:, np.searchsorted(known, part.classes_[k])] += shares
        np.testing.assert_allclose(merged.predict_proba(X)[k], expected, rtol=0, atol=1e-15)
    assert merged.predict(X).shape == (60, 2)


def test_majority_votes_stay_votes():
    X, y = problem()
    forest = silvics.ForestClassifier(n_estimators=3, vote="majority", random_state=0)
    parts = [clone(forest).fit(X[y != 1], y[y != 1]), clone(forest).fit(X, y)]
    merged = silvics.merge(parts)
    assert merged._trees.by_majority
    expected = np.mean([on_union(part, merged.classes_, X) for part in parts], axis=0)
    np.testing.assert_allclose(merged.predict_proba(X), expected, rtol=0, atol=1e-15)


RECIPES = {
    "subsets": {"recipe": "random_forest"},
    "coins": {"recipe": "extra_trees", "n_estimators": 10},
    "missing apart": {"recipe": "random_forest", "missing": "apart"},
    "coins, missing apart": {"recipe": "extra_trees", "missing": "apart"},
    "a child for each level": {"split": "multiway_categories", "max_depth": 6},
    "multiway": {"recipe": "id3"},
    "oblique": {"split": "oblique"},
}


@pytest.mark.parametrize("unknown", UNKNOWN)
@pytest.mark.parametrize("frequency", [1, 3])
@pytest.mark.parametrize("chosen", RECIPES.values(), ids=RECIPES)
def test_every_level_goes_where_its_forest_sends_it(chosen, frequency, unknown):
    settings = {
        "n_estimators": 5,
        "unknown_category": unknown,
        "min_category_frequency": frequency,
        "random_state": 0,
        **chosen,
    }
    ranges = [(0, 90), (30, 60), (60, 125)]
    parts = [
        silvics.ForestClassifier(**settings).fit(*words(seed, *ends))
        for seed, ends in enumerate(ranges)
    ]
    merged = silvics.merge(parts)
    levels = merged.categories_[0]
    known = [set(part.categories_[0]) for part in parts]
    assert set(levels) >= set().union(*known)
    assert levels.tolist() == sorted(levels)
    for rare in merged._variables.rare:
        assert rare is None or not set(rare) & set(levels)
    everything = [*WORDS, None]
    if unknown == "error":
        everything = [*levels, None]
    theirs = []
    for part in parts:
        if unknown == "error":  # documented: missing values to it
            part = copy.copy(part).set_params(unknown_category="missing")
        theirs.append(leaves_of_levels(part, everything))
    np.testing.assert_array_equal(leaves_of_levels(merged, everything), np.hstack(theirs))
    # Merging step by step is the same.
    again = silvics.merge([silvics.merge(parts[:2]), parts[2]])
    if unknown != "heavier":  # where rare levels may be known or not on the way
        assert again.digest() == merged.digest()
    np.testing.assert_array_equal(leaves_of_levels(again, everything), np.hstack(theirs))
    if "apart" in chosen.values() and unknown == "missing":  # a child that no subset names
        records = np.concatenate([t.stored_arrays()["branches"] for t in merged._trees])
        assert (records >> 31).any()


def test_values_of_all_variables_at_random():
    random = np.random.default_rng(4)
    for kind in FORESTS:
        parts = [
            small(kind, n_estimators=6).fit(*words(seed, *ends))
            for seed, ends in enumerate([(0, 40), (20, 100)])
        ]
        merged = silvics.merge(parts)
        X, _ = words(7, 0, 130, n_rows=500)
        X[random.random(X.shape) < 0.1] = None
        np.testing.assert_array_equal(merged.apply(X), np.hstack([p.apply(X) for p in parts]))
        values = [merged.predictor()(row) for row in X[:50].tolist()]
        np.testing.assert_array_equal(values, merged.predict(X[:50]))


def test_coded_rows_go_the_same_ways():
    a = small(silvics.ExtraTreesClassifier).fit(*words(0, 0, 60))
    b = small(silvics.ExtraTreesClassifier).fit(*words(1, 40, 100))
    merged = silvics.merge([a, b])
    levels = merged.categories_[0]
    for m, tree in enumerate(merged):
        part = (a, b)[m // 3]
        own = {level: i for i, level in enumerate(part.categories_[0])}
        codes = np.array([own.get(level, np.nan) for level in levels])
        few = [np.nan] * len(codes)
        theirs = part[m % 3].tree_.apply(np.c_[codes, np.zeros(len(codes)), few])
        ours = tree.tree_.apply(np.c_[np.arange(len(codes)), np.zeros(len(codes)), few])
        np.testing.assert_array_equal(ours, theirs)


def test_many_levels_take_no_more_than_their_share():
    random = np.random.default_rng(0)
    names = np.array([f"{i:05}" for i in range(20_000)], dtype=object)
    parts = []
    for half in (names[:12_000], names[8_000:]):
        X = half[random.integers(0, len(half), 4000), np.newaxis]
        y = random.integers(0, 2, len(X))
        forest = small(silvics.ExtraTreesClassifier, min_category_frequency=1)
        parts.append(forest.fit(X, y))
    merged = silvics.merge(parts)
    X = names[random.integers(0, len(names), 3000), np.newaxis]
    np.testing.assert_array_equal(merged.apply(X), np.hstack([p.apply(X) for p in parts]))
    # Bits for all levels at each node would be some 2500 bytes.
    inner = sum(tree.node_count - tree.n_leaves for tree in merged._trees)
    assert sum(tree.memory_bytes for tree in merged._trees) < 600 * inner


def test_rare_levels():
    def frame(**counts):
        return np.repeat(np.array([*counts], dtype=object), [*counts.values()])[:, np.newaxis]

    settings = {"n_estimators": 5, "min_category_frequency": 3, "random_state": 0}
    X, Z = frame(ash=9, elm=9, oak=2, yew=1), frame(ash=9, oak=9, fir=1)
    y, z = np.arange(len(X)) // 9, np.arange(len(Z)) // 9
    for unknown, known in (
        ("missing", ["ash", "elm", "oak"]),
        ("error", ["ash", "elm", "oak"]),
        ("heavier", ["ash", "elm", "fir", "oak", "yew"]),  # missing to one, unknown to the other
    ):
        parts = [
            silvics.RandomForestRegressor(unknown_category=unknown, **settings).fit(*data)
            for data in ((X, y), (Z, z))
        ]
        merged = silvics.merge(parts)
        assert merged.categories_[0].tolist() == known
        rare = merged._variables.rare[0]
        assert sorted([*rare, *known]) == ["ash", "elm", "fir", "oak", "yew"]
        rows = np.array([["ash"], ["oak"], ["yew"], ["fir"]], dtype=object)
        if unknown == "error":
            assert merged.apply(rows).shape == (4, 10)
            with pytest.raises(ValueError, match="not seen in training: 'box'"):
                merged.predict([["box"]])
        else:
            expected = np.hstack([part.apply(rows) for part in parts])
            np.testing.assert_array_equal(merged.apply(rows), expected)


def test_levels_of_numbers_and_dates():
    y = np.arange(40) % 2
    for low, high in (
        (np.arange(40) % 7, np.arange(40) % 5 + 4.5),
        (np.arange(40) % 4, np.arange(40) % 4 + 2**60),
        (np.arange(40) % 4 + 2**60, np.arange(40) % 4 + np.uint64(2**63)),
        (
            np.datetime64("2020-01-01", "us") + np.arange(40) % 4,
            np.datetime64("2021-01-01", "us") + np.arange(40) % 4,
        ),
    ):
        forest = silvics.RandomForestRegressor(3, categorical_features=[0], random_state=0)
        parts = [clone(forest).fit(X[:, np.newaxis], y) for X in (low, high)]
        merged = silvics.merge(parts)
        levels = merged.categories_[0]
        assert levels.tolist() == sorted({*low.tolist(), *high.tolist()})
        for X in (low, high):
            X = X[:, np.newaxis]
            np.testing.assert_array_equal(merged.apply(X), np.hstack([p.apply(X) for p in parts]))
    forest = silvics.RandomForestRegressor(3, categorical_features=[0], random_state=0)
    parts = [
        clone(forest).fit(X[:, np.newaxis], y)
        for X in (np.arange(40) % 4 + 0.5, np.arange(40) % 4 + 2**60)
    ]
    with pytest.raises(ValueError, match=r"[Ll]evels of column 0 are integers beyond 2\*\*53"):
        silvics.merge(parts)


# ---- columns


def frames(first, second):
    """Forests on one column each, of these values."""
    y = np.arange(len(first)) % 3
    forest = silvics.RandomForestRegressor(3, random_state=0)
    return [clone(forest).fit(pd.DataFrame({"x": of}), y) for of in (first, second)]


N = 30
COLUMNS = {
    "number": np.arange(N) % 5 * 1.0,
    "category": np.array(["a", "b", "c", "a", "b"] * 6, dtype=object),
    "date": pd.date_range("2020-01-01", periods=N),
    "duration": pd.to_timedelta(np.arange(N) % 9, unit="h"),
    "ordered": pd.Categorical(["a", "c", "b"] * 10, categories=["c", "b", "a"], ordered=True),
    "nothing": np.array([None] * N, dtype=object),
}


@pytest.mark.parametrize("one", COLUMNS)
@pytest.mark.parametrize("other", COLUMNS)
def test_kinds_of_columns(one, other):
    parts = frames(COLUMNS[one], COLUMNS[other])
    assert [part._variables.kinds[0] for part in parts] == [one, other]
    if one != other and "nothing" not in (one, other):
        with pytest.raises(ValueError, match=f"column 'x' is a {one} in one forest and a {other}"):
            silvics.merge(parts)
        return
    merged = silvics.merge(parts)
    assert merged._variables.kinds == (one if other == "nothing" else other,)
    for values in (COLUMNS[one], COLUMNS[other]):
        X = pd.DataFrame({"x": values})
        expected = np.hstack([part.apply(X) for part in parts])
        np.testing.assert_array_equal(merged.apply(X), expected)


@pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals")  # of a few trees
@pytest.mark.parametrize("recipe", recipes.names())
def test_a_column_of_nothing_parts_no_samples(recipe):
    X, y = problem()
    X = np.c_[X, np.full(len(X), np.nan)].astype(object)
    X[:, -1] = None
    regression = recipes.get(recipe).stages > 1
    kind = silvics.ForestRegressor if regression else silvics.ForestClassifier
    y = np.arange(len(y)) if regression else y
    forest = kind(recipe, n_estimators=4, random_state=0).fit(X, y)
    for tree in forest._trees:
        for t in np.flatnonzero(tree.feature() == 4):
            assert len(tree.children(int(t))) == 1


def test_orders_that_differ():
    values = ["a", "c", "b"] * 10
    orders = [["c", "b", "a"], ["a", "b", "c"]]
    parts = frames(*(pd.Categorical(values, categories=of, ordered=True) for of in orders))
    with pytest.raises(ValueError, match="column 'x' is ordered, but its order is not the same"):
        silvics.merge(parts)


def test_levels_that_differ_in_type():
    forest = silvics.RandomForestRegressor(3, categorical_features=[0], random_state=0)
    y = np.arange(30)
    parts = [
        clone(forest).fit(np.array(values, dtype=object)[:, np.newaxis], y)
        for values in (["a", "b", "c"] * 10, [1, 2, 3] * 10)
    ]
    with pytest.raises(ValueError, match="column 0 are numbers in one forest and text in another"):
        silvics.merge(parts)


def test_levels_of_a_column_without_any():
    forest = silvics.RandomForestRegressor(3, categorical_features=[0], random_state=0)
    y = np.arange(30)
    nothing = np.full((30, 1), None)
    some = np.array(["a", "b", "c"] * 10, dtype=object)[:, np.newaxis]
    parts = [clone(forest).fit(X, y) for X in (nothing, some, nothing)]
    merged = silvics.merge(parts)
    assert merged.categories_[0].tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(merged.apply(some), np.hstack([p.apply(some) for p in parts]))
    assert silvics.merge([parts[0], parts[2]]).categories_[0].tolist() == []


def test_names():
    X, y = problem()
    named = pd.DataFrame(X, columns=[*"abcd"])
    forest = silvics.RandomForestClassifier(3, random_state=0)
    with_names, without = clone(forest).fit(named, y), clone(forest).fit(X, y)
    for parts in ([with_names, without], [without, with_names]):
        assert silvics.merge(parts).feature_names_in_.tolist() == [*"abcd"]
    assert not hasattr(silvics.merge([without, without]), "feature_names_in_")
    others = clone(forest).fit(named.set_axis([*"abXd"], axis=1), y)
    with pytest.raises(ValueError, match="column 2 is 'c' in one forest and 'X' in another"):
        silvics.merge([with_names, others])


# ---- what a merged forest is


@each_forest
def test_a_merged_forest_is_not_grown_further(kind):
    X, y = problem()
    settings = {"bootstrap": True, "oob_score": True, "warm_start": True, "n_estimators": 30}
    parts = [small(kind, **settings).fit(X, y) for _ in range(2)]
    merged = silvics.merge(parts)
    for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
        assert not hasattr(merged, name)
    for name in ("estimators_samples_", "work_"):
        with pytest.raises(AttributeError, match="merged"):
            getattr(merged, name)
    with pytest.raises(ValueError, match="cannot add trees to a forest"):
        merged.set_params(n_estimators=70).fit(X, y)
    assert len(merged) == 60
    again = merged.set_params(warm_start=False, n_estimators=30).fit(X, y)
    assert again.digest() == parts[0].digest()
    assert len(again.estimators_samples_) == 30


@each_forest
def test_all_else_works(kind):
    parts = [
        small(kind, n_estimators=3).fit(*words(seed, *ends))
        for seed, ends in enumerate([(0, 40), (30, 80)])
    ]
    merged = silvics.merge(parts)
    X, _ = words(3, 0, 80)
    back = pickle.loads(pickle.dumps(merged))
    assert back.digest() == merged.digest()
    np.testing.assert_array_equal(back.predict(X), merged.predict(X))
    importances = np.mean([p.feature_importances_ for p in parts], axis=0)
    np.testing.assert_allclose(merged.feature_importances_, importances, rtol=1e-12)
    assert len(merged.estimators_) == 6
    assert all(tree.random_state is None for tree in merged)
    assert [t.tree_._native for t in merged] == list(merged._trees)
    blocks = inputs.prediction_inputs(merged, X)
    leaves = [tree.apply(X) for tree in merged]
    np.testing.assert_array_equal(merged._trees.predictor.apply(blocks, 1), np.transpose(leaves))
    assert not merged.interrupted_


def test_isolation_forests():
    X, _ = problem(n_rows=300)
    parts = [
        silvics.IsolationForest(n_estimators=5, random_state=m).fit(X[m * 10 :]) for m in range(2)
    ]
    merged = silvics.merge(parts)
    relative = [np.log2(-p.score_samples(X)) for p in parts]
    np.testing.assert_allclose(merged.score_samples(X), -(2 ** np.mean(relative, axis=0)))
    assert merged.offset_ == -0.5
    assert merged.predictor()(X[0]) == merged.score_samples(X[:1])[0]
    assert len(merged.to_sklearn().estimators_) == 10
    with pytest.raises(AttributeError, match="merged"):
        merged.estimators_features_  # noqa: B018
    fewer = silvics.IsolationForest(max_samples=100).fit(X)
    with pytest.raises(ValueError, match="max_samples_ is 256 in one forest and 100 in another"):
        silvics.merge([parts[0], fewer])
    found = [silvics.IsolationForest(contamination=c, random_state=0).fit(X) for c in (0.1, 0.2)]
    with pytest.raises(ValueError, match='contamination="auto"'):
        silvics.merge(found)


def test_embeddings():
    X, _ = problem()
    parts = [silvics.RandomTreesEmbedding(4, random_state=m).fit(X[m:]) for m in range(2)]
    merged = silvics.merge(parts)
    expected = np.hstack([part.transform(X).toarray() for part in parts])
    np.testing.assert_array_equal(merged.transform(X).toarray(), expected)
    assert len(merged.get_feature_names_out()) == expected.shape[1]


def test_forests_of_scikit_learn():
    from sklearn.ensemble import RandomForestClassifier

    X, y = problem()
    parts = [
        silvics.from_sklearn(RandomForestClassifier(3, random_state=m).fit(X[y != m], y[y != m]))
        for m in range(2)
    ]
    merged = silvics.merge(parts)
    expected = np.mean([on_union(part, merged.classes_, X) for part in parts], axis=0)
    np.testing.assert_allclose(merged.predict_proba(X), expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(merged.to_sklearn().predict_proba(X), merged.predict_proba(X))
    with pytest.raises(ValueError, match="inputs rounded to float32 is True in one"):
        silvics.merge([parts[0], small(silvics.RandomForestClassifier).fit(X, y)])


# ---- what cannot be merged


def test_what_is_no_list_of_forests():
    X, y = problem()
    forest = small(silvics.RandomForestClassifier).fit(X, y)
    for given in (forest, None, iter([forest]), {"a": forest}, np.array([1])):
        with pytest.raises(TypeError, match="list of fitted forests"):
            silvics.merge(given)
    with pytest.raises(ValueError, match="empty list"):
        silvics.merge([])
    for other in (None, 3, small(TREES[0]).fit(X, y), forest.to_sklearn()):
        for given in ([forest, other], [other]):
            with pytest.raises(TypeError, match="fitted forests of silvics"):
                silvics.merge(given)
    with pytest.raises(TypeError, match="RandomForestClassifier and ExtraTreesClassifier"):
        silvics.merge([forest, small(silvics.ExtraTreesClassifier).fit(X, y)])
    with pytest.raises(NotFittedError):
        silvics.merge([forest, small(silvics.RandomForestClassifier)])
    assert len(silvics.merge((forest, forest))) == 6


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"vote": "majority"}, "votes by majority is False in one forest and True in another"),
        ({"missing": "both"}, "missing values in both children is False in one forest and True"),
        ({"missing": "error"}, "missing is 'learned' in one forest and 'error' in another"),
        (
            {"unknown_category": "heavier"},
            "unknown_category is 'missing' in one forest and 'heavier'",
        ),
    ],
)
def test_forests_that_differ(change, complaint):
    X, y = problem()
    forest = silvics.ForestClassifier(n_estimators=3)
    parts = [clone(forest).fit(X, y), clone(forest).set_params(**change).fit(X, y)]
    with pytest.raises(ValueError, match=complaint):
        silvics.merge(parts)
    if change.get("missing") == "error":
        parts[1].set_params(missing="learned")
        assert len(silvics.merge(parts)) == 6


def test_shapes_that_differ():
    X, y = problem(n_outputs=2)
    forest = silvics.RandomForestRegressor(3)
    parts = [
        clone(forest).fit(X, y),
        clone(forest).fit(X, y[:, 0]),
        clone(forest).fit(X[:, :3], y),
    ]
    with pytest.raises(ValueError, match="n_outputs_ is 2 in one forest and 1 in another"):
        silvics.merge(parts[:2])
    with pytest.raises(ValueError, match="n_features_in_ is 4 in one forest and 3 in another"):
        silvics.merge(parts[::2])


@pytest.mark.parametrize("other", [np.array(["a", "b"]), np.array([False, True])])
def test_classes_of_other_types(other):
    X, _ = problem()
    parts = [
        small(silvics.RandomForestClassifier).fit(X, classes[np.arange(len(X)) % 2])
        for classes in (np.array([0, 1]), other)
    ]
    with pytest.raises(ValueError, match="classes of output 0 are"):
        silvics.merge(parts)


def test_classes_in_wider_types():
    X, _ = problem()

    def merged(*pairs):
        parts = [
            small(silvics.RandomForestClassifier).fit(X, np.array(c)[np.arange(len(X)) % 2])
            for c in pairs
        ]
        return silvics.merge(parts).classes_

    assert merged(["a", "b"], ["long", "b"]).tolist() == ["a", "b", "long"]
    assert merged([1, 2], [-3.0, 2.0]).tolist() == [-3.0, 1.0, 2.0]
    assert merged([1, 2**60 + 1], [3.0, 4.0]).tolist() == [1, 3, 4, 2**60 + 1]
    assert merged(np.array(["a", "b"], dtype=object), ["b", "c"]).tolist() == ["a", "b", "c"]


def test_missing_values_in_both_children():
    settings = {"n_estimators": 3, "missing": "both", "random_state": 0}
    data = [words(0, 0, 40), words(1, 30, 80)]
    parts = [silvics.ForestClassifier(**settings).fit(*of) for of in data]
    with pytest.raises(ValueError, match=r'column 0 has levels.*missing="both"'):
        silvics.merge(parts)
    settings |= {"unknown_category": "heavier", "min_category_frequency": 1}
    parts = [silvics.ForestClassifier(**settings).fit(*of) for of in data]
    merged = silvics.merge(parts)
    X, _ = words(3, 0, 80)
    expected = np.mean([on_union(part, merged.classes_, X) for part in parts], axis=0)
    np.testing.assert_allclose(merged.predict_proba(X), expected, rtol=0, atol=1e-15)
