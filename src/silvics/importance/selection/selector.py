"""The base class of selectors of variables."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_array, column_or_1d, get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from silvics._fitting.parameters import seed_of
from silvics._fitting.task import TASKS, task_of
from silvics._frames import frame_of
from silvics._names import SuggestsNames
from silvics._sklearn import BaseEstimator, MetaEstimatorMixin, SelectorMixin, fit_context
from silvics._state import fit_aside
from silvics._tables import table
from silvics._tables.opened_table import opened
from silvics._tables.some_rows import indexable, rows_of
from silvics._tables.sparse_format import check_format
from silvics._warnings import warn_user
from silvics.forests import RandomForestClassifier, RandomForestRegressor
from silvics.importance.forest.kinds import arguments_of
from silvics.importance.forest.permuted_columns import Columns, for_columns
from silvics.importance.forest.result import Importances

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "forest": [HasMethods(["fit", "importances"]), None],
    "kind": [str],
    "task": [StrOptions(set(TASKS)), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


# ---- tables and forests of some of their columns


def _as_table(X: Any) -> Any:
    """Return X in a form whose rows and columns can be indexed."""
    if issparse(X):
        check_format(X)
        return X if X.format in ("csr", "csc") else X.tocsr()
    if hasattr(X, "shape"):
        return X
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array


def columns_of(X: Any, places: np.ndarray) -> Any:
    """Return some columns of any table, unchanged."""
    # A list of no names would lose the rows as well.
    return _safe_indexing(indexable(X), places if len(places) else slice(0, 0), axis=1)


def falling(values: np.ndarray) -> np.ndarray:
    """Return indices by decreasing value, in a stable order, with NaN last."""
    return np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")


@dataclass(frozen=True)
class Sample:
    """Rows of the learning set, and the forests fitted on them."""

    X: Any
    y: np.ndarray | None
    weight: np.ndarray | None
    table: Columns  # of all rows
    prototype: Any
    kind: str
    seed: int

    def rows(self, rows: np.ndarray) -> Sample:
        """Return some of the rows."""
        return replace(
            self,
            X=rows_of(self.X, rows),
            y=None if self.y is None else self.y[rows],
            weight=None if self.weight is None else self.weight[rows],
        )

    def forest(self, places: np.ndarray | None = None) -> Any:
        """Fit a forest on some of the columns; None is all."""
        if places is None:
            forest, X = clone(self.prototype), self.X
        else:  # parameters of columns are restricted to these
            forest = for_columns(self.prototype, self.table, places.tolist())
            X = columns_of(self.X, places)
        weight = {} if self.weight is None else {"sample_weight": self.weight}
        return forest.fit(X, self.y, **weight)

    def importances(self, forest: Any, places: np.ndarray | None = None) -> Importances:
        """Compute the importances of the columns that a forest was fitted on."""
        X = self.X if places is None else columns_of(self.X, places)
        asked = arguments_of(self.kind, X, self.y, self.seed, self.weight)
        return forest.importances(self.kind, **asked)


def _default_forest(task: str) -> Any:
    return RandomForestRegressor() if task == "regression" else RandomForestClassifier()


def _check_task(forest: Any, task: str | None) -> None:
    if task is not None and is_classifier(forest) != (task == "classification"):
        raise ValueError(
            f'task="{task}" does not match the forest, a {type(forest).__name__}: pass another '
            "forest, or forest=None."
        )


class Selector(SuggestsNames, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """The base class of selectors by the importances of a forest."""

    forest: Any
    kind: str | None
    task: str | None
    random_state: Any
    n_jobs: int | None
    support_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the forests and select variables.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Any table that the forest accepts.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The output.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the forest.

        Returns
        -------
        self : object

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import SelectByThreshold
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> select = SelectByThreshold(RandomForestClassifier(20, random_state=0))
        >>> select.fit(X, X[:, 2] > 0).support_
        array([False, False,  True])
        """
        return fit_aside(self, lambda copy: copy._fit(X, y, sample_weight))

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self.support_ = self._support(self._sample(X, y, sample_weight))

    @abstractmethod
    def _support(self, sample: Sample) -> np.ndarray:
        """Return a mask of the selected columns."""

    def _sample(self, X: Any, y: Any, weight: Any) -> Sample:
        """Check the arguments of ``fit``."""
        self._check(X, y=y, reset=True)
        given = y
        if y is not None:
            y = check_array(y, dtype=None, ensure_2d=False, input_name="y")
            if y.ndim == 2 and y.shape[1] == 1:
                y = column_or_1d(y, warn=True)  # warn once, not for each forest
        if weight is not None:
            weight = check_array(weight, ensure_2d=False, dtype=None, input_name="sample_weight")
        if self.forest is None:
            prototype = _default_forest(task_of(given, self.task))
        else:
            _check_task(self.forest, self.task)
            prototype = clone(self.forest)
            if prototype.get_params(deep=False).get("resume") is not None:
                prototype.set_params(resume=None)
        seed = seed_of(self.random_state)
        if prototype.random_state is None and self.random_state is not None:
            prototype.set_params(random_state=seed)
        if self.n_jobs is not None:
            prototype.set_params(n_jobs=self.n_jobs)
        table = Columns(X, type(self).__name__)
        return Sample(_as_table(X), y, weight, table, prototype, self._kind(), seed)

    def _kind(self) -> str:
        return self.kind or "mdi"

    def _check(self, X: Any, reset: bool, **y: Any) -> None:
        """Check the names and the number of columns of X; ``reset`` stores them."""
        settings = {"reset": reset, "skip_check_array": True, **y}
        is_frame = nw.dependencies.is_into_dataframe(X)
        if is_frame:  # check names first: they may be the cause of other errors
            validate_data(self, nw.to_native(X, pass_through=True), **settings)
        found = opened(X, type(self).__name__)
        if found.annotated:  # scikit-learn reads names of frames only
            names = found.names
            X = X.X if names is None else frame_of({name: np.zeros(1) for name in names}, None)
        if not is_frame:
            validate_data(self, X, **settings)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Return the selected columns.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table with the columns of ``fit``.

        Returns
        -------
        X_selected : table of shape (n_samples, n_selected)
            For a frame, a frame of the same library with unchanged columns; for a sparse matrix, a
            sparse matrix; else an array. ``set_output`` changes this. If no variable is selected,
            there is a warning, and the table has no columns.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import SelectByThreshold
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> select = SelectByThreshold(RandomForestClassifier(20, random_state=0))
        >>> select.fit(X, X[:, 2] > 0).transform(X).shape
        (60, 1)
        """
        check_is_fitted(self)
        self._check(X, reset=False)
        if not get_tags(self).input_tags.allow_nan:
            table.learn(X, missing="error", estimator_name=type(self).__name__)
        if not self.support_.any():
            warn_user(
                "No features were selected: either the data is too noisy or the selection test "
                "too strict."
            )
        selected = columns_of(_as_table(X), np.flatnonzero(self.support_))
        if nw.dependencies.is_into_dataframe(selected):
            wanted = _get_output_config("transform", self)["dense"]
            if wanted != "default":  # scikit-learn would convert to an array
                return getattr(nw.from_native(selected), f"to_{wanted}")()
        return selected

    def inverse_transform(self, X: Any) -> Any:
        """Put the selected columns back in their places.

        Parameters
        ----------
        X : table of shape (n_samples, n_selected)
            A result of ``transform``.

        Returns
        -------
        X_original : table of shape (n_samples, n_features)
            A table whose other columns are zero, as in scikit-learn, or missing in a frame or an
            array of objects.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> from silvics.importance import SelectByThreshold
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> select = SelectByThreshold(RandomForestClassifier(20, random_state=0))
        >>> X_selected = select.fit(X, X[:, 2] > 0).transform(X)
        >>> select.inverse_transform(X_selected)[0].round(2)
        array([0.  , 0.  , 0.64])
        """
        check_is_fitted(self)
        if issparse(X):
            check_format(X)
            return super().inverse_transform(X)
        if nw.dependencies.is_into_dataframe(X) and hasattr(self, "feature_names_in_"):
            return self._frame_of_all(nw.from_native(X))
        X = check_array(X, dtype=None, ensure_all_finite=False)
        if X.shape[1] != self.support_.sum():
            raise ValueError(
                f"X has {X.shape[1]} columns, but {self.support_.sum()} were selected: pass a "
                "result of transform."
            )
        whole = np.zeros((X.shape[0], len(self.support_)), dtype=X.dtype)
        if X.dtype == object:
            whole[:] = None
        whole[:, self.support_] = X
        return whole

    def _frame_of_all(self, frame: nw.DataFrame) -> Any:
        names = list(self.get_feature_names_out())
        if frame.columns != names:
            raise ValueError(
                f"X has columns {frame.columns}, but {names} were selected: pass a result of "
                "transform."
            )
        gone = [str(name) for name in self.feature_names_in_[~self.support_]]
        filled = frame.with_columns(*(nw.lit(None).alias(name) for name in gone))
        return filled.select(list(self.feature_names_in_)).to_native()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_forest = get_tags(
            _default_forest(task_of(None, self.task)) if self.forest is None else self.forest
        )
        tags.input_tags, tags.target_tags = of_forest.input_tags, of_forest.target_tags
        return tags
