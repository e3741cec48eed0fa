"""Table 7.2: two variables that both determine the output, and what binary splits make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import ExtraTreesClassifier
from silvics.importance import asymptotic_importances
from silvics.reproduce.chapter7.toy import TABLE
from silvics.reproduce.outcome import Row, Statement, agreement, side_by_side
from silvics.reproduce.settings import Settings

Y = TABLE[:, 1]
SPLITS = {"multiway": "multiway", "Extra-Trees": "extra", "best cuts": "best"}


def measure(settings: Settings) -> dict[str, Any]:
    """Return exact importances for three kinds of splits, and those of many Extra-Trees."""
    found: dict[str, Any] = {}
    for name, splits in SPLITS.items():
        exact = asymptotic_importances(TABLE, Y, splits=splits).importances
        found[name] = {"X1": float(exact[0]), "X2": float(exact[1])}
    n_trees = settings.pick(tiny=500, small=10_000, paper=100_000)
    forest = ExtraTreesClassifier(
        n_trees, criterion="entropy", max_features=1, random_state=settings.seed,
        n_jobs=settings.n_jobs,
    ).fit(TABLE, Y)  # fmt: skip
    grown = forest.importances()
    found["grown"] = {"X1": float(grown.values[0]), "X2": float(grown.values[1])}
    return found | {"standard error": float(grown.standard_errors.max()), "trees": n_trees}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the importances beside the printed ones."""
    rows = side_by_side(printed["values"], {name: ours[name] for name in SPLITS})
    name = f"{ours['trees']} Extra-Trees"
    return rows + [Row(f"{name}, {v}", None, value) for v, value in ours["grown"].items()]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 7.2.3 says about the table."""
    multiway, extra = (
        side_by_side({name: printed["values"][name]}, {name: ours[name]})
        for name in ("multiway", "Extra-Trees")
    )
    share = np.array([1 / 3, 2 / 3])
    half = float(-(share * np.log2(share)).sum() / 2)
    off = max(abs(value - half) for value in ours["multiway"].values())
    far = max(abs(ours["grown"][name] - ours["Extra-Trees"][name]) for name in ("X1", "X2"))
    return [
        agreement("multiway trees give the printed numbers", multiway, 0.0005),
        Statement(
            "both variables have H(Y) / 2 in multiway trees", off < 1e-12, f"{half:.6f}"
        ),
        Statement(
            "in Extra-Trees X2 is more important than X1",
            ours["Extra-Trees"]["X2"] > ours["Extra-Trees"]["X1"] + 0.1,
            f"{ours['Extra-Trees']['X1']:.6f} and {ours['Extra-Trees']['X2']:.6f}",
        ),
        Statement(
            "grown Extra-Trees have the exact importances",
            far < 4.5 * max(ours["standard error"], 1e-9),
            f"largest difference {far:.4f}, standard error {ours['standard error']:.4f}",
        ),
        agreement(
            "the printed importances of Extra-Trees are rounded from exact ones", extra, 0.0005,
            "the sums that the thesis writes are .375815 and .542481; its last digits are wrong",
        ),
    ]  # fmt: skip
