"""Figure 8.4: sizes of patches that are tuned, and the smallest without significant loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter8.budgets import all_measured, mean_shape, smallest_budget
from silvics.reproduce.chapter8.methods import TREES
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = (1, 2)
CASES = {"free": "without a limit", "reduced": "the smallest without significant loss"}


def measure(settings: Settings) -> dict[str, Any]:
    """Return the shapes that are tuned with and without a limit of the memory."""
    found: dict[str, Any] = {case: {tree: {} for tree in TREES} for case in CASES}
    for one in all_measured(settings):
        for tree in TREES:
            method = f"RP-{tree}"
            budget = smallest_budget(one, method)
            found["free"][tree][one.name] = mean_shape(one, method)
            found["reduced"][tree][one.name] = mean_shape(one, method, budget) | {"budget": budget}
    return found


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the mean shares of rows and columns; the thesis prints no numbers."""
    del printed
    return [
        Row(f"RP-{tree}, {name}, {CASES[case]}: {what}", None, shape[what])
        for case, of_case in ours.items()
        for tree, of in of_case.items()
        for name, shape in of.items()
        for what in ("alpha_s", "alpha_f", "size")
    ]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 8.3.2 says about the sizes."""
    sizes = {
        case: {tree: [shape["size"] for shape in of.values()] for tree, of in of_case.items()}
        for case, of_case in ours.items()
    }
    every = sizes["free"]["DT"] + sizes["free"]["ET"]
    below = sum(size < printed["below"] for size in every)
    budgets = [of["budget"] for tree in TREES for of in ours["reduced"][tree].values()]
    enough = sum(budget <= printed["enough"] + 1e-9 for budget in budgets)
    means = {tree: float(np.mean(sizes["free"][tree])) for tree in TREES}
    smaller = all(np.mean(sizes["reduced"][tree]) < means[tree] for tree in TREES)
    return [
        Statement(
            f"most of the tuned patches have less than {printed['below']} of the table",
            below > len(every) / 2, f"{below} of {len(every)}",
        ),
        Statement(
            "the tuned patches of RP-DT are smaller than those of RP-ET",
            means["DT"] < means["ET"], f"{means['DT']:.2f} and {means['ET']:.2f} of the table",
        ),
        Statement(
            "patches can be smaller without a significant loss", bool(smaller),
            "; ".join(
                f"RP-{tree}: {np.mean(sizes['reduced'][tree]):.2f} instead of {means[tree]:.2f}"
                for tree in TREES
            ),
        ),
        Statement(
            f"for more than half of the data sets {printed['enough']} of the table is enough",
            enough > len(budgets) / 2, f"for {enough} of {len(budgets)}",
            "few divisions find few differences significant, and many find more",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:
    """Draw an ellipse for each data set, and curves of equal memory."""
    del printed
    from matplotlib.patches import Ellipse

    line = np.linspace(0.01, 1.0, 200)
    for ax, (case, of_case) in zip(axes, ours.items(), strict=True):
        for level in (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            ax.plot(line, level / line, color="lightgrey", lw=0.7, zorder=0)
        for color, (tree, of) in zip(("C3", "C0"), of_case.items(), strict=True):
            for shape in of.values():
                place = (shape["alpha_f"], shape["alpha_s"])
                ax.add_patch(
                    Ellipse(
                        place, 2 * shape["std_f"] + 0.01, 2 * shape["std_s"] + 0.01,
                        facecolor=color, alpha=0.2,
                    )
                )  # fmt: skip
            ax.scatter(
                [shape["alpha_f"] for shape in of.values()],
                [shape["alpha_s"] for shape in of.values()],
                color=color, s=12, label=f"RP-{tree}",
            )  # fmt: skip
        ax.set_xlim(0, 1.05)
        ax.set_ylim(0, 1.05)
        ax.set_xlabel("alpha_f")
        ax.set_ylabel("alpha_s")
        ax.set_title(CASES[case], fontsize=9)
        ax.legend()
