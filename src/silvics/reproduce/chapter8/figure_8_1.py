"""Figure 8.1: mean ranks of all methods on small data sets, with Nemenyi's test."""

from __future__ import annotations

from typing import Any

from silvics.reproduce.chapter8.comparison import compare_ranks as compare
from silvics.reproduce.chapter8.comparison import draw_mean_ranks as draw
from silvics.reproduce.chapter8.comparison import judge_ranks as judge
from silvics.reproduce.chapter8.comparison import measure_accuracy
from silvics.reproduce.settings import Settings

__all__ = ["compare", "draw", "judge", "measure"]

PANELS = (2, 1)


def measure(settings: Settings) -> dict[str, Any]:
    """Return mean ranks, and the difference that is significant."""
    return measure_accuracy("small", settings)
