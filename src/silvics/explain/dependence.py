"""Partial dependence and accumulated local effects of a forest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from silvics import _core
from silvics._frames import library_of
from silvics._names import one_of
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics._threads import n_threads
from silvics.explain.dependence_result import PartialDependence
from silvics.explain.grid import Axis, axes_of, column_of
from silvics.explain.shap_values import output_names, reports, require_linear

KINDS = ("average", "individual", "both", "ale")
_ROWS = 16384  # of a block of accumulated local effects


def partial_dependence(
    forest: Any,
    features: Any,
    X: Any,
    kind: str,
    grid: Any,
    grid_resolution: int,
    percentiles: Any,
    centered: bool,
    n_jobs: int | None,
    progress: Any,
) -> PartialDependence:
    """Compute what ``forest.partial_dependence`` returns."""
    one_of("kind", kind, KINDS)
    if not isinstance(centered, bool | np.bool_):
        raise TypeError(f"centered must be True or False, got {centered!r}.")
    blocks = inputs.prediction_blocks(forest, X)
    axes = axes_of(forest, features, blocks, grid, grid_resolution, percentiles)
    require_linear(forest, "partial_dependence")
    threads, report = n_threads(forest._jobs(n_jobs)), reports(forest, progress, "trees")
    predictor = forest._grown.trees.predictor_by(threads)
    average = std = individual = None
    if kind == "ale":
        axes, average = _local_effects(predictor, axes, blocks, grid, grid_resolution, threads)
    else:
        matrix = inputs.to_predict(blocks)
        columns, points = [a.index for a in axes], [a.points for a in axes]
        shape = [len(p) for p in points]
        if kind in ("average", "both"):
            mean, squares = _core.average_dependence(
                predictor, matrix, columns, points, bool(centered), threads, report
            )
            average = mean.reshape(*shape, -1)
            if forest._grown.stages == 1:  # otherwise single trees do not estimate the output
                std = np.sqrt(squares / predictor.n_trees).reshape(*shape, -1)
        if kind in ("individual", "both"):
            found = _core.individual_dependence(predictor, matrix, columns, points, threads, report)
            individual = found.reshape(len(found), *shape, -1)
            if centered:
                first = (slice(None), *([slice(0, 1)] * len(shape)))
                individual = individual - individual[first]
    return PartialDependence(
        kind=kind,
        names=np.array([axis.name for axis in axes], dtype=object),
        grid=[axis.labels for axis in axes],
        average=_without_output_axis(average),
        std=_without_output_axis(std),
        individual=_without_output_axis(individual),
        outputs=output_names(forest),
        centered=bool(centered) or kind == "ale",
        _in_order=[axis.in_order for axis in axes],
        _library=library_of(X) or getattr(forest, "_frame_library", None),
    )


def _without_output_axis(values: np.ndarray | None) -> np.ndarray | None:
    return values[..., 0] if values is not None and values.shape[-1] == 1 else values


# ---- accumulated local effects (Apley and Zhu 2020)


def _local_effects(
    predictor: _core.Predictor,
    axes: list[Axis],
    X: Blocks,
    grid: Any,
    resolution: int,
    threads: int,
) -> tuple[list[Axis], np.ndarray]:
    """Return the axis with the ends of the bins, and the effect at each end."""
    if len(axes) != 1:
        raise ValueError('kind="ale" is for one feature. Use kind="average" for a pair.')
    axis = axes[0]
    if axis.kind == "category":
        raise ValueError(
            f'kind="ale" sums the changes from each value to the next, but the levels of '
            f'{axis.name!r} have no order. Use kind="average", or an ordered category.'
        )
    column = column_of(X, axis.index).astype(np.float64)
    known = ~np.isnan(column)
    if grid is not None:
        ends = axis.points
    elif axis.kind == "ordered":  # each level, as in a grid of averages
        ends = column[known]
    else:
        ends = _quantiles(column[known], resolution)
    ends = np.unique(ends[~np.isnan(ends)])
    if len(ends) < 2:
        raise ValueError(f'kind="ale" needs at least two different values of {axis.name!r}.')
    inside = known & (column >= ends[0]) & (column <= ends[-1])
    bins = np.clip(np.searchsorted(ends, column, side="left"), 1, len(ends) - 1) - 1
    sums = np.zeros((len(ends) - 1, predictor.value_width))
    counts = np.bincount(bins[inside], minlength=len(sums)).astype(np.float64)
    for rows, cells in _rows_of(X, np.flatnonzero(inside)):
        cells[:, axis.index] = ends[bins[rows] + 1]
        upper = predictor.predict(_core.Matrix([cells], X.n_levels), threads)
        cells[:, axis.index] = ends[bins[rows]]
        lower = predictor.predict(_core.Matrix([cells], X.n_levels), threads)
        np.add.at(sums, bins[rows], upper - lower)
    effects = sums / np.maximum(counts, 1)[:, np.newaxis]
    curve = np.concatenate([np.zeros((1, effects.shape[1])), np.cumsum(effects, axis=0)])
    curve -= counts @ (curve[1:] + curve[:-1]) / 2 / max(counts.sum(), 1.0)
    return [axis.with_points(ends)], curve


def _quantiles(known: np.ndarray, resolution: int) -> np.ndarray:
    """Return the ends of bins with about equally many rows."""
    if not known.size:
        return known
    return np.quantile(known, np.linspace(0, 1, resolution), method="inverted_cdf")


def _rows_of(X: Blocks, chosen: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield numbers of rows, and their cells as numbers, in blocks."""
    for begin in range(0, len(chosen), _ROWS):
        rows = chosen[begin : begin + _ROWS]
        if X.sparse is not None:
            cells = np.asarray(X.sparse.tocsr()[rows].toarray(), dtype=np.float64)
        else:
            cells = np.hstack([block[rows].astype(np.float64) for block in X.blocks])
        yield rows, np.ascontiguousarray(cells)
