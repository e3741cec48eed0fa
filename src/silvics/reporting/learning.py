"""The forest of a report, and predictions for rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, TimeSeriesSplit

from silvics.forests import RandomForestClassifier, RandomForestRegressor
from silvics.reporting.subject import Subject

_FOLDS = 5


@dataclass(frozen=True)
class Learned:
    """A forest, and what it predicts for rows that it has not seen.

    Attributes
    ----------
    forest : forest
        Grown on all rows.
    predicted : ndarray
        Predicted numbers, or probabilities of the classes, by trees that did not see the row.
    rows : ndarray of int
        Rows that have such a prediction.
    how : str
        How the predictions were made: "out of bag", "by group", "in time".
    """

    forest: Any
    predicted: np.ndarray
    rows: np.ndarray
    how: str

    def labels(self, subject: Subject) -> np.ndarray:
        """Return predicted classes, or numbers."""
        if subject.is_classification:
            return subject.classes[self.predicted.argmax(axis=1)]
        return self.predicted


def n_trees_for(n_rows: int, n_columns: int) -> int:
    """Return a number of trees that is enough and takes at most about a minute."""
    cells = n_rows * max(n_columns, 1) ** 0.5
    return int(np.clip(1e8 / max(cells, 1), 100, 500) // 50 * 50)


def learn(
    subject: Subject,
    *,
    seed: int,
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None,
    n_trees: int | None = None,
) -> Learned:
    """Grow the forest, and predict each row by trees that did not see it."""
    kind = RandomForestClassifier if subject.is_classification else RandomForestRegressor
    forest = kind(
        n_trees or n_trees_for(subject.n, len(subject.inputs)), oob_score=True, keep_samples=True,
        n_jobs=n_jobs, random_state=seed,
    )  # fmt: skip
    if subject.groups is not None or subject.time is not None:
        predicted, how = _by_folds(subject, forest)
        forest.set_params(progress=progress).fit(subject.X, subject.y, subject.weights)
    else:
        forest.set_params(progress=progress).fit(subject.X, subject.y, subject.weights)
        name = "oob_decision_function_" if subject.is_classification else "oob_prediction_"
        predicted, how = np.asarray(getattr(forest, name)), "out of bag"
    forest.set_params(progress=None)
    known = np.isfinite(predicted if predicted.ndim == 1 else predicted.sum(axis=1))
    return Learned(forest, predicted, np.flatnonzero(known), how)


def _by_folds(subject: Subject, forest: Any) -> tuple[np.ndarray, str]:
    """Predict the rows of groups, or of times, that a forest has not seen."""
    shape = (subject.n, len(subject.classes)) if subject.is_classification else (subject.n,)
    predicted = np.full(shape, np.nan)
    if subject.groups is not None:
        n_groups = len(np.unique(subject.groups))
        if n_groups < 2:
            raise ValueError("The column of groups has one value only; it needs at least two.")
        order = np.arange(subject.n)
        folds = GroupKFold(min(_FOLDS, n_groups)).split(order, groups=subject.groups)
        how = "by group"
    else:
        assert subject.time is not None
        if np.isnan(subject.time).any():
            raise ValueError("The column of times has missing values.")
        order = np.argsort(subject.time, kind="stable")
        folds = TimeSeriesSplit(_FOLDS).split(order)
        how = "in time"
    for learning, test in folds:
        learning, test = order[learning], order[test]
        part = clone(forest).set_params(keep_samples=False, oob_score=False)
        weights = None if subject.weights is None else subject.weights[learning]
        if subject.is_classification and len(np.unique(subject.y[learning])) < 2:
            continue
        part.fit(subject.rows(learning), subject.y[learning], weights)
        if subject.is_classification:
            shares = np.zeros((len(test), len(subject.classes)))
            shares[:, np.searchsorted(subject.classes, part.classes_)] = part.predict_proba(
                subject.rows(test)
            )
            predicted[test] = shares
        else:
            predicted[test] = part.predict(subject.rows(test))
    return predicted, how
