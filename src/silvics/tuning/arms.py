"""Candidates of a race: forests with some parameters replaced, of which a few trees are grown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import parameters
from silvics._fitting.learning_task import LearningTask
from silvics._predicting.grown_forest import Work
from silvics._tables import inputs
from silvics._tables.table import Blocks
from silvics.tuning.scores import Scoring, Votes

N_FOLDS = 5

Limits = tuple[int, int, float, int, float]
NO_LIMITS: Limits = (0, 0, 0.0, 0, 0.0)

MakeTask = Callable[[dict[str, Any]], LearningTask]


class Tables:
    """Coded tables, each of which is made once and used by all arms that search it."""

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self._made: dict[Any, _core.Table] = {}
        self._X: _core.Matrix | None = None

    def of(self, task: LearningTask, rules: _core.GrowthRules) -> _core.Table:
        """Return the table in which trees of these rules search for splits."""
        settings, general = task.settings, rules.needs_general_splitter
        by_values = rules.kind in (_core.SplitKind.oblique, _core.SplitKind.multiway)
        key = (rules.random_cut, general, by_values, settings.max_bins, settings.binning)
        if key not in self._made:
            self._made[key] = parameters.coded_table(
                settings, inputs.to_grow(task.X), rules, self.n_jobs
            )
        return self._made[key]

    def to_predict(self, task: LearningTask, rows: np.ndarray) -> _core.Matrix:
        """Return rows of X in the form in which trees predict."""
        if self._X is None:
            X = task.X
            sparse = None if X.sparse is None else X.sparse.asformat("csr")[rows]
            blocks = [np.asarray(block)[rows] for block in X.blocks]
            some = Blocks(blocks, X.n_levels, (len(rows), X.shape[1]), sparse)
            self._X = inputs.to_predict(some)
        return self._X


class Arm:
    """A candidate: a forest with some parameters replaced, and its first trees.

    If its trees draw all rows, those of the race each omit one of five folds; they are not trees of
    the forest.

    Parameters
    ----------
    changes : dict
        The parameters that are replaced.
    task : LearningTask
        What the trees are grown from.
    scoring : Scoring
        The rows that count.
    tables : Tables
        The coded tables.
    """

    def __init__(
        self, changes: dict[str, Any], task: LearningTask, scoring: Scoring, tables: Tables
    ) -> None:
        self.changes, self.task = changes, task
        self._scoring, self._tables = scoring, tables
        self._rules = task.rules(task.axes)
        # A limit on leaves is applied by collapsing, because it changes which nodes are split.
        self._rules.max_leaf_nodes = _core.GrowthRules().max_leaf_nodes
        self._rules.growth = _core.Growth.depth_first
        self._folds = None if task.sampling.leaves_rows_out else scoring.group_of % N_FOLDS
        self.trees: list[_core.DetailedTree] = []
        self.work: list[Work] = []
        self._votes: list[Votes] = []
        self._n_voted = 0

    @property
    def omits_folds(self) -> bool:
        """Whether the trees of the race omit folds, so that the forest has to be grown again."""
        return self._folds is not None

    @property
    def cost(self) -> float:
        """The mean work of a tree."""
        return float(np.mean([n + values + cuts for n, values, _, cuts in self.work]))

    def grow(self, n_trees: int) -> None:
        """Grow the trees up to this number."""
        first = len(self.trees)
        if n_trees <= first:
            return
        seeds = _core.tree_seeds(self.task.seed, first, n_trees - first)
        table = self._tables.of(self.task, self._rules)
        trees: dict[int, Any] = {}
        for sampling, which in self._samplings(first, n_trees):
            grown, work = _core.grow_detailed(
                table, self.task.target, sampling, self.task.criterion, self._rules,
                [seeds[i - first] for i in which], self._tables.n_jobs, None,
            )  # fmt: skip
            trees.update(zip(which, zip(grown, work, strict=True), strict=True))
        for i in sorted(trees):
            self.trees.append(trees[i][0])
            self.work.append(trees[i][1])

    def _samplings(self, first: int, end: int) -> list[tuple[_core.Sampling, list[int]]]:
        """Return the draws of rows, and the numbers of the trees that use each."""
        if self._folds is None:
            return [(self.task.native_sampling, list(range(first, end)))]
        found = []
        for fold in range(N_FOLDS):
            which = [i for i in range(first, end) if i % N_FOLDS == fold]
            if which:
                found.append((self._without(fold), which))
        return found

    def _without(self, fold: int) -> _core.Sampling:
        sampling = self.task.sampling
        weights = np.ones(sampling.n_samples) if sampling.weights is None else sampling.weights
        weights = np.where(self._folds == fold, 0.0, weights)
        return replace(sampling, weights=weights).native(self.task.seed)

    # ---- votes of the trees for the rows that they have not drawn

    def scores_of(self, limits: list[Limits], first: int, end: int) -> _core.LimitScores:
        """Return sums over the trees from ``first`` to ``end``, for each of the limits."""
        scoring, task = self._scoring, self.task
        scores = _core.LimitScores(
            limits, scoring.y.ravel(), scoring.scale.tolist(), list(scoring.n_classes),
            task.axes.vote == "majority",
        )  # fmt: skip
        rows = scoring.rows
        X = self._tables.to_predict(task, rows)
        seeds = _core.tree_seeds(task.seed, first, end - first)
        n_jobs = self._tables.n_jobs
        if self._folds is None:
            scores.add(
                self.trees[first:end], False, X, rows, np.ones(len(rows), dtype=bool),
                task.native_sampling, seeds, n_jobs,
            )  # fmt: skip
            return scores
        of_rows = self._folds[rows]
        for fold in range(N_FOLDS):
            trees = [self.trees[i] for i in range(first, end) if i % N_FOLDS == fold]
            if trees:
                scores.add(trees, False, X, rows, of_rows == fold, None, [], n_jobs)
        return scores

    def votes(self, n_trees: int) -> list[Votes]:
        """Return the votes of the first trees, without further limits.

        If numbers of votes have to be equal, there is one element for each tree.
        """
        own = [limits_of(self.task)]
        step = n_trees if self._scoring.extrapolates else 1
        for first in range(self._n_voted, n_trees, step):
            found = self.scores_of(own, first, min(first + step, n_trees))
            self._votes.append(Votes(found.votes(), found.squares(), found.counts()))
        self._n_voted = max(n_trees, self._n_voted)
        return self._votes


def limits_of(task: LearningTask) -> Limits:
    """Return the limits that growth without a limit on leaves has to be collapsed to."""
    leaves = task.axes.max_leaf_nodes
    return (0, 0, 0.0, 0 if leaves is None else int(leaves), 0.0)


def sum_of(votes: list[Votes]) -> Votes:
    """Return the sums over trees."""
    return Votes(
        np.add.reduce([of.sums for of in votes]),
        np.add.reduce([of.squares for of in votes]),
        np.add.reduce([of.counts for of in votes]),
    )


def first_votes(votes: list[Votes], n_votes: np.ndarray) -> Votes:
    """Return the sums over the first trees that voted for each row, as many as are given.

    ``votes`` has one element for each tree.
    """
    sums, squares = (np.zeros(of.shape) for of in (votes[0].sums, votes[0].squares))
    counts = np.zeros(len(n_votes), dtype=np.int64)
    for of in votes:
        kept = np.where(counts < n_votes, of.counts, 0)
        sums += kept[:, np.newaxis, np.newaxis] * of.sums
        squares += kept[:, np.newaxis] * of.squares
        counts += kept
    return Votes(sums, squares, counts)
