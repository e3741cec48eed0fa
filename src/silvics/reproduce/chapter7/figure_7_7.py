"""Figure 7.7: the Extra-Trees of Table 7.2 and their probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics import ExtraTreesClassifier
from silvics.reproduce.chapter7.toy import TABLE, draw_shares, structures
from silvics.reproduce.outcome import Row, Statement, agreement, side_by_side
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:
    """Return the share of each tree among many."""
    n_trees = settings.pick(tiny=2000, small=20_000, paper=100_000)
    forest = ExtraTreesClassifier(
        n_trees, criterion="entropy", max_features=1, random_state=settings.seed,
        n_jobs=settings.n_jobs,
    ).fit(TABLE, TABLE[:, 1])  # fmt: skip
    return {"trees": n_trees, "shares": structures(forest)}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the shares beside the printed probabilities."""
    missing = {name: 0.0 for name in printed["values"] if name not in ours["shares"]}
    return side_by_side(printed["values"], {**ours["shares"], **missing})


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what the caption says."""
    rows = compare(ours, printed)
    return [
        Statement(
            "there are four different trees", set(ours["shares"]) == set(printed["values"]),
            "; ".join(ours["shares"]),
        ),
        agreement(
            "they have the printed probabilities", rows, 2.2 / ours["trees"] ** 0.5
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:
    """Draw how often each of the four trees is grown."""
    draw_shares(axes[0], ours["shares"], printed["values"])
