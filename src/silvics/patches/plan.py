"""How many patches are filled in one pass, under a memory budget."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from silvics._fitting.amounts import in_words
from silvics.patches import memory

# Bytes of the batches of rows that are in memory at once, of which each costs some time: one is
# used, another is decoded, and there are codes, and buffers of files.
_FEWEST_BATCH_BYTES, _MOST_BATCH_BYTES, _SHARE_OF_BATCHES = 24 << 20, 96 << 20, 12
_BATCHES_AT_ONCE = 4
_MOST_BATCH_ROWS = 1 << 17
# Growing a tree takes, for each row of its patch, the codes of its columns (and a copy of some of
# them while they are made), the order of its rows, and nodes.
_GROWTH_BYTES_OF_ROW, _GROWTH_BYTES_OF_CELL = 120, 6
# Bytes of a node of a finished tree, with what predicts and what describes it.
NODE_BYTES = 44


@dataclass(frozen=True)
class PatchSize:
    """The sizes that determine the memory of a fit.

    Attributes
    ----------
    n_rows : int
        Number of rows of a patch.
    n_columns : int
        Number of columns of a patch.
    row_bytes : int
        Bytes of a row of a patch, with its outputs and weight, at most.
    source_row_bytes : int
        Bytes of a row with the columns that all trees together need.
    buffer_bytes : int
        Bytes that reading takes beside batches of rows.
    """

    n_rows: int
    n_columns: int
    row_bytes: int
    source_row_bytes: int
    buffer_bytes: int = 0

    @property
    def patch_bytes(self) -> int:
        return self.n_rows * self.row_bytes

    @property
    def growth_bytes(self) -> int:
        cell = _GROWTH_BYTES_OF_CELL * self.n_columns
        return self.n_rows * (_GROWTH_BYTES_OF_ROW + cell)


@dataclass(frozen=True)
class Plan:
    """How the patches of some trees are filled.

    Attributes
    ----------
    trees_per_pass, n_passes : int
        How many trees are filled in one pass, and the number of passes.
    n_jobs : int
        Number of trees that are grown at the same time.
    batch_rows : int
        Number of rows that are read at once.
    """

    trees_per_pass: int
    n_passes: int
    n_jobs: int
    batch_rows: int


def rows_in_budget(
    n_columns: int,
    n_outputs: int,
    n_trees: int,
    min_samples_leaf: int,
    max_leaf_nodes: int | None,
    budget: int,
) -> int:
    """Return the most rows of a patch that a memory budget suggests.

    A patch and the growth of its tree take at most half of the budget, and all trees 0.4 of it, if
    their leaves have the smallest number of rows. Values count with 8 bytes, whatever their type.
    """
    row = n_columns * (8 + _GROWTH_BYTES_OF_CELL) + _GROWTH_BYTES_OF_ROW + 8 * (n_outputs + 1)
    of_patch = budget // (2 * row)
    nodes = int(0.4 * budget / (NODE_BYTES * n_trees))
    if max_leaf_nodes is not None and 2 * max_leaf_nodes <= nodes:
        return of_patch
    return min(of_patch, nodes // 2 * min_samples_leaf)


def planned(
    size: PatchSize,
    n_trees: int,
    n_jobs: int,
    budget: int | None,
    most_at_once: int,
    *,
    at_least_one: bool = False,
) -> Plan:
    """Return how many patches are filled in a pass; ValueError if not even one fits the budget.

    Without a budget, half of the free memory is used. A fit that has begun goes on with at least
    one patch in each pass (``at_least_one``), rather than fail because of the trees so far.
    """
    now = memory.used()
    limit = now + memory.available() // 2 if budget is None else budget
    batches = np.clip((limit - now) // _SHARE_OF_BATCHES, _FEWEST_BATCH_BYTES, _MOST_BATCH_BYTES)
    of_row = _BATCHES_AT_ONCE * size.source_row_bytes
    batch_rows = int(np.clip(batches // of_row, 256, _MOST_BATCH_ROWS))
    batch = batch_rows * of_row + size.buffer_bytes + (8 << 20)
    left = limit - now - batch
    jobs = n_jobs
    while jobs > 1 and left < jobs * size.growth_bytes + n_jobs * size.patch_bytes:
        jobs -= 1  # rather one tree at a time than one patch per pass
    at_once = (left - jobs * size.growth_bytes) // max(size.patch_bytes, 1)
    if at_once < 1 and at_least_one:
        at_once = 1
    elif at_once < 1:
        _refuse(size, limit, now, batch, budget)
    at_once = min(at_once, n_trees, most_at_once)
    n_passes = ceil(n_trees / at_once)
    return Plan(ceil(n_trees / n_passes), n_passes, jobs, batch_rows)


def _refuse(size: PatchSize, limit: int, now: int, batch: int, budget: int | None) -> None:
    needed = size.patch_bytes + size.growth_bytes
    left = limit - now - batch
    name = "the free memory" if budget is None else f"max_memory={in_words(budget)}"
    if left <= 0:
        raise ValueError(
            f"{name} is too small for any patch: the process already uses {in_words(now)}, "
            f"and reading the table needs {in_words(batch)}."
        )
    fits = int(size.n_rows * left / needed * 0.95)
    raise ValueError(
        f"A patch of {size.n_rows} rows and {size.n_columns} columns does not fit into {name}: "
        f"filling it and growing its tree needs {in_words(needed)}, and "
        f"{in_words(left)} are left beside the {in_words(now)} that the process "
        f"already uses. Set max_samples={max(fits, 1)}, or lower max_columns."
    )


def check_forest(n_bytes: float, n_grown: int, n_trees: int, budget: int | None) -> None:
    """Raise ValueError if the trees themselves will not fit the budget, by those grown so far."""
    if budget is None or not n_grown:
        return
    whole = n_bytes / n_grown * n_trees
    if whole > 0.9 * budget:
        raise ValueError(
            f"The first {n_grown} trees take {in_words(n_bytes)}, so that {n_trees} trees "
            f"would take {in_words(whole)}, which does not fit into max_memory="
            f"{in_words(budget)}. Lower n_estimators or max_samples, or make the trees "
            "smaller by min_samples_leaf or max_leaf_nodes."
        )
