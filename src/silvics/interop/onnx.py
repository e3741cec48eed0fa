"""Export to ONNX: one TreeEnsemble of doubles, whose values are summed in the order of the trees.

The leaves of an ONNX ensemble have one number each, and runtimes sum them in any order. Here the
number of a leaf is the index of a row in a table of values. These rows are summed tree by tree
(CumSum), so that sums, and ties between classes, are exactly those of silvics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from silvics._tables.column_values import any_inexact, example
from silvics.interop.plain_model import PlainModel, distinct_rows

if TYPE_CHECKING:
    import onnx

_LEQ, _MEMBER = 0, 6  # ONNX modes of nodes
_SUM = 1


def to_onnx(model: PlainModel) -> onnx.ModelProto:
    """Return the model in ONNX."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "to_onnx() needs the package onnx. Install it with: pip install silvics[onnx]."
        ) from error
    model.require_splits_in_two("ONNX")
    several = [f"probabilities_{k}" for k in range(len(model.outputs))]
    graph = _Graph(onnx, ["label", "probabilities", *several, "variable"])
    values = _add_values(graph, model, _add_inputs(graph, model))
    if model.classes is None:
        graph.output("variable", values, [None, model.width], onnx.TensorProto.DOUBLE)
    else:
        _add_classes(graph, model, values)
    return graph.made()


class _Graph:
    """A graph under construction, with distinct names of nodes, constants, inputs and outputs."""

    def __init__(self, onnx: Any, reserved: list[str]) -> None:
        self._onnx = onnx
        self._names = set(reserved)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def name(self, wanted: str) -> str:
        while not wanted or wanted in self._names:
            wanted += "_"
        self._names.add(wanted)
        return wanted

    def input(self, name: str, n_columns: int, dtype: int) -> str:
        name = self.name(name)
        make = self._onnx.helper.make_tensor_value_info
        self._inputs.append(make(name, dtype, [None, n_columns]))
        return name

    def output(self, name: str, of: str, shape: list[int | None], dtype: int) -> None:
        self._nodes.append(self._onnx.helper.make_node("Identity", [of], [name]))
        self._outputs.append(self._onnx.helper.make_tensor_value_info(name, dtype, shape))

    def constant(self, values: Any) -> str:
        tensor = self.tensor(values)
        tensor.name = self.name("constant")
        self._constants.append(tensor)
        return str(tensor.name)

    def tensor(self, values: Any) -> Any:
        return self._onnx.numpy_helper.from_array(np.asarray(values))

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        name = self.name(operator.lower())
        node = self._onnx.helper.make_node(
            operator, list(inputs), [name], domain=domain, **attributes
        )
        self._nodes.append(node)
        return name

    def made(self) -> Any:
        make = self._onnx.helper
        graph = make.make_graph(
            self._nodes, "silvics", self._inputs, self._outputs, self._constants
        )
        # The oldest versions that have all operators, for compatibility with many runtimes.
        versions = [make.make_opsetid("", 13), make.make_opsetid("ai.onnx.ml", 5)]
        return make.make_model(graph, opset_imports=versions, ir_version=10)


# ---- inputs


def _add_inputs(graph: _Graph, model: PlainModel) -> str:
    """Add one matrix of doubles, or one input for each column if there are categories."""
    of = graph._onnx.TensorProto
    if all(levels is None for levels in model.variables.levels):
        return graph.input("X", model.n_features, of.DOUBLE)
    columns = []
    for name, levels in zip(model.names, model.variables.levels, strict=True):
        is_text = levels is not None and levels.dtype.kind == "O" and len(levels) > 0
        column = graph.input(name, 1, of.STRING if is_text else of.DOUBLE)
        columns.append(column if levels is None else _numbered(graph, column, name, levels))
    return graph.add("Concat", *columns, axis=1)


def _numbered(graph: _Graph, column: str, name: str, levels: np.ndarray) -> str:
    """Encode a column of levels by their codes; other values become NaN."""
    if levels.dtype.kind in "mM" or any_inexact(levels):
        raise ValueError(
            "ONNX supports categories of text, and of numbers that float64 can represent, but "
            f"column {name!r} has other levels, such as {example(levels)}. Use to_json() or to_c()."
        )
    if not len(levels):  # no tree splits on the column
        return column
    return graph.add(
        "LabelEncoder",
        column,
        domain="ai.onnx.ml",
        keys_tensor=graph.tensor(levels),
        values_tensor=graph.tensor(np.arange(len(levels), dtype=np.float64)),
        default_tensor=graph.tensor(np.array([np.nan])),
    )


# ---- trees


