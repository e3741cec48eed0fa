"""A tuned linear model on the same rows, as something to compare the forest with."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from silvics.reporting.subject import Subject

_LEVELS = 20  # of a category have a column of their own
_CELLS = 1_000_000
_MOST_ROWS = 5_000
_FOLDS = 5


def linear_predictions(
    subject: Subject, rows: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return some of the rows, and predictions for them by cross-validation.

    The strength of the penalty is chosen within each fold.
    """
    design = _design(subject, rows)
    n = int(min(len(rows), _MOST_ROWS, max(_CELLS // max(design.shape[1], 1), 200)))
    at = np.sort(np.random.default_rng(seed).permutation(len(rows))[:n])
    design, y = design[at], subject.y[rows[at]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that has not converged still is a comparison
        if not subject.is_classification:
            model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-2, 5, 15)))
            folds = KFold(_FOLDS, shuffle=True, random_state=seed)
            return rows[at], cross_val_predict(model, design, y, cv=folds)
        counts = np.unique(y, return_counts=True)[1]
        inner = GridSearchCV(
            LogisticRegression(max_iter=200), {"C": [0.01, 0.1, 1.0, 10.0]}, scoring="neg_log_loss",
            cv=3,
        )  # fmt: skip
        simple = counts.min() < 2 * _FOLDS or len(counts) > 10
        model = make_pipeline(
            StandardScaler(), LogisticRegression(max_iter=200) if simple else inner
        )
        shares = np.zeros((len(y), len(subject.classes)))
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
        for learning, test in folds.split(design, y):
            model.fit(design[learning], y[learning])
            known = np.searchsorted(subject.classes, model.classes_)
            shares[np.ix_(test, known)] = model.predict_proba(design[test])
        return rows[at], shares


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
