"""Relevant and irrelevant variables (definitions 6.2 and 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from silvics import _core
from silvics._results.base import Result
from silvics.importance._checks import checked_tolerance, threads, whole_number
from silvics.importance.theory.distribution import Distribution, distribution_of
from silvics.importance.theory.lattice import MOST_VARIABLES, Lattice, numbers_of, set_of
from silvics.plots import charts

_MOST_TESTS = 20_000_000  # pairs of a variable and a set
_COLORS = {
    "strongly relevant": "tab:blue",
    "weakly relevant": "lightsteelblue",
    "irrelevant": "lightgray",
}


@dataclass(repr=False, eq=False)
class Relevance(Result):
    """The kind of relevance of each variable.

    ``to_frame()`` has one row for each variable: ``variable``, ``kind``, ``marginally``,
    ``witness`` (names joined by commas; empty if the variable is relevant alone or irrelevant) and
    ``information``.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    kind : list of str
        "irrelevant", "weakly relevant" or "strongly relevant", for each variable.
    relevant : ndarray of bool
        Whether I(X_j; Y | B) > 0 for a set B of other variables.
    marginally : ndarray of bool
        Whether I(X_j; Y) > 0.
    strongly : ndarray of bool
        Whether I(X_j; Y | V without j) > 0, given all other variables.
    weakly : ndarray of bool
        Whether the variable is relevant, but not strongly.
    witnesses : list of (tuple of str, or None)
        For each relevant variable the smallest such set B, and among several of that size the one
        with the largest information; None for an irrelevant variable.
    information : ndarray of float
        I(X_j; Y | B) for the witness B; 0 for an irrelevant variable.
    max_size : int
        The largest size of the sets B that were tried, besides the set of all others.

    See Also
    --------
    relevance : Compute it.

    Examples
    --------
    >>> from silvics.importance import relevance
    >>> found = relevance([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    >>> found.kind
    ['strongly relevant', 'irrelevant']
    """

    names: np.ndarray
    marginally: np.ndarray
    strongly: np.ndarray
    witnesses: list[tuple[str, ...] | None]
    information: np.ndarray
    max_size: int
    _library: str | None

    @property
    def relevant(self) -> np.ndarray:
        """Whether each variable has a witness."""
        return np.array([context is not None for context in self.witnesses])

    @property
    def weakly(self) -> np.ndarray:
        """Whether each variable is relevant, but not given all others."""
        return self.relevant & ~self.strongly

    @property
    def kind(self) -> list[str]:
        """The kind of relevance of each variable."""
        kinds = np.where(self.strongly, "strongly relevant", "weakly relevant")
        return np.where(self.relevant, kinds, "irrelevant").tolist()

    def _columns(self) -> dict[str, Any]:
        return {
            "variable": self.names.tolist(),
            "kind": self.kind,
            "marginally": self.marginally,
            "witness": [", ".join(context or ()) for context in self.witnesses],
            "information": self.information,
        }

    def _title(self) -> str:
        return "Relevance to Y"

    def _shown_columns(self) -> dict[str, Any]:
        columns = self._columns()
        given = {"given": columns["witness"]}
        return {name: columns[name] for name in ("variable", "kind", "information")} | given

    def _draw(self, ax: Any) -> Any:
        """Draw a bar for the information of each variable, colored by its kind."""
        colors = [_COLORS[kind] for kind in self.kind]
        label = "information given the witness"
        return charts.bars(self.information, self.names, label, ax, colors, _COLORS)


def relevance(
    X: Any,
    y: Any,
    *,
    criterion: str = "entropy",
    max_size: int | None = None,
    tolerance: float = 1e-10,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Relevance:
    """Find irrelevant, weakly, strongly and marginally relevant variables.

    Every set of other variables is tried. The table is taken as the distribution: in a sample,
    noise makes nearly every variable relevant (:func:`null_information`).

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array, taken as the distribution; up to 24 variables, or more with
        ``max_size``.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity. With "variance", a variable is relevant if it changes the mean of Y.
    max_size : int or None, default=None
        The largest size of the sets that are tried, besides the set of all others. Variables are
        then irrelevant given these sets. None tries all sets.
    tolerance : float, default=1e-10
        Information of at most this share of i(Y) is taken as rounding error.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        The probability of each row, up to a factor.
    n_jobs : int or None, default=None
        The number of threads.

    Returns
    -------
    relevance : Relevance
        With ``kind``, ``relevant``, ``marginally``, ``strongly``, ``weakly``, ``witnesses``.

    Examples
    --------
    Y is the exclusive or of x0 and x1; x2 is a copy of x1; x3 is independent of the others.

    >>> from itertools import product
    >>> from silvics.importance import relevance
    >>> X = [[a, b, b, c] for a, b, c in product([0, 1], repeat=3)]
    >>> relevance(X, [a ^ b for a, b, _, _ in X])
    Relevance to Y
      variable  kind               information  given
      x0        strongly relevant  1            x1
      x1        weakly relevant    1            x0
      x2        weakly relevant    1            x0
      x3        irrelevant         0
    """
    distribution = distribution_of(X, y, criterion, sample_weight, "relevance")
    p = distribution.n_variables
    largest = p - 1 if max_size is None else min(whole_number("max_size", max_size, 0), p - 1)
    least = distribution.negligible(checked_tolerance(tolerance))
    if p <= MOST_VARIABLES:
        tests = _of_lattice(distribution, largest, threads(n_jobs))
    else:
        tests = _of_nodes(distribution, largest, threads(n_jobs))
    of_last = distribution.information_of_last()
    witnesses: list[tuple[str, ...] | None] = []
    information = np.zeros(p)
    marginally = np.zeros(p, dtype=bool)
    for j, (sets, sizes, values) in enumerate(tests):
        marginally[j] = values[sizes == 0][0] > least
        found = np.flatnonzero(values > least)
        if found.size:
            small = found[sizes[found] == sizes[found].min()]
            best = small[values[small].argmax()]
            witnesses.append(set_of(sets[best], distribution.names))
            information[j] = values[best]
        elif of_last[j] > least:
            witnesses.append(tuple(str(n) for i, n in enumerate(distribution.names) if i != j))
            information[j] = of_last[j]
        else:
            witnesses.append(None)
    return Relevance(
        names=distribution.names,
        marginally=marginally,
        strongly=of_last > least,
        witnesses=witnesses,
        information=information,
        max_size=largest,
        _library=distribution.library,
    )


def _of_lattice(
    distribution: Distribution, largest: int, n_jobs: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the sets B, their sizes and I(X_j; Y | B), for each variable."""
    lattice = Lattice(distribution, largest + 1, n_jobs)
    numbers = np.arange(1 << lattice.n_variables)
    tests = []
    for j in range(lattice.n_variables):
        sizes = lattice.without(j, lattice.sizes)
        there = sizes <= largest
        sets = lattice.without(j, numbers)[there]
        tests.append((sets, sizes[there], lattice.information(j)[there]))
    return tests


def _of_nodes(
    distribution: Distribution, largest: int, n_jobs: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the same for many variables and small sets, from all trees of that depth."""
    p = distribution.n_variables
    n_tests = p * sum(comb(p - 1, k) for k in range(largest + 1))
    if n_tests > _MOST_TESTS:
        raise ValueError(
            f"X has {p} variables, and the sets of up to {largest} others are too many: "
            f"{n_tests:.2g} tests. Pass max_size, such as max_size={1 if p < 4000 else 0}, or "
            "select columns, for example the most important ones of asymptotic_importances."
        )
    trees = _core.RandomizedTrees()
    trees.depth = largest + 1
    found = _core.expected_importances(distribution.native(), trees, 2**63, n_jobs, None)
    if found is None:
        raise ValueError(f"X has too many rows for sets of {largest} variables: lower max_size.")
    sets = numbers_of(found["set"])
    sizes = np.bitwise_count(found["set"]).sum(axis=1)
    values = found["decrease"] / found["weight"] * distribution.unit
    places = [np.flatnonzero(found["variable"] == j) for j in range(p)]
    return [(sets[at], sizes[at], values[at]) for at in places]
