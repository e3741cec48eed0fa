"""Table 8.5: accuracies of the eight methods on larger data sets, and their ranks."""

from __future__ import annotations

from typing import Any

from silvics.reproduce.chapter8.comparison import compare_accuracy as compare
from silvics.reproduce.chapter8.comparison import judge_accuracy as judge
from silvics.reproduce.chapter8.comparison import measure_accuracy
from silvics.reproduce.settings import Settings

__all__ = ["compare", "judge", "measure"]


def measure(settings: Settings) -> dict[str, Any]:
    """Return mean accuracies on the test parts, and mean ranks."""
    return measure_accuracy("large", settings)
