"""Figure 8.3: accuracy against the shares of rows and columns in a patch.

Chapter 9 asks when to subsample rows rather than columns. The accuracies at the same size of a
patch answer it for each data set: half of the rows with all columns, or all rows with half of the
columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics.reproduce.chapter8.budgets import all_measured, shown, surface
from silvics.reproduce.chapter8.methods import TREES
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (2, 6)


def measure(settings: Settings) -> dict[str, Any]:
    """Return the learning surfaces of both kinds of trees."""
    found = all_measured(settings)
    return {
        "grid": list(found[0].grid),
        "shown": [one.name for one in shown(found)],
        "surface": {tree: {one.name: surface(one, tree) for one in found} for tree in TREES},
    }


def best_size(ours: Mapping[str, Any], tree: str, name: str) -> float:
    """Return alpha_s alpha_f of the best accuracy; the smallest of equal ones."""
    of, grid = ours["surface"][tree][name], ours["grid"]
    points = [(-of[i][j], s * f) for i, s in enumerate(grid) for j, f in enumerate(grid)]
    return min(points)[1]


def drop(ours: Mapping[str, Any], tree: str, name: str) -> float:
    """Return by how much the whole table is worse than the best patch."""
    of = ours["surface"][tree][name]
    return max(map(max, of)) - of[-1][-1]


def rows_or_columns(ours: Mapping[str, Any], tree: str) -> dict[str, float]:
    """Return the accuracy with half of the rows minus that with half of the columns."""
    half = ours["grid"].index(0.5)
    return {name: of[half][-1] - of[-1][half] for name, of in ours["surface"][tree].items()}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the best sizes and the drops; the thesis prints no numbers."""
    del printed
    rows = []
    for tree, of in ours["surface"].items():
        halves = rows_or_columns(ours, tree)
        for name in of:
            rows += [
                Row(f"RP-{tree}, {name}: best alpha_s alpha_f", None, best_size(ours, tree, name)),
                Row(f"RP-{tree}, {name}: drop at (1, 1)", None, drop(ours, tree, name)),
                Row(f"RP-{tree}, {name}: half the rows minus half the columns", None, halves[name]),
            ]
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 8.3.1 says about the surfaces."""
    del printed
    found = []
    for tree, of in ours["surface"].items():
        below = sum(best_size(ours, tree, name) <= 0.5 for name in of)
        found.append(
            Statement(
                f"in most cases the best patch of RP-{tree} is much smaller than the table",
                below > len(of) / 2, f"at most half of it on {below} of {len(of)} data sets",
            )
        )  # fmt: skip
    drops = {tree: [drop(ours, tree, name) for name in of] for tree, of in ours["surface"].items()}
    larger = sum(a > b for a, b in zip(drops["DT"], drops["ET"], strict=True))
    found.append(
        Statement(
            "the accuracy of RP-DT falls when both shares grow to 1, and that of RP-ET less",
            larger > len(drops["DT"]) / 2 and max(drops["DT"]) > 0,
            f"the drop of RP-DT is larger on {larger} of {len(drops['DT'])} data sets, "
            f"{max(drops['DT']):.1f} and {max(drops['ET']):.1f} points at most",
        )
    )
    signs = list(rows_or_columns(ours, "ET").values())
    found.append(
        Statement(
            "whether it is better to have fewer rows or fewer columns depends on the problem",
            min(signs) < 0 < max(signs),
            f"half of the rows is better on {sum(s > 0 for s in signs)} and half of the columns on "
            f"{sum(s < 0 for s in signs)} of {len(signs)} data sets, by up to "
            f"{max(signs):.1f} and {-min(signs):.1f} points",
        )
    )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:
    """Draw a surface for each kind of trees and each of six data sets."""
    del printed
    grid, names = ours["grid"], ours["shown"]
    width = len(axes) // 2
    for row, tree in enumerate(TREES):
        for place in range(width):
            ax = axes[row * width + place]
            if place >= len(names):
                ax.set_axis_off()
                continue
            of = ours["surface"][tree][names[place]]
            image = ax.imshow(of, origin="lower", aspect="auto", cmap="viridis")
            ax.figure.colorbar(image, ax=ax)
            ax.set_xticks(range(len(grid)), [f"{a:g}" for a in grid])
            ax.set_yticks(range(len(grid)), [f"{a:g}" for a in grid])
            ax.set_xlabel("alpha_f")
            ax.set_ylabel("alpha_s")
            ax.set_title(f"{names[place]}, RP-{tree}", fontsize=9)
