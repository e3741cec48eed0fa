"""Prototypes: samples that stand for their class (thesis 4.4.3, Breiman 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse

from silvics._results.base import Result
from silvics._tables.some_rows import rows_of
from silvics.inspection._compared import Compared, compared
from silvics.plots import charts
from silvics.proximity.forest_proximity import checked_number

METHODS = ("neighbors", "mean", "median")
_NEIGHBORS = 50


@dataclass(repr=False, eq=False)
class Prototypes(Result):
    """Prototypes of each class.

    ``to_frame()`` has one row for each prototype: ``class`` (if there are classes), ``rank``,
    ``row`` (the number of the sample), ``score``, ``n_neighbors``, and the values of the variables.

    Attributes
    ----------
    rows : ndarray of int of shape (n_found,)
        The numbers of the samples. With ``method="median"``, the samples around which medians are
        computed.
    labels : ndarray of shape (n_found,), or None
        Their classes.
    ranks : ndarray of int of shape (n_found,)
        1 for the first prototype of a class, 2 for the second, and so on.
    scores : ndarray of shape (n_found,)
        With ``method="mean"``, the mean proximity to the other samples of the class; otherwise the
        share of the samples of the class that are among the neighbours and not among those of an
        earlier prototype.
    values : dict of str to array
        The values of the variables, by name.
    neighbors : list of ndarray of int
        For each prototype, the samples of its class among its nearest neighbours.
    method : str
        How prototypes were chosen.

    See Also
    --------
    prototypes : Compute it.

    Examples
    --------
    >>> from silvics import RandomForestClassifier
    >>> from silvics.inspection import prototypes
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, keep_samples=True, random_state=0).fit(X, y)
    >>> found = prototypes(forest, X, y)
    >>> sorted(set(found.labels.tolist()))
    [0, 1, 2]
    """

    rows: np.ndarray
    labels: np.ndarray | None
    ranks: np.ndarray
    scores: np.ndarray
    values: dict[str, Any]
    neighbors: list[np.ndarray]
    method: str
    _library: str | None = None

    def _title(self) -> str:
        return f"Prototypes ({self.method})"

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {} if self.labels is None else {"class": self.labels}
        columns |= {
            "rank": self.ranks, "row": self.rows, "score": self.scores,
            "n_neighbors": np.array([len(rows) for rows in self.neighbors], dtype=np.int64),
        }  # fmt: skip
        for name, values in self.values.items():
            label = name
            while label in columns:
                label += "_"
            columns[label] = values
        return columns

    def _draw(self, ax: Any) -> Any:
        names = [
            f"row {row}" if self.labels is None else f"{self.labels[k]}: row {row}"
            for k, row in enumerate(self.rows)
        ]
        return charts.bars(self.scores, np.array(names, dtype=object), "score", ax)


def prototypes(
    forest: Any,
    X: Any,
    y: Any = None,
    *,
    n_prototypes: int = 1,
    method: str = "neighbors",
    n_neighbors: int | None = None,
    min_samples_in_node: int = 1,
    max_depth: int | None = None,
    n_jobs: int | None = None,
) -> Prototypes:
    """Find samples that are typical of their class, by the proximities of a forest.

    After the first prototype of a class, samples among its nearest neighbours no longer count, so
    that the next prototype stands for another part of the class. There are fewer prototypes than
    asked for if no samples are left.

    Parameters
    ----------
    forest : forest
        A fitted forest.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,) or None, default=None
        Their classes. None takes all samples as one class.
    n_prototypes : int, default=1
        Number of prototypes of each class.
    method : {"neighbors", "mean", "median"}, default="neighbors"
        "neighbors" takes the sample with the most samples of its class among its nearest
        neighbours, and the largest sum of proximities to them if there are several. "mean" takes
        the sample with the largest mean proximity to the others of its class. "median" takes the
        sample of "neighbors" and gives the medians of the numbers, and the most frequent levels of
        the categories, of these neighbours (Breiman 2002).
    n_neighbors : int or None, default=None
        Number of nearest neighbours. None means 50, or the size of the smallest class less one if
        that is smaller, but at least one.
    min_samples_in_node : int, default=1
        Samples are compared in the deepest nodes with at least this number of in-bag rows.
    max_depth : int or None, default=None
        The largest depth of these nodes. None means any depth.
    n_jobs : int or None, default=None
        Number of threads. None takes the value of the forest. The result does not depend on it.

    Returns
    -------
    prototypes : Prototypes
        The prototypes, with the methods ``to_frame()`` and ``plot()``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> from silvics.inspection import prototypes
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> prototypes(forest, X, y).labels.tolist()
    [0, 1, 2]
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {list(METHODS)}, got {method!r}.")
    n_prototypes = checked_number("n_prototypes", n_prototypes)
    if X is None:
        raise ValueError("prototypes shows the values of samples. Pass their table as X.")
    samples = compared(
        forest, X, y, "prototypes", by_class=False, min_samples_in_node=min_samples_in_node,
        max_depth=max_depth, n_jobs=n_jobs,
    )  # fmt: skip
    smallest = min(len(rows) for rows in samples.groups())
    size = max(min(_NEIGHBORS, smallest - 1), 1)
    if n_neighbors is not None:
        size = min(checked_number("n_neighbors", n_neighbors), samples.n_samples - 1)
    found = _Search(samples, size, by_mean=method == "mean").prototypes(n_prototypes)
    rows = np.array([row for row, *_ in found], dtype=np.int64)
    around = [neighbors for *_, neighbors in found]
    if method == "median":
        values = _centres(forest, X, [np.append(n, row) for row, *_, n in found])
    else:
        values = _values(forest, X, rows)
    return Prototypes(
        rows, None if samples.labels is None else samples.labels[rows],
        np.array([rank for _, rank, *_ in found], dtype=np.int64),
        np.array([score for _, _, score, _ in found], dtype=np.float64),
        values, around, method, samples.library,
    )  # fmt: skip


