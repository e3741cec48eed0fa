"""The cost of a fit, predicted from small pilots. No test depends on times."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification, make_friedman1

import silvics
from silvics import RandomForestClassifier, RandomForestRegressor
from silvics.inspection import CostEstimate, estimate_cost


def size_of_file(forest, folder):
    forest.save(folder / "forest")
    return (folder / "forest").stat().st_size


KINDS = [
    (RandomForestRegressor, {}),
    (RandomForestClassifier, {"max_depth": 7}),
    (silvics.ExtraTreesRegressor, {"min_samples_leaf": 4}),
    (silvics.ExtraTreesClassifier, {"n_jobs": 2}),
    (silvics.ForestRegressor, {"recipe": "cart"}),
    (silvics.IsolationForest, {"max_samples": 512}),
    (silvics.RandomPatchesRegressor, {}),
    (silvics.RandomPatchesClassifier, {"max_samples": 3_000, "recipe": "random_forest"}),
]


@pytest.mark.parametrize(("kind", "settings"), KINDS, ids=lambda of: getattr(of, "__name__", ""))
@pytest.mark.parametrize("n_estimators", [40, 3])
def test_nodes_and_files(kind, settings, n_estimators, tmp_path):
    """Also from pilots with some of the rows, if there are few trees."""
    X, y = make_friedman1(6_000, 10, noise=1.0, random_state=0)
    if getattr(kind, "_classification", False):
        y = y > np.median(y)
    forest = kind(n_estimators=n_estimators, random_state=0, **settings)
    before = dict(vars(forest))
    cost = estimate_cost(forest, X, y, calibrate=False)
    assert vars(forest) == before
    forest.fit(X, y)
    assert cost.n_trees == n_estimators
    off = 0.35 if settings.get("max_depth") and n_estimators == 3 else 0.2
    assert cost.nodes == pytest.approx(sum(forest._grown.trees.node_counts), rel=off)
    assert cost.file_bytes == pytest.approx(size_of_file(forest, tmp_path), rel=off)
    memory = sum(tree.memory_bytes for tree in forest._grown.trees)
    counted = memory + forest._grown.run.fixed_bytes
    assert cost.peak_bytes == pytest.approx(counted, rel=0.55)
    assert cost.seconds > 0.0


def test_pilots_of_small_tables_have_all_rows():
    X, y = make_friedman1(500, 10, random_state=0)
    cost = estimate_cost(RandomForestRegressor(100, random_state=0), X, y)
    assert cost.all_rows
    parts = cost.seconds_before + cost.seconds_of_growth + cost.seconds_after
    assert cost.seconds == parts


def test_trees_of_very_different_sizes():
    """More trees are grown where they take no time."""
    X = np.random.default_rng(0).random((6_000, 6))
    forest = RandomForestClassifier(100, random_state=0)
    cost = estimate_cost(forest, X, X[:, 0] > 0.5)
    nodes = sum(forest.fit(X, X[:, 0] > 0.5)._grown.trees.node_counts)
    assert nodes / 3 < cost.nodes < 3 * nodes


def test_frames_weights_and_what_comes_after_growth():
    X, y = make_classification(6_000, 8, n_informative=5, n_classes=3, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(
        kind=np.where(X[:, 0] > 0, "up", "down")
    )
    forest = RandomForestClassifier(
        3, oob_score=True, keep_samples=True, max_samples=2_000, random_state=0
    )
    cost = estimate_cost(
        forest, frame, pd.Series(y).map({0: "x", 1: "y", 2: "z"}), np.ones(6_000), calibrate=False
    )
    assert not cost.all_rows
    assert cost.seconds_after > 0.0
    found = cost.to_frame()
    assert isinstance(found, pd.DataFrame)
    assert found["quantity"].tolist() == ["time", "memory", "nodes", "file"]
    plain = estimate_cost(
        forest.set_params(oob_score=False, keep_samples=False), frame, y, calibrate=False
    )
    assert plain.peak_bytes < cost.peak_bytes


def test_budgets_and_progress_of_the_forest_do_not_matter():
    X, y = make_friedman1(300, 5, random_state=0)
    forest = RandomForestRegressor(50, random_state=0, max_memory=10, max_time=1e-9)
    forest.set_params(progress=lambda done, total: 1 / 0)
    assert estimate_cost(forest, X, y).nodes > 0


def test_printed_and_drawn():
    X, y = make_friedman1(300, 5, random_state=0)
    cost = estimate_cost(RandomForestRegressor(50, random_state=0), X, y)
    assert repr(cost).startswith("Expected cost of 50 trees: ")
    assert isinstance(cost, CostEstimate)
    assert cost.plot().ax_.get_xlabel() == "seconds"


@pytest.mark.parametrize("given", [silvics.DecisionTreeClassifier(), 3, "forest"])
def test_only_forests(given):
    with pytest.raises(TypeError, match="estimate_cost needs a forest of silvics"):
        estimate_cost(given, [[0.0], [1.0]], [0, 1])


def test_patches_without_sizes_or_in_files_are_refused():
    X, y = make_friedman1(300, 5, random_state=0)
    with pytest.raises(ValueError, match='max_samples or max_columns is "auto"'):
        estimate_cost(silvics.RandomPatchesRegressor(max_samples="auto"), X, y)
    by_importance = silvics.RandomPatchesClassifier(draw="importance")
    with pytest.raises(ValueError, match="do not depend on each other"):
        estimate_cost(by_importance, X, y > 14)
    for given in (silvics.scan(X), "table.parquet"):
        with pytest.raises(TypeError, match="needs a table in memory"):
            estimate_cost(silvics.RandomPatchesRegressor(), given, y)


@pytest.mark.parametrize("X", [[1.0, 2.0], 3.0, np.zeros((2, 2, 2))])
def test_tables_have_rows_and_columns(X):
    with pytest.raises(ValueError, match=r"rows and columns|dim 3"):
        estimate_cost(RandomForestRegressor(2), X, [0.0, 1.0])


def test_forests_whose_samples_are_chosen_by_a_rule():
    """`max_samples="auto"` of an isolation forest is a number, and not a race of patches."""
    X, _ = make_friedman1(300, random_state=0)
    assert estimate_cost(silvics.IsolationForest(n_estimators=10), X).nodes > 100
