"""The result of ``forest.partial_dependence``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics._results.base import Result
from silvics.plots import dependence_charts


@dataclass(repr=False, eq=False)
class PartialDependence(Result):
    """Predictions as functions of one or two variables.

    ``to_frame()`` has one row for each point of the grid (and output), with a column for each
    variable, ``average`` and ``std``. For ``kind="individual"`` it has one row for each row of X
    and point, with the columns ``row`` and ``prediction``; for ``kind="both"``, the same rows, with
    ``average`` and ``std`` of the point besides.

    Attributes
    ----------
    kind : {"average", "individual", "both", "ale"}
        What was computed.
    names : ndarray of str objects
        The names of the one or two variables.
    grid : list of ndarray
        The values of each variable: numbers, dates or levels. None is missing.
    average : ndarray, or None
        The mean prediction of the rows at each point, of shape (n_points,), or (n_points_1,
        n_points_2) for two variables. If there are several outputs or classes, they are the last
        axis. For "ale", the accumulated effect.
    std : ndarray, or None
        The standard deviation of ``average`` over the trees; None for "ale".
    individual : ndarray, or None
        The prediction of each row at each point; the first axis has the rows.
    outputs : ndarray of str objects
        The names of the outputs or classes.
    centered : bool
        Whether values are relative to the first point. For "ale", to the mean over the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestRegressor
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    >>> found = forest.partial_dependence("petal width (cm)", X)
    >>> found.average.shape
    (22,)
    >>> bool(found.average[-1] > found.average[0])
    True
    """

    kind: str
    names: np.ndarray
    grid: list[np.ndarray]
    average: np.ndarray | None
    std: np.ndarray | None
    individual: np.ndarray | None
    outputs: np.ndarray
    centered: bool
    _in_order: list[bool] = field(default_factory=list)
    _library: str | None = None

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(len(values) for values in self.grid)

    def _title(self) -> str:
        what = "Accumulated local effects" if self.kind == "ale" else "Partial dependence"
        return f"{what} of {' and '.join(map(str, self.names))}"

    def _notes(self) -> list[str]:
        points = " x ".join(map(str, self._shape))
        rows = "" if self.individual is None else f", {len(self.individual):,} rows"
        return [f"{points} points{rows}" + (", centered" if self.centered else "")]

    def _columns(self) -> dict[str, Any]:
        if self.individual is None:
            return self._average_columns()
        n_points = int(np.prod(self._shape))
        n_outputs = len(self.outputs)
        n_rows = len(self.individual)
        columns: dict[str, Any] = {"row": np.repeat(np.arange(n_rows), n_points * n_outputs)}
        self._add_points(columns, n_rows)
        columns[_free("prediction", columns)] = self.individual.ravel()
        self._add_averages(columns, n_rows)
        return columns

    def _shown_columns(self) -> dict[str, Any]:
        """Return the averages, also where the frame has a row for each row of X."""
        return self._columns() if self.average is None else self._average_columns()

    def _average_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        self._add_points(columns, 1)
        self._add_averages(columns, 1)
        return columns

    def _add_points(self, columns: dict[str, Any], n_rows: int) -> None:
        """Add the values of the variables, and the names of outputs, for each row of X."""
        n_outputs = len(self.outputs)
        mesh = np.meshgrid(*(np.arange(n) for n in self._shape), indexing="ij")
        for name, labels, at in zip(self.names, self.grid, mesh, strict=True):
            cells = np.tile(np.repeat(labels[at.ravel()], n_outputs), n_rows)
            columns[_free(str(name), columns)] = _plain(cells)
        if n_outputs > 1:
            n_points = int(np.prod(self._shape))
            columns[_free("output", columns)] = np.tile(self.outputs, n_rows * n_points).tolist()

    def _add_averages(self, columns: dict[str, Any], n_rows: int) -> None:
        for name, values in (("average", self.average), ("std", self.std)):
            if values is not None:
                columns[_free(name, columns)] = np.tile(values.ravel(), n_rows)

    def _draw(self, ax: Any) -> Any:
        values = self.individual.mean(axis=0) if self.average is None else self.average  # type: ignore[union-attr]
        values = np.asarray(values).reshape(*self._shape, len(self.outputs))
        unit = "effect" if self.kind == "ale" else "prediction"
        if len(self.grid) == 2:
            return dependence_charts.surface(values[..., -1], self.grid, self.names, unit, ax)
        rows = None
        if self.individual is not None:
            shape = (len(self.individual), *self._shape, len(self.outputs))
            rows = self.individual.reshape(shape)[..., -1]
        std = None if self.std is None else self.std.reshape(values.shape)
        return dependence_charts.dependence(
            self.grid[0], values, std, rows, self.outputs, str(self.names[0]), unit, ax
        )


def _free(name: str, columns: dict[str, Any]) -> str:
    while name in columns:
        name += "_"
    return name


def _plain(cells: np.ndarray) -> Any:
    """Return levels as a list of one type: text, unless all are numbers."""
    if cells.dtype != object:
        return cells
    known = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, float | int | bool | np.number) for cell in known):
        return [None if cell is None else float(cell) for cell in cells]
    return [None if cell is None else str(cell) for cell in cells]
