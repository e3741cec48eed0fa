"""Figure 3.7: three impurities of two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter3.toy import impurity_at
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

CRITERIA = ("misclassification", "entropy", "gini")


def measure(settings: Settings) -> dict[str, Any]:
    """Return the impurities of nodes with all shares of the first class."""
    n = settings.pick(tiny=20, small=100, paper=200)
    shares = [k / n for k in range(n + 1)]
    return {"p": shares} | {c: [impurity_at(c, p, n) for p in shares] for c in CRITERIA}


def defined(criterion: str, shares: np.ndarray) -> np.ndarray:
    """Return the impurities by Definitions 3.8 to 3.10."""
    p = np.column_stack([shares, 1 - shares])
    if criterion == "entropy":
        return -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=1)
    return (p * (1 - p)).sum(axis=1) if criterion == "gini" else 1 - p.max(axis=1)


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the impurities at four shares, by definition and as computed."""
    rows = []
    for criterion in CRITERIA:
        theirs = defined(criterion, np.array(ours["p"]))
        for p in (0.0, 0.2, 0.5, 1.0):
            at = ours["p"].index(p)
            rows.append(Row(f"{criterion} at p(c1) = {p}", float(theirs[at]), ours[criterion][at]))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge the requirements of Theorem 3.3."""
    shares, found = np.array(ours["p"]), []
    for criterion in CRITERIA:
        values = np.array(ours[criterion])
        off = np.abs(values - defined(criterion, shares)).max()
        ends = max(abs(values[0]), abs(values[-1]))
        top = float(shares[values.argmax()])
        found.append(
            Statement(
                f"{criterion} is as defined, 0 at the ends, and largest at 1/2",
                off < 1e-12 and ends < 1e-12 and abs(top - 0.5) < 1e-12,
                f"off by at most {off:.1g}, largest at {top:.2f}",
            )
        )
        bend = np.diff(values, 2)
        strict = bool((bend < -1e-9).all())
        wanted = criterion != "misclassification"
        found.append(
            Statement(
                f"{criterion} is {'' if wanted else 'not '}strictly concave",
                strict == wanted,
                f"second differences from {bend.min():.2g} to {bend.max():.2g}",
            )
        )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the three functions."""
    for criterion, label in zip(CRITERIA, ("i_R", "i_H", "i_G"), strict=True):
        axes[0].plot(ours["p"], ours[criterion], label=f"{label}: {criterion}")
    axes[0].set(xlabel="p(c1)", ylabel="impurity")
    axes[0].legend()
