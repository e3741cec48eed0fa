"""The result of ``forest.shap``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse

from silvics._frames import wide
from silvics._results.base import Result
from silvics.plots import charts

_MOST_BARS = 20


@dataclass(repr=False, eq=False)
class ShapValues(Result):
    """Shapley values: the parts of each prediction that are due to each variable.

    The values of a row and the base value add up to the prediction of the row. ``to_frame()`` has
    one row for each row of X, with a column ``row`` and a column for each variable; if there are
    several outputs or classes, one row for each of them, with a column ``output``.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_features) or (n_rows, n_features, n_outputs)
        The Shapley values. For classification, the last axis has the classes; if there are several
        outputs, the classes of all outputs are side by side.
    base_values : ndarray of shape (n_outputs,)
        The prediction that the values are relative to: the mean over the training weights, or over
        the background.
    names : ndarray of str objects
        The names of the variables.
    outputs : ndarray of str objects
        The names of the outputs or classes.
    interactions : ndarray, or None
        Interaction values, of shape (n_rows, n_features, n_features) or (n_rows, n_features,
        n_features, n_outputs), if they were asked for. Their sums over one axis of variables are
        ``values``.
    X : table
        The rows that were explained.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> found = forest.shap(X)
    >>> found.values.shape
    (150, 4, 3)
    >>> total = found.base_values + found.values.sum(axis=1)
    >>> bool(np.allclose(total, forest.predict_proba(X)))
    True
    """

    values: np.ndarray
    base_values: np.ndarray
    names: np.ndarray
    outputs: np.ndarray
    interactions: np.ndarray | None
    X: Any
    _library: str | None = None

    @property
    def mean_absolute(self) -> np.ndarray:
        """The mean absolute value of each variable (and output): a measure of importance."""
        return np.abs(self.values).mean(axis=0)

    def to_shap(self, *, interactions: bool = False) -> Any:
        """Convert the values to an Explanation of the package shap, for its plots.

        Parameters
        ----------
        interactions : bool, default=False
            Whether the interaction values take the place of the values.

        Returns
        -------
        explanation : shap.Explanation
            The values, the base values, the rows and the names. It needs the package shap.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(10, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
        >>> forest.shap([[0.0]]).to_shap().values.shape
        (1, 1)
        """
        try:
            with warnings.catch_warnings():  # of the packages that it imports
                warnings.simplefilter("ignore")
                import shap
        except ImportError as error:
            raise ImportError(
                "to_shap needs the package shap. Install it with: pip install shap."
            ) from error
        if interactions and self.interactions is None:
            raise ValueError(
                "There are no interaction values. Compute them by forest.shap(X, "
                "interactions=True)."
            )
        one = len(self.outputs) == 1
        base = np.tile(self.base_values, (len(self.values), 1))
        return shap.Explanation(
            self.interactions if interactions else self.values,
            base[:, 0] if one else base,
            _cells(self.X),
            feature_names=self.names.tolist(),
            output_names=None if one else self.outputs.tolist(),
        )

    def _title(self) -> str:
        n_rows, n_variables = self.values.shape[:2]
        outputs = f", {len(self.outputs)} outputs or classes" if len(self.outputs) > 1 else ""
        return f"Shapley values of {n_rows:,} rows, {n_variables:,} variables{outputs}"

    def _notes(self) -> list[str]:
        shown = [
            f"{base:.4g}" if len(self.outputs) == 1 else f"{name} {base:.4g}"
            for name, base in zip(self.outputs[:10], self.base_values, strict=False)
        ]
        more = f" and {len(self.outputs) - 10} more" if len(self.outputs) > 10 else ""
        return [f"base value: {', '.join(shown)}{more}"]

    def _columns(self) -> dict[str, Any]:
        n_rows, n_variables = self.values.shape[:2]
        if len(self.outputs) == 1:
            return wide("row", np.arange(n_rows), self.names, self.values)
        rows = np.repeat(np.arange(n_rows), len(self.outputs))
        flat = self.values.transpose(0, 2, 1).reshape(len(rows), n_variables)
        columns = wide("row", rows, self.names, flat)
        label = "output"
        while label in columns:
            label += "_"
        first = next(iter(columns))
        named = {first: columns.pop(first), label: np.tile(self.outputs, n_rows).tolist()}
        return {**named, **columns}

    def _shown_columns(self) -> dict[str, Any]:
        """Return the means of the absolute values, largest first."""
        order = self._order()
        columns: dict[str, Any] = {"variable": self.names[order].tolist()}
        means = self.mean_absolute.reshape(len(self.names), -1)[order]
        if len(self.outputs) == 1:
            columns["mean |value|"] = means[:, 0]
        else:
            for k, name in enumerate(self.outputs):
                columns[f"mean |value|, {name}"] = means[:, k]
        return columns

    def _order(self) -> np.ndarray:
        """Return the variables by decreasing mean absolute value."""
        means = self.mean_absolute.reshape(len(self.names), -1).sum(axis=1)
        return np.argsort(-means, kind="stable")

    def _draw(self, ax: Any) -> Any:
        order = self._order()[:_MOST_BARS]
        if len(self.values) == 1 and len(self.outputs) == 1:
            values = self.values[0, order]
            colors = np.where(values < 0, "tab:blue", "tab:red").tolist()
            return charts.bars(values, self.names[order], "Shapley value", ax, colors)
        means = self.mean_absolute.reshape(len(self.names), -1)[order]
        return charts.bars(means.sum(axis=1), self.names[order], "mean absolute Shapley value", ax)


def _cells(X: Any) -> np.ndarray:
    """Return the cells of a table as an array."""
    inner = getattr(X, "X", None)
    if inner is not None and (isinstance(inner, np.ndarray) or issparse(inner)):
        X = inner
    if issparse(X):
        return np.asarray(X.toarray())
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        columns = [frame[name].to_numpy() for name in frame.columns]
        if all(column.dtype.kind in "fiub" for column in columns):
            return np.column_stack(columns)
        cells = np.empty(frame.shape, dtype=object)
        for j, column in enumerate(columns):
            cells[:, j] = column
        return cells
    return np.asarray(X)
