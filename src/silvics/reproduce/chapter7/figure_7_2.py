"""Figure 7.2: copies of an input of an exclusive or."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.importance import copies
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
N_COPIES = 7


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return the importances of both inputs by the number of copies of the first."""
    found = copies(X, X[:, 0] ^ X[:, 1], variable=0, n_copies=N_COPIES).importances
    return {
        "copies": list(range(N_COPIES + 1)),
        "X1": found[:, 0].tolist(),
        "X2": found[:, 1].tolist(),
    }


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the importances, which the thesis shows as curves."""
    return [
        Row(f"{name}, {n} copies of X1", None, ours[name][n])
        for n in (0, 1, 2, 5) for name in ("X1", "X2")
    ]  # fmt: skip


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what section 7.1 says about the figure."""
    n = np.array(ours["copies"])
    off = max(
        abs(ours["X1"] - 1 / (n + 1) / (n + 2)).max(), abs(ours["X2"] - (n + 1) / (n + 2)).max()
    )
    return [
        Statement(
            "each copy makes X1 less important", bool((np.diff(ours["X1"]) < 0).all()),
            f"{ours['X1'][0]:.3f} to {ours['X1'][-1]:.3f}",
        ),
        Statement(
            "each copy of X1 makes X2 more important", bool((np.diff(ours["X2"]) > 0).all()),
            f"{ours['X2'][0]:.3f} to {ours['X2'][-1]:.3f}",
        ),
        Statement(
            "with n copies they are 1 / ((n + 1)(n + 2)) and (n + 1) / (n + 2)", off < 1e-9,
            f"largest difference {off:.2g} bits",
        ),
    ]  # fmt: skip


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the importances against the number of copies."""
    for name in ("X1", "X2"):
        axes[0].plot(ours["copies"], ours[name], marker="o", markersize=3, label=name)
    axes[0].set_xlabel("copies of X1")
    axes[0].set_ylabel("importance, bits")
    axes[0].legend()
