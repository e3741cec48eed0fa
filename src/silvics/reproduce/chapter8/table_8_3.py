"""Table 8.3: paired t-tests of all methods on small data sets."""

from __future__ import annotations

from typing import Any

from silvics.reproduce.chapter8.comparison import compare_wins as compare
from silvics.reproduce.chapter8.comparison import judge_wins as judge
from silvics.reproduce.chapter8.comparison import measure_wins
from silvics.reproduce.settings import Settings

__all__ = ["compare", "judge", "measure"]


def measure(settings: Settings) -> dict[str, Any]:
    """Return the number of data sets on which each method wins, draws and loses."""
    return measure_wins("small", settings)
