"""Conversion of fitted trees and forests to scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.ensemble
import sklearn.tree
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as SklearnTree

from silvics._predicting.tree_arrays import Tree
from silvics._warnings import warn_user
from silvics.interop.plain_model import require_no_calibration

_FITTED = ("n_features_in_", "feature_names_in_", "n_outputs_", "classes_", "n_classes_")


def shared_parameters(source: Any, target_class: type) -> dict[str, Any]:
    """Return the parameters that both classes have, without criteria that only silvics has."""
    known = target_class().get_params(deep=False)
    given = {k: v for k, v in source.get_params(deep=False).items() if k in known}
    if given.get("criterion") in ("misclassification", "friedman_mse"):
        del given["criterion"]
    return given


def copy_fitted(source: Any, target: Any) -> None:
    for name in _FITTED:
        if hasattr(source, name):
            setattr(target, name, getattr(source, name))


def _sklearn_tree(tree: Tree) -> SklearnTree:
    nodes = np.zeros(tree.node_count, dtype=NODE_DTYPE)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    for name in (
        "feature",
        "threshold",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "missing_go_to_left",
    ):
        nodes[name] = getattr(tree, name)
    made = SklearnTree(tree.n_features, tree.n_classes, tree.n_outputs)
    made.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.ascontiguousarray(tree.value),
        }
    )
    return made


def _collides(tree: Tree) -> bool:
    """Return whether a threshold is between the same float32 neighbours as one above it.

    Then there are training samples between the two thresholds that float32 cannot distinguish.
    Thresholds in different branches do not matter.
    """
    inner = np.flatnonzero(tree.feature >= 0)
    below = tree.threshold[inner].astype(np.float32)
    above = below > tree.threshold[inner]
    below[above] = np.nextafter(below[above], np.float32(-np.inf))
    groups: dict[tuple[int, float], list[int]] = {}
    for t, place in zip(inner, zip(tree.feature[inner], below, strict=True), strict=True):
        for higher in groups.setdefault(place, []):
            if t < _end_of_subtree(tree, higher):
                return True
        groups[place].append(int(t))
    return False


def _end_of_subtree(tree: Tree, t: int) -> int:
    while tree.children_right[t] >= 0:
        t = tree.children_right[t]
    return t + 1


def _check_convertible(model: Any) -> None:
    require_no_calibration(model)
    natives = [tree._native for tree in _trees_of(model)]
    if any(n.both_children or (n.feature() == -3).any() or not n.is_binary for n in natives):
        raise ValueError(
            "scikit-learn's trees support only splits of one variable with two children, but this "
            "model has others (multiway, oblique, or missing values sent to a third child or to "
            'both children). Fit it with split="binary" and missing="learned" to convert it.'
        )
    if model._trees.by_majority:
        raise ValueError(
            "scikit-learn's forests average class probabilities, but this forest votes by "
            'majority. Fit it with vote="soft" to convert it.'
        )
    if any(np.isnan(tree.threshold).any() for tree in _trees_of(model)):
        raise ValueError(
            "scikit-learn's trees do not support splits of categories. Encode the categories as "
            "numbers before fit, for example with sklearn.preprocessing.OrdinalEncoder, to convert "
            "the model."
        )


def _trees_of(model: Any) -> list[Tree]:
    return [model.tree_] if hasattr(model, "tree_") else [tree.tree_ for tree in model.estimators_]


def _warn_of_collisions(trees: list[Tree]) -> None:
    if any(_collides(tree) for tree in trees if not tree._as_float32):
        warn_user(
            "Some thresholds are too close to be distinguished in float32, to which scikit-learn "
            "rounds inputs, so some predictions will differ. Fit on X.astype(np.float32) for a "
            "model with the same predictions in scikit-learn."
        )


def tree_to_sklearn(tree: Any) -> Any:
    """Convert a fitted tree to scikit-learn."""
    _check_convertible(tree)
    _warn_of_collisions([tree.tree_])
    return _tree_to_sklearn(tree)


def _tree_to_sklearn(tree: Any) -> Any:
    kind = getattr(sklearn.tree, type(tree).__name__)
    made = kind(**shared_parameters(tree, kind))
    copy_fitted(tree, made)
    made.max_features_ = tree.max_features_
    made.tree_ = _sklearn_tree(tree.tree_)
    return made


def forest_to_sklearn(forest: Any) -> Any:
    """Convert a fitted forest to scikit-learn."""
    _check_convertible(forest)
    _warn_of_collisions([tree.tree_ for tree in forest.estimators_])
    name = type(forest).__name__
    if name.startswith("Forest"):  # the recipe does not matter for grown trees
        kind = getattr(sklearn.ensemble, f"Random{name}")
        made = kind(len(forest), n_jobs=forest.n_jobs)
    else:
        kind = getattr(sklearn.ensemble, name)
        made = kind(**shared_parameters(forest, kind))
    copy_fitted(forest, made)
    made._validate_estimator()
    made.estimators_ = [_tree_to_sklearn(tree) for tree in forest.estimators_]
    for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
        if hasattr(forest, name):
            setattr(made, name, getattr(forest, name))
    return made
