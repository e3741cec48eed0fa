"""Descriptions of the nodes of a tree, from which text, DOT and plots are created."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._tables.column_values import some
from silvics.interop.plain_model import PlainModel, Split, plain_model


@dataclass(frozen=True)
class Branch:
    """The condition under which samples go from a node to one of its children.

    Attributes
    ----------
    condition : str
        The complete condition, such as "age <= 30.5 or missing".
    label : str
        The answer to the question of the node, such as "yes or missing".
    """

    condition: str
    label: str


@dataclass(frozen=True)
class OutlineNode:
    """A node that is displayed.

    Attributes
    ----------
    number : int
        Number of the node in ``tree_``.
    depth : int
        Depth of the node.
    parent : int
        Position of the parent among the displayed nodes; -1 for the root.
    branch : Branch or None
        Branch from the parent; None for the root.
    question : str
        The test of the node; empty for leaves and for nodes whose subtrees are not displayed.
    n_hidden : int
        Number of nodes below that are not displayed.
    n_samples : int
        Number of training rows of the node.
    prediction : str
        Prediction of the node.
    value : float
        Predicted number, or probability of the predicted class, of the first output.
    likeliest : int
        Index of the predicted class of the first output; -1 for regression.
    """

    number: int
    depth: int
    parent: int
    branch: Branch | None
    question: str
    n_hidden: int
    n_samples: int
    prediction: str
    value: float
    likeliest: int

    @property
    def content(self) -> str:
        """Prediction and number of training rows."""
        rows = "sample" if self.n_samples == 1 else "samples"
        return f"{self.prediction}, {self.n_samples:,} {rows}"


def outline(tree: Any, max_depth: int | None) -> list[OutlineNode]:
    """Return the nodes of a fitted tree down to a depth, each before its children."""
    check_is_fitted(tree)
    is_whole = isinstance(max_depth, Integral) and not isinstance(max_depth, bool)
    if max_depth is not None and (not is_whole or max_depth < 0):
        raise ValueError(f"max_depth must be a non-negative integer or None, got {max_depth!r}.")
    return _Outline(tree).nodes(math.inf if max_depth is None else int(max_depth))


class _Outline:
    """Reader of the nodes of one tree."""

    def __init__(self, tree: Any) -> None:
        self._model: PlainModel = plain_model(tree)
        self._samples = tree.tree_.n_node_samples
        self._shows_missing = tree.missing != "error"
        labels = getattr(tree, "_class_labels", None) or self._model.classes
        self._labels = None if labels is None else [[_as_text(c) for c in of] for of in labels]
        self._names = [_one_line(name) for name in self._model.names]

    def nodes(self, max_depth: float) -> list[OutlineNode]:
        model = self._model
        shown: list[OutlineNode] = []
        open_nodes: list[tuple[int, int, int, int, Branch | None]] = [
            (0, len(model.feature), 0, -1, None)
        ]
        while open_nodes:
            t, end, depth, parent, branch = open_nodes.pop()
            is_cut = not model.is_leaf[t] and depth >= max_depth
            question = ""
            branches: list[Branch] = []
            children: list[int] = []
            if not model.is_leaf[t] and not is_cut:
                question, branches, children = self._split(t)
            prediction, value, likeliest = self._prediction(t)
            node = OutlineNode(
                t, depth, parent, branch, question, end - t - 1 if is_cut else 0,
                int(self._samples[t]), prediction, value, likeliest,
            )  # fmt: skip
            place = len(shown)
            shown.append(node)
            bounds = pairwise([*children, end])  # a subtree ends where the next one begins
            found = [(*bound, branch) for bound, branch in zip(bounds, branches, strict=True)]
            open_nodes += [(c, e, depth + 1, place, b) for c, e, b in reversed(found)]
        return shown

    # ---- predictions

    def _prediction(self, t: int) -> tuple[str, float, int]:
        values = self._model.value[t]
        if self._labels is None:
            return "; ".join(f"{v:.6g}" for v in values), float(values[0]), -1
        texts, likeliest = [], []
        for labels, columns in zip(self._labels, self._model.outputs, strict=True):
            shares = values[columns]
            k = int(shares.argmax())
            likeliest.append((float(shares[k]), k))
            texts.append(f"{labels[k]} ({shares[k]:.0%})")
        return "; ".join(texts), *likeliest[0]

    # ---- splits

    def _split(self, t: int) -> tuple[str, list[Branch], list[int]]:
        """Return the question of a node, its branches, and its children."""
        model, feature = self._model, int(self._model.feature[t])
        split = model.splits.get(t)
        if split is None:
            children = [int(model.left[t]), int(model.right[t])]
            missing = 0 if model.missing_left[t] else 1
            split = Split(children, missing, [float(model.threshold[t])], [])
            both = model.both_children
        else:
            both = model.goes_to_both_children(split)
        if split.levels is None:
            name = self._terms(split.terms) if split.terms else self._names[feature]
            question, parts = self._thresholds(name, split, -1 if split.terms else feature)
        else:
            name = self._names[feature]
            question, parts = self._levels(name, feature, split)
        return question, self._branches(name, parts, split, both), split.children

    def _branches(
        self, name: str, parts: list[tuple[str, str]], split: Split, both: bool
    ) -> list[Branch]:
        """Return conditions and labels, which mark the child of missing values."""
        branches = []
        for k, (condition, label) in enumerate(parts):
            words = []
            if split.levels is not None and self._model.unknown_category == "heavier":
                words += ["unseen"] if k == split.unknown else []
            if not condition:  # a child for missing values only
                branches.append(Branch(f"{name} is missing", "missing"))
                continue
            if self._shows_missing and both:
                words.append("missing (half)")
            elif self._shows_missing and k == split.missing and "missing" not in condition:
                words.append("missing")
            more = "".join(f" or {word}" for word in words)
            branches.append(Branch(condition + more, label + more))
        return branches

    def _terms(self, terms: list[tuple[int, float]]) -> str:
        text = ""
        for j, a in terms:
            sign = (" - " if a < 0 else " + ") if text else ("-" if a < 0 else "")
            text += f"{sign}{abs(a):.4g}*{self._names[j]}"
        return text

    def _thresholds(
        self, name: str, split: Split, feature: int
    ) -> tuple[str, list[tuple[str, str]]]:
        cuts = split.thresholds
        alone = [("", "")] * (len(split.children) - len(cuts) - 1)
        if len(cuts) == 1:
            if math.isinf(cuts[0]):
                known, missing = (f"{name} is known", "known"), (f"{name} is missing", "missing")
                parts = [known, missing] if cuts[0] > 0 else [missing, known]
                return f"{name} is known", parts + alone
            at = self._value(feature, cuts[0])
            yes, no = (f"{name} <= {at}", "yes"), (f"{name} > {at}", "no")
            return yes[0], [yes, no, *alone]
        if not cuts:  # one child for known values, one for missing values
            return f"{name} is known", [(f"{name} is known", "known"), *alone]
        ats = [self._value(feature, cut) for cut in cuts]
        ranges = [(f"{name} <= {ats[0]}", f"<= {ats[0]}")]
        ranges += [(f"{a} < {name} <= {b}", f"{a} to {b}") for a, b in pairwise(ats)]
        ranges += [(f"{name} > {ats[-1]}", f"> {ats[-1]}")]
        return f"{name}?", ranges + alone

    def _levels(self, name: str, feature: int, split: Split) -> tuple[str, list[tuple[str, str]]]:
        assert split.levels is not None
        known = self._model.variables.levels[feature]
        assert known is not None
        names = [_as_text(level) for level in known]
        of_children: list[list[int]] = [list(levels) for levels in split.levels]
        of_children += [[] for _ in range(len(split.children) - len(of_children))]
        listed = {level for levels in split.levels for level in levels}
        of_children[split.rest] += [k for k in range(len(names)) if k not in listed]
        if split.is_subset or len(split.levels) == 1:
            inside, outside = (some([names[k] for k in levels]) for levels in of_children[:2])
            question = f"{name} in {{{inside}}}"
            parts = [(question, "yes"), (f"{name} in {{{outside}}}", "no")]
            return question, parts + [("", "")] * (len(split.children) - 2)
        parts = []
        for levels in of_children:
            listed_names = some([names[k] for k in levels])
            one = len(levels) == 1
            condition = f"{name} = {listed_names}" if one else f"{name} in {{{listed_names}}}"
            parts.append((condition, listed_names) if levels else ("", ""))
        return f"{name}?", parts

    def _value(self, feature: int, cut: float) -> str:
        """Return a threshold as text, in the type of its variable."""
        kind = "number" if feature < 0 else self._model.variables.kinds[feature]
        if kind == "ordered":
            levels = self._model.variables.levels[feature]
            assert levels is not None
            return _as_text(levels[min(max(math.floor(cut), 0), len(levels) - 1)])
        if kind in ("date", "duration") and abs(cut) < 2**62:
            unit = "datetime64[us]" if kind == "date" else "timedelta64[us]"
            return _as_text(np.array(math.floor(cut)).astype("int64").astype(unit)[()])
        return f"{cut:.6g}"


def _as_text(value: Any) -> str:
    """Return a level or a class as text on one line."""
    if isinstance(value, float | np.floating):
        return f"{value:.15g}"
    if isinstance(value, np.timedelta64):
        return str(value.item())
    if isinstance(value, np.datetime64):
        return str(value.item()).removesuffix(" 00:00:00").removesuffix(":00")
    return _one_line(value)


def _one_line(value: Any) -> str:
    return " ".join(str(value).split()) or repr(str(value))
