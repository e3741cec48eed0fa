"""Masking in forests on real data: importances as more variables compete at each node (7.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics._frames import frame_of, library_of, wide
from silvics.importance._checks import whole_number
from silvics.importance._types import Progress
from silvics.importance.forest.refitting import SEEDS, ForestRefitter
from silvics.plots import charts

_MOST_FOR_PAIRS = 200  # variables, of which it is told what stands for them
_ALIKE = 0.5  # likeness from which on a variable is said to stand for another


@dataclass(repr=False, eq=False)
class ForestMasking:
    """Importances in forests of several K, and which variables stand for which.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    K : ndarray of int
        How many variables were drawn at a node (``max_features``).
    importances : ndarray of shape (n_K, n_variables)
        In the forests of each K.
    standard_errors : ndarray of shape (n_K, n_variables)
        Of those.
    lost : ndarray of shape (n_variables,)
        What part of the importance at the smallest K is gone at the largest; negative where it has
        grown.
    stands_for : ndarray of str objects
        For each variable the one whose splits are most like its own, in the forest of the smallest
        K; "" where none is like it, or more than 200 variables were asked about.
    likeness : ndarray of shape (n_variables,)
        How much: 1 as a copy is, 0 not at all.

    See Also
    --------
    forest_masking : makes it.
    masking : the same for trees on tables of few values, exact.
    """

    names: np.ndarray
    K: np.ndarray
    importances: np.ndarray
    standard_errors: np.ndarray
    stands_for: np.ndarray
    likeness: np.ndarray
    _unit: str
    _library: str | None

    @property
    def lost(self) -> np.ndarray:
        """Parts of the importances at the smallest K."""
        first, last = self.importances[0], self.importances[-1]
        return np.divide(first - last, first, out=np.zeros_like(first), where=first > 0)

    def to_frame(self) -> Any:
        """The importances as a data frame.

        Returns
        -------
        frame : data frame
            ``K``, and a column for each variable, as in Table 6.2.
        """
        return frame_of(wide("K", self.K, self.names, self.importances), self._library)

    def plot(self, top: int | None = 10, ax: Any = None) -> Any:
        """The importances over K, as in Figure 6.2.

        Parameters
        ----------
        top : int or None, default=10
            How many variables, those of the largest importance at any K; None: all.
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        order = np.argsort(-self.importances.max(axis=0), kind="stable")[:top]
        shown = self.importances[:, order]
        return charts.lines(self.K, shown, self.names[order], "K", self._unit, ax)

    def __repr__(self) -> str:
        first, last = self.importances[0], self.importances[-1]
        lines = [f"ForestMasking ({self._unit}): importance at K={self.K[0]}, at K={self.K[-1]}"]
        order = np.argsort(-np.maximum(first, last), kind="stable")[:20]
        width = max((len(str(self.names[j])) for j in order), default=0)
        for j in order:
            line = f"  {self.names[j]!s:<{width}} {first[j]:.4g} {last[j]:.4g}"
            if self.lost[j] > 0.5:
                line += f"  {min(self.lost[j], 1):.0%} of it is hidden"
            if self.likeness[j] > _ALIKE:
                line += f"  {self.stands_for[j]} splits alike ({self.likeness[j]:.2f})"
            lines.append(line)
        if len(self.names) > 20:
            lines.append(f"  ... and {len(self.names) - 20} more")
        return "\n".join(lines)


def forest_masking(
    forest: Any,
    X: Any,
    y: Any,
    *,
    K: Any = None,
    kind: str = "mdi",
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> ForestMasking:
    """Importances in forests of several K, on any table.

    The more variables are drawn at a node, the more often the best of them is taken, and those that
    tell nearly the same wait, until they have nothing left to say (section 7.2.1). A variable whose
    importance falls as K grows is hidden by others; it is not useless.

    Parameters
    ----------
    forest : estimator
        A forest, fitted or not. Forests like it are grown, with ``max_features`` set to each K; it
        is not changed.
    X : table of shape (n_rows, n_variables)
        Any data frame, array or sparse matrix.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        The output.
    K : sequence of int or None, default=None
        How many variables are drawn; None: 1, 2, 4, ... and all.
    kind : str, default="mdi"
        Of the importances, as in ``forest.importances(kind)``.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        As for ``fit``.
    random_state : int, RandomState or None, default=None
        Seed of the forests.
    n_jobs : int or None, default=None
        Threads; None is the forest's ``n_jobs``. The result is the same for any number.
    progress : callable or None, default=None
        Called with (done, total) after each forest.

    Returns
    -------
    masking : ForestMasking
        With ``importances``, ``lost``, ``stands_for``, ``to_frame()`` and ``plot()``.

    Examples
    --------
    x1 is x0 with some noise: alone it would tell nearly as much.

    >>> import numpy as np
    >>> from silvics import RandomForestRegressor
    >>> from silvics.importance import forest_masking
    >>> rng = np.random.default_rng(0)
    >>> x0 = rng.normal(size=500)
    >>> X = np.column_stack([x0, x0 + 0.1 * rng.normal(size=500)])
    >>> found = forest_masking(RandomForestRegressor(50), X, x0, random_state=0)
    >>> found.lost.round(1).tolist(), found.stands_for.tolist()
    ([-0.8, 0.9], ['x1', 'x0'])
    """
    grow = ForestRefitter(forest, X, y, sample_weight, n_jobs, progress)
    p = grow.table.shape[1]
    drawn = np.array(_default_grid(p) if K is None else _checked_grid(K, p))
    pairs = p <= _MOST_FOR_PAIRS
    grow.total = len(drawn) + pairs
    seed = int(check_random_state(random_state).randint(SEEDS))
    found = [grow.importances(kind, seed, parameters={"max_features": int(k)}) for k in drawn]
    likeness, stands_for = np.zeros(p), np.full(p, "", dtype=object)
    if pairs and p > 1:
        smallest = {"max_features": int(drawn[0])}
        mimicry = grow.importances("surrogate", seed, parameters=smallest)._mimicry
        assert mimicry is not None
        np.fill_diagonal(mimicry, 0.0)
        likeness = mimicry.max(axis=1)
        other = mimicry.argmax(axis=1)
        stands_for = np.where(likeness > 0, found[0].names[other], "")
    return ForestMasking(
        names=found[0].names,
        K=drawn,
        importances=np.array([of.values for of in found]),
        standard_errors=np.array([of.standard_errors for of in found]),
        stands_for=stands_for,
        likeness=likeness,
        _unit=found[0]._unit,
        _library=library_of(X),
    )


def _default_grid(p: int) -> list[int]:
    return sorted({p, *(2**i for i in range(p.bit_length()))})


def _checked_grid(K: Any, p: int) -> list[int]:
    numbers = [whole_number("K", k, 1, p, ", the number of variables") for k in np.ravel(K)]
    if not numbers:
        raise ValueError("K has no number: give some, or None.")
    return sorted(set(numbers))
