"""What is computed of importances of randomized trees, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics._frames import frame_of
from silvics._names import one_of
from silvics.importance._checks import checked_top
from silvics.importance.context_frame import frame_of_contexts
from silvics.importance.theory.lattice import set_of
from silvics.importance.variables import unit_of
from silvics.plots import charts

_MOST_CONTEXTS = 2_000_000  # rows of a frame, unless fewer are asked for


@dataclass(repr=False, eq=False)
class AsymptoticImportances:
    """Importances of infinitely many randomized trees on a known distribution.

    Attributes
    ----------
    names : ndarray of str objects
        The variables.
    importances : ndarray of shape (n_variables,)
        Mean decrease of impurity of each, in the units of the criterion: bits, for entropy.
    by_degree : ndarray of shape (n_variables, n_variables)
        The same by degree: how many other variables had been tested above. Rows add up to
        ``importances``.
    standard_errors : ndarray of shape (n_variables,)
        Zero where ``exact``.
    exact : bool
        Whether this is the expectation over all trees, and not the mean over ``n_trees``.
    n_trees : int
        How many trees were sampled; 0 if none.
    impurity : float
        That of Y before anything is known, i(Y).
    total : float
        Sum of the importances. For trees grown in full, what the variables tell of Y together:
        I(X_1, ..., X_p; Y), whatever the trees (Theorem 6.2).
    settings : dict
        What was asked for.

    See Also
    --------
    asymptotic_importances : makes it.
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
        """Of each variable."""
        return self.by_degree.sum(axis=1)

    @property
    def total(self) -> float:
        """Their sum."""
        return float(self.by_degree.sum())

    @property
    def exact(self) -> bool:
        """Whether nothing was sampled."""
        return self.n_trees == 0

    def to_frame(self) -> Any:
        """The importances as a data frame.

        Returns
        -------
        frame : data frame
            In the library of X (pandas, for an array): variable, importance, standard_error.
        """
        columns = {
            "variable": self.names.tolist(),
            "importance": self.importances,
            "standard_error": self.standard_errors,
        }
        return frame_of(columns, self._library)

    def by_context(self, top: int | None = None) -> Any:
        """The third level of the decomposition: each variable, given each set of others.

        Parameters
        ----------
        top : int or None, default=None
            Only so many rows, those of the largest importance; None: all.

        Returns
        -------
        frame : data frame
            By falling importance. ``variable``; ``given``, the names of the other variables that
            had been tested above, and no others; ``degree``, how many those are; ``weight``, the
            probability that a row meets a test of the variable there; ``information``, the mean
            decrease of impurity of such tests (for totally randomized multiway trees,
            I(X_j; Y | B)); ``importance``, their product. Of sampled trees, only sets of up to
            three variables.
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
        """The importance of each cut, of binary trees.

        Returns
        -------
        frame : data frame
            ``variable``; ``at_most``, the largest value, or level, on the left; ``threshold``, the
            number in the middle between it and the next (for categories, of their places);
            ``importance``: of the binary variable "at most the threshold". Those of a variable
            add up to its importance (box "Encoding L-ary variables into binary variables").
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

    def plot(self, kind: str = "degrees", ax: Any = None) -> Any:
        """A picture of the importances.

        Parameters
        ----------
        kind : {"degrees", "importances"}, default="degrees"
            "degrees": a square for each variable and degree, as in Figure 6.3; "importances": a
            bar for each variable, stacked by degree.
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        one_of("kind", kind, ["degrees", "importances"])
        if kind == "degrees":
            return charts.degrees(self.by_degree, self.names, self._unit, ax)
        return charts.stacked(self.by_degree, self.names, self.standard_errors, self._unit, ax)

    @property
    def _unit(self) -> str:
        return unit_of(self.settings["criterion"])

    def __repr__(self) -> str:
        s = self.settings
        kind = f"{s['splits']} trees, K={s['K']}"
        kind += "".join(f", {n}={s[n]}" for n in ("depth", "subspace") if s[n] is not None)
        how = "exact" if self.exact else f"mean of {self.n_trees:,} sampled trees"
        lines = [
            f"Importances for Y ({self._unit}; {kind}; {how})",
            f"  all together {self.total:.4g} of {self.impurity:.4g}",
        ]
        order = np.argsort(-self.importances, kind="stable")
        width = max(len(str(name)) for name in self.names)
        for j in order[:20]:
            error = "" if self.exact else f" +- {self.standard_errors[j]:.2g}"
            lines.append(f"  {self.names[j]!s:<{width}} {self.importances[j]:.4g}{error}")
        if len(order) > 20:
            lines.append(f"  ... and {len(order) - 20} more")
        return "\n".join(lines)
