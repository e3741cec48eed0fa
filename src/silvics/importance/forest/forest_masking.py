"""Masking in forests on real data: importances as K grows (section 7.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics._frames import library_of, wide
from silvics._results.base import Result
from silvics.importance._checks import checked_top, whole_number
from silvics.importance._docs import REFITTING, with_paragraphs
from silvics.importance._types import Progress
from silvics.importance.forest.refitting import SEEDS, ForestRefitter
from silvics.plots import charts
from silvics.plots.display import Display

_MOST_FOR_PAIRS = 200  # variables for which similar variables are computed
_ALIKE = 0.5  # likeness above which a similar variable is printed


@dataclass(repr=False, eq=False)
class ForestMasking(Result):
    """Importances in forests of several K, and variables with similar splits.

    ``to_frame()`` has one row for each ``K``, and a column for each variable, as in Table 6.2.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    K : ndarray of int
        The numbers of variables drawn at a node (``max_features``).
    importances : ndarray of shape (n_K, n_variables)
        The importances in the forest of each K.
    standard_errors : ndarray of shape (n_K, n_variables)
        Standard errors of ``importances``.
    lost : ndarray of shape (n_variables,)
        The share of the importance at the smallest K that is lost at the largest K; negative if
        the importance has grown.
    stands_for : ndarray of str objects
        For each variable the one with the most similar splits in the forest of the smallest K; ""
        if there is none, or if X has more than 200 variables.
    likeness : ndarray of shape (n_variables,)
        The similarity of the splits: 1 for a copy, 0 for no similarity.

    See Also
    --------
    forest_masking : Compute it.
    masking : The exact importances for tables of few values.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import RandomForestRegressor
    >>> from silvics.importance import forest_masking
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> found = forest_masking(RandomForestRegressor(10), X, X[:, 0], random_state=0)
    >>> found.importances.shape
    (2, 2)
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
        """The share of the importances at the smallest K that is lost."""
        first, last = self.importances[0], self.importances[-1]
        return np.divide(first - last, first, out=np.zeros_like(first), where=first > 0)

    def _columns(self) -> dict[str, Any]:
        return wide("K", self.K, self.names, self.importances)

    def plot(self, ax: Any = None, *, top: int | None = 10) -> Display:
        """Draw the importances over K, as in Figure 6.2.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        top : int or None, default=10
            The number of variables, those of the largest importance at any K; None draws all.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestRegressor
        >>> from silvics.importance import forest_masking
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> found = forest_masking(RandomForestRegressor(10), X, X[:, 0], random_state=0)
        >>> display = found.plot()
        >>> display.ax_.get_xlabel()
        'K'
        """
        return Display(self._draw(ax, checked_top(top)))

    def _draw(self, ax: Any, top: int | None = 10) -> Any:
        order = np.argsort(-self.importances.max(axis=0), kind="stable")[:top]
        shown = self.importances[:, order]
        return charts.lines(self.K, shown, self.names[order], "K", self._unit, ax)

    def _title(self) -> str:
        return f"ForestMasking ({self._unit})"

    def _shown_columns(self) -> dict[str, Any]:
        first, last = self.importances[0], self.importances[-1]
        order = np.argsort(-np.maximum(first, last), kind="stable")
        alike = self.likeness > _ALIKE
        shown = {
            "variable": self.names,
            f"K={self.K[0]}": first,
            f"K={self.K[-1]}": last,
            "lost": np.array([f"{share:.0%}" for share in self.lost]),
            "similar splits": np.where(alike, self.stands_for, ""),
            "likeness": np.where(alike, self.likeness, np.nan),
        }
        return {name: column[order] for name, column in shown.items()}


@with_paragraphs(REFITTING)
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
    """Compute the importances in forests of several K, on any table.

    The more variables are drawn at a node, the more often the best of them is taken. Variables with
    nearly the same information are tested later, when less of it is left (section 7.2.1). A
    variable whose importance falls as K grows is hidden by others; it is not useless.

    Parameters
    ----------
    <table>
    K : sequence of int or None, default=None
        The values of ``max_features``. None is 1, 2, 4, ... and all.
    kind : str, default="mdi"
        The kind of importance, as in ``forest.importances(kind)``.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows, as in ``fit``.
    <seeds>

    Returns
    -------
    masking : ForestMasking
        With ``importances``, ``lost``, ``stands_for``, ``to_frame()`` and ``plot()``.

    Examples
    --------
    x1 is x0 with some noise.

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
        raise ValueError("K is empty: pass at least one number, or None.")
    return sorted(set(numbers))
