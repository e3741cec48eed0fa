"""The result of ``forest.shap``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse

from silvics._frames import frame_of, wide
from silvics._results.base import Result
from silvics._results.table import Table, table_of
from silvics._tables.column_values import is_missing_object
from silvics._tables.table import Blocks
from silvics.importance._checks import checked_top
from silvics.plots import charts
from silvics.plots.display import Display

_MOST_BARS = 20


@dataclass(repr=False, eq=False)
class ShapValues(Result):
    """Shapley values: the parts of each prediction that are due to each variable.

    The values of a row and the base value add up to the prediction of the row. ``to_frame()`` has
    one row for each row of X, with a column ``row`` and a column for each variable; if there are
    several outputs or classes, one row for each of them, with a column ``output``.
    ``pairs()`` and ``pairs_by_row()`` have the interactions.

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
        ``values``: the diagonal has the main effects, and half of the interaction of a pair is at
        each of its two places.
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
    _blocks: Blocks  # X in numbers
    _library: str | None = None

    @property
    def mean_absolute(self) -> np.ndarray:
        """The mean absolute value of each variable (and output): a measure of importance."""
        return np.abs(self.values).mean(axis=0)

    def pairs_by_row(self) -> Any:
        """Return the interactions of each row of X.

        Returns
        -------
        frame : data frame
            One row for each row of X, pair of variables (and output): ``row``, ``variable``,
            ``other``, (``output``) and ``interaction``, the sum of the two halves in
            ``interactions``. If ``other`` is the variable itself, it is the main effect. For each
            row of X (and output), they add up to the sum of ``values``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestRegressor
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestRegressor(20, random_state=0).fit(X, y)
        >>> frame = forest.shap(X.iloc[:2], interactions=True).pairs_by_row()
        >>> frame.columns.tolist(), len(frame)  # 4 main effects and 6 pairs
        (['row', 'variable', 'other', 'interaction'], 20)
        """
        return frame_of(self._interaction_columns(), self._library)

    def pairs(self, top: int | None = None) -> Any:
        """Rank the pairs of variables by their interactions.

        Parameters
        ----------
        top : int or None, default=None
            The number of pairs; None returns all.

        Returns
        -------
        frame : data frame
            Sorted by decreasing interaction: ``variable``, ``other`` and ``mean_absolute``, the
            mean over the rows of the absolute interaction (both halves), summed over the outputs or
            classes if there are several.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestRegressor
        >>> X = np.random.default_rng(0).normal(size=(300, 4))
        >>> y = X[:, 0] + 3 * X[:, 1] * X[:, 3]
        >>> forest = RandomForestRegressor(20, max_features=None, random_state=0).fit(X, y)
        >>> found = forest.shap(X[:50], interactions=True)
        >>> found.pairs(top=1)[["variable", "other"]].values.tolist()
        [['x1', 'x3']]
        """
        top = checked_top(top)
        i, j, means = self._ranked_pairs()
        columns = {
            "variable": self.names[i].tolist(),
            "other": self.names[j].tolist(),
            "mean_absolute": means.sum(axis=1),
        }
        return frame_of({name: column[:top] for name, column in columns.items()}, self._library)

    def plot(self, ax: Any = None, *, interactions: bool = False) -> Display:
        """Draw the mean absolute values, or those of one row. This needs the package matplotlib.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        interactions : bool, default=False
            Whether to draw the pairs of variables with the largest interactions instead.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(10, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
        >>> forest.shap([[0.0], [1.0]]).plot().ax_.get_xlabel()
        'mean absolute Shapley value'
        """
        return Display(self._draw_pairs(ax) if interactions else self._draw(ax))

    def to_shap(self, *, interactions: bool = False) -> Any:
        """Convert the values to an Explanation of the package shap, for its plots.

        Parameters
        ----------
        interactions : bool, default=False
            Whether the interaction values take the place of the values.

        Returns
        -------
        explanation : shap.Explanation
            The values, the base values, the rows and the names. Its ``data`` are numbers: the codes
            of levels (in the order of ``categories_``), and microseconds for dates and durations;
            missing, rare and unseen levels are NaN. If there are such columns, ``display_data``
            has their values as text. It needs the package shap.

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
        values = self._computed_interactions() if interactions else self.values
        one = len(self.outputs) == 1
        base = np.tile(self.base_values, (len(self.values), 1))
        data, display = self._cells()
        return shap.Explanation(
            values,
            base[:, 0] if one else base,
            data,
            display_data=display,
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

    def _tables(self) -> list[Table]:
        if self.interactions is None or len(self.names) < 2:
            return super()._tables()
        i, j, means = self._ranked_pairs()
        columns: dict[str, Any] = {"variable": self.names[i].tolist()}
        columns["other"] = self.names[j].tolist()
        for k, name in enumerate(self.outputs):
            label = "mean |interaction|"
            columns[label if len(self.outputs) == 1 else f"{label}, {name}"] = means[:, k]
        title = "Interactions of pairs"
        return [*super()._tables(), replace(table_of(columns), title=title)]

    def _computed_interactions(self) -> np.ndarray:
        if self.interactions is None:
            raise ValueError(
                "There are no interaction values. Compute them by forest.shap(X, "
                "interactions=True)."
            )
        return self.interactions

    def _with_outputs(self) -> np.ndarray:
        """Return the interactions with an axis of outputs, even if there is one."""
        found = self._computed_interactions()
        return found.reshape(*found.shape[:3], len(self.outputs))

    def _ranked_pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pairs by decreasing mean absolute interaction, and that of each output."""
        found = self._with_outputs()
        i, j = np.triu_indices(len(self.names), 1)
        means = 2 * np.abs(found).mean(axis=0)[i, j]  # the halves are equal
        order = np.argsort(-means.sum(axis=1), kind="stable")
        return i[order], j[order], means[order]

    def _interaction_columns(self) -> dict[str, Any]:
        found = self._with_outputs()
        i, j = np.triu_indices(len(self.names))
        halves = np.where(i == j, 1, 2)[:, np.newaxis]
        values = found[:, i, j] * halves
        n_rows, n_pairs, n_outputs = values.shape
        columns: dict[str, Any] = {
            "row": np.repeat(np.arange(n_rows), n_pairs * n_outputs),
            "variable": np.tile(np.repeat(self.names[i], n_outputs), n_rows).tolist(),
            "other": np.tile(np.repeat(self.names[j], n_outputs), n_rows).tolist(),
        }
        if n_outputs > 1:
            columns["output"] = np.tile(self.outputs, n_rows * n_pairs).tolist()
        return {**columns, "interaction": values.ravel()}

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

    def _draw_pairs(self, ax: Any) -> Any:
        i, j, means = (part[:_MOST_BARS] for part in self._ranked_pairs())
        names = [f"{a} and {b}" for a, b in zip(self.names[i], self.names[j], strict=True)]
        unit = "mean absolute interaction"
        return charts.bars(means.sum(axis=1), np.array(names, dtype=object), unit, ax)

    def _cells(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the rows as numbers, and as the user's values if those are not all numbers."""
        shown = _values_of(self.X)
        if shown.dtype.kind in "fiub":
            return shown, None
        data = np.hstack([block.astype(np.float64) for block in self._blocks.blocks])
        for j, n_levels in enumerate(self._blocks.n_levels):
            if n_levels >= 0:  # negative codes are missing and unseen levels
                data[data[:, j] < 0, j] = np.nan
        return data, np.column_stack([_displayed(column) for column in shown.T])


def _displayed(column: np.ndarray) -> np.ndarray:
    """Return numbers as they are, and other values as text, which all plots of shap accept."""
    values = column.astype(object)
    missing = [is_missing_object(value) for value in values]
    if all(no or isinstance(value, Real) for value, no in zip(values, missing, strict=True)):
        values[missing] = np.nan
        return values
    texts = ["missing" if no else str(value) for value, no in zip(values, missing, strict=True)]
    return np.array(texts, dtype=object)


def _values_of(X: Any) -> np.ndarray:
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
