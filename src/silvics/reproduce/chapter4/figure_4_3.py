"""Figure 4.3: the distribution of the estimate of the best class, and Theorem 4.2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import norm

from silvics import RandomForestClassifier
from silvics.bias_variance import misclassification
from silvics.datasets import TwoGaussians
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PROBLEM, N = TwoGaussians(), 100
POINT = np.array([[-0.15, -0.15]])  # near the border; the best class is the first


def model(seed: int) -> RandomForestClassifier:
    """Return the model that is studied."""
    return RandomForestClassifier(50, min_samples_leaf=5, random_state=seed)


def measure(settings: Settings) -> dict[str, Any]:
    """Return the estimates at a point, and the errors of Theorem 4.2 over the distribution."""
    estimates, others = [], []
    best = PROBLEM.bayes_model.predict(POINT)[0]
    for run in range(settings.pick(tiny=60, small=600, paper=5000)):
        X, y = PROBLEM.sample(N, random_state=settings.seed + run)
        forest = model(run).fit(X, y)
        estimates.append(
            float(np.asarray(forest.predict_proba(POINT))[0, forest.classes_ == best][0])
        )
        others.append(bool(forest.predict(POINT)[0] != best))
    found = misclassification(
        model(0), PROBLEM, n_samples=N, random_state=settings.seed, n_jobs=settings.n_jobs,
        n_learning_sets=settings.pick(tiny=20, small=200, paper=1000),
        n_test=settings.pick(tiny=200, small=1000, paper=1000),
    )  # fmt: skip
    return {
        "estimates": estimates,
        "other decisions": others,
        "residual error": found.noise,
        "simulated error": found.error,
        "error of Theorem 4.2": found.normal_error,
    }


def tail(ours: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return the share of other decisions, the share below 1/2, and that of a normal variable."""
    estimates = np.array(ours["estimates"])
    normal = norm.cdf((0.5 - estimates.mean()) / estimates.std(ddof=1))
    return float(np.mean(ours["other decisions"])), float((estimates < 0.5).mean()), float(normal)


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return both sides of Equations 4.9 and 4.10 and of Theorem 4.2."""
    decisions, below, normal = tail(ours)
    return [
        Row("P(decision is not that of the Bayes model), by 4.9", below, decisions),
        Row("the same, by 4.10", normal, decisions),
        Row("expected error, by Theorem 4.2", ours["error of Theorem 4.2"],
            ours["simulated error"]),
        Row("residual error", None, ours["residual error"]),
    ]  # fmt: skip


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge Equation 4.9 and the normal approximation."""
    decisions, below, normal = tail(ours)
    runs = len(ours["estimates"])
    error = (decisions * (1 - decisions) / runs) ** 0.5
    simulated, theorem = ours["simulated error"], ours["error of Theorem 4.2"]
    return [
        Statement(
            "the model decides otherwise than the Bayes model if the estimate is below 1/2",
            decisions == below,
            f"shares {decisions:.3f} and {below:.3f}",
        ),
        Statement(
            "the normal distribution gives this probability",
            abs(decisions - normal) < 3 * error + 0.02,
            f"{decisions:.3f} and {normal:.3f}, standard error {error:.3f}",
        ),
        Statement(
            "Theorem 4.2 gives the expected error",
            abs(simulated - theorem) < 0.01 and simulated > ours["residual error"],
            f"{simulated:.4f} and {theorem:.4f}; residual error {ours['residual error']:.4f}",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the distribution of the estimate, and its normal approximation."""
    estimates = np.array(ours["estimates"])
    axes[0].hist(estimates, bins=25, density=True, color="lightblue")
    grid = np.linspace(0, 1, 101)
    axes[0].plot(grid, norm.pdf(grid, estimates.mean(), estimates.std(ddof=1)), color="C0")
    axes[0].axvline(0.5, color="C3")
    axes[0].set(xlabel="estimated probability of the best class", ylabel="density")
