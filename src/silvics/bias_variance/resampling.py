"""Bias-variance decompositions by resampling a table."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing, check_random_state, check_X_y

from silvics._frames import library_of
from silvics.bias_variance.averaging import MOST_SETS, name_of, result_of
from silvics.bias_variance.growing import (
    Progress,
    check_task,
    fitted_stats,
    later,
    seeds,
    stacked,
)
from silvics.bias_variance.members import one_hot
from silvics.bias_variance.result import BiasVariance
from silvics.bias_variance.statistics import Predictions
from silvics.datasets.problem import number, whole_number


def decompose_by_resampling(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    train_size: float = 0.5,
    test_size: float = 0.25,
    n_learning_sets: int = 50,
    n_splits: int = 4,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> BiasVariance:
    """Estimate the variance of a model on a table, and the sum of its noise and bias.

    The rows are split into test rows and a pool, several times. A copy of the estimator is fitted
    on each of many subsamples of the pool. Noise and bias can not be separated, because the Bayes
    model of real data is not known. Learning sets of one pool overlap, so the variance due to the
    learning set is underestimated, the more the larger ``train_size`` is.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        The model. It is not changed.
    X : array-like or data frame of shape (n_samples, n_features)
        The inputs.
    y : array-like of shape (n_samples,)
        The outputs. A classifier is measured by the Brier score of its class probabilities.
    train_size : float, default=0.5
        The share of the pool that a learning set has.
    test_size : float, default=0.25
        The share of the rows that are test rows.
    n_learning_sets : int, default=50
        The number of learning sets of each split, at least 2.
    n_splits : int, default=4
        The number of splits into pool and test rows.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    n_jobs : int or None, default=None
        Number of threads, each of which fits models. The result does not depend on it.
    progress : callable or None, default=None
        Called with the numbers of finished and of all learning sets.

    Returns
    -------
    result : BiasVariance
        The averages ``noise_and_bias``, ``variance``, ``error`` and ``rho``; ``noise`` and ``bias``
        are NaN. The test rows of all splits are its samples.

    Examples
    --------
    >>> from silvics import RandomForestRegressor
    >>> from silvics.bias_variance import decompose_by_resampling
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = decompose_by_resampling(
    ...     RandomForestRegressor(10), X, y, n_learning_sets=5, n_splits=2, random_state=0
    ... )
    >>> bool(abs(result.noise_and_bias + result.variance - result.error) < 1e-9)
    True
    """
    rows_of = _Rows(X, y)
    classes = np.unique(rows_of.y) if is_classifier(estimator) else None
    check_task(estimator, classes is not None)
    number("train_size", train_size, 0.0, 1.0)
    number("test_size", test_size, 0.0, 1.0)
    n_sets = whole_number("n_learning_sets", n_learning_sets, 2, MOST_SETS)
    n_parts = whole_number("n_splits", n_splits, 1, MOST_SETS)
    n_out = round(test_size * rows_of.n)
    n_in = round(train_size * (rows_of.n - n_out))
    if n_out < 1 or n_in < 1:
        raise ValueError(
            f"With {rows_of.n} rows, test_size={test_size} and train_size={train_size} leave no "
            "rows to test or to learn from."
        )
    parts, tested = [], []
    for k, seed in enumerate(seeds(random_state, n_parts).tolist()):
        rng = check_random_state(seed)
        order = rng.permutation(rows_of.n)
        out, pool = order[:n_out], order[n_out:]
        drawn = [rng.permutation(pool)[:n_in] for _ in range(n_sets)]
        outputs = _columns_of(rows_of.y[out], classes)
        found = fitted_stats(
            estimator, partial(_taken, rows_of, drawn), n_sets, rows_of.take(out)[0], classes,
            rng.randint(2**31 - 1), n_jobs, later(progress, k * n_sets, n_parts * n_sets),
        )  # fmt: skip
        parts.append(stacked(list(found), outputs))
        tested.append(out)
    predictions = _side_by_side(parts)
    errors = (predictions.away**2).sum(axis=2)
    rows = np.concatenate(tested).reshape(-1, 1).astype(float)
    return result_of(
        predictions, None, errors, rows, n_in, name_of(estimator), f"{rows_of.n} rows",
        ["row_number"], rows_of.library,
    )  # fmt: skip


def _columns_of(y: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    return y.astype(np.float64).reshape(-1, 1) if classes is None else one_hot(y, classes)


def _taken(rows_of: _Rows, drawn: list[np.ndarray], r: int) -> tuple[Any, np.ndarray]:
    return rows_of.take(drawn[r])


class _Rows:
    """A table and its outputs, of which rows are taken."""

    def __init__(self, X: Any, y: Any) -> None:
        self.library = library_of(X)
        self.y = np.asarray(y)
        if self.library is None:
            X, self.y = check_X_y(X, self.y, dtype=None, ensure_all_finite=False)
        elif self.y.ndim != 1 or len(self.y) != len(X):
            raise ValueError(f"y must have one value for each of the {len(X)} rows of X.")
        self.X = X
        self.n = len(self.y)

    def take(self, rows: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return rows of the table and their outputs."""
        return _safe_indexing(self.X, rows), self.y[rows]


def _side_by_side(parts: list[Predictions]) -> Predictions:
    """Return the predictions of several splits as those of one table."""
    within = None
    if all(part.within is not None for part in parts):
        within = np.concatenate([np.asarray(part.within) for part in parts], axis=1)
    away = np.concatenate([part.away for part in parts], axis=1)
    return Predictions(away, within, parts[0].n_members)
