"""Imputation by proximity-weighted means (thesis, section 4.4.4)."""

from __future__ import annotations

import sys
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from silvics._docs import keep_parameters
from silvics._fitting.parameters import seed_of
from silvics._fitting.task import TASKS, task_of
from silvics.forests import RandomForestClassifier, RandomForestRegressor
from silvics.impute.cells import Cells
from silvics.impute.coded_table import CodedTable
from silvics.impute.column_model import frequent_classes
from silvics.impute.imputer import SHARED_CONSTRAINTS, Imputer
from silvics.proximity.forest_proximity import KINDS, Comparison, comparison

# The kind for new rows that corresponds to each kind for training rows.
_FOR_NEW_ROWS = {"original": "original", "oob": "original", "gap": "kernel", "kernel": "kernel"}

# The largest number of factors of one product, which needs them for all training rows.
_WIDEST = 256


class ProximityImputer(Imputer):
    """Fill in missing values by means that the proximities of a forest weight (Breiman).

    Missing values start as the median or the most frequent level. In each round, a forest is fitted
    on the completed table and y, and each missing value becomes the mean of the known values of
    its column, weighted by the proximities of their rows to its row; for a category, it becomes
    the level with the largest sum of proximities. Four to six rounds are usual.

    The output y is used by ``fit`` only. ``transform`` fills in new rows by their proximities to
    the training rows, without y and without fitting again.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees of the forest.
    max_iter : int, default=5
        The largest number of rounds.
    tol : float, default=0.001
        The rounds end when the values change less than this: the mean squared change of numbers,
        in units of the variance of the known values, and the share of changed classes.
    kind : {"gap", "original", "oob", "kernel"}, default="original"
        The kind of proximity between training rows; see ``RandomForestClassifier.proximity``. New
        rows are compared by "kernel" instead of "gap", and by "original" instead of "oob".
    min_samples_in_node : int, default=1
        Rows are compared in the deepest nodes with at least this number of in-bag rows.
    task : {"classification", "regression"} or None, default=None
        Whether y has classes or numbers. None decides by its type.
    categorical_features : "from_dtype", None, or array-like of str, int or bool, \
            default="from_dtype"
        Columns that are categories. "from_dtype" means those of text and category types. Only the
        256 most frequent levels of a category are imputed.
    add_indicator : bool, default=False
        Whether to append a column for each column with missing values in ``fit``, which marks the
        rows in which it was missing.
    keep_empty_features : bool, default=False
        Whether to keep columns without any known value in ``fit``. Numbers in them become zero, and
        other types remain missing.
    random_state : int, RandomState instance or None, default=None
        Seed of the forests. Pass an int for the same result in every call.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        Whether to print a line to the standard error after each round.

    Attributes
    ----------
    forest_ : RandomForestClassifier or RandomForestRegressor
        The forest of the last round, on the columns as numbers.
    n_iter_ : int
        The number of rounds.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str objects
        Names of the columns, if X has names.

    See Also
    --------
    ForestImputer : A forest for each column. It needs no y and is usually more accurate.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics.impute import ProximityImputer
    >>> X = np.array([[1.0, 10], [2, np.nan], [1, 12], [8, 90], [9, np.nan], [8, 88]] * 5)
    >>> y = [0, 0, 0, 1, 1, 1] * 5
    >>> ProximityImputer(random_state=0).fit_transform(X, y)[[1, 4]].round()
    array([[ 2., 11.],
           [ 9., 89.]])
    """

    n_estimators: int
    max_iter: int
    tol: float
    kind: str
    min_samples_in_node: int
    task: str | None
    random_state: Any
    n_jobs: int | None
    verbose: int
    n_iter_: int
    forest_: Any
    _usable: np.ndarray  # columns that are not empty
    _training: CodedTable
    _completed_training: np.ndarray

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SHARED_CONSTRAINTS,
        "kind": [StrOptions(set(KINDS))],
        "min_samples_in_node": [Interval(Integral, 1, None, closed="left")],
        "task": [StrOptions(set(TASKS)), None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_iter: int = 5,
        tol: float = 1e-3,
        kind: str = "original",
        min_samples_in_node: int = 1,
        task: str | None = None,
        categorical_features: Any = "from_dtype",
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        keep_parameters(self, locals())

    def _fit_coded(self, coded: CodedTable, y: Any) -> np.ndarray:
        cells = Cells(self._schema, coded, self._usual)
        self._usable = np.flatnonzero(~self._schema.is_empty)
        self._training, self.n_iter_ = coded, 0
        forest = self._forest(y)
        values = cells.started()
        for r in range(self.max_iter):
            self.forest_ = clone(forest).fit(values[:, self._usable], y)
            self._completed_training = before = values
            if not len(cells.order):
                break
            values = self._weighted(coded, values, cells.order, self.kind)
            change = cells.change(before, values)
            self.n_iter_ = r + 1
            if self.verbose:
                print(
                    f"silvics: round {r + 1} of at most {self.max_iter}, change {change:.4g}",
                    file=sys.stderr,
                )
            if change <= self.tol:
                break
        return values

    def _forest(self, y: Any) -> Any:
        """Return the forest to fit in each round."""
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None: the forest of a "
                "ProximityImputer predicts y. Use ForestImputer for a table without an output."
            )
        task = task_of(y, self.task)
        kind = RandomForestRegressor if task == "regression" else RandomForestClassifier
        return kind(
            self.n_estimators,
            keep_samples=self.kind != "original",
            categorical_features=self._schema.is_class[self._usable],
            min_category_frequency=1,
            random_state=seed_of(self.random_state),
            n_jobs=self.n_jobs,
        )

    def _completed(self, coded: CodedTable) -> np.ndarray:
        cells = Cells(self._schema, coded, self._usual)
        values = cells.started()
        for _ in range(max(self.n_iter_, 1) if len(cells.order) else 0):
            before = values
            values = self._weighted(coded, values, cells.order, _FOR_NEW_ROWS[self.kind])
            if cells.change(before, values) <= self.tol:
                break
        return values

    def _weighted(
        self, coded: CodedTable, values: np.ndarray, columns: np.ndarray, kind: str
    ) -> np.ndarray:
        """Return a table whose missing values come from the known values of training rows."""
        some = np.flatnonzero(coded.missing[:, columns].any(axis=1))
        found = self._comparison(values, some, kind)
        values = values.copy(order="F")
        for group in self._groups(columns):
            factors = [self._known_values(j) for j in group]
            sums, first = found.product(np.hstack(factors)), 0
            if len(sums) != len(some):  # kinds of training rows compare all of them
                sums = sums[some]
            for j, factor in zip(group, factors, strict=True):
                block = sums[:, first : first + factor.shape[1]]
                first += factor.shape[1]
                filled, has_neighbors = self._means(j, block)
                changed = coded.missing[some, j] & has_neighbors
                values[some[changed], j] = filled[changed]
        return values

    def _groups(self, columns: np.ndarray) -> list[list[int]]:
        """Return the columns in groups, so that the factors of a product are not too wide."""
        groups: list[list[int]] = [[]]
        width = 0
        for j in map(int, columns):
            more = len(self._classes(j)) if self._schema.is_class[j] else 2
            if groups[-1] and width + more > _WIDEST:
                groups.append([])
                width = 0
            groups[-1].append(j)
            width += more
        return groups

    def _comparison(self, values: np.ndarray, some: np.ndarray, kind: str) -> Comparison:
        """Return the proximities of some rows, or of all, to the training rows."""
        X, Y = values[np.ix_(some, self._usable)], None
        if kind == "original":
            Y = self._completed_training[:, self._usable]
        elif kind in ("gap", "oob"):
            X = None
        return comparison(self.forest_, X, Y, kind, self.min_samples_in_node, None, self.n_jobs)

    def _known_values(self, j: int) -> np.ndarray:
        """Return the known training values of a column, with zeros in other rows.

        A class has an indicator for each level; a number has an indicator of known values, and the
        values.
        """
        column = self._training.values[:, j]
        if self._schema.is_class[j]:
            return (column[:, np.newaxis] == self._classes(j)).astype(np.float64)
        known = ~np.isnan(column)
        return np.column_stack([known, np.where(known, column, 0.0)]).astype(np.float64)

    def _means(self, j: int, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return weighted means or the levels of the largest sums, and where there are any."""
        if self._schema.is_class[j]:
            return self._classes(j)[sums.argmax(axis=1)], np.asarray(sums.any(axis=1))
        weight = sums[:, 0]
        means = np.divide(sums[:, 1], weight, out=np.zeros(len(sums)), where=weight > 0)
        column = self._training.values[:, j]
        return np.clip(means, np.nanmin(column), np.nanmax(column)), weight > 0

    def _classes(self, j: int) -> np.ndarray:
        column = self._training.values[:, j]
        return frequent_classes(column[~np.isnan(column)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
