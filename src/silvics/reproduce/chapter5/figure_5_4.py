"""Figure 5.4: the effect of the number of trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter5 import sweeps
from silvics.reproduce.chapter5.sweeps import FORESTS, means, slope
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = sweeps.PANELS


def measure(settings: Settings) -> dict[str, Any]:
    """Return time, depth and error for several numbers of trees."""
    ms = settings.pick(tiny=[10, 20, 40], small=[16, 32, 64, 128, 250, 500],
                       paper=[16, 32, 64, 128, 250, 500, 1000])  # fmt: skip
    return sweeps.sweep(settings, ms, lambda m: {"n_estimators": m})


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the difference of depths, which the thesis states, and the numbers of the plots."""
    at = len(ours["values"]) - 2
    deeper = float((means(ours, "ETs", "depth") - means(ours, "RF", "depth"))[at])
    rows = [Row("levels by which ETs are deeper", printed["deeper"], deeper)]
    for kind in FORESTS:
        found = slope(ours["values"], means(ours, kind, "time"))
        rows.append(Row(f"exponent of M in the time ({kind})", 1, found))
    return rows + sweeps.rows_of(ours, "M", [at])


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 5.4.1 says about M."""
    found, ms = [], np.array(ours["values"], dtype=float)
    at = len(ms) - 2
    for kind in FORESTS:
        exponent = slope(ours["values"], means(ours, kind, "time"))
        depth, error = means(ours, kind, "depth"), means(ours, kind, "error")
        fit = np.polyfit(1 / ms, error, 1)
        off = float(np.abs(np.polyval(fit, 1 / ms) / error - 1).max())
        found += [
            Statement(f"the time is proportional to M ({kind})", 0.8 < exponent < 1.2,
                      f"exponent {exponent:.2f}"),
            Statement(f"the average depth does not depend on M ({kind})",
                      float(np.ptp(depth)) < 0.2, f"{depth.min():.2f} to {depth.max():.2f}"),
            Statement(f"the error is a constant plus a part that is proportional to 1/M ({kind})",
                      off < 0.03 and fit[0] > 0,
                      f"{fit[1]:.2f} + {fit[0]:.1f}/M, off by at most {off:.1%}"),
        ]  # fmt: skip
    rf, ets = (float(means(ours, kind, "depth")[at]) for kind in FORESTS)
    found.append(
        Statement(
            "trees of ETs are about one level deeper",
            abs(ets - rf - printed["deeper"]) < 0.5,
            f"{rf:.2f} and {ets:.2f}",
        )
    )
    rf, ets = (float(means(ours, kind, "time")[at]) for kind in FORESTS)
    found.append(Statement("ETs are faster to build", ets < rf, f"RF {rf:.3f} s, ETs {ets:.3f} s"))
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the three plots."""
    sweeps.draw_sweep(axes, ours, "M")
