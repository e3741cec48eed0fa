"""A tuned linear model on the same rows, as something to compare the forest with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from silvics.reporting.learning import folds_of
from silvics.reporting.subject import Subject

_LEVELS = 20  # of a category have a column of their own
_CELLS = 1_000_000
_MOST_ROWS = 5_000


def linear_predictions(
    subject: Subject, rows: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return some of the rows, and predictions for them by cross-validation.

    The strength of the penalty is chosen within each fold.
    """
    design = _design(subject, rows)
    n = int(min(len(rows), _MOST_ROWS, max(_CELLS // max(design.shape[1], 1), 200)))
    at = np.sort(np.random.default_rng(seed).permutation(len(rows))[:n])
    rows, design = rows[at], design[at]
    shape = (n, len(subject.classes)) if subject.is_classification else (n,)
    predicted = np.full(shape, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that has not converged still is a comparison
        for learning, test in folds_of(subject, rows, seed):
            y = subject.y[rows[learning]]
            if subject.is_classification and len(np.unique(y)) < 2:
                continue
            model = _model(subject, y).fit(design[learning], y)
            if subject.is_classification:
                predicted[test] = 0.0
                known = np.searchsorted(subject.classes, model.classes_)
                predicted[np.ix_(test, known)] = model.predict_proba(design[test])
            else:
                predicted[test] = model.predict(design[test])
    done = np.isfinite(predicted if predicted.ndim == 1 else predicted[:, 0])
    return rows[done], predicted[done]


def _model(subject: Subject, y: np.ndarray) -> Any:
    """Return a linear model that chooses the strength of its penalty."""
    if not subject.is_classification:
        return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 5, 15)))
    counts = np.unique(y, return_counts=True)[1]
    logistic: Any = LogisticRegression(max_iter=200)
    if counts.min() >= 6 and len(counts) <= 10:
        grid = {"C": [0.01, 0.1, 1.0, 10.0]}
        logistic = GridSearchCV(logistic, grid, scoring="neg_log_loss", cv=3)
    return make_pipeline(StandardScaler(), logistic)


def _design(subject: Subject, rows: np.ndarray) -> np.ndarray:
    """Return numbers with medians for missing values, and indicators of levels and of missing."""
    parts: list[np.ndarray] = []
    for column in subject.inputs:
        values = column.values[rows]
        missing = np.isnan(values)
        if column.is_category:
            counts = np.bincount(values[~missing].astype(np.intp), minlength=len(column.levels))
            levels = np.argsort(-counts, kind="stable")[:_LEVELS]
            parts += [(values == level).astype(float) for level in levels if counts[level]]
        else:
            middle = np.median(values[~missing]) if not missing.all() else 0.0
            parts.append(np.where(missing, middle, values))
        if missing.any():
            parts.append(missing.astype(float))
        if len(parts) > 2_000:
            break
    return np.stack(parts, axis=1) if parts else np.zeros((len(rows), 1))
