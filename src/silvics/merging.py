"""Forests grown apart, on other rows, classes or levels, made one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from silvics._estimators.base_forest import BaseForest
from silvics._fitting import targets
from silvics._predicting.prediction import Trees
from silvics._tables.column_values import MISSING
from silvics._tables.merged_variables import label, merged_variables, places, union
from silvics._tables.table import Variables

Forest = TypeVar("Forest", bound=BaseForest)


def merge(forests: Sequence[Forest]) -> Forest:
    """One forest of the trees of several, which may have been grown on different data.

    It predicts the mean over all trees. Its classes are those of all forests together, and a tree
    gives no share to classes that its own forest has not seen. So are its levels of categories: a
    tree sends those that its own forest knew where it always did, and others where its forest
    would have sent them, by ``unknown_category``. (Where that is "error", they are missing values
    to the tree, and levels that none of the forests knows are an error.)

    Parameters
    ----------
    forests : list of forests
        Fitted estimators of one class, on the same variables and outputs. They stay as they are,
        and trees that need no change are shared with them.

    Returns
    -------
    forest : estimator
        Of the same class, with the parameters of the first; ``n_estimators`` is the number of all
        trees. Nothing is known of the rows that its trees have seen: there are no out-of-bag
        estimates, and it cannot be grown further.

    Examples
    --------
    >>> import silvics
    >>> here = silvics.RandomForestClassifier(10, random_state=0)
    >>> here = here.fit([["ash"], ["ash"], ["oak"], ["oak"]], ["thin", "thin", "thick", "thick"])
    >>> there = silvics.RandomForestClassifier(30, random_state=1)
    >>> there = there.fit([["elm"], ["elm"], ["oak"], ["oak"]], ["dead", "dead", "thick", "thick"])
    >>> both = silvics.merge([here, there])
    >>> len(both), both.classes_.tolist(), both.categories_[0].tolist()
    (40, ['dead', 'thick', 'thin'], ['ash', 'elm', 'oak'])
    >>> both.predict([["oak"], ["elm"]]).tolist()
    ['thick', 'dead']
    """
    _check(forests)
    first = forests[0]
    variables, levels = merged_variables([f._variables for f in forests], first.unknown_category)
    if first._trees[0].both_children:
        _check_levels_known(variables, levels)
    classes = _merged_classes(forests)
    n_classes = [len(of_output) for of_output in classes]
    trees = []
    for forest, of_columns in zip(forests, levels, strict=True):
        pairs = zip(classes, _classes(forest), strict=True)
        numbers = [places(of_all, own).tolist() for of_all, own in pairs]
        trees += [tree.relabelled(n_classes, numbers, of_columns) for tree in forest._trees]
    made = clone(first).set_params(n_estimators=len(trees))
    kept = first._trees
    made._take_trees(Trees(trees, kept.as_float32, by_majority=kept.by_majority), variables)
    for name in ("n_features_in_", "n_outputs_", "max_features_", "max_samples_", "offset_"):
        if hasattr(first, name):
            setattr(made, name, getattr(first, name))
    if variables.names is not None:
        made.feature_names_in_ = variables.names
        made._frame_library = getattr(first, "_frame_library", None)
    if first._classification:
        targets.set_classes(made, classes)
    return made


def _classes(forest: Any) -> list[np.ndarray]:
    """Those of each output; nothing of regression."""
    if not forest._classification:
        return []
    return [forest.classes_] if forest.n_outputs_ == 1 else list(forest.classes_)


def _merged_classes(forests: Sequence[Any]) -> list[np.ndarray]:
    of_outputs = zip(*map(_classes, forests), strict=True)
    return [union(parts, f"classes of output {k}") for k, parts in enumerate(of_outputs)]


# ---- what can be merged

_HOW_TO_PREDICT = "It is about predictions: set_params can make it the same before merging."

# What forests must have in common, what it is, and what to do where they have not.
_AGREED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("n_features_in_", attrgetter("n_features_in_"), "Fit them on the same columns."),
    ("n_outputs_", attrgetter("n_outputs_"), "Fit them on the same outputs."),
    (
        "votes by majority",
        attrgetter("_trees.by_majority"),
        "Fit them with the same vote.",
    ),
    (
        "inputs rounded to float32",
        attrgetter("_trees.as_float32"),
        "Forests from scikit-learn go with others from there only.",
    ),
    (
        "missing values in both children",
        lambda forest: forest._trees[0].both_children,
        "Fit them with the same missing.",
    ),
    ("missing", attrgetter("missing"), _HOW_TO_PREDICT),
    ("unknown_category", attrgetter("unknown_category"), _HOW_TO_PREDICT),
    (
        "max_samples_",
        lambda forest: getattr(forest, "max_samples_", None),
        "Ways down trees of different numbers of rows cannot be compared: fit the forests with the "
        "same number as max_samples, and at least as many rows.",
    ),
    (
        "offset_",
        lambda forest: getattr(forest, "offset_", None),
        'Each was found on other rows: fit the forests with contamination="auto", or give all of '
        "them the same offset_.",
    ),
]


def _check(forests: Any) -> None:
    if not isinstance(forests, list | tuple):
        raise TypeError(f"merge takes a list of fitted forests, got {type(forests)}")
    if not forests:
        raise ValueError("merge takes at least one forest, got an empty list")
    for forest in forests:
        if not isinstance(forest, BaseForest):
            raise TypeError(f"merge takes fitted forests of silvics, got {type(forest)}")
        if type(forest) is not type(forests[0]):
            kinds = f"{type(forests[0]).__name__} and {type(forest).__name__}"
            raise TypeError(f"merge takes forests of one class, got {kinds}")
        check_is_fitted(forest)
    for name, of, advice in _AGREED:
        values = list(map(of, forests))
        unlike = [value for value in values if value != values[0]]
        if unlike:
            raise ValueError(
                f"Forests cannot be merged: {name} is {values[0]!r} in one and {unlike[0]!r} in "
                f"another. {advice}"
            )


def _check_levels_known(variables: Variables, levels: list[list[np.ndarray]]) -> None:
    """No tree can send a level to both children, as it sends missing values."""
    for of_columns in levels:
        for j, numbers in enumerate(of_columns):
            if (numbers == MISSING).any():
                raise ValueError(
                    f"Forests cannot be merged: {label(variables, j)} has levels that one of them "
                    'does not know, and with missing="both" its trees have no place for them. Fit '
                    'the forests on the same levels, or use unknown_category="heavier" in all.'
                )
