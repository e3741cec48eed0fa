"""The importances of the variables of a forest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from silvics._frames import frame_of
from silvics._results.base import Result
from silvics._results.table import Table
from silvics.importance._checks import checked_share, checked_top, number_of_repeats
from silvics.importance.forest.contexts import HasContexts
from silvics.importance.forest.tree_means import N_TREES, trees_enough
from silvics.plots import charts
from silvics.plots.display import Display

_MOST_NOISE_LINES = 15  # largest number of variables in the remarks about noise


@dataclass(repr=False, eq=False)
class Importances(HasContexts, Result):
    """Importances of the variables of a forest.

    ``to_frame()`` has one row for each variable, sorted by decreasing importance: ``variable``,
    ``importance``, ``std`` and ``standard_error``; ``null``, ``corrected`` and ``null_share`` if
    ``null`` was requested; and one column for each class, output or degree if ``by`` requested
    them.

    Attributes
    ----------
    kind : str
        The kind of importance, as in ``forest.importances(kind)``.
    names : ndarray of str objects
        The variables, or the groups of variables that were requested.
    values : ndarray of shape (n_variables,)
        The importance of each variable. "mdi" and related kinds are in the units of the criterion,
        or sum to one if normalized. "mda" is the increase of the out-of-bag loss when the variable
        is permuted.
    std : ndarray of shape (n_variables,)
        Standard deviation over trees, permutations ("mda") or rows ("local").
    standard_errors : ndarray of shape (n_variables,)
        Standard errors of ``values``. For means over randomly drawn trees, they estimate how much
        another forest of the same size on the same rows would differ; other rows would change the
        importances more (``errors="rows"`` of "mdi" estimates how much). For "mda" and "local" they
        are standard errors of means over rows (over permutations, for a custom loss).
    replicates : ndarray of shape (n_replicates, n_variables)
        One row for each tree, pair of trees (forests of two stages), permutation ("mda") or row
        ("local"). ``values`` is their mean.
    local : ndarray of shape (n_rows, n_variables), or None
        The importances for each row ("local").
    by_class : ndarray of shape (n_variables, n_classes), or None
        With ``by="class"``. For impurities, the classes add up to ``values``. For "mda", a column
        is computed from the rows of its class.
    classes : ndarray of str objects, or None
        The names of these classes. With several outputs they are "0: name" and so on.
    by_output : ndarray of shape (n_variables, n_outputs), or None
        With ``by="output"``: the contribution of each output to ``values``; for "mda", the
        importance for each output.
    null : ndarray of shape (n_variables,), or None
        The importance that noise in place of each variable would have, if it was requested.
    corrected : ndarray of shape (n_variables,), or None
        ``values - null``.
    null_share : ndarray of shape (n_variables,), or None
        ``null / values``.
    by_degree : ndarray of shape (n_variables, n_degrees), or None
        With ``by="degree"`` or ``"context"``: the importance by the number of other variables that
        were tested above. Rows add up to ``values``.
    impurity : float
        The impurity of Y at the roots, averaged over the trees. For "mda", the loss of the
        out-of-bag predictions without permutation.
    total : float
        Sum of the importances. For "mdi", the part of ``impurity`` that the trees explain on the
        rows that they were grown on (Theorem 6.2).

    See Also
    --------
    silvics.RandomForestClassifier.importances : Compute importances.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> found = forest.importances("mdi")
    >>> str(found.names[found.values.argmax()]), found.replicates.shape
    ('petal width (cm)', (20, 4))
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
    _distinct: np.ndarray | None = None  # number of distinct values of each variable
    _mimicry: np.ndarray | None = None
    _unit: str = ""
    _of: str = "trees"
    _rows: str = "oob"
    _library: str | None = None
    _contexts: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> np.ndarray:
        """Mean over the replicates."""
        return self.replicates.mean(axis=0)

    @property
    def std(self) -> np.ndarray:
        """Standard deviation over the replicates."""
        scale = np.abs(self.replicates).max(initial=0.0) or 1.0
        return (self.replicates / scale).std(axis=0) * scale

    @property
    def total(self) -> float:
        """Sum of the importances."""
        return float(self.values.sum())

    @property
    def local(self) -> np.ndarray | None:
        """The importances for each row, of kind "local"."""
        return self.replicates if self.kind == "local" else None

    @property
    def corrected(self) -> np.ndarray | None:
        """The importances without the part that is due to noise."""
        return None if self.null is None else self.values - self.null

    @property
    def null_share(self) -> np.ndarray | None:
        """The share of each importance that is due to noise."""
        if self.null is None:
            return None
        values = self.values
        return np.divide(self.null, values, out=np.zeros_like(values), where=values != 0)

    def interval(
        self, level: float = 0.95, *, n_resamples: int = 1000, random_state: Any = None
    ) -> Any:
        """Compute bootstrap confidence intervals over the trees.

        The trees (or permutations, or rows) are resampled with replacement. The learning set stays
        the same: the intervals show whether there are enough trees, and not how much the
        importances would vary with other data.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level.
        n_resamples : int, default=1000
            The number of resamples.
        random_state : int, RandomState or None, default=None
            Seed of the resampling.

        Returns
        -------
        interval : data frame
            One row for each variable, sorted by decreasing importance: ``variable``,
            ``importance``, ``lower`` and ``upper``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
        >>> frame = forest.importances("mdi").interval(0.9, random_state=0)
        >>> frame.columns.tolist(), frame["variable"][0]
        (['variable', 'importance', 'lower', 'upper'], 'petal width (cm)')
        """
        level = checked_share("level", level)
        n_resamples = number_of_repeats("n_resamples", n_resamples)
        generator = check_random_state(random_state)
        n = len(self.replicates)
        if n < 2:
            raise ValueError("An interval needs at least two trees.")
        means = np.empty((n_resamples, len(self.names)))
        for mean in means:
            counts = np.bincount(generator.randint(0, n, n), minlength=n)
            mean[:] = counts @ self.replicates / n
        outside = (1 - level) / 2
        lower, upper = np.quantile(means, [outside, 1 - outside], axis=0)
        order = self._order()
        columns = {
            "variable": self.names[order].tolist(),
            "importance": self.values[order],
            "lower": lower[order],
            "upper": upper[order],
        }
        return frame_of(columns, self._library)

    def enough(self, tol: float = 0.01) -> int:
        """Return the number of trees that makes the importances precise.

        Standard errors over the trees fall with the square root of their number. This is about
        other forests on the same rows, and not about other rows.

        Parameters
        ----------
        tol : float, default=0.01
            The largest standard error of an importance, relative to the largest importance.

        Returns
        -------
        n_trees : int
            The number of trees after which no standard error is larger, estimated from the
            variance over the trees of this forest.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> found = forest.importances("mdi")
        >>> found.enough(0.1) < found.enough(0.01)
        True
        """
        return trees_enough(self.replicates, self._of, tol)

    def redundancy(self, top: int | None = None) -> Any:
        """Find pairs of variables that can replace each other (kind "surrogate").

        Parameters
        ----------
        top : int or None, default=None
            The number of pairs; None returns all.

        Returns
        -------
        frame : data frame
            Sorted by decreasing likeness: ``variable``, ``mimicked_by`` and ``likeness``. The
            likeness measures how well the best splits on the second variable reproduce the splits
            on the first: 1 for a copy, 0 if they are no better than sending all rows to the larger
            side. It is the mean over the splits, weighted by their decrease of impurity.

        Examples
        --------
        >>> import numpy as np
        >>> from silvics import RandomForestClassifier
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> X = np.column_stack([X, X[:, 0]])
        >>> y = X[:, 0] > 0
        >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
        >>> forest.importances("surrogate", X, y).redundancy(top=2)["variable"].tolist()
        ['x0', 'x2']
        """
        if self._mimicry is None:
            raise ValueError(
                'redundancy() needs forest.importances("surrogate", X, y), on a table of at most '
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

    def _order(self) -> np.ndarray:
        """Return the variables by decreasing importance."""
        return np.argsort(-self.values, kind="stable")

    def _columns(self) -> dict[str, Any]:
        order = self._order()
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
        return columns

    def _parts(self) -> tuple[Any, list[str]]:
        if self.by_class is not None:
            assert self.classes is not None
            return self.by_class, [f"class {name}" for name in self.classes]
        if self.by_output is not None:
            return self.by_output, [f"output {k}" for k in range(self.by_output.shape[1])]
        if self.by_degree is not None:
            return self.by_degree, [f"degree {k}" for k in range(self.by_degree.shape[1])]
        return None, []

    def plot(self, ax: Any = None, *, top: int | None = 20) -> Display:
        """Draw a bar for each variable, stacked by degree if these were requested.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.
        top : int or None, default=20
            The number of variables, those of the largest importance; None draws all.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
        >>> display = forest.importances("mdi").plot(top=2)
        >>> len(display.ax_.patches)
        2
        """
        return Display(self._draw(ax, checked_top(top)))

    def _draw(self, ax: Any, top: int | None = 20) -> Any:
        order = self._order()[:top]
        parts = self.values[:, np.newaxis] if self.by_degree is None else self.by_degree
        errors = np.nan_to_num(self.standard_errors)
        return charts.stacked(parts[order], self.names[order], errors[order], self._unit, ax)

    def _title(self) -> str:
        n = len(self.replicates)
        return f"Importances ({self.kind}; {self._unit}; mean of {n:,} {self._of})"

    def _notes(self) -> list[str]:
        notes = []
        if self.kind == "mdi":
            notes.append(f"total: {self.total:.4g} of {self.impurity:.4g}")
        if self.kind.startswith("mda") or self.kind == "conditional":
            rows = "held-out" if self._rows == "held_out" else "out-of-bag"
            notes.append(f"{rows} loss without permutation: {self.impurity:.4g}")
        if self._of in N_TREES and len(self.replicates) > 1 and self.values.max() > 0:
            needed, grown = self.enough(), len(self.replicates) * N_TREES[self._of]
            verb = "are enough" if needed <= grown else "would be needed"
            notes.append(f"{needed:,} trees {verb} for errors of 1 % of the largest importance")
        return notes

    def _shown_columns(self) -> dict[str, Any]:
        hidden = ("std", "null", "corrected", "null_share")
        return {name: column for name, column in self._columns().items() if name not in hidden}

    def _tables(self) -> list[Table]:
        return super()._tables() + self._noise_table()

    def _noise_table(self) -> list[Table]:
        """Return remarks on variables whose importance is mostly due to noise."""
        if self.null is None or self.null_share is None:
            return []
        lines = []
        shares = np.clip(self.null_share, 0.0, 1.0)
        for j in self._order()[:_MOST_NOISE_LINES]:
            if shares[j] < 0.5 or self.values[j] <= 0:
                continue
            has = "" if self._distinct is None else f" has {self._distinct[j]:,} distinct values;"
            share = f"{shares[j]:.0%} of its importance is due to noise"
            lines.append(f"{self.names[j]}{has} {share}")
        if not lines:
            lines.append("less than half of each importance is due to noise")
        title = f"Part due to noise ({self._null_method})"
        return [Table([[line] for line in lines], title=title)]


def parts_of(forest: Any, by: str, parts: np.ndarray) -> dict[str, Any]:
    """Return the fields of ``Importances`` that hold parts by class or by output.

    ``parts`` has a row for each variable, and a column for each class of each output.
    """
    if not forest._classification:
        if by == "class":
            raise ValueError('by="class" needs a classifier: use by="output" for regression.')
        return {"by_output": parts}
    if by == "class":
        return {"by_class": parts, "classes": names_of_classes(forest)}
    counts = np.atleast_1d(forest.n_classes_)
    starts = np.cumsum(counts) - counts
    return {"by_output": np.add.reduceat(parts, starts, axis=1)}


def names_of_classes(forest: Any) -> np.ndarray:
    """Return the names of all classes of all outputs."""
    if forest.n_outputs_ == 1:
        return np.array([str(name) for name in forest.classes_], dtype=object)
    return np.array(
        [f"{k}: {name}" for k, of_output in enumerate(forest.classes_) for name in of_output],
        dtype=object,
    )
