"""Which parameters can be tuned, and what a model file keeps of the choice."""

from __future__ import annotations

from sys import float_info
from typing import Any

# Limits of growth, each with the value that does not limit.
LIMITS: dict[str, Any] = {
    "max_depth": None,
    "min_samples_split": 2,
    "min_impurity_decrease": 0.0,
    "max_leaf_nodes": None,
}
# Parameters that change splits or rows, so that each value needs trees of its own.
RACED = (
    "criterion", "max_features", "max_samples", "min_samples_leaf", "min_weight_fraction_leaf",
    "bootstrap", "recipe", "rows", "cut", "choice", "variables", "split", "n_combined",
    "split_sample", "max_bins",
)  # fmt: skip


def is_chosen(content: Any) -> bool:
    """Return whether a value from a file can be ``best_params_``."""
    known = {*LIMITS, *RACED, "tune", "calibrate"}
    return isinstance(content, dict) and all(
        name in known and (_is_shrinkage(value) if name == "tune" else _is_plain(value))
        for name, value in content.items()
    )


def shrinkage_of(chosen: dict[str, Any]) -> float:
    """Return the shrinkage of ``best_params_``."""
    return float(chosen["tune"]["shrinkage"][0]) if chosen.get("tune") else 0.0


def _is_plain(value: Any) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return abs(value) <= float_info.max
    return value is None or isinstance(value, bool) or (isinstance(value, str) and len(value) < 100)


def _is_shrinkage(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and value.keys() == {"shrinkage"}
        and isinstance(value["shrinkage"], list)
        and len(value["shrinkage"]) == 1
        and type(value["shrinkage"][0]) in (int, float)
        and 0 <= value["shrinkage"][0] <= float_info.max
    )
