"""The estimators ``RandomPatchesClassifier`` and ``RandomPatchesRegressor`` (thesis 8.1)."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from silvics._docs import documented, keep_parameters
from silvics._estimators.base_forest import BaseForestClassifier, BaseForestRegressor
from silvics._fitting.parameters import CLASSIFICATION_CRITERIA, REGRESSION_CRITERIA
from silvics._parameter_docs import RECIPE_VARIANTS
from silvics._state import reads_one_state
from silvics.patches.base_patches import PATCH_CONSTRAINTS, BasePatches
from silvics.patches.parameter_docs import PATCHES_VARIANTS
from silvics.patches.streaming import as_scan, predictions
from silvics.trees import DecisionTreeClassifier, DecisionTreeRegressor


@documented(
    "estimator_ estimators_ classes_ n_classes_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ feature_importances_ oob_score_ oob_decision_function_ "
    "estimators_samples_ work_ interrupted_ stopped_ max_samples_ max_columns_ n_passes_ "
    "bytes_read_",
    """
    >>> from sklearn.datasets import load_iris
    >>> import silvics
    >>> table = load_iris(as_frame=True).frame
    >>> forest = silvics.RandomPatchesClassifier(random_state=0)
    >>> forest = forest.fit(silvics.scan(table), y="target")
    >>> forest.predict(table.drop(columns="target").head(3))
    array([0, 0, 0])
    """,
    RECIPE_VARIANTS + PATCHES_VARIANTS,
)
class RandomPatchesClassifier(BasePatches, BaseForestClassifier):
    """Forest for classification on random patches, of tables that may be larger than the memory.

    Each tree is grown on a patch: rows and columns that are drawn once for the tree, without
    replacement (thesis 8.1). One pass over the table fills the patches of many trees, so that only
    they are in memory. Which rows belong to a patch depends on ``random_state`` and the number of
    rows alone: the same table gives the same forest from files, in batches of any size, and from
    memory.

    These parameters of ``ForestClassifier`` need all rows in memory, or a pass over the table after
    every few trees, and do not exist here:

    - ``tune``: ``max_samples="auto"`` and ``max_columns="auto"`` choose the shape of the patches;
    - ``early_stopping``: ``max_time`` ends growth;
    - ``calibrate``: ``CalibratedClassifierCV`` of scikit-learn calibrates on other rows;
    - ``keep_samples``: ``attach_samples`` takes the rows when a method needs them.
    """

    _tree_class = DecisionTreeClassifier
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PATCH_CONSTRAINTS,
        "draw": [StrOptions({"uniform", "bootstrap", "stratified", "importance"}), None],
        "criterion": [StrOptions({*CLASSIFICATION_CRITERIA, "gain_ratio"}), None],
        "class_weight": BaseForestClassifier._parameter_constraints["class_weight"],
    }

    def __init__(
        self,
        recipe: str = "extra_trees",
        n_estimators: int | None = None,
        *,
        max_samples: float | str | None = None,
        max_columns: float | str | None = None,
        max_features: float | str | None = None,
        max_memory: float | str | None = None,
        draw: str | None = None,
        criterion: str | None = None,
        variables: str | None = None,
        feature_weights: Any = None,
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
        oob_rows: int = 10_000,
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
        max_time: float | None = None,
        engine: str | None = None,
        resume: str | PathLike[str] | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None, to: Any = None) -> Any:
        """Predict the class of each sample.

        Parameters
        ----------
        X : table, scan, or path
            The samples to predict: a table in memory, a :func:`silvics.scan`, or what ``fit`` takes
            without one: paths of files, a dataset of pyarrow or a lazy frame of polars. All but
            tables in memory may have more columns than those of ``fit``.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.
        to : str, path or None, default=None
            A Parquet file, here or at an address such as ``"s3://bucket/predicted.parquet"``, to
            which the predictions are written batch by batch. It must not be a file of X. It has the
            column "prediction", or "prediction_0", "prediction_1" and so on for several outputs.
            None returns them.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs), or None
            The predicted classes. None if they were written to a file.

        Examples
        --------
        >>> import silvics
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]] * 3, ["low", "low", "high", "high"] * 3
        >>> forest = silvics.RandomPatchesClassifier(random_state=0, max_samples=0.5).fit(X, y)
        >>> forest.predict([[0.5], [5.5]])
        array(['low', 'high'], dtype='<U4')
        """
        predict = super().predict
        if (scanned := as_scan(X, to)) is None:
            return predict(X, n_jobs=n_jobs)
        check_is_fitted(self)
        names = _names("prediction", self.n_outputs_)
        return predictions(self, scanned, lambda part: predict(part, n_jobs=n_jobs), to, names)

    @reads_one_state
    def predict_proba(self, X: Any, *, n_jobs: int | None = None, to: Any = None) -> Any:
        """Predict the class probabilities of each sample.

        Parameters
        ----------
        X : table, scan, or path
            The samples to predict, as in ``predict``.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.
        to : str, path or None, default=None
            A Parquet file, here or at an address such as ``"s3://bucket/predicted.parquet"``, to
            which the probabilities are written batch by batch. It must not be a file of X. It has
            one column for each class, named after it. None returns them.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes), list of ndarray, or None
            The probabilities of the classes, in the order of ``classes_``. For several outputs, a
            list with one array per output. None if they were written to a file.

        Examples
        --------
        >>> import silvics
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]] * 3, ["low", "low", "high", "high"] * 3
        >>> forest = silvics.RandomPatchesClassifier(random_state=0, max_samples=0.5).fit(X, y)
        >>> forest.predict_proba([[0.5]]).shape
        (1, 2)
        """
        predict = super().predict_proba
        if (scanned := as_scan(X, to)) is None:
            return predict(X, n_jobs=n_jobs)
        check_is_fitted(self)
        if self.n_outputs_ > 1:
            raise ValueError(
                "predict_proba of a scan needs a forest of one output. Pass tables in memory for "
                "several outputs."
            )

        def of_part(part: Any) -> np.ndarray:
            return np.asarray(predict(part, n_jobs=n_jobs))

        return predictions(self, scanned, of_part, to, [str(name) for name in self.classes_])


@documented(
    "estimator_ estimators_ feature_importances_ n_features_in_ feature_names_in_ "
    "is_categorical_ categories_ n_outputs_ oob_score_ oob_prediction_ estimators_samples_ work_ "
    "interrupted_ stopped_ max_samples_ max_columns_ n_passes_ "
    "bytes_read_",
    """
    >>> from sklearn.datasets import load_diabetes
    >>> import silvics
    >>> table = load_diabetes(as_frame=True).frame
    >>> forest = silvics.RandomPatchesRegressor(random_state=0)
    >>> forest = forest.fit(silvics.scan(table), y="target")
    >>> forest.n_passes_
    1
    """,
    RECIPE_VARIANTS + PATCHES_VARIANTS,
)
class RandomPatchesRegressor(BasePatches, BaseForestRegressor):
    """Forest for regression on random patches, of tables that may be larger than the memory.

    Each tree is grown on a patch: rows and columns that are drawn once for the tree, without
    replacement (thesis 8.1). One pass over the table fills the patches of many trees, so that only
    they are in memory. Which rows belong to a patch depends on ``random_state`` and the number of
    rows alone: the same table gives the same forest from files, in batches of any size, and from
    memory.

    These parameters of ``ForestRegressor`` need all rows in memory, or a pass over the table after
    every few trees, and do not exist here:

    - ``tune``: ``max_samples="auto"`` and ``max_columns="auto"`` choose the shape of the patches;
    - ``early_stopping``: ``max_time`` ends growth;
    - ``keep_samples``: ``attach_samples`` takes the rows when a method needs them.
    """

    _tree_class = DecisionTreeRegressor
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PATCH_CONSTRAINTS,
        "draw": [StrOptions({"uniform", "bootstrap"}), None],
        "criterion": [StrOptions(REGRESSION_CRITERIA), None],
    }

    def __init__(
        self,
        recipe: str = "extra_trees",
        n_estimators: int | None = None,
        *,
        max_samples: float | str | None = None,
        max_columns: float | str | None = None,
        max_features: float | str | None = None,
        max_memory: float | str | None = None,
        draw: str | None = None,
        criterion: str | None = None,
        variables: str | None = None,
        feature_weights: Any = None,
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
        oob_rows: int = 10_000,
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
        engine: str | None = None,
        resume: str | PathLike[str] | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @reads_one_state
    def predict(self, X: Any, *, n_jobs: int | None = None, to: Any = None) -> Any:
        """Predict the output of each sample: the mean of the predictions of the trees.

        Parameters
        ----------
        X : table, scan, or path
            The samples to predict: a table in memory, a :func:`silvics.scan`, or what ``fit`` takes
            without one: paths of files, a dataset of pyarrow or a lazy frame of polars. All but
            tables in memory may have more columns than those of ``fit``.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.
        to : str, path or None, default=None
            A Parquet file, here or at an address such as ``"s3://bucket/predicted.parquet"``, to
            which the predictions are written batch by batch. It must not be a file of X. It has the
            column "prediction", or "prediction_0", "prediction_1" and so on for several outputs.
            None returns them.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs), or None
            The predicted values. None if they were written to a file.

        Examples
        --------
        >>> import silvics
        >>> X, y = [[0.0], [1.0]] * 4, [3.0, 3.0] * 4
        >>> forest = silvics.RandomPatchesRegressor(random_state=0, max_samples=0.5).fit(X, y)
        >>> forest.predict([[0.5]])
        array([3.])
        """
        predict = super().predict
        if (scanned := as_scan(X, to)) is None:
            return predict(X, n_jobs=n_jobs)
        check_is_fitted(self)
        names = _names("prediction", self.n_outputs_)
        return predictions(self, scanned, lambda part: predict(part, n_jobs=n_jobs), to, names)


def _names(name: str, n_outputs: int) -> list[str]:
    return [name] if n_outputs == 1 else [f"{name}_{k}" for k in range(n_outputs)]
