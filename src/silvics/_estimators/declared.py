"""Parameters and fitted attributes of the estimators, declared for type checkers and editors.

Constructors store their arguments with ``keep_parameters``, which type checkers cannot follow.
These classes consist of annotations only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class TableParameters:
    """Parameters and fitted attributes that describe the table X."""

    categorical_features: Any
    min_category_frequency: int
    unknown_category: str
    missing: str

    n_features_in_: int
    feature_names_in_: np.ndarray
    n_outputs_: int


class GrowthParameters(TableParameters):
    """Parameters and fitted attributes of trees and forests."""

    criterion: Any
    max_depth: int | None
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: float
    max_features: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    random_state: Any
    ccp_alpha: float
    monotonic_cst: Any
    constant_features: str
    search: str
    max_bins: int | None
    binning: str
    split_sample: int | None
    growth: str | None
    category_gain: str

    # Classifiers only.
    class_weight: Any
    classes_: Any
    n_classes_: Any

    max_features_: int
    _class_labels: list[np.ndarray]  # labels of the trees of a forest, whose classes_ are numbers


class ForestParameters(GrowthParameters):
    """Parameters and fitted attributes that only forests have."""

    n_estimators: Any
    bootstrap: bool
    max_samples: Any
    oob_score: Any
    keep_samples: bool
    calibrate: str | None  # classifiers only
    n_jobs: int | None
    verbose: int
    warm_start: bool
    feature_weights: Any
    interaction_cst: Any
    progress: Callable[[int, int], object] | None
    max_time: float | None
    max_memory: float | str | None
    early_stopping: bool
    n_iter_no_change: int
    tol: float
    engine: str | None
    resume: Any
    tune: Any
    scoring: Any

    interrupted_: bool
    stopped_: str | None
    oob_score_: float
    oob_decision_function_: np.ndarray
    oob_prediction_: np.ndarray
    _oob_stats: list[Any]


class RecipeParameters:
    """Parameters that only forests of any recipe have."""

    recipe: str
    rows: str | None
    columns: str | None
    max_columns: Any
    variables: str | None
    cut: str | None
    relevant: Any
    range_sample: int | None
    choice: str | None
    n_best: int
    near_best: float
    near_best_depth: int
    split: str | None
    n_combined: int
    max_values: int
    split_pure: bool | None
    significance: float | None
    n_permutations: int
    honest: float | None
    pruning: str | None
    validation_fraction: float
    confidence: float
    vote: str | None
    stages: int | None
    relief_samples: int
    relief_neighbors: int
    min_score: float | None
    min_impurity_split: float
    max_majority: float  # classifiers only
    max_splits: int | None
    class_samples: Any  # classifiers only
    always_split: Any
    target_score: float | None
