"""Figure 5.9: the time to build a forest on MNIST, and to predict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter5.timing import PARTS, relative, table, timed
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (1, 2)


def measure(settings: Settings) -> dict[str, Any]:
    """Return the times of each library."""
    runs, n_trees = settings.pick(tiny=(1, 5), small=(3, 50), paper=(3, 250))
    return {"MNIST": timed(settings, *table(settings, "MNIST"), runs, n_trees)}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return times relative to scikit-learn's random forests, and seconds."""
    rows = []
    for part in PARTS[:2]:
        for kind, value in relative(ours, part)["MNIST"].items():
            rows.append(Row(f"{part}, {kind}, relative", printed[part].get(kind), value))
        for kind, times in ours["MNIST"].items():
            rows.append(Row(f"{part}, {kind}, s", None, float(np.median(times[part]))))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what the figure shows."""
    found = []
    for part in PARTS[:2]:
        times = relative(ours, part)["MNIST"]
        least = min(times["silvics-RF"], times["silvics-ETs"])
        found += [
            Statement(f"Scikit-Learn is the fastest ({part})", least > 1,
                      f"silvics takes {times['silvics-RF']:.2f} of its time",
                      "silvics came later, and is written for speed"),
            Statement(f"ETs take about as long as RF ({part}, Scikit-Learn)",
                      0.6 < times["Sklearn-ETs"] < 1.6, f"{times['Sklearn-ETs']:.2f} of the time"),
        ]  # fmt: skip
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the seconds of each library."""
    for ax, part in zip(axes, PARTS, strict=False):
        kinds = ours["MNIST"]
        ax.bar(range(len(kinds)), [np.median(times[part]) for times in kinds.values()])
        ax.set_xticks(range(len(kinds)), list(kinds), rotation=20, fontsize=8)
        ax.set(title=f"{part} on MNIST", ylabel="seconds")
