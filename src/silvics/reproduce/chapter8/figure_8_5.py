"""Figure 8.5: accuracy under a limit of the memory, beside one subsample of the same size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter8.budgets import all_measured, budgets_of, shown
from silvics.reproduce.chapter8.experiment import Measured
from silvics.reproduce.chapter8.methods import CLASSIC, METHODS
from silvics.reproduce.chapter8.ranks import significantly_better
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (2, 3)
PATCHES = [method for method in METHODS if method not in CLASSIC]


def measure(settings: Settings) -> dict[str, Any]:
    """Return the accuracy of each method at each budget, and whether the loss is significant."""
    found = all_measured(settings)
    return {
        "shown": [one.name for one in shown(found)],
        "curves": {one.name: _curves(one) for one in found},
    }


def _curves(one: Measured) -> dict[str, Any]:
    curves: dict[str, Any] = {}
    for method in PATCHES:
        curve: dict[str, list[Any]] = {"budget": [], "accuracy": [], "loss": []}
        for budget in budgets_of(one):
            if not one.points(method, budget):
                continue
            scores = one.test(method, budget)
            curve["budget"].append(budget)
            curve["accuracy"].append(float(scores.mean()))
            curve["loss"].append(significantly_better(one.test(method), scores, 0.05) > 0)
        curves[method] = curve
    for method in CLASSIC:
        shares = list(one.grid)
        accuracy = [float(one.on_subsample(method, share).mean()) for share in shares]
        curves[f"{method}, one subsample"] = {"budget": shares, "accuracy": accuracy}
    return curves


def at(curve: Mapping[str, Any], budget: float) -> float:
    """Return the accuracy at the largest budget that is not above another."""
    known = [a for b, a in zip(curve["budget"], curve["accuracy"], strict=True) if b <= budget]
    return known[-1] if known else float("nan")


def low_of(curves: Mapping[str, Any]) -> float:
    """Return the smallest budget at which all methods have an ensemble."""
    return max(curve["budget"][0] for curve in curves.values())


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the accuracies at the lowest budget of all methods; the thesis prints none."""
    del printed
    rows = []
    for name, curves in ours["curves"].items():
        low = low_of(curves)
        rows += [
            Row(f"{name}, {method} at {low:g}", None, at(curve, low))
            for method, curve in curves.items()
        ]
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 8.3.3 says about low budgets."""
    del printed
    found = []
    every = ours["curves"]
    for tree, classic in (("ET", "ET"), ("DT", "RF")):
        among, over = 0, []
        for curves in every.values():
            low = low_of(curves)
            mine = at(curves[f"RP-{tree}"], low)
            others = max(at(curves[f"P-{tree}"], low), at(curves[f"RS-{tree}"], low))
            among += mine >= others - 0.5
            over.append(mine - at(curves[f"{classic}, one subsample"], low))
        found += [
            Statement(
                f"at a low budget RP-{tree} is as good as P-{tree} and RS-{tree}, or better",
                among > len(every) / 2,
                f"within half a point on {among} of {len(every)} data sets",
                "alpha_s and alpha_f are tuned on few validation rows",
            ),
            Statement(
                f"at a low budget RP-{tree} is better than {classic} on one subsample of this size",
                float(np.mean(over)) > 0 and sum(o > 0 for o in over) > len(over) / 2,
                f"on {sum(o > 0 for o in over)} of {len(over)} data sets, by "
                f"{np.mean(over):.1f} points in the mean",
            ),
        ]
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:
    """Draw the accuracy against the budget; dots mark budgets without a significant loss."""
    del printed
    for place, ax in enumerate(axes):
        if place >= len(ours["shown"]):
            ax.set_axis_off()
            continue
        name = ours["shown"][place]
        for k, (method, curve) in enumerate(ours["curves"][name].items()):
            style = "--" if "loss" not in curve else "-"
            ax.plot(curve["budget"], curve["accuracy"], style, color=f"C{k}", lw=1, label=method)
            if "loss" in curve:
                good = [i for i, loss in enumerate(curve["loss"]) if not loss]
                ax.scatter(
                    [curve["budget"][i] for i in good], [curve["accuracy"][i] for i in good],
                    color=f"C{k}", s=8,
                )  # fmt: skip
        ax.set_xscale("log")
        ax.set_title(name, fontsize=9)
        ax.set_xlabel("share of the table in a patch")
        ax.set_ylabel("accuracy, %")
    axes[0].legend(fontsize=6)
