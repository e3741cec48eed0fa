"""The importances of randomized trees on a known distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics._frames import frame_of
from silvics._names import one_of
from silvics._results.base import Result
from silvics.importance._checks import checked_top
from silvics.importance.context_frame import frame_of_contexts
from silvics.importance.theory.lattice import set_of
from silvics.importance.variables import unit_of
from silvics.plots import charts
from silvics.plots.display import Display

_MOST_CONTEXTS = 2_000_000  # rows of a frame without top=


@dataclass(repr=False, eq=False)
class AsymptoticImportances(Result):
    """Importances of infinitely many randomized trees on a known distribution.

    ``to_frame()`` has one row for each variable: ``variable``, ``importance`` and
    ``standard_error``.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    importances : ndarray of shape (n_variables,)
        Mean decrease of impurity by each variable, in the units of the criterion: bits for
        entropy.
    by_degree : ndarray of shape (n_variables, n_variables)
        The importances by degree, the number of other variables tested above. Rows add up to
        ``importances``.
    standard_errors : ndarray of shape (n_variables,)
        Standard errors of ``importances``; zero if ``exact``.
    exact : bool
        Whether the values are the expectation over all trees, and not a mean over ``n_trees``.
    n_trees : int
        The number of sampled trees; 0 if the values are exact.
    impurity : float
        The impurity of Y, i(Y).
    total : float
        Sum of the importances. For fully grown trees of any kind, it is the information that all
        variables together have about Y: I(X_1, ..., X_p; Y) (Theorem 6.2).
    settings : dict
        The parameters of the computation.

    See Also
    --------
    asymptotic_importances : Compute them.

    Examples
    --------
    >>> from silvics.importance import asymptotic_importances
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> found = asymptotic_importances(X, y)
    >>> found.importances, found.total, found.exact
    (array([0.5, 0.5]), 1.0, True)
    """

    names: np.ndarray
    by_degree: np.ndarray
    impurity: float
    settings: dict[str, Any]
    standard_errors: np.ndarray
    n_trees: int = 0
    _library: str | None = None
    _contexts: Any = None
    _cuts: list[np.ndarray] = field(default_factory=list)
    _thresholds: list[np.ndarray] = field(default_factory=list)
    _labels: list[list[str]] = field(default_factory=list)

    @property
    def importances(self) -> np.ndarray:
        """The importance of each variable."""
        return self.by_degree.sum(axis=1)

    @property
    def total(self) -> float:
        """Sum of the importances."""
        return float(self.by_degree.sum())

    @property
    def exact(self) -> bool:
        """Whether no trees were sampled."""
        return self.n_trees == 0

    def _columns(self) -> dict[str, Any]:
        return {
            "variable": self.names.tolist(),
            "importance": self.importances,
            "standard_error": self.standard_errors,
        }

    def by_context(self, top: int | None = None) -> Any:
        """Decompose the importances by the set of variables that were tested above.

        Parameters
        ----------
        top : int or None, default=None
            The number of rows, those of the largest importance; None returns all.

        Returns
        -------
        frame : data frame
            Sorted by decreasing importance: ``variable``; ``given``, the names of exactly the
            variables tested above; ``degree``, their number; ``weight``, the probability that a row
            reaches a test of the variable there; ``information``, the mean decrease of impurity by
            such tests (for totally randomized multiway trees, I(X_j; Y | B)); ``importance``, the
            product of ``weight`` and ``information``. For sampled trees, the frame contains only
            sets of up to three variables.

        Examples
        --------
        >>> from silvics.importance import asymptotic_importances
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> found = asymptotic_importances(X, y)
        >>> found.by_context()[["variable", "given", "information"]]
          variable  given  information
        0       x0  (x1,)          1.0
        1       x1  (x0,)          1.0
        2       x0     ()          0.0
        3       x1     ()          0.0
        """
        top = checked_top(top)
        if top is None and (n := self._contexts.n_rows()) > _MOST_CONTEXTS:
            raise ValueError(
                f"There are {n:,} pairs of a variable and a set: pass top=, for example top=100, "
                "to get those of the largest importance."
            )
        variable, sets, degree, weight, importance = self._contexts.rows(top)
        order = np.lexsort((degree, -importance))[:top]
        given = [set_of(bits, self.names) for bits in sets[order]]
        variables = self.names[variable[order]].tolist()
        return frame_of_contexts(variables, given, weight[order], importance[order], self._library)

    def by_cut(self) -> Any:
        """Decompose the importances of binary trees by cut.

        Returns
        -------
        frame : data frame
            ``variable``; ``at_most``, the largest value or level on the left; ``threshold``, the
            middle between it and the next value (for categories, between the numbers of the
            levels); ``importance``, the importance of the binary variable "at most the threshold".
            The cuts of a variable add up to its importance (box "Encoding L-ary variables into
            binary variables").

        Examples
        --------
        >>> from silvics.importance import asymptotic_importances
        >>> found = asymptotic_importances([[0], [1], [2], [3]], [0, 0, 1, 1], splits="best")
        >>> found.by_cut()
          variable at_most  threshold  importance
        0       x0       0        0.5         0.0
        1       x0       1        1.5         1.0
        2       x0       2        2.5         0.0
        """
        if not self._cuts:
            raise ValueError(
                "Multiway trees have no cuts: by_cut() needs splits of 'extra', 'best' or "
                f"'encoded', not {self.settings['splits']!r}."
            )
        columns = {
            "variable": np.repeat(self.names, [len(of) for of in self._cuts]).tolist(),
            "at_most": [label for of in self._labels for label in of[:-1]],
            "threshold": np.concatenate(self._thresholds),
            "importance": np.concatenate(self._cuts),
        }
        return frame_of(columns, self._library)

    def plot(self, ax: Any = None, *, kind: str = "degrees") -> Display:
        """Draw the importances.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        kind : {"degrees", "importances"}, default="degrees"
            "degrees" draws a square for each variable and degree, as in Figure 6.3. "importances"
            draws a bar for each variable, stacked by degree.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from silvics.importance import asymptotic_importances
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> found = asymptotic_importances(X, y)
        >>> display = found.plot(kind="importances")
        >>> display.ax_.get_xlabel()
        'importance (bits)'
        """
        return Display(self._draw(ax, kind))

    def _draw(self, ax: Any, kind: str = "degrees") -> Any:
        one_of("kind", kind, ["degrees", "importances"])
        if kind == "degrees":
            return charts.degrees(self.by_degree, self.names, self._unit, ax)
        return charts.stacked(self.by_degree, self.names, self.standard_errors, self._unit, ax)

    @property
    def _unit(self) -> str:
        return unit_of(self.settings["criterion"])

    def _title(self) -> str:
        s = self.settings
        kind = f"{s['splits']} trees, K={s['K']}"
        kind += "".join(f", {n}={s[n]}" for n in ("depth", "subspace") if s[n] is not None)
        how = "exact" if self.exact else f"mean of {self.n_trees:,} sampled trees"
        return f"Importances for Y ({self._unit}; {kind}; {how})"

    def _notes(self) -> list[str]:
        return [f"total: {self.total:.4g} of {self.impurity:.4g}"]

    def _shown_columns(self) -> dict[str, Any]:
        order = np.argsort(-self.importances, kind="stable")
        shown = {"variable": self.names[order], "importance": self.importances[order]}
        return shown if self.exact else shown | {"standard_error": self.standard_errors[order]}
