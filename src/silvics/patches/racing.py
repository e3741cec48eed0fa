"""The race of shapes: ``max_samples="auto"`` and ``max_columns="auto"`` (thesis 8.4).

Every shape grows a few trees. Its error as a forest of all trees is estimated on rows that are out
of the patches: the squared error of the mean of c trees, less the variance of a tree over c, plus
that variance over the number of trees of the forest. Shapes that are clearly worse than the best,
by the differences on the same rows, are dropped, and the others grow more trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.amounts import in_words
from silvics._predicting import prediction
from silvics._tables import inputs
from silvics.patches import memory
from silvics.patches.filling import Patch, fill
from silvics.patches.growing import PatchTask, grow_some, shaped, size_of_patches
from silvics.patches.membership import SingleRows

SAMPLES = (0.01, 0.03, 0.1, 0.25, 0.5, 0.75)
COLUMNS = (0.25, 0.5, 0.75, 1.0)
_FEWEST_ROWS = 50
_TREES_OF_ROUNDS = (2, 4, 8)
_CLEARLY = 1.5  # standard errors by which a shape must be worse to be dropped
_SAMPLE_ROWS = 4000
_BATCH_ROWS = 1 << 14
_NO_TREE, _FIRST_TREE = 2**32 - 2, 2**31  # numbers that no tree of a forest has


@dataclass(eq=False)
class Racer:
    """A shape, and what its trees predict for the rows of the sample."""

    task: PatchTask
    sums: np.ndarray
    squares: np.ndarray
    counts: np.ndarray
    seeds: list[int] = field(default_factory=list)

    @property
    def cost(self) -> float:
        """The number of values of a patch."""
        axes, sampling = self.task.axes, self.task.sampling
        n_columns = parameters.n_columns_drawn(axes, self.task.X.shape[1])
        return float((sampling.n_drawn or 0) * (n_columns or self.task.X.shape[1]))

    def errors(self, y: np.ndarray, n_trees: int) -> np.ndarray:
        """Return the estimated squared error of each row; NaN for rows with less than two trees."""
        counts = self.counts[:, np.newaxis]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.sums / counts
            variance = (self.squares / counts - mean**2) * counts / (counts - 1)
            found = (mean - y) ** 2 - variance / counts + variance / n_trees
        found[self.counts < 2] = np.nan
        return found.sum(axis=1)


def shapes(task: PatchTask, rows_auto: bool, columns_auto: bool) -> list[PatchTask]:
    """Return a task for each shape that is tried, smallest first."""
    axes, n, p = task.axes, task.sampling.n_samples, task.X.shape[1]
    given = [(axes.max_samples, axes.max_columns)]
    samples = [a for a in SAMPLES if a * n >= _FEWEST_ROWS] or [SAMPLES[-1]]
    pairs = list(
        product(samples if rows_auto else [given[0][0]], COLUMNS if columns_auto else [given[0][1]])
    )
    tasks, seen = [], set()
    for max_samples, max_columns in pairs:
        chosen = replace(axes, max_samples=max_samples, max_columns=max_columns)
        made = shaped(task, chosen)
        key = (made.sampling.n_drawn, parameters.n_columns_drawn(chosen, p))
        if key not in seen:
            seen.add(key)
            tasks.append(made)
    return tasks


def raced(
    task: PatchTask,
    n_trees: int,
    *,
    rows_auto: bool,
    columns_auto: bool,
    n_jobs: int,
    budget: int | None,
) -> PatchTask:
    """Return the task with the shape that wins the race."""
    tasks = [one for one in shapes(task, rows_auto, columns_auto) if _fits(one, budget)]
    if not tasks:
        raise ValueError(
            f"No shape of patches fits into max_memory={in_words(budget or 0)}. Raise it, "
            "or set max_samples and max_columns."
        )
    sampling, n_features = task.sampling, task.X.shape[1]
    seed = _core.tree_seeds(task.seed, _NO_TREE, 1)[0]
    n_sample = min(_SAMPLE_ROWS, sampling.n_samples)
    rows = SingleRows(sampling.n_samples, n_sample)
    sample = Patch(seed, rows, np.arange(n_features), unit_of=task.membership)
    racers: list[Racer] = []
    y = np.empty(0)
    first_tree = _FIRST_TREE
    for round_, n_more in enumerate(_TREES_OF_ROUNDS):
        entering = tasks if round_ == 0 else [racer.task for racer in racers]
        patches = []
        for one in entering:
            seeds = _core.tree_seeds(task.seed, first_tree, n_more)
            first_tree += n_more
            patches.append([_patch(one, of_tree) for of_tree in seeds])
        every = [patch for of_shape in patches for patch in of_shape]
        fill(task.rows, [sample, *every] if round_ == 0 else every, _BATCH_ROWS, n_jobs)
        if round_ == 0:
            matrix = inputs.to_predict(sample.blocks(n_features, task.variables.n_levels))
            y = _as_shares(task, sample.y)
            racers = [
                Racer(one, np.zeros(y.shape), np.zeros(y.shape), np.zeros(len(y))) for one in tasks
            ]
        for racer, of_shape in zip(racers, patches, strict=True):
            _race(racer, of_shape, matrix, sample, n_jobs)
        racers = _not_worse(racers, y, n_trees, _CLEARLY)[: (len(racers) + 2) // 3]
        if len(racers) == 1:
            break
    # Of shapes that the rows do not tell apart, the one with the smallest patches.
    return min(_not_worse(racers, y, n_trees, 1.0), key=lambda racer: racer.cost).task


def _fits(task: PatchTask, budget: int | None) -> bool:
    """Return whether the patches of a round fit the budget beside those of other shapes.

    One thread is counted, so that the shape does not depend on ``n_jobs``.
    """
    seeds = _core.tree_seeds(task.seed, _FIRST_TREE, 1)
    size = size_of_patches(task, seeds, [_patch(task, seed).columns for seed in seeds])
    left = memory.available() // 2 if budget is None else budget - memory.used()
    n_shapes = len(SAMPLES) * len(COLUMNS) / 3  # most are smaller
    return _TREES_OF_ROUNDS[0] * n_shapes * size.patch_bytes + size.growth_bytes < left


def _patch(task: PatchTask, seed: int) -> Patch:
    n_features = task.X.shape[1]
    columns = _core.tree_columns(
        seed, n_features, parameters.n_columns_drawn(task.axes, n_features)
    )
    return Patch(seed, task.membership, columns)


def _as_shares(task: PatchTask, y: np.ndarray) -> np.ndarray:
    """Return what trees should predict: zeros and ones for classes, or the numbers."""
    if task.outputs.classes is None:
        return y.astype(np.float64)
    columns = [np.eye(len(of))[y[:, k]] for k, of in enumerate(task.outputs.classes)]
    return np.concatenate(columns, axis=1)


def _race(
    racer: Racer, patches: Sequence[Patch], matrix: _core.Matrix, sample: Patch, n_jobs: int
) -> None:
    """Grow the trees of some patches, and add what they predict for rows that they do not have."""
    membership = racer.task.membership
    grown = grow_some(racer.task, list(patches), n_jobs, None)
    if grown.error is not None:
        raise grown.error
    for tree, patch in zip(grown.trees, patches, strict=True):
        out = sample.not_in(membership.drawn_units(patch.seed))
        values = prediction.Trees([tree]).predictor.predict(matrix, n_jobs)
        racer.sums[out] += values[out]
        racer.squares[out] += values[out] ** 2
        racer.counts += out


def _not_worse(racers: list[Racer], y: np.ndarray, n_trees: int, limit: float) -> list[Racer]:
    """Return the shapes that are at most ``limit`` standard errors worse than the best, by rank.

    The rank is by the error plus its standard error, since the smallest of many estimates would
    often be one of those with the largest errors: large patches leave few rows out.
    """
    errors = np.array([racer.errors(y, n_trees) for racer in racers])
    bounds = [_mean_and_error(of_shape) for of_shape in errors]
    order = np.argsort([mean + error for mean, error in bounds], kind="stable").tolist()
    best = order[0]
    kept = []
    for k in order:
        mean, error = _mean_and_error(errors[k] - errors[best])
        if k == best or mean <= limit * error:
            kept.append(racers[k])
    return kept


def _mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """Return the mean of the rows with a value, and its standard error."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return np.inf, np.inf
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))
