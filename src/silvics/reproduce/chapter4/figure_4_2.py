"""Figure 4.2: bias and variance of polynomials of degree 1, 5 and 15."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from silvics.bias_variance import decompose
from silvics.datasets import NoisyCosine
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PROBLEM, N, DEGREES = NoisyCosine(), 50, (1, 5, 15)
PANELS = (2, 3)
GRID = np.linspace(0.02, 0.98, 97)


def polynomial(degree: int) -> Any:
    """Return a linear model of the powers of x."""
    return make_pipeline(PolynomialFeatures(degree), LinearRegression())


def measure(settings: Settings) -> dict[str, Any]:
    """Return the parts of the error for each degree, averaged and at the points of a grid."""
    found: dict[str, Any] = {}
    for degree in DEGREES:
        result = decompose(
            polynomial(degree), PROBLEM, n_samples=N, random_state=settings.seed,
            n_learning_sets=settings.pick(tiny=20, small=200, paper=1000),
            n_test=settings.pick(tiny=150, small=1000, paper=1000), n_jobs=settings.n_jobs,
        )  # fmt: skip
        points, x = result.points, result.X[:, 0]
        at_ends = (x < 0.05) | (x > 0.95)
        curves = [
            polynomial(degree).fit(*PROBLEM.sample(N, random_state=seed)).predict(GRID[:, None])
            for seed in range(20)
        ]
        found[str(degree)] = {
            "bias": result.bias,
            "variance": result.variance,
            "error": result.error,
            "bias, median": float(np.median(points["bias"])),
            "variance at the ends": float(np.mean(points["variance"][at_ends])),
            "variance elsewhere": float(np.mean(points["variance"][~at_ends])),
            "curves": np.round(curves, 3).tolist(),
        }
    return found


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the parts; the thesis prints no numbers."""
    parts = ("bias", "variance", "error")
    return [Row(f"degree {d}, {part}", None, ours[d][part]) for d in ours for part in parts]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what section 4.1.1 says about the three degrees."""
    one, five, fifteen = (ours[str(degree)] for degree in DEGREES)
    return [
        Statement(
            "degree 1 has a high bias and a low variance",
            one["bias"] > 5 * max(abs(five["bias"]), one["variance"])
            and one["variance"] < min(five["variance"], fifteen["variance"]),
            f"bias {one['bias']:.3f}, variance {one['variance']:.3f}",
        ),
        Statement(
            "degree 15 has a low bias and a high variance",
            abs(fifteen["bias, median"]) < one["bias, median"] / 5
            and fifteen["variance"] > 2 * five["variance"],
            f"median bias {fifteen['bias, median']:.3f} (degree 1: {one['bias, median']:.3f}), "
            f"variance {fifteen['variance']:.3f} (degree 5: {five['variance']:.3f})",
        ),
        Statement(
            "degree 5 has the best trade-off",
            five["error"] < min(one["error"], fifteen["error"]),
            ", ".join(f"degree {d}: error {ours[d]['error']:.3f}" for d in ours),
        ),
        Statement(
            "degree 15 has a high variance at the ends of the input space",
            fifteen["variance at the ends"] > 5 * fifteen["variance elsewhere"],
            f"{fifteen['variance at the ends']:.3f} and {fifteen['variance elsewhere']:.3f}",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw models of each degree, and the parts of the error."""
    bayes = PROBLEM.bayes_model.predict(GRID[:, None])
    for ax, bars, degree in zip(axes[:3], axes[3:], ours, strict=True):
        for curve in ours[degree]["curves"]:
            ax.plot(GRID, curve, color="mistyrose")
        ax.plot(GRID, np.mean(ours[degree]["curves"], axis=0), color="C3", linewidth=2)
        ax.plot(GRID, bayes, color="C0")
        ax.set(title=f"degree {degree}", ylim=(-2, 2))
        parts = ("bias", "variance", "error")
        bars.bar(parts, [ours[degree][part] for part in parts], color=["C0", "C2", "C3"])
        bars.set(yscale="log", ylim=(1e-3, 10))
