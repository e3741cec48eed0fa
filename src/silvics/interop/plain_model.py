"""The nodes of a fitted model as arrays, from which all exports are created."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from silvics import _core
from silvics._predicting.prediction import Trees
from silvics._tables.table import Variables

LEAF, COMBINATION = -2, -3  # values of ``feature`` that mark leaves and combinations


@dataclass(frozen=True)
class Split:
    """A split that is not a threshold on one variable. Children are given by their positions.

    Attributes
    ----------
    children : list of int
        Node numbers of the children.
    missing : int
        Child for missing values.
    thresholds : list of float
        Thresholds in ascending order; child k has the values that are larger than k of them.
    terms : list of (int, float)
        Features and coefficients of the compared combination; empty for a single feature.
    levels : list of lists of int, or None
        For a category, child k has the levels of list k. None for thresholds.
    rest, unknown : int
        Child for levels that are in no list, and child for levels not seen in training.
    """

    children: list[int]
    missing: int
    thresholds: list[float]
    terms: list[tuple[int, float]]
    levels: list[list[int]] | None = None
    rest: int = 0
    unknown: int = 0

    @property
    def is_subset(self) -> bool:
        """Whether some levels go left and all others right, which most formats support."""
        return self.levels is not None and len(self.levels) == 1 and len(self.children) == 2

    @property
    def left_levels(self) -> list[int]:
        """Levels that go to the first child."""
        assert self.levels is not None
        return self.levels[0]


@dataclass(frozen=True)
class PlainModel:
    """The nodes of all trees, one after another, and the description of variables and outputs.

    Samples with ``x[feature] <= threshold`` go to ``left``, which is the next node, and others to
    ``right``. Missing values go left if ``missing_left`` is True. Leaves have the feature -2 and
    are their own children. Other kinds of splits have the threshold NaN and are in ``splits``;
    subsets have their two children in ``left`` and ``right`` as well. A threshold that separates
    missing values from all others is infinite. The model predicts the mean of the values of the
    trees, summed in their order.

    Attributes
    ----------
    roots : ndarray
        The first node of each tree, followed by the total number of nodes.
    feature, threshold, left, right, missing_left, value : ndarray
        One element or row per node. A row of ``value`` has the class probabilities of all outputs,
        or one number per output.
    splits : dict of int to Split
        Other kinds of splits, by node, in the order of the nodes.
    both_children : bool
        Whether missing values go to both children with half of the weight; see
        ``goes_to_both_children``.
    by_majority : bool
        Whether each tree votes for its most probable class; ties go to the first class.
    max_depth : int
        Depth of the deepest tree.
    classes : list of ndarray, or None
        Classes of each output; None for regression.
    variables : Variables
        Description of the variables.
    unknown_category : str
        Value of the estimator's parameter.
    """

    roots: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray
    splits: dict[int, Split]
    both_children: bool
    by_majority: bool
    max_depth: int
    classes: list[np.ndarray] | None
    variables: Variables
    unknown_category: str

    @property
    def n_trees(self) -> int:
        return len(self.roots) - 1

    @property
    def n_features(self) -> int:
        return len(self.variables.kinds)

    @property
    def width(self) -> int:
        """Number of values of a leaf: one per class of each output, or one per output."""
        return int(self.value.shape[1])

    @cached_property
    def is_leaf(self) -> np.ndarray:
        return self.feature == LEAF

    @cached_property
    def names(self) -> list[str]:
        """Names of the variables; x0, x1, ... if there are none."""
        names = self.variables.names
        return [f"x{j}" for j in range(self.n_features)] if names is None else names.tolist()

    @property
    def outputs(self) -> list[slice]:
        """The columns of ``value`` that belong to each output."""
        sizes = [1] * self.width if self.classes is None else [len(c) for c in self.classes]
        ends = np.cumsum(sizes).tolist()
        return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]

    def leaf_predictions(self) -> np.ndarray:
        """Return the value of every leaf, in order; its vote if trees vote by majority."""
        values = self.value[self.is_leaf]
        if not self.by_majority:
            return values
        votes = np.zeros_like(values)
        for columns in self.outputs:
            likeliest = columns.start + values[:, columns].argmax(axis=1)
            votes[np.arange(len(values)), likeliest] = 1.0
        return votes

    def goes_to_both_children(self, split: Split) -> bool:
        """Return whether missing values go to both children; in multiway splits they do not."""
        return self.both_children and (split.is_subset or bool(split.terms))

    def require_splits_in_two(self, target: str) -> None:
        """Raise ValueError if the model has splits that plain tree formats cannot represent."""
        instead = "Use to_json() or to_c(), which support every model."
        if self.both_children:
            raise ValueError(
                f"{target} cannot represent trees that send missing values to both children "
                f'(missing="both"). {instead}'
            )
        if not all(split.is_subset for split in self.splits.values()):
            raise ValueError(
                f"{target} supports only splits of one variable with two children, but this model "
                f"has others (multiway, oblique, or a third child for missing values). {instead}"
            )
        if self.splits and self.unknown_category == "heavier":
            raise ValueError(
                f"{target} cannot distinguish missing values from levels that were not seen in "
                f'training, which unknown_category="heavier" requires. {instead}'
            )


def plain_model(model: Any) -> PlainModel:
    """Return the nodes of a fitted tree or forest."""
    forest: Trees = model._trees
    trees = list(forest)
    variables: Variables = model._variables
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])
    threshold = np.concatenate([tree.threshold() for tree in trees])
    feature = np.concatenate([tree.feature() for tree in trees])
    is_leaf, numbers = feature == LEAF, np.arange(roots[-1])
    right = np.concatenate([t.children_right() + r for t, r in zip(trees, roots, strict=False)])
    missing_left = np.concatenate([tree.missing_go_to_left() for tree in trees]).astype(bool)
    splits = {
        t: split
        for tree, root in zip(trees, roots.tolist(), strict=False)
        for t, split in _splits(tree, root, variables.n_levels)
    }
    for t, split in splits.items():
        if split.is_subset:
            right[t], missing_left[t] = split.children[1], split.missing == 0
    classes = None
    if model._classification:
        classes = [model.classes_] if model.n_outputs_ == 1 else list(model.classes_)
    return PlainModel(
        roots=roots,
        feature=feature,
        threshold=_thresholds_of_doubles(threshold) if forest.as_float32 else threshold,
        left=np.where(is_leaf, numbers, numbers + 1),
        right=np.where(is_leaf, numbers, right),
        missing_left=missing_left,
        value=np.concatenate([tree.values() for tree in trees]),
        splits=splits,
        both_children=any(tree.both_children for tree in trees),
        by_majority=forest.by_majority and classes is not None,
        max_depth=max(tree.max_depth for tree in trees),
        classes=classes,
        variables=variables,
        unknown_category=model.unknown_category,
    )


def _splits(tree: _core.Tree, root: int, n_levels: list[int]) -> Iterator[tuple[int, Split]]:
    """Yield the nodes of a tree that are other kinds of splits, by their numbers in the model."""
    feature, missing_left = tree.feature(), tree.missing_go_to_left()
    for t in np.flatnonzero(np.isnan(tree.threshold())).tolist():
        record = tree.record(t) or {
            "test": "subset",
            "terms": [],
            "missing_child": 0 if missing_left[t] else 1,
        }
        children, missing = (tree.children(t) + root).tolist(), record["missing_child"]
        if record["test"] == "thresholds":
            split = Split(children, missing, record["cuts"], record["terms"])
        elif record["test"] == "levels":
            other = record["other_child"]
            split = Split(children, missing, [], [], [[c] for c in record["cuts"]], other, other)
        else:
            left = tree.left_levels(t, n_levels[feature[t]]).tolist()
            unknown = 0 if tree.others_left(t) else 1
            split = Split(children, missing, [], [], [left], 1, unknown)
        yield root + t, split


def _thresholds_of_doubles(threshold: np.ndarray) -> np.ndarray:
    """Return thresholds for float64 inputs that are equivalent to these for float32 inputs.

    A number rounds to at most t if it is at most the midpoint between the largest float32 number
    not above t and the next float32 number. The midpoint itself rounds to the even one of the two.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        below = threshold.astype(np.float32)
        below = np.where(below > threshold, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf))
        beyond = 2.0**128  # where the float32 number after the largest would be
        low, high = (np.clip(x.astype(np.float64), -beyond, beyond) for x in (below, above))
        half_way = (low + high) / 2
    odd = (below.view(np.uint32) & np.uint32(1)) == 1
    limit = np.where(odd, np.nextafter(half_way, -np.inf), half_way)
    return np.where(np.isfinite(threshold), limit, threshold)


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, and the index among them of each given row."""
    bits = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    _, first, number = np.unique(bits.ravel(), return_index=True, return_inverse=True)
    return rows[first], number


def require_no_calibration(model: Any) -> None:
    """Raise ValueError if calibration changes the probabilities of a model."""
    stored = vars(model).get("_calibration", [])
    if any(of["map"]["method"] != "raw" for of in stored):
        raise ValueError(
            "The probabilities of this forest are calibrated, which other formats do not support. "
            "Fit it with calibrate=None to convert it, or use save() or predictor()."
        )
