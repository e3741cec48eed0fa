"""Options of other implementations on tables with categories, missing values, weights and outputs.

Trees are compared with the slow reference in tests/oracle/test_options.py.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from .. import mixed_table

X = pd.DataFrame(mixed_table.columns())
LABELS = mixed_table.target().astype(int)
RNG = np.random.default_rng(3)
WEIGHTS = RNG.integers(0, 4, len(X)) / 2
NUMBERS = LABELS + RNG.normal(size=len(X))

OPTIONS = [
    {"max_splits": 4},
    {"max_splits": 4, "growth": "size_first"},
    {"max_leaf_nodes": 5, "growth": "impurity_first"},
    {"min_impurity_split": 0.2},
    {"min_score": 0.05},
    {"choice": "relief", "relief_samples": 20},
    {"always_split": ["real", "tree"]},
    {"interaction_cst": [["real", "tree"], ["day"]]},
    {"interaction_cst": "no_interactions", "cut": "uniform"},
    {"max_bins": 3, "binning": "node_width"},
    {"max_bins": 3, "binning": "node_frequency", "missing": "apart"},
    {"max_bins": 3, "choice": "one_of_best"},
    {"split_sample": 20, "honest": True},
    {"search": "presort", "criterion": "absolute_error"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("outputs", [1, 2])
def test_mixed_tables_weights_and_several_outputs(options, outputs):
    for kind, y in ((ForestClassifier, LABELS), (ForestRegressor, NUMBERS)):
        given = {k: v for k, v in options.items() if k != "criterion" or kind is ForestRegressor}
        target = y if outputs == 1 else np.stack([y, -y + (LABELS == 1)], axis=1)
        forest = kind("random_forest", 4, random_state=0, **given)
        forest.fit(X, target, sample_weight=WEIGHTS)
        other = kind("random_forest", 4, random_state=0, n_jobs=2, **given)
        other.fit(X, target, sample_weight=WEIGHTS)
        assert forest.digest() == other.digest()
        assert np.isfinite(forest.predict(X)).all()
        assert clone(forest).fit(X, target, sample_weight=WEIGHTS).digest() == forest.digest()


@pytest.mark.parametrize("missing", ["learned", "apart"])
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_presorted_samples_give_the_same_forest(kind, missing):
    y = LABELS if kind is ForestClassifier else NUMBERS
    for settings in (
        {},
        {"honest": True},
        {"max_leaf_nodes": 6},
        {"rows": "subsample", "max_samples": 0.6, "max_bins": 4, "binning": "node_width"},
        {"split": "multiway_categories", "min_samples_leaf": 2},
    ):
        # A sample size above all nodes has no effect but that of the general search.
        given = {"random_state": 1, "missing": missing, "variables": "weighted", **settings}
        usual = kind("random_forest", 4, **given).fit(X, y, sample_weight=WEIGHTS)
        given["search"] = "presort"
        assert kind("random_forest", 4, **given).fit(X, y, WEIGHTS).digest() == usual.digest()
    sparse = np.where(RNG.random((80, 6)) < 0.7, 0.0, RNG.normal(size=(80, 6)))
    target = (sparse[:, 0] > 0).astype(int)
    usual = RandomForestClassifier(5, random_state=0).fit(sparse, target)
    fast = RandomForestClassifier(5, random_state=0, search="presort").fit(sparse, target)
    assert np.array_equal(usual.predict_proba(sparse), fast.predict_proba(sparse))


def test_interactions_of_forests_with_scikit_learns_names():
    data = RNG.normal(size=(200, 4))
    product = data[:, 0] * data[:, 1] + data[:, 2] + 0.01 * RNG.normal(size=200)
    for kind in (RandomForestRegressor, RandomForestClassifier, ExtraTreesClassifier):
        y = product if kind is RandomForestRegressor else (product > 0).astype(int)
        forest = kind(10, interaction_cst=[{0, 1}, {2}], random_state=0).fit(data, y)
        for tree in forest:
            for variables in variables_of_paths(tree.tree_):
                assert variables <= {0, 1} or variables <= {2} or variables <= {3}
    pair = ForestRegressor("cart", interaction_cst="pairwise").fit(data, product)
    assert max(map(len, variables_of_paths(pair[0].tree_))) == 2


def variables_of_paths(tree, node=0, above=frozenset()):
    if tree.children_left[node] < 0:
        return [above]
    below = above | {int(tree.feature[node])}
    children = tree.children_left[node], tree.children_right[node]
    return [path for child in children for path in variables_of_paths(tree, child, below)]


def test_additive_effects_need_no_interactions():
    """A forest of trees on single variables cannot express a product."""
    data, new = RNG.uniform(-1, 1, size=(2, 400, 2))
    alone = RandomForestRegressor(30, interaction_cst="no_interactions", random_state=0)
    alone.set_params(max_depth=6)
    assert alone.fit(data, data.sum(axis=1)).score(new, new.sum(axis=1)) > 0.6
    assert alone.fit(data, data.prod(axis=1)).score(new, new.prod(axis=1)) < 0.3
    usual = RandomForestRegressor(30, random_state=0)
    assert usual.fit(data, data.prod(axis=1)).score(new, new.prod(axis=1)) > 0.6


REFUSED = [
    ({"always_split": ["real"], "columns": "subspace"}, 'use columns="all"'),
    ({"always_split": ["reel"]}, "always_split has 'reel', but X has no such column"),
    ({"interaction_cst": [[0, 99]]}, "interaction_cst has 99"),
    ({"interaction_cst": [0, 1]}, "Put single columns into a list"),
    ({"interaction_cst": [[0]], "split": "oblique"}, "oblique split combines several"),
    ({"choice": "relief", "split": "oblique"}, "oblique split combines several"),
    ({"min_score": 0.1, "choice": "significant", "significance": 0.05}, "use significance"),
    ({"max_bins": 4, "cut": "pair"}, "max_bins=4 limits the thresholds"),
    ({"max_bins": 4, "split": "multiway"}, "use max_values"),
    ({"max_bins": 4, "split": "oblique"}, 'use binning="node_width"'),
    ({"binning": "node_width"}, "set max_bins"),
    ({"binning": "node_width", "max_bins": 4, "split": "multiway"}, "max_values"),
    ({"binning": "node_width", "max_bins": 4, "cut": "uniform"}, 'use cut="best"'),
    ({"search": "presort", "cut": "uniform"}, 'use search="auto"'),
    ({"search": "presort", "missing": "both"}, "copies samples"),
    ({"split_sample": 9, "missing": "both"}, "split_sample=9"),
    ({"split_sample": 9, "cut": "cell_middle"}, "does not look at samples"),
    ({"split_sample": 9, "significance": 0.1}, "all samples of a node"),
    ({"min_score": np.nan}, "min_score=nan must be a finite number"),
    ({"class_samples": 5, "rows": "all"}, 'set rows="bootstrap"'),
    ({"class_samples": 500, "rows": "subsample"}, "draws 500 rows of class"),
    ({"class_samples": {9: 3}}, "class_samples has the class 9"),
    ({"class_samples": [1, 2]}, "one number for each of the 4 classes"),
    ({"class_samples": [1, 2, 0.5, 1.5]}, "class_samples has 1.5"),
    ({"class_samples": [0, 0, 0, 0]}, "draws no row"),
]


@pytest.mark.parametrize(("options", "words"), REFUSED, ids=str)
def test_contradictions_are_errors_that_name_the_remedy(options, words):
    with pytest.raises(ValueError, match=words):
        ForestClassifier("random_forest", 3, **options).fit(X, LABELS)


def test_class_samples_refuse_groups_and_several_outputs():
    forest = ForestClassifier("random_forest", 3, class_samples=5)
    with pytest.raises(ValueError, match="groups are drawn as a whole"):
        forest.fit(X, LABELS, groups=np.arange(len(X)) // 2)
    with pytest.raises(ValueError, match="y has 2"):
        forest.fit(X, np.stack([LABELS, LABELS], axis=1))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (7, [7, 7, 7, 7]),
        ("balanced", None),
        ([3, 0, 5, 1], [3, 0, 5, 1]),
        ({1: 4, 3: 0.5}, None),
    ],
)
@pytest.mark.parametrize("rows", ["bootstrap", "subsample"])
def test_rows_drawn_of_each_class(rows, given, expected):
    sizes = np.bincount(LABELS)
    if given == "balanced":
        expected = [sizes.min()] * 4
    if isinstance(given, dict):
        expected = [sizes[0], 4, sizes[2], round(0.5 * sizes[3])]
    forest = ForestClassifier(
        "random_forest", 6, rows=rows, class_samples=given, random_state=0, oob_score=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows that no tree leaves out
        forest.fit(X, LABELS)
    for drawn in forest.estimators_samples_:
        assert np.bincount(LABELS[drawn], minlength=4).tolist() == list(expected)
        if rows == "subsample":
            assert len(set(drawn.tolist())) == len(drawn)
    counts = forest.in_bag_counts()
    assert counts.sum() == 6 * sum(expected)
    roots = [tree.tree_.weighted_n_node_samples[0] for tree in forest]
    assert roots == [sum(expected)] * 6


def test_class_samples_travel_through_files_and_warm_starts(tmp_path):
    import silvics

    forest = ForestClassifier("random_forest", 6, class_samples="balanced", random_state=0)
    forest.fit(X, LABELS)
    forest.save(tmp_path / "whole.silvics", training_rows=True)
    loaded = silvics.load(tmp_path / "whole.silvics")
    assert loaded.digest() == forest.digest()
    for ours, theirs in zip(forest.estimators_samples_, loaded.estimators_samples_, strict=True):
        assert np.array_equal(ours, theirs)
    forest.save(tmp_path / "small.silvics")
    with pytest.raises(ValueError, match="rows that each tree has drawn"):
        silvics.load(tmp_path / "small.silvics").in_bag_counts()
    more = ForestClassifier(
        "random_forest", 3, class_samples="balanced", random_state=0, warm_start=True
    ).fit(X, LABELS)
    assert more.set_params(n_estimators=6).fit(X, LABELS).digest() == forest.digest()


def test_balanced_samples_predict_a_rare_class_more_often():
    data = RNG.normal(size=(600, 3))
    rare = (data[:, 0] + RNG.normal(size=600) > 2.3).astype(int)
    usual = ForestClassifier("random_forest", 40, random_state=0).fit(data, rare)
    balanced = ForestClassifier("random_forest", 40, class_samples="balanced", random_state=0)
    balanced.fit(data, rare)
    assert balanced.predict(data[rare == 0]).mean() > usual.predict(data[rare == 0]).mean()


def test_options_and_tuning():
    settings = {"class_samples": "balanced", "min_impurity_split": 0.05, "always_split": ["real"]}
    forest = ForestClassifier("random_forest", 20, random_state=0, **settings)
    tuned = clone(forest).set_params(tune="oob").fit(X, LABELS)
    again = clone(forest).set_params(**tuned.best_params_)
    assert again.fit(X, LABELS).digest() == tuned.digest()
