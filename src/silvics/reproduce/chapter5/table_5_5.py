"""Table 5.5: the time to predict, relative to scikit-learn's random forests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter5.timing import (
    all_times,
    averages,
    draw_relative,
    judge_opencv,
    relative,
    rows_of,
)
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:
    """Return the times on all data sets that can be had."""
    return all_times(settings)


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return relative times."""
    return rows_of(ours, printed, "predicting")


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 5.4.2 says about predicting."""
    mean = averages(relative(ours, "predicting"))
    ets = mean["silvics-ETs"] / mean["silvics-RF"]
    return [
        Statement(
            "Scikit-Learn is the fastest on average",
            mean["silvics-RF"] > 1,
            f"silvics takes {mean['silvics-RF']:.2f} of its time",
            "silvics came later, and is written for speed",
        ),
        Statement(
            "predictions of ETs are slightly slower than those of RF (Scikit-Learn)",
            1 < mean["Sklearn-ETs"] < 1.5,
            f"{mean['Sklearn-ETs']:.2f} times the time",
        ),
        Statement(
            "predictions of ETs are slower than those of RF (silvics)",
            ets > 1,
            f"{ets:.2f} times the time",
        ),
        *judge_opencv(ours, printed, "predicting"),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw relative times."""
    draw_relative(axes[0], relative(ours, "predicting"))
