"""Conversion of fitted scikit-learn trees and forests to silvics."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._tables.table import only_numbers
from silvics.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.interop.sklearn_nodes import depth_first
from silvics.interop.to_sklearn import copy_fitted, shared_parameters
from silvics.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

_CLASSES = {
    made.__name__: made
    for made in (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
    )
}


def _made(kind: Any, model: Any) -> Any:
    """Create an estimator with the parameters and attributes of a scikit-learn model."""
    made = kind(**shared_parameters(model, kind))
    copy_fitted(model, made)
    if hasattr(model, "feature_names_in_"):
        made._frame_library = "pandas"  # scikit-learn takes names from data frames only
    return made


def _native_tree(source: SklearnTree, classification: bool) -> _core.Tree:
    """Convert scikit-learn's arrays to depth-first order; the core checks them."""
    left, right = source.children_left, source.children_right
    old = depth_first(source, classification)
    new = np.empty(source.node_count, dtype=np.int64)
    new[old] = np.arange(len(old))
    inner = left[old] >= 0
    link = np.zeros(len(old), dtype=np.uint32)
    missing_left = source.missing_go_to_left[old][inner].astype(np.uint32) << np.uint32(31)
    link[inner] = new[right[old][inner]].astype(np.uint32) | missing_left
    n_classes = source.n_classes if classification else np.array([], dtype=np.intp)
    value = source.value[old]
    parts = [value[:, k, : source.n_classes[k]] for k in range(source.n_outputs)]
    shape = [source.n_features, source.n_outputs, source.max_depth]
    return _core.Tree.from_stored_arrays(
        {
            "shape": np.array(shape, dtype=np.uint64),
            "n_classes": n_classes.astype(np.uint32),
            "threshold": np.where(inner, source.threshold[old], -2.0),
            "feature": np.where(inner, source.feature[old], -2).astype(np.int32),
            "link": link,
            "n_node_samples": source.n_node_samples[old].astype(np.uint32),
            "weighted_n_node_samples": source.weighted_n_node_samples[old].astype(np.float64),
            "impurity": source.impurity[old].astype(np.float64),
            "impurity_exponent": np.zeros(1, dtype=np.int32),
            "level_sets": np.array([], dtype=np.uint32),
            "leaf_weights": np.array([], dtype=np.float64),
            "node_values": np.ascontiguousarray(np.concatenate(parts, axis=1)).ravel(),
        }
    )


def _tree_from_sklearn(model: Any) -> Any:
    made = _made(_CLASSES[type(model).__name__], model)
    made.max_features_ = model.max_features_
    made._variables = only_numbers(model.n_features_in_, getattr(model, "feature_names_in_", None))
    made._take_tree(_native_tree(model.tree_, made._classification), as_float32=True)
    return made


def from_sklearn(model: Any) -> Any:
    """Convert a fitted scikit-learn tree or forest to silvics.

    The converted model rounds inputs to float32, as scikit-learn does, and makes the same
    predictions.

    Parameters
    ----------
    model : estimator
        Fitted decision tree, extra tree, random forest or extra-trees forest of scikit-learn.

    Returns
    -------
    model : estimator of silvics
        Fitted estimator of the same name, with the same trees.

    Examples
    --------
    >>> import silvics
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = RandomForestClassifier(random_state=0).fit(X, y)
    >>> ours = silvics.from_sklearn(theirs)
    >>> bool((ours.predict_proba(X) == theirs.predict_proba(X)).all())
    True
    """
    name = type(model).__name__
    if name not in _CLASSES or not type(model).__module__.startswith("sklearn."):
        raise TypeError(
            f"model must be a fitted scikit-learn tree or forest, one of "
            f"{', '.join(_CLASSES)}; got {type(model)}."
        )
    check_is_fitted(model)
    if hasattr(model, "tree_"):
        return _tree_from_sklearn(model)
    made = _made(_CLASSES[name], model)
    made._adopt([_tree_from_sklearn(tree) for tree in model.estimators_])
    for attribute in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
        if hasattr(model, attribute):
            setattr(made, attribute, getattr(model, attribute))
    return made
