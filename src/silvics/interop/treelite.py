"""Export to Treelite, by filling its arrays of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from silvics.interop.plain_model import PlainModel

if TYPE_CHECKING:
    import treelite

_LEAF, _THRESHOLD, _CATEGORY = 0, 1, 2  # Treelite types of nodes
_LESS_OR_EQUAL = 3


def to_treelite(model: PlainModel) -> treelite.Model:
    """Return the model as a Treelite model."""
    try:
        from treelite import model_builder
    except ImportError as error:
        raise ImportError(
            "to_treelite() needs the package treelite. Install it with: pip install "
            "silvics[treelite]."
        ) from error
    model.require_splits_in_two("Treelite")
    made = _with_trees_of_one_leaf(model, model_builder)
    values = _padded(model)
    first_leaf = 0
    for m, (begin, end) in enumerate(zip(model.roots[:-1], model.roots[1:], strict=True)):
        n_leaves = int(model.is_leaf[begin:end].sum())
        tree = made.get_tree_accessor(m)
        for name, array in _arrays(
            model, begin, end, values[first_leaf : first_leaf + n_leaves]
        ).items():
            tree.set_field(name, np.ascontiguousarray(array))
        first_leaf += n_leaves
    return made


def _with_trees_of_one_leaf(model: PlainModel, builder: Any) -> treelite.Model:
    """Create a Treelite model with trees of one leaf; building it node by node is too slow."""
    n_classes = [1] * model.width if model.classes is None else [len(c) for c in model.classes]
    shape = (len(n_classes), max(n_classes))
    # A class or target of -1 means that a leaf has values for all classes or targets.
    target, of_class = (0 if shape[0] == 1 else -1), (0 if shape[1] == 1 else -1)
    is_classifier = model.classes is not None
    building = builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=builder.Metadata(
            num_feature=model.n_features,
            task_type="kMultiClf" if is_classifier else "kRegressor",
            average_tree_output=True,
            num_target=shape[0],
            num_class=n_classes,
            leaf_vector_shape=shape,
        ),
        tree_annotation=builder.TreeAnnotation(
            num_tree=model.n_trees,
            target_id=[target] * model.n_trees,
            class_id=[of_class] * model.n_trees,
        ),
        postprocessor=builder.PostProcessorFunc(
            name="identity_multiclass" if is_classifier else "identity"
        ),
        base_scores=[0.0] * (shape[0] * shape[1]),
    )
    for _ in range(model.n_trees):
        building.start_tree()
        building.start_node(0)
        building.leaf(0.0 if shape == (1, 1) else [0.0] * (shape[0] * shape[1]))
        building.end_node()
        building.end_tree()
    return building.commit()


def _padded(model: PlainModel) -> np.ndarray:
    """Return leaf values of shape (leaves, outputs, classes), padded with zeros."""
    predictions = model.leaf_predictions()
    outputs = model.outputs
    made = np.zeros((len(predictions), len(outputs), max(o.stop - o.start for o in outputs)))
    for k, columns in enumerate(outputs):
        made[:, k, : columns.stop - columns.start] = predictions[:, columns]
    return made


def _arrays(model: PlainModel, begin: int, end: int, values: np.ndarray) -> dict[str, np.ndarray]:
    """Return the fields of the tree with the nodes from begin to end."""
    n, nodes = end - begin, slice(begin, end)
    is_leaf, threshold = model.is_leaf[nodes], model.threshold[nodes]
    is_set = np.isnan(threshold)
    sets = [model.splits[begin + t].left_levels for t in np.flatnonzero(is_set).tolist()]
    sizes = np.zeros(n, dtype=np.uint64)
    sizes[is_set] = [len(levels) for levels in sets]
    width = values[0].size
    value_ends = np.cumsum(is_leaf * np.uint64(width if width > 1 else 0))
    scalars = np.zeros(n)
    if width == 1:
        scalars[is_leaf] = values.ravel()
    kind = np.where(is_leaf, _LEAF, np.where(is_set, _CATEGORY, _THRESHOLD))
    return {
        "num_nodes": np.array([n], dtype=np.int32),
        "has_categorical_split": np.array([is_set.any()], dtype=np.uint8),
        "node_type": kind.astype(np.int8),
        "cleft": np.where(is_leaf, -1, model.left[nodes] - begin).astype(np.int32),
        "cright": np.where(is_leaf, -1, model.right[nodes] - begin).astype(np.int32),
        "split_index": np.where(is_leaf, -1, model.feature[nodes]).astype(np.int32),
        "default_left": model.missing_left[nodes].astype(np.uint8),
        "leaf_value": scalars,
        "threshold": np.where(kind == _THRESHOLD, threshold, 0.0),
        "cmp": np.where(kind == _THRESHOLD, _LESS_OR_EQUAL, 0).astype(np.int8),
        "category_list_right_child": np.zeros(n, dtype=np.uint8),
        "leaf_vector": values.ravel() if width > 1 else np.zeros(0),
        "leaf_vector_begin": np.concatenate([[0], value_ends[:-1]]).astype(np.uint64),
        "leaf_vector_end": value_ends.astype(np.uint64),
        "category_list": np.array([c for levels in sets for c in levels], dtype=np.uint32),
        "category_list_begin": (np.cumsum(sizes) - sizes).astype(np.uint64),
        "category_list_end": np.cumsum(sizes).astype(np.uint64),
    }
