"""The base class of imputers: tables in, completed tables of the same types out."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.utils._param_validation import Interval
from sklearn.utils._set_output import _get_output_config, _wrap_data_with_container
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from silvics._names import SuggestsNames
from silvics._sklearn import BaseEstimator, TransformerMixin, fit_context
from silvics._state import fit_aside
from silvics._warnings import warn_user
from silvics.impute.coded_table import CodedTable, Schema, learn_schema, read_table
from silvics.impute.column_model import usual_value
from silvics.impute.filled_table import filled

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "categorical_features": ["array-like", str, None],
    "add_indicator": ["boolean"],
    "keep_empty_features": ["boolean"],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


class Imputer(SuggestsNames, TransformerMixin, BaseEstimator):
    """Base class of transformers that fill in missing values."""

    categorical_features: Any
    add_indicator: bool
    keep_empty_features: bool
    n_features_in_: int
    _schema: Schema
    _usual: np.ndarray  # most frequent level or median of each column; NaN if it is empty

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the imputer.

        An exception, such as that of Ctrl-C, leaves the imputer as it was before.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table with missing values: an array, a list of rows, or a data frame with columns of
            numbers, booleans, text, categories and times.
        y : array-like of shape (n_samples,), default=None
            The output. ``ForestImputer`` ignores it.

        Returns
        -------
        self : object
            The fitted imputer.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.impute import ForestImputer
        >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0], [4.0, 8.0], [np.nan, 10.0]])
        >>> ForestImputer(10, random_state=0).fit(X).transform(X).shape
        (5, 2)
        """
        self._fitted_table(X, y)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Fit the imputer, and return the table that it has completed.

        ``transform`` of the same rows gives similar values, but not the same: it treats the rows
        as new ones.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table with missing values.
        y : array-like of shape (n_samples,), default=None
            The output. ``ForestImputer`` ignores it.

        Returns
        -------
        X_filled : table of shape (n_samples, n_features_out)
            A frame of the same library, with the same types, or an array.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.impute import ForestImputer
        >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0], [4.0, 8.0], [np.nan, 10.0]])
        >>> bool(np.isnan(ForestImputer(10, random_state=0).fit_transform(X)).any())
        False
        """
        return self._result(X, *self._fitted_table(X, y))

    def transform(self, X: Any) -> Any:
        """Complete a table by the fitted forests, which do not change.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A table with the columns of ``fit``.

        Returns
        -------
        X_filled : table of shape (n_samples, n_features_out)
            A frame of the library of X with unchanged types, or an array.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.impute import ForestImputer
        >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0], [4.0, 8.0], [np.nan, 10.0]])
        >>> imputer = ForestImputer(10, random_state=0).fit(X)
        >>> imputer.transform([[np.nan, 6.0]]).shape
        (1, 2)
        """
        coded = self._read(X)
        return self._result(X, coded, self._completed(coded))

    @abstractmethod
    def _fit_coded(self, coded: CodedTable, y: Any) -> np.ndarray:
        """Fit this copy of the imputer, and return the completed table as numbers."""

    @abstractmethod
    def _completed(self, coded: CodedTable) -> np.ndarray:
        """Return a table, completed, as numbers."""

    # ---- tables

    def _fitted_table(self, X: Any, y: Any) -> tuple[CodedTable, np.ndarray]:
        """Fit the imputer, and return the training table as numbers, as it was and completed."""
        tables: list[tuple[CodedTable, np.ndarray]] = []
        fit_aside(self, lambda copy: tables.append(copy._fit_table(X, y)))
        return tables[0]

    def _fit_table(self, X: Any, y: Any) -> tuple[CodedTable, np.ndarray]:
        self._check(X, y=y, reset=True)
        name = type(self).__name__
        self._schema, coded = learn_schema(X, self.categorical_features, name)
        schema = self._schema
        if schema.is_empty.all():
            raise ValueError(
                f"{name} needs at least one column with known values, but all values of X are "
                "missing."
            )
        if schema.is_empty.any() and not self.keep_empty_features:
            names = [schema.names()[j] for j in np.flatnonzero(schema.is_empty)]
            warn_user(
                f"Skipping features without any observed values: {names}. Set "
                "keep_empty_features=True to keep them."
            )
        self._usual = np.full(schema.n_features, np.nan)
        for j in np.flatnonzero(~schema.is_empty):
            known = ~coded.missing[:, j]
            self._usual[j] = usual_value(coded.values[known, j], bool(schema.is_class[j]))
        return coded, self._fit_coded(coded, y)

    def _read(self, X: Any) -> CodedTable:
        check_is_fitted(self)
        self._check(X, reset=False)
        return read_table(self._schema, X, type(self).__name__)

    def _check(self, X: Any, reset: bool, **y: Any) -> None:
        """Check the names and the number of columns with scikit-learn's functions."""
        if issparse(X):
            raise TypeError(
                f"A sparse matrix was passed, but {type(self).__name__} needs a dense table, "
                "because a missing value of a sparse matrix is zero. Use X.toarray() to convert "
                "to a dense array, with NaN for the missing values."
            )
        settings = {"reset": reset, "skip_check_array": True, **y}
        if nw.dependencies.is_into_dataframe(X):  # wrong names explain other errors
            validate_data(self, nw.to_native(X, pass_through=True), **settings)
        else:
            validate_data(self, X, dtype=None, ensure_all_finite=False, reset=reset, **y)

    def _result(self, X: Any, coded: CodedTable, values: np.ndarray) -> Any:
        """Return a completed table in the form of the user's table."""
        schema = self._schema
        if self.keep_empty_features:
            for j in np.flatnonzero(schema.is_empty):
                if schema.variables.kinds[j] == "number":
                    values[coded.missing[:, j], j] = 0.0
        table = filled(X, schema, coded, values, self._kept())
        if self.add_indicator:
            table = self._with_indicator(table, coded.missing[:, schema.had_missing])
        wanted = _get_output_config("transform", self)["dense"]
        if nw.dependencies.is_into_dataframe(table) and wanted != "default":
            table = getattr(nw.from_native(table), f"to_{wanted}")()
        return table

    def _kept(self) -> np.ndarray:
        if self.keep_empty_features:
            return np.ones(self._schema.n_features, dtype=bool)
        return ~self._schema.is_empty

    def _with_indicator(self, table: Any, missing: np.ndarray) -> Any:
        if nw.dependencies.is_into_dataframe(table):
            frame = nw.from_native(table)
            names = self._indicator_names(self._schema.names())
            flags = nw.from_dict(
                {name: missing[:, k] for k, name in enumerate(names)},
                backend=frame.implementation,
            )
            if frame.implementation.is_pandas() and names:
                native = flags.to_native()
                native.index = frame.to_native().index
            return nw.concat([frame, flags], how="horizontal").to_native() if names else table
        dtype = table.dtype if table.dtype.kind in "fO" else np.float64
        return np.hstack([table.astype(dtype), missing.astype(dtype)])

    def _indicator_names(self, names: Any) -> list[str]:
        return [f"missingindicator_{names[j]}" for j in np.flatnonzero(self._schema.had_missing)]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of the result.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of X. None takes those of ``fit``, or x0, x1, ...

        Returns
        -------
        names : ndarray of str objects
            The names, with those of the indicators at the end.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.impute import ForestImputer
        >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0], [4.0, 8.0], [np.nan, 10.0]])
        >>> ForestImputer(10, random_state=0).fit(X).get_feature_names_out()
        array(['x0', 'x1'], dtype=object)
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        more = self._indicator_names(names) if self.add_indicator else []
        return np.array([*names[self._kept()], *more], dtype=object)

    def _wrapped(self, table: Any, X: Any) -> Any:
        """Return a result of ``transform`` as ``set_output`` asks for it."""
        return _wrap_data_with_container("transform", table, X, self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_schema")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
