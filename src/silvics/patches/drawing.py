"""The function ``draw``: random patches as frames or arrays, for models of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.amounts import bytes_of, in_words
from silvics._fitting.groups import group_labels
from silvics._fitting.targets import checked_outputs, checked_weights
from silvics._names import one_of
from silvics._predicting.sampling import rows_of_strata
from silvics._sources.scanning import Scan, scan
from silvics._sources.source import Batch
from silvics.patches import memory
from silvics.patches.class_counts import ClassCounts, GroupCounts
from silvics.patches.membership import ByClass, Cursor, Membership, SingleRows, WholeGroups
from silvics.patches.outputs import check_distinct, weights_in
from silvics.patches.rows import Part

_BATCH_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class DrawnPatch:
    """A random patch of a table.

    Attributes
    ----------
    X : data frame or ndarray
        The rows and columns of the patch.
    y : ndarray or None
        The outputs of these rows, if ``y`` was given.
    rows : ndarray of int
        Numbers of the rows in the table, ascending. With replacement they are repeated.
    columns : list
        The columns: names, or numbers if the table is an array.
    sample_weight : ndarray or None
        The weights of these rows, if ``sample_weight`` was given.

    Examples
    --------
    >>> import numpy as np
    >>> from silvics import patches
    >>> patch = next(patches.draw(np.zeros((100, 8)), max_columns=3, random_state=0))
    >>> patch.X.shape, len(patch.rows), len(patch.columns)
    ((25, 3), 25, 3)
    """

    X: Any
    y: np.ndarray | None
    rows: np.ndarray
    columns: list[Any]
    sample_weight: np.ndarray | None = None


def draw(
    data: Any,
    y: Any = None,
    *,
    n_patches: int = 10,
    max_samples: float = 0.25,
    max_columns: float = 0.5,
    draw: str = "uniform",
    groups: Any = None,
    sample_weight: Any = None,
    max_memory: Any = None,
    random_state: Any = None,
) -> Iterator[DrawnPatch]:
    """Draw random patches of a table, which may be larger than the memory (thesis 8.1).

    Each patch has rows and columns that are drawn once for it. With it, models of any kind can be
    trained on patches and averaged, as ``RandomPatchesClassifier`` does with trees. One pass over
    the table fills as many patches as the memory allows. Draws by class or by group take one more.

    Parameters
    ----------
    data : scan, path, data frame or array
        The table: anything that :func:`silvics.scan` takes, or its result.
    y : str, array-like or None, default=None
        The outputs: a column of the table, or values for all rows.
    n_patches : int, default=10
        Number of patches.
    max_samples : int or float, default=0.25
        Number of rows of a patch, or fraction of all rows.
    max_columns : int or float, default=0.5
        Number of columns of a patch, or fraction of all columns other than those of y, groups and
        weights.
    draw : {"uniform", "bootstrap", "stratified"}, default="uniform"
        How rows are drawn: all sets of rows with the same probability, with replacement, or the
        share of each class of y, with at least one row of it.
    groups : str, array-like or None, default=None
        Groups of rows that patches have as a whole: a column of the table, or values for all rows.
        ``max_samples`` is then the number or the fraction of groups.
    sample_weight : str, array-like or None, default=None
        Weights: a column of the table, or values for all rows. They do not change which rows are
        drawn; each patch has those of its rows.
    max_memory : int, float, str or None, default=None
        Limit of the resident memory of the process, such as "1GB". None uses up to half of the free
        memory.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. The rows of a patch depend on it and on the number of rows alone.

    Yields
    ------
    patch : DrawnPatch
        A patch, with the attributes ``X``, ``y``, ``rows``, ``columns`` and ``sample_weight``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from silvics import patches
    >>> X, y = load_iris(return_X_y=True)
    >>> votes = np.zeros((150, 3))
    >>> for patch in patches.draw(X, y, n_patches=20, max_columns=3, random_state=0):
    ...     model = KNeighborsClassifier().fit(patch.X, patch.y)
    ...     votes += model.predict_proba(X[:, patch.columns])
    >>> bool(np.mean(votes.argmax(axis=1) == y) > 0.9)
    True
    """
    one_of("draw", draw, ["uniform", "bootstrap", "stratified"])
    table = data if isinstance(data, Scan) else scan(data)
    if isinstance(n_patches, bool) or not isinstance(n_patches, Integral) or n_patches < 1:
        raise ValueError(f"n_patches must be a positive integer, got {n_patches!r}.")
    labels = _Labels(table, y, groups, sample_weight)
    if draw != "uniform" and groups is not None:
        raise ValueError(
            f"draw={draw!r} draws single rows, but groups are drawn as a whole. Set "
            'draw="uniform", or leave groups out.'
        )
    if draw == "stratified" and y is None:
        raise ValueError('draw="stratified" draws the share of each class of y: pass y.')
    columns = [name for name in table.columns if name not in labels.names]
    labels.count(draw == "stratified")
    n_columns = _count("max_columns", max_columns, len(columns))
    membership = labels.membership(max_samples, draw == "bootstrap")
    seeds = _core.tree_seeds(parameters.seed_of(random_state), 0, int(n_patches))
    return _drawn(labels, columns, membership, seeds, n_columns, max_memory)


def _count(name: str, wanted: Any, whole: int) -> int:
    """Return the number that a number or a fraction of a whole means."""
    count = wanted if isinstance(wanted, int | np.integer) else max(1, round(wanted * whole))
    if not 1 <= count <= whole:
        raise ValueError(f"{name}={wanted} must mean a number from 1 to {whole}.")
    return int(count)


class _Labels:
    """The outputs, groups and weights of the rows: columns of a table, or values for all rows."""

    def __init__(self, table: Scan, y: Any, groups: Any, weights: Any) -> None:
        self.table, self._y, self._groups, self._weights = table, y, groups, weights
        given = {"y": y, "groups": groups, "sample_weight": weights}
        named = [(parameter, of) for parameter, of in given.items() if isinstance(of, str)]
        for parameter, name in named:
            table.source.check_column(name, parameter)
        check_distinct(named)
        self.names = [name for _, name in named]
        if y is not None and not isinstance(y, str):
            self._y = np.asarray(y)
        if groups is not None and not isinstance(groups, str):
            self._groups = group_labels(groups)
        if weights is not None and not isinstance(weights, str):
            self._weights = checked_weights(weights, np.empty((np.size(weights), 0)))
        self._classes: ClassCounts | None = None
        self._group_counts = None if groups is None else GroupCounts()
        self._levels = np.empty(0)
        self._n_rows = 0

    def _of(self, label: Any, batch: Batch) -> np.ndarray:
        if isinstance(label, str):
            return batch.column(label)
        return np.asarray(label)[batch.first : batch.first + batch.n_rows]

    def weights_of(self, batch: Batch) -> np.ndarray | None:
        """Return the weights of a batch."""
        if not isinstance(self._weights, str):
            return None if self._weights is None else self._of(self._weights, batch)
        try:
            return weights_in(batch, self._weights)
        except ValueError as error:
            raise ValueError(f"{batch.where}: {error}") from error

    def y_of(self, batch: Batch) -> np.ndarray | None:
        """Return the outputs of a batch."""
        return None if self._y is None else self._of(self._y, batch)

    def count(self, by_class: bool) -> None:
        """Count the rows, and those of classes or groups, in a pass if it is needed."""
        n_rows = self.table.source.n_rows()
        if by_class:
            self._classes = ClassCounts(True)
        if n_rows is not None:
            self._check_lengths(n_rows)
        if n_rows is None or by_class or self._group_counts is not None:
            n_rows = 0
            for batch in self.table.source.batches(
                self.names or self.table.columns[:1], _BATCH_ROWS
            ):
                n_rows += batch.n_rows
                self._add(batch)
            self._check_lengths(n_rows)
        self._n_rows = n_rows
        if self._classes is not None:
            self._levels = (self._classes.classes() or [])[0]

    def _add(self, batch: Batch) -> None:
        try:
            if self._classes is not None:
                self._classes.add(checked_outputs(self.y_of(batch)).reshape(-1, 1), None)
            if self._group_counts is not None:
                self._group_counts.add(self._of(self._groups, batch))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{batch.where}: {error}") from error

    def _check_lengths(self, n_rows: int) -> None:
        given = (("y", self._y), ("groups", self._groups), ("sample_weight", self._weights))
        for name, values in given:
            if isinstance(values, np.ndarray) and len(values) != n_rows:
                raise ValueError(f"The table has {n_rows} rows, {name} has {len(values)}.")

    def membership(self, max_samples: Any, replacement: bool) -> Membership:
        """Return how rows are drawn."""
        if self._group_counts is not None:
            sizes = self._group_counts.sizes()
            return WholeGroups(sizes, _count("max_samples", max_samples, len(sizes)))
        n_drawn = _count("max_samples", max_samples, self._n_rows)
        if self._classes is not None and (sizes_of_classes := self._classes.sizes()) is not None:
            return ByClass(sizes_of_classes, rows_of_strata(sizes_of_classes, n_drawn))
        return SingleRows(self._n_rows, n_drawn, replacement)

    def part(self, batch: Batch) -> Part:
        """Return the classes and groups of a batch, by which rows are drawn."""
        codes: np.ndarray = np.empty((batch.n_rows, 0))
        groups = None
        if self._classes is not None:
            codes = np.searchsorted(self._levels, np.asarray(self.y_of(batch)))[:, np.newaxis]
        if self._group_counts is not None:
            groups = self._group_counts.codes(self._of(self._groups, batch))
        return Part(batch.first, batch.n_rows, {}, codes, None, groups)


def _drawn(
    labels: _Labels,
    columns: list[Any],
    membership: Membership,
    seeds: list[int],
    n_columns: int,
    max_memory: Any,
) -> Iterator[DrawnPatch]:
    budget = bytes_of(max_memory)
    left = memory.available() // 2 if budget is None else budget - memory.used()
    n_drawn = max(map(membership.size, seeds), default=1)
    if isinstance(membership, SingleRows):
        n_drawn = membership.n_drawn  # with replacement, rows are there as often as they are drawn
    patch_bytes = n_drawn * (n_columns + 1) * 16  # while parts are joined, they are there twice
    at_once = min(max(int(left // patch_bytes), 0), len(seeds))
    if at_once < 1:
        raise ValueError(
            f"A patch of {n_drawn} rows and {n_columns} columns needs about "
            f"{in_words(patch_bytes)}, and {in_words(max(left, 0))} are left. Lower "
            "max_samples or max_columns."
        )
    at_once = ceil(len(seeds) / ceil(len(seeds) / at_once))
    for first in range(0, len(seeds), at_once):
        some = [
            _Parts(membership.cursor(seed), _chosen(seed, columns, n_columns))
            for seed in seeds[first : first + at_once]
        ]
        needed = {name for parts in some for name in parts.columns}
        wanted = [name for name in columns if name in needed]
        for batch in labels.table.source.batches([*wanted, *labels.names], _BATCH_ROWS):
            part, y, weights = labels.part(batch), labels.y_of(batch), labels.weights_of(batch)
            for parts in some:
                parts.add(batch, part, wanted, y, weights)
        while some:
            yield some.pop(0).joined()


def _chosen(seed: int, columns: list[Any], wanted: int) -> list[Any]:
    return [columns[int(j)] for j in _core.tree_columns(seed, len(columns), wanted)]


class _Parts:
    """The parts of one patch, batch by batch."""

    def __init__(self, cursor: Cursor, columns: list[Any]) -> None:
        self.columns = columns
        self._cursor = cursor
        self._places: list[np.ndarray] = []
        self._X: list[Any] = []
        self._y: list[np.ndarray] = []
        self._weights: list[np.ndarray] = []

    def add(
        self,
        batch: Batch,
        part: Part,
        wanted: list[Any],
        y: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> None:
        at, counts = self._cursor.take(part)
        if not len(at):
            return
        if counts is not None:
            at = np.repeat(at, counts)
        self._places.append(at + batch.first)
        if isinstance(batch.table, np.ndarray):
            places = [wanted.index(j) for j in self.columns]
            self._X.append(batch.table[at][:, places])
        else:
            self._X.append(nw.from_native(batch.only(self.columns))[at.tolist(), :])
        if y is not None:
            self._y.append(y[at])
        if weights is not None:
            self._weights.append(weights[at])

    def joined(self) -> DrawnPatch:
        whole = (
            np.concatenate(self._X)
            if isinstance(self._X[0], np.ndarray)
            else nw.concat(self._X).to_native()
        )
        y = np.concatenate(self._y) if self._y else None
        weights = np.concatenate(self._weights) if self._weights else None
        return DrawnPatch(whole, y, np.concatenate(self._places), self.columns, weights)
