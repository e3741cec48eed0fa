"""Table 5.2: a tree as arrays. Data with the same counts give the same arrays."""

import numpy as np

from silvics import DecisionTreeClassifier

# The thesis numbers siblings together; its variables start at one.
LEFT_CHILD = [1, None, 3, 5, None, None, 7, None, None]
RIGHT_CHILD = [2, None, 4, 6, None, None, 8, None, None]
FEATURE = [2, None, 2, 1, None, None, 1, None, None]
THRESHOLD = [0.303, None, 0.696, 0.296, None, None, 0.703, None, None]
IMPURITY = [0.273, 0.0, 0.368, 0.482, 0.065, 0.051, 0.48, 0.042, 0.0]
N_SAMPLES = [300, 99, 201, 113, 88, 38, 75, 46, 29]
VALUE = [(251, 49), (99, 0), (152, 49), (67, 46), (85, 3), (37, 1), (30, 45), (1, 45), (29, 0)]

# Three by three places; the thresholds of the table are the middles between them.
X1 = [0.100, 0.492, 0.914]
X2 = [0.150, 0.456, 0.936]
COUNTS = {  # samples of both classes at each place
    (0, 0): (33, 0), (1, 0): (33, 0), (2, 0): (33, 0),
    (0, 1): (37, 1), (1, 1): (1, 45), (2, 1): (29, 0),
    (0, 2): (28, 1), (1, 2): (28, 1), (2, 2): (29, 1),
}  # fmt: skip


def grow():
    rows, labels = [], []
    for (a, b), counts in COUNTS.items():
        for label, n in enumerate(counts):
            rows += [[X1[a], X2[b]]] * n
            labels += [label] * n
    return DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(rows, labels).tree_


def thesis_numbers(tree):
    """Node of our numbering for each of the thesis': walk both trees side by side."""
    ours = {0: 0}
    for t in range(len(LEFT_CHILD)):
        if LEFT_CHILD[t] is not None:
            ours[LEFT_CHILD[t]] = tree.children_left[ours[t]]
            ours[RIGHT_CHILD[t]] = tree.children_right[ours[t]]
    return [ours[t] for t in range(len(LEFT_CHILD))]


def test_arrays():
    tree = grow()
    assert tree.node_count == 9
    node = thesis_numbers(tree)
    assert sorted(node) == list(range(9))
    leaf = [child is None for child in LEFT_CHILD]
    assert [tree.children_left[t] == -1 for t in node] == leaf
    assert [tree.children_right[t] == -1 for t in node] == leaf
    assert [tree.feature[t] for t in node] == [-2 if f is None else f - 1 for f in FEATURE]
    threshold = [-2.0 if v is None else v for v in THRESHOLD]
    np.testing.assert_allclose(tree.threshold[node], threshold, rtol=1e-12)
    assert [tree.n_node_samples[t] for t in node] == N_SAMPLES
    np.testing.assert_array_equal(tree.weighted_n_node_samples[node], N_SAMPLES)
    counts = tree.value[node, 0] * np.array(N_SAMPLES)[:, np.newaxis]
    np.testing.assert_allclose(counts, VALUE, atol=1e-12)


def test_impurity():
    """The table prints Gini with its last digit cut off in places: within one such digit."""
    tree = grow()
    node = thesis_numbers(tree)
    p = np.array(VALUE) / np.array(N_SAMPLES)[:, np.newaxis]
    np.testing.assert_allclose(tree.impurity[node], (p * (1 - p)).sum(axis=1), atol=1e-15)
    np.testing.assert_allclose(tree.impurity[node], IMPURITY, atol=1e-3)
