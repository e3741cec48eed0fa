"""Table 5.2: a tree as arrays, grown on data with the class counts of Figure 5.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import DecisionTreeClassifier
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.registry import item_of
from silvics.reproduce.settings import Settings

# Three by three places; the thresholds of the table are the middles between them.
X1 = (0.100, 0.492, 0.914)
X2 = (0.150, 0.456, 0.936)
COUNTS = {  # samples of both classes at each place
    (0, 0): (33, 0), (1, 0): (33, 0), (2, 0): (33, 0),
    (0, 1): (37, 1), (1, 1): (1, 45), (2, 1): (29, 0),
    (0, 2): (28, 1), (1, 2): (28, 1), (2, 2): (29, 1),
}  # fmt: skip


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of all places, and their classes."""
    rows, labels = [], []
    for (a, b), counts in COUNTS.items():
        for label, n in enumerate(counts):
            rows += [[X1[a], X2[b]]] * n
            labels += [label] * n
    return np.array(rows), np.array(labels)


def grow() -> Any:
    """Return the tree with five leaves."""
    model: Any = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0)
    return model.fit(*samples()).tree_


def numbered(tree: Any, left: list[int], right: list[int]) -> list[int]:
    """Return our node for each of the thesis', by following both trees."""
    ours = {0: 0}
    for t, (a, b) in enumerate(zip(left, right, strict=True)):
        if a >= 0:
            ours[a] = int(tree.children_left[ours[t]])
            ours[b] = int(tree.children_right[ours[t]])
    return [ours[t] for t in range(len(left))]


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the arrays in the order of the thesis' nodes, with variables from 1 on."""
    tree, printed = grow(), item_of("table-5.2").printed["arrays"]
    node = numbered(tree, printed["left_child"], printed["right_child"])
    place = {ours: t for t, ours in enumerate(node)}
    counts = tree.value[node, 0] * tree.n_node_samples[node][:, np.newaxis]
    leaf = tree.children_left[node] < 0
    return {
        "left_child": [place.get(int(t), -1) for t in tree.children_left[node]],
        "right_child": [place.get(int(t), -1) for t in tree.children_right[node]],
        "feature": np.where(leaf, -1, tree.feature[node] + 1).tolist(),
        "threshold": np.where(leaf, -1.0, tree.threshold[node]).tolist(),
        "impurity": tree.impurity[node].tolist(),
        "n_samples": tree.n_node_samples[node].tolist(),
        "value": np.rint(counts).astype(int).tolist(),
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the arrays, node by node."""
    rows = []
    for name, theirs in printed["arrays"].items():
        for t, (a, b) in enumerate(zip(theirs, ours[name], strict=True)):
            if name == "value":
                a, b = "/".join(map(str, a)), "/".join(map(str, b))
            if a != -1 or b != -1:
                rows.append(Row(f"{name}[{t}]", a, b))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge the arrays of numbers that are exact, and those that are rounded."""
    arrays, found = printed["arrays"], []
    for name in ("left_child", "right_child", "feature", "n_samples", "value"):
        same = sum(a == b for a, b in zip(ours[name], arrays[name], strict=True))
        found.append(
            Statement(f"{name} is as printed", same == len(arrays[name]),
                      f"{same} of {len(arrays[name])} nodes")
        )  # fmt: skip
    for name, within in (("threshold", 5e-4), ("impurity", 1e-3)):
        off = float(np.abs(np.subtract(ours[name], arrays[name])).max())
        found.append(Statement(f"{name} is as printed", off <= within, f"off by at most {off:.4f}"))
    return found
