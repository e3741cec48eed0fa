"""Figure 3.5: two splits of the toy problem, as seen by a strictly concave impurity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter3.toy import draw_split, split
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (1, 2)


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return both splits, by the entropy."""
    return {"X1": split("entropy", 0), "X3": split("entropy", 2)}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the shares of the first class, and the impurities."""
    rows = [Row("p(c1) of the root", printed["p(c1)"], ours["X1"]["p(c1)"])]
    for name, found in ours.items():
        for i, side in enumerate(("left", "right")):
            rows.append(Row(f"{name}, {side}: p(c1)", None, found["p(c1) of children"][i]))
            rows.append(Row(f"{name}, {side}: impurity", None, found["of children"][i]))
        rows.append(Row(f"{name}: decrease", None, found["decrease"]))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what the text says about the two plots."""
    one, three = ours["X1"], ours["X3"]
    return [
        Statement(
            "splitting on X1 reduces impurity, although it is larger in the left child",
            max(one["of children"]) > one["impurity"] and one["decrease"] > 0,
            f"{one['impurity']:.3f}; children {one['of children'][0]:.3f} and "
            f"{one['of children'][1]:.3f}; decrease {one['decrease']:.3f}",
        ),
        Statement(
            "the decrease by X3 is small, but not 0",
            0 < three["decrease"] < one["decrease"] / 10,
            f"{three['decrease']:.4f} and {one['decrease']:.4f}",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw both splits."""
    for ax, (name, found) in zip(axes, ours.items(), strict=True):
        draw_split(ax, "entropy", found, f"splitting on {name}")
