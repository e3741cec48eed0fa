"""Plots of predictions as functions of one or two variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.plots.charts import new_axes, shown_name

_MOST_ROWS = 200  # drawn, spread over all rows
_MOST_LABELS = 30


def dependence(
    x: np.ndarray,
    values: np.ndarray,
    std: np.ndarray | None,
    rows: np.ndarray | None,
    outputs: np.ndarray,
    x_label: str,
    y_label: str,
    ax: Any = None,
) -> Any:
    """Draw a curve for each output, with a band of its spread, over curves of single rows."""
    ax = new_axes(ax, 6.4, 4.4)
    at, discrete = _places(x)
    style = {"marker": "o", "linestyle": "none"} if discrete else {}
    if rows is not None:
        chosen = np.linspace(0, len(rows) - 1, min(len(rows), _MOST_ROWS)).astype(int)
        ax.plot(at, rows[np.unique(chosen)].T, color="tab:gray", linewidth=0.5, alpha=0.4)
    shown = range(values.shape[1]) if rows is None else [values.shape[1] - 1]
    for k in shown:
        (line,) = ax.plot(at, values[:, k], label=shown_name(outputs[k]), **style)
        if std is None:
            continue
        low, high = values[:, k] - std[:, k], values[:, k] + std[:, k]
        if discrete:
            ax.vlines(at, low, high, color=line.get_color(), linewidth=1)
        else:
            ax.fill_between(at, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    _label_axis(ax.xaxis, x, discrete)
    ax.set_xlabel(shown_name(x_label))
    ax.set_ylabel(shown_name(y_label))
    if 1 < len(shown) <= 20:
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def surface(
    values: np.ndarray, grid: list[np.ndarray], names: np.ndarray, unit: str, ax: Any = None
) -> Any:
    """Draw the values over the grid of two variables as colors."""
    ax = new_axes(ax, 6.0, 4.6)
    (x, x_discrete), (y, y_discrete) = (_places(labels) for labels in grid)
    mesh = ax.pcolormesh(x, y, values.T, cmap="viridis", shading="nearest")
    _label_axis(ax.xaxis, grid[0], x_discrete)
    _label_axis(ax.yaxis, grid[1], y_discrete)
    ax.set_xlabel(shown_name(names[0]))
    ax.set_ylabel(shown_name(names[1]))
    ax.figure.colorbar(mesh, ax=ax, label=unit)
    return ax


def _places(labels: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return where values are drawn, and whether they are levels side by side."""
    discrete = labels.dtype == object or len(labels) < 2
    return (np.arange(len(labels)) if discrete else labels), discrete


def _label_axis(axis: Any, labels: np.ndarray, discrete: bool) -> None:
    if not discrete:
        return
    step = -(-len(labels) // _MOST_LABELS)
    texts = ["missing" if label is None else shown_name(_short(label)) for label in labels]
    axis.set_ticks(np.arange(len(labels))[::step], labels=texts[::step])


def _short(label: Any) -> str:
    return f"{label:.4g}" if isinstance(label, float) else str(label)
