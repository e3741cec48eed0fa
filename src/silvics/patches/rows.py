"""The rows from which patches are filled: coded as trees need them, from memory or from a scan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from silvics._tables.table import Blocks


@dataclass(frozen=True, eq=False)
class Part:
    """Some consecutive rows.

    Attributes
    ----------
    first : int
        Number of the first row.
    n_rows : int
        Number of rows.
    columns : dict of int to ndarray
        Columns in the form of the core, by their place among all columns.
    y : ndarray of shape (n_rows, n_outputs)
        Indices of classes, or real values.
    weights : ndarray of shape (n_rows,), or None
        Weights of the rows, including those of classes.
    groups : ndarray of shape (n_rows,), or None
        The number of the group of each row, if groups are drawn as a whole.
    """

    first: int
    n_rows: int
    columns: dict[int, np.ndarray]
    y: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None = None

    def by_class(self, n_classes: int) -> list[np.ndarray]:
        """Return the rows of each class of the first output, ascending."""
        if "classes" not in vars(self):  # many patches ask for it
            order = np.argsort(self.y[:, 0], kind="stable")
            ends = np.cumsum(np.bincount(self.y[:, 0].astype(np.int64), minlength=n_classes))
            vars(self)["classes"] = np.split(order, ends[:-1])
        found: list[np.ndarray] = vars(self)["classes"]
        return found


class Rows(Protocol):
    """A table that is read in passes."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    @property
    def in_memory(self) -> bool:
        """Whether passes take no time."""

    @property
    def group_sizes(self) -> np.ndarray | None:
        """The number of rows of each group, if groups are drawn as a whole."""

    @property
    def class_sizes(self) -> np.ndarray | None:
        """The number of rows of each class of the first output; None for regression."""

    def parts(self, columns: np.ndarray, batch_rows: int) -> Iterator[Part]:
        """Read all rows in order, with some columns; every call is a pass."""

    def width(self, column: int) -> int:
        """Return the bytes of a value of a column, at most."""

    def buffer_bytes(self, columns: np.ndarray) -> int:
        """Return the memory that a pass over these columns takes beside batches of rows."""


class RowsInMemory:
    """The rows of a dense table in memory, which are read as one part without a copy."""

    in_memory = True

    def __init__(
        self,
        X: Blocks,
        y: np.ndarray,
        weights: np.ndarray | None,
        groups: np.ndarray | None = None,
        n_classes: int | None = None,
    ) -> None:
        self.n_rows = X.shape[0]
        self._columns = columns_of(X)
        self._y, self._weights, self._groups = y, weights, groups
        self.group_sizes = None if groups is None else np.bincount(groups)
        self.class_sizes = None
        if n_classes is not None:
            self.class_sizes = np.bincount(y[:, 0], minlength=n_classes)

    def parts(self, columns: np.ndarray, batch_rows: int) -> Iterator[Part]:
        del batch_rows
        chosen = {int(j): self._columns[j] for j in columns}
        yield Part(0, self.n_rows, chosen, self._y, self._weights, self._groups)

    def width(self, column: int) -> int:
        return self._columns[column].dtype.itemsize

    def buffer_bytes(self, columns: np.ndarray) -> int:
        del columns
        return 0


def columns_of(X: Blocks) -> list[np.ndarray]:
    """Return the columns of blocks one by one."""
    return [block[:, k] for block in X.blocks for k in range(block.shape[1])]
