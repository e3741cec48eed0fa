"""The estimators ``ForestClassifier`` and ``ForestRegressor``, which grow any recipe."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from silvics._docs import documented, keep_parameters
from silvics._estimators.any_recipe import (
    CLASS_CONSTRAINTS,
    CONSTRAINTS,
    OPTION_CONSTRAINTS,
    AnyRecipe,
)
from silvics._estimators.base_forest import BaseForestClassifier, BaseForestRegressor
from silvics._fitting.parameters import CLASSIFICATION_CRITERIA, REGRESSION_CRITERIA
from silvics._parameter_docs import RECIPE_VARIANTS
from silvics.trees import DecisionTreeClassifier, DecisionTreeRegressor


@documented(
    "estimator_ estimators_ classes_ n_classes_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ feature_importances_ oob_score_ "
    "oob_decision_function_ calibration_ estimators_samples_ work_ interrupted_ "
    "stopped_ best_params_ best_score_ tuning_results_",
    """
    >>> from sklearn.datasets import load_iris
    >>> from silvics import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier("pert", random_state=0).fit(X, y)
    >>> forest.predict(X[:3])
    array([0, 0, 0])
    >>> tree = ForestClassifier("c4.5", random_state=0).fit(X, y)
    >>> len(tree), tree[0].get_n_leaves() < 10
    (1, True)
    """,
    RECIPE_VARIANTS,
)
class ForestClassifier(AnyRecipe, BaseForestClassifier):
    """Forest for classification, grown by any recipe.

    A recipe names an algorithm of the literature and sets the parameters that define it; see
    :mod:`silvics.recipes`. A parameter that is not None overrides the value of the recipe.
    """

    _tree_class = DecisionTreeClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        **OPTION_CONSTRAINTS,
        **CLASS_CONSTRAINTS,
        "criterion": [StrOptions({*CLASSIFICATION_CRITERIA, "gain_ratio"}), callable, None],
        "class_weight": BaseForestClassifier._parameter_constraints["class_weight"],
        "calibrate": BaseForestClassifier._parameter_constraints["calibrate"],
    }

    def __init__(
        self,
        recipe: str = "random_forest",
        n_estimators: int | None = None,
        *,
        criterion: Any = None,
        rows: str | None = None,
        max_samples: float | str | None = None,
        class_samples: Any = None,
        columns: str | None = None,
        max_columns: float | str | None = None,
        variables: str | None = None,
        max_features: float | str | None = None,
        feature_weights: Any = None,
        always_split: Any = None,
        interaction_cst: Any = None,
        keep_samples: bool = False,
        cut: str | None = None,
        relevant: Any = None,
        range_sample: int | None = None,
        choice: str | None = None,
        n_best: int = 20,
        near_best: float = 0.25,
        near_best_depth: int = 2,
        relief_samples: int = 100,
        relief_neighbors: int = 5,
        min_score: float | None = None,
        split: str | None = None,
        n_combined: int = 3,
        max_values: int = 10,
        missing: str = "learned",
        growth: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_impurity_split: float = 0.0,
        split_pure: bool | None = None,
        max_majority: float = 1.0,
        significance: float | None = None,
        n_permutations: int = 0,
        honest: float | None = None,
        pruning: str | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        vote: str | None = None,
        stages: int | None = None,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        calibrate: str | None = None,
        monotonic_cst: Any = None,
        constant_features: str = "count",
        search: str = "auto",
        max_bins: int | None = None,
        binning: str = "frequency",
        split_sample: int | None = None,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 1,
        category_gain: str = "plain",
        unknown_category: str = "missing",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        target_score: float | None = None,
        engine: str | None = None,
        resume: str | PathLike[str] | None = None,
        tune: Any = None,
        scoring: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented(
    "estimator_ estimators_ feature_importances_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ oob_score_ oob_prediction_ estimators_samples_ "
    "work_ interrupted_ stopped_ best_params_ best_score_ tuning_results_",
    """
    >>> from sklearn.datasets import load_diabetes
    >>> from silvics import ForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor("extra_trees", min_samples_leaf=5, random_state=0).fit(X, y)
    >>> bool(forest.score(X, y) > 0.4)
    True
    """,
    RECIPE_VARIANTS,
)
class ForestRegressor(AnyRecipe, BaseForestRegressor):
    """Forest for regression, grown by any recipe.

    A recipe names an algorithm of the literature and sets the parameters that define it; see
    :mod:`silvics.recipes`. A parameter that is not None overrides the value of the recipe.
    """

    _tree_class = DecisionTreeRegressor
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        **OPTION_CONSTRAINTS,
        "criterion": [StrOptions(REGRESSION_CRITERIA), callable, None],
    }

    def __init__(
        self,
        recipe: str = "random_forest",
        n_estimators: int | None = None,
        *,
        criterion: Any = None,
        rows: str | None = None,
        max_samples: float | str | None = None,
        columns: str | None = None,
        max_columns: float | str | None = None,
        variables: str | None = None,
        max_features: float | str | None = None,
        feature_weights: Any = None,
        always_split: Any = None,
        interaction_cst: Any = None,
        keep_samples: bool = False,
        cut: str | None = None,
        relevant: Any = None,
        range_sample: int | None = None,
        choice: str | None = None,
        n_best: int = 20,
        near_best: float = 0.25,
        near_best_depth: int = 2,
        relief_samples: int = 100,
        relief_neighbors: int = 5,
        min_score: float | None = None,
        split: str | None = None,
        n_combined: int = 3,
        max_values: int = 10,
        missing: str = "learned",
        growth: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        min_impurity_split: float = 0.0,
        split_pure: bool | None = None,
        significance: float | None = None,
        n_permutations: int = 0,
        honest: float | None = None,
        pruning: str | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        vote: str | None = None,
        stages: int | None = None,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        monotonic_cst: Any = None,
        constant_features: str = "count",
        search: str = "auto",
        max_bins: int | None = None,
        binning: str = "frequency",
        split_sample: int | None = None,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 1,
        category_gain: str = "plain",
        unknown_category: str = "missing",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        target_score: float | None = None,
        engine: str | None = None,
        resume: str | PathLike[str] | None = None,
        tune: Any = None,
        scoring: Any = None,
    ) -> None:
        keep_parameters(self, locals())
