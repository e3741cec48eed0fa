"""Redundant variables, and the effect of copies on importances (section 7.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics._fitting.targets import checked_weights
from silvics._frames import library_of, wide
from silvics._names import one_of
from silvics._results.base import Result
from silvics.importance._checks import checked_tolerance, number_of_repeats, threads
from silvics.importance.theory.distribution import Distribution, distribution_of
from silvics.importance.theory.lattice import Lattice, set_of, term_weights
from silvics.importance.variables import (
    CRITERIA,
    column_of,
    place_of,
    unit_of,
    variables_of,
)
from silvics.plots import charts


@dataclass(frozen=True, repr=False)
class Redundancy(Result):
    """Whether two variables are redundant. ``bool()`` of it is ``redundant``.

    ``to_frame()`` has one row for each condition: ``condition`` and ``value``, which must be zero.

    Attributes
    ----------
    redundant : bool
        Whether the variables are redundant.
    excess : float
        The largest of the terms that must be zero. Without y these are H(X_i | X_j) and
        H(X_j | X_i), in bits.
    given : tuple of str
        With y, the set B of other variables for which the excess is largest.
    conditions : dict of str to float
        All terms that must be zero, given that set.

    Examples
    --------
    >>> from silvics.importance import redundant
    >>> found = redundant([0, 1, 2, 1], ["a", "b", "c", "b"])
    >>> found.redundant, found.excess
    (True, 0.0)
    """

    redundant: bool
    excess: float
    given: tuple[str, ...] = ()
    conditions: dict[str, float] = field(default_factory=dict, compare=False)
    _library: str | None = field(default=None, compare=False)

    def __bool__(self) -> bool:
        return self.redundant

    def _columns(self) -> dict[str, Any]:
        return {
            "condition": [*self.conditions],
            "value": np.array([*self.conditions.values()], dtype=np.float64),
        }

    def _title(self) -> str:
        return "Redundant variables" if self.redundant else "Variables that are not redundant"

    def _notes(self) -> list[str]:
        return [f"B: {', '.join(self.given)}"] if self.given else []

    def _draw(self, ax: Any) -> Any:
        columns = self._columns()
        return charts.bars(columns["value"], columns["condition"], "excess", ax)


def redundant(
    Xi: Any,
    Xj: Any,
    y: Any = None,
    *,
    given: Any = None,
    criterion: str = "entropy",
    tolerance: float = 1e-10,
    sample_weight: Any = None,
) -> Redundancy:
    """Test whether two variables carry the same information: in general, or about Y.

    Two variables are totally redundant (definition 7.1) if each determines the other. They are
    redundant with respect to Y if neither adds information about Y to the other, and both have the
    same information about Y, given any set of other variables (the conditions of Lemma 7.1).

    Parameters
    ----------
    Xi, Xj : array-like of shape (n_rows,)
        Two columns, taken as a distribution.
    y : array-like of shape (n_rows,) or None, default=None
        The output. None tests total redundancy.
    given : table of shape (n_rows, n_others) or None, default=None
        Other variables. The conditions are tested for every set B of them.
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity of Y.
    tolerance : float, default=1e-10
        Information of at most this share of i(Y) is taken as rounding error.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        The probability of each row, up to a factor.

    Returns
    -------
    redundancy : Redundancy
        An object that is true if the variables are redundant, with the terms of the conditions.

    Examples
    --------
    >>> from silvics.importance import redundant
    >>> bool(redundant([0, 1, 2, 1], ["a", "b", "c", "b"]))
    True
    >>> bool(redundant([0, 1, 2], [0, 1, 1]))
    False
    >>> bool(redundant([0, 1, 2], [0, 1, 1], y=["no", "yes", "yes"]))
    True
    """
    a, b = column_of(Xi, "Xi", "redundant"), column_of(Xj, "Xj", "redundant")
    one_of("criterion", criterion, list(CRITERIA))
    tolerance = checked_tolerance(tolerance)
    lengths = {len(a.levels), len(b.levels)}
    if len(lengths) > 1:
        raise ValueError(f"Xi and Xj have different numbers of rows: {sorted(lengths)}")
    if y is None:
        if given is not None:
            raise ValueError("given needs y: total redundancy does not depend on other variables.")
        weights = checked_weights(sample_weight, a.levels)
        pair = _entropy(a.levels.astype(np.int64) * b.n_levels + b.levels, weights)
        conditions = {
            "H(Xi | Xj)": max(pair - _entropy(b.levels, weights), 0.0),
            "H(Xj | Xi)": max(pair - _entropy(a.levels, weights), 0.0),
        }
        excess = max(conditions.values())
        return Redundancy(excess <= tolerance, excess, (), conditions, library_of(Xi))
    others = [] if given is None else variables_of(given, "redundant")
    if others and len(others[0].levels) not in lengths:
        raise ValueError(f"given has {len(others[0].levels)} rows, but Xi has {len(a.levels)}.")
    distribution = Distribution([a, b, *others], y, criterion, sample_weight)
    lattice = Lattice(distribution)
    _, with_i, with_j, both = lattice.impurities.reshape(-1, 4).T
    terms = {
        "I(Xi; Y | B, Xj)": with_j - both,
        "I(Xj; Y | B, Xi)": with_i - both,
        "|I(Xi; Y | B) - I(Xj; Y | B)|": np.abs(with_i - with_j),
    }
    failing = np.maximum.reduce([*terms.values()])
    worst = int(failing.argmax())
    return Redundancy(
        bool(failing[worst] <= distribution.negligible(tolerance)),
        max(float(failing[worst]), 0.0),
        set_of(worst, distribution.names[2:]),
        {name: max(float(of_sets[worst]), 0.0) for name, of_sets in terms.items()},
        library_of(given),
    )


def _entropy(levels: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the entropy in bits."""
    _, at = np.unique(levels, return_inverse=True)
    masses = np.bincount(at, weights)
    shares = masses[masses > 0] / masses.sum()
    return float(-(shares * np.log2(shares)).sum())


