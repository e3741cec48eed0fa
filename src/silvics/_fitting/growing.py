"""Growth of the trees of a learning task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from silvics import _core
from silvics._fitting import parameters, rotation
from silvics._fitting.learning_task import LearningTask
from silvics._predicting.grown_forest import Work
from silvics._tables import inputs


@dataclass(frozen=True, eq=False)
class Growth:
    """The grown trees, the work that each took, and the exception that stopped it, if any."""

    trees: list[_core.Tree]
    work: list[Work]
    error: BaseException | None


def grow(
    task: LearningTask,
    seeds: list[int],
    n_jobs: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> Growth:
    """Grow one tree for each seed."""
    if task.axes.rotates:
        return Growth(*rotation.grow(task, seeds, n_jobs, progress))
    # Allocate what is kept before coding the table, which needs memory temporarily.
    target, sampling = task.target, task.native_sampling
    rules = task.rules(task.axes)
    n_samples = task.X.shape[0]
    reads_per_row = task.sampling.n_rows_drawn * len(seeds) / n_samples
    table = parameters.coded_table(
        task.settings, inputs.to_grow(task.X), rules, n_jobs, reads_per_row
    )
    criterion = task.criterion
    return Growth(*_core.grow(table, target, sampling, criterion, rules, seeds, n_jobs, progress))
