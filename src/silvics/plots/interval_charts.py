"""Plots of prediction intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.plots.charts import new_axes, shown_name

_MOST_POINTS = 2000


def ordered(
    predictions: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    y: np.ndarray,
    inside: np.ndarray,
    ax: Any = None,
) -> Any:
    """Draw intervals of samples in the order of their predictions, and outputs as points."""
    ax = new_axes(ax, 6.4, 4.4)
    at = np.arange(len(y))
    if len(y) > _MOST_POINTS:
        some = np.linspace(0, len(y) - 1, _MOST_POINTS).astype(int)
        at, predictions, low, high = at[some], predictions[some], low[some], high[some]
        y, inside = y[some], inside[some]
    ax.fill_between(at, low, high, step="mid", color="tab:blue", alpha=0.25, label="interval")
    ax.plot(at, predictions, color="tab:blue", linewidth=1.2, label="prediction")
    for chosen, color, label in ((inside, "black", "inside"), (~inside, "tab:red", "outside")):
        ax.scatter(at[chosen], y[chosen], s=6, color=color, linewidths=0, label=label)
    ax.set_xlabel("samples, in the order of their predictions")
    ax.set_ylabel("output")
    ax.legend(fontsize="small", loc="upper left")
    return ax


def fan(
    x: np.ndarray,
    intervals: np.ndarray,
    predictions: np.ndarray,
    y: np.ndarray,
    levels: np.ndarray,
    name: str,
    ax: Any = None,
) -> Any:
    """Draw nested intervals over the sorted values of one variable."""
    ax = new_axes(ax, 6.4, 4.4)
    for k in range(len(levels))[::-1]:
        low, high = (_smoothed(intervals[:, side, k]) for side in (0, 1))
        shade = 0.12 + 0.5 * (len(levels) - 1 - k) / max(len(levels), 1)
        ax.fill_between(
            x, low, high, color="tab:blue", alpha=shade, linewidth=0, label=f"{levels[k]:g}"
        )
    ax.plot(x, _smoothed(predictions), color="tab:blue", linewidth=1.4)
    some = np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).astype(int)
    ax.scatter(x[some], y[some], s=4, color="black", linewidths=0, alpha=0.5)
    ax.set_xlabel(shown_name(name))
    ax.set_ylabel("output")
    ax.legend(title="level", fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def coverage(levels: np.ndarray, shares: np.ndarray, n: int, ax: Any = None) -> Any:
    """Draw coverages by level, with the range of two standard errors around the level."""
    ax = new_axes(ax, 5.2, 4.8)
    line = np.linspace(0, 1, 101)
    error = 2 * np.sqrt(line * (1 - line) / max(n, 1))
    ax.fill_between(line, line - error, line + error, color="gray", alpha=0.2, linewidth=0)
    ax.plot(line, line, color="gray", linewidth=0.8, linestyle="--")
    ax.plot(levels, shares, marker="o", markersize=4, color="tab:blue")
    ax.set_xlabel("confidence level")
    ax.set_ylabel("share of outputs inside")
    return ax


def _smoothed(values: np.ndarray) -> np.ndarray:
    """Return medians of neighbours: about a fiftieth of the values on either side."""
    half = len(values) // 50
    if half == 0:
        return values
    padded = np.pad(values, half, mode="edge")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1), axis=1)
