"""The tree estimators (thesis ch. 3)."""

from __future__ import annotations

from typing import Any

from silvics._docs import documented, keep_parameters
from silvics._estimators.base_tree import TreeClassifier, TreeRegressor


@documented(
    "classes_ n_classes_ feature_importances_ max_features_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ tree_",
    """
    >>> from sklearn.datasets import load_iris
    >>> from silvics import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> tree.get_n_leaves(), round(tree.score(X, y), 2)
    (3, 0.96)
    """,
)
class DecisionTreeClassifier(TreeClassifier):
    """Classification tree (CART).

    Each node makes the split with the largest decrease of impurity.
    """

    _recipe = "cart"

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
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
    ) -> None:
        keep_parameters(self, locals())


@documented(
    "feature_importances_ max_features_ n_features_in_ feature_names_in_ is_categorical_ "
    "categories_ n_outputs_ tree_",
    """
    >>> from silvics import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor(random_state=0).fit([[0], [1], [2]], [0.0, 0.5, 4.0])
    >>> tree.predict([[0.2], [1.7]])
    array([0., 4.])
    """,
)
class DecisionTreeRegressor(TreeRegressor):
    """Regression tree (CART).

    Each node makes the split with the largest decrease of impurity.
    """

    _recipe = "cart"

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
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
    ) -> None:
        keep_parameters(self, locals())


@documented(
    "classes_ n_classes_ feature_importances_ max_features_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ tree_",
    """
    >>> from sklearn.datasets import load_iris
    >>> from silvics import ExtraTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """,
)
class ExtraTreeClassifier(DecisionTreeClassifier):
    """Extremely randomized classification tree, as in Extra-Trees (Geurts et al. 2006).

    Each node draws ``max_features`` variables and one random threshold for each of them, and makes
    the best of these splits.
    """

    _recipe = "extra_tree"

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
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
    ) -> None:
        keep_parameters(self, locals())


@documented(
    "feature_importances_ max_features_ n_features_in_ feature_names_in_ is_categorical_ "
    "categories_ n_outputs_ tree_",
    """
    >>> from silvics import ExtraTreeRegressor
    >>> tree = ExtraTreeRegressor(random_state=0).fit([[0], [1], [2]], [0.0, 0.5, 4.0])
    >>> tree.predict([[0], [2]])
    array([0., 4.])
    """,
)
class ExtraTreeRegressor(DecisionTreeRegressor):
    """Extremely randomized regression tree, as in Extra-Trees (Geurts et al. 2006).

    Each node draws ``max_features`` variables and one random threshold for each of them, and makes
    the best of these splits.
    """

    _recipe = "extra_tree"

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
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
    ) -> None:
        keep_parameters(self, locals())
