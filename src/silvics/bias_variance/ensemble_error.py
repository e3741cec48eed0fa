"""The ambiguity decomposition of a fitted ensemble, and Condorcet's majorities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import betabinom, binom
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, column_or_1d

from silvics._frames import library_of
from silvics._results.base import Result
from silvics.bias_variance.members import (
    as_columns,
    member_stats,
    one_hot,
    predictions_of_members,
)
from silvics.datasets.problem import number, whole_number
from silvics.plots import charts


@dataclass(repr=False, eq=False)
class Ambiguity(Result):
    """The error of an ensemble, of its members, and their ambiguity (thesis Equation 4.17).

    The error of the ensemble is the mean error of its members less their ambiguity, which is the
    variance of their predictions around that of the ensemble. ``to_frame()`` has a row for each
    member: ``member``, ``error`` and ``ambiguity``.

    Attributes
    ----------
    error : float
        The mean squared error of the ensemble; for classification the Brier score.
    member_error : float
        The mean error of the members.
    ambiguity : float
        The mean ambiguity of the members.
    errors : ndarray of shape (n_members,)
        The error of each member.
    ambiguities : ndarray of shape (n_members,)
        The mean squared difference of each member from the ensemble.
    """

    error: float
    member_error: float
    ambiguity: float
    errors: np.ndarray
    ambiguities: np.ndarray
    _library: str | None = None

    def _title(self) -> str:
        return f"Ambiguity of {len(self.errors)} members"

    def _notes(self) -> list[str]:
        return [
            f"error {self.error:.4g} = mean error of the members {self.member_error:.4g} - "
            f"ambiguity {self.ambiguity:.4g}"
        ]

    def _columns(self) -> dict[str, Any]:
        return {
            "member": np.arange(len(self.errors)),
            "error": self.errors,
            "ambiguity": self.ambiguities,
        }

    def _draw(self, ax: Any) -> Any:
        names = ["mean error of the members", "ambiguity", "error of the ensemble"]
        values = np.array([self.member_error, self.ambiguity, self.error])
        return charts.bars(values, np.array(names), "squared error", ax)


def ambiguity(ensemble: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Ambiguity:
    """Decompose the error of a fitted ensemble into that of its members and their ambiguity.

    Parameters
    ----------
    ensemble : fitted estimator
        A forest, or another estimator that averages the predictions of its ``estimators_``.
    X : array-like of shape (n_samples, n_features)
        The samples, preferably not those of ``fit``.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their outputs. Several real outputs are added up.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weights of the samples.

    Returns
    -------
    result : Ambiguity
        ``error``, ``member_error`` and ``ambiguity``.

    Examples
    --------
    >>> from silvics import RandomForestRegressor
    >>> from silvics.bias_variance import ambiguity
    >>> from silvics.datasets import Friedman1
    >>> forest = RandomForestRegressor(20, random_state=0).fit(*Friedman1().sample(200, 0))
    >>> found = ambiguity(forest, *Friedman1().sample(200, 1))
    >>> bool(abs(found.member_error - found.ambiguity - found.error) < 1e-9)
    True
    """
    check_is_fitted(ensemble)
    classes = ensemble.classes_ if is_classifier(ensemble) else None
    if isinstance(classes, list):
        raise ValueError("ambiguity needs one output of classes, but the ensemble has several.")
    if classes is None:
        outputs = np.asarray(y, dtype=np.float64)
        outputs = outputs.reshape(len(outputs), -1)
    else:
        outputs = one_hot(column_or_1d(y), classes)
    mean = as_columns(ensemble, X, classes)
    check_consistent_length(mean, outputs)
    weights = np.ones(len(mean)) if sample_weight is None else np.asarray(sample_weight, float)
    check_consistent_length(mean, weights)
    if member_stats(ensemble, X, classes).within is None:
        raise ValueError(
            "ambiguity needs an ensemble whose prediction is the mean of those of its estimators_, "
            f"got {type(ensemble).__name__}."
        )
    soft = getattr(ensemble, "vote", "soft") != "majority"
    errors, away = [], []
    for columns in predictions_of_members(ensemble, X, classes, soft):
        assert columns is not None
        errors.append(_mean(((columns - outputs) ** 2).sum(axis=1), weights))
        away.append(_mean(((columns - mean) ** 2).sum(axis=1), weights))
    return Ambiguity(
        _mean(((mean - outputs) ** 2).sum(axis=1), weights), float(np.mean(errors)),
        float(np.mean(away)), np.array(errors), np.array(away), library_of(X),
    )  # fmt: skip


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    return float(np.average(values, weights=weights))


def majority_accuracy(n_votes: int, accuracy: float, correlation: float = 0.0) -> float:
    """Compute the probability that a majority of votes is right (Condorcet's jury theorem).

    Parameters
    ----------
    n_votes : int
        The number of votes. A tie is broken by a fair coin.
    accuracy : float
        The probability that a vote is right.
    correlation : float, default=0.0
        The correlation of any two votes, from 0 (independent) to 1. The share of right votes then
        has a beta distribution, so that their number is beta-binomial.

    Returns
    -------
    probability : float
        The probability that more than half of the votes are right.

    Examples
    --------
    >>> from silvics.bias_variance import majority_accuracy
    >>> round(majority_accuracy(3, 0.6), 3)
    0.648
    >>> round(majority_accuracy(1001, 0.6, correlation=0.3), 3)
    0.629
    """
    n = whole_number("n_votes", n_votes, 1)
    p = number("accuracy", accuracy, 0.0, 1.0)
    rho = number("correlation", correlation, 0.0, 1.0)
    if rho == 1.0 or p in (0.0, 1.0):
        return p
    if rho == 0.0:
        law = binom(n, p)
    else:
        strength = (1 - rho) / rho
        law = betabinom(n, p * strength, (1 - p) * strength)
    tie = law.pmf(n // 2) / 2 if n % 2 == 0 else 0.0
    return float(law.sf(n // 2) + tie)
