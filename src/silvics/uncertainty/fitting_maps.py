"""Maps of class probabilities, fitted to the out-of-bag probabilities of the training rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from silvics._predicting.calibrated import ProbabilityMap
from silvics.uncertainty.monotonic_maps import MonotonicMaps
from silvics.uncertainty.temperature import Temperatures, weighted_sum

# Number of parts of the rows; each is calibrated by a map that was fitted to the others.
N_FOLDS = 5
_LEAST_ROWS = 20  # that calibrate


def log_losses(shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the negative logarithm of the probability of the class of each row."""
    return np.asarray(-np.log(shares[np.arange(len(y)), y]))


def clipped(shares: np.ndarray, least: float) -> np.ndarray:
    """Return probabilities of at least this, which sum to one."""
    found = np.maximum(shares, least)
    return found / found.sum(axis=1, keepdims=True)


class Fitter:
    """Fits maps to out-of-bag probabilities.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Out-of-bag probabilities.
    y : ndarray of int of shape (n_rows,)
        Classes.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    n_trees : int
        Number of trees.
    """

    def __init__(
        self, shares: np.ndarray, y: np.ndarray, weights: np.ndarray, n_trees: int
    ) -> None:
        self.shares, self.y, self.weights, self.n_trees = shares, y, weights, n_trees

    def chosen(self) -> tuple[ProbabilityMap, dict[str, float], np.ndarray]:
        """Return the chosen map, the log-losses of all methods, and calibrated probabilities.

        The map has the smallest log-loss, unless that is less than a standard error below that of
        the raw probabilities, which then do not change. The log-losses and probabilities are
        cross-fitted. Raw probabilities, of which some may be zero, are clipped at half a vote.
        """
        raw = log_losses(clipped(self.shares, 0.5 / self.n_trees), self.y)
        fits = {}
        if len(self.y) >= _LEAST_ROWS and len(np.unique(self.y)) > 1:
            fits = self._cross_fitted()
        of_rows = {"raw": raw, **{name: fit.losses for name, fit in fits.items()}}
        losses = {n: float(np.average(of, weights=self.weights)) for n, of in of_rows.items()}
        best = min(losses, key=losses.__getitem__)
        if best == "raw" or not self._clearly_positive(raw - of_rows[best]):
            return ProbabilityMap("raw"), losses, self.shares
        return fits[best].of_all(), losses, fits[best].probabilities(self.shares)

    def _clearly_positive(self, differences: np.ndarray) -> bool:
        """Return whether the mean is larger than its standard error."""
        shares = self.weights / self.weights.sum()
        mean = weighted_sum(shares, differences)
        return mean > float(np.sqrt(weighted_sum(shares**2, (differences - mean) ** 2)))

    def _cross_fitted(self) -> dict[str, _CrossFit]:
        """Return the maps of each method, and the losses of rows under maps of the other folds."""
        n = len(self.y)
        folds = np.random.default_rng(0).permutation(n) % N_FOLDS
        whole, parts = np.ones(n, dtype=bool), [folds != fold for fold in range(N_FOLDS)]
        temperatures = Temperatures(self.shares, self.y, self.n_trees)
        of_all, *of_folds = temperatures.fitted([self.weights * of for of in (whole, *parts)])
        losses = temperatures.cross_losses(of_folds, folds)
        fits = {"temperature": _CrossFit(lambda: of_all, of_folds, folds, losses)}
        monotonic = MonotonicMaps(self.shares, self.y, self.weights)
        for name, maps in monotonic.fitted(parts).items():
            fit_all = partial(self._of_all_rows, monotonic, name)
            losses = monotonic.cross_losses(maps, folds)
            fits[name] = _CrossFit(fit_all, maps, folds, losses)
        return fits

    def _of_all_rows(self, monotonic: MonotonicMaps, name: str) -> ProbabilityMap:
        return monotonic.fitted([np.ones(len(self.y), dtype=bool)])[name][0]


@dataclass(frozen=True, eq=False)
class _CrossFit:
    """What fits the map of all rows, the maps of folds, fitted to the other rows, and losses."""

    of_all: Callable[[], ProbabilityMap]
    of_folds: list[ProbabilityMap]
    folds: np.ndarray
    losses: np.ndarray

    def probabilities(self, shares: np.ndarray) -> np.ndarray:
        """Return the calibrated probabilities, each by the map of its fold."""
        found = np.empty_like(shares)
        for fold, of in enumerate(self.of_folds):
            found[self.folds == fold] = of(shares[self.folds == fold])
        return found
