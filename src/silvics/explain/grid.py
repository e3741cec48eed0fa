"""The grid of a partial dependence: the values that a variable takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.stats.mstats import mquantiles

from silvics._names import did_you_mean
from silvics._tables.table import Blocks, Variables
from silvics.importance.forest.grouping import names_of

_NUMPY_UNIT = {"date": "datetime64[us]", "duration": "timedelta64[us]"}


@dataclass(frozen=True, eq=False)
class Axis:
    """A variable and its values, in the form of the core and in the user's.

    Attributes
    ----------
    index : int
        The column.
    name : str
        Its name.
    points : ndarray of float64
        Numbers, or codes of levels; NaN is missing.
    labels : ndarray
        The same as the user writes them: numbers, dates, or an array of objects with levels. None
        is missing.
    kind : str
        The kind of the column (see ``silvics._tables.table``).
    levels : ndarray or None
        The levels of a category, by their codes.
    """

    index: int
    name: str
    points: np.ndarray
    labels: np.ndarray
    kind: str
    levels: np.ndarray | None

    @property
    def in_order(self) -> bool:
        """Whether the values are numbers or dates, without a missing one."""
        return self.labels.dtype != object

    def with_points(self, points: np.ndarray) -> Axis:
        """Return the axis with other numbers, or codes."""
        return replace(self, points=points, labels=_labels(points, self.kind, self.levels))


def axes_of(
    forest: Any, features: Any, X: Blocks, grid: Any, resolution: int, percentiles: Any
) -> list[Axis]:
    """Return the axes for one or two features."""
    resolution = _checked_resolution(resolution)
    low, high = _checked_percentiles(percentiles)
    indices = feature_indices(forest, features)
    grids = [None] * len(indices)
    if grid is not None:
        grids = [grid] if len(indices) == 1 else list(grid)
        if len(grids) != len(indices):
            raise ValueError("grid must have a list of values for each of the two features.")
    names, variables = names_of(forest), forest._variables
    return [
        _axis(j, str(names[j]), variables, column_of(X, j), given, resolution, (low, high))
        for j, given in zip(indices, grids, strict=True)
    ]


def feature_indices(forest: Any, features: Any) -> list[int]:
    """Return the columns of one feature or a pair of features, given by names or numbers."""
    single = isinstance(features, str | Integral)
    try:
        given = [features] if single else list(features)
    except TypeError:
        given = []
    if not 1 <= len(given) <= 2:
        raise ValueError(
            f"features must be one feature or a pair of features, got {features!r}. Call the "
            "method once for each feature or pair."
        )
    found = [_feature_index(forest, feature) for feature in given]
    if len(set(found)) < len(found):
        raise ValueError(f"features must be two different features, got {features!r}.")
    return found


def _feature_index(forest: Any, feature: Any) -> int:
    names = names_of(forest).tolist()
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"No feature is named {feature!r}.{did_you_mean(feature, names)}")
        return names.index(feature)
    if isinstance(feature, bool) or not isinstance(feature, Integral):
        raise TypeError(f"A feature must be a name or a number, got {feature!r}.")
    if not 0 <= int(feature) < len(names):
        raise ValueError(f"There are {len(names)} features, but features has {feature!r}.")
    return int(feature)


def column_of(X: Blocks, index: int) -> np.ndarray:
    """Return a column of a table in the form of the core."""
    if X.sparse is not None:
        return np.asarray(X.sparse[:, [index]].toarray()).ravel()
    for block in X.blocks:
        if index < block.shape[1]:
            return np.asarray(block[:, index])
        index -= block.shape[1]
    raise IndexError(index)


def _axis(
    index: int,
    name: str,
    variables: Variables,
    column: np.ndarray,
    given: Any,
    resolution: int,
    percentiles: tuple[float, float],
) -> Axis:
    kind, levels = variables.kinds[index], variables.levels[index]
    values = column.astype(np.float64)
    missing = np.isnan(values) | ((values == -1) if kind == "category" else False)
    if levels is not None:
        points = _codes(name, given, levels)
    elif given is not None:
        points = _numbers(name, given, kind)
    else:
        points = _points(values[~missing], column.dtype.kind in "iub", resolution, percentiles)
    if given is None and missing.any():
        points = np.append(points, np.nan)
    if not points.size:
        raise ValueError(f"The grid of {name!r} is empty, because the column has no values.")
    return Axis(index, name, points, _labels(points, kind, levels), kind, levels)


def _points(
    known: np.ndarray, whole: bool, resolution: int, percentiles: tuple[float, float]
) -> np.ndarray:
    """Return the distinct values, or equally spaced ones if there are many, as scikit-learn."""
    distinct = np.unique(known)
    if len(distinct) <= resolution:
        return distinct
    low, high = mquantiles(known, prob=percentiles)
    if not low < high:
        low, high = distinct[0], distinct[-1]
    points = np.linspace(low, high, resolution)
    return np.unique(np.round(points)) if whole else points


def _codes(name: str, given: Any, levels: np.ndarray) -> np.ndarray:
    """Return the codes of the levels of a grid; of all levels if none is given."""
    if given is None:
        return np.arange(len(levels), dtype=np.float64)
    codes = {level: float(code) for code, level in enumerate(levels.tolist())}
    found = []
    for value in np.asarray(given, dtype=object).tolist():
        if value is None or value != value:
            found.append(np.nan)
        elif value in codes:
            found.append(codes[value])
        else:
            raise ValueError(
                f"{value!r} is not a level of {name!r}.{did_you_mean(value, list(codes))}"
            )
    return np.array(found)


def _numbers(name: str, given: Any, kind: str) -> np.ndarray:
    try:
        if kind in _NUMPY_UNIT:
            moments = np.asarray(given, dtype=_NUMPY_UNIT[kind])
            points = moments.astype(np.int64).astype(np.float64)
            points[np.isnat(moments)] = np.nan
        else:
            points = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The grid of {name!r} must have values of its type: {error}.") from None
    if points.ndim != 1 or not points.size or np.isinf(points).any():
        raise ValueError(f"The grid of {name!r} must be a list of finite values.")
    return points


def _labels(points: np.ndarray, kind: str, levels: np.ndarray | None) -> np.ndarray:
    missing = np.isnan(points)
    if levels is None and not missing.any():
        return points.astype(np.int64).astype(_NUMPY_UNIT[kind]) if kind in _NUMPY_UNIT else points
    labels = np.empty(len(points), dtype=object)
    for i in np.flatnonzero(~missing):
        if levels is not None:
            labels[i] = levels[int(points[i])]
        elif kind in _NUMPY_UNIT:
            labels[i] = np.int64(points[i]).astype(_NUMPY_UNIT[kind])
        else:
            labels[i] = float(points[i])
    return labels


def _checked_resolution(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"grid_resolution must be an integer, got {value!r}.")
    if int(value) < 2:
        raise ValueError(f"grid_resolution must be at least 2, got {value!r}.")
    return int(value)


def _checked_percentiles(value: Any) -> tuple[float, float]:
    try:
        low, high = value
    except (TypeError, ValueError):
        raise ValueError(f"percentiles must be a pair of numbers, got {value!r}.") from None
    real = isinstance(low, Real) and isinstance(high, Real)
    if not (real and 0 <= float(low) < float(high) <= 1):
        raise ValueError(f"percentiles must be in [0, 1] and ascending, got {value!r}.")
    return float(low), float(high)
