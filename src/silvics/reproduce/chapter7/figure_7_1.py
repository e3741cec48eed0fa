"""Figure 7.1: copies of the most important segment of the seven-segment display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.importance import asymptotic_importances, copies
from silvics.reproduce.chapter6.led import DIGITS, NAMES, segments
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

X5 = 4
N_COPIES = 7


def measure(settings: Settings) -> dict[str, Any]:
    """Return importances by the formulas, and those of tables that have the copies."""
    X = segments()
    formulas = copies(X, DIGITS, variable=X5, n_copies=N_COPIES).importances
    tried = range(settings.pick(tiny=3, small=6, paper=6))
    tables = [
        asymptotic_importances(np.column_stack([X, *[X[:, X5]] * n]), DIGITS).importances[:7]
        for n in tried
    ]
    return {
        "copies": list(range(N_COPIES + 1)),
        **{name: formulas[:, j].tolist() for j, name in enumerate(NAMES)},
        "largest difference from tables": float(abs(formulas[: len(tables)] - tables).max()),
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the importances, which the thesis shows as curves."""
    return [
        Row(f"{name}, {n} copies of X5", None, ours[name][n])
        for name in NAMES for n in ((0, 1, 2, 3, 4, 5) if name == "X5" else (0, 5))
    ]  # fmt: skip


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 7.1 says about the figure."""
    others = [name for name in NAMES if name != "X5"]
    last = printed["copies_until_least"]
    least = min(NAMES, key=lambda name: ours[name][last])
    change = [ours[name][last] / ours[name][0] - 1 for name in others]
    off = ours["largest difference from tables"]
    return [
        Statement(
            "Proposition 7.5 gives the importances of tables with copies", off < 1e-9,
            f"largest difference {off:.2g} bits",
        ),
        Statement(
            "each copy makes X5 less important", bool((np.diff(ours["X5"]) < 0).all()),
            ", ".join(f"{value:.4f}" for value in ours["X5"][: last + 1]),
        ),
        Statement(
            f"with {last} copies X5 is the least important segment", least == "X5",
            f"{least}, {ours[least][last]:.4f}",
        ),
        Statement(
            "the other segments stay about the same or fall slightly",
            all(-0.35 < share < 1e-9 for share in change),
            f"from {min(change):.0%} to {max(change):.0%}",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the importances against the number of copies."""
    for name in NAMES:
        axes[0].plot(ours["copies"], ours[name], linewidth=2.5 if name == "X5" else 1, label=name)
    axes[0].set_xlabel("copies of X5")
    axes[0].set_ylabel("importance, bits")
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
