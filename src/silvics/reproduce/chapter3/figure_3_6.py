"""Figure 3.6: a split of the toy problem, as seen by the training error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter3.toy import draw_split, split
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the split on X1, by the training error."""
    return split("misclassification", 0)


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the decrease, which the thesis says is 0, and the impurities."""
    rows = [Row("decrease", printed["decrease"], ours["decrease"]),
            Row("impurity of the root", None, ours["impurity"])]  # fmt: skip
    for i, side in enumerate(("left", "right")):
        rows.append(Row(f"{side} child: impurity", None, ours["of children"][i]))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge whether the three points are on a line."""
    (a, b), (low, high) = ours["p(c1) of children"], ours["of children"]
    on_line = low + (ours["p(c1)"] - a) / (b - a) * (high - low)
    return [
        Statement(
            "the three points are on a line",
            abs(on_line - ours["impurity"]) < 1e-12,
            f"the root is {ours['impurity'] - on_line:.2g} above the line through its children",
        ),
        Statement("the decrease is 0", abs(ours["decrease"]) < 1e-12, f"{ours['decrease']:.2g}"),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the split."""
    draw_split(axes[0], "misclassification", dict(ours), "splitting on X1")
