"""Figure 5.7: the effect of the number of variables drawn at a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter5 import sweeps
from silvics.reproduce.chapter5.sweeps import FORESTS, means, slope, standard_errors
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = sweeps.PANELS


def measure(settings: Settings) -> dict[str, Any]:
    """Return time, depth and error for several K."""
    ks = settings.pick(tiny=[1, 5, 7, 10], small=[1, 2, 3, 5, 7, 10], paper=list(range(1, 11)))
    return sweeps.sweep(settings, ks, lambda k: {"max_features": k})


def best(ours: Mapping[str, Any], kind: str) -> int:
    """Return the K of the smallest error."""
    return int(ours["values"][int(means(ours, kind, "error").argmin())])


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the best K, exponents of the time, and numbers of the plots."""
    rows = [Row(f"best K of {kind}", printed["best_K"][kind], best(ours, kind)) for kind in FORESTS]
    for kind in FORESTS:
        power = slope(ours["values"], means(ours, kind, "time"))
        rows.append(Row(f"exponent of K in the time ({kind})", 1, power))
    return rows + sweeps.rows_of(ours, "K", [0, len(ours["values"]) - 1])


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 5.4.1 says about K."""
    found = []
    for kind in FORESTS:
        error, spread = means(ours, kind, "error"), standard_errors(ours, kind, "error")
        claimed = printed["best_K"][kind]
        at = ours["values"].index(claimed)
        excess = float(error[at] - error.min())
        depth, seconds = means(ours, kind, "depth"), means(ours, kind, "time")
        power = slope(ours["values"], seconds)
        found += [
            Statement(f"the best K of {kind} is {claimed}", excess <= 2 * spread.max(),
                      f"K = {best(ours, kind)}; K = {claimed} is worse by {excess:.3f}, standard "
                      f"error {spread.max():.3f}"),
            Statement(f"too strong perturbations, K = 1, are harmful ({kind})",
                      bool(error[0] > 1.1 * error.min()),
                      f"error {error[0]:.2f} at K = 1, {error.min():.2f} at best"),
            Statement(f"the time grows in O(K) ({kind})",
                      bool((np.diff(seconds) > 0).all()) and power < 1.1,
                      f"exponent {power:.2f}; part of the time does not depend on K"),
            Statement(f"a larger K makes trees slightly less deep ({kind})",
                      bool(depth[-1] < depth[0]), f"{depth[0]:.2f} to {depth[-1]:.2f} levels"),
        ]  # fmt: skip
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the three plots."""
    sweeps.draw_sweep(axes, ours, "K")
