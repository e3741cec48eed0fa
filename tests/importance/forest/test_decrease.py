"""Importances of grown forests by degree and by context, against a walk over ``tree_``."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silvics
from silvics import ForestClassifier, ForestRegressor, RandomForestClassifier, RandomForestRegressor
from silvics.importance import Importances, asymptotic_importances

rng = np.random.default_rng(0)
X = rng.integers(0, 5, (120, 6)).astype(float)
X[rng.random(X.shape) < 0.05] = np.nan
CLASSES = rng.integers(0, 3, 120)
NUMBERS = np.nan_to_num(X[:, 0]) + rng.normal(size=120)
WEIGHTS = rng.uniform(0.5, 2, 120)


def walked(forest, group_of):
    """{(variable, others above): (weight, decrease)}, mean over trees; from the nodes' arrays."""
    found = {}
    for estimator in forest.estimators_:
        tree = estimator.tree_
        mass = tree.weighted_n_node_samples * tree.impurity
        whole = tree.weighted_n_node_samples[0]
        stack = [(0, frozenset())]
        while stack:
            node, above = stack.pop()
            children = list(tree.children(node))
            if not children:
                continue
            decrease = (mass[node] - sum(mass[c] for c in children)) / whole
            variable = group_of[tree.feature[node]]
            key = (variable, above - {variable})
            weight = tree.weighted_n_node_samples[node] / whole
            old = found.get(key, (0, 0))
            n = len(forest.estimators_)
            found[key] = (old[0] + weight / n, old[1] + decrease / n)
            stack += [(c, above | {variable}) for c in children]
    return found


FORESTS = {
    "classes": lambda: RandomForestClassifier(15, random_state=0).fit(X, CLASSES),
    "weights": lambda: RandomForestClassifier(15, criterion="entropy", random_state=0).fit(
        X, CLASSES, WEIGHTS
    ),
    "numbers": lambda: RandomForestRegressor(15, random_state=0).fit(X, NUMBERS),
    "huge": lambda: RandomForestRegressor(5, random_state=0).fit(X, NUMBERS * 1e120),
    "absolute error": lambda: RandomForestRegressor(
        5, criterion="absolute_error", random_state=0
    ).fit(X, NUMBERS),
    "two outputs": lambda: RandomForestRegressor(5, random_state=0).fit(
        X, np.column_stack([NUMBERS, CLASSES])
    ),
    "multiway": lambda: ForestClassifier(
        "totally_randomized_multiway", n_estimators=10, random_state=0
    ).fit(np.nan_to_num(X), CLASSES),
    "ternary": lambda: ForestRegressor(
        "extra_trees", missing="apart", n_estimators=5, random_state=0
    ).fit(X, NUMBERS),
    "one tree": lambda: RandomForestClassifier(1, max_depth=1, random_state=0).fit(X, CLASSES),
}


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("groups", [None, {"first": [0, 1], "last": [5]}])
def test_parts_are_those_of_a_walk_over_the_nodes(name, groups):
    forest = FORESTS[name]()
    found = forest.importances(by="context", feature_groups=groups, max_degree=6)
    group_of = range(6) if groups is None else [0, 0, 2, 3, 4, 1]
    names = [str(name) for name in found.names]
    expected = walked(forest, group_of)
    frame = found.by_context()
    assert len(frame) == len(expected)
    for row in frame.itertuples():
        others = frozenset(names.index(other) for other in row.given)
        weight, decrease = expected[names.index(row.variable), others]
        assert row.degree == len(others)
        assert (row.weight, row.importance) == pytest.approx(
            (weight, decrease), rel=1e-9, abs=1e-12
        )
        assert row.information * row.weight == pytest.approx(row.importance)
    by_degree = np.zeros_like(found.by_degree)
    for (variable, others), (_, decrease) in expected.items():
        by_degree[variable, len(others)] += decrease
    assert found.by_degree == pytest.approx(by_degree, rel=1e-9)
    assert found.by_degree.sum(axis=1) == pytest.approx(found.values)
    assert (frame["importance"].diff()[1:] <= 0).all()


def test_a_combination_shares_its_decrease():
    forest = ForestClassifier("forest_rc", n_estimators=10, random_state=0)
    forest.fit(np.nan_to_num(X), CLASSES)
    found = forest.importances(by="context")
    assert found.by_degree.sum(axis=1) == pytest.approx(found.values)
    assert found.total == pytest.approx(
        np.mean([t.impurity_decrease(False).sum() for t in forest._trees])
    )


