"""from_sklearn(): models whose nodes are not a tree."""

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.tree._tree import Tree as SklearnTree

import silvics

KINDS = [
    sklearn.tree.DecisionTreeClassifier,
    sklearn.tree.DecisionTreeRegressor,
    sklearn.ensemble.RandomForestClassifier,
    sklearn.ensemble.ExtraTreesRegressor,
]


def fitted(kind):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    y = (X[:, 0] > 0) + (X[:, 1] > 0)
    few = {"n_estimators": 2} if hasattr(kind(), "n_estimators") else {}
    return kind(random_state=0, **few).fit(X, y)


def damaged(kind, change):
    """A model whose last tree has other arrays."""
    model = fitted(kind)
    holder = model.estimators_[-1] if hasattr(model, "estimators_") else model
    old = holder.tree_
    state = old.__getstate__()
    state["nodes"], state["values"] = state["nodes"].copy(), state["values"].copy()
    change(state["nodes"], state["values"])
    holder.tree_ = SklearnTree(old.n_features, old.n_classes, old.n_outputs)
    holder.tree_.__setstate__(state)
    return model


def put(name, which, value):
    def change(nodes, values):
        inner = np.flatnonzero(nodes["left_child"] >= 0)
        leaves = np.flatnonzero(nodes["left_child"] < 0)
        nodes[name][{"root": 0, "inner": inner[-1], "leaf": leaves[-1]}[which]] = value

    return change


def as_of(child, of):
    def change(nodes, values):
        nodes[child][0] = nodes[of][0]

    return change


def separate_cycle(nodes, values):
    """The root is a leaf, and the others form a ring."""
    nodes["left_child"][0] = nodes["right_child"][0] = -1


def value_of(value):
    def change(nodes, values):
        values[1, 0, 0] = value

    return change


DAMAGES = {
    "a cycle to the root": put("left_child", "inner", 0),
    "a cycle to a node": put("left_child", "inner", 1),
    "a cycle of one": put("right_child", "root", 0),
    "one node twice": as_of("left_child", "right_child"),
    "a child beyond the end": put("right_child", "inner", 10**6),
    "a negative child": put("right_child", "inner", -5),
    "one child": put("right_child", "inner", -1),
    "the other child": put("left_child", "inner", -1),
    "a leaf with a child": put("right_child", "leaf", 1),
    "nodes apart": separate_cycle,
    "a negative count": put("n_node_samples", "inner", -7),
    "a count too large": put("n_node_samples", "root", 2**40),
    "a negative weight": put("weighted_n_node_samples", "inner", -2.0),
    "a weight that is no number": put("weighted_n_node_samples", "root", np.nan),
    "a variable beyond the last": put("feature", "inner", 99),
    "a negative variable": put("feature", "inner", -4),
    "a threshold that is no number": put("threshold", "inner", np.nan),
    "an impurity that is no number": put("impurity", "root", np.nan),
    "a value that is no number": value_of(np.nan),
    "an infinite value": value_of(np.inf),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_tree_is_refused(kind, change):
    model = damaged(kind, change)
    with pytest.raises(ValueError, match="not a valid tree"):
        silvics.from_sklearn(model)


@pytest.mark.parametrize("kind", KINDS)
def test_negative_values_are_for_numbers_only(kind):
    model = damaged(kind, value_of(-0.25))
    if "Regressor" in kind.__name__:
        silvics.from_sklearn(model)
        return
    with pytest.raises(ValueError, match="share of a class is negative"):
        silvics.from_sklearn(model)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_else_is_refused(kind):
    model = damaged(kind, lambda nodes, values: None)
    X = np.random.default_rng(1).normal(size=(50, 4)).astype(np.float32)
    np.testing.assert_array_equal(silvics.from_sklearn(model).predict(X), model.predict(X))
