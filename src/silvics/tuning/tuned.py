"""Tuning of a forest: the race, the choice of limits, and the trees that are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, inf
from numbers import Integral
from sys import maxsize
from typing import Any

import numpy as np

from silvics._fitting.axes import Axes
from silvics._fitting.growing import Growth
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.parameters import native_size
from silvics._fitting.tunable import LIMITS, RACED
from silvics._state import with_state
from silvics._threads import n_threads
from silvics.recipes import AUTO_FIRST
from silvics.tuning import scores as scoring_of
from silvics.tuning.arms import N_FOLDS, Arm, Limits, Tables
from silvics.tuning.race import Race, Trial
from silvics.tuning.request import (
    Request,
    candidates,
    check_recipe,
    grid_of,
    limit_settings,
    phases,
)
from silvics.tuning.result import TuningResults
from silvics.tuning.scores import Scoring, Votes

MakeTask = Callable[[dict[str, Any]], LearningTask]

_MANY_ROWS = 200_000  # from here on, fewer trees decide
_MOST_VALUES = 2**21  # of one table of votes
_LEAST_CALIBRATED = 25  # rows of positive weight
_AT_ONCE = 64  # limits that one traversal scores
_PROBABILITY_SCORES = (None, "neg_log_loss", "neg_brier_score")


@dataclass(eq=False)
class Tuned:
    """The chosen parameters, and what has been grown under them.

    Attributes
    ----------
    task : LearningTask
        What the other trees are grown from.
    growth : Growth
        The first trees of the forest; none if they have to be grown.
    params : dict
        The chosen parameters.
    results : TuningResults or None
        What was compared; None if tuning was interrupted.
    """

    task: LearningTask
    growth: Growth
    params: dict[str, Any]
    results: TuningResults | None


class Tuner:
    """Tunes one forest.

    Parameters
    ----------
    forest : estimator
        The forest; it is not changed.
    request : Request
        What to search.
    make_task : callable
        Function that returns the task of the forest with some parameters replaced.
    n_trees : int
        The number of trees of the forest.
    """

    def __init__(self, forest: Any, request: Request, make_task: MakeTask, n_trees: int) -> None:
        self._forest, self._request, self._n_trees = forest, request, n_trees
        self._make_task = make_task
        self._unlimited = {
            name: value for name, value in LIMITS.items() if name in (request.grid or {})
        }
        if hasattr(forest, "recipe"):  # where None and 2 may limit growth
            least: dict[str, Any] = {"max_depth": native_size(maxsize), "min_samples_split": 1}
            self._unlimited |= {name: least[name] for name in least if name in self._unlimited}
        first = self._first_changes()
        task = self._task(first)
        width = sum(task.outputs.n_classes) or task.outputs.n_outputs
        most_rows = min(50_000, max(_MOST_VALUES // (_AT_ONCE * (width + 1)), 2000))
        self._scoring = Scoring(forest, task, forest.scoring, n_trees, most_rows)
        self._tables = Tables(n_threads(forest.n_jobs))
        many = task.sampling.n_rows_drawn > _MANY_ROWS
        later = min(max(round(0.12 * n_trees), 10), 24)
        self._race_sizes = (4, 8, 14) if many else (6, later, later + 8)
        self._n_deciding = 16 if many else 30
        self._first = Arm(first, task, self._scoring, self._tables)

    def _first_changes(self) -> dict[str, Any]:
        if self._request.auto:
            first: dict[str, Any] = dict(AUTO_FIRST)
            # All variables, as in scikit-learn: fewer of them can then win at a lower cost.
            if not self._forest._classification and "max_features" in self._request.free:
                first["max_features"] = 1.0
            return first
        grid = self._request.grid or {}
        return {name: grid[name][0] for name in RACED if name in grid}

    def _task(self, changes: dict[str, Any]) -> LearningTask:
        task = self._make_task({**changes, **self._unlimited})
        check_recipe(task.axes, task.settings)
        if "max_leaf_nodes" in self._unlimited and task.axes.growth not in (None, "best_first"):
            raise ValueError(
                "tune has 'max_leaf_nodes', which can only be tuned for growth that is best "
                f"first, but growth={task.axes.growth!r}. Set growth=None."
            )
        return task

    def run(self) -> Tuned:
        """Tune; after an interruption, return the trees of the leader."""
        race = None
        try:
            race = Race(self._scoring, self._arm, self._first, self._race_sizes)
            if self._request.grid is not None:  # all of its values are as good a guess
                race.most_cost, race.takes_best = inf, True
            self._race(race)
            return self._finished(race)
        except KeyboardInterrupt as error:
            leader = self._first if race is None else race.leader
            params = self._params(leader, {})
            trees = [] if leader.omits_folds else leader.trees[: self._n_trees]
            own = self._limits({}, leader.task)
            growth = Growth([t.collapse(own) for t in trees], leader.work[: len(trees)], error)
            return Tuned(self._final_task(params, {}), growth, params, None)

    def _arm(self, changes: dict[str, Any]) -> Arm:
        return Arm(changes, self._task(changes), self._scoring, self._tables)

    # ---- the race

    def _race(self, race: Race) -> None:
        request = self._request
        if self._scoring.n_groups < 2:
            return
        for stage, names in phases(request):
            if request.grid is not None:
                changes = [of for of in grid_of(request.grid, names) if of != self._first.changes]
            else:
                found = candidates(
                    names, race.leader.task, can_use_all_rows=self._can_use_all_rows()
                )
                changes = [{**race.leader.changes, **of} for of in found]
            race.run(stage, changes)

    def _can_use_all_rows(self) -> bool:
        """Whether trees without out-of-bag rows may win, and whether folds can be made.

        They cannot be calibrated, which costs more than they gain where probabilities count.
        """
        forest = self._forest
        if self._scores_probabilities:
            return False
        needs_out_of_bag = (
            forest.oob_score
            or forest._stops_early
            or getattr(forest, "calibrate", None)
            or self._first.task.axes.stages > 1
        )
        return not needs_out_of_bag and self._scoring.n_groups >= N_FOLDS

    # ---- the limits

    def _finished(self, race: Race) -> Tuned:
        leader, request = race.leader, self._request
        n = min(self._n_deciding, self._n_trees)
        if leader.omits_folds:
            n = max(n, 2 * N_FOLDS)
        settings: list[dict[str, Any]] = [{}]
        if self._scoring.n_groups > 1 or request.grid is not None:
            leader.grow(1)
            root = leader.trees[0].tree.impurity()[0]
            settings = limit_settings(request, leader.task, float(root))
        leader.grow(min(n, self._n_trees) if not leader.omits_folds else n)
        table, sizes = self._limit_table(leader, settings, len(leader.trees))

        def choose(some: np.ndarray) -> int:
            return scoring_of.within_one_error(some, sizes)

        chosen = choose(table) if len(settings) > 1 else 0
        optimism = race.optimism + max(scoring_of.optimism(table, choose), 0.0)
        mean = scoring_of.means(table)
        best = int(np.argmax(mean))
        for s, of in enumerate(settings):
            error = scoring_of.standard_error(table[best] - table[s])
            race.trials.append(
                Trial("limits", of, len(leader.trees), float(mean[s]), error,
                      leader.cost / race._own_cost, s == chosen)
            )  # fmt: skip
        params = self._params(leader, settings[chosen])
        results = TuningResults(
            self._scoring.name, race.trials, params, float(mean[chosen] - optimism), optimism,
            getattr(self._forest, "_frame_library", None),
        )  # fmt: skip
        return Tuned(
            self._final_task(params, settings[chosen]), self._collapsed(leader, settings[chosen]),
            params, results,
        )  # fmt: skip

    def _limit_table(
        self, leader: Arm, settings: list[dict[str, Any]], n_trees: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of groups of rows under each setting, and the sizes of the trees.

        Trees without shrinkage count as larger than all trees with it.
        """
        tables, leaves = [], []
        for first in range(0, len(settings), _AT_ONCE):
            some = settings[first : first + _AT_ONCE]
            found = leader.scores_of(
                [self._limits(of, leader.task) for of in some], 0, n_trees
            )  # fmt: skip
            tables.append(
                self._scoring.table(Votes(found.votes(), found.squares(), found.counts()))
            )
            leaves.append(found.n_leaves())
        sizes = np.concatenate(leaves).astype(np.float64)
        shrunken = np.array([of.get("shrinkage", 0.0) > 0 for of in settings])
        return np.concatenate(tables), np.where(shrunken, sizes / 1e15, sizes)

    def _limits(self, setting: dict[str, Any], task: LearningTask) -> Limits:
        """Return a setting in the form of the core."""
        unset = {name: None for name in LIMITS if setting.get(name, 0) is None}
        axes = _with(task, unset) if unset else task.axes
        depth = setting.get("max_depth", 0)
        split = setting.get("min_samples_split", 0)
        if split is None:
            split = axes.min_samples_split
        if not isinstance(split, Integral):
            split = ceil(split * task.X.shape[0])
        leaves = setting.get("max_leaf_nodes", task.axes.max_leaf_nodes)
        return (
            native_size(axes.max_depth if depth is None else depth),
            native_size(split),
            float(setting.get("min_impurity_decrease", 0.0)),
            native_size(axes.max_leaf_nodes if leaves is None else leaves),
            float(setting.get("shrinkage", 0.0)),
        )

    # ---- what is kept

    def _collapsed(self, leader: Arm, setting: dict[str, Any]) -> Growth:
        if leader.omits_folds:
            return Growth()
        limits = self._limits(setting, leader.task)
        trees = leader.trees[: self._n_trees]
        return Growth([tree.collapse(limits) for tree in trees], leader.work[: len(trees)])

    def _params(self, leader: Arm, setting: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of a forest that is the same without tuning."""
        forest, request = self._forest, self._request
        searched = request.free if request.grid is None else set(request.grid) - {"shrinkage"}
        shown = [name for name in (*RACED, *LIMITS) if name in searched]
        if request.grid is None:
            tuned = {"recipe", "rows", *LIMITS, "max_features", "max_samples", "min_samples_leaf"}
            if not request.auto:
                tuned -= {"recipe", "rows"}
            shown = [name for name in shown if name in tuned]
        params = {name: getattr(forest, name) for name in shown}
        params |= leader.changes
        params |= {name: value for name, value in setting.items() if name != "shrinkage"}
        shrinkage = setting.get("shrinkage", 0.0)
        params["tune"] = {"shrinkage": [shrinkage]} if shrinkage > 0 else None
        if self._calibrates(leader):
            params["calibrate"] = "oob"
        return params

    def _calibrates(self, leader: Arm) -> bool:
        """Whether calibration is part of the choice: for scores of probabilities."""
        return (
            self._scores_probabilities
            and self._request.grid is None
            and not leader.omits_folds
            and len(self._scoring.rows) >= _LEAST_CALIBRATED
        )

    @property
    def _scores_probabilities(self) -> bool:
        scored = self._forest.scoring
        known = scored is None or (isinstance(scored, str) and scored in _PROBABILITY_SCORES)
        return bool(self._scoring.n_classes) and known

    def _final_task(self, params: dict[str, Any], setting: dict[str, Any]) -> LearningTask:
        return replace(self._make_task(params), shrinkage=float(setting.get("shrinkage", 0.0)))


def _with(task: LearningTask, params: dict[str, Any]) -> Axes:
    """Return the choices with some parameters replaced; None takes the value of the recipe."""
    settings = with_state(task.settings, {**vars(task.settings), **params})
    axes: Axes = settings._choices(task.X.shape[0])
    return axes
