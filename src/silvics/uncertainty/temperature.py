"""The smoothing and the power of class probabilities that have the smallest log-loss.

With smoothed probabilities p_c of the classes and the true class y, the loss of a row under the
power b is log(1 + E), where E is the sum of exp(b d_c) over the other classes and
d_c = log p_c - log p_y. It is convex in b. Newton's method finds the best power of all rows; those
of the parts, each of which omits a fold, are a step away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silvics._predicting.calibrated import ProbabilityMap

# Candidates of smoothing, in units of one vote of one tree, and bounds of the power.
_SMOOTHINGS = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
_LEAST_POWER, _MOST_POWER = float(np.exp(-2.0)), float(np.exp(2.0))
# A step below the first, relative to the power, is the last one: the next would be its square.
_SMALL_STEP = 1e-4
_MOST_STEPS = 60


@dataclass(frozen=True)
class _Losses:
    """The sum of the losses at a power, with its first two derivatives."""

    power: float
    value: float
    slope: float
    curvature: float

    def step(self) -> float:
        """Return the step of Newton, within the bounds of powers."""
        step = -self.slope / self.curvature if self.curvature > 0 else -np.sign(self.slope)
        return float(np.clip(step, _LEAST_POWER - self.power, _MOST_POWER - self.power))

    def after(self, step: float) -> float:
        """Return the value that the quadratic has after a step."""
        return self.value + self.slope * step + 0.5 * self.curvature * step**2


class Temperatures:
    """Fits a smoothing and a power of probabilities to parts of the rows.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Probabilities.
    y : ndarray of int of shape (n_rows,)
        Classes.
    n_trees : int
        Number of trees.
    """

    def __init__(self, shares: np.ndarray, y: np.ndarray, n_trees: int) -> None:
        n_rows, n_classes = shares.shape
        rows = np.arange(n_rows)
        self._n_trees, self._own = n_trees, shares[rows, y]
        # The terms of E: one for each other class of positive probability, and the first of a row
        # for all other classes together. Most probabilities are zero if there are many classes.
        self._row: np.ndarray | None = None  # of each term; None if each row has one
        if n_classes == 2:
            self._others, self._times = shares[rows, 1 - y], np.ones(n_rows)
            return
        positive = shares > 0
        positive[rows, y] = False
        sizes = np.count_nonzero(positive, axis=1)
        starts = np.cumsum(sizes + 1) - (sizes + 1)
        first = np.zeros(n_rows + int(sizes.sum()), dtype=bool)
        first[starts] = True
        self._row = np.repeat(rows, sizes + 1)
        self._others, self._times = np.zeros(len(first)), np.ones(len(first))
        self._others[~first] = shares[positive]
        self._times[starts] = n_classes - 1 - sizes

    def fitted(self, parts: Sequence[np.ndarray]) -> list[ProbabilityMap]:
        """Return the best map of each part.

        Parameters
        ----------
        parts : sequence of ndarray of shape (n_rows,)
            Weights of the rows. The first part has all rows, or is as good a start for the others.
        """
        found: list[list[_Losses]] = []
        power = 1.0
        for smoothing in _SMOOTHINGS:
            d = self._differences(smoothing / self._n_trees)
            power, losses = self._at_best_of_all(d, power, parts)
            found.append(losses)
        return [self._best(part, [losses[k] for losses in found]) for k, part in enumerate(parts)]

    def cross_losses(self, maps: list[ProbabilityMap], folds: np.ndarray) -> np.ndarray:
        """Return the loss of each row under the map of its fold."""
        smoothings, powers = (
            np.array([getattr(of, name) for of in maps])[folds] for name in ("smoothing", "power")
        )
        found = np.empty(len(folds))
        for smoothing in np.unique(smoothings):
            d = self._differences(smoothing)
            d *= powers if self._row is None else powers[self._row]
            losses = np.log1p(self._sums(np.exp(d) * self._times))
            np.copyto(found, losses, where=smoothings == smoothing)
        return found

    def _best(self, part: np.ndarray, losses: list[_Losses]) -> ProbabilityMap:
        """Return the best map of a part, given its losses at the best powers of all rows."""
        # The best power is closer than two steps, so that the loss falls by at most twice as much.
        least = [2 * of.after(of.step()) - of.value for of in losses]
        bound = min(of.after(of.step()) for of in losses)
        best, chosen = np.inf, ProbabilityMap("temperature")
        for smoothing, own, low in zip(_SMOOTHINGS, losses, least, strict=True):
            if low > bound:
                continue
            d = self._differences(smoothing / self._n_trees)
            power, value = self._newton(d, own, part)
            if value < best:
                best = value
                chosen = ProbabilityMap("temperature", smoothing / self._n_trees, power)
        return chosen

    # ---- sums over rows

    def _differences(self, smoothing: float) -> np.ndarray:
        own = np.log(self._own + smoothing)
        return np.log(self._others + smoothing) - (own if self._row is None else own[self._row])

    def _sums(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums over the terms of each row."""
        return terms if self._row is None else np.bincount(self._row, terms)

    def _of_rows(self, d: np.ndarray, power: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the loss of each row and its derivatives."""
        terms = np.exp(power * d) * self._times
        sums = self._sums(terms)
        terms = terms * d
        slope = self._sums(terms) / (1 + sums)
        return np.log1p(sums), slope, self._sums(terms * d) / (1 + sums) - slope**2

    def _of_part(self, d: np.ndarray, power: float, part: np.ndarray) -> _Losses:
        return _Losses(power, *(weighted_sum(part, of) for of in self._of_rows(d, power)))

    def _at_best_of_all(
        self, d: np.ndarray, power: float, parts: Sequence[np.ndarray]
    ) -> tuple[float, list[_Losses]]:
        """Return the best power of the first part, and the losses of all parts close to it."""
        low, high = _LEAST_POWER, _MOST_POWER
        for _ in range(_MOST_STEPS):
            rows = self._of_rows(d, power)
            losses = _Losses(power, *(weighted_sum(parts[0], of) for of in rows))
            low, high = _narrowed(low, high, losses)
            power = _inside(low, high, losses)
            if abs(power - losses.power) < 0.02 * losses.power:
                break
        # The next smoothing starts from the power after the last step.
        return power, [
            _Losses(losses.power, *(weighted_sum(part, of) for of in rows)) for part in parts
        ]

    def _newton(self, d: np.ndarray, losses: _Losses, part: np.ndarray) -> tuple[float, float]:
        """Return the best power of a part, and the loss there."""
        low, high = _LEAST_POWER, _MOST_POWER
        for _ in range(_MOST_STEPS):
            low, high = _narrowed(low, high, losses)
            power = _inside(low, high, losses)
            step = power - losses.power
            if abs(step) < _SMALL_STEP * losses.power:
                return power, losses.after(step)
            losses = self._of_part(d, power, part)
        return losses.power, losses.value


def weighted_sum(weights: np.ndarray, values: np.ndarray) -> float:
    """Return a weighted sum, on this thread alone and in the same order on all machines."""
    return float(np.einsum("i,i->", weights, values))


def _narrowed(low: float, high: float, losses: _Losses) -> tuple[float, float]:
    """Return the interval of the best power, given the slope at one inside."""
    return (low, losses.power) if losses.slope > 0 else (losses.power, high)


def _inside(low: float, high: float, losses: _Losses) -> float:
    """Return the power after a step of Newton, or half way to a bound that it would pass."""
    power = losses.power + losses.step()
    if low <= power <= high:
        return power
    return 0.5 * (low + high)
