"""Files made to deceive: arrays whose numbers are no tree."""

import numpy as np
import pytest

import silvics

from .files import (
    changed,
    closed,
    content_of,
    opened,
    outcome,
    quickly_used,
)
from .hostile_models import LEAF, recipe_model, refuse

# ---- trees that are none


class Nodes:
    """The inner nodes of a file, field by field."""

    def __init__(self, arrays):
        self.bytes = arrays["nodes"]

    def child(self, t, which):
        return int(self.bytes[t, 3 + 4 * which : 7 + 4 * which].view("<u4")[0])

    def set_child(self, t, which, bits):
        self.bytes[t, 3 + 4 * which : 7 + 4 * which] = np.array([bits], "<u4").view(np.uint8)

    def set_head(self, t, feature, missing_first=False):
        head = feature | missing_first << 23
        self.bytes[t, :3] = np.array([head], "<u4").view(np.uint8)[:3]

    def set_threshold(self, t, bits):
        if isinstance(bits, float):
            bits = int(np.array(bits).view(np.uint64))
        self.bytes[t, 11:] = np.array([bits], "<u8").view(np.uint8)


def with_nodes(content, change):
    def of_arrays(words, model, arrays):
        change(Nodes(arrays), arrays)

    return changed(content, of_arrays)


@pytest.fixture(scope="module")
def deep():
    """Trees of some depth, of classes and of numbers."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    y = X[:, 0] * X[:, 1] > 0
    forests = (silvics.RandomForestClassifier, silvics.RandomForestRegressor)
    return [content_of(kind(2, random_state=0).fit(X, y)) for kind in forests]


def test_children_everywhere(deep):
    """Each child of each node replaced: itself, its parent, others, beyond, leaves of all sorts."""
    for content in deep:
        words, model, arrays = opened(content)
        n = int(arrays["first_node"][1])
        strange = [0, 1, 2, n - 1, n, n + 1, len(arrays["nodes"]), LEAF - 1]
        strange += [LEAF, LEAF + 1, LEAF + 2, LEAF + 3, LEAF + len(arrays["values"]), 2**32 - 1]
        for t in range(n):
            for which in (0, 1):
                for bits in {*strange, t, t + 1, max(t - 1, 0)}:
                    nodes = Nodes({"nodes": arrays["nodes"].copy()})
                    nodes.set_child(t, which, bits)
                    quickly_used(closed(words, model, {**arrays, "nodes": nodes.bytes}))


def test_a_cycle(deep):
    for content in deep:
        refuse(with_nodes(content, lambda nodes, arrays: nodes.set_child(1, 0, 0)))
        refuse(with_nodes(content, lambda nodes, arrays: nodes.set_child(0, 0, 0)))


def test_a_child_of_two(deep):
    def change(nodes, arrays):
        nodes.set_child(0, 1, nodes.child(0, 0))

    for content in deep:
        refuse(with_nodes(content, change))


def test_a_node_of_no_parent_and_one_of_two(deep):
    """As many children as there should be."""

    def change(nodes, arrays):
        inner = [t for t in range(5) if nodes.child(t, 0) < LEAF and nodes.child(t, 1) < LEAF]
        nodes.set_child(inner[0], 1, nodes.child(inner[-1], 0))

    for content in deep:
        refuse(with_nodes(content, change))


@pytest.mark.parametrize("feature", [3, 4, 255, 2**16, 2**23 - 1])
def test_variables_out_of_range(deep, feature):
    for content in deep:
        refuse(with_nodes(content, lambda nodes, a: nodes.set_head(2, feature)), "variable")


@pytest.mark.parametrize("bits", [LEAF + 2, LEAF + 10**6, 2**32 - 1])
def test_contents_of_leaves_out_of_range(deep, bits):
    def change(nodes, arrays):
        t = next(t for t in range(99) if nodes.child(t, 1) >= LEAF)
        nodes.set_child(t, 1, bits)

    for content in deep:
        if opened(content)[2]["values"].size != 0 and bits == LEAF + 2:
            continue
        refuse(with_nodes(content, change), "content")


def test_thresholds_that_are_no_numbers(content):
    """NaN of all sorts are rules of levels; infinities are thresholds."""
    words, model, arrays = opened(content)
    if "squeezed" in model:
        return
    for t in range(min(len(arrays["nodes"]), 6)):
        for form in range(8):
            for more in (0, 1, 2**15 - 1, 2**32, 2**47 - 1, 2**47):
                for sign in (0, 1):
                    nodes = Nodes({"nodes": arrays["nodes"].copy()})
                    nodes.set_threshold(t, sign << 63 | 0x7FF8 << 48 | form << 48 | more)
                    quickly_used(closed(words, model, {**arrays, "nodes": nodes.bytes}))
        for bits in (np.inf, -np.inf, 5e-324, 0x7FF0000000000001, 0xFFF8000000000000):
            nodes = Nodes({"nodes": arrays["nodes"].copy()})
            nodes.set_threshold(t, bits)
            quickly_used(closed(words, model, {**arrays, "nodes": nodes.bytes}))


@pytest.mark.parametrize("name", ["level_sets", "branches", "values", "samples", "weights"])
@pytest.mark.parametrize("which", ["levels", "records", "regressor", "classifier", "isolation"])
def test_every_number_of_side_tables_replaced(contents, name, which):
    words, model, arrays = opened(contents[which])
    if name not in arrays:
        return
    table = arrays[name]
    if table.dtype.kind == "f":
        strange = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, -1e308, 5e-324, 2.0**53]
    else:
        most = int(np.iinfo(table.dtype).max)
        strange = [0, 1, 2, 3, 7, 31, 32, 33, most, most - 1, most // 2, most // 2 + 1]
    for at in range(min(table.size, 20)):
        for value in strange:
            other = table.copy()
            other.reshape(-1)[at] = value
            quickly_used(closed(words, model, {**arrays, name: other}))


def test_two_nodes_with_the_same_record():
    """Children of one would be numbered as those of the other."""
    words, model, arrays = opened(content_of(recipe_model(max_depth=2)))
    places = arrays["nodes"][:, 11:].copy().view("<u8")[:, 0]
    n_tried = 0
    for a in range(len(places)):
        for b in range(len(places)):
            if a != b and places[a] != places[b]:
                nodes = arrays["nodes"].copy()
                nodes[a, 11:] = nodes[b, 11:]
                outcome(closed(words, model, {**arrays, "nodes": nodes}))
                n_tried += 1
    assert n_tried > 5


def shared_record(n_children, whole, first=1):
    """A root with two children, which share the record that tells their children.

    All of those are leaves, so that no inner node has two parents.
    """
    words, model, arrays = opened(content_of(recipe_model(max_depth=1)))
    LEAF_A, LEAF_B = LEAF, LEAF + 1
    record = [0, n_children, 0, 2**32 - 1, 0, n_children - 1]
    record += [LEAF_A, LEAF_B, *[LEAF_A] * (n_children - 2)]
    for cut in range(n_children - 1):
        record += np.array([float(cut)]).view("<u4").tolist()
    nodes = Nodes({"nodes": np.zeros((3, 19), dtype=np.uint8)})
    nodes.set_threshold(0, 1.0)
    nodes.set_child(0, 0, first)
    nodes.set_child(0, 1, 3 - first)
    for t in (1, 2):
        nodes.set_threshold(t, 0x7FF8 << 48 | 4 << 48)
    arrays = {
        "first_node": np.array([0, 3], dtype=np.uint64),
        "nodes": nodes.bytes,
        "values": np.zeros(0),
        "first_branch": np.array([0, len(record)], dtype=np.uint64),
        "branches": np.array(record, dtype=np.uint32),
    }
    n_nodes = 3 + 2 * n_children
    model["forest"].update(n_trees=1, n_nodes=n_nodes)
    model["growth"] = None
    if not whole:
        model["contents"] = "prediction"
        return closed(words, model, arrays)
    arrays |= {
        "layout": np.array([5], dtype=np.uint8),
        "impurity_exponent": np.zeros(1, dtype=np.int32),
        "samples": np.ones(n_nodes, dtype=np.uint8),
        "weights": np.ones(n_nodes),
        "first_impurity": np.array([0, n_nodes], dtype=np.uint64),
        "impurity": np.zeros(n_nodes),
        "first_node_value": np.array([0, 9], dtype=np.uint64),
        "node_values": np.ones(9) / 3,
    }
    return closed(words, model, arrays)


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("n_children", [2, 3, 9])
def test_leaves_of_two_nodes_told_by_one_record(n_children, whole, first):
    refuse(shared_record(n_children, whole, first))


def test_a_record_within_a_record():
    """Records must lie side by side."""
    words, model, arrays = opened(content_of(recipe_model(max_depth=2)))
    branches = arrays["branches"]
    first = int(arrays["first_branch"][1])
    for at in range(first):
        nodes = Nodes({"nodes": arrays["nodes"].copy()})
        for t in range(int(arrays["first_node"][1])):
            nodes.set_threshold(t, 0x7FFC << 48 | at)
            outcome(closed(words, model, {**arrays, "nodes": nodes.bytes, "branches": branches}))


def test_starts_of_trees(content):
    words, model, arrays = opened(content)
    for name in [n for n in arrays if n.startswith("first_") and "squeezed" not in model]:
        for at in range(len(arrays[name])):
            for value in (0, 1, 2, 2**31, 2**32, 2**63, 2**64 - 1, len(arrays["nodes"])):
                first = arrays[name].copy()
                first[at] = value
                if (first != arrays[name]).any():
                    quickly_used(closed(words, model, {**arrays, name: first}))


def test_numbers_of_trees_and_nodes_that_are_not_those(plain):
    for name in ("n_trees", "n_nodes"):
        for value in (0, 1, 3, 13, 2**31, 2**62):
            refuse(
                changed(plain, lambda w, model, a, n=name, v=value: model["forest"].update({n: v}))
            )
