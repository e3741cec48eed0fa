"""The function ``merge``, which combines forests that were grown on different data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from silvics import _core
from silvics._estimators.base_forest import BaseForest
from silvics._fitting import targets
from silvics._predicting.prediction import Trees
from silvics._tables.column_values import MISSING
from silvics._tables.merged_variables import label, merged_variables, places, union
from silvics._tables.table import Variables

Forest = TypeVar("Forest", bound=BaseForest)


def merge(forests: Sequence[Forest]) -> Forest:
    """Merge several forests into one, which predicts the mean over all of their trees.

    The forests may have been grown on different data. The classes of the result are the union of
    the classes of all forests; a tree gives the probability zero to classes that its own forest
    did not see. The levels of categories are the union of all levels as well. A tree treats levels
    that its own forest did not see according to ``unknown_category``. If that is "error", it
    treats them as missing values, and levels that none of the forests has seen raise an error.

    Parameters
    ----------
    forests : list of forests
        Fitted estimators of the same class, with the same variables and outputs. They are not
        changed. The result shares the memory of trees that need no change.

    Returns
    -------
    forest : estimator
        Fitted estimator of the same class, with the parameters of the first forest;
        ``n_estimators`` is the total number of trees. It has no out-of-bag estimates and cannot be
        grown further, because the training rows of its trees are not known.

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
        trees.append([tree.relabelled(n_classes, numbers, of_columns) for tree in forest._trees])
    joined = _by_stage(trees, first._grown.stages)
    made = clone(first).set_params(n_estimators=len(joined))
    kept = first._trees
    made._take_trees(
        Trees(joined, kept.as_float32, by_majority=kept.by_majority),
        variables,
        first._grown.stages,
    )
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
    """Return the classes of each output; an empty list for regression."""
    if not forest._classification:
        return []
    return [forest.classes_] if forest.n_outputs_ == 1 else list(forest.classes_)


def _by_stage(forests: list[list[_core.Tree]], stages: int) -> list[_core.Tree]:
    """Return the trees of all forests, those of the first stage before those of the second."""
    return [
        tree
        for k in range(stages)
        for trees in forests
        for tree in trees[len(trees) * k // stages : len(trees) * (k + 1) // stages]
    ]


def _merged_classes(forests: Sequence[Any]) -> list[np.ndarray]:
    of_outputs = zip(*map(_classes, forests), strict=True)
    return [union(parts, f"classes of output {k}") for k, parts in enumerate(of_outputs)]


# ---- checks

_HOW_TO_PREDICT = "Set it to the same value in all forests, with set_params, before merging."

# What the forests must agree on: its name, a function that reads it, and what to do otherwise.
_AGREED: list[tuple[str, Callable[[Any], Any], str]] = [
    ("n_features_in_", attrgetter("n_features_in_"), "Fit them on tables with the same columns."),
    ("n_outputs_", attrgetter("n_outputs_"), "Fit them on the same outputs."),
    (
        "votes by majority",
        attrgetter("_trees.by_majority"),
        "Fit them with the same value of vote.",
    ),
    (
        "the number of stages",
        attrgetter("_grown.stages"),
        "Fit them with the same value of stages.",
    ),
    (
        "inputs rounded to float32",
        attrgetter("_trees.as_float32"),
        "Merge forests converted from scikit-learn only with each other.",
    ),
    (
        "missing values in both children",
        lambda forest: forest._trees[0].both_children,
        "Fit them with the same value of missing.",
    ),
    ("missing", attrgetter("missing"), _HOW_TO_PREDICT),
    ("unknown_category", attrgetter("unknown_category"), _HOW_TO_PREDICT),
    (
        "max_samples_",
        lambda forest: getattr(forest, "max_samples_", None),
        "Path lengths in trees with different numbers of rows cannot be compared. Fit the forests "
        "with the same integer max_samples, on at least as many rows.",
    ),
    (
        "offset_",
        lambda forest: getattr(forest, "offset_", None),
        'Fit the forests with contamination="auto", or set the same offset_ in all of them before '
        "merging.",
    ),
]


def _check(forests: Any) -> None:
    if not isinstance(forests, list | tuple):
        raise TypeError(f"forests must be a list of fitted forests, got {type(forests)}.")
    if not forests:
        raise ValueError("forests must have at least one forest, got an empty list.")
    for forest in forests:
        if not isinstance(forest, BaseForest):
            raise TypeError(f"forests must be fitted forests of silvics, got {type(forest)}.")
        if type(forest) is not type(forests[0]):
            kinds = f"{type(forests[0]).__name__} and {type(forest).__name__}"
            raise TypeError(f"forests must all be of the same class, got {kinds}.")
        check_is_fitted(forest)
    if any(f._maps() is not None for f in forests):
        raise ValueError(
            "Forests cannot be merged: the probabilities of some are calibrated for their own "
            "trees. Fit them with calibrate=None."
        )
    for name, value_of, advice in _AGREED:
        values = list(map(value_of, forests))
        unlike = [value for value in values if value != values[0]]
        if unlike:
            raise ValueError(
                f"Forests cannot be merged: {name} is {values[0]!r} in one forest and "
                f"{unlike[0]!r} in another. {advice}"
            )


def _check_levels_known(variables: Variables, levels: list[list[np.ndarray]]) -> None:
    """Raise ValueError if a forest lacks a level: trees with missing="both" cannot treat it."""
    for of_columns in levels:
        for j, numbers in enumerate(of_columns):
            if (numbers == MISSING).any():
                raise ValueError(
                    f"Forests cannot be merged: {label(variables, j)} has levels that one of them "
                    'has not seen, which its trees cannot treat with missing="both". Fit the '
                    'forests on the same levels, or set unknown_category="heavier" in all of them.'
                )
