"""Isotonic and Venn-Abers maps: a monotonic function of the probability of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silvics._predicting.calibrated import ProbabilityMap
from silvics.uncertainty.temperature import weighted_sum

_MOST_KNOTS = 64


class MonotonicMaps:
    """Fits monotonic functions to the probabilities of each class, on parts of the rows.

    Probabilities of zero, which most of them are if there are many classes, are counted and not
    listed.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Probabilities.
    y : ndarray of int of shape (n_rows,)
        Classes.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    """

    def __init__(self, shares: np.ndarray, y: np.ndarray, weights: np.ndarray) -> None:
        self._n_classes, self._y, self._weights = shares.shape[1], y, weights
        self._columns = [
            _Column(shares[:, c], y == c, weights)
            for c in ([1] if self._n_classes == 2 else range(self._n_classes))
        ]

    def fitted(self, parts: list[np.ndarray]) -> dict[str, list[ProbabilityMap]]:
        """Return the maps of each part, for both methods.

        Parameters
        ----------
        parts : list of ndarray of bool of shape (n_rows,)
            The rows of each part.
        """
        n_columns = len(self._columns)
        groups = [
            column.grouped(part)
            for part in (_Part.of(rows, self._weights) for rows in parts)
            for column in self._columns
        ]
        sizes = [len(x) for x, _, _ in groups]
        ones, weights = np.zeros((2, max(sizes), len(groups)))
        for i, (_, *sums) in enumerate(groups):
            ones[: sizes[i], i], weights[: sizes[i], i] = sums
        found = {}
        for name, values in regressions(ones, weights).items():
            knots = [
                _knots(x, values[: sizes[i], i], int(np.count_nonzero(parts[i // n_columns])))
                for i, (x, _, _) in enumerate(groups)
            ]
            found[name] = [
                ProbabilityMap(name, knots=knots[i : i + n_columns])
                for i in range(0, len(knots), n_columns)
            ]
        return found

    def cross_losses(self, maps: list[ProbabilityMap], folds: np.ndarray) -> np.ndarray:
        """Return the loss of each row under the map of its fold."""
        own, whole = np.zeros(len(folds)), np.ones(len(folds))
        if self._n_classes > 2:
            # No knot is below zero, so that the first value is that of zero.
            of_zero = np.array([[y[0] for _, y in of.knots] for of in maps])
            own, whole = of_zero[folds, self._y], of_zero.sum(axis=1)[folds]
        for c, column in enumerate(self._columns):
            rows = column.rows if self._n_classes > 2 else np.arange(len(folds))
            of_rows, is_class = folds[rows], column.is_class[rows]
            for fold, of in enumerate(maps):
                listed = of_rows == fold
                i, is_own = rows[listed], is_class[listed]
                found = np.interp(column.shares[i], *of.knots[c])
                if self._n_classes > 2:
                    whole[i] += found - of_zero[fold, c]
                    own[i[is_own]] = found[is_own]
                else:
                    own[i] = np.where(is_own, found, 1 - found)
        return np.asarray(np.log(whole) - np.log(own))


@dataclass(frozen=True, eq=False)
class _Part:
    """Some of the rows: a mask, the same as zeros and ones, their number and their weight."""

    mask: np.ndarray
    indicator: np.ndarray
    n_rows: int
    weight: float

    @classmethod
    def of(cls, mask: np.ndarray, weights: np.ndarray) -> _Part:
        return cls(mask, mask.astype(np.float64), int(mask.sum()), float(weights[mask].sum()))


class _Column:
    """The positive probabilities of one class in ascending order, with their rows."""

    def __init__(self, shares: np.ndarray, is_class: np.ndarray, weights: np.ndarray) -> None:
        listed = np.flatnonzero(shares)
        order = np.argsort(shares[listed], kind="stable")
        self.rows = listed[order]
        self.values = shares[self.rows]
        self.is_class, self.shares = is_class, shares
        self._weights = weights[self.rows]
        self._ones = self._weights * is_class[self.rows]
        self._zero_weights = np.where(shares == 0, weights, 0.0)
        self._zero_ones = self._zero_weights * is_class

    def grouped(self, part: _Part) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Group rows of similar probabilities; return means, sums of the class, and weights.

        Weights have a mean of one, so that they are numbers of rows.
        """
        listed = part.mask[self.rows]
        values, weights, ones = self.values[listed], self._weights[listed], self._ones[listed]
        n_zero = part.n_rows - len(values)
        if n_zero:  # all of them as one row
            values = np.concatenate([[0.0], values])
            ones = np.concatenate([[weighted_sum(part.indicator, self._zero_ones)], ones])
            weights = np.concatenate([[weighted_sum(part.indicator, self._zero_weights)], weights])
        starts = _starts_of_groups(values, n_zero)
        x = np.add.reduceat(weights * values, starts)
        ones, weights = np.add.reduceat(ones, starts), np.add.reduceat(weights, starts)
        x /= weights
        keep = np.concatenate([[True], np.diff(x) > 0])  # means that rounding has made equal
        at = np.flatnonzero(keep)
        scale = part.n_rows / part.weight
        return x[at], np.add.reduceat(ones, at) * scale, np.add.reduceat(weights, at) * scale


