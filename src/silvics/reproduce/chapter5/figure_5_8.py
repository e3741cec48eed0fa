"""Figure 5.8: the effect of bootstrap replicates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter5 import sweeps
from silvics.reproduce.chapter5.sweeps import FORESTS, means
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = sweeps.PANELS


def measure(settings: Settings) -> dict[str, Any]:
    """Return time, depth and error without and with bootstrap replicates."""
    return sweeps.sweep(settings, [False, True], lambda drawn: {"bootstrap": drawn})


def effects(ours: Mapping[str, Any], kind: str) -> tuple[float, float, float]:
    """Return how much faster and how many levels less deep trees are, and the added error."""
    (slow, fast), depth, error = (means(ours, kind, part) for part in sweeps.PARTS)
    return float(slow / fast), float(depth[0] - depth[1]), float(error[1] - error[0])


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the effects, as stated in the text, and the numbers of the plots."""
    rows = []
    for kind in FORESTS:
        faster, levels, error = effects(ours, kind)
        rows += [Row(f"times as fast with replicates ({kind})",
                     printed["faster"] if kind == "RF" else None, faster),
                 Row(f"levels less deep ({kind})", printed["less_deep"], levels),
                 Row(f"added error ({kind})", None, error)]  # fmt: skip
    return rows + sweeps.rows_of(ours, "bootstrap")


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 5.4.1 says about replicates."""
    found = []
    for kind in FORESTS:
        faster, levels, error = effects(ours, kind)
        if kind == "RF":
            text = f"replicates make RF about {printed['faster']} times as fast"
            holds = abs(faster - printed["faster"]) < 0.2
        else:
            text, holds = "replicates make ETs faster", faster > 1.05
        found += [
            Statement(text, holds, f"{faster:.2f} times",
                      "drawing replicates and the work per tree do not get faster, and replicates "
                      "are kept as counts of distinct rows"),
            Statement(f"trees are about {printed['less_deep']} levels less deep ({kind})",
                      abs(levels - printed["less_deep"]) < 0.3, f"{levels:.2f} levels",
                      "the thesis expects -log(0.632), which is 0.66 levels for balanced trees; "
                      "here depth grows by 1.2 to 1.4 levels when N doubles, so that 0.8 to 0.9 "
                      "are expected"),
            Statement(f"replicates raise the error ({kind})", error > 0, f"by {error:.2f}"),
        ]  # fmt: skip
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the three plots."""
    sweeps.draw_sweep(axes, ours, "bootstrap", scale="places")
