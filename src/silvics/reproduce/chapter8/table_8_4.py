"""Table 8.4: the larger data sets."""

from __future__ import annotations

from typing import Any

from silvics.reproduce.chapter8.sets import LARGE, sizes_of
from silvics.reproduce.chapter8.sets import compare_sizes as compare
from silvics.reproduce.chapter8.sets import judge_sizes as judge
from silvics.reproduce.settings import Settings

__all__ = ["compare", "judge", "measure"]


def measure(settings: Settings) -> dict[str, Any]:
    """Return the rows and columns of the data sets that can be had."""
    return sizes_of(LARGE, settings)