def _starts_of_groups(values: np.ndarray, n_first: int) -> np.ndarray:
    """Return where groups of sorted values begin, each of about as many rows.

    The first value is that of ``n_first`` rows, unless this is zero, and each other one of one row.
    """
    starts = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1])
    if len(starts) <= _MOST_KNOTS:
        return starts
    more = max(n_first - 1, 0)
    n_rows = len(values) + more
    last = (np.arange(1, _MOST_KNOTS) * n_rows - 1) // _MOST_KNOTS  # the rows of the quantiles
    ends = np.searchsorted(values, values[np.maximum(last - more, 0)], side="right")
    starts = np.unique(np.concatenate([[0], ends]))
    return starts[starts < len(values)]


def _knots(x: np.ndarray, y: np.ndarray, n_rows: int) -> tuple[list[float], list[float]]:
    """Return a function with values that are neither zero nor one."""
    least = 1 / (2 + n_rows)
    return x.tolist(), np.clip(y, least, 1 - least).tolist()


# ---- isotonic regressions, one in each column


def regressions(ones: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Return the values of both methods at each group of rows.

    The probabilities of Venn-Abers are two isotonic regressions, at the group of a new row, in
    which the new row is added to the group with class 0 or with class 1 (Vovk, Petej and Fedorova
    2015). Both become one probability.

    Parameters
    ----------
    ones, weights : ndarray of shape (n_groups, n_regressions)
        Sums of the class and of all rows. Groups of weight zero at the end do not count.
    """
    n = ones.shape[1]
    label, weight = np.repeat([0.0, 0.0, 1.0], n), np.repeat([0.0, 1.0, 1.0], n)
    found = _fitted_with(np.tile(ones, 3), np.tile(weights, 3), label, weight)
    isotonic, low, high = np.split(found, 3, axis=1)
    return {"isotonic": isotonic, "venn-abers": high / (1 - low + high)}


def _fitted_with(
    ones: np.ndarray, weights: np.ndarray, label: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Return the isotonic regressions at each group when one more row is added to this group.

    It is the largest, over first groups, of the smallest mean, over last groups, of the groups
    between them.
    """
    sums, sizes = np.cumsum(ones, axis=0), np.cumsum(weights, axis=0)
    sums_before, sizes_before = sums - ones, sizes - weights
    smallest = np.full(ones.shape, np.inf)
    found = np.empty(ones.shape)
    for last in range(len(ones) - 1, -1, -1):
        size = sizes[last] + weight - sizes_before[: last + 1]
        means = sums[last] + label - sums_before[: last + 1]
        means /= np.maximum(size, np.finfo(float).tiny)
        np.minimum(smallest[: last + 1], means, out=smallest[: last + 1])
        smallest[: last + 1].max(axis=0, out=found[last])
    return np.maximum.accumulate(found, axis=0)
