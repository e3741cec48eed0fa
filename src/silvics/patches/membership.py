"""Which rows belong to the patch of each tree: a function of the seed of the tree.

Rows are found through *units*, which are numbered from zero. The unit of a row is the row itself,
its group, or its place among the rows ordered by class. A patch draws units, and has their rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from silvics import _core
from silvics._predicting.sampling import RowSampling, rows_of_strata
from silvics.patches.rows import Part, Rows

# Rows of a part that are drawn, ascending from its first row, and how often (None: once each).
Drawn = tuple[np.ndarray, np.ndarray | None]


class Cursor(ABC):
    """The rows of one patch, found while the rows of the table come in order."""

    @abstractmethod
    def take(self, part: Part) -> Drawn:
        """Return the rows of the next part that belong to the patch."""


class Membership(ABC):
    """How the rows of patches are drawn.

    Attributes
    ----------
    n_rows : int
        The number of rows of the table.
    """

    n_rows: int

    @abstractmethod
    def size(self, seed: int) -> int:
        """Return the number of distinct rows of the patch of a tree."""

    @abstractmethod
    def cursor(self, seed: int) -> Cursor:
        """Return the rows of the patch of a tree, part by part."""

    @abstractmethod
    def drawn_units(self, seed: int) -> np.ndarray:
        """Return the units that the patch of a tree has, ascending."""

    def units(self) -> Units:
        """Return the units of rows, part by part."""
        return Units()


class Units:
    """The unit of each row, while the rows come in order: here the number of the row."""

    def of(self, part: Part) -> np.ndarray:
        """Return the units of the rows of the next part."""
        return np.arange(part.first, part.first + part.n_rows)


@dataclass(frozen=True)
class SingleRows(Membership):
    """Rows drawn one by one, without or with replacement."""

    n_rows: int
    n_drawn: int
    replacement: bool = False

    def size(self, seed: int) -> int:
        return _n_distinct(self, seed) if self.replacement else self.n_drawn

    def _rows(self, seed: int) -> _core.PatchRows:
        return _core.PatchRows(seed, self.n_rows, self.n_drawn, self.replacement)

    def cursor(self, seed: int) -> Cursor:
        return _RowCursor(self._rows(seed), self.replacement)

    def drawn_units(self, seed: int) -> np.ndarray:
        rows = self._rows(seed).below(self.n_rows)
        return np.unique(rows) if self.replacement else rows


@lru_cache(maxsize=1 << 12)
def _n_distinct(rows: SingleRows, seed: int) -> int:
    return len(rows.drawn_units(seed))


@dataclass
class _RowCursor(Cursor):
    rows: _core.PatchRows
    replacement: bool

    def take(self, part: Part) -> Drawn:
        rows = self.rows.below(part.first + part.n_rows)
        rows -= part.first
        if not self.replacement:
            return rows, None
        rows, counts = np.unique(rows, return_counts=True)
        return rows, counts


@dataclass(frozen=True, eq=False)
class WholeGroups(Membership):
    """Groups of rows drawn as a whole, without replacement, all equally probable."""

    sizes: np.ndarray
    n_drawn: int

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        return int(self.sizes.sum())

    def size(self, seed: int) -> int:
        return int(self.sizes[self.drawn_units(seed)].sum())

    def cursor(self, seed: int) -> Cursor:
        drawn = np.zeros(len(self.sizes), dtype=bool)
        drawn[self.drawn_units(seed)] = True
        return _GroupCursor(drawn)

    def drawn_units(self, seed: int) -> np.ndarray:
        n = len(self.sizes)
        return _core.PatchRows(seed, n, self.n_drawn).below(n)

    def units(self) -> Units:
        return _GroupUnits()


@dataclass
class _GroupCursor(Cursor):
    drawn: np.ndarray

    def take(self, part: Part) -> Drawn:
        assert part.groups is not None
        return np.flatnonzero(self.drawn[part.groups]), None


class _GroupUnits(Units):
    def of(self, part: Part) -> np.ndarray:
        assert part.groups is not None
        return part.groups.astype(np.int64)


@dataclass(frozen=True, eq=False)
class ByClass(Membership):
    """The share of each class, rounded; the unit of a row is its place in the order by class."""

    sizes: np.ndarray
    draws: list[int]

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        return int(self.sizes.sum())

    def size(self, seed: int) -> int:
        del seed
        return sum(self.draws)

    def _rows(self, seed: int) -> list[_core.PatchRows]:
        pairs = zip(self.sizes.tolist(), self.draws, strict=True)
        return [
            _core.PatchRows(seed, size, drawn, False, c + 1)
            for c, (size, drawn) in enumerate(pairs)
        ]

    def cursor(self, seed: int) -> Cursor:
        return _ClassCursor(self._rows(seed), np.zeros(len(self.sizes), dtype=np.int64))

    def drawn_units(self, seed: int) -> np.ndarray:
        starts = np.cumsum(self.sizes) - self.sizes
        pairs = zip(self._rows(seed), self.sizes.tolist(), starts.tolist(), strict=True)
        return np.concatenate([start + rows.below(size) for rows, size, start in pairs])

    def units(self) -> Units:
        return _ClassUnits(np.cumsum(self.sizes) - self.sizes)


@dataclass
class _ClassCursor(Cursor):
    rows: list[_core.PatchRows]
    seen: np.ndarray

    def take(self, part: Part) -> Drawn:
        found = []
        for c, places in enumerate(part.by_class(len(self.rows))):
            drawn = self.rows[c].below(int(self.seen[c]) + len(places))
            found.append(places[drawn - self.seen[c]])
            self.seen[c] += len(places)
        return np.sort(np.concatenate(found)), None


@dataclass
class _ClassUnits(Units):
    next_unit: np.ndarray

    def of(self, part: Part) -> np.ndarray:
        units = np.empty(part.n_rows, dtype=np.int64)
        for c, places in enumerate(part.by_class(len(self.next_unit))):
            units[places] = self.next_unit[c] + np.arange(len(places))
            self.next_unit[c] += len(places)
        return units


def membership_of(sampling: RowSampling, rows: Rows) -> Membership:
    """Return how the patches of a forest draw their rows."""
    n_drawn = sampling.n_drawn or sampling.n_samples
    if sampling.n_groups:
        assert rows.group_sizes is not None
        return WholeGroups(rows.group_sizes, n_drawn)
    if sampling.n_strata:
        assert rows.class_sizes is not None
        return ByClass(rows.class_sizes, rows_of_strata(rows.class_sizes, n_drawn))
    return SingleRows(sampling.n_samples, n_drawn, sampling.replacement)
