"""Figure 5.5: the effect of the size of the learning set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.reproduce.chapter5 import sweeps
from silvics.reproduce.chapter5.sweeps import FORESTS, means, slope
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PANELS = sweeps.PANELS
LARGE = 1000  # samples, from which the time per tree is that of splitting nodes


def measure(settings: Settings) -> dict[str, Any]:
    """Return time, depth and error for several sizes."""
    ns = settings.pick(tiny=[125, 250, 500], small=[125, 250, 500, 1000, 2000, 4000],
                       paper=[125, 250, 500, 1000, 2000, 4000, 8000, 16_000])  # fmt: skip
    return sweeps.sweep(settings, ns, lambda n: {"n": n})


def exponent(ours: Mapping[str, Any], kind: str) -> float:
    """Return the exponent of N in the time of large learning sets."""
    at = [i for i, n in enumerate(ours["values"]) if n >= LARGE]
    at = at if len(at) > 1 else list(range(len(ours["values"])))
    return slope([ours["values"][i] for i in at], means(ours, kind, "time")[at])


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return exponents of the time beside those of the thesis' orders, and numbers of the plots."""
    ns = np.array([n for n in ours["values"] if n >= LARGE] or ours["values"], dtype=float)
    theirs = {"RF": ns * np.log(ns) ** 2, "ETs": ns * np.log(ns)}
    rows = [
        Row(f"exponent of N in the time ({kind}); thesis: of its order",
            slope(ns.tolist(), theirs[kind]), exponent(ours, kind))
        for kind in FORESTS
    ]  # fmt: skip
    return rows + sweeps.rows_of(ours, "N", [0, len(ours["values"]) - 1])


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what section 5.4.1 says about N."""
    found = []
    for kind in FORESTS:
        power = exponent(ours, kind)
        steps = np.diff(means(ours, kind, "depth")) / np.diff(np.log2(ours["values"]))
        error = means(ours, kind, "error")
        found += [
            Statement(f"the time grows slightly faster than linearly ({kind})", 1 < power < 1.4,
                      f"exponent {power:.2f} from N = {LARGE} on",
                      "part of the time does not depend on N, and numbers of a tree are sorted "
                      "once, not in each node"),
            Statement(f"the average depth grows with log N ({kind})",
                      bool(steps.min() > 0.5 and steps.max() / steps.min() < 1.4),
                      f"{steps.min():.2f} to {steps.max():.2f} levels when N doubles"),
            Statement(f"more data give a better model ({kind})", bool((np.diff(error) < 0).all()),
                      f"error {error[0]:.2f} to {error[-1]:.2f}"),
        ]  # fmt: skip
    ratio = means(ours, "RF", "error") / means(ours, "ETs", "error")
    found.append(
        Statement(
            "RF have a lower error than ETs on few data, and the errors tend to each other",
            bool(ratio[0] < 1 and abs(np.log(ratio[-1])) < abs(np.log(ratio[0]))),
            f"ratio {ratio[0]:.3f} at the smallest N, {ratio[-1]:.3f} at the largest",
            "the errors differ by a few percent at every N",
        )
    )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the three plots."""
    sweeps.draw_sweep(axes, ours, "N")
