"""Trees and errors as bytes: the containers of model files, in which nothing is executed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from silvics import _core
from silvics._predicting.grown_forest import Work
from silvics._predicting.prediction import Trees
from silvics.model_file import container
from silvics.model_file.container import ModelFileError, refuse
from silvics.model_file.state import STATS

_FORMAT = "silvics-task"


def encode(content: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return values of JSON and arrays as the bytes of a container."""
    metadata = {"format": _FORMAT, "content": json.dumps(dict(content))}
    return container.to_bytes(metadata, dict(arrays))


def decode(encoded: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what was given to ``encode``; ModelFileError if the bytes are not valid."""
    if isinstance(encoded, bytes | bytearray | memoryview):
        encoded = np.frombuffer(encoded, dtype=np.uint8)
    if not isinstance(encoded, np.ndarray) or encoded.dtype != np.uint8 or encoded.ndim != 1:
        refuse("it is not an array of bytes")
    metadata, arrays = container.from_bytes(np.ascontiguousarray(encoded))
    if metadata.get("format") != _FORMAT or "content" not in metadata:
        refuse("it is not the result of a task")
    return container.parsed(metadata["content"].encode("utf-8", "surrogatepass")), arrays


def tree_arrays(
    trees: Sequence[_core.Tree], work: Sequence[Work]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the shape and the arrays of some trees and of the work of growing them."""
    if not trees:
        return {"n_trees": 0}, {}
    stored = Trees(trees)
    packed = stored.packed
    shape = {
        "n_trees": len(trees),
        "n_features": packed.n_features,
        "n_outputs": packed.n_outputs,
        "n_classes": list(packed.n_classes),
        "both_children": packed.both_children,
    }
    arrays = {**packed.arrays(), **stored.stats().arrays(), "work": np.array(work, np.uint64)}
    return shape, arrays


def trees_of(
    shape: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> tuple[list[_core.Tree], list[Work]]:
    """Return the trees that were given to ``tree_arrays``; ModelFileError if they are not valid."""
    if shape.get("n_trees") == 0:
        return [], []
    try:
        given = dict(arrays)
        work = given.pop("work")
        stats = {name: given.pop(name) for name in STATS if name in given}
        packed = _core.PackedForest.from_arrays(
            given, shape["n_features"], shape["n_outputs"], shape["n_classes"],
            shape["both_children"],
        )  # fmt: skip
        trees = _core.TrainingStats.from_arrays(packed, stats).trees(packed)
        if work.dtype != np.uint64 or work.shape != (len(trees), 4):
            refuse("the work of growing does not match its trees")
        if shape["n_trees"] != len(trees):
            refuse("the number of trees does not match its header")
        return trees, [tuple(of_tree) for of_tree in work.tolist()]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"Not the trees of a task: {error!r}.") from error
