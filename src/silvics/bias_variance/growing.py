"""Models of independent learning sets, fitted in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import check_random_state

from silvics._threads import n_threads
from silvics.bias_variance.members import MemberStats, member_stats
from silvics.bias_variance.statistics import Predictions

Progress = Callable[[int, int], object] | None
Draw = Callable[[int], tuple[Any, Any]]

_MOST_SEED = 2**31 - 1


def seeds(random_state: Any, n: int) -> np.ndarray:
    """Return n seeds."""
    return check_random_state(random_state).randint(_MOST_SEED, size=n)


def seeded(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy of an estimator whose random states follow from a seed."""
    copy = clone(estimator)
    names = [
        name
        for name in sorted(copy.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    ]
    copy.set_params(**dict(zip(names, seeds(int(seed), len(names)).tolist(), strict=True)))
    return copy


def check_task(estimator: Any, of_classes: bool) -> None:
    """Raise TypeError unless the estimator is of the task."""
    kind = "classifier" if of_classes else "regressor"
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be an estimator of scikit-learn, got {estimator!r}.")
    if not (is_classifier(estimator) if of_classes else is_regressor(estimator)):
        raise TypeError(f"estimator must be a {kind}, as the problem asks for, got {estimator!r}.")


def fitted_stats(
    estimator: Any,
    draw: Draw,
    n_learning_sets: int,
    X: Any,
    classes: np.ndarray | None,
    random_state: Any,
    n_jobs: int | None,
    progress: Progress,
) -> Iterator[MemberStats]:
    """Yield the predictions at X of a model of each learning set, in their order.

    Results depend on the random state, not on the number of threads.
    """

    def one(r: int, seed: int) -> MemberStats:
        model = seeded(estimator, seed).fit(*draw(r))
        return member_stats(model, X, classes)

    of_set = seeds(random_state, n_learning_sets)
    jobs = Parallel(n_jobs=n_threads(n_jobs), prefer="threads", return_as="generator")
    for r, stats in enumerate(jobs(delayed(one)(r, s) for r, s in enumerate(of_set))):
        if progress is not None:
            progress(r + 1, n_learning_sets)
        yield stats


def stacked(found: list[MemberStats], target: np.ndarray) -> Predictions:
    """Return the predictions of all models, less the target, as arrays."""
    n = found[0].n_members
    within = None
    if all(stats.within is not None and stats.n_members == n for stats in found):
        within = np.stack([np.asarray(stats.within) for stats in found])
    away = np.stack([stats.mean - target for stats in found])
    return Predictions(away, within, 1 if within is None else n)


def later(progress: Progress, first: int, n_all: int) -> Progress:
    """Return a report of progress for one of several runs."""
    if progress is None:
        return None
    return lambda done, _: progress(first + done, n_all)
