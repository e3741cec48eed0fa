"""Every recipe by its name: any table, any threads; refused where it makes no sense."""

import pickle
import tokenize
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_regression

import silvics
from silvics import ForestClassifier, ForestRegressor, recipes
from silvics._fitting.axes import DETAILS
from silvics.recipes import RECIPES

# Forests of two stages have rows without residuals if they have a few trees.
pytestmark = pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals")

NAMES = recipes.names()
KINDS = [ForestClassifier, ForestRegressor]
# A second stage predicts residuals, which are numbers.
OF_CLASSES = [name for name in NAMES if recipes.get(name).stages == 1]
KINDS_AND_NAMES = [
    (kind, name)
    for kind in KINDS
    for name in NAMES
    if kind is ForestRegressor or name in OF_CLASSES
]
IRIS = load_iris(return_X_y=True)


def small_forest(kind, name, **parameters):
    """A small forest of a recipe."""
    n_estimators = min(recipes.get(name).n_estimators, 8)
    return kind(name, n_estimators, random_state=0, **parameters)


def mixed_table(n=120, seed=0):
    """Numbers, holes, a category, whole numbers, a boolean."""
    rng = np.random.default_rng(seed)
    number = rng.standard_normal(n)
    holes = rng.standard_normal(n)
    holes[rng.random(n) < 0.2] = np.nan
    level = rng.choice(["ash", "oak", "elm", None], n)
    X = pd.DataFrame(
        {
            "number": number,
            "holes": holes,
            "level": level,
            "whole": rng.integers(0, 4, n),
            "flag": rng.random(n) < 0.5,
        }
    )
    y = number + (level == "oak") + 0.3 * rng.standard_normal(n)
    return X, y


def outputs(kind, y):
    return np.digitize(y, [-0.5, 0.7]) if kind is ForestClassifier else y


# ---- the table of recipes


def test_a_recipe_is_found_by_its_name():
    assert len(NAMES) == len(set(NAMES)) >= 25
    assert all(recipes.get(name) is RECIPES[name] for name in NAMES)
    with pytest.raises(ValueError, match=r"no recipe 'pret'.*pert"):
        recipes.get("pret")
    with pytest.raises(ValueError, match="no recipe 'pret'"):
        ForestClassifier("pret").fit(*IRIS)


def test_the_thesis_names_are_all_there():
    wanted = {
        "cart", "id3", "c4.5", "conditional_inference", "reduced_error", "kwok_carter", "bagging",
        "dietterich_kong", "amit", "random_subspace", "random_forest", "pert", "extra_trees",
        "totally_randomized", "totally_randomized_multiway", "rotation_forest", "pasting",
        "subbag", "random_patches", "breiman_2004", "purely_random", "random_gap", "pert_stopped",
        "biau_2012", "denil_2013", "scornet_2014",
    }  # fmt: skip
    assert wanted <= set(NAMES)


def test_the_rendered_table_tells_all_of_each():
    rows = recipes.table()
    assert [row["name"] for row in rows] == NAMES
    for row in rows:
        assert all(row[key] for key in ("title", "origin", "section", "complexity"))
    axes = {row["name"]: row["axes"] for row in rows}
    assert "cut=pair" in axes["pert"]
    assert "max_leaf_nodes=N^(2/3)" in axes["purely_random"]


def test_no_recipe_has_code_of_its_own():
    # A name occurs in the table, and where an estimator or an option says which row is its own.
    package = Path(silvics.__file__).parent
    choices = {"reduced_error"}  # the name of a choice too
    for path in sorted(package.rglob("*.py")):
        # The table; times of two algorithms; experiments; and what recipe "auto" tries.
        if path.name == "recipes.py" or path.as_posix().endswith("inspection/calibration.py"):
            continue
        if {"reproduce", "tuning"} & set(path.relative_to(package).parts):
            continue
        lines = path.read_text().splitlines()
        with path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                name = token.string.strip("\"'")
                if token.type != tokenize.STRING or name not in NAMES or name in choices:
                    continue
                plain = lines[token.start[0] - 1].strip()
                allowed = plain.startswith(
                    (
                        "_recipe = ",
                        "recipe = ",
                        "recipe: str = ",
                        'command.add_argument("--recipe"',
                        token.string + ": ",
                    )
                )
                assert allowed, f"{path.name}: {plain}"


