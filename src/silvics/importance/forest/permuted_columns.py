"""Tables made of permuted columns of another table, and forests for such tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import csc_array, csc_matrix, issparse, isspmatrix
from sklearn.base import clone

from silvics._fitting.axes import by_name, per_variable
from silvics._tables.opened_table import opened, wanted_categories

Order = np.ndarray | None  # order of the rows of a column; None keeps it


@dataclass
class _Annotated:
    """An array or a sparse matrix with names of its columns, like AnnData."""

    X: Any
    var_names: list[str] | None


class Columns:
    """A table that can be recombined from its columns, each with permuted rows.

    Parameters
    ----------
    X : table
        Any table that forests accept.
    caller : str
        Name of the calling function, for error messages.

    Attributes
    ----------
    shape : tuple of int
        Numbers of rows and columns.
    labels : ndarray of str objects
        Names of the columns; without names, x0, x1, ...
    """

    def __init__(self, X: Any, caller: str) -> None:
        self._table = opened(X, caller)  # raises if X is not a valid table
        self.shape = self._table.shape
        names = self._table.names
        self.labels = np.array([f"x{j}" for j in range(self.shape[1])], dtype=object)
        if names is not None:
            self.labels = np.asarray(names, dtype=object)
        self.named = names is not None
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            self._values: Any = self._with_text_names(frame)
        elif issparse(values := X.X if self._table.annotated else X):
            self._values = values.tocsc()
        elif self._table.whole is not None:
            self._values = self._table.whole
        else:
            mixed = isinstance(values, list | tuple)  # NumPy would convert such values to text
            self._values = np.asanyarray(values, dtype=object if mixed else None)

    def _with_text_names(self, frame: nw.DataFrame) -> nw.DataFrame:
        """Rename the columns by text, because shadows are named by text."""
        if not self.named:
            native = frame.to_native().copy(deep=False)
            native.columns = list(self.labels)
            frame = nw.from_native(native, eager_only=True)
        return nw.maybe_reset_index(frame)  # pandas aligns columns by their index

    def __call__(self, columns: Sequence[int], orders: Sequence[Order], names: list[str]) -> Any:
        """Return a table of some columns, each with its rows in the given order.

        Parameters
        ----------
        columns : sequence of int
            Numbers of the columns; a number may occur several times.
        orders : sequence of (ndarray or None)
            For each column, the rows of the table in their new order.
        names : list of str
            New names of the columns.

        Returns
        -------
        X : table
            A table of the same type.
        """
        values = self._values
        if isinstance(values, nw.DataFrame):
            return self._frame(columns, orders, names)
        made = (self._sparse if issparse(values) else self._array)(columns, orders)
        if self._table.annotated:
            return _Annotated(made, names if self.named else None)
        return made

    def _array(self, columns: Sequence[int], orders: Sequence[Order]) -> np.ndarray:
        values = self._values
        each = [
            values[:, j] if rows is None else values[rows, j]
            for j, rows in zip(columns, orders, strict=True)
        ]
        stack = np.ma.stack if isinstance(values, np.ma.MaskedArray) else np.stack
        return stack(each, axis=1)

    def _sparse(self, columns: Sequence[int], orders: Sequence[Order]) -> Any:
        values = self._values
        places, data = [], []
        before, back = None, np.arange(self.shape[0])
        for j, rows in zip(columns, orders, strict=True):
            part = slice(values.indptr[j], values.indptr[j + 1])
            at = values.indices[part]
            if rows is not None and rows is not before:
                before, back = rows, np.argsort(rows)  # the new place of each row
            places.append(at if rows is None else back[at])
            data.append(values.data[part])
        starts = np.cumsum([0, *map(len, places)])
        form = csc_matrix if isspmatrix(values) else csc_array
        made = form(
            (np.concatenate(data), np.concatenate(places), starts),
            shape=(self.shape[0], len(columns)),
        )
        made.sort_indices()
        return made

    def _frame(self, columns: Sequence[int], orders: Sequence[Order], names: list[str]) -> Any:
        frame = self._values
        labels = frame.columns
        made = []
        for j, rows, name in zip(columns, orders, names, strict=True):
            series = frame.get_column(labels[j])
            if rows is not None:
                series = nw.maybe_reset_index(series[rows])
            made.append(series.alias(name))
        return frame.with_columns(*made).select(names).to_native()

    def with_shadows(
        self, columns: Sequence[int], shadows: Sequence[int], orders: Sequence[np.ndarray]
    ) -> Any:
        """Return some columns, followed by shadows: columns with their rows in these orders."""
        names = [str(self.labels[j]) for j in columns]
        known = set(map(str, self.labels))  # includes columns that are left out
        for j in shadows:
            name, n = f"shadow of {self.labels[j]}", 2
            while name in known:
                name, n = f"shadow of {self.labels[j]} ({n})", n + 1
            known.add(name)
            names.append(name)
        return self([*columns, *shadows], [*[None] * len(columns), *orders], names)

    def with_permuted(self, columns: Sequence[int], rows: np.ndarray) -> Any:
        """Return the whole table, with the same permutation of rows in some columns."""
        orders: list[Order] = [None] * self.shape[1]
        for j in columns:
            orders[j] = rows
        return self(range(self.shape[1]), orders, [str(name) for name in self.labels])


def for_columns(forest: Any, table: Columns, columns: list[int]) -> Any:
    """Return a forest with the parameters for a table made of some columns of another."""
    other = clone(forest)
    p = table.shape[1]
    names = table.labels if table.named else None
    given = other.get_params(deep=False)
    changed: dict[str, Any] = {}
    features = given.get("categorical_features")
    if features is not None and not isinstance(features, str):
        wanted = np.array(wanted_categories(features, table._table), dtype=bool)
        changed["categorical_features"] = wanted[columns]
    if given.get("monotonic_cst") is not None:
        signs = by_name("monotonic_cst", given["monotonic_cst"], p, names, 0)
        if signs.shape != (p,):
            raise ValueError(
                f"monotonic_cst has shape {signs.shape}, but X has {p} variables: pass -1, 0 or 1 "
                "for each variable."
            )
        changed["monotonic_cst"] = signs[columns]
    for name in ("feature_weights", "relevant"):
        each = per_variable(name, given.get(name), p, names)
        if each is not None:
            changed[name] = each[columns]
    for name in ("max_features", "max_columns"):  # there may be fewer columns than before
        most = given.get(name)
        if isinstance(most, Integral) and int(most) > len(columns):
            changed[name] = len(columns)
    if given.get("warm_start"):
        changed["warm_start"] = False
    if given.get("resume") is not None:  # its trees are those of other columns
        changed["resume"] = None
    return other.set_params(**changed)
