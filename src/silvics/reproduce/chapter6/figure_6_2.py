"""Figure 6.2: importances of the seven segments against K."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from silvics.importance import masking
from silvics.reproduce.chapter6.led import DIGITS, NAMES, segments
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the exact importances for each K, and who masks whom at K = 7."""
    found = masking(segments(), DIGITS)
    pairs = found.pairs(K=7, top=5)
    return {
        "K": list(range(1, 8)),
        **{name: found.importances[:, j].tolist() for j, name in enumerate(NAMES)},
        "masked": [
            [_named(pair.variable), _named(pair.hidden_by), float(pair.amount)]
            for pair in pairs.itertuples()
        ],
    }


def order(ours: Mapping[str, Any], K: int) -> str:
    """Return the variables in the order of their importances."""
    return " ".join(sorted(NAMES, key=lambda name: -ours[name][K - 1]))


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the order of the variables, and the curves."""
    rows = [
        Row("order at K = 1", printed["order_at_1"], order(ours, 1)),
        Row("order at K = 7", None, order(ours, 7)),
    ]
    return rows + [
        Row(f"{name} at K = {K}", None, ours[name][K - 1]) for name in NAMES for K in (1, 2, 4, 7)
    ]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 6.5 says about the figure."""
    spread = [max(ours[n][k] for n in NAMES) - min(ours[n][k] for n in NAMES) for k in range(7)]
    masked, by, amount = ours["masked"][0]
    return [
        Statement(
            f"at K = 1 the order is {printed['order_at_1']}",
            order(ours, 1) == printed["order_at_1"], order(ours, 1),
        ),
        Statement(
            "importances diverge as K increases",
            all(b >= a - 1e-3 for a, b in pairwise(spread))
            and spread[-1] > 1.2 * spread[0],
            f"largest less smallest importance: {spread[0]:.3f} at K = 1, {spread[-1]:.3f} at "
            f"K = 7; {by} takes {amount:.3f} bits from {masked}",
        ),
        Statement(
            "masking changes the order", order(ours, 7) != order(ours, 1), order(ours, 7)
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the importances against K."""
    for name in NAMES:
        axes[0].plot(ours["K"], ours[name], marker="o", markersize=3, label=name)
    axes[0].set_xlabel("K")
    axes[0].set_ylabel("importance, bits")
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _named(column: str) -> str:
    return f"X{int(column.lstrip('x')) + 1}"
