"""Figure 4.1: residual error, bias and variance at one point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics import DecisionTreeRegressor
from silvics.datasets import NoisyCosine
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

PROBLEM, AT = NoisyCosine(), 0.05
N = 50  # samples of a learning set


def measure(settings: Settings) -> dict[str, Any]:
    """Return outputs at a point, predictions there by models of many learning sets, and errors."""
    runs = settings.pick(tiny=300, small=4000, paper=20_000)
    rng = np.random.RandomState(settings.seed)
    point = np.array([[AT]])
    outputs, predictions = [], []
    for _ in range(runs):
        X, y = PROBLEM.sample(N, random_state=rng)
        model = DecisionTreeRegressor(max_leaf_nodes=2).fit(X, y)
        predictions.append(float(model.predict(point)[0]))
        outputs.append(float(PROBLEM.sample_outputs(point, random_state=rng)[0]))
    errors = (np.array(outputs) - predictions) ** 2
    bayes = float(PROBLEM.bayes_model.predict(point)[0])
    variance = float(np.var(predictions, ddof=1))
    bias = float((np.mean(predictions) - bayes) ** 2 - variance / runs)  # unbiased
    return {
        "Bayes model": bayes,
        "average prediction": float(np.mean(predictions)),
        "residual error": float(PROBLEM.residual_error_at(point)[0]),
        "squared bias": bias,
        "variance": variance,
        "mean squared error": float(errors.mean()),
        "standard error": float(errors.std() / runs**0.5),
        "outputs": _histogram(outputs),
        "predictions": _histogram(predictions),
    }


def _histogram(values: list[float]) -> dict[str, list[float]]:
    heights, edges = np.histogram(values, bins=40, density=True)
    return {"heights": heights.tolist(), "edges": edges.tolist()}


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:  # noqa: ARG001
    """Return the parts; the thesis prints no numbers."""
    parts = ("residual error", "squared bias", "variance")
    rows = [Row(name, None, ours[name]) for name in parts]
    total = sum(ours[name] for name in parts)
    return [*rows, Row("mean squared error (thesis: the sum)", total, ours["mean squared error"])]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge Theorem 4.1 at the point."""
    total = ours["residual error"] + ours["squared bias"] + ours["variance"]
    error, spread = ours["mean squared error"], ours["standard error"]
    distance = (ours["average prediction"] - ours["Bayes model"]) ** 2
    return [
        Statement(
            "the expected error is the sum of residual error, squared bias and variance",
            abs(error - total) <= 3 * spread,
            f"{error:.4f} and {total:.4f}, standard error {spread:.4f}",
        ),
        Statement(
            "the bias is the distance between the means of both densities",
            abs(distance - ours["squared bias"]) < 0.01,
            f"{distance:.4f} and {ours['squared bias']:.4f}",
        ),
    ]


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the densities of the outputs and of the predictions at the point."""
    for name, color in (("outputs", "C0"), ("predictions", "C3")):
        axes[0].stairs(ours[name]["heights"], ours[name]["edges"], color=color, label=name)
    axes[0].axvline(ours["Bayes model"], color="C0", label="Bayes model")
    axes[0].axvline(ours["average prediction"], color="C3", label="average model")
    axes[0].set(xlabel=f"y at x = {AT}", ylabel="density")
    axes[0].legend()
