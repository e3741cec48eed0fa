"""The apparent information of noise (section 7.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from silvics._frames import library_of
from silvics._results.base import Result
from silvics.importance.theory.distribution import Distribution
from silvics.importance.variables import column_of, unit_of
from silvics.plots import charts


@dataclass(frozen=True, repr=False, eq=False)
class NullInformation(Result):
    """The decrease of impurity by a split on a variable that is independent of Y.

    ``to_frame()`` has one row: ``observed``, ``expected``, ``gamma_mean`` and ``p_value``.

    Attributes
    ----------
    observed : float
        The decrease in these rows, in the units of the criterion.
    expected : float
        The mean decrease over all permutations of y, which is exact for any number of rows.
    gamma : frozen distribution, or None
        Approximate distribution of the decrease, for many rows (equation 7.18; entropy only).
    gamma_mean : float or None
        The mean of ``gamma`` (equation 7.19). With few rows for a level and a class it may be far
        from ``expected``.
    p_value : float or None
        The probability under ``gamma`` of a decrease of ``observed`` or more; 1 if the decrease
        cannot vary. The approximation is poor if levels have fewer than five rows of a class.

    See Also
    --------
    null_information : Compute it.

    Examples
    --------
    >>> from silvics.importance import null_information
    >>> null = null_information([0, 1] * 6, [0] * 6 + [1] * 6)
    >>> round(null.observed, 3), round(null.p_value, 3)
    (0.0, 1.0)
    """

    observed: float
    expected: float
    gamma: Any
    gamma_mean: float | None
    p_value: float | None
    _unit: str = ""
    _library: str | None = None

    def _columns(self) -> dict[str, Any]:
        names = ("observed", "expected", "gamma_mean", "p_value")
        values = (self.observed, self.expected, self.gamma_mean, self.p_value)
        return {
            name: np.array([np.nan if value is None else value])
            for name, value in zip(names, values, strict=True)
        }

    def _title(self) -> str:
        return f"Information of noise ({self._unit})"

    def _draw(self, ax: Any) -> Any:
        """Draw a bar for the observed and for the expected decrease."""
        names = np.array(["observed", "expected"], dtype=object)
        values = np.array([self.observed, self.expected])
        return charts.bars(values, names, f"decrease of impurity ({self._unit})", ax)


def null_information(x: Any, y: Any, *, criterion: str = "entropy") -> NullInformation:
    """Compute the part of an impurity decrease that is noise.

    A multiway split on a variable that is independent of Y still lowers the impurity in a sample.
    The decrease is larger for more levels and for fewer rows.

    Parameters
    ----------
    x : array-like of shape (n_rows,)
        The levels of the variable in the rows of the node. A missing value is a level.
    y : array-like of shape (n_rows,)
        Their outputs: classes; numbers for the criterion "variance".
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity.

    Returns
    -------
    null : NullInformation
        With ``observed``, ``expected``, ``gamma``, ``gamma_mean`` and ``p_value``.

    Examples
    --------
    With a different level in each of twelve rows, any variable seems to determine Y.

    >>> from silvics.importance import null_information
    >>> null = null_information(range(12), [0, 1] * 6)
    >>> null.observed, null.expected
    (1.0, 1.0)
    >>> null = null_information([0, 1] * 6, [0] * 6 + [1] * 6)
    >>> round(null.observed, 3), round(null.expected, 3), round(null.gamma_mean, 3)
    (0.0, 0.069, 0.06)
    """
    column = column_of(x, "x", "null_information")
    distribution = Distribution([column], y, criterion)
    whole = distribution.impurity_given([])
    # Rounding may give a negative number.
    observed = max(whole - distribution.impurity_given([0]), 0.0)
    sizes = np.bincount(column.levels, minlength=column.n_levels)
    n = int(sizes.sum())
    shown = unit_of(criterion), library_of(x)
    if distribution.impurity_name != "entropy":
        # A child's impurity is that of a sample without replacement: (1 - 1/n_x) N / (N - 1) i(t).
        expected = whole * (len(sizes) - 1) / (n - 1) if n > 1 else 0.0
        return NullInformation(observed, expected, None, None, None, *shown)
    classes = distribution.statistics.sum(axis=0)
    classes = classes[classes > 0].round().astype(np.int64)
    expected = _expected_information(sizes, classes)
    freedom = (len(sizes) - 1) * (len(classes) - 1)
    scale = 1 / (n * np.log(2))
    if freedom == 0:
        return NullInformation(observed, expected, None, 0.0, 1.0, *shown)
    gamma = stats.gamma(freedom / 2, scale=scale)
    mean = float(freedom / 2 * scale)
    return NullInformation(observed, expected, gamma, mean, float(gamma.sf(observed)), *shown)


def _expected_information(sizes: np.ndarray, classes: np.ndarray) -> float:
    """Return the mean mutual information over all permutations, for these margins."""
    n = int(sizes.sum())

    def x_log_x(k: np.ndarray) -> np.ndarray:
        return k * np.log2(np.maximum(k, 1))

    # The count of a class in a child is hypergeometric. Children of equal size have equal
    # distributions, so that each size is computed once.
    kinds, n_kinds = np.unique(sizes, return_counts=True)
    same, n_same = np.unique(classes, return_counts=True)
    log_factorials = special.gammaln(np.arange(n + 1) + 1.0)

    def log_choose(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return log_factorials[a] - log_factorials[b] - log_factorials[a - b]

    of_cells = 0.0
    for size, n_of_size in zip(kinds, n_kinds, strict=True):
        # All possible counts of all classes in such a child, concatenated.
        least, most = np.maximum(0, size + same - n), np.minimum(size, same)
        lengths = most - least + 1
        count = np.repeat(same, lengths)
        k = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths - least, lengths)
        log_p = log_choose(count, k) + log_choose(n - count, size - k)
        p = np.exp(log_p - log_choose(np.array(n), size))
        of_cells += n_of_size * float((np.repeat(n_same, lengths) * p) @ x_log_x(k))
    margins = x_log_x(sizes).sum() + x_log_x(classes).sum() - x_log_x(np.array(n))
    return max(float(of_cells - margins) / n, 0.0)
