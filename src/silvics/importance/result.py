"""Importances of the variables of a forest, with what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics import plots
from silvics._frames import frame_of
from silvics.importance._checks import checked_top
from silvics.importance.contexts import frame_of_contexts


@dataclass(repr=False, eq=False)
class Importances:
    """Importances of the variables of a forest.

    Attributes
    ----------
    kind : str
        How they were measured: "mdi", mean decrease of impurity, or "mda", of accuracy.
    names : ndarray of str objects
        The variables, or the groups of variables that were asked for.
    values : ndarray of shape (n_variables,)
        Of each. "mdi": in the units of the criterion; parts of one, if normalized. "mda": by how
        much the loss of out-of-bag predictions grows when the variable is permuted.
    std : ndarray of shape (n_variables,)
        Standard deviation over trees ("mdi") or permutations ("mda").
    standard_errors : ndarray of shape (n_variables,)
        Of ``values``. "mdi": as a mean over trees drawn at random, that is how far another forest
        of as many trees on the same rows would be off; other rows would move them more. "mda": as a
        mean over rows (over permutations, for a loss of your own).
    replicates : ndarray of shape (n_trees or n_repeats, n_variables)
        Of each tree, or of each permutation.
    by_degree : ndarray of shape (n_variables, n_degrees), or None
        With ``by="degree"`` or ``"context"``: by how many other variables had been tested above.
        Rows add up to ``values``.
    impurity : float
        "mdi": of Y at the roots of the trees, mean over the trees. "mda": the loss of out-of-bag
        predictions as they are.
    total : float
        Sum of the importances; "mdi": how much of ``impurity`` the trees explain, in the rows they
        have seen (Theorem 6.2).

    See Also
    --------
    silvics.RandomForestClassifier.importances : makes it.
    """

    kind: str
    names: np.ndarray
    replicates: np.ndarray
    standard_errors: np.ndarray
    impurity: float
    by_degree: np.ndarray | None = None
    _unit: str = ""
    _of: str = "trees"
    _library: str | None = None
    _contexts: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> np.ndarray:
        """Mean over trees, or permutations."""
        return self.replicates.mean(axis=0)

    @property
    def std(self) -> np.ndarray:
        """Over trees, or permutations."""
        scale = np.abs(self.replicates).max(initial=0.0) or 1.0
        return (self.replicates / scale).std(axis=0) * scale

    @property
    def total(self) -> float:
        """Of all variables together."""
        return float(self.values.sum())

    def to_frame(self) -> Any:
        """The importances as a data frame, the largest first.

        Returns
        -------
        frame : data frame
            In the library that the forest was fitted on (pandas, for arrays): ``variable``,
            ``importance``, ``std``, ``standard_error``.
        """
        order = np.argsort(-self.values, kind="stable")
        columns = {
            "variable": self.names[order].tolist(),
            "importance": self.values[order],
            "std": self.std[order],
            "standard_error": self.standard_errors[order],
        }
        return frame_of(columns, self._library)

    def by_context(self, top: int | None = None) -> Any:
        """Each variable, given each set of others that had been tested above it.

        Parameters
        ----------
        top : int or None, default=None
            Only so many rows, those of the largest importance; None: all.

        Returns
        -------
        frame : data frame
            By falling importance: ``variable``; ``given``, the names of the others; ``degree``,
            how many; ``weight``, the share of rows that meet such a test, mean over the trees;
            ``information``, the mean decrease of impurity there; ``importance``, their product.
        """
        if not self._contexts:
            raise ValueError(
                'Contexts were not asked for: use forest.importances(by="context"), which also '
                "tells the degrees."
            )
        top = checked_top(top)
        found = self._contexts
        importance, weight = found["importance"], found["weight"]
        starts, others = found["starts"], found["others"]
        degree = np.diff(starts)
        order = np.lexsort((degree, -importance))[:top]
        given = [
            tuple(str(n) for n in self.names[others[starts[i] : starts[i + 1]]]) for i in order
        ]
        variables = self.names[found["variable"][order]].tolist()
        return frame_of_contexts(variables, given, weight[order], importance[order], self._library)

    def plot(self, top: int | None = 20, ax: Any = None) -> Any:
        """A bar for each variable, the largest first; by degree, where these were asked for.

        Parameters
        ----------
        top : int or None, default=20
            How many variables; None: all.
        ax : matplotlib axes or None, default=None
            Where to draw; None: a new figure.

        Returns
        -------
        ax : matplotlib axes
        """
        order = np.argsort(-self.values, kind="stable")[:top]
        parts = self.values[:, np.newaxis] if self.by_degree is None else self.by_degree
        errors = np.nan_to_num(self.standard_errors)
        return plots.stacked(parts[order], self.names[order], errors[order], self._unit, ax)

    def __repr__(self) -> str:
        values, errors = self.values, self.standard_errors
        lines = [
            f"Importances ({self.kind}; {self._unit}; mean of {len(self.replicates):,} {self._of})"
        ]
        if self.kind == "mdi":
            lines.append(f"  all together {self.total:.4g} of {self.impurity:.4g}")
        else:
            lines.append(f"  out of bag, before: {self.impurity:.4g}")
        order = np.argsort(-values, kind="stable")
        width = max((len(str(name)) for name in self.names[order[:20]]), default=0)
        lines += [
            f"  {self.names[j]!s:<{width}} {values[j]:.4g} +- {errors[j]:.2g}" for j in order[:20]
        ]
        if len(order) > 20:
            lines.append(f"  ... and {len(order) - 20} more")
        return "\n".join(lines)