def test_values_are_equation_6_2():
    forest = FORESTS["classes"]()
    found = forest.importances()
    each = np.array([t.impurity_decrease(False) for t in forest._trees])
    assert isinstance(found, Importances)
    assert (found.replicates == each).all()
    assert found.values == pytest.approx(each.mean(axis=0))
    assert found.std == pytest.approx(each.std(axis=0))
    assert found.standard_errors == pytest.approx(each.std(axis=0, ddof=1) / np.sqrt(15))
    # Full trees leave no impurity: everything is explained (Theorem 6.2).
    assert found.total == pytest.approx(found.impurity)
    assert found.by_degree is None
    shares = forest.importances(normalize=True)
    assert shares.total == pytest.approx(1)
    assert shares.values == pytest.approx(found.values / found.total)
    # scikit-learn normalizes each tree; all have the same total up to their bootstrap.
    assert shares.values == pytest.approx(forest.feature_importances_, abs=0.01)


@pytest.mark.parametrize("K", [1, 3])
def test_a_forest_of_multiway_trees_has_the_parts_of_the_theory(K):
    table = np.random.default_rng(1).integers(0, 2, (12, 4))
    y = np.arange(12) % 3
    forest = ForestClassifier(
        "totally_randomized_multiway",
        criterion="entropy",
        max_features=K,
        n_estimators=4000,
        random_state=0,
    ).fit(table, y)
    found = forest.importances(by="context", max_degree=3)
    exact = asymptotic_importances(table, y, K=K)
    assert found.by_degree == pytest.approx(exact.by_degree, abs=0.01)
    ours = {(r.variable, r.given): r for r in found.by_context().itertuples()}
    for row in exact.by_context().itertuples():
        mine = ours.get((row.variable, row.given))
        assert (mine.importance if mine else 0) == pytest.approx(row.importance, abs=0.01)


def test_the_same_for_any_threads():
    forest = FORESTS["classes"]()
    one, three = (forest.importances(by="context", n_jobs=n) for n in (1, 3))
    assert (one.by_degree == three.by_degree).all()
    pd.testing.assert_frame_equal(one.by_context(), three.by_context())


def test_frames_come_in_the_library_of_the_forest():
    names = [f"v{j}" for j in range(6)]
    frame = pl.DataFrame(dict(zip(names, X.T, strict=True)))
    found = RandomForestClassifier(5, random_state=0).fit(frame, CLASSES).importances(by="context")
    assert isinstance(found.to_frame(), pl.DataFrame)
    assert isinstance(found.by_context(top=3), pl.DataFrame)
    assert found.to_frame()["importance"].is_sorted(descending=True)
    assert set(found.to_frame()["variable"]) == set(names)
    assert "v0" in repr(found)
    assert found.by_context(top=3).equals(found.by_context()[:3])
    arrays = FORESTS["classes"]().importances()
    assert arrays.to_frame()["variable"].iloc[0] == arrays.names[arrays.values.argmax()]


def test_a_loaded_forest_tells_the_same(tmp_path):
    forest = FORESTS["numbers"]()
    forest.save(tmp_path / "forest")
    loaded = silvics.load(tmp_path / "forest").importances(by="context")
    assert (loaded.by_degree == forest.importances(by="degree").by_degree).all()
    forest.save(tmp_path / "small", for_prediction=True)
    with pytest.raises(AttributeError, match="for_prediction"):
        silvics.load(tmp_path / "small").importances()


def test_groups_by_name_and_by_list():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    forest = RandomForestClassifier(5, random_state=0).fit(frame, CLASSES)
    plain = forest.importances().values
    found = forest.importances(feature_groups={"ab": ["a", "b"]})
    assert found.names.tolist() == ["ab", "c", "d", "e", "f"]
    assert found.values == pytest.approx([plain[0] + plain[1], *plain[2:]])
    assert forest.importances(feature_groups=[["b", 0]]).names[0] == "b ..."


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "gini"}, "kind must be"),
        ({"by": "depth"}, "must be None or one of"),
        ({"max_degree": -1}, "max_degree"),
        ({"max_degree": 1.5}, "max_degree"),
        ({"feature_groups": {"a": []}}, "no variable"),
        ({"feature_groups": {"a": [0], "b": [0]}}, "listed twice"),
        ({"feature_groups": {"a": [9]}}, "out of range"),
        ({"feature_groups": {"a": ["no"]}}, "no variable 'no'"),
    ],
)
def test_what_is_wrong_is_said(settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        FORESTS["one tree"]().importances(**settings)


def test_contexts_must_be_asked_for():
    with pytest.raises(ValueError, match='by="context"'):
        FORESTS["one tree"]().importances().by_context()


def test_a_picture():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = FORESTS["classes"]().importances(by="degree")
    ax = found.plot(top=3).ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        str(name) for name in found.names[np.argsort(-found.values)[:3]]
    ]
    assert FORESTS["one tree"]().importances().plot(ax=ax).ax_ is ax
    pyplot.close("all")
