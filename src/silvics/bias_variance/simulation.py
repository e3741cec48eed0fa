"""Bias-variance decompositions by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

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
from silvics.bias_variance.result import BiasVariance, BiasVarianceCurve
from silvics.bias_variance.statistics import Predictions
from silvics.datasets.problem import ClassificationProblem, Problem, whole_number


def decompose(
    estimator: Any,
    problem: Problem,
    *,
    n_samples: int = 100,
    n_learning_sets: int = 100,
    n_test: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> BiasVariance:
    """Estimate the noise, bias and variance of a model on a simulated problem.

    A copy of the estimator is fitted on each of many independent learning sets. Its predictions of
    the same test samples are compared with those of the Bayes model (thesis Theorem 4.1). If the
    estimator averages the predictions of members, as forests and bagging do, the variance is split
    by the correlation of two members (Theorem 4.3 and Equations 4.27 to 4.31).

    For classification, the decomposition is that of the class probabilities, with the Brier score
    as error; see ``misclassification`` for the zero-one loss.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        The model. It is not changed. Its random states are drawn for each learning set.
    problem : Problem
        A problem of ``silvics.datasets``.
    n_samples : int, default=100
        The size of a learning set.
    n_learning_sets : int, default=100
        The number of learning sets, at least 2.
    n_test : int, default=1000
        The number of test samples.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    n_jobs : int or None, default=None
        Number of threads, each of which fits models. The result does not depend on it.
    progress : callable or None, default=None
        Called with the numbers of finished and of all learning sets.

    Returns
    -------
    result : BiasVariance
        The averages ``noise``, ``bias``, ``variance``, ``error`` and ``rho``, their standard
        errors, and ``points``, the same for each test sample.

    Examples
    --------
    >>> from silvics import ExtraTreesRegressor
    >>> from silvics.bias_variance import decompose
    >>> from silvics.datasets import SumOfNormals
    >>> forest = ExtraTreesRegressor(10)
    >>> result = decompose(
    ...     forest, SumOfNormals(), n_samples=50, n_learning_sets=20, random_state=0
    ... )
    >>> bool(abs(result.noise + result.bias + result.variance - result.error) < 1e-12)
    True
    """
    classes = _classes_of(problem)
    check_task(estimator, classes is not None)
    n = whole_number("n_samples", n_samples, 1)
    n_sets = whole_number("n_learning_sets", n_learning_sets, 2, MOST_SETS)
    n_rows = whole_number("n_test", n_test, 1)
    of_test, of_sets, of_models, of_outputs = seeds(random_state, 4).tolist()
    X, _ = problem.sample(n_rows, of_test)
    drawn = seeds(of_sets, n_sets).tolist()
    target, noise = _bayes(problem, X)
    found = list(
        fitted_stats(
            estimator, lambda r: problem.sample(n, drawn[r]), n_sets, X, classes, of_models,
            n_jobs, progress,
        )
    )  # fmt: skip
    predictions = stacked(found, target)
    errors = _errors(problem, X, predictions, target, of_outputs)
    return result_of(
        predictions, noise, errors, X, n, name_of(estimator), repr(problem), problem.feature_names
    )


def decompose_over(
    estimator: Any,
    problem: Problem,
    param_name: str,
    param_range: Any,
    *,
    n_samples: int = 100,
    n_learning_sets: int = 100,
    n_test: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> BiasVarianceCurve:
    """Estimate bias and variance for several values of a parameter (thesis Figures 4.4 and 4.5).

    All values use the same learning sets and test samples.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        The model. It is not changed.
    problem : Problem
        A problem of ``silvics.datasets``.
    param_name : str
        The parameter, as in ``set_params``.
    param_range : iterable
        Its values.
    n_samples : int, default=100
        The size of a learning set.
    n_learning_sets : int, default=100
        The number of learning sets, at least 2.
    n_test : int, default=1000
        The number of test samples.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.
    n_jobs : int or None, default=None
        Number of threads, each of which fits models. The result does not depend on it.
    progress : callable or None, default=None
        Called with the numbers of finished and of all models.

    Returns
    -------
    curve : BiasVarianceCurve
        A result for each value.

    Examples
    --------
    >>> from silvics import RandomForestRegressor
    >>> from silvics.bias_variance import decompose_over
    >>> from silvics.datasets import SumOfNormals
    >>> curve = decompose_over(
    ...     RandomForestRegressor(10), SumOfNormals(), "max_features", [1, 5, 10],
    ...     n_samples=50, n_learning_sets=20, n_test=200, random_state=0,
    ... )
    >>> bool(curve.results[0].rho < curve.results[2].rho)
    True
    """
    values = list(param_range)
    if not values:
        raise ValueError("param_range has no values.")
    seed = int(seeds(random_state, 1)[0])
    n_all = len(values) * n_learning_sets
    results = []
    for k, value in enumerate(values):
        model = clone(estimator).set_params(**{param_name: value})
        results.append(
            decompose(
                model, problem, n_samples=n_samples, n_learning_sets=n_learning_sets,
                n_test=n_test, random_state=seed, n_jobs=n_jobs,
                progress=later(progress, k * n_learning_sets, n_all),
            )
        )  # fmt: skip
    return BiasVarianceCurve(param_name, values, results)


def _errors(
    problem: Problem, X: np.ndarray, predictions: Predictions, target: np.ndarray, seed: int
) -> np.ndarray:
    """Return the errors on outputs that are drawn anew for each learning set."""
    rng = check_random_state(seed)
    found = []
    for away in predictions.away:
        y = problem._draw_outputs(X, rng)
        if isinstance(problem, ClassificationProblem):
            outputs = one_hot(y, problem.classes)
        else:
            outputs = y[:, np.newaxis]
        found.append(((away + (target - outputs)) ** 2).sum(axis=1))
    return np.stack(found)


def _classes_of(problem: Any) -> np.ndarray | None:
    if not isinstance(problem, Problem):
        raise TypeError(
            f"problem must be a problem of silvics.datasets, got {type(problem).__name__}. For a "
            "table, use decompose_by_resampling."
        )
    return problem.classes if isinstance(problem, ClassificationProblem) else None


def _bayes(problem: Problem, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictions of the Bayes model as columns, and the noise of each sample."""
    if isinstance(problem, ClassificationProblem):
        shares = problem._shares(X)
        return shares, (shares * (1 - shares)).sum(axis=1)
    return problem.bayes_model.predict(X).reshape(-1, 1), problem.residual_error_at(X)
