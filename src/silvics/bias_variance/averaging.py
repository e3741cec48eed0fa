"""Averages of a decomposition, with their standard errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.bias_variance.result import BiasVariance
from silvics.bias_variance.statistics import Predictions, standard_errors

MOST_SETS = 1_000_000


def result_of(
    predictions: Predictions,
    noise: np.ndarray | None,
    errors: np.ndarray,
    X: np.ndarray,
    n_samples: int,
    estimator: str,
    problem: str,
    feature_names: list[str],
    library: str | None = None,
) -> BiasVariance:
    """Return the result; without the noise, what is called bias contains it."""
    points = predictions.sums().points()
    averages, off = points.averages(), standard_errors(predictions)
    at = {"bias": points.bias, "variance": points.variance}
    if noise is None:
        averages["noise_and_bias"], off["noise_and_bias"] = averages.pop("bias"), off.pop("bias")
        at["noise_and_bias"] = at.pop("bias")
    else:
        at["noise"] = noise
        averages["noise"] = float(noise.mean())
        averages["noise_and_bias"] = averages["noise"] + averages["bias"]
    averages["error"] = averages["noise_and_bias"] + averages["variance"]
    at["error"] = np.sum(list(at.values()), axis=0)
    averages["measured_error"] = float(errors.mean())
    off["measured_error"] = _standard_error(errors)
    off["error"] = _standard_error((predictions.away**2).sum(axis=2))
    rho = points.rho
    if rho is not None and points.of_sets is not None and points.of_members is not None:
        at["rho"] = rho
        at["member_variance"] = points.of_sets + points.of_members
    n_sets = len(predictions.away)
    return BiasVariance(
        averages, off, at, predictions.n_members, n_sets, n_samples, X, feature_names,
        estimator, problem, library,
    )  # fmt: skip


def _standard_error(errors: np.ndarray) -> float:
    """Return the standard error of the mean over learning sets and samples."""
    of_sets, of_rows = errors.mean(axis=1), errors.mean(axis=0)
    n_rows = max(len(of_rows) - 1, 1)
    return float(np.sqrt(of_sets.var(ddof=1) / len(of_sets) + of_rows.var() / n_rows))


def name_of(estimator: Any) -> str:
    return " ".join(repr(estimator).split())
