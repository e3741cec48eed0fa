"""The function ``draw``: random patches as frames or arrays, for models of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.amounts import bytes_of, in_words
from silvics._sources.scanning import Scan, scan
from silvics._sources.source import Batch
from silvics.patches import memory

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
        Numbers of the rows in the table, ascending.
    columns : list
        The columns: names, or numbers if the table is an array.

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


def draw(
    data: Any,
    y: Any = None,
    *,
    n_patches: int = 10,
    max_samples: float = 0.25,
    max_columns: float = 0.5,
    max_memory: Any = None,
    random_state: Any = None,
) -> Iterator[DrawnPatch]:
    """Draw random patches of a table, which may be larger than the memory (thesis 8.1).

    Each patch has rows and columns that are drawn without replacement. With it, models of any kind
    can be trained on patches and averaged, as ``RandomPatchesClassifier`` does with trees. One pass
    over the table fills as many patches as the memory allows.

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
        Number of columns of a patch, or fraction of all columns other than y.
    max_memory : int, float, str or None, default=None
        Limit of the resident memory of the process, such as "1GB". None uses up to half of the free
        memory.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. The rows of a patch depend on it and on the number of rows alone.

    Yields
    ------
    patch : DrawnPatch
        A patch, with the attributes ``X``, ``y``, ``rows`` and ``columns``.

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
    table = data if isinstance(data, Scan) else scan(data)
    columns = [name for name in table.columns if not (isinstance(y, str) and name == y)]
    if isinstance(y, str):
        table.source.check_column(y, "y")
    n_rows = table.source.n_rows()
    if n_rows is None:
        n_rows = sum(b.n_rows for b in table.source.batches(columns[:1], _BATCH_ROWS))
    values = None if y is None or isinstance(y, str) else np.asarray(y)
    if values is not None and len(values) != n_rows:
        raise ValueError(f"The table has {n_rows} rows, y has {len(values)}.")
    n_drawn = _count("max_samples", max_samples, n_rows)
    n_columns = _count("max_columns", max_columns, len(columns))
    seeds = _core.tree_seeds(parameters.seed_of(random_state), 0, int(n_patches))
    return _drawn(table, columns, y, values, seeds, (n_rows, n_drawn, n_columns), max_memory)


def _count(name: str, wanted: Any, whole: int) -> int:
    """Return the number that a number or a fraction of a whole means."""
    count = wanted if isinstance(wanted, int | np.integer) else max(1, round(wanted * whole))
    if not 1 <= count <= whole:
        raise ValueError(f"{name}={wanted} must mean a number from 1 to {whole}.")
    return int(count)


def _drawn(
    table: Scan,
    columns: list[Any],
    y: Any,
    values: np.ndarray | None,
    seeds: list[int],
    sizes: tuple[int, int, int],
    max_memory: Any,
) -> Iterator[DrawnPatch]:
    n_rows, n_drawn, n_columns = sizes
    budget = bytes_of(max_memory)
    left = memory.available() // 2 if budget is None else budget - memory.used()
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
            _Parts(seed, n_rows, n_drawn, _chosen(seed, columns, n_columns))
            for seed in seeds[first : first + at_once]
        ]
        needed = {name for parts in some for name in parts.columns}
        wanted = [name for name in columns if name in needed]
        if isinstance(y, str):
            wanted.append(y)
        for batch in table.source.batches(wanted, _BATCH_ROWS):
            for parts in some:
                parts.add(batch, wanted, y, values)
        while some:
            yield some.pop(0).joined()


def _chosen(seed: int, columns: list[Any], wanted: int) -> list[Any]:
    return [columns[int(j)] for j in _core.tree_columns(seed, len(columns), wanted)]


class _Parts:
    """The parts of one patch, batch by batch."""

    def __init__(self, seed: int, n_rows: int, n_drawn: int, columns: list[Any]) -> None:
        self.columns = columns
        self._rows = _core.PatchRows(seed, n_rows, n_drawn)
        self._places: list[np.ndarray] = []
        self._X: list[Any] = []
        self._y: list[np.ndarray] = []

    def add(self, batch: Batch, wanted: list[Any], y: Any, values: np.ndarray | None) -> None:
        rows = self._rows.below(batch.first + batch.n_rows)
        if not len(rows):
            return
        self._places.append(rows)
        at = rows - batch.first
        if isinstance(batch.table, np.ndarray):
            places = [wanted.index(j) for j in self.columns]
            self._X.append(batch.table[at][:, places])
        else:
            self._X.append(nw.from_native(batch.only(self.columns))[at.tolist(), :])
        if values is not None:
            self._y.append(values[rows])
        elif y is not None:
            self._y.append(batch.column(y)[at])

    def joined(self) -> DrawnPatch:
        whole = (
            np.concatenate(self._X)
            if isinstance(self._X[0], np.ndarray)
            else nw.concat(self._X).to_native()
        )
        y = np.concatenate(self._y) if self._y else None
        return DrawnPatch(whole, y, np.concatenate(self._places), self.columns)
