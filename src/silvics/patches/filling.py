"""Patches in memory, filled from rows that come in order."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from silvics._tables.table import Blocks
from silvics.patches.membership import Membership, SingleRows
from silvics.patches.rows import Part, Rows

_FEWEST_MAPPED_BYTES = 1 << 16
# Threads share the patches if a part has at least so many values of them: fewer are copied in less
# time than threads wait for each other, while a reader decodes the next part.
_FEWEST_SHARED_VALUES = 1 << 20


class Patch:
    """The rows and columns of one tree.

    Values keep the width that they have in the table until the tree is grown.

    Parameters
    ----------
    seed : int
        Seed of the tree, which determines the rows and the columns.
    membership : Membership
        How the rows are drawn.
    columns : ndarray of int
        The columns of the patch, ascending.
    unit_of : Membership or None
        If given, the units of the rows by this membership are kept, in ``units``.
    """

    def __init__(
        self,
        seed: int,
        membership: Membership,
        columns: np.ndarray,
        *,
        unit_of: Membership | None = None,
    ) -> None:
        self.seed, self.columns = seed, columns
        self._places: list[int] = columns.tolist()
        self.n_drawn = membership.size(seed)
        self._cursor = membership.cursor(seed)
        self._units = None if unit_of is None else unit_of.units()
        self._filled = 0
        self._values: dict[int, np.ndarray] = {}
        self.y = np.empty(0)
        self.weights: np.ndarray | None = None
        self.groups: np.ndarray | None = None
        self.units: np.ndarray | None = None

    def add(self, part: Part) -> None:
        """Copy those of some rows that belong to the patch."""
        rows, counts = self._cursor.take(part)
        units = None if self._units is None else self._units.of(part)
        if not len(rows):
            return
        begin, end = self._filled, self._filled + len(rows)
        for j in self._places:
            values, kept = part.columns[j], self._values.get(j)
            if kept is not None and kept.dtype is values.dtype:  # without what _put decides
                values.take(rows, 0, kept[begin:end], "clip")
            else:
                self._values[j] = self._put(kept, values, rows, begin)
        for k in range(part.y.shape[1]):
            if k == 0 and begin == 0:
                self.y = np.empty((self.n_drawn, part.y.shape[1]), part.y.dtype)
            self.y[begin:end, k] = part.y[rows, k]
        if counts is not None:
            weights = counts.astype(np.float64)
            if part.weights is not None:
                weights *= part.weights[rows]
            self.weights = self._put(self.weights, weights, np.arange(len(rows)), begin)
        elif part.weights is not None:
            self.weights = self._put(self.weights, part.weights, rows, begin)
        if part.groups is not None:
            self.groups = self._put(self.groups, part.groups, rows, begin)
        if units is not None:
            self.units = self._put(self.units, units, rows, begin)
        self._filled = end

    def _put(
        self, kept: np.ndarray | None, values: np.ndarray, rows: np.ndarray, begin: int
    ) -> np.ndarray:
        """Append the values of some rows; the type becomes wider where they need it."""
        if kept is None:
            kept = _buffer(self.n_drawn, values.dtype)
        elif kept.dtype != values.dtype:
            wider = np.promote_types(kept.dtype, values.dtype)
            if wider != kept.dtype:
                kept = kept.astype(wider)
        out = kept[begin : begin + len(rows)]
        if kept.dtype == values.dtype:
            np.take(values, rows, out=out, mode="clip")  # "raise" would use a buffer
        else:
            out[:] = values[rows]
        return kept

    def part(self, rows: np.ndarray, columns: np.ndarray) -> Patch:
        """Return a patch with some of its rows and columns."""
        made = Patch(self.seed, SingleRows(len(rows), len(rows)), columns)
        made._values = {j: self._values[j][rows] for j in columns.tolist()}
        made.y = self.y[rows]
        made.weights = None if self.weights is None else self.weights[rows]
        made._filled = len(rows)
        return made

    def not_in(self, drawn_units: np.ndarray) -> np.ndarray:
        """Return which of its rows do not belong to a patch that has drawn these units."""
        assert self.units is not None
        return ~np.isin(self.units, drawn_units)

    def blocks(self, n_features: int, n_levels: Sequence[int]) -> Blocks:
        """Return the patch as a table of all columns, of which the others take no memory."""
        assert self._filled == self.n_drawn
        blocks, at = [], 0
        of_column = list(n_levels) and [-1] * n_features
        for j in [*self.columns.tolist(), n_features]:
            if j > at:
                blocks.append(np.broadcast_to(np.zeros((1, 1)), (self.n_drawn, j - at)))
            if j < n_features:
                blocks.append(self._values[j][:, np.newaxis])
                if of_column:
                    of_column[j] = n_levels[j]
            at = j + 1
        return Blocks(blocks, of_column, (self.n_drawn, n_features))


def _buffer(n: int, dtype: np.dtype) -> np.ndarray:
    """Return an array whose memory goes back to the system as soon as it is not used.

    The allocator would keep it, and the process would grow with every pass.
    """
    n_bytes = n * dtype.itemsize
    if n_bytes < _FEWEST_MAPPED_BYTES:
        return np.empty(n, dtype)
    return np.frombuffer(mmap.mmap(-1, n_bytes), dtype, n)


def fill(
    rows: Rows,
    patches: Sequence[Patch],
    batch_rows: int,
    n_jobs: int,
    report: Callable[[int, int], object] | None = None,
) -> None:
    """Fill patches in one pass over the rows; threads share the patches if parts are large."""
    union = np.unique(np.concatenate([patch.columns for patch in patches]))
    values = sum(patch.n_drawn * len(patch.columns) for patch in patches)
    with ThreadPoolExecutor(n_jobs) as pool:
        for part in rows.parts(union, batch_rows):
            is_small = values * part.n_rows < _FEWEST_SHARED_VALUES * rows.n_rows
            n_shares = 1 if is_small else min(n_jobs, len(patches))
            shares = [patches[k::n_shares] for k in range(n_shares)]
            if n_shares == 1:
                _add(part, patches)
            else:
                list(pool.map(_add, [part] * n_shares, shares))
            if report is not None:
                report(part.first + part.n_rows, rows.n_rows)


def _add(part: Part, patches: Sequence[Patch]) -> None:
    for patch in patches:
        patch.add(part)
