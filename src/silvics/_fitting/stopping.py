"""Rules that end the growth of a forest before all of its trees are grown.

Trees are grown in batches, in the order of their numbers, and the rules are asked after each batch.
What they keep is a prefix of the forest: the forest of so many trees.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, log
from typing import TYPE_CHECKING

from silvics._fitting.amounts import in_words

if TYPE_CHECKING:
    from silvics import _core


@dataclass(frozen=True)
class Verdict:
    """The end of growth: how many of the new trees are kept, and why there are no more."""

    n_trees: int
    reason: str


@dataclass(frozen=True)
class Trial:
    """The time of a small tree: its seconds, its rows, and the rows of the trees to come."""

    seconds: float
    n_rows: int
    n_rows_of_tree: int

    def seconds_of(self, n_rows: int) -> float:
        """Return the expected seconds of a tree, which grow with n log n (thesis Table 5.1)."""
        return self.seconds * n_rows * log(n_rows) / (self.n_rows * log(self.n_rows))


class StopRule:
    """A rule that may end growth. This base class never does."""

    def check(self, trial: Callable[[], Trial | None]) -> None:
        """Raise ValueError before growth if not even one tree is possible.

        ``trial()`` grows a small tree, and returns None if trees are small anyway.
        """

    def next_batch(self, trees: Sequence[_core.Tree], n_left: int, n_threads: int) -> int:
        """Return how many trees may be grown before the rule is asked again, at least one."""
        del trees, n_threads
        return n_left

    def seconds_left(self) -> float:
        """Return after how many seconds growth ends, even in the middle of a tree."""
        return inf

    def verdict(self, trees: Sequence[_core.Tree], out_of_time: bool) -> Verdict | None:
        """Return the end of growth, or None to go on. ``trees`` are all new trees so far."""
        del trees, out_of_time
        return None


class TimeBudget(StopRule):
    """Ends growth when the seconds since the start of ``fit`` are over.

    With ``n_kept`` trees of an earlier fit, there need not be a new one.
    """

    def __init__(self, seconds: float, begin: float | None = None, n_kept: int = 0) -> None:
        self._seconds, self._n_kept = seconds, n_kept
        self._begin = time.monotonic() if begin is None else begin

    def check(self, trial: Callable[[], Trial | None]) -> None:
        """Raise ValueError if one tree is expected to take twice the time, or more."""
        left = self.seconds_left()
        small = None if self._n_kept or left <= 0.0 else trial()
        if small is None or small.seconds_of(small.n_rows_of_tree) < 2.0 * left:
            return
        fits = small.n_rows_of_tree
        while fits > 2 and small.seconds_of(fits) > 0.5 * left:
            fits //= 2
        raise ValueError(
            f"max_time={self._seconds:g} is too short: a tree of {small.n_rows_of_tree} rows is "
            f"expected to take about {small.seconds_of(small.n_rows_of_tree):.2g} s. Raise "
            f"max_time, draw fewer rows for each tree (about max_samples={fits}, with "
            "bootstrap=True), or make trees smaller by max_depth."
        )

    def seconds_left(self) -> float:
        """Return what is left of the budget."""
        return max(0.0, self._begin + self._seconds - time.monotonic())

    def verdict(self, trees: Sequence[_core.Tree], out_of_time: bool) -> Verdict | None:
        """Keep the trees that were finished in time."""
        if not out_of_time and self.seconds_left() > 0.0:
            return None
        if not trees and not self._n_kept:
            raise ValueError(
                f"max_time={self._seconds:g} is over before the first tree is finished. Raise "
                "max_time, or make trees smaller by max_depth, min_samples_leaf or max_samples. "
                "silvics.inspection.estimate_cost predicts the time of a fit."
            )
        return Verdict(len(trees), f"max_time={self._seconds:g} was over")


@dataclass(frozen=True)
class Footprint:
    """Bytes that ``fit`` needs besides the trees.

    Attributes
    ----------
    fixed : int
        The coded table, the outputs, and the buffers of all threads.
    per_tree : int
        What is kept or computed for each tree besides its nodes.
    per_node : float
        The same for each node.
    """

    fixed: int
    per_tree: int = 0
    per_node: float = 0.0

    def of_tree(self, tree: _core.Tree) -> int:
        """Return the bytes of a tree."""
        return tree.memory_bytes + self.per_tree + ceil(self.per_node * tree.node_count)


class MemoryBudget(StopRule):
    """Ends growth when one more tree, as large as the largest so far, might not fit.

    The end depends on the sizes of the trees only, not on the sizes of batches.
    """

    def __init__(
        self, limit: int, footprint: Footprint, kept: Sequence[_core.Tree] = (), n_wanted: int = 1
    ) -> None:
        self._limit = limit
        self._footprint = footprint
        self._n_kept, self._n_wanted = len(kept), n_wanted
        sizes = [footprint.of_tree(tree) for tree in kept]
        self._before, self._largest = sum(sizes), max(sizes, default=0)
        self._sizes: list[int] = []
        if (least := footprint.fixed + self._before + self._largest) > limit:
            trees = f", and {in_words(self._before)} for {len(kept)} trees" if kept else ""
            self._refuse(f"{in_words(footprint.fixed)} for its tables{trees}", least)

    def next_batch(self, trees: Sequence[_core.Tree], n_left: int, n_threads: int) -> int:
        """Return how many trees as large as the largest so far fit."""
        self._measure(trees)
        if not self._largest:
            return min(n_left, n_threads)
        fit = (self._limit - self._used()) // self._largest
        if fit >= n_left:
            # Sizes vary: ask again before the last trees.
            return n_left if fit >= 2 * n_left else max(1, n_left // 2)
        return int(max(1, fit // 2))

    def verdict(self, trees: Sequence[_core.Tree], out_of_time: bool) -> Verdict | None:
        """Keep the trees that fit."""
        del out_of_time
        self._measure(trees)
        used, largest = self._footprint.fixed + self._before, 0
        for m, size in enumerate(self._sizes, start=1):
            used, largest = used + size, max(largest, size)
            if used > self._limit:
                if m == 1 and not self._n_kept:
                    fixed = in_words(self._footprint.fixed)
                    self._refuse(f"{fixed} for its tables, and {in_words(size)} for a tree", used)
                return self._end(m - 1)
            if used + largest > self._limit and m + self._n_kept < self._n_wanted:
                return self._end(m)
        return None

    def _end(self, n_trees: int) -> Verdict:
        return Verdict(n_trees, f"max_memory={in_words(self._limit)} has no space for another tree")

    def _used(self) -> int:
        return self._footprint.fixed + self._before + sum(self._sizes)

    def _measure(self, trees: Sequence[_core.Tree]) -> None:
        new = [self._footprint.of_tree(tree) for tree in trees[len(self._sizes) :]]
        self._sizes += new
        self._largest = max([self._largest, *new])

    def _refuse(self, needs: str, least: int) -> None:
        fits = ""
        if self._largest:
            left = max(self._n_wanted - self._n_kept - len(self._sizes), 0)
            whole = self._used() + self._largest * left
            one = "One more tree" if self._n_kept else "One tree"
            fits = (
                f" {one} fits into {in_words(least)}, and {self._n_wanted} trees into about "
                f"{in_words(whole)}."
            )
        raise ValueError(
            f"max_memory={in_words(self._limit)} is not enough: fit needs {needs}.{fits} Trees are "
            "smaller with max_depth, min_samples_leaf or max_samples, and fewer threads (n_jobs) "
            "need less working memory."
        )
