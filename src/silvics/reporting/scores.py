"""Scores with intervals, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

_RESAMPLES = 200
_MOST_RESAMPLED = 5_000
_LEAST_SHARE = 1e-6
_ROUNDING = 1e-12  # the AUC of rows that are all right may differ so much from one
_NORMAL = 1.96  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Score:
    """A score on some rows, between ``least`` and ``most``."""

    name: str
    of: Callable[[np.ndarray, np.ndarray, np.ndarray], float]
    larger_is_better: bool
    meaning: str
    least: float = -np.inf
    most: float = np.inf


def scores_for(classes: np.ndarray | None) -> list[Score]:
    """Return the scores of a task. Labels are numbers of classes."""
    if classes is None:
        return [
            Score("R2", _r2, True, "share of the variance that is explained", most=1.0),
            Score("RMSE", _rmse, False, "root mean squared error, in units of the target", 0),
            Score("MAE", _mae, False, "mean absolute error, in units of the target", 0),
        ]
    return [
        Score("accuracy", _accuracy, True, "share of the rows whose class is right", 0, 1),
        Score("balanced accuracy", _balanced, True, "the same, as the mean over the classes", 0, 1),
        Score("AUC", _auc, True, "probability that a row of the class ranks above another", 0, 1),
        Score("log-loss", _log_loss, False, "how far the probabilities are from the classes", 0),
    ]


def with_interval(
    score: Score, y: np.ndarray, predicted: np.ndarray, weights: np.ndarray
) -> tuple[float, float, float]:
    """Return a score and a 95 % interval, by resampling of rows.

    At most 5,000 rows are resampled; the standard error is that of all rows. Shares have Wilson's
    interval for as many rows as have this standard error: it is within 0 and 1, and not empty if
    all rows are right.
    """
    value = score.of(y, predicted, weights)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))[:_MOST_RESAMPLED]
    drawn = []
    for _ in range(_RESAMPLES):
        again = rows[rng.integers(len(rows), size=len(rows))]
        found = score.of(y[again], predicted[again], weights[again])
        if np.isfinite(found):
            drawn.append(found)
    if len(drawn) < 2:
        return value, np.nan, np.nan
    error = float(np.std(drawn)) * (len(rows) / len(y)) ** 0.5
    if (score.least, score.most) == (0, 1):
        value = min(max(value, 0.0), 1.0)  # sums of weights may exceed one by rounding
        variance = value * (1 - value)
        is_sure = min(error, variance) <= _ROUNDING
        return value, *_wilson(value, len(y) if is_sure else variance / error**2)
    spread = _NORMAL * error
    return value, max(value - spread, score.least), min(value + spread, score.most)


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of n rows."""
    square = _NORMAL**2 / n
    middle = (share + square / 2) / (1 + square)
    spread = (square * share * (1 - share) + square**2 / 4) ** 0.5 / (1 + square)
    return max(middle - spread, 0.0), min(middle + spread, 1.0)


def losses(y: np.ndarray, predicted: np.ndarray, *, is_classification: bool) -> np.ndarray:
    """Return the loss of each row: one minus the probability of its class, or absolute errors."""
    if is_classification:
        return 1 - predicted[np.arange(len(y)), y]
    return np.abs(y - predicted)


def _r2(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    spread = np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    return float(1 - np.average((y - p) ** 2, weights=w) / spread) if spread else np.nan


def _rmse(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    return float(np.average((y - p) ** 2, weights=w) ** 0.5)


def _mae(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    return float(np.average(np.abs(y - p), weights=w))


def _accuracy(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    return float(np.average(p.argmax(axis=1) == y, weights=w))


def _balanced(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    right = p.argmax(axis=1) == y
    total = np.bincount(y, w, minlength=p.shape[1])
    hits = np.bincount(y, w * right, minlength=p.shape[1])
    return float(np.mean(hits[total > 0] / total[total > 0]))


def _auc(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    found = []
    for k in range(1 if p.shape[1] == 2 else 0, p.shape[1]):
        is_k = y == k
        if is_k.any() and not is_k.all():
            found.append(roc_auc_score(is_k, p[:, k], sample_weight=w))
    return float(np.mean(found)) if found else np.nan


def _log_loss(y: np.ndarray, p: np.ndarray, w: np.ndarray) -> float:
    own = np.clip(p[np.arange(len(y)), y], _LEAST_SHARE, 1.0)
    return float(np.average(-np.log(own), weights=w))