def _add_values(graph: _Graph, model: PlainModel, X: str) -> str:
    """Add the mean over the trees of the values of their leaves, of shape (rows, width)."""
    rows, row_of_leaf = distinct_rows(model.leaf_predictions())
    trees = _ensemble(graph, model, row_of_leaf)
    numbers = graph.add("TreeEnsemble", X, domain="ai.onnx.ml", **trees)
    numbers = graph.add("Cast", numbers, to=graph._onnx.TensorProto.INT64)
    by_tree = graph.add("Gather", graph.constant(rows), numbers, axis=0)
    sums = graph.add("CumSum", by_tree, graph.constant(np.array(1)))
    whole = graph.add("Gather", sums, graph.constant(np.array(model.n_trees - 1)), axis=1)
    return graph.add("Div", whole, graph.constant(np.array(float(model.n_trees))))


def _ensemble(graph: _Graph, model: PlainModel, row_of_leaf: np.ndarray) -> dict[str, Any]:
    """Return the attributes of the operator, which numbers inner nodes and leaves separately."""
    is_leaf = model.is_leaf
    is_written = ~is_leaf  # a root that is a leaf becomes a split with two equal children
    is_written[model.roots[:-1]] = True
    at, position = np.flatnonzero(is_written), np.cumsum(is_written) - 1
    number = np.where(is_leaf, np.cumsum(is_leaf) - 1, position)
    true, false = model.left[at], model.right[at]
    is_set = np.isnan(model.threshold[at])
    tree_of_leaf = np.searchsorted(model.roots, np.flatnonzero(is_leaf), "right") - 1
    members: list[float] = []
    for split in model.splits.values():
        # Runtimes need at least one member in every set; -1 is not the code of a level.
        members += [*(split.left_levels or [-1]), np.nan]
    attributes = {
        "n_targets": model.n_trees,
        "aggregate_function": _SUM,
        "tree_roots": position[model.roots[:-1]].tolist(),
        "nodes_modes": graph.tensor(np.where(is_set, _MEMBER, _LEQ).astype(np.uint8)),
        "nodes_featureids": np.maximum(model.feature[at], 0).tolist(),
        "nodes_splits": graph.tensor(np.where(is_set, 0.0, model.threshold[at])),
        "nodes_missing_value_tracks_true": model.missing_left[at].astype(int).tolist(),
        "nodes_truenodeids": number[true].tolist(),
        "nodes_trueleafs": is_leaf[true].astype(int).tolist(),
        "nodes_falsenodeids": number[false].tolist(),
        "nodes_falseleafs": is_leaf[false].astype(int).tolist(),
        "leaf_targetids": tree_of_leaf.tolist(),
        "leaf_weights": graph.tensor(row_of_leaf.astype(np.float64)),
    }
    if members:
        attributes["membership_values"] = graph.tensor(np.array(members))
    return attributes


# ---- classes


def _add_classes(graph: _Graph, model: PlainModel, values: str) -> None:
    """Add the outputs ``label`` and ``probabilities``; ``probabilities_0``, ... if several."""
    assert model.classes is not None
    of, one = graph._onnx.TensorProto, len(model.classes) == 1
    shares, labels = [], []
    for classes, columns in zip(model.classes, model.outputs, strict=True):
        limits = [graph.constant(np.array([n])) for n in (columns.start, columns.stop, 1)]
        shares.append(graph.add("Slice", values, *limits))
        likeliest = graph.add("ArgMax", shares[-1], axis=1, keepdims=0 if one else 1)
        labels.append(graph.add("Gather", graph.constant(_label_values(classes)), likeliest))
    label = labels[0] if one else graph.add("Concat", *labels, axis=1)
    kind = graph._onnx.helper.np_dtype_to_tensor_dtype(_label_values(model.classes[0]).dtype)
    graph.output("label", label, [None] if one else [None, len(labels)], kind)
    for k, (classes, of_output) in enumerate(zip(model.classes, shares, strict=True)):
        name = "probabilities" if one else f"probabilities_{k}"
        graph.output(name, of_output, [None, len(classes)], of.DOUBLE)


def _label_values(classes: np.ndarray) -> np.ndarray:
    """Convert labels to a type of ONNX: text, int64, bool or float64."""
    if classes.dtype.kind in "OU" and all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(object)
    if classes.dtype.kind in "iu" and classes.max() <= np.iinfo(np.int64).max:
        return classes.astype(np.int64)
    if classes.dtype.kind in "bf":
        return classes.astype(bool if classes.dtype.kind == "b" else np.float64)
    raise ValueError(
        "ONNX supports class labels that are text, 64-bit integers, booleans or float64, but this "
        f"model has others, such as {example(classes)}. Fit on such labels, or use to_json() or "
        "to_c()."
    )