@dataclass(repr=False, eq=False)
class Copies(Result):
    """Importances as copies of one variable are added.

    ``to_frame()`` has one row for each number of ``copies``, and a column for each variable.
    ``plot()`` draws the importances over the number of copies, as in Figures 7.1 and 7.2.

    Attributes
    ----------
    names : ndarray of str objects
        The variables of the table.
    variable : str
        The copied variable.
    importances : ndarray of shape (n_copies + 1, n_variables)
        The importances with 0, 1, ... copies. Each copy has the importance of the original.

    See Also
    --------
    copies : Compute it.

    Examples
    --------
    >>> from silvics.importance import copies
    >>> found = copies([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], "x0", n_copies=1)
    >>> found.importances.round(3)
    array([[0.5  , 0.5  ],
           [0.167, 0.667]])
    """

    names: np.ndarray
    variable: str
    importances: np.ndarray
    _unit: str
    _library: str | None

    def _columns(self) -> dict[str, Any]:
        numbers = np.arange(len(self.importances))
        return wide("copies", numbers, self.names, self.importances)

    def _draw(self, ax: Any) -> Any:
        x = np.arange(len(self.importances))
        label = f"copies of {self.variable}"
        return charts.lines(x, self.importances, self.names, label, self._unit, ax)

    def _title(self) -> str:
        return f"Copies of {self.variable} ({self._unit})"

    def _shown_columns(self) -> dict[str, Any]:
        last = len(self.importances) - 1
        shown = {"variable": self.names, "0 copies": self.importances[0]}
        return shown if last == 0 else shown | {f"{last} copies": self.importances[last]}


def copies(
    X: Any,
    y: Any,
    variable: int | str,
    n_copies: int = 5,
    *,
    criterion: str = "entropy",
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Copies:
    """Compute the effect of copies of a variable (Propositions 7.2, 7.4 and 7.5).

    The importances are those of totally randomized multiway trees. They hold for all variables that
    are redundant with the given one with respect to Y (:func:`redundant`), and not only for copies.
    No tree is grown and no copy is made: the formulas use the information terms of the table.

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array, taken as the distribution; up to 24 variables.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    variable : int or str
        The number or the name of the copied variable.
    n_copies : int, default=5
        The largest number of copies.
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        The probability of each row, up to a factor.
    n_jobs : int or None, default=None
        The number of threads.

    Returns
    -------
    copies : Copies
        With ``importances`` and ``plot()``.

    Examples
    --------
    Y is the exclusive or of x0 and x1. Copies of x0 lower its importance and raise that of x1.

    >>> from silvics.importance import copies
    >>> found = copies([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], "x0", n_copies=2)
    >>> found.importances.round(4)
    array([[0.5   , 0.5   ],
           [0.1667, 0.6667],
           [0.0833, 0.75  ]])
    """
    distribution = distribution_of(X, y, criterion, sample_weight, "copies")
    p = distribution.n_variables
    c = place_of(distribution.names, variable)
    n_copies = number_of_repeats("n_copies", n_copies, 0)
    lattice = Lattice(distribution, n_jobs=threads(n_jobs))
    has_c = (np.arange(1 << p) >> c & 1).astype(bool)
    importances = np.zeros((n_copies + 1, p))
    weights = [term_weights(p + n, p) for n in range(n_copies + 1)]
    for j in range(p):
        if j == c:
            importances[:, j] = [w @ lattice.sums_by_size(j) for w in weights]
            continue
        known = lattice.without(j, has_c)
        apart = lattice.sums_by_size(j, ~known)
        joint = lattice.sums_by_size(j, known)[1:]  # by the number of other variables in the set
        # The weight of all sets of k others and at least one of c and its copies. It is the weight
        # of all sets with these k others, minus that of the sets without c and its copies. The
        # weight of a set of size s is the integral of x^s (1 - x)^(p - s - 1), which shows that
        # the first term is the weight in a table without c.
        at_least_one = [term_weights(p - 1) - w[: p - 1] for w in weights]
        importances[:, j] = [
            w @ apart + v @ joint for w, v in zip(weights, at_least_one, strict=True)
        ]
    return Copies(
        names=distribution.names,
        variable=str(distribution.names[c]),
        importances=importances,
        _unit=unit_of(criterion),
        _library=distribution.library,
    )