def test_adding_a_recipe_is_adding_a_row(monkeypatch):
    made = replace(RECIPES["pert"], title="PERT of bags", rows="bootstrap", honest=True)
    monkeypatch.setitem(RECIPES, "bagged_pert", made)
    X, y = IRIS
    forest = ForestClassifier("bagged_pert", 20, random_state=0, oob_score=True).fit(X, y)
    assert forest.oob_score_ > 0.85


def test_parameters_are_the_axes():
    for kind in KINDS:
        known = kind().get_params()
        of_classes = set() if kind is ForestClassifier else {"class_samples", "max_majority"}
        assert set(recipes._AXES) | DETAILS.keys() <= known.keys() | of_classes
        for name in set(recipes._AXES):
            assert known[name] is None


# ---- the classic names are rows


@pytest.mark.parametrize("name", ["random_forest", "extra_trees"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_classic_names_are_the_same_thing(name, kind):
    task = kind.__name__[len("Forest") :]
    classic = {"random_forest": "RandomForest", "extra_trees": "ExtraTrees"}[name]
    X, y = mixed_table()
    y = outputs(kind, y)
    # The classic names have scikit-learn's K, and their own way with categories.
    choices = {"category_gain": "plain", "min_category_frequency": 1}
    if (name, task) == ("random_forest", "Regressor"):
        choices["max_features"] = 1 / 3
    theirs = getattr(silvics, classic + task)(10, random_state=3, **choices).fit(X, y)
    ours = kind(name, 10, random_state=3).fit(X, y)
    assert ours.digest() == theirs.digest()


def test_random_forests_of_numbers_draw_a_third_of_the_variables():
    X, y = make_regression(60, 10, random_state=0)
    forests = {
        name: ForestRegressor(name, 5, random_state=0) for name in ("random_forest", "bagging")
    }
    assert forests["random_forest"].fit(X, y).max_features_ == 3
    assert forests["bagging"].fit(X, y).max_features_ == 10
    assert forests["random_forest"].digest() != forests["bagging"].digest()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_recipes_take_the_largest_decrease_on_categories_too(kind, seed):
    """Algorithm 3.3 by brute force: all subsets of levels against all thresholds."""
    rng = np.random.default_rng(seed)
    levels, numbers = rng.integers(0, 7, 24), rng.normal(size=24).round(1)
    levels[0] = 7  # a level that one row has is one as well
    y = rng.integers(0, 2, 24)

    def decrease(left):
        sides = [y[left], y[~left]]
        return y.var() - sum(len(side) / 24 * side.var() for side in sides)

    subsets = [
        np.isin(levels, list(some)) for n in range(1, 8) for some in combinations(range(8), n)
    ]
    cuts = [numbers <= value for value in np.unique(numbers)[:-1]]
    best = max(decrease(left) for left in subsets + cuts if 0 < left.sum() < 24)
    X = pd.DataFrame({"level": pd.Categorical(levels), "number": numbers})
    tree = kind("cart", max_depth=1).fit(X, y).estimators_[0].tree_
    n, impurity = tree.weighted_n_node_samples, tree.impurity
    found = impurity[0] - (n[1] * impurity[1] + n[2] * impurity[2]) / 24
    scale = 2.0 if kind is ForestClassifier else 1.0  # Gini's index is twice the variance
    assert found == pytest.approx(scale * best, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_cart_is_a_decision_tree(kind):
    X, y = mixed_table()
    y = outputs(kind, y)
    forest = kind("cart", random_state=0).fit(X, y)
    assert len(forest) == 1
    tree = getattr(silvics, kind.__name__.replace("Forest", "DecisionTree"))(random_state=0)
    assert (tree.fit(X, y).predict(X) == forest.predict(X)).all()


# ---- any table


@pytest.mark.parametrize(("kind", "name"), KINDS_AND_NAMES)
def test_any_recipe_takes_any_table(name, kind):
    X, y = mixed_table()
    y = outputs(kind, y)
    forest = small_forest(kind, name).fit(X, y)
    predicted = forest.predict(X)
    assert predicted.shape == y.shape
    assert forest.score(X, y) > (0.4 if kind is ForestClassifier else -0.1)
    importances = forest.feature_importances_
    assert importances.shape == (5,)
    assert np.isfinite(importances).all()
    # The same forest from a pickle, for more threads, and as a predictor of one row.
    assert (pickle.loads(pickle.dumps(forest)).predict(X) == predicted).all()
    again = clone(forest).set_params(n_jobs=2).fit(X, y)
    assert again.digest() == forest.digest()
    row = forest.predictor()(dict(X.iloc[3].where(X.iloc[3].notna(), None)))
    assert row == predicted[3]
    # Every sample ends in a leaf that knows it.
    leaves = forest.apply(X)
    for m, tree in enumerate(forest._trees):
        assert (tree.feature()[leaves[:, m]] == -2).all()
    paths, _ = forest.decision_path(X)
    assert (paths.sum(axis=1) >= len(forest)).all()


@pytest.mark.parametrize("name", NAMES)
def test_any_recipe_takes_several_outputs_and_weights(name):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:100], np.column_stack([y, X[:, 0]])[:100]
    weights = np.random.default_rng(0).random(100)
    forest = small_forest(ForestRegressor, name).fit(X, y, weights)
    assert forest.predict(X).shape == (100, 2)
    if name not in OF_CLASSES:
        return
    classes = np.column_stack([y[:, 0] > 100, y[:, 1] > 0]).astype(int)
    forest = small_forest(ForestClassifier, name).fit(X, classes, weights)
    assert forest.predict(X).shape == (100, 2)
    assert all(np.allclose(p.sum(axis=1), 1) for p in forest.predict_proba(X))


@pytest.mark.parametrize(("kind", "name"), KINDS_AND_NAMES)
def test_sparse_is_dense(name, kind):
    X, y = make_regression(80, 6, random_state=0)
    X[np.abs(X) < 0.8] = 0.0
    y = outputs(kind, y / 100)
    dense = small_forest(kind, name).fit(X, y)
    sparse = small_forest(kind, name).fit(csr_matrix(X), y)
    assert dense.digest() == sparse.digest()


@pytest.mark.parametrize("name", OF_CLASSES)
def test_warm_start_is_growing_at_once(name):
    X, y = IRIS
    at_once = ForestClassifier(name, 6, random_state=1).fit(X, y)
    forest = ForestClassifier(name, 2, random_state=1, warm_start=True).fit(X, y)
    forest.set_params(n_estimators=6).fit(X, y)
    assert forest.digest() == at_once.digest()
    assert forest.work_ == at_once.work_


@pytest.mark.parametrize("missing", ["apart", "both"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["cart", "random_forest", "extra_trees", "pert", "forest_rc"])
def test_missing_values_have_other_ways(name, kind, missing):
    X, y = mixed_table()
    y = outputs(kind, y)
    forest = small_forest(kind, name, missing=missing).fit(X, y)
    assert forest.predict(X).shape == y.shape
    assert forest.score(X, y) > 0.3
    nothing = pd.DataFrame(
        {"number": [np.nan], "holes": [np.nan], "level": [None], "whole": [np.nan], "flag": [True]}
    )
    assert np.isfinite(forest.predict(nothing)).all()
    if missing == "both":
        for ask in (forest.apply, forest.decision_path):
            with pytest.raises(ValueError, match="several"):
                ask(X)
    else:
        assert not forest._trees[0].is_binary
        with pytest.raises(AttributeError, match=r"tree_\.children"):
            _ = forest[0].tree_.children_left


@pytest.mark.parametrize("name", OF_CLASSES)
def test_honest_leaves_go_with_any_recipe(name):
    X, y = IRIS
    if recipes.get(name).columns.startswith("rotation"):
        with pytest.raises(ValueError, match="honest"):
            small_forest(ForestClassifier, name, honest=True).fit(X, y)
        return
    forest = small_forest(ForestClassifier, name, honest=True).fit(X, y)
    assert forest.score(X, y) > 0.6


def test_majority_votes_are_counted():
    X, y = IRIS
    rough = {"max_depth": 2, "random_state": 0}
    forest = ForestClassifier("random_forest", 7, vote="majority", **rough).fit(X, y)
    votes = np.stack([tree.predict(X) for tree in forest], axis=1).astype(int)
    shares = np.stack([(votes == c).mean(axis=1) for c in range(3)], axis=1)
    assert np.allclose(forest.predict_proba(X), shares)
    soft = ForestClassifier("random_forest", 7, **rough).fit(X, y)
    assert soft.digest() == forest.digest()
    assert not np.allclose(soft.predict_proba(X), shares)


def test_soft_is_majority_where_leaves_are_pure():
    X, y = IRIS
    soft = ForestClassifier("extra_trees", 9, random_state=0).fit(X, y)
    votes = ForestClassifier("extra_trees", 9, random_state=0, vote="majority").fit(X, y)
    assert np.allclose(soft.predict_proba(X), votes.predict_proba(X))


# ---- what contradicts itself


@pytest.mark.parametrize(
    ("name", "parameters", "why"),
    [
        ("dietterich_kong", {"cut": "uniform"}, "needs all cuts of a variable"),
        ("id3", {"missing": "both"}, "more than two"),
        ("id3", {"monotonic_cst": [1, 0, 0, 0]}, "which multiway splits do not have"),
        ("forest_rc", {"monotonic_cst": [1, 0, 0, 0]}, "combines several"),
        ("forest_rc", {"cut": "cell_uniform"}, "cell along one variable"),
        ("rotation_forest", {"split": "multiway"}, "supports only binary splits"),
        ("random_forest", {"variables": "unused"}, "multiway"),
        ("c4.5", {"choice": "one_of_best"}, "chooses among splits"),
        ("purely_random", {"min_samples_leaf": 5}, "does not depend on the samples"),
        ("pert", {"max_bins": 16}, "max_bins"),
        ("denil_2013", {"split_sample": 10, "honest": False, "missing": "both"}, "split_sample"),
        ("random_forest", {"growth": "random"}, "max_leaf_nodes"),
        ("random_forest", {"choice": "significant"}, "significance"),
        ("extra_trees", {"oob_score": True}, "all rows"),
        ("extra_trees", {"max_samples": 0.5}, "all rows"),
        ("pasting", {"max_samples": 1000}, "without replacement"),
        ("random_subspace", {"max_columns": 9}, "at most the number of columns of X, 4"),
        ("biau_2012", {"feature_weights": [1, 2]}, "4 columns of X"),
        ("biau_2012", {"feature_weights": [0, 0, 0, 0]}, "at least one is positive"),
        ("breiman_2004", {"relevant": ["petal"]}, "no such column"),
    ],
)
def test_contradictions_are_refused_with_the_reason(name, parameters, why):
    with pytest.raises(ValueError, match=why):
        ForestClassifier(name, **parameters).fit(*IRIS)


def test_pessimistic_pruning_is_of_classes():
    with pytest.raises(ValueError, match="reduced_error"):
        ForestRegressor("cart", pruning="pessimistic").fit(*load_diabetes(return_X_y=True))


def test_what_scikit_learn_cannot_hold_stays_here():
    X, y = mixed_table()
    X = X[["number", "holes", "whole"]]
    y = outputs(ForestClassifier, y)
    for name, parameters in [
        ("id3", {}),
        ("forest_rc", {}),
        ("random_forest", {"missing": "apart"}),
        ("random_forest", {"missing": "both"}),
        ("random_forest", {"vote": "majority"}),
    ]:
        forest = small_forest(ForestClassifier, name, **parameters).fit(X, y)
        with pytest.raises(ValueError, match="to convert it"):
            forest.to_sklearn()
    X = X[["number", "whole"]].astype(np.float32)
    forest = small_forest(ForestClassifier, "pert").fit(X, y)
    assert (forest.to_sklearn().predict_proba(X) == forest.predict_proba(X)).all()


# ---- what growing takes


@pytest.mark.parametrize("name", OF_CLASSES)
def test_work_is_counted(name):
    X, y = IRIS
    forest = small_forest(ForestClassifier, name).fit(X, y)
    work = forest.work_
    trees = [tree.tree_ for tree in forest]
    assert work["trees"] == len(trees)
    assert work["nodes"] == sum(tree.node_count for tree in trees)
    assert work["max_depth"] == max(tree.max_depth for tree in trees)
    assert 0 <= work["end_cut_share"] <= 1
    assert work["values_read"] >= work["values_sorted"] >= 0
    assert work["cuts_scored"] > 0
    if not forest.honest and recipes.get(name).pruning == "none" and not recipes.get(name).honest:
        assert work["samples_visited"] == sum(tree.n_node_samples.sum() for tree in trees)


def test_extra_trees_sort_nothing_and_random_forests_do():
    X, y = IRIS
    drawn = ForestClassifier("extra_trees", 10, random_state=0).fit(X, y).work_
    best = ForestClassifier("random_forest", 10, random_state=0).fit(X, y).work_
    assert drawn["values_sorted"] == 0 < best["values_sorted"]
    assert drawn["cuts_scored"] < best["cuts_scored"]


def test_work_is_the_same_for_any_threads():
    X, y = mixed_table(400)
    y = outputs(ForestClassifier, y)
    one = ForestClassifier(n_estimators=6, random_state=0).fit(X, y).work_
    assert ForestClassifier(n_estimators=6, random_state=0, n_jobs=2).fit(X, y).work_ == one


def test_totally_random_trees_are_as_deep_as_search_trees():
    # Thesis 5.2: 2 H_N - 2 edges on average, for equally likely gaps.
    n = 64
    X, y = np.arange(float(n))[:, np.newaxis], np.arange(float(n))
    forest = ForestRegressor(
        "random_gap", 2000, growth="depth_first", max_leaf_nodes=n, random_state=0
    ).fit(X, y)
    depths = [(t.depths()[t.feature() == -2]).mean() for t in forest._trees]
    exact = 2 * sum(1 / k for k in range(1, n + 1)) - 2
    error = np.std(depths) / np.sqrt(len(depths))
    assert abs(np.mean(depths) - exact) < 4 * error


# ---- tables that break things


def hostile_tables():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(30)
    holes = rng.standard_normal((30, 3))
    holes[:, 1] = np.nan
    few = np.where(rng.random((30, 2)) < 0.7, np.nan, rng.standard_normal((30, 2)))
    levels = pd.DataFrame({"a": [f"level {i // 2}" for i in range(30)], "b": y})
    return {
        "two rows": (np.array([[1.0, 2.0], [3.0, 4.0]]), y[:2]),
        "constant": (np.ones((30, 2)), y),
        "a column without values": (holes, y),
        "no values": (np.full((30, 2), np.nan), y),
        "few values": (few, y),
        "very large": (rng.standard_normal((30, 2)) * 1e300, y * 1e300),
        "very small": (rng.standard_normal((30, 2)) * 1e-310, y * 1e-300),
        "the ends of float64": (np.array([[-1.7e308], [1.7e308], [0.0]] * 10), y),
        "one output": (rng.standard_normal((30, 2)), np.ones(30)),
        "many levels": (levels, y),
        "booleans": (rng.random((30, 3)) < 0.5, y),
    }


@pytest.mark.parametrize("what", hostile_tables())
@pytest.mark.parametrize("name", NAMES)
def test_no_table_breaks_a_recipe(name, what):
    X, y = hostile_tables()[what]
    for kind in KINDS if name in OF_CLASSES else [ForestRegressor]:
        outcome = y if kind is ForestRegressor else (y > np.median(y)).astype(int)
        n_estimators = min(recipes.get(name).n_estimators, 2)
        forest = kind(name, n_estimators, random_state=0).fit(X, outcome)
        assert np.isfinite(forest.predict(X)).all()
        assert np.isfinite(forest.feature_importances_).all()
        if kind is ForestClassifier:
            assert np.allclose(forest.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("name", NAMES)
def test_one_row_is_a_forest_or_a_clear_error(name):
    forest = ForestRegressor(name, 2, random_state=0)
    if recipes.get(name).honest or recipes.get(name).pruning == "reduced_error":
        with pytest.raises(ValueError, match=r"1 sample|at least two rows"):
            forest.fit([[1.0, 2.0]], [3.0])
    else:
        assert forest.fit([[1.0, 2.0]], [3.0]).predict([[0.0, 0.0]]) == [3.0]


@pytest.mark.parametrize("name", ["rotation_forest", "rotation_forest_original"])
@pytest.mark.parametrize("kind", KINDS)
def test_rotations_turn_groups_of_variables(name, kind):
    X, y = mixed_table(200)
    forest = kind(name, 20, random_state=0).fit(X, outputs(kind, y))
    for tree in forest._trees:
        axes = {}
        for node in range(tree.node_count):
            if tree.feature()[node] == -3:
                terms = tree.record(node)["terms"]
                axes[tuple(a for _, a in terms)] = frozenset(f for f, _ in terms)
        groups = set(axes.values())
        # Groups of at most three do not overlap, and the category stays itself.
        assert all(len(group) <= 3 and 2 not in group for group in groups)
        assert sum(len(group) for group in groups) == len(frozenset().union(*groups))
        for group in groups:
            turned = np.array([axis for axis, of in axes.items() if of == group])
            assert np.allclose(turned @ turned.T, np.eye(len(turned)))
