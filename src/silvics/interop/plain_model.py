"""A fitted model as rows of nodes and nothing else: what every export is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from silvics import _core
from silvics._predicting.prediction import Trees
from silvics._tables.table import Variables

LEAF, COMBINATION = -2, -3  # in the place of a feature


@dataclass(frozen=True)
class Split:
    """A node that is more than a threshold. Children are told by their places among them.

    Attributes
    ----------
    children : list of int
        Numbers of the nodes.
    missing : int
        The child of missing values.
    thresholds : list of float
        Ascending: child k has the values that k of them are below.
    terms : list of (int, float)
        Features and coefficients of the combination that is compared; none: the node's feature.
    levels : list of lists of int, or None
        Of a category instead of thresholds: child k has the levels of list k.
    rest, unknown : int
        The child of levels that no list has, and of those that were not seen in training.
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
        """Whether some levels go left and all others right: what most formats know."""
        return self.levels is not None and len(self.levels) == 1 and len(self.children) == 2

    @property
    def left_levels(self) -> list[int]:
        """Levels of the first child."""
        assert self.levels is not None
        return self.levels[0]


@dataclass(frozen=True)
class PlainModel:
    """The nodes of all trees, one after another, and what the variables and outputs are.

    ``x[feature] <= threshold`` goes to ``left``, which is the next node, and else to ``right``;
    missing values go left where ``missing_left``. Leaves have the feature -2, and are their own
    children; nodes of another kind have the threshold NaN, and are in ``splits``; of these, subsets
    have their two children here as well. A threshold that parts missing values from all others is
    infinite. The model predicts the mean of the trees' values, summed in their order.

    Attributes
    ----------
    roots : ndarray
        The first node of each tree, and the number of all nodes.
    feature, threshold, left, right, missing_left, value : ndarray
        Of every node. Values are rows of class shares of all outputs, or one number per output.
    splits : dict of int to Split
        In the order of the nodes.
    both_children : bool
        Samples whose value is missing go to both children, by halves; see ``goes_both_ways``.
    by_majority : bool
        Each tree has one vote for its likeliest class, the first of equals.
    classes : list of ndarray, or None
        Of each output; None for regression.
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
        """Numbers that a leaf has: one per class of each output, or one per output."""
        return int(self.value.shape[1])

    @cached_property
    def is_leaf(self) -> np.ndarray:
        return self.feature == LEAF

    @cached_property
    def names(self) -> list[str]:
        """Names of the variables; x0, x1 ... where there are none."""
        names = self.variables.names
        return [f"x{j}" for j in range(self.n_features)] if names is None else names.tolist()

    @property
    def outputs(self) -> list[slice]:
        """Which columns of the values belong to each output."""
        sizes = [1] * self.width if self.classes is None else [len(c) for c in self.classes]
        ends = np.cumsum(sizes).tolist()
        return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]

    def leaf_predictions(self) -> np.ndarray:
        """Value of every leaf, in their order; its votes, where each tree has one."""
        said = self.value[self.is_leaf]
        if not self.by_majority:
            return said
        votes = np.zeros_like(said)
        for columns in self.outputs:
            likeliest = columns.start + said[:, columns].argmax(axis=1)
            votes[np.arange(len(said)), likeliest] = 1.0
        return votes

    def goes_to_both_children(self, split: Split) -> bool:
        """Whether missing values do. In a multiway split they have a way of their own."""
        return self.both_children and (split.is_subset or bool(split.terms))

    def require_splits_in_two(self, target: str) -> None:
        """Refuse what formats of plain trees cannot hold."""
        instead = "Use to_json() or to_c(), which hold every model."
        if self.both_children:
            raise ValueError(
                f"{target} cannot send a sample both ways, as trees with missing="
                f'"both" do. {instead}'
            )
        if not all(split.is_subset for split in self.splits.values()):
            raise ValueError(
                f"{target} holds splits of one variable in two, and this model has others "
                f"(multiway, oblique, or missing values apart). {instead}"
            )
        if self.splits and self.unknown_category == "heavier":
            raise ValueError(
                f"{target} knows levels and missing values, and no levels that were not seen in "
                f'training, which unknown_category="heavier" tells apart. {instead}'
            )


def plain_model(model: Any) -> PlainModel:
    """The nodes of a fitted tree or forest."""
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
    """The nodes of a tree that are more than a threshold, by their numbers among all nodes."""
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
    """Thresholds that part float64 numbers as the given ones part them rounded to float32.

    What rounds to at most t is what is at most half way from the last float32 number below t to
    the next one. The half way itself, which float64 holds, rounds to the even one of the two.
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
    """The rows without repetition, and the number among them of each given one."""
    bits = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1] * rows.itemsize)))
    _, first, number = np.unique(bits.ravel(), return_index=True, return_inverse=True)
    return rows[first], number
