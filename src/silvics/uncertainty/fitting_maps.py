"""Maps of class probabilities, fitted to the out-of-bag probabilities of the training rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from silvics._predicting.calibrated import ProbabilityMap

# Number of parts of the rows; each is calibrated by a map that was fitted to the others.
N_FOLDS = 5
# The least and the largest number of rows that calibrate.
_LEAST_ROWS = 20
_MOST_KNOTS = 64
# Candidates of smoothing, in units of one vote of one tree, and bounds of the logarithm of a power.
_SMOOTHINGS = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
_LOG_POWER = (-2.0, 2.0)


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
        least = 0.5 / self.n_trees
        cross = {"raw": clipped(self.shares, least)}
        if len(self.y) >= _LEAST_ROWS and len(np.unique(self.y)) > 1:
            for name, fit in self._fits().items():
                cross[name] = self._cross_fitted(fit)
        of_rows = {name: log_losses(of, self.y) for name, of in cross.items()}
        losses = {n: float(np.average(of, weights=self.weights)) for n, of in of_rows.items()}
        best = min(losses, key=losses.__getitem__)
        if best == "raw" or not self._clearly_positive(of_rows["raw"] - of_rows[best]):
            return ProbabilityMap("raw"), losses, self.shares
        return self._fits()[best](np.ones(len(self.y), dtype=bool)), losses, cross[best]

    def _clearly_positive(self, differences: np.ndarray) -> bool:
        """Return whether the mean is larger than its standard error."""
        shares = self.weights / self.weights.sum()
        mean = float(shares @ differences)
        return mean > float(np.sqrt(shares**2 @ (differences - mean) ** 2))

    def _fits(self) -> dict[str, Callable[[np.ndarray], ProbabilityMap]]:
        return {
            "temperature": self._temperature,
            "isotonic": lambda part: self._by_class(part, "isotonic", _isotonic),
            "venn-abers": lambda part: self._by_class(part, "venn-abers", _venn_abers),
        }

    def _cross_fitted(self, fit: Callable[[np.ndarray], ProbabilityMap]) -> np.ndarray:
        n = len(self.y)
        folds = np.random.default_rng(0).permutation(n) % N_FOLDS
        found = np.empty_like(self.shares)
        for fold in range(N_FOLDS):
            found[folds == fold] = fit(folds != fold)(self.shares[folds == fold])
        return np.maximum(found, np.finfo(float).tiny)

    def _temperature(self, part: np.ndarray) -> ProbabilityMap:
        shares, y, weights = self.shares[part], self.y[part], self.weights[part]
        best, chosen = np.inf, ProbabilityMap("temperature")
        for smoothing in _SMOOTHINGS:
            # One row for each class, because sums over rows are fast.
            logs = np.log(shares.T + smoothing / self.n_trees)
            logs -= logs.max(axis=0)
            own = logs[y, np.arange(len(y))]

            def loss(log_power: float, logs: np.ndarray = logs, own: np.ndarray = own) -> float:
                power = np.exp(log_power)
                sums = np.log(np.exp(power * logs).sum(axis=0))
                return float(np.average(sums - power * own, weights=weights))

            found = minimize_scalar(loss, bounds=_LOG_POWER, method="bounded")
            if found.fun < best:
                best = found.fun
                chosen = ProbabilityMap(
                    "temperature", smoothing / self.n_trees, float(np.exp(found.x))
                )
        return chosen

    def _by_class(
        self,
        part: np.ndarray,
        name: str,
        fit: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ) -> ProbabilityMap:
        """Fit one function for each class, or one for the second class if there are two."""
        n_classes = self.shares.shape[1]
        knots = []
        for c in [1] if n_classes == 2 else range(n_classes):
            x, ones, weights = _grouped(self.shares[part, c], self.y[part] == c, self.weights[part])
            y = fit(ones, weights)
            least = 1 / (2 + weights.sum() / self.weights[part].mean())
            knots.append((x.tolist(), np.clip(y, least, 1 - least).tolist()))
        return ProbabilityMap(name, knots=knots)


def _grouped(
    shares: np.ndarray, is_class: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Group rows of similar probabilities; return their means, sums of the class, and weights.

    Weights have a mean of one, so that they are numbers of rows.
    """
    weights = weights / weights.mean()
    distinct = np.unique(shares)
    if len(distinct) > _MOST_KNOTS:
        levels = np.linspace(0, 1, _MOST_KNOTS + 1)[1:-1]
        distinct = np.unique(np.quantile(shares, levels, method="inverted_cdf"))
    group = np.searchsorted(distinct, shares)  # values above the last edge are a group as well
    whole = np.bincount(group, weights)
    some = whole > 0
    x = np.bincount(group, weights * shares)[some] / whole[some]
    ones = np.bincount(group, weights * is_class)[some]
    keep = np.concatenate([[True], np.diff(x) > 0])  # means that rounding has made equal
    if not keep.all():
        at = np.cumsum(keep) - 1
        return x[keep], np.bincount(at, ones), np.bincount(at, whole[some])
    return x, ones, whole[some]


def _isotonic(ones: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the isotonic regression of the shares ones / weights."""
    return _fitted_with(ones, weights, 0.0, 0.0)


def _venn_abers(ones: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return one probability for each group, from the two of Venn-Abers.

    These are the isotonic regressions, at the group of a new row, in which the new row is added to
    the group with class 0 or with class 1 (Vovk, Petej and Fedorova 2015).
    """
    low = _fitted_with(ones, weights, 0.0, 1.0)
    high = _fitted_with(ones, weights, 1.0, 1.0)
    return high / (1 - low + high)


def _fitted_with(ones: np.ndarray, weights: np.ndarray, label: float, weight: float) -> np.ndarray:
    """Return the isotonic regression at each group when one more row is added to this group.

    It is the largest, over first groups, of the smallest mean, over last groups, of the groups
    between them.
    """
    sums = np.concatenate([[0.0], np.cumsum(ones)])
    sizes = np.concatenate([[0.0], np.cumsum(weights)])
    found = np.empty(len(ones))
    for i in range(len(ones)):
        inside = sums[np.newaxis, i + 1 :] - sums[: i + 1, np.newaxis] + label * weight
        size = sizes[np.newaxis, i + 1 :] - sizes[: i + 1, np.newaxis] + weight
        found[i] = (inside / size).min(axis=1).max()
    return np.maximum.accumulate(found)
