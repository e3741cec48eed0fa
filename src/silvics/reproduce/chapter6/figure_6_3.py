"""Figure 6.3: importances of the seven segments by the number of variables that are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.importance import asymptotic_importances
from silvics.reproduce.chapter6.led import DIGITS, NAMES, segments
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (1, 2)


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the parts of the exact importances by degree, for K = 1 and K = 7."""
    X = segments()
    return {
        f"K = {K}": dict(
            zip(NAMES, asymptotic_importances(X, DIGITS, K=K).by_degree.tolist(), strict=True)
        )
        for K in (1, 7)
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the parts, which the thesis shows as shades of grey."""
    return [
        Row(f"{K}, {name}, k = {k}", None, value)
        for K, parts in ours.items()
        for name, values in parts.items()
        for k, value in enumerate(values)
    ]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 6.5 says about the figure."""
    left, right = ours["K = 1"], ours["K = 7"]
    bound = np.log2(10) / 7
    most = max(max(values) for values in left.values())
    first = {name: values[0] for name, values in right.items()}
    chosen = [name for name in NAMES if first[name] > 1e-9]
    deepest = max(k for values in right.values() for k, value in enumerate(values) if value > 1e-9)
    return [
        Statement(
            "at K = 1 every degree has at most H(Y) / p (6.17)", most <= bound + 1e-12,
            f"at most {most:.3f} of {bound:.3f}",
        ),
        Statement(
            "X5 tells something alone and with any number of others",
            min(left["X5"]) > 0.05, " ".join(f"{v:.3f}" for v in left["X5"]),
        ),
        Statement(
            "X6 tells little, alone or with others", sum(left["X6"]) < 0.4 * sum(left["X5"]),
            " ".join(f"{v:.3f}" for v in left["X6"]),
        ),
        Statement(
            "X7 tells something alone, and little once many others are known",
            left["X7"][-1] < 0.2 * left["X7"][0], " ".join(f"{v:.3f}" for v in left["X7"]),
        ),
        Statement(
            "at K = 7 only X2 and X5 are ever at the root", chosen == printed["at_the_root"],
            ", ".join(chosen),
        ),
        Statement(
            "at K = 7 nothing is told given 4 or more others",
            deepest <= printed["largest_context"], f"at most {deepest}",
            "for k = 3 too the sum is zero" if deepest < printed["largest_context"] else "",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the parts as shades."""
    for ax, (title, parts) in zip(axes, ours.items(), strict=True):
        ax.imshow(np.array(list(parts.values())), cmap="Greys", aspect="auto")
        ax.set_yticks(range(7), labels=NAMES)
        ax.set_xlabel("k, other variables that are known")
        ax.set_title(title)
