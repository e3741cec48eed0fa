"""Growth of a forest on patches: passes over the rows, and a tree for each patch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from numbers import Integral

import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.axes import Axes
from silvics._fitting.groups import n_groups_drawn
from silvics._fitting.growing import Growth, ask
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.stopping import StopRule
from silvics._fitting.targets import EncodedOutputs
from silvics._predicting.grown_forest import Work
from silvics._predicting.sampling import RowSampling
from silvics._tables import inputs
from silvics.patches import memory, plan
from silvics.patches.filling import Patch, fill
from silvics.patches.membership import Membership, membership_of
from silvics.patches.plan import PatchSize, Plan
from silvics.patches.rows import Rows

Progress = Callable[[int, int], object]
# Called with the seeds of finished trees, the trees, and the work of each.
Keep = Callable[[Sequence[int], Sequence[_core.Tree], Sequence[Work]], None]

# One tree reads a patch: to code it takes longer than random cuts save by codes.
_READS_PER_ROW = 0.0
# Patches of a table in memory that are filled at once, for each thread.
_PATCHES_OF_JOB = 2
_CODE_BYTES = 2  # of a value, at most


@dataclass(frozen=True, eq=False)
class PatchTask(LearningTask):
    """A learning task whose trees are grown on patches of rows that are read in passes.

    Attributes
    ----------
    rows : Rows
        The rows.
    weighted : bool
        Whether rows have weights.
    """

    rows: Rows = None  # type: ignore[assignment]
    weighted: bool = False

    @cached_property
    def membership(self) -> Membership:
        """Which rows belong to the patch of each tree."""
        return membership_of(self.sampling, self.rows)


def patch_task(task: LearningTask, rows: Rows, *, weighted: bool) -> PatchTask:
    """Return a task with the rows from which patches are filled."""
    given = {field.name: getattr(task, field.name) for field in fields(LearningTask)}
    return PatchTask(**given, rows=rows, weighted=weighted)


def columns_of_trees(task: LearningTask, seeds: Sequence[int]) -> list[np.ndarray]:
    """Return the columns that the patch of each tree has."""
    n_features = task.X.shape[1]
    wanted = parameters.n_columns_drawn(task.axes, n_features)
    return [_core.tree_columns(seed, n_features, wanted) for seed in seeds]


def n_units_drawn(axes: Axes, n_rows: int, n_groups: int) -> int:
    """Return the number of rows, or of groups, that a patch draws."""
    if n_groups:
        return n_groups_drawn(axes, n_groups)
    return parameters.n_rows_drawn(axes, n_rows, None) or n_rows


def with_fewer_rows(task: PatchTask, n_trees: int, budget: int | None) -> PatchTask:
    """Return the task with fewer rows in a patch if the budget is too small for the usual ones.

    The number depends on the parameters and the table alone, so that the forest does, too.
    """
    if budget is None:
        return task
    n_features = task.X.shape[1]
    n_columns = parameters.n_columns_drawn(task.axes, n_features) or n_features
    leaf = task.axes.min_samples_leaf
    most = plan.rows_in_budget(
        n_columns, task.outputs.n_outputs, n_trees,
        int(leaf) if isinstance(leaf, Integral) else 1, task.axes.max_leaf_nodes, budget,
    )  # fmt: skip
    usual = task.sampling.n_drawn or task.sampling.n_samples
    if most >= usual:
        return task
    axes = replace(task.axes, max_samples=max(most, task.sampling.n_strata, 1))
    return shaped(task, axes)


def shaped(task: PatchTask, axes: Axes) -> PatchTask:
    """Return the task with patches of another shape."""
    n_drawn = n_units_drawn(axes, task.sampling.n_samples, task.sampling.n_groups)
    return replace(task, axes=axes, sampling=replace(task.sampling, n_drawn=n_drawn))


def size_of_patches(
    task: PatchTask, seeds: Sequence[int], columns: Sequence[np.ndarray]
) -> PatchSize:
    """Return the size of the largest patch."""
    sampling = task.sampling
    others = 8 * task.outputs.n_outputs + 8 * (task.weighted or sampling.replacement)
    others += 4 * bool(sampling.n_groups)
    union = np.unique(np.concatenate(columns))
    widths = {j: task.rows.width(j) for j in union.tolist()}
    return PatchSize(
        n_rows=max(map(task.membership.size, seeds)),
        n_columns=max(map(len, columns)),
        row_bytes=max(sum(widths[j] for j in of_tree.tolist()) for of_tree in columns) + others,
        source_row_bytes=sum(widths.values()) + others,
        buffer_bytes=task.rows.buffer_bytes(union),
    )


def memory_of_patches(task: PatchTask, seeds: Sequence[int], n_jobs: int) -> int:
    """Return the memory of the patches that are filled at once from a table in memory.

    It includes the codes of the patches whose trees are growing.
    """
    size = size_of_patches(task, seeds, columns_of_trees(task, seeds))
    codes = _CODE_BYTES * size.n_rows * size.n_columns
    return _PATCHES_OF_JOB * n_jobs * size.patch_bytes + n_jobs * codes


def grow(
    task: PatchTask,
    seeds: Sequence[int],
    *,
    n_jobs: int,
    budget: int | None = None,
    progress: Progress | None = None,
    rules: Sequence[StopRule] = (),
    keep: Keep | None = None,
    check: Callable[[], None] | None = None,
    one_pass: bool = False,
) -> Growth:
    """Grow one tree for each seed, in as few passes over the rows as the budget allows.

    Each pass is planned by the memory that is left then: the trees take more and more of it.
    The rules are asked after the trees of a group of patches, one for each thread, and ``keep`` is
    called with them. ``check`` is called while rows are read, and may raise. With ``one_pass``,
    only as many trees are grown as one pass fills patches.
    """
    columns = columns_of_trees(task, seeds)
    size = size_of_patches(task, seeds, columns)
    # Passes over a table in memory take no time, and patches are copies of it.
    most_at_once = _PATCHES_OF_JOB * n_jobs if task.rows.in_memory else len(seeds)
    chosen: Plan | None = None
    done = Growth()
    first = 0
    while first < len(seeds):
        memory.release()
        chosen = plan.planned(
            size, len(seeds) - first, n_jobs, budget, most_at_once, at_least_one=chosen is not None
        )
        talks = getattr(task.settings, "verbose", 0) and not task.rows.in_memory
        if first == 0 and talks:
            _print_plan(chosen)
        last = first + chosen.trees_per_pass
        patches = [
            Patch(seed, task.membership, of_tree)
            for seed, of_tree in zip(seeds[first:last], columns[first:last], strict=True)
        ]
        try:
            report = None if check is None else (lambda *_: check())
            fill(task.rows, patches, chosen.batch_rows, n_jobs, report)
        except (KeyboardInterrupt, Exception) as stopped:
            return replace(done, error=stopped)
        first = last
        done = _grow_all(task, patches, chosen, done, len(seeds), budget, progress, rules, keep)
        if done.error is not None or done.stopped is not None or one_pass:
            break
    return done


def _print_plan(chosen: Plan) -> None:
    passes = "1 pass" if chosen.n_passes == 1 else f"{chosen.n_passes} passes"
    print(
        f"silvics: {passes} over the table, with patches of {chosen.trees_per_pass} trees in each",
        file=sys.stderr,
    )


def _grow_all(
    task: PatchTask,
    patches: list[Patch],
    chosen: Plan,
    done: Growth,
    n_trees: int,
    budget: int | None,
    progress: Progress | None,
    rules: Sequence[StopRule],
    keep: Keep | None,
) -> Growth:
    """Grow the trees of filled patches, and free each patch as soon as its tree is grown."""
    trees, work = list(done.trees), list(done.work)
    while patches:
        some = patches[: chosen.n_jobs]
        del patches[: chosen.n_jobs]
        seeds = [patch.seed for patch in some]
        grown = grow_some(task, some, chosen.n_jobs, continued(progress, len(trees), n_trees))
        del some
        if keep is not None:
            keep(seeds[: len(grown.trees)], grown.trees, grown.work)
        trees += grown.trees
        work += grown.work
        if grown.error is not None:
            return Growth(trees, work, grown.error)
        nodes = sum(tree.node_count for tree in trees)
        plan.check_forest(nodes * plan.NODE_BYTES, len(trees), n_trees, budget)
        so_far = Growth(trees, work)
        ask(rules, so_far, out_of_time=False, n_wanted=n_trees)
        if so_far.stopped is not None:
            return so_far
    return Growth(trees, work, None)


def continued(progress: Progress | None, done: int, total: int) -> Progress | None:
    """Return progress that continues from the trees which are done."""
    if progress is None:
        return None
    return lambda more, _: progress(done + more, total)


def grow_some(
    task: PatchTask, patches: Sequence[Patch], n_jobs: int, progress: Progress | None
) -> Growth:
    """Grow the trees of some patches, one by each thread."""
    tasks = [_task_of(task, patch) for patch in patches]
    rules = tasks[0].rules(task.axes)
    native = [
        (
            parameters.coded_table(
                task.settings, inputs.to_grow(of.X), rules, n_jobs, _READS_PER_ROW
            ),
            of.target,
            of.native_sampling,
        )
        for of in tasks
    ]
    seeds = [patch.seed for patch in patches]
    return Growth(*_core.grow_patches(native, task.criterion, rules, seeds, n_jobs, progress))


def _task_of(task: PatchTask, patch: Patch) -> PatchTask:
    """Return the task of growing one tree on all rows of its patch."""
    n_features = task.X.shape[1]
    if patch.weights is not None and not patch.weights.any():
        raise ValueError(
            "All rows of the patch of a tree have the weight zero, by sample_weight or by the "
            "weights of classes. Remove such rows, or raise max_samples."
        )
    honest_groups = None
    if patch.groups is not None and task.axes.honest:
        honest_groups = np.unique(patch.groups, return_inverse=True)[1].astype(np.uint32)
    y = patch.y
    y = y.astype(np.float64 if task.outputs.classes is None else np.int64, copy=False)
    return replace(
        task,
        X=patch.blocks(n_features, task.variables.n_levels),
        outputs=EncodedOutputs(y, task.outputs.classes),
        sampling=RowSampling(
            rows="all", n_samples=patch.n_drawn, weights=patch.weights,
            structure=task.axes.honest, groups=honest_groups,
        ),
    )  # fmt: skip
