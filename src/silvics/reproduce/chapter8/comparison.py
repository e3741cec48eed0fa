"""What Tables 8.2, 8.3, 8.5 and 8.6 and Figures 8.1 and 8.2 show of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np

from silvics.reproduce.chapter8.experiment import accuracies, measured
from silvics.reproduce.chapter8.methods import METHODS
from silvics.reproduce.chapter8.ranks import (
    average_ranks,
    critical_difference,
    draw_ranks,
    friedman,
    significantly_better,
)
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

TWINS = (("ET", "RF"), ("P-ET", "P-DT"), ("RS-ET", "RS-DT"), ("RP-ET", "RP-DT"))
_REASON = "the data sets are fewer, smaller or others than in the thesis"


def measure_accuracy(which: str, settings: Settings) -> dict[str, Any]:
    """Return mean accuracies on the test parts in percent, and mean ranks."""
    found = measured(which, settings)
    table = accuracies(found)
    means = {
        name: {method: float(np.mean(of[method])) for method in METHODS}
        for name, of in table.items()
    }
    return {
        "accuracy": means,
        "same": [one.name for one in found if one.same],
        "whole": settings.scale == "paper",
    } | measure_ranks(means)


def measure_ranks(means: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return mean ranks, Friedman's test and the critical difference of Nemenyi's."""
    ranks = average_ranks(np.array([[of[method] for method in METHODS] for of in means.values()]))
    tested = friedman(ranks, len(means))
    return {
        "rank": dict(zip(METHODS, ranks.tolist(), strict=True)),
        "friedman": {"chi_square": tested.chi_square, "p": tested.p_value},
        "critical_difference": critical_difference(len(METHODS), len(means)),
        "n_sets": len(means),
    }


def compare_accuracy(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return mean ranks, and the accuracies on the data sets that we have.

    The thesis' accuracy is shown where the data set is the same, whatever the size of the run.
    """
    rows = compare_ranks(ours, printed)
    for name, of in ours["accuracy"].items():
        theirs = printed["accuracy"].get(name, [None] * len(METHODS))
        rows += [
            Row(f"{name}, {method}", value if name in ours["same"] else None, of[method])
            for method, value in zip(METHODS, theirs, strict=True)
        ]
    return rows


def compare_ranks(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return mean ranks and the critical difference beside those printed."""
    pairs = zip(METHODS, printed["rank"], strict=True)
    rows = [Row(f"mean rank of {method}", rank, ours["rank"][method]) for method, rank in pairs]
    rows.append(Row("data sets", printed["n_sets"], ours["n_sets"]))
    rows.append(
        Row("critical difference", printed["critical_difference"], ours["critical_difference"])
    )
    return rows


def judge_ranks(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what the text says of the mean ranks."""
    rank, p = ours["rank"], ours["friedman"]["p"]
    better = [pair for pair in TWINS if rank[pair[0]] < rank[pair[1]]]
    best = min(rank, key=rank.__getitem__)
    gap = rank["RP-ET"] - rank[best]
    expected = critical_difference(len(METHODS), printed["n_sets"])
    return [
        Statement(
            "Friedman's test rejects that all methods are equivalent at 0.05", p < 0.05,
            f"p = {p:.2g}, {ours['n_sets']} data sets", _REASON,
        ),
        Statement(
            "ensembles of randomized trees rank before those of standard trees",
            len(better) == len(TWINS),
            f"in {len(better)} of {len(TWINS)} pairs", _REASON,
        ),
        Statement(
            "pasting standard trees ranks behind every method but RF and RS-DT",
            all(rank["P-DT"] > rank[m] for m in METHODS if m not in ("P-DT", "RF", "RS-DT")),
            f"P-DT has rank {rank['P-DT']:.2f} of 8", _REASON,
        ),
        Statement(
            "RP-ET is not significantly worse than the best method",
            gap <= ours["critical_difference"],
            f"{best} is best by {gap:.2f} ranks, the critical difference is "
            f"{ours['critical_difference']:.2f}",
        ),
        Statement(
            f"the critical difference for {printed['n_sets']} data sets is "
            f"{printed['critical_difference']}",
            abs(expected - printed["critical_difference"]) < 5e-4,
            f"{expected:.4f}",
        ),
    ]  # fmt: skip


def judge_accuracy(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge the ranks, and the accuracies if the experiment has its full size."""
    found = judge_ranks(ours, printed)
    names = [name for name in ours["same"] if name in printed["accuracy"]]
    if ours["whole"] and names:
        off = [
            abs(ours["accuracy"][name][method] - value)
            for name in names
            for method, value in zip(METHODS, printed["accuracy"][name], strict=True)
        ]
        found.append(
            Statement(
                "accuracies on the same data sets are within 1.5 points", max(off) <= 1.5,
                f"differences up to {max(off):.2f} on {len(names)} data sets",
                "the thesis drew other divisions",
            )
        )  # fmt: skip
    return found


def measure_wins(which: str, settings: Settings) -> dict[str, Any]:
    """Return on how many data sets a method is better, not different, and worse than another."""
    table = accuracies(measured(which, settings))
    found: dict[str, Any] = {}
    for a, b in permutations(METHODS, 2):
        signs = [significantly_better(of[a], of[b], 0.01) for of in table.values()]
        found.setdefault(a, {})[b] = [signs.count(1), signs.count(0), signs.count(-1)]
    return {"wins": found, "n_sets": len(table)}


def compare_wins(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return win/draw/loss of all pairs as texts."""
    rows = []
    for a in METHODS:
        theirs = dict(zip([m for m in METHODS if m != a], printed["wins"][a], strict=True))
        rows += [
            Row(f"{a} against {b}", theirs[b], "/".join(map(str, ours["wins"][a][b])))
            for b in METHODS
            if b != a
        ]
    return rows


def judge_wins(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge the pairs that the text names, by the signs of wins minus losses."""
    found = []
    for a, b in printed["named"]:
        won, drawn, lost = ours["wins"][a][b]
        found.append(
            Statement(
                f"{a} is not significantly worse than {b} more often than better", won >= lost,
                f"{won}/{drawn}/{lost} at the level .01", _REASON,
            )
        )  # fmt: skip
    wins = ours["wins"]
    opposite = all(wins[a][b] == wins[b][a][::-1] for a, b in permutations(METHODS, 2))
    total = all(sum(wins[a][b]) == ours["n_sets"] for a, b in permutations(METHODS, 2))
    found.append(
        Statement(
            "the table is antisymmetric and counts every data set once", opposite and total,
            f"{ours['n_sets']} data sets",
        )
    )  # fmt: skip
    return found


def draw_mean_ranks(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:
    """Draw our ranks and those of the thesis."""
    draw_ranks(axes[0], METHODS, [ours["rank"][m] for m in METHODS], ours["critical_difference"])
    axes[0].set_title(f"here, {ours['n_sets']} data sets")
    draw_ranks(axes[1], METHODS, printed["rank"], printed["critical_difference"])
    axes[1].set_title(f"thesis, {printed['n_sets']} data sets")
