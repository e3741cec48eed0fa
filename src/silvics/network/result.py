"""A network: the importance of each regulator for each target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._frames import frame_of
from silvics._results.base import Result
from silvics._results.table import Table, table_of
from silvics.importance._checks import checked_top
from silvics.network.accuracy import NetworkAccuracy, accuracy_of
from silvics.network.gold_standard import known_edges
from silvics.plots import charts
from silvics.plots.display import Display

_SHOWN = 15  # edges in the text form


@dataclass(repr=False, eq=False)
class Network(Result):
    """A directed network, whose edges are weighted by importances.

    ``to_frame()`` has one row for each pair of a regulator and another variable as its target, the
    largest importance first: ``regulator``, ``target``, ``importance``.

    Attributes
    ----------
    regulators : ndarray of str objects
        Names of the regulators.
    targets : ndarray of str objects
        Names of the targets.
    importances : ndarray of shape (n_regulators, n_targets)
        Mean decrease of impurity of each regulator for each target, divided by the variance of the
        target. It is zero for a variable and itself.
    recipe : str
        The algorithm that has grown the forests.
    n_estimators : int
        Number of trees for each target.
    interrupted : bool
        Whether Ctrl-C has ended the work, so that some targets are missing.

    See Also
    --------
    genie3 : Compute it.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics.network import genie3
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> genie3(X, regulators=[0, 1], n_estimators=10, random_state=0).importances.shape
    (2, 5)
    """

    regulators: np.ndarray
    targets: np.ndarray
    importances: np.ndarray
    recipe: str
    n_estimators: int
    interrupted: bool
    _own: np.ndarray  # the regulator that each target is, or -1
    _library: str | None = None

    def edges(self, top: int | None = None) -> Any:
        """Return the edges of the largest importance as a data frame.

        Parameters
        ----------
        top : int or None, default=None
            The number of edges; None returns all, as ``to_frame()`` does.

        Returns
        -------
        frame : data frame
            The first rows of ``to_frame()``. They are found without sorting all edges.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.network import genie3
        >>> X = np.random.default_rng(0).normal(size=(60, 5))
        >>> genie3(X, n_estimators=10, random_state=0).edges(top=3).shape
        (3, 3)
        """
        return frame_of(self._ranked(checked_top(top)), self._library)

    def plot(self, ax: Any = None, *, top: int = 50) -> Display:
        """Draw the edges of the largest importance as arrows between variables on a circle.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        top : int, default=50
            The number of edges.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.network import genie3
        >>> X = np.random.default_rng(0).normal(size=(60, 5))
        >>> network = genie3(X, n_estimators=10, random_state=0)
        >>> network.plot(top=4).ax_.get_title()
        '4 edges of the largest importance'
        """
        return Display(self._draw(ax, checked_top(top)))

    def accuracy(self, gold_standard: Any) -> NetworkAccuracy:
        """Compare the ranking of the edges with a known network.

        Parameters
        ----------
        gold_standard : data frame, array or list of pairs
            The known edges, one row for each: regulator and target, by the names of the network.
            With a third column, of zeros and ones, the rows are pairs with and without an edge, and
            other pairs are not compared. Without it, all other pairs have no edge. Edges between
            variables that the network does not have are left out, with a warning.

        Returns
        -------
        accuracy : NetworkAccuracy
            The areas under the precision-recall curve and the ROC curve.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics.network import genie3
        >>> random = np.random.default_rng(0)
        >>> X = random.normal(size=(80, 4))
        >>> X[:, 3] = X[:, 0] + 0.1 * random.normal(size=80)
        >>> network = genie3(X, n_estimators=50, random_state=0)
        >>> network.accuracy([("x0", "x3"), ("x3", "x0")]).aupr
        1.0
        """
        truth, compared = known_edges(
            gold_standard, self.regulators, self.targets, self._possible()
        )
        return accuracy_of(truth[compared], self.importances[compared], self._library)

    def _possible(self) -> np.ndarray:
        """Return which pairs may be edges: not those of a variable and itself."""
        possible = np.ones(self.importances.shape, dtype=bool)
        of_targets = np.flatnonzero(self._own >= 0)
        possible[self._own[of_targets], of_targets] = False
        return possible

    def _ranked(self, top: int | None) -> dict[str, Any]:
        possible = np.flatnonzero(self._possible())
        values = self.importances.ravel()[possible]
        if top is not None and 0 < 8 * top < len(values):  # sort only what may be shown
            smallest = np.partition(values, len(values) - top)[len(values) - top]
            kept = values >= smallest
            possible, values = possible[kept], values[kept]
        order = np.argsort(-values, kind="stable")[:top]
        i, j = np.unravel_index(possible[order], self.importances.shape)
        return {
            "regulator": self.regulators[i].tolist(),
            "target": self.targets[j].tolist(),
            "importance": values[order],
        }

    def _columns(self) -> dict[str, Any]:
        return self._ranked(None)

    def _draw(self, ax: Any, top: int | None = 50) -> Any:
        edges = self._ranked(top)
        return charts.arrows(edges["regulator"], edges["target"], edges["importance"], ax)

    def _title(self) -> str:
        n, m = self.importances.shape
        return f"Network of {n:,} regulators and {m:,} targets ({self.recipe})"

    def _notes(self) -> list[str]:
        notes = [f"mean decrease of impurity in {self.n_estimators:,} trees, part of the variance"]
        return notes + ["interrupted: some targets are missing"] * self.interrupted

    def _tables(self) -> list[Table]:
        n_hidden = int(self._possible().sum()) - _SHOWN
        shown = table_of(self._ranked(_SHOWN))
        notes = [f"... and {n_hidden:,} more edges"] if n_hidden > 0 else []
        return [Table(shown.rows, header=shown.header, notes=notes)]