class _Search:
    """The search for prototypes of all classes."""

    def __init__(self, samples: Compared, n_neighbors: int, *, by_mean: bool) -> None:
        assert samples.pairs is not None
        self._samples = samples
        # A sample is its own nearest neighbour, unless others share all of its leaves.
        nearest, weights = samples.pairs.neighbors(n_neighbors + 1)
        self._nearest, self._weights = nearest, weights
        own = np.arange(samples.n_samples)[:, np.newaxis]
        same = (nearest >= 0) & (nearest != own)
        same &= samples.codes[nearest] == samples.codes[own]
        # Without the sample itself there is at most one neighbour too many, the last.
        same &= np.cumsum((nearest != own) & (nearest >= 0), axis=1) <= n_neighbors
        self._same = same
        self._means = samples.sums_in_class(squares=False) if by_mean else None

    def prototypes(self, n: int) -> list[tuple[int, int, float, np.ndarray]]:
        """Return the number, rank, score and neighbours of each prototype, class by class."""
        found: list[tuple[int, int, float, np.ndarray]] = []
        for rows in self._samples.groups():
            left = np.zeros(self._samples.n_samples, dtype=bool)
            left[rows] = True
            for rank in range(1, n + 1):
                candidates = rows[left[rows]]
                if not candidates.size:
                    break
                row, score = self._best(candidates, left, len(rows))
                neighbors = self._nearest[row][self._same[row]]
                found.append((row, rank, score, neighbors))
                left[neighbors] = False
                left[row] = False
        return found

    def _best(self, candidates: np.ndarray, left: np.ndarray, size: int) -> tuple[int, float]:
        if self._means is not None:
            means = self._means[candidates] / max(size - 1, 1)
            best = int(np.argmax(means))
            return int(candidates[best]), float(means[best])
        counted = self._same[candidates] & left[self._nearest[candidates]]
        counts = counted.sum(axis=1)
        sums = (self._weights[candidates] * counted).sum(axis=1)
        best = int(np.lexsort((-sums, -counts))[0])
        return int(candidates[best]), float(counts[best]) / size


def _values(forest: Any, X: Any, rows: np.ndarray) -> dict[str, Any]:
    """Return the values of some rows by the names of the variables."""
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        return {name: frame[name][rows.tolist()].to_list() for name in frame.columns}
    table = rows_of(X, rows)
    table = table.toarray() if issparse(table) else np.asarray(table)
    names = getattr(forest, "feature_names_in_", [f"x{j}" for j in range(table.shape[1])])
    return {str(name): table[:, j] for j, name in enumerate(names)}


def _centres(forest: Any, X: Any, groups: list[np.ndarray]) -> dict[str, Any]:
    """Return the median, or the most frequent level, of each variable in groups of rows."""
    of_groups = [_values(forest, X, rows) for rows in groups]
    categorical = forest.is_categorical_
    return {
        name: [_centre(values[name], levels=bool(categorical[j])) for values in of_groups]
        for j, name in enumerate(of_groups[0])
    }


def _centre(values: Any, *, levels: bool) -> Any:
    known = [value for value in values if value is not None and value == value]
    if not known:
        return None if levels else float("nan")
    is_time = isinstance(known[0], date | time | timedelta | np.datetime64 | np.timedelta64)
    if is_time:
        return sorted(known)[(len(known) - 1) // 2]
    if not levels and not isinstance(known[0], str):  # levels of ordered categories are text
        return float(np.median(np.asarray(known, dtype=np.float64)))
    counts: dict[Any, int] = {}
    for value in known:
        counts[value] = counts.get(value, 0) + 1
    return max(sorted(counts, key=str), key=lambda value: counts[value])
