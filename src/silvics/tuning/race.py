"""Races of parameters on the first trees of a forest, by successive halving."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silvics.tuning import scores as scoring_of
from silvics.tuning.arms import N_FOLDS, Arm, first_votes, sum_of
from silvics.tuning.scores import Scoring

# A candidate whose trees take more than this, relative to those of the estimator's own parameters,
# is left out unless the user asked for it: the whole fit would take too long.
MOST_COST = 2.0


@dataclass
class Trial:
    """A candidate of a race and its score, for the table of results."""

    stage: str
    changes: dict[str, Any]
    n_trees: int
    score: float
    standard_error: float
    cost: float
    chosen: bool = False


@dataclass
class Race:
    """The leader of the candidates so far.

    Attributes
    ----------
    leader : Arm
        The candidate that the others have to beat.
    trials : list of Trial
        All candidates.
    most_cost : float
        Candidates whose trees take more work, relative to the first one, are left out.
    takes_best : bool
        Whether the best candidate wins, however little better it is.
    optimism : float
        By how much the choices made so far raise the score of the leader.
    """

    scoring: Scoring
    make: Callable[[dict[str, Any]], Arm]
    leader: Arm
    n_trees: tuple[int, int, int]
    most_cost: float = MOST_COST
    takes_best: bool = False
    trials: list[Trial] = field(default_factory=list)
    optimism: float = 0.0

    def __post_init__(self) -> None:
        self.leader.grow(self._size(self.leader, 0))
        self._own_cost = self.leader.cost

    def _size(self, arm: Arm, step: int) -> int:
        """Return the number of trees of a step. A row has few votes of trees that omit a fold."""
        n = self.n_trees[step]
        return max(n, 2 * N_FOLDS) if arm.omits_folds else n

    def run(self, stage: str, changes: list[dict[str, Any]]) -> None:
        """Let candidates with these changes race against the leader."""
        arms = [arm for of in changes if (arm := self._entered(of)) is not None]
        if not arms:
            return
        table = self._table([self.leader, *arms], 0)
        if len(arms) > 1:
            order = np.argsort(-scoring_of.means(table)[1:], kind="stable")
            some = [arms[i] for i in sorted(order[: (len(arms) + 1) // 2])]
            self._note(stage, [arm for arm in arms if arm not in some], table, [self.leader, *arms])
            arms = some
        arms = [self.leader, *arms]
        table = self._table(arms, 1)
        if not self.takes_best and scoring_of.best_of(table) != 0:
            # More trees for the best one: few of them may have been lucky.
            best = scoring_of.best_of(table)
            self._note(stage, [arm for arm in arms[1:] if arm is not arms[best]], table, arms)
            arms = [self.leader, arms[best]]
            table = self._table(arms, 2)
        choose = scoring_of.best_of if self.takes_best else scoring_of.clearly_better
        chosen = choose(table)
        self.optimism += max(scoring_of.optimism(table, choose), 0.0)
        self._note(stage, arms, table, arms, chosen)
        self.leader = arms[chosen]

    def _entered(self, changes: dict[str, Any]) -> Arm | None:
        """Return the candidate, unless its trees take too much work."""
        arm = self.make(changes)
        arm.grow(1)
        if arm.cost > self.most_cost * self._own_cost:
            cost = arm.cost / self._own_cost
            self.trials.append(Trial("left out", changes, 1, np.nan, np.nan, cost))
            return None
        arm.grow(self._size(arm, 0))
        return arm

    def _table(self, arms: list[Arm], step: int) -> np.ndarray:
        """Return the scores of groups of rows that have votes in all candidates."""
        votes = []
        for arm in arms:
            n = self._size(arm, step)
            arm.grow(n)
            votes.append(arm.votes(n))
        sums = [sum_of(of) for of in votes]
        fewest = np.min([of.counts for of in sums], axis=0)
        if not self.scoring.extrapolates:
            sums = [first_votes(of, fewest) for of in votes]
        counted = fewest >= self.scoring.least_votes
        return np.concatenate([self.scoring.table(of, counted) for of in sums])

    def _note(
        self, stage: str, arms: list[Arm], table: np.ndarray, all_arms: list[Arm], chosen: int = -1
    ) -> None:
        mean = scoring_of.means(table)
        for arm in arms:
            i = all_arms.index(arm)
            error = scoring_of.standard_error(table[i] - table[0]) if i else 0.0
            self.trials.append(
                Trial(stage, arm.changes, len(arm.trees), float(mean[i]), error,
                      arm.cost / self._own_cost, i == chosen)
            )  # fmt: skip
