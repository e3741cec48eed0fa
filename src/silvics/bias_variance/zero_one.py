"""The error of classifiers by the mean and variance of their probability estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from silvics._frames import frame_of, wide
from silvics._results.base import Result
from silvics.bias_variance.averaging import MOST_SETS, name_of
from silvics.bias_variance.growing import Progress, check_task, fitted_stats, seeds
from silvics.datasets.problem import ClassificationProblem, Problem, whole_number
from silvics.plots import charts


@dataclass(repr=False, eq=False)
class Misclassification(Result):
    """The expected zero-one loss of a classifier of two classes (thesis Theorem 4.2).

    ``to_frame()`` has a row for each part: ``part``, ``value`` and ``standard_error``.

    Attributes
    ----------
    noise : float
        The residual error: that of the Bayes model.
    error : float
        The expected error: the residual error, and what is added where the model decides otherwise
        than the Bayes model, by the observed share of such models.
    normal_error : float
        The same, if the probability estimates of a sample are normally distributed (Theorem 4.2).
    estimate : float
        The mean estimate of the probability of the class that the Bayes model predicts.
    variance : float
        The mean variance of these estimates over learning sets.
    standard_errors : dict of str to float
        The Monte-Carlo standard errors.
    averages : dict of str to float
        The averages above, by name.
    points : data frame
        The same for each test sample.
    n_learning_sets : int
        The number of learning sets.
    n_samples : int
        The size of a learning set.
    X : ndarray of shape (n_test, n_features)
        The test samples.
    """

    averages: dict[str, float]
    standard_errors: dict[str, float]
    _at: dict[str, np.ndarray]
    X: np.ndarray
    _feature_names: list[str]
    n_learning_sets: int
    n_samples: int
    _name: str
    _library: str | None = None

    @property
    def noise(self) -> float:
        """The error of the Bayes model."""
        return self.averages["noise"]

    @property
    def error(self) -> float:
        """The expected error, by simulation."""
        return self.averages["error"]

    @property
    def normal_error(self) -> float:
        """The expected error, by Theorem 4.2."""
        return self.averages["normal_error"]

    @property
    def estimate(self) -> float:
        """The mean estimate of the probability of the best class."""
        return self.averages["estimate"]

    @property
    def variance(self) -> float:
        """The mean variance of these estimates."""
        return self.averages["variance"]

    @property
    def points(self) -> Any:
        """The same for each test sample, as a data frame."""
        rows = np.arange(len(self.X))
        columns = wide("row", rows, np.array(self._feature_names, dtype=object), self.X)
        return frame_of({**columns, **self._at}, self._library)

    def _title(self) -> str:
        return self._name

    def _notes(self) -> list[str]:
        return [
            f"{self.n_learning_sets} learning sets of {self.n_samples} samples, "
            f"{len(self.X)} test samples"
        ]

    def _columns(self) -> dict[str, Any]:
        names = list(self.averages)
        return {
            "part": names,
            "value": np.array([self.averages[name] for name in names]),
            "standard_error": np.array([self.standard_errors[name] for name in names]),
        }

    def _draw(self, ax: Any) -> Any:
        names = ["noise", "error", "normal_error"]
        values = np.array([self.averages[name] for name in names])
        labels = np.array(["Bayes model", "simulated error", "Theorem 4.2"])
        return charts.bars(values, labels, "zero-one loss", ax)


def misclassification(
    estimator: Any,
    problem: Problem,
    *,
    n_samples: int = 100,
    n_learning_sets: int = 100,
    n_test: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Misclassification:
    """Relate the error of a classifier to the mean and variance of its probability estimates.

    For two classes, the expected error at a sample follows from the probability that the model's
    estimate for the best class is below one half. Theorem 4.2 of the thesis takes these estimates
    as normally distributed; the result has both the theorem's error and the simulated one.

    Parameters
    ----------
    estimator : classifier of scikit-learn
        The model, with ``predict_proba``. It is not changed.
    problem : ClassificationProblem
        A problem of ``silvics.datasets`` with two classes.
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
    result : Misclassification
        ``noise``, ``error`` and ``normal_error``, with standard errors, and ``points``.

    Examples
    --------
    >>> from silvics import RandomForestClassifier
    >>> from silvics.bias_variance import misclassification
    >>> from silvics.datasets import TwoGaussians
    >>> found = misclassification(
    ...     RandomForestClassifier(20), TwoGaussians(), n_learning_sets=30, n_test=200,
    ...     random_state=0,
    ... )
    >>> bool(found.error > found.noise and abs(found.error - found.normal_error) < 0.02)
    True
    """
    if not isinstance(problem, ClassificationProblem) or len(problem.classes) != 2:
        raise ValueError(
            "misclassification needs a problem of silvics.datasets with two classes, got "
            f"{problem!r}."
        )
    check_task(estimator, True)
    n = whole_number("n_samples", n_samples, 1)
    n_sets = whole_number("n_learning_sets", n_learning_sets, 2, MOST_SETS)
    n_rows = whole_number("n_test", n_test, 1)
    of_test, of_sets, of_models = seeds(random_state, 3).tolist()
    X, _ = problem.sample(n_rows, of_test)
    drawn = seeds(of_sets, n_sets).tolist()
    shares = problem._shares(X)
    best = shares.argmax(axis=1)
    rows = np.arange(n_rows)
    estimates = np.stack(
        [
            stats.mean[rows, best]
            for stats in fitted_stats(
                estimator, lambda r: problem.sample(n, drawn[r]), n_sets, X, problem.classes,
                of_models, n_jobs, progress,
            )
        ]
    )  # fmt: skip
    # Estimates of one half go to the first class.
    other = np.where(best == 0, estimates < 0.5, estimates <= 0.5)
    noise = 1 - shares[rows, best]
    mean, deviation = estimates.mean(axis=0), estimates.std(axis=0, ddof=1)
    some = deviation > 0
    score = np.divide(0.5 - mean, deviation, out=np.zeros(n_rows), where=some)
    tail = np.where(some, norm.cdf(score), mean < 0.5)
    gain = 2 * (1 - noise) - 1
    at = {
        "noise": noise, "estimate": mean, "variance": deviation**2,
        "error": noise + other.mean(axis=0) * gain, "normal_error": noise + tail * gain,
    }  # fmt: skip
    of_sets_error = (noise + other * gain).mean(axis=1)
    averages = {name: float(values.mean()) for name, values in at.items()}
    errors = {name: float(values.std(ddof=1) / np.sqrt(n_rows)) for name, values in at.items()}
    for name in ("error", "normal_error"):
        errors[name] = float(np.hypot(errors[name], of_sets_error.std(ddof=1) / np.sqrt(n_sets)))
    title = f"Zero-one loss of {name_of(estimator)} on {problem!r}"
    return Misclassification(averages, errors, at, X, problem.feature_names, n_sets, n, title)
