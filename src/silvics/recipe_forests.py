"""Forests of any recipe: the estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from silvics._docs import documented, keep_parameters
from silvics._estimators.any_recipe import CONSTRAINTS, AnyRecipe
from silvics._estimators.base_forest import BaseForestClassifier, BaseForestRegressor
from silvics._fitting.parameters import CLASSIFICATION_CRITERIA, REGRESSION_CRITERIA
from silvics.trees import DecisionTreeClassifier, DecisionTreeRegressor

_OF_RECIPES = {
    "n_estimators": ("int or None", "Number of trees; None is the recipe's."),
    "criterion": (
        "str or None",
        "What a split decreases: an impurity as in the classic estimators; for classes also "
        '"gain_ratio" (C4.5). None is the recipe\'s.',
    ),
    "max_samples": (
        'int, float, "all" or None',
        "How many rows a tree draws, a float being a share of all; None is the recipe's.",
    ),
    "max_features": (
        'int, float, {"sqrt", "log2", "all"} or None',
        "Variables drawn at a node, K; a float is a share of the tree's columns, None the "
        "recipe's.",
    ),
    "missing": (
        '{"learned", "apart", "both", "error"}',
        "Where samples go whose value is missing: to the side that was better in ``fit``, to a "
        "third child, to both children with half their weight; or an error.",
    ),
    "growth": (
        '{"depth_first", "best_first", "breadth_first", "random"} or None',
        "Which open node is split next, which matters with ``max_leaf_nodes`` only; None is the "
        "recipe's.",
    ),
    "max_depth": ("int or None", "Levels of splits at most; None is the recipe's, or no limit."),
    "max_leaf_nodes": ("int or None", "Leaves at most; None is the recipe's, or no limit."),
    "min_samples_split": (
        "int, float or None",
        "Samples that a node needs to be split; a float is a share of all, None the recipe's.",
    ),
    "min_samples_leaf": (
        "int, float or None",
        "Samples that each child needs, in honest trees of those that fill leaves; a float is a "
        "share of all, None the recipe's.",
    ),
}


@documented(
    "estimator_ estimators_ classes_ n_classes_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ feature_importances_ oob_score_ "
    "oob_decision_function_ estimators_samples_ work_ interrupted_",
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
    _OF_RECIPES,
)
class ForestClassifier(AnyRecipe, BaseForestClassifier):
    """A forest for classification by any recipe: every method that the thesis names.

    A recipe is a row of choices (:mod:`silvics.recipes`); a parameter that is not None takes the
    place of the row's choice. One word changes the algorithm, so that they can be compared.
    """

    _tree_class = DecisionTreeClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "criterion": [StrOptions({*CLASSIFICATION_CRITERIA, "gain_ratio"}), None],
        "class_weight": BaseForestClassifier._parameter_constraints["class_weight"],
    }

    def __init__(
        self,
        recipe: str = "random_forest",
        n_estimators: int | None = None,
        *,
        criterion: str | None = None,
        rows: str | None = None,
        max_samples: float | str | None = None,
        columns: str | None = None,
        max_columns: float | str | None = None,
        variables: str | None = None,
        max_features: float | str | None = None,
        feature_weights: Any = None,
        keep_samples: bool = False,
        cut: str | None = None,
        relevant: Any = None,
        range_sample: int | None = None,
        choice: str | None = None,
        n_best: int = 20,
        near_best: float = 0.25,
        near_best_depth: int = 2,
        split: str | None = None,
        n_combined: int = 3,
        max_values: int = 10,
        missing: str = "learned",
        growth: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        split_pure: bool | None = None,
        significance: float | None = None,
        n_permutations: int = 0,
        honest: float | None = None,
        pruning: str | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        vote: str | None = None,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
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
    ) -> None:
        keep_parameters(self, locals())


@documented(
    "estimator_ estimators_ feature_importances_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ oob_score_ oob_prediction_ estimators_samples_ "
    "work_ interrupted_",
    """
    >>> from sklearn.datasets import load_diabetes
    >>> from silvics import ForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor("extra_trees", min_samples_leaf=5, random_state=0).fit(X, y)
    >>> bool(forest.score(X, y) > 0.4)
    True
    """,
    _OF_RECIPES,
)
class ForestRegressor(AnyRecipe, BaseForestRegressor):
    """A forest for regression by any recipe: every method that the thesis names.

    A recipe is a row of choices (:mod:`silvics.recipes`); a parameter that is not None takes the
    place of the row's choice. One word changes the algorithm, so that they can be compared.
    """

    _tree_class = DecisionTreeRegressor
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "criterion": [StrOptions(REGRESSION_CRITERIA), None],
    }

    def __init__(
        self,
        recipe: str = "random_forest",
        n_estimators: int | None = None,
        *,
        criterion: str | None = None,
        rows: str | None = None,
        max_samples: float | str | None = None,
        columns: str | None = None,
        max_columns: float | str | None = None,
        variables: str | None = None,
        max_features: float | str | None = None,
        feature_weights: Any = None,
        keep_samples: bool = False,
        cut: str | None = None,
        relevant: Any = None,
        range_sample: int | None = None,
        choice: str | None = None,
        n_best: int = 20,
        near_best: float = 0.25,
        near_best_depth: int = 2,
        split: str | None = None,
        n_combined: int = 3,
        max_values: int = 10,
        missing: str = "learned",
        growth: str | None = None,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: float | None = None,
        min_samples_leaf: float | None = None,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        split_pure: bool | None = None,
        significance: float | None = None,
        n_permutations: int = 0,
        honest: float | None = None,
        pruning: str | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        vote: str | None = None,
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
    ) -> None:
        keep_parameters(self, locals())
