"""How forests grow: which trees are missing, in what order, and when growth ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from silvics import _core
from silvics._estimators.fitted_forest import FittedForest
from silvics._fitting import parameters, pruning
from silvics._fitting.amounts import bytes_of
from silvics._fitting.early_stopping import OutOfBagStop
from silvics._fitting.footprint import footprint_of, least_table_bytes
from silvics._fitting.growing import Grower, Growth, ProgressCall, grow, grower_of, shifted
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.progress import Progress
from silvics._fitting.stages import of_both_stages, residual_task
from silvics._fitting.stopping import Footprint, MemoryBudget, StopRule, TimeBudget
from silvics._predicting import prediction
from silvics._predicting.grown_forest import GrownForest, GrowthRun
from silvics._predicting.oob_scorer import OobScorer
from silvics._sklearn import CallbackSupportMixin
from silvics._tasks.choosing import Choices, grower_in_tasks, in_tasks
from silvics._tasks.fingerprint import of_table
from silvics._tasks.growing import ForestJob
from silvics._threads import n_threads
from silvics._warnings import warn_user


class GrowsTrees(CallbackSupportMixin, FittedForest):
    """Base class of forests with the steps of ``fit`` that grow trees."""

    @property
    def _stops_early(self) -> bool:
        # Parameters of some forests.
        return bool(getattr(self, "early_stopping", False)) or self._target_score is not None

    @property
    def _target_score(self) -> float | None:
        return getattr(self, "target_score", None)

    def _to_grow(self) -> tuple[GrownForest | None, int, int]:
        """Return the forest to add trees to (or None), the seed, and the number of new trees."""
        before = getattr(self, "_grown", None) if self.warm_start else None
        if before is not None and before.seed is None:
            raise ValueError(
                "warm_start=True cannot add trees to a forest that was merged, converted from "
                "scikit-learn or saved with for_prediction=True, because its seed is not known. "
                "Set warm_start=False."
            )
        if before is not None:
            before.require_whole_trees("warm_start=True")
        seed = parameters.seed_of(self.random_state) if before is None else before.seed
        assert seed is not None
        n_kept = 0 if before is None else len(before.trees)
        n_more = self._n_trees() - n_kept
        if n_more < 0:
            raise ValueError(
                f"n_estimators={self._n_trees()} must be larger or equal to "
                f"len(estimators_)={n_kept} when warm_start==True"
            )
        if n_more == 0:
            warn_user(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
            )
        return before, seed, n_more

    def _n_trees(self) -> int:
        return int(self.n_estimators)

    def _grow(
        self,
        task: LearningTask,
        given: Any,
        before: GrownForest | None,
        n_more: int,
        begin: float,
    ) -> BaseException | None:
        """Grow and keep the trees. Return the exception that stopped the growth, or None.

        ``begin`` is when the fit began, on the clock ``time.monotonic``.
        """
        kept = [] if before is None else list(before.trees)
        seeds = _core.tree_seeds(task.seed, len(kept), n_more // task.axes.stages)
        y = task.outputs.values
        context = self._init_callback_context(max_subtasks=n_more)
        context.call_on_fit_task_begin(estimator=self, X=given, y=y)
        if task.axes.stages == 1:
            growth = self._growth(task, seeds, before, begin)
        else:
            growth = self._growth_in_stages(task, seeds, begin)
        if growth.error is not None and not kept and not growth.trees:
            raise growth.error
        made = getattr(self, "_estimators", [])[: len(kept)]
        self._grown = GrownForest(
            prediction.Trees(kept + growth.trees, by_majority=task.axes.vote == "majority"),
            task.seed,
            task.sampling,
            ([] if before is None else before.work) + growth.work,
            run=growth.run,
            stages=task.axes.stages if growth.error is None else 1,
        )
        self.max_features_ = parameters.n_variables_at_node(task.axes, task.X.shape[1])
        self._forget_estimates()
        if made:  # trees that users hold remain the same objects
            self._estimators = [*made, *map(self._tree_estimator, growth.trees, seeds)]
        self.interrupted_, self.stopped_ = growth.error is not None, growth.stopped
        if growth.error is None:
            context.call_on_fit_task_end(estimator=self, X=given, y=y)
        return growth.error

    def _growth_in_stages(self, task: LearningTask, seeds: list[int], begin: float) -> Growth:
        """Grow one tree of each stage for each seed.

        After an interruption, the first stage is a whole forest by itself, and only it is kept.
        """
        n_jobs, n = n_threads(self.n_jobs), 2 * len(seeds)
        report = self._progress(n_jobs, ())
        reports = [None if report is None else shifted(report, at, n) for at in (0, len(seeds))]
        first = self._growth_here(task, seeds, None, begin, reports[0])
        if first.error is not None:
            return first
        try:
            residuals = residual_task(task, first.trees, self.n_jobs)
            second = self._growth_here(residuals, seeds, None, begin, reports[1])
            if second.error is None:
                return of_both_stages(task, first, second)
            first.error = second.error
        except KeyboardInterrupt as stopped:
            first.error = stopped
        return first

    def _growth(
        self, task: LearningTask, seeds: list[int], before: GrownForest | None, begin: float
    ) -> Growth:
        """Grow one tree for each seed, or fewer if a rule or an exception ends the growth."""
        if in_tasks(self):
            return self._growth_in_tasks(task, seeds, before, begin, n_threads(self.n_jobs))
        return self._growth_here(task, seeds, before, begin)

    def _growth_here(
        self,
        task: LearningTask,
        seeds: list[int],
        before: GrownForest | None,
        begin: float,
        report: ProgressCall | None = None,
    ) -> Growth:
        """Grow trees in this process; ``report`` is None if they are all trees of the fit."""
        n_jobs = n_threads(self.n_jobs)
        # A budget that the table alone exceeds is refused before the table is coded.
        self._stop_rules(footprint_of(self, task, least_table_bytes(task), n_jobs), before, begin)
        grower = grower_of(task, len(seeds), n_jobs)
        return self._grown_by(
            grower, task, seeds, before, begin, n_jobs, lambda trees: self._finished(task, trees),
            report,
        )  # fmt: skip

    def _growth_in_tasks(
        self,
        task: LearningTask,
        seeds: list[int],
        before: GrownForest | None,
        begin: float,
        n_jobs: int,
    ) -> Growth:
        """Grow trees on a cluster, or keep them in a folder."""
        first = 0 if before is None else len(before.trees)
        choices = Choices(
            task,
            {seed: number for number, seed in enumerate(seeds, start=first)},
            lambda: grower_of(task, len(seeds), n_jobs),
            lambda: ForestJob(task, len(seeds)),
            lambda: of_table(task.X, task.outputs.values),
            lambda trees: self._finished(task, trees),
        )
        with grower_in_tasks(self, choices, n_jobs) as (grower, n_workers):
            return self._grown_by(grower, task, seeds, before, begin, n_workers, list)

    def _grown_by(
        self,
        grower: Grower,
        task: LearningTask,
        seeds: list[int],
        before: GrownForest | None,
        begin: float,
        n_jobs: int,
        finish: Callable[[list[_core.Tree]], list[_core.Tree]],
        report: ProgressCall | None = None,
    ) -> Growth:
        """Grow the trees, and say what it took."""
        needs = footprint_of(self, task, grower.table_bytes, n_threads(self.n_jobs))
        rules = self._stop_rules(needs, before, begin)
        if self._stops_early:
            rules.append(self._early_stop(task, before, n_threads(self.n_jobs)))
        started, cpu = time.monotonic(), time.process_time()
        report = report or self._progress(n_jobs, rules)
        growth = grow(grower, seeds, n_jobs, report, rules, finish, task.begun)
        growth.run = GrowthRun(
            started - begin, time.monotonic() - started, time.process_time() - cpu,
            needs.fixed, needs.per_tree, needs.per_node,
        )  # fmt: skip
        return growth

    def _stop_rules(
        self, footprint: Footprint, before: GrownForest | None, begin: float
    ) -> list[StopRule]:
        """Return the rules that may end growth before all trees are grown."""
        rules: list[StopRule] = []
        if self.max_time is not None:
            n_kept = 0 if before is None else len(before.trees)
            rules.append(TimeBudget(self.max_time, begin, n_kept))
        limit = bytes_of(self.max_memory)
        if limit is not None:
            kept = [] if before is None else list(before.trees)
            rules.append(MemoryBudget(limit, footprint, kept, self._n_trees()))
        return rules

    def _early_stop(
        self, task: LearningTask, before: GrownForest | None, n_jobs: int
    ) -> OutOfBagStop:
        score = self.oob_score if callable(self.oob_score) else None
        kept = [] if before is None else list(before.trees)
        patience = self.n_iter_no_change if self.early_stopping else None
        scorer = None
        if self.scoring is not None:
            weights = task.sampling.weights
            counted = None if weights is None else np.asarray(weights) > 0
            scorer = OobScorer(self, self.scoring, task.outputs.values, counted)
        return OutOfBagStop(
            task, kept, patience, self.tol, score, n_jobs, self._target_score, scorer
        )

    def _progress(self, n_jobs: int, rules: Sequence[StopRule]) -> Progress | None:
        """Return what reports the number of trees; None if nobody listens."""
        limit = (lambda: min(rule.seconds_left() for rule in rules)) if rules else None
        return Progress(self, n_workers=n_jobs, limit=limit) or None

    def _finished(self, task: LearningTask, trees: list[_core.Tree]) -> list[_core.Tree]:
        """Prune the grown trees if the recipe asks for it."""
        return pruning.pruned(task.axes, trees, task.X, task.outputs.values, task.held_out)
