"""Redundant variables, and what copies do to importances (section 7.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._fitting.targets import checked_weights
from silvics._frames import frame_of, wide
from silvics._names import one_of
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


@dataclass(frozen=True)
class Redundancy:
    """Whether two variables are redundant; it is true if they are.

    Attributes
    ----------
    redundant : bool
        The answer.
    excess : float
        By how much the conditions fail: the largest of the terms that must be zero. Without y
        these are H(X_i | X_j) and H(X_j | X_i), in bits.
    given : tuple of str
        With y, the set B of other variables for which that is so.
    """

    redundant: bool
    excess: float
    given: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.redundant


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
    """Tell whether two variables say the same: of everything, or of Y.

    Totally redundant (definition 7.1) are variables of which each tells the other. With respect to
    Y, it is enough that neither adds anything on Y to the other, and that both tell the same of it,
    whatever else is known (the conditions of Lemma 7.1).

    Parameters
    ----------
    Xi, Xj : array-like of shape (n_rows,)
        Two columns, taken as a distribution.
    y : array-like of shape (n_rows,) or None, default=None
        The output; None: total redundancy.
    given : table of shape (n_rows, n_others) or None, default=None
        Other variables: the conditions are asked for every set B of them. None: only for none.
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity of Y.
    tolerance : float, default=1e-10
        Information above this part of i(Y) is not taken for rounding.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        How probable each row is, in any unit.

    Returns
    -------
    redundancy : Redundancy
        True or false, with the amount and the place of what fails.

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
            raise ValueError("given= is of use only with y: total redundancy needs no others.")
        weights = checked_weights(sample_weight, a.levels)
        pair = _entropy(a.levels.astype(np.int64) * b.n_levels + b.levels, weights)
        excess = max(pair - _entropy(a.levels, weights), pair - _entropy(b.levels, weights), 0.0)
        return Redundancy(excess <= tolerance, excess)
    others = [] if given is None else variables_of(given, "redundant")
    if others and len(others[0].levels) not in lengths:
        raise ValueError(
            f"given has {len(others[0].levels)} rows, and Xi has {len(a.levels)}: they must agree."
        )
    distribution = Distribution([a, b, *others], y, criterion, sample_weight)
    lattice = Lattice(distribution)
    _, with_i, with_j, both = lattice.impurities.reshape(-1, 4).T
    # Neither adds to the other; then they also tell the same.
    failing = np.maximum(np.maximum(with_j - both, with_i - both), np.abs(with_i - with_j))
    worst = int(failing.argmax())
    return Redundancy(
        bool(failing[worst] <= distribution.negligible(tolerance)),
        max(float(failing[worst]), 0.0),
        set_of(worst, distribution.names[2:]),
    )


def _entropy(levels: np.ndarray, weights: np.ndarray | None) -> float:
    """In bits."""
    _, at = np.unique(levels, return_inverse=True)
    masses = np.bincount(at, weights)
    shares = masses[masses > 0] / masses.sum()
    return float(-(shares * np.log2(shares)).sum())


@dataclass(repr=False, eq=False)
class Copies:
    """Importances as copies of one variable are added.

    Attributes
    ----------
    names : ndarray of str objects
        The variables that were there before.
    variable : str
        The one that is copied.
    importances : ndarray of shape (n_copies + 1, n_variables)
        Of each variable, with 0, 1, ... copies. Each copy has the importance of the original.

    See Also
    --------
    copies : makes it.
    """

    names: np.ndarray
    variable: str
    importances: np.ndarray
    _unit: str
    _library: str | None

    def to_frame(self) -> Any:
        """The importances as a data frame.

        Returns
        -------
        frame : data frame
            ``copies``, and a column for each variable.
        """
        numbers = np.arange(len(self.importances))
        return frame_of(wide("copies", numbers, self.names, self.importances), self._library)

    def plot(self, ax: Any = None) -> Any:
        """The importances over the number of copies, as in Figures 7.1 and 7.2.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        x = np.arange(len(self.importances))
        label = f"copies of {self.variable}"
        return charts.lines(x, self.importances, self.names, label, self._unit, ax)

    def __repr__(self) -> str:
        last = len(self.importances) - 1
        width = max(len(str(name)) for name in self.names)
        lines = [f"Copies of {self.variable} ({self._unit}): importance with 0, with {last}"]
        for j, name in enumerate(self.names[:40]):
            first, then = self.importances[0, j], self.importances[-1, j]
            lines.append(f"  {name!s:<{width}} {first:.4g} {then:.4g}")
        if len(self.names) > 40:
            lines.append(f"  ... and {len(self.names) - 40} more")
        return "\n".join(lines)


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
    """What copies of a variable do to the importances (Propositions 7.2, 7.4 and 7.5).

    For totally randomized multiway trees, and for any variables that are redundant with the given
    one with respect to Y (:func:`redundant`), not only copies. No tree is grown, and no copy is
    made: the formulas need only the information terms of the table as it is.

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array, taken as the distribution; up to 24 variables.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    variable : int or str
        The variable that is copied, by its place or its name.
    n_copies : int, default=5
        The largest number of copies.
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        How probable each row is, in any unit.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    copies : Copies
        With ``importances`` and ``plot()``.

    Examples
    --------
    Y is the exclusive or: the more copies of x0 there are, the less each is worth, and the more x1.

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
        joint = lattice.sums_by_size(j, known)[1:]  # by the size of what is known besides
        # One or more of c and its copies, and k others: the weights of all such sets, that is of
        # those that hold any of them less those that hold none. With x^s (1 - x)^(p - s - 1)
        # integrated for the weight of a set of size s, the former is as if c were not there.
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
