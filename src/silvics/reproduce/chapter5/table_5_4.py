"""Table 5.4: the time to build a forest, relative to scikit-learn's random forests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter5.timing import (
    OPENCV,
    all_times,
    averages,
    draw_relative,
    largest_loss_of_accuracy,
    printed_average,
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
        *opencv(ours, printed),
    ]


def opencv(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge the statement about OpenCV, if it was run."""
    found = relative(ours, "building")
    mean = averages(found)
    if OPENCV not in mean:
        return []
    theirs = printed_average(printed, found, OPENCV)
    return [
        Statement(
            "OpenCV's RF are slower than those of Scikit-Learn on average",
            mean[OPENCV] > 1,
            f"{mean[OPENCV]:.2f} times the time; printed for these data sets {theirs:.2f}",
            "the printed averages owe most to large tables, such as MNIST"
            if theirs < 1
            else "with the versions of today",
        )
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw relative times."""
    draw_relative(axes[0], relative(ours, "building"))
