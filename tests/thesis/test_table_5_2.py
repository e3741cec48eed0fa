"""Table 5.2: a tree as arrays. Data with the same counts give the same arrays."""

import numpy as np

from silvics.reproduce.chapter5.table_5_2 import grow, numbered
from silvics.reproduce.registry import item_of

PRINTED = item_of("table-5.2").printed["arrays"]
LEFT_CHILD, RIGHT_CHILD = PRINTED["left_child"], PRINTED["right_child"]


def thesis_numbers(tree):
    return numbered(tree, LEFT_CHILD, RIGHT_CHILD)


def test_arrays():
    tree = grow()
    assert tree.node_count == 9
    node = thesis_numbers(tree)
    assert sorted(node) == list(range(9))
    leaf = [child == -1 for child in LEFT_CHILD]
    assert [tree.children_left[t] == -1 for t in node] == leaf
    assert [tree.children_right[t] == -1 for t in node] == leaf
    assert [tree.feature[t] for t in node] == [-2 if f == -1 else f - 1 for f in PRINTED["feature"]]
    threshold = [-2.0 if v == -1 else v for v in PRINTED["threshold"]]
    np.testing.assert_allclose(tree.threshold[node], threshold, rtol=1e-12)
    assert [tree.n_node_samples[t] for t in node] == PRINTED["n_samples"]
    np.testing.assert_array_equal(tree.weighted_n_node_samples[node], PRINTED["n_samples"])
    counts = tree.value[node, 0] * np.array(PRINTED["n_samples"])[:, np.newaxis]
    np.testing.assert_allclose(counts, PRINTED["value"], atol=1e-12)


def test_impurity():
    """The table prints Gini with its last digit cut off in places: within one such digit."""
    tree = grow()
    node = thesis_numbers(tree)
    p = np.array(PRINTED["value"]) / np.array(PRINTED["n_samples"])[:, np.newaxis]
    np.testing.assert_allclose(tree.impurity[node], (p * (1 - p)).sum(axis=1), atol=1e-15)
    np.testing.assert_allclose(tree.impurity[node], PRINTED["impurity"], atol=1e-3)
