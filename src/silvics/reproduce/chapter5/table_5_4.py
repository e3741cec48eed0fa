"""Table 5.4: the time to build a forest, relative to scikit-learn's random forests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter5.timing import (
    all_times,
    averages,
    draw_relative,
    judge_opencv,
    largest_loss_of_accuracy,
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
    return rows_of(ours, printed, "building")


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 5.4.2 says about building."""
    found = relative(ours, "building")
    mean = averages(found)
    faster = sum(times["Sklearn-ETs"] < 1 for times in found.values())
    ours_faster = sum(times["silvics-ETs"] < times["silvics-RF"] for times in found.values())
    loss = largest_loss_of_accuracy(ours)
    return [
        Statement(
            "Scikit-Learn is the fastest on average",
            min(mean["silvics-RF"], mean["silvics-ETs"] / mean["Sklearn-ETs"]) > 1,
            f"silvics takes {mean['silvics-RF']:.2f} of its time for RF and "
            f"{mean['silvics-ETs'] / mean['Sklearn-ETs']:.2f} for ETs",
            "silvics came later, and is written for speed",
        ),
        Statement(
            "ETs are usually faster to build than RF (Scikit-Learn)",
            faster > len(found) / 2 and mean["Sklearn-ETs"] < 1,
            f"on {faster} of {len(found)} data sets, {mean['Sklearn-ETs']:.2f} of the time",
        ),
        Statement(
            "ETs are usually faster to build than RF (silvics)",
            ours_faster > len(found) / 2,
            f"on {ours_faster} of {len(found)} data sets",
            "searching all cuts costs little more than drawing one, where numbers are sorted once "
            "and trees of ETs are larger",
        ),
        Statement(
            "all compute the same thing",
            loss < 0.05,
            f"silvics is at most {loss:.3f} less accurate",
        ),
        *judge_opencv(ours, printed, "building"),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw relative times."""
    draw_relative(axes[0], relative(ours, "building"))
