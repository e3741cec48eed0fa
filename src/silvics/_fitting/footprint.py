"""The memory that ``fit`` needs, as far as it is known before trees grow."""

from __future__ import annotations

from math import expm1
from typing import Any

from silvics._fitting.learning_task import LearningTask
from silvics._fitting.stopping import Footprint

# Bytes of working memory of a thread for each distinct row of its tree, as measured: for classes,
# for numbers with the best cuts, and for numbers with random cuts.
_CLASSES, _BEST_CUTS, _RANDOM_CUTS = 55, 78, 42
_BASE = 500_000  # threads, and small objects
# A packed node, with which rows are sent down the trees.
_BYTES_PER_PACKED_NODE = 20
# A row of a tree in the training rows by leaf: its number and its in-bag weight.
_BYTES_PER_KEPT_ROW = 5


def least_table_bytes(task: LearningTask) -> int:
    """Return a lower bound of the memory of the coded table, before it is made."""
    coded = task.axes.cut == "best" and task.axes.split == "binary" and task.X.sparse is None
    return task.X.shape[0] * task.X.shape[1] if coded else 0  # a byte for each value


def footprint_of(forest: Any, task: LearningTask, table_bytes: int, n_threads: int) -> Footprint:
    """Return the memory that a fit needs besides X, y and the trees."""
    n_rows, outputs = task.X.shape[0], task.outputs
    n_drawn = task.sampling.n_rows_drawn
    repeats = task.sampling.rows == "bootstrap"
    distinct = n_rows * -expm1(-n_drawn / n_rows) if repeats else min(n_drawn, n_rows)
    width = sum(outputs.n_classes) or outputs.n_outputs
    if outputs.n_classes:
        of_row = _CLASSES
    else:
        of_row = _BEST_CUTS if task.axes.cut == "best" else _RANDOM_CUTS
    of_row += 8 * (outputs.n_outputs - 1)
    if getattr(forest, "search", "auto") == "presort":  # a row number for each variable
        of_row += 4 * task.X.shape[1]
    fixed = (
        _BASE + table_bytes + n_rows * 8 * outputs.n_outputs + int(n_threads * distinct * of_row)
    )
    calibrates = getattr(forest, "calibrate", None) is not None
    predicts = forest.oob_score or getattr(forest, "early_stopping", False) or calibrates
    predicts = predicts or getattr(forest, "target_score", None) is not None
    if predicts:
        fixed += 2 * 8 * width * n_rows
    keeps = getattr(forest, "keep_samples", False)
    packs = predicts or keeps
    return Footprint(
        fixed,
        per_tree=_BYTES_PER_KEPT_ROW * n_rows if keeps else 0,
        per_node=(_BYTES_PER_PACKED_NODE if packs else 0) + (6 if keeps else 0),
    )
