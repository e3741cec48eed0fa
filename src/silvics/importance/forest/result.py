"""Importances of the variables of a forest, with what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics._frames import frame_of
from silvics.importance._checks import checked_share, checked_top, number_of_repeats
from silvics.importance.context_frame import frame_of_contexts
from silvics.importance.forest.text import table_of_parts
from silvics.plots import charts


@dataclass(repr=False, eq=False)
class Importances:
    """Importances of the variables of a forest.

    Attributes
    ----------
    kind : str
        How they were measured: as ``forest.importances`` was asked.
    names : ndarray of str objects
        The variables, or the groups of variables that were asked for.
    values : ndarray of shape (n_variables,)
        Of each. "mdi" and its kin: in the units of the criterion; parts of one, if normalized.
        "mda": by how much the loss of out-of-bag predictions grows when the variable is permuted.
    std : ndarray of shape (n_variables,)
        Standard deviation over trees, permutations ("mda") or rows ("local").
    standard_errors : ndarray of shape (n_variables,)
        Of ``values``. Of means over trees drawn at random: how far another forest of as many trees
        on the same rows would be off; other rows would move them more. "mda" and "local": as means
        over rows (over permutations, for a loss of your own).
    replicates : ndarray of shape (n_replicates, n_variables)
        One for each tree, permutation ("mda") or row ("local"), of which ``values`` are the mean.
    local : ndarray of shape (n_rows, n_variables), or None
        Of each row ("local").
    by_class : ndarray of shape (n_variables, n_classes), or None
        With ``by="class"``. Impurities are sums over classes: rows add up to ``values``. "mda": of
        the rows of each class.
    classes : ndarray of str objects, or None
        The names of these classes; of several outputs, "0: name" and so on.
    by_output : ndarray of shape (n_variables, n_outputs), or None
        With ``by="output"``: how much each output adds to ``values``. "mda": of each output.
    null : ndarray of shape (n_variables,), or None
        What noise in the place of each variable would get, where that was asked for.
    corrected : ndarray of shape (n_variables,), or None
        ``values`` less ``null``.
    null_share : ndarray of shape (n_variables,), or None
        ``null`` as a part of ``values``.
    by_degree : ndarray of shape (n_variables, n_degrees), or None
        With ``by="degree"`` or ``"context"``: by how many other variables had been tested above.
        Rows add up to ``values``.
    impurity : float
        Of Y at the roots of the trees, mean over the trees. "mda": the loss of out-of-bag
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
    by_class: np.ndarray | None = None
    classes: np.ndarray | None = None
    by_output: np.ndarray | None = None
    null: np.ndarray | None = None
    _null_method: str = ""
    _distinct: np.ndarray | None = None  # values that each variable has
    _mimicry: np.ndarray | None = None
    _unit: str = ""
    _of: str = "trees"
    _rows: str = "oob"
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

    @property
    def local(self) -> np.ndarray | None:
        """Of each row."""
        return self.replicates if self.kind == "local" else None

    @property
    def corrected(self) -> np.ndarray | None:
        """What is left without noise."""
        return None if self.null is None else self.values - self.null

    @property
    def null_share(self) -> np.ndarray | None:
        """What part is noise."""
        if self.null is None:
            return None
        values = self.values
        return np.divide(self.null, values, out=np.zeros_like(values), where=values != 0)

    def interval(
        self, level: float = 0.95, *, n_resamples: int = 1000, random_state: Any = None
    ) -> Any:
        """Between which bounds the importances would be, had other trees been drawn.

        The trees (or permutations, or rows) are drawn again with replacement. The rows of the
        learning set stay what they are: the intervals tell whether there are enough trees, not what
        other data would say.

        Parameters
        ----------
        level : float, default=0.95
            How many of such means lie within the bounds.
        n_resamples : int, default=1000
            How often the trees are drawn.
        random_state : int, RandomState or None, default=None
            Seed of the draws.

        Returns
        -------
        interval : data frame
            In the library that the forest was fitted on (pandas, for arrays), the largest
            importance first: ``variable``, ``importance``, ``lower`` and ``upper``.
        """
        level = checked_share("level", level)
        n_resamples = number_of_repeats("n_resamples", n_resamples)
        generator = check_random_state(random_state)
        n = len(self.replicates)
        if n < 2:
            raise ValueError("An interval needs two trees or more.")
        means = np.empty((n_resamples, len(self.names)))
        for mean in means:
            counts = np.bincount(generator.randint(0, n, n), minlength=n)
            mean[:] = counts @ self.replicates / n
        outside = (1 - level) / 2
        lower, upper = np.quantile(means, [outside, 1 - outside], axis=0)
        order = np.argsort(-self.values, kind="stable")
        columns = {
            "variable": self.names[order].tolist(),
            "importance": self.values[order],
            "lower": lower[order],
            "upper": upper[order],
        }
        return frame_of(columns, self._library)

    def redundancy(self, top: int | None = None) -> Any:
        """Which variables could stand for which (kind "surrogate").

        Parameters
        ----------
        top : int or None, default=None
            Only so many pairs; None: all.

        Returns
        -------
        frame : data frame
            By falling likeness: ``variable``; ``mimicked_by``; ``likeness``, how well the best
            splits on the latter part the rows as those on the former do: 1 as a copy does, 0 no
            better than sending all rows to the larger side; mean over the former's splits by what
            they lower the impurity by.
        """
        if self._mimicry is None:
            raise ValueError(
                'Redundancy is told by forest.importances("surrogate", X, y), of tables of at most '
                "2,000 variables."
            )
        likeness = self._mimicry.copy()
        np.fill_diagonal(likeness, 0.0)
        order = np.argsort(-likeness, axis=None, kind="stable")
        order = order[likeness.ravel()[order] > 0][: checked_top(top)]
        i, j = np.unravel_index(order, likeness.shape)
        columns = {
            "variable": self.names[i].tolist(),
            "mimicked_by": self.names[j].tolist(),
            "likeness": likeness[i, j],
        }
        return frame_of(columns, self._library)

    def to_frame(self) -> Any:
        """The importances as a data frame, the largest first.

        Returns
        -------
        frame : data frame
            In the library that the forest was fitted on (pandas, for arrays): ``variable``,
            ``importance``, ``std``, ``standard_error``; ``null``, ``corrected`` and ``null_share``,
            and a column for each class or output, where these were asked for.
        """
        order = np.argsort(-self.values, kind="stable")
        columns = {
            "variable": self.names[order].tolist(),
            "importance": self.values[order],
            "std": self.std[order],
            "standard_error": self.standard_errors[order],
        }
        if self.null is not None:
            for name in ("null", "corrected", "null_share"):
                columns[name] = getattr(self, name)[order]
        parts, labels = self._parts()
        for k, label in enumerate(labels):
            columns[label] = parts[order, k]
        return frame_of(columns, self._library)

    def _parts(self) -> tuple[Any, list[str]]:
        if self.by_class is not None:
            assert self.classes is not None
            return self.by_class, [f"class {name}" for name in self.classes]
        if self.by_output is not None:
            return self.by_output, [f"output {k}" for k in range(self.by_output.shape[1])]
        return None, []

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
        return charts.stacked(parts[order], self.names[order], errors[order], self._unit, ax)

    def __repr__(self) -> str:
        values, errors = self.values, self.standard_errors
        lines = [
            f"Importances ({self.kind}; {self._unit}; mean of {len(self.replicates):,} {self._of})"
        ]
        if self.kind == "mdi":
            lines.append(f"  all together {self.total:.4g} of {self.impurity:.4g}")
        elif self.kind.startswith("mda"):
            rows = "held out" if self._rows == "held_out" else "out of bag"
            lines.append(f"  {rows}, before: {self.impurity:.4g}")
        order = np.argsort(-values, kind="stable")
        names = [str(name) for name in self.names[order[:20]]]
        whole = [f"{values[j]:.4g} +- {errors[j]:.2g}" for j in order[:20]]
        lines += table_of_parts(names, whole, *self._parts(), order[:20])
        if len(order) > 20:
            lines.append(f"  ... and {len(order) - 20} more")
        return "\n".join([*lines, *self._words_of_noise()])

    def _words_of_noise(self) -> list[str]:
        """Of the largest, those that are mostly what noise would get."""
        if self.null is None or self.null_share is None:
            return []
        lines = [f"What noise would get ({self._null_method}):"]
        order = np.argsort(-self.values, kind="stable")[:20]
        shares = np.clip(self.null_share, 0.0, 1.0)
        for j in order:
            if shares[j] < 0.5 or self.values[j] <= 0:
                continue
            has = ""
            if self._distinct is not None:
                has = f" has {self._distinct[j]:,} distinct values;"
            lines.append(
                f"  {self.names[j]}{has} {shares[j]:.0%} of its importance is what noise would get"
            )
        if len(lines) == 1:
            lines.append("  less than half of each importance")
        return lines


def parts_of(forest: Any, by: str, parts: np.ndarray) -> dict[str, Any]:
    """The fields of ``Importances`` for parts of classes of all outputs, or of outputs.

    ``parts`` has a row for each variable.
    """
    if not forest._classification:
        if by == "class":
            raise ValueError('by="class" is for classes, and these are numbers: by="output".')
        return {"by_output": parts}
    if by == "class":
        return {"by_class": parts, "classes": names_of_classes(forest)}
    counts = np.atleast_1d(forest.n_classes_)
    starts = np.cumsum(counts) - counts
    return {"by_output": np.add.reduceat(parts, starts, axis=1)}


def names_of_classes(forest: Any) -> np.ndarray:
    """Of all classes of all outputs."""
    if forest.n_outputs_ == 1:
        return np.array([str(name) for name in forest.classes_], dtype=object)
    return np.array(
        [f"{k}: {name}" for k, of_output in enumerate(forest.classes_) for name in of_output],
        dtype=object,
    )
