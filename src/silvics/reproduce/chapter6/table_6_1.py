"""Table 6.1: the segments of a display that are lit for each digit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter6.led import segments
from silvics.reproduce.outcome import Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the lit segments of each digit, as the library has them."""
    return {str(digit): "".join(map(str, lit)) for digit, lit in enumerate(segments().tolist())}


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Compare the digits, and whether they can be told apart."""
    same = sum(ours[digit] == lit for digit, lit in printed["values"].items())
    different = len(set(ours.values()))
    return [
        Statement(
            "the table is the one of silvics.datasets.LED", same == 10, f"{same} of 10 rows agree"
        ),
        Statement(
            "the segments determine the digit", different == 10, f"{different} different rows"
        ),
    ]
