"""The protocols of chapter 2 that select and evaluate a model: Algorithms 2.1 and 2.2.

Both give an error of a model on rows that had no part in its selection. They take any estimator of
scikit-learn, and are written with its model selection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    PredefinedSplit,
    StratifiedKFold,
    train_test_split,
)

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]


@dataclass(frozen=True)
class Evaluated:
    """A model that was selected and evaluated.

    Attributes
    ----------
    score : float
        The score on rows that had no part in the selection.
    scores : tuple of float
        The scores of the folds; one score for train, validation and test sets.
    params : dict
        The parameters that were selected on the whole learning set.
    params_of_folds : tuple of dict
        The parameters that were selected within each fold.
    validation_score : float
        The score by which the parameters were selected. It is optimistic.
    model : estimator
        The selected model, fitted to the whole learning set; None if it was not wanted.
    """

    score: float
    scores: tuple[float, ...]
    params: dict[str, Any]
    params_of_folds: tuple[dict[str, Any], ...]
    validation_score: float
    model: Any


def train_validation_test(
    estimator: Any,
    grid: Grid,
    X: Any,
    y: np.ndarray,
    *,
    sizes: tuple[float, float, float] = (0.5, 0.25, 0.25),
    scoring: Any = None,
    stratify: bool = False,
    final_model: bool = False,
    random_state: int = 0,
) -> Evaluated:
    """Select on a validation set and evaluate on a test set (Algorithm 2.1).

    Parameters
    ----------
    estimator : estimator
        The learning algorithm.
    grid : dict or list of dict
        The candidate parameters, as for scikit-learn's ``GridSearchCV``.
    X : frame or array of shape (n_samples, n_features)
        Inputs.
    y : array of shape (n_samples,)
        Output.
    sizes : tuple of three float
        Shares of the training, validation and test sets.
    scoring : str, callable or None
        The score that is maximised; None is that of the estimator.
    stratify : bool
        Whether the parts have the same shares of classes.
    final_model : bool
        Whether to fit the selected model to all rows, as in step (d).
    random_state : int
        Seed of the division. The same seed gives the same parts for every estimator.

    Returns
    -------
    evaluated : Evaluated
        The score on the test set.
    """
    if len(sizes) != 3 or min(sizes) <= 0 or abs(sum(sizes) - 1) > 1e-9:
        raise ValueError(f"sizes must be three positive shares with the sum 1, got {sizes}.")
    y = np.asarray(y)
    rows, test = train_test_split(
        np.arange(len(y)), test_size=sizes[2], random_state=random_state,
        stratify=y if stratify else None,
    )  # fmt: skip
    validation = np.full(len(rows), -1)
    _, of_validation = train_test_split(
        np.arange(len(rows)), test_size=sizes[1] / (sizes[0] + sizes[1]),
        random_state=random_state, stratify=y[rows] if stratify else None,
    )  # fmt: skip
    validation[of_validation] = 0
    search = GridSearchCV(estimator, grid, scoring=scoring, cv=PredefinedSplit(validation))
    search.fit(_rows(X, rows), y[rows])
    score = float(search.score(_rows(X, test), y[test]))
    model = None
    if final_model:
        model = clone(estimator).set_params(**search.best_params_).fit(X, y)
    params = search.best_params_
    return Evaluated(score, (score,), params, (params,), float(search.best_score_), model)


def nested_cross_validation(
    estimator: Any,
    grid: Grid,
    X: Any,
    y: np.ndarray,
    *,
    n_folds: int = 10,
    n_inner_folds: int | None = None,
    scoring: Any = None,
    stratify: bool = False,
    random_state: int = 0,
) -> Evaluated:
    """Select and evaluate by nested cross-validation (Algorithm 2.2).

    Parameters
    ----------
    estimator, grid, X, y, scoring, stratify
        As for ``train_validation_test``.
    n_folds : int
        Folds on which models are evaluated.
    n_inner_folds : int or None
        Folds on which parameters are selected; None means as many.
    random_state : int
        Seed of the folds.

    Returns
    -------
    evaluated : Evaluated
        The mean score of the folds, and the model that was selected on all rows.
    """
    y = np.asarray(y)
    kind = StratifiedKFold if stratify else KFold
    outer = kind(n_folds, shuffle=True, random_state=random_state)
    inner = kind(n_inner_folds or n_folds, shuffle=True, random_state=random_state)
    scorer = check_scoring(estimator, scoring=scoring)
    scores, chosen = [], []
    for train, test in outer.split(np.zeros(len(y)), y):
        search = GridSearchCV(estimator, grid, scoring=scoring, cv=inner)
        search.fit(_rows(X, train), y[train])
        scores.append(float(scorer(search.best_estimator_, _rows(X, test), y[test])))
        chosen.append(search.best_params_)
    final = GridSearchCV(estimator, grid, scoring=scoring, cv=inner).fit(X, y)
    return Evaluated(
        score=float(np.mean(scores)),
        scores=tuple(scores),
        params=final.best_params_,
        params_of_folds=tuple(chosen),
        validation_score=float(final.best_score_),
        model=final.best_estimator_,
    )


def _rows(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
