"""Table 3.1: training error sees no difference between three splits, concave impurities do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter3.toy import NAMES, split
from silvics.reproduce.outcome import Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the decrease of three impurities by each split."""
    return {
        criterion: {name: split(criterion, j)["decrease"] for j, name in enumerate(NAMES)}
        for criterion in ("misclassification", "entropy", "gini")
    }


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Compare the splits."""
    errors = ours["misclassification"].values()
    found = [
        Statement(
            "the decrease of the training error is 0 for all three splits",
            max(map(abs, errors)) < 1e-12,
            f"at most {max(map(abs, errors)):.2g}",
        )
    ]
    for criterion in ("entropy", "gini"):
        decreases = ours[criterion]
        best = max(decreases, key=decreases.__getitem__)
        found.append(
            Statement(
                f"{criterion} prefers {printed['best']}",
                best == printed["best"],
                ", ".join(f"{name} {value:.4f}" for name, value in decreases.items()),
            )
        )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the decreases."""
    for place, (criterion, decreases) in enumerate(ours.items()):
        axes[0].bar(np.arange(3) + 0.27 * (place - 1), list(decreases.values()), 0.25,
                    label=criterion)  # fmt: skip
    axes[0].set_xticks(range(3), NAMES)
    axes[0].set_ylabel("decrease of impurity")
    axes[0].legend()
