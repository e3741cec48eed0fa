"""Masking: the choice of the best of several variables hides the others (section 6.4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._fitting.parameters import seed_of
from silvics._frames import frame_of, wide
from silvics._results.base import Result
from silvics.importance._checks import checked_top, threads, whole_number
from silvics.importance._types import Progress
from silvics.importance.theory.distribution import distribution_of
from silvics.importance.theory.solver import ExactImportanceSolver, checked_settings
from silvics.plots import charts

_MOST_VARIABLES = 200


@dataclass(repr=False, eq=False)
class Masking(Result):
    """Importances as K grows, and the amount that each variable hides of each other.

    ``to_frame()`` has one row for each ``K``, and a column for each variable, as in Table 6.2.
    ``plot()`` draws the importances over K, as in Figure 6.2.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    importances : ndarray of shape (n_variables, n_variables)
        Importance of each variable (column) in multiway trees of each K = 1, 2, ... (row).
    standard_errors : ndarray of shape (n_variables, n_variables)
        Standard errors of ``importances``; zero if they are exact.
    hidden : ndarray of shape (n_variables, n_variables, n_variables)
        ``hidden[K - 1, j, i]`` is the amount that i hides of j: the decrease of impurity by j at
        nodes where j was drawn and i was taken instead, expected over trees and rows.
    exact : bool
        Whether no trees were sampled.

    See Also
    --------
    masking : Compute it.

    Examples
    --------
    >>> from silvics.importance import masking
    >>> found = masking([[0, 0], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1])
    >>> found.importances.round(3)
    array([[0.844, 0.156],
           [1.   , 0.   ]])
    """

    names: np.ndarray
    importances: np.ndarray
    standard_errors: np.ndarray
    hidden: np.ndarray
    exact: bool
    _unit: str
    _library: str | None

    def _columns(self) -> dict[str, Any]:
        return wide("K", np.arange(1, len(self.names) + 1), self.names, self.importances)

    def pairs(self, K: int | None = None, top: int | None = None) -> Any:
        """Return pairs of a variable and another that hides it.

        Parameters
        ----------
        K : int or None, default=None
            The number of variables that trees choose among; None is all variables.
        top : int or None, default=None
            The number of pairs; None returns all.

        Returns
        -------
        frame : data frame
            Sorted by decreasing amount: ``variable``, ``hidden_by`` and ``amount``.

        Examples
        --------
        >>> from silvics.importance import masking
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = masking([[a, b] for a, b in zip(y, [0, 0, 0, 1, 1, 1, 1, 1])], y)
        >>> found.pairs()[["variable", "hidden_by"]]
          variable hidden_by
        0       x1        x0
        """
        p = len(self.names)
        K = p if K is None else whole_number("K", K, 1, p, ", the number of variables")
        top = checked_top(top)
        amounts = self.hidden[K - 1]
        order = np.argsort(-amounts, axis=None, kind="stable")
        order = order[amounts.ravel()[order] > 0][:top]
        j, i = np.unravel_index(order, amounts.shape)
        columns = {
            "variable": self.names[j].tolist(),
            "hidden_by": self.names[i].tolist(),
            "amount": amounts[j, i],
        }
        return frame_of(columns, self._library)

    def _draw(self, ax: Any) -> Any:
        x = np.arange(1, len(self.names) + 1)
        return charts.lines(x, self.importances, self.names, "K", self._unit, ax)

    def _title(self) -> str:
        return f"Masking ({self._unit})"

    def _shown_columns(self) -> dict[str, Any]:
        first, last, hidden = self.importances[0], self.importances[-1], self.hidden[-1]
        order = np.argsort(-first, kind="stable")
        by = hidden.argmax(axis=1)
        is_hidden = hidden.max(axis=1) > 1e-9 * max(first.max(), 1e-300)
        shown = {"variable": self.names[order], "K=1": first[order]}
        if len(self.names) > 1:
            shown[f"K={len(self.names)}"] = last[order]
        return shown | {"hidden most by": np.where(is_hidden, self.names[by], "")[order]}


def masking(
    X: Any,
    y: Any,
    *,
    criterion: str = "entropy",
    sample_weight: Any = None,
    method: str = "auto",
    n_trees: int = 1000,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: Progress = None,
) -> Masking:
    """Compute the importances for K = 1, ..., p, and the amounts that variables hide.

    With K = 1 each variable is tested in every context, and none hides another. The more variables
    are drawn at a node, the more often the best of them is taken. The others are tested later, when
    less information is left. A variable that is nearly as informative as another can therefore have
    an importance of zero (section 6.4.3).

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array, taken as the distribution.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        The probability of each row, up to a factor.
    method : {"auto", "exact", "sampled"}, default="auto"
        As in :func:`asymptotic_importances`.
    n_trees : int, default=1000
        The number of trees for each K, if trees are sampled.
    n_jobs : int or None, default=None
        The number of threads. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the sampled trees.
    progress : callable or None, default=None
        Called with (done, total) after each K.

    Returns
    -------
    masking : Masking
        With ``importances``, ``hidden``, ``pairs()`` and ``plot()``.

    Examples
    --------
    x0 equals Y; x1 equals Y in seven of eight rows.

    >>> from silvics.importance import masking
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> masking([[a, b] for a, b in zip(y, [0, 0, 0, 1, 1, 1, 1, 1])], y)
    Masking (bits)
      variable  K=1     K=2  hidden most by
      x0        0.7256  1
      x1        0.2744  0    x0
    """
    distribution = distribution_of(X, y, criterion, sample_weight, "masking")
    p = distribution.n_variables
    if p > _MOST_VARIABLES:
        raise ValueError(
            f"X has {p:,} variables, but masking takes at most {_MOST_VARIABLES}. Select columns, "
            "for example the most important ones of asymptotic_importances."
        )
    seed = seed_of(random_state)
    found, hidden = [], []
    for K in range(1, p + 1):
        settings = checked_settings(
            p,
            criterion=criterion,
            K=K,
            depth=None,
            subspace=None,
            splits="multiway",
            constant_features="count",
            method=method,
            n_trees=n_trees,
        )
        solver = ExactImportanceSolver(distribution, settings, threads(n_jobs), seed, None)
        solver.wants_hidden = K > 1
        result = solver.importances()
        found.append(result)
        hidden.append(np.zeros((p, p)) if solver.hidden is None else solver.hidden)
        if not result.exact:
            method = "sampled"  # a warning has been given
        if progress is not None:
            progress(K, p)
    return Masking(
        names=distribution.names,
        importances=np.array([result.importances for result in found]),
        standard_errors=np.array([result.standard_errors for result in found]),
        hidden=np.array(hidden),
        exact=all(result.exact for result in found),
        _unit=found[0]._unit,
        _library=distribution.library,
    )
