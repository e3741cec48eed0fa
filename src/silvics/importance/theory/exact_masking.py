"""Masking: how a variable hides another once the best of several is chosen (section 6.4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._fitting.parameters import seed_of
from silvics._frames import frame_of, wide
from silvics.importance._checks import checked_top, threads, whole_number
from silvics.importance._types import Progress
from silvics.importance.theory.distribution import distribution_of
from silvics.importance.theory.solver import ExactImportanceSolver, checked_settings
from silvics.plots import charts

_MOST_VARIABLES = 200


@dataclass(repr=False, eq=False)
class Masking:
    """Importances as K grows, and which variable takes them from which.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    importances : ndarray of shape (n_variables, n_variables)
        Importance of each variable (column) in multiway trees of each K = 1, 2, ... (row).
    standard_errors : ndarray of shape (n_variables, n_variables)
        Of those; zero where they are exact.
    hidden : ndarray of shape (n_variables, n_variables, n_variables)
        ``hidden[K - 1, j, i]``: what j, drawn at a node, would have lowered the impurity by, where
        i was taken instead; expected over trees and rows. What i hides of j.
    exact : bool
        Whether nothing was sampled.

    See Also
    --------
    masking : makes it.
    """

    names: np.ndarray
    importances: np.ndarray
    standard_errors: np.ndarray
    hidden: np.ndarray
    exact: bool
    _unit: str
    _library: str | None

    def to_frame(self) -> Any:
        """The importances as a data frame.

        Returns
        -------
        frame : data frame
            ``K``, and a column for each variable, as in Table 6.2.
        """
        numbers = np.arange(1, len(self.names) + 1)
        return frame_of(wide("K", numbers, self.names, self.importances), self._library)

    def pairs(self, K: int | None = None, top: int | None = None) -> Any:
        """Which variable hides which.

        Parameters
        ----------
        K : int or None, default=None
            Of trees that choose among K; None: among all.
        top : int or None, default=None
            Only so many pairs; None: all.

        Returns
        -------
        frame : data frame
            By falling amount: ``variable``, ``hidden_by``, ``amount``.
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

    def plot(self, ax: Any = None) -> Any:
        """The importances over K, as in Figure 6.2.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        x = np.arange(1, len(self.names) + 1)
        return charts.lines(x, self.importances, self.names, "K", self._unit, ax)

    def __repr__(self) -> str:
        first, last = self.importances[0], self.importances[-1]
        width = max(len(str(name)) for name in self.names)
        lines = [f"Masking ({self._unit}): importance at K=1, at K={len(self.names)}"]
        for j in np.argsort(-first, kind="stable")[:20]:
            line = f"  {self.names[j]!s:<{width}} {first[j]:.4g} {last[j]:.4g}"
            i = int(self.hidden[-1, j].argmax())
            if self.hidden[-1, j, i] > 1e-9 * max(first.max(), 1e-300):
                line += f"  hidden most by {self.names[i]}"
            lines.append(line)
        if len(first) > 20:
            lines.append(f"  ... and {len(first) - 20} more")
        return "\n".join(lines)


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
    """Importances for K = 1, ..., p, and which variable hides which.

    With K = 1 each variable is met in every context, and none hides another. The more variables
    are drawn at a node, the more often the best of them is taken and the others wait, until they
    have nothing left to say: a variable that tells nearly as much as another can end with nothing
    at all (section 6.4.3).

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Any data frame or array, taken as the distribution.
    y : array-like of shape (n_rows,)
        Classes; numbers for the criterion "variance".
    criterion : {"entropy", "gini", "variance"}, default="entropy"
        The impurity.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        How probable each row is, in any unit.
    method : {"auto", "exact", "sampled"}, default="auto"
        As in :func:`asymptotic_importances`.
    n_trees : int, default=1000
        How many trees are sampled for each K, where they are.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.
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
    x0 is Y; x1 is Y but for one row in eight.

    >>> from silvics.importance import masking
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> masking([[a, b] for a, b in zip(y, [0, 0, 0, 1, 1, 1, 1, 1])], y)
    Masking (bits): importance at K=1, at K=2
      x0 0.7256 1
      x1 0.2744 0  hidden most by x0
    """
    distribution = distribution_of(X, y, criterion, sample_weight, "masking")
    p = distribution.n_variables
    if p > _MOST_VARIABLES:
        raise ValueError(
            f"X has {p:,} variables, and which hides which is told of {_MOST_VARIABLES} at most. "
            "Choose columns, for example the most important ones of asymptotic_importances."
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
            method = "sampled"  # and has been warned of
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
