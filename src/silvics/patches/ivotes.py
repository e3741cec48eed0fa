"""Ivotes (Breiman 1999): rows that earlier trees predict wrongly are drawn more often.

A row is drawn uniformly, and predicted by the earlier trees that did not use it. It is kept if the
prediction is wrong, and otherwise with probability e / (1 - e), where e is a running mean of the
error: e = 0.75 e + 0.25 r after each tree, r being the error of the rows drawn for it. The trees of
a block see the same earlier trees (Chawla et al. 2004), and a block takes one pass over the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from silvics import _core
from silvics._fitting.amounts import in_words
from silvics._fitting.growing import Growth, ask
from silvics._fitting.stopping import StopRule
from silvics._predicting import prediction
from silvics._tables import inputs
from silvics.patches import memory
from silvics.patches.filling import Patch, fill
from silvics.patches.growing import PatchTask, Progress, columns_of_trees, continued, grow_some
from silvics.patches.membership import SingleRows

BLOCK = 10  # trees that are grown from the same earlier trees
_FIRST_ERROR = 0.5  # every row is kept
_SPARE = 1.6  # rows drawn for each that is expected to be kept
_SMALLEST_ERROR = 0.02
_BATCH_ROWS = 1 << 14


@dataclass(eq=False)
class _Earlier:
    """The trees grown so far, the rows that each has used, and the error of their votes."""

    trees: list[_core.Tree] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)
    error: float = _FIRST_ERROR


def grow(
    task: PatchTask,
    seeds: Sequence[int],
    *,
    n_jobs: int,
    budget: int | None = None,
    progress: Progress | None = None,
    rules: Sequence[StopRule] = (),
) -> Growth:
    """Grow one tree for each seed, in blocks, on rows that are drawn by importance."""
    columns = columns_of_trees(task, seeds)
    earlier = _Earlier()
    done = Growth()
    for first in range(0, len(seeds), BLOCK):
        chosen = slice(first, first + BLOCK)
        try:
            patches, rows, errors = _drawn(
                task, seeds[chosen], columns[chosen], earlier, n_jobs, budget
            )
        except KeyboardInterrupt as stopped:
            return Growth(done.trees, done.work, stopped)
        grown = grow_some(task, patches, n_jobs, continued(progress, len(done.trees), len(seeds)))
        done = Growth([*done.trees, *grown.trees], [*done.work, *grown.work], grown.error)
        ask(rules, done, out_of_time=False, n_wanted=len(seeds))
        if done.error is not None or done.stopped is not None:
            break
        earlier.trees += grown.trees
        earlier.rows += rows
        for error in errors:
            earlier.error = 0.75 * earlier.error + 0.25 * error
    return done


def _drawn(
    task: PatchTask,
    seeds: Sequence[int],
    columns: Sequence[np.ndarray],
    earlier: _Earlier,
    n_jobs: int,
    budget: int | None,
) -> tuple[list[Patch], list[np.ndarray], list[float]]:
    """Draw the patches of a block; return their rows, and errors of the earlier trees, as well."""
    candidates = _candidates(task, seeds, earlier.error, budget)
    fill(task.rows, candidates, _BATCH_ROWS, n_jobs)
    patches, rows, errors = [], [], []
    n = task.sampling.n_samples
    for candidate, of_tree in zip(candidates, columns, strict=True):
        places = SingleRows(n, candidate.n_drawn).drawn_units(candidate.seed)
        wrong, known = _votes(task, candidate, places, earlier, n_jobs)
        kept = _kept(task, candidate.seed, wrong, earlier.error)
        patches.append(candidate.part(kept, of_tree))
        rows.append(places[kept])
        errors.append(float(wrong[known].mean()) if known.any() else _FIRST_ERROR)
    return patches, rows, errors


def _candidates(
    task: PatchTask, seeds: Sequence[int], error: float, budget: int | None
) -> list[Patch]:
    """Return patches of all columns, with as many rows as will probably be enough."""
    n, n_features = task.sampling.n_samples, task.X.shape[1]
    wanted = (task.sampling.n_drawn or n) * _SPARE / (2 * max(error, _SMALLEST_ERROR))
    n_drawn = min(n, int(np.ceil(wanted)))
    row_bytes = sum(map(task.rows.width, range(n_features))) + 16
    left = memory.available() // 2 if budget is None else budget - memory.used()
    if n_drawn * row_bytes * len(seeds) > left:
        raise ValueError(
            f'draw="importance" needs {in_words(n_drawn * row_bytes * len(seeds))} for the '
            f"rows of {len(seeds)} trees, and {in_words(max(left, 0))} are left. Lower "
            "max_samples."
        )
    every = np.arange(n_features)
    return [Patch(seed, SingleRows(n, n_drawn), every) for seed in seeds]


def _votes(
    task: PatchTask, candidate: Patch, places: np.ndarray, earlier: _Earlier, n_jobs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows the earlier trees that did not use them predict wrongly, and have any."""
    known = np.zeros(len(places), dtype=bool)
    if not earlier.trees:
        return np.ones(len(places), dtype=bool), known
    assert task.outputs.classes is not None
    matrix = inputs.to_predict(candidate.blocks(task.X.shape[1], task.variables.n_levels))
    sums = np.zeros((len(places), len(task.outputs.classes[0])))
    for tree, used in zip(earlier.trees, earlier.rows, strict=True):
        out = ~np.isin(places, used, assume_unique=True)
        values = prediction.Trees([tree]).predictor.predict(matrix, n_jobs)
        sums[out] += values[out]
        known |= out
    return (sums.argmax(axis=1) != candidate.y[:, 0]) | ~known, known


def _kept(task: PatchTask, seed: int, wrong: np.ndarray, error: float) -> np.ndarray:
    """Return the rows that are kept, as many as a patch has, or fewer if too few are."""
    random = np.random.default_rng([seed, 0x1707E5])
    error = max(error, _SMALLEST_ERROR)
    share = min(1.0, error / (1.0 - error)) if error < 1.0 else 1.0
    kept = np.flatnonzero(wrong | (random.random(len(wrong)) < share))
    wanted = task.sampling.n_drawn or len(kept)
    if len(kept) > wanted:
        kept = np.sort(random.choice(kept, wanted, replace=False))
    return kept if len(kept) else np.arange(min(1, len(wrong)))
