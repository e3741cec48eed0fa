"""The forest estimators with scikit-learn's names (thesis ch. 4)."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from silvics._docs import documented, keep_parameters
from silvics._estimators.base_forest import BaseForestClassifier, BaseForestRegressor
from silvics.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)


@documented(
    "estimator_ estimators_ classes_ n_classes_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ feature_importances_ oob_score_ "
    "oob_decision_function_ calibration_ estimators_samples_ work_ interrupted_ "
    "stopped_ best_params_ best_score_ tuning_results_",
    """
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0, oob_score=True).fit(X, y)
    >>> bool(forest.oob_score_ > 0.9)
    True
    >>> forest.predict(X[:3])
    array([0, 0, 0])
    """,
)
class RandomForestClassifier(BaseForestClassifier):
    """Random forest for classification (Breiman 2001).

    Each tree is grown on a bootstrap sample of the rows. Each node draws ``max_features`` variables
    at random and makes the best split on one of them. The forest predicts the class with the
    largest mean probability over the trees.
    """

    _recipe = "random_forest"
    _tree_class = DecisionTreeClassifier

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        feature_weights: Any = None,
        interaction_cst: Any = None,
        keep_samples: bool = False,
        calibrate: str | None = None,
        constant_features: str = "count",
        search: str = "auto",
        max_bins: int | None = None,
        binning: str = "frequency",
        split_sample: int | None = None,
        growth: str | None = None,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 2,
        category_gain: str = "adjusted",
        unknown_category: str = "missing",
        missing: str = "learned",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
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
    >>> from silvics import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(random_state=0, oob_score=True).fit(X, y)
    >>> bool(forest.oob_score_ > 0.35)
    True
    """,
)
class RandomForestRegressor(BaseForestRegressor):
    """Random forest for regression (Breiman 2001).

    Each tree is grown on a bootstrap sample of the rows. Each node draws ``max_features`` variables
    at random and makes the best split on one of them. The forest predicts the mean of the
    predictions of its trees.
    """

    _recipe = "random_forest"
    _tree_class = DecisionTreeRegressor

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        feature_weights: Any = None,
        interaction_cst: Any = None,
        keep_samples: bool = False,
        constant_features: str = "count",
        search: str = "auto",
        max_bins: int | None = None,
        binning: str = "frequency",
        split_sample: int | None = None,
        growth: str | None = None,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 2,
        category_gain: str = "adjusted",
        unknown_category: str = "missing",
        missing: str = "learned",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        engine: str | None = None,
        resume: str | PathLike[str] | None = None,
        tune: Any = None,
        scoring: Any = None,
    ) -> None:
        keep_parameters(self, locals())


@documented(
    "estimator_ estimators_ classes_ n_classes_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ feature_importances_ oob_score_ "
    "oob_decision_function_ calibration_ estimators_samples_ work_ interrupted_ "
    "stopped_ best_params_ best_score_ tuning_results_",
    """
    >>> from sklearn.datasets import load_iris
    >>> from silvics import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """,
)
class ExtraTreesClassifier(BaseForestClassifier):
    """Extra-Trees, a forest of extremely randomized trees, for classification.

    Each tree is grown on all rows. Each node draws ``max_features`` variables and one random
    threshold for each of them, and makes the best of these splits (Geurts et al. 2006).
    """

    _recipe = "extra_trees"
    _tree_class = ExtraTreeClassifier

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        feature_weights: Any = None,
        interaction_cst: Any = None,
        keep_samples: bool = False,
        calibrate: str | None = None,
        constant_features: str = "count",
        search: str = "auto",
        max_bins: int | None = None,
        binning: str = "frequency",
        split_sample: int | None = None,
        growth: str | None = None,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 2,
        category_gain: str = "adjusted",
        unknown_category: str = "missing",
        missing: str = "learned",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
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
    >>> from silvics import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreesRegressor(random_state=0).fit(X, y).score(X, y)
    1.0
    """,
)
class ExtraTreesRegressor(BaseForestRegressor):
    """Extra-Trees, a forest of extremely randomized trees, for regression.

    Each tree is grown on all rows. Each node draws ``max_features`` variables and one random
    threshold for each of them, and makes the best of these splits (Geurts et al. 2006).
    """

    _recipe = "extra_trees"
    _tree_class = ExtraTreeRegressor

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        feature_weights: Any = None,
        interaction_cst: Any = None,
        keep_samples: bool = False,
        constant_features: str = "count",
        search: str = "auto",
        max_bins: int | None = None,
        binning: str = "frequency",
        split_sample: int | None = None,
        growth: str | None = None,
        categorical_features: Any = "from_dtype",
        min_category_frequency: int = 2,
        category_gain: str = "adjusted",
        unknown_category: str = "missing",
        missing: str = "learned",
        progress: Callable[[int, int], object] | None = None,
        max_time: float | None = None,
        max_memory: float | str | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        engine: str | None = None,
        resume: str | PathLike[str] | None = None,
        tune: Any = None,
        scoring: Any = None,
    ) -> None:
        keep_parameters(self, locals())
