"""Out-of-bag errors of the forests of an imputer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._names import one_line
from silvics._results.base import Result
from silvics.plots import charts


@dataclass(repr=False, eq=False)
class ErrorByRound(Result):
    """Out-of-bag errors of the forests of a ``ForestImputer``, by column and round.

    ``to_frame()`` has one row for each column and round: ``round``, ``column``, ``measure``
    ("nrmse" or "pfc"), ``error``, ``n_missing`` and ``change``.

    Attributes
    ----------
    columns : list of str
        The columns with missing values, in the order in which they are imputed.
    measures : list of str
        The measure of each column: "nrmse", the root of the mean squared out-of-bag error divided
        by the standard deviation of the known values, or for classes "pfc", the share of wrong
        out-of-bag predictions.
    n_missing : ndarray of int of shape (n_columns,)
        The number of missing values of each column.
    errors : ndarray of shape (n_rounds, n_columns)
        The errors; NaN if the column has no forest.
    changes : ndarray of shape (n_rounds, n_columns)
        How much the imputed values have changed since the round before: the root of the mean
        squared change, divided by the standard deviation of the known values, or the share of
        changed classes. NaN in the first round.
    kept : int
        Index of the round whose table was returned.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics.impute import ForestImputer
    >>> X = np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 6.0], [4.0, 8.0], [np.nan, 10.0]])
    >>> ForestImputer(10, random_state=0).fit(X).oob_error_.columns
    ['x0', 'x1']
    """

    columns: list[str]
    measures: list[str]
    n_missing: np.ndarray
    errors: np.ndarray
    changes: np.ndarray
    kept: int
    _library: str | None = None

    def _title(self) -> str:
        return "Out-of-bag error of the imputed columns"

    def _notes(self) -> list[str]:
        if not len(self.errors):
            return ["no column had missing values"]
        return [f"{len(self.errors)} rounds; the table of round {self.kept + 1} was returned"]

    def _columns(self) -> dict[str, Any]:
        n_rounds = len(self.errors)
        return {
            "round": np.repeat(np.arange(1, n_rounds + 1), len(self.columns)),
            "column": list(self.columns) * n_rounds,
            "measure": list(self.measures) * n_rounds,
            "error": self.errors.ravel(),
            "n_missing": np.tile(self.n_missing, n_rounds),
            "change": self.changes.ravel(),
        }

    def _shown_columns(self) -> dict[str, Any]:
        r = self.kept
        return {
            "column": list(self.columns),
            "measure": list(self.measures),
            "n_missing": self.n_missing,
            "first round": self.errors[0] if len(self.errors) else self.errors.ravel(),
            "returned round": self.errors[r] if len(self.errors) else self.errors.ravel(),
        }

    def _draw(self, ax: Any) -> Any:
        rounds = np.arange(1, len(self.errors) + 1)
        mean = self.errors.mean(axis=1) if self.columns else np.zeros(0)
        names = np.array([one_line(name) for name in self.columns], dtype=object)
        return charts.curves(
            rounds, mean, self.errors, names, "round", "out-of-bag error", ax,
        )  # fmt: skip
