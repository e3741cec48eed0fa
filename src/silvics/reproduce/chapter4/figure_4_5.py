"""Figure 4.5: the variance of random forests against the number of trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics import RandomForestRegressor
from silvics.bias_variance import decompose_over
from silvics.datasets import SumOfNormals
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings


def measure(settings: Settings) -> dict[str, Any]:
    """Return the variance for each number of trees, and the two terms of Equation 4.36."""
    curve = decompose_over(
        RandomForestRegressor(max_features=8), SumOfNormals(), "n_estimators",
        settings.pick(tiny=[1, 5, 20], small=[1, 2, 3, 5, 10, 20, 50],
                      paper=[1, 2, 3, 5, 10, 20, 50, 100]),
        n_samples=50,
        n_learning_sets=settings.pick(tiny=20, small=100, paper=100),
        n_test=settings.pick(tiny=100, small=1000, paper=1000),
        random_state=settings.seed, n_jobs=settings.n_jobs,
    )  # fmt: skip
    last = curve.results[-1]
    return {
        "M": list(curve.values),
        "variance": [result.variance for result in curve.results],
        "standard error": [r.standard_errors["variance"] for r in curve.results],
        "rho": last.rho,
        "due to the learning set": last.variance_of_learning_set,
        "due to random effects": last.variance_of_randomness,
    }


def expected(ours: Mapping[str, Any], n_trees: int) -> float:
    """Return the variance by Equation 4.36."""
    return ours["due to the learning set"] + ours["due to random effects"] / n_trees


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the variance as measured and by Equation 4.36."""
    pairs = zip(ours["M"], ours["variance"], strict=True)
    rows = [
        Row(f"variance with M = {m} (thesis: Eq. 4.36)", expected(ours, m), v) for m, v in pairs
    ]
    return [*rows, Row("variance due to the learning set", None, ours["due to the learning set"])]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what section 4.3.2 says about the variance."""
    off = [
        abs(v - expected(ours, m)) / error
        for m, v, error in zip(
            ours["M"][:-1], ours["variance"][:-1], ours["standard error"][:-1], strict=True
        )
    ]
    one, many = ours["variance"][0], ours["variance"][-1]
    limit = ours["due to the learning set"]
    return [
        Statement(
            "the variance is a constant plus a term proportional to 1/M",
            max(off) < 4,
            f"off by at most {max(off):.1f} standard errors",
        ),
        Statement(
            "averaging reduces the variance of a single tree significantly",
            many < one / 2,
            f"{one:.2f} with one tree, {many:.2f} with {ours['M'][-1]}",
        ),
        Statement(
            "it tends to the variance due to the learning set",
            abs(many - limit) < 0.1 * one,
            f"{many:.2f} and {limit:.2f}",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the variance and its parts."""
    axes[0].plot(ours["M"], ours["variance"], "o-", color="C0", label="var(x)")
    axes[0].axhline(ours["due to the learning set"], ls=":", color="C0", label="rho(x) sigma²(x)")
    axes[0].plot(ours["M"], [expected(ours, m) for m in ours["M"]], "k--", label="Equation 4.36")
    axes[0].set(xscale="log", xlabel="M", ylabel="variance", ylim=(0, None))
    axes[0].legend()
