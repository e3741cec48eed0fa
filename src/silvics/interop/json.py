"""Export to JSON; docs/model_json.md describes the format."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from silvics.interop.plain_model import PlainModel, Split

VERSION = 1


def to_json(model: PlainModel) -> str:
    """Return the model as JSON text."""
    levels = [None if of is None else _plain(of) for of in model.variables.levels]
    features = []
    for name, kind, known, rare in zip(
        model.names, model.variables.kinds, levels, model.variables.rare, strict=True
    ):
        feature: dict[str, Any] = {"name": name, "kind": kind}
        if known is not None:
            feature["levels"] = known
        if rare is not None:
            feature["rare"] = _plain(rare)
        features.append(feature)
    content = {
        "format": "silvics",
        "version": VERSION,
        "task": "regression" if model.classes is None else "classification",
        "vote": "majority" if model.by_majority else "soft",
        "unknown_category": model.unknown_category,
        "features": features,
        "outputs": [{} for _ in model.outputs]
        if model.classes is None
        else [{"classes": _plain(classes)} for classes in model.classes],
        "trees": [
            _nodes(model, levels, int(begin), int(end))
            for begin, end in zip(model.roots[:-1], model.roots[1:], strict=True)
        ],
    }
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


def _plain(values: np.ndarray) -> list[Any]:
    """Return levels or labels as values of JSON; times become integers of microseconds."""
    return (values.astype(np.int64) if values.dtype.kind in "mM" else values).tolist()


def _nodes(
    model: PlainModel, levels: list[list[Any] | None], begin: int, end: int
) -> list[dict[str, Any]]:
    """Return the nodes of a tree, with the numbers of children relative to its root."""
    nodes = slice(begin, end)
    rows = zip(
        range(begin, end),
        model.feature[nodes].tolist(),
        model.threshold[nodes].tolist(),
        model.right[nodes].tolist(),
        model.missing_left[nodes].tolist(),
        model.is_leaf[nodes].tolist(),
        model.value[nodes].tolist(),
        strict=True,
    )
    content: list[dict[str, Any]] = []
    for t, feature, threshold, right, missing_left, is_leaf, value in rows:
        if is_leaf:
            content.append({"value": value})
        elif t in model.splits:
            content.append(_split(model, model.splits[t], feature, levels, begin))
        else:
            children, missing = [t + 1 - begin, right - begin], 0 if missing_left else 1
            cut = _cut([threshold], children, missing, model.both_children)
            content.append({"feature": feature, **cut})
    return content


def _split(
    model: PlainModel, split: Split, feature: int, levels: list[list[Any] | None], begin: int
) -> dict[str, Any]:
    children = [child - begin for child in split.children]
    both_children = model.goes_to_both_children(split)
    if split.levels is None:
        compared = {"terms": split.terms} if split.terms else {"feature": feature}
        return {**compared, **_cut(split.thresholds, children, split.missing, both_children)}
    names = levels[feature]
    assert names is not None
    return {
        "feature": feature,
        "levels": [[names[level] for level in of_child] for of_child in split.levels],
        "rest": split.rest,
        "unknown": split.unknown,
        "children": children,
        "missing": "both" if both_children else split.missing,
    }


def _cut(
    thresholds: list[float], children: list[int], missing: int, both_children: bool
) -> dict[str, Any]:
    """Return thresholds and children, without infinite thresholds, which JSON cannot represent."""
    if thresholds and thresholds[0] == -math.inf:  # only missing values go to the first child
        children, missing = [*children[1:], children[0]], (missing - 1) % len(children)
    return {
        "thresholds": [t for t in thresholds if math.isfinite(t)],
        "children": children,
        "missing": "both" if both_children else missing,
    }
