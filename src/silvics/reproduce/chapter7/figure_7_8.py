"""Figure 7.8: importances of an ordered variable and of a copy of the output, against L."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.importance import asymptotic_importances
from silvics.reproduce.chapter7.toy import of_values
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

SPLITS = {"TRT": "multiway", "ETs": "extra", "RF": "best"}


def measure(settings: Settings) -> dict[str, Any]:
    """Return exact importances of X1 and X2 for trees of three kinds of splits."""
    sizes = list(range(2, settings.pick(tiny=6, small=10, paper=10) + 1))
    found: dict[str, Any] = {"L": sizes, "H(Y)": []}
    for L in sizes:
        X, y = of_values(L)
        share = np.bincount(y) / L
        found["H(Y)"].append(float(-(share * np.log2(share)).sum()))
        for name, splits in SPLITS.items():
            values = asymptotic_importances(X, y, splits=splits).importances
            for j in (0, 1):
                found.setdefault(f"{name}, X{j + 1}", []).append(float(values[j]))
    return found


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the importances, which the thesis shows as curves."""
    return [
        Row(f"{name}, X{j}, L = {L}", None, ours[f"{name}, X{j}"][i])
        for i, L in enumerate(ours["L"]) for name in SPLITS for j in (1, 2)
    ]  # fmt: skip


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what section 7.2.3 says about the figure."""
    half = np.array(ours["H(Y)"]) / 2
    off = {
        name: max(abs(np.array(ours[f"{name}, X{j}"]) - half).max() for j in (1, 2))
        for name in ("TRT", "RF")
    }
    first, second = ours["ETs, X1"], ours["ETs, X2"]
    share = np.array(second) / ours["H(Y)"]
    steps = zip(ours["L"][1:], -np.diff(second), strict=True)
    falls = [(L, drop) for L, drop in steps if drop > 0]
    return [
        Statement(
            "in multiway trees both have H(Y) / 2 for every L", off["TRT"] < 1e-9,
            f"largest difference {off['TRT']:.2g}",
        ),
        Statement(
            "in ETs the importance of X1 falls as L grows", bool((np.diff(first) < 0).all()),
            f"{first[0]:.4f} to {first[-1]:.4f}",
        ),
        Statement(
            "in ETs the importance of X2 rises as L grows", not falls,
            f"{second[0]:.4f} to {second[-1]:.4f}" + "".join(
                f"; from L = {L - 1} to {L} it falls by {drop:.4f}" for L, drop in falls
            ),
            "for odd L, Y has less than one bit",
        ),
        Statement(
            "in ETs the share of X2 in H(Y) rises as L grows", bool((np.diff(share) > 0).all()),
            f"{share[0]:.4f} to {share[-1]:.4f}",
        ),
        Statement(
            "in RF, whose cuts are the best, both are equal", off["RF"] < 1e-9,
            f"largest difference from H(Y) / 2: {off['RF']:.2g}",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the importances against L."""
    for name, style in (("TRT", "-"), ("ETs", "--"), ("RF", ":")):
        for j in (1, 2):
            axes[0].plot(
                ours["L"], ours[f"{name}, X{j}"], style, color=f"C{j}", label=f"{name}, X{j}"
            )
    axes[0].set_xlabel("L, values of X1")
    axes[0].set_ylabel("importance, bits")
    axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
