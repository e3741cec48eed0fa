"""The estimators, attributes and arrays that a model file may have."""

from __future__ import annotations

from collections.abc import Callable
from sys import float_info
from typing import Any

from silvics._fitting.parameters import MAX_DRAWS
from silvics._fitting.tunable import is_chosen
from silvics._predicting.calibrated import is_calibration
from silvics._predicting.oob_stats import is_stats

ESTIMATORS = (
    "DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor",
    "RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier",
    "ExtraTreesRegressor", "ForestClassifier", "ForestRegressor", "IsolationForest",
    "RandomTreesEmbedding", "RandomPatchesClassifier", "RandomPatchesRegressor",
)  # fmt: skip

# One letter per variable, so that the number of variables is bounded by the size of the file.
KINDS = {
    "number": ".", "date": "d", "duration": "t", "category": "c", "ordered": "o", "nothing": "-",
}  # fmt: skip
KIND_OF = {letter: kind for kind, letter in KINDS.items()}
# Types of levels: text, numbers, times.
LEVELS = ("|O", "<f8", "<i8", "<u8", "<M8[us]", "<m8[us]")
# Names of the arrays of training statistics; the other arrays belong to the packed forest.
STATS = (
    "layout", "impurity_exponent", "samples", "weights", "first_impurity", "impurity",
    "first_class_weight", "class_weights", "first_node_value", "node_values",
)  # fmt: skip


def is_int(least: int, most: int = 2**62) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value <= most


def or_none(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


def is_bool(value: Any) -> bool:
    return type(value) is bool


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= float_info.max


# Scalar attributes, and the checks of their values.
FITTED: dict[str, Callable[[Any], bool]] = {
    "max_features_": is_int(0),
    "interrupted_": is_bool,
    "stopped_": or_none(lambda value: isinstance(value, str) and len(value) < 1000),
    "oob_score_": is_number,
    "_oob_stats": is_stats,
    "_calibration": is_calibration,
    "best_params_": is_chosen,
    "best_score_": is_number,
    "max_samples_": is_int(1),
    "offset_": is_number,
    "_n_columns_of_tree": is_int(1),
    "max_columns_": is_int(1),
    "n_passes_": is_int(0),
    "bytes_read_": is_int(0),
    "_frame_library": lambda value: value in ("pandas", "polars", "pyarrow", "modin", "cudf"),
}
# How the rows of trees were drawn: the key in files, the field of RowSampling, and the check of its
# value. Files of merged and converted forests do not have these entries.
SAMPLING: list[tuple[str, str, Callable[[Any], bool]]] = [
    ("n_samples", "n_samples", is_int(1, 2**32 - 2)),
    ("rows", "rows", lambda value: value in ("all", "bootstrap", "subsample", "patches")),
    ("n_samples_bootstrap", "n_drawn", or_none(is_int(1, MAX_DRAWS))),
    ("balanced_subsample", "balanced", is_bool),
    ("structure", "structure", lambda value: is_number(value) and 0 <= value < 1),
]

is_seed = is_int(0, 2**32 - 1)

# Arrays of the training rows of leaves, and their names in the core.
SAMPLES = {
    "member_first_leaf": "first_leaf", "member_ends": "ends", "member_rows": "rows",
    "member_weights": "weights", "member_row_weights": "row_weights",
}  # fmt: skip

# Parameters that say where and how the trees of one fit were grown, and are not in files: a loaded
# model connects to no address and writes to no folder by itself.
OF_ONE_FIT = frozenset({"engine", "resume"})

# Attributes that are arrays with one element or row per training row.
ROWS = ("oob_decision_function_", "oob_prediction_")
# All attributes that are restored from a file.
RESTORED = frozenset(
    {*FITTED, *ROWS, "_grown", "_estimators", "tree_", "_variables",
      "n_features_in_", "feature_names_in_", "n_outputs_", "classes_", "n_classes_"}
)  # fmt: skip


def own_name(kind: type) -> str:
    """Return the name of the silvics estimator that a class is or is derived from."""
    return next(
        base.__name__
        for base in kind.__mro__
        if base.__name__ in ESTIMATORS and base.__module__.startswith("silvics.")
    )
