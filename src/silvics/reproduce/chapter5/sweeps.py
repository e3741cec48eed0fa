"""Figures 5.4 to 5.8: time, depth and error of forests on Friedman #1, against one quantity.

The text of the thesis does not give the values of the quantities. Times are those of the processor,
with one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from silvics import ExtraTreesRegressor, RandomForestRegressor
from silvics.datasets import Friedman1
from silvics.reproduce.outcome import Row
from silvics.reproduce.settings import Settings

FORESTS = {"RF": RandomForestRegressor, "ETs": ExtraTreesRegressor}
PARTS = ("time", "depth", "error")
PANELS = (1, 3)
LABELS = {"time": "training time, s", "depth": "average depth", "error": "mean squared error"}


def one_run(kind: str, seed: int, n: int, p: int, **parameters: Any) -> tuple[float, float, float]:
    """Return the seconds to grow a forest, the mean depth of its leaves, and its squared error."""
    X, y = Friedman1(p).sample(n + 1000, random_state=seed)
    parameters = {"max_features": int(p**0.5), "bootstrap": kind == "RF", **parameters}
    forest = FORESTS[kind](random_state=seed, n_jobs=1, **parameters)
    begin = time.process_time()
    forest.fit(X[:n], y[:n])
    took = time.process_time() - begin
    error = np.mean((forest.predict(X[n:]) - y[n:]) ** 2)
    return took, forest.work_["mean_leaf_depth"], float(error)


def sweep(
    settings: Settings, values: Sequence[Any], of: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """Return time, depth and error by value and run, for both kinds of forests."""
    runs = settings.pick(tiny=2, small=4, paper=10)
    trees = settings.pick(tiny=20, small=250, paper=250)
    defaults = {"n": settings.pick(tiny=200, small=1000, paper=1000), "p": 10,
                "n_estimators": trees}  # fmt: skip
    found: dict[str, Any] = {"values": list(values)}
    for kind in FORESTS:
        runs_of = [
            [one_run(kind, settings.seed + r, **{**defaults, **of(value)}) for r in range(runs)]
            for value in values
        ]
        array = np.array(runs_of)
        found[kind] = {part: array[:, :, i].tolist() for i, part in enumerate(PARTS)}
    return found


def means(ours: Mapping[str, Any], kind: str, part: str) -> np.ndarray:
    """Return the average over runs by value; the median for times."""
    array = np.array(ours[kind][part])
    return np.median(array, axis=1) if part == "time" else array.mean(axis=1)


def standard_errors(ours: Mapping[str, Any], kind: str, part: str) -> np.ndarray:
    """Return the standard errors of these averages."""
    array = np.array(ours[kind][part])
    return array.std(axis=1, ddof=1) / array.shape[1] ** 0.5


def slope(values: Sequence[float], times: np.ndarray) -> float:
    """Return the exponent of the power that fits best."""
    return float(np.polyfit(np.log(np.array(values, dtype=float)), np.log(times), 1)[0])


def rows_of(ours: Mapping[str, Any], label: str, at: Sequence[int] | None = None) -> list[Row]:
    """Return depths, errors and times at some of the values; the thesis only draws them."""
    values = ours["values"]
    at = range(len(values)) if at is None else at
    return [
        Row(f"{kind}, {label} = {values[i]}: {LABELS[part]}", None,
            float(means(ours, kind, part)[i]))
        for kind in FORESTS for i in at for part in PARTS
    ]  # fmt: skip


def draw_sweep(
    axes: Sequence[Any], ours: Mapping[str, Any], label: str, scale: str = "log"
) -> None:
    """Draw the three parts against the quantity, with bands of one standard deviation."""
    values = ours["values"]
    places = values if scale == "log" else list(range(len(values)))
    for ax, part in zip(axes, PARTS, strict=True):
        for kind in FORESTS:
            array = np.array(ours[kind][part])
            middle, spread = array.mean(axis=1), array.std(axis=1)
            ax.plot(places, middle, marker="o", label=kind)
            ax.fill_between(places, middle - spread, middle + spread, alpha=0.2)
        if scale == "log":
            ax.set_xscale("log")
        ax.minorticks_off()
        ax.set_xticks(places, [str(value) for value in values])
        ax.set(xlabel=label, title=LABELS[part])
    axes[0].legend()
