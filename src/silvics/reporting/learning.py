"""The forest of a report, and predictions for rows that it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit

from silvics.recipe_forests import ForestClassifier, ForestRegressor
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


def n_trees_for(subject: Subject) -> int:
    """Return a number of trees that is enough and takes at most about a minute."""
    n_columns = len(subject.inputs)
    tried = n_columns**0.5 if subject.is_classification else n_columns  # at a node
    return int(np.clip(1e8 / (subject.n * tried), 100, 500) // 50 * 50)


def learn(
    subject: Subject,
    *,
    seed: int,
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None,
    n_trees: int | None = None,
    **budget: Any,
) -> Learned:
    """Grow the forest, and predict each row by trees that did not see it.

    The parameters of the forest are tuned, unless its time is limited. ``budget`` has the
    parameters ``max_time`` and ``max_memory`` of forests.
    """
    kind = ForestClassifier if subject.is_classification else ForestRegressor
    forest: Any = kind(
        n_estimators=n_trees or n_trees_for(subject), oob_score=True, keep_samples=True,
        n_jobs=n_jobs, random_state=seed, **budget,
    )  # fmt: skip
    if budget.get("max_time") is None:
        forest.set_params(recipe="auto")
    by_folds = subject.groups is not None or subject.time is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the page says how many rows have no prediction
        forest.set_params(progress=progress).fit(subject.X, subject.y, subject.weights)
        # From here on, its parameters are those that were chosen: copies are not tuned again.
        forest.set_params(progress=None, **getattr(forest, "best_params_", {}))
        if by_folds:
            predicted, how = _by_folds(subject, forest)
    if not by_folds:
        name = "oob_decision_function_" if subject.is_classification else "oob_prediction_"
        predicted, how = np.asarray(getattr(forest, name)), "out of bag"
        if subject.is_classification:
            predicted = forest._calibrated(predicted)
    known = np.isfinite(predicted if predicted.ndim == 1 else predicted.sum(axis=1))
    return Learned(forest, predicted, np.flatnonzero(known), how)


def _by_folds(subject: Subject, forest: Any) -> tuple[np.ndarray, str]:
    """Predict the rows of groups, or of times, that a forest has not seen."""
    shape = (subject.n, len(subject.classes)) if subject.is_classification else (subject.n,)
    predicted = np.full(shape, np.nan)
    for learning, test in folds_of(subject, np.arange(subject.n), seed=0):
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
    return predicted, "by group" if subject.groups is not None else "in time"


def folds_of(
    subject: Subject, rows: np.ndarray, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Split some rows into those that are learned and those that are predicted, several times.

    Groups stay together, and in time rows are predicted from earlier ones. The numbers that are
    returned are places in ``rows``.
    """
    if subject.groups is not None:
        groups = subject.groups[rows]
        n_groups = len(np.unique(groups))
        if n_groups < 2:
            raise ValueError("The column of groups has one value only; it needs at least two.")
        yield from GroupKFold(min(_FOLDS, n_groups)).split(rows, groups=groups)
    elif subject.time is not None:
        order = np.argsort(subject.time[rows], kind="stable")
        for learning, test in TimeSeriesSplit(_FOLDS).split(order):
            yield order[learning], order[test]
    elif subject.is_classification:
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
        yield from folds.split(rows, subject.y[rows])
    else:
        yield from KFold(_FOLDS, shuffle=True, random_state=seed).split(rows)
