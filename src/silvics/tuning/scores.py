"""Scores of forests by the votes of trees for rows that they have not drawn.

With v votes for a row, each with the error e_t, the squared error of infinitely many trees is
estimated without bias by the mean of e_s e_t over pairs of different trees. Adding the variance of
the votes divided by M gives the error of M trees (thesis 4.17, 4.28). Estimates of this form are
comparable between rows with different numbers of votes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._fitting.learning_task import LearningTask
from silvics._predicting.oob_scorer import OobScorer

# Standard errors and corrections come from the scores of groups of rows. Those of a scorer of
# scikit-learn take time.
N_GROUPS, N_SCORED = 20, 10
_LEAST_GROUP = 5
_CLEARLY = 1.5  # standard errors by which a candidate has to win


@dataclass(frozen=True, eq=False)
class Votes:
    """Sums over trees, for some rows and one or several settings.

    Attributes
    ----------
    sums : ndarray of shape (n_rows, n_settings, width)
        Sums of what the trees predict.
    squares : ndarray of shape (n_rows, n_settings)
        Sums of the squared errors of their predictions.
    counts : ndarray of int of shape (n_rows,)
        Number of trees that voted.
    """

    sums: np.ndarray
    squares: np.ndarray
    counts: np.ndarray


class Scoring:
    """Scores of groups of rows; larger is better.

    Parameters
    ----------
    forest : estimator
        Estimator with the classes of the outputs.
    task : LearningTask
        The rows and their outputs.
    scoring : str, callable or None
        A scorer of scikit-learn. None is the negative Brier score, or R2 for regression.
    n_trees : int
        Number of trees of the forest that is to be grown.
    most_rows : int
        The largest number of rows that count; of more rows, as many are drawn.
    """

    def __init__(
        self, forest: Any, task: LearningTask, scoring: Any, n_trees: int, most_rows: int
    ) -> None:
        self._n_trees = n_trees
        self.n_classes = task.outputs.n_classes
        y, weights = task.outputs.values, task.sampling.weights
        used = y[:, 0] if weights is None else np.where(np.asarray(weights) > 0, y[:, 0], 0)
        self.group_of = row_groups(
            used, task.sampling.groups, task.seed, N_GROUPS if scoring is None else N_SCORED
        )
        self.n_groups = int(self.group_of.max()) + 1
        self.rows = self._counted(task, most_rows)
        self.y = np.ascontiguousarray(y[self.rows], dtype=np.float64)
        self.groups = self.group_of[self.rows]
        spread = self.y.var(axis=0) if not self.n_classes else np.ones(self.y.shape[1])
        self.scale = 1.0 / np.where(spread > 0, spread, 1.0) / self.y.shape[1]
        self.name = "negative Brier score" if self.n_classes else "r2"
        self._scorer = None if scoring is None else OobScorer(forest, scoring, self.y)
        if self._scorer is not None:
            self.name = self._scorer.name

    @property
    def least_votes(self) -> int:
        """The number of votes that a row needs to count."""
        return 2 if self.extrapolates else 1

    @property
    def extrapolates(self) -> bool:
        """Whether scores are those of the whole forest, whatever the number of votes of a row."""
        return self._scorer is None

    def _counted(self, task: LearningTask, most_rows: int) -> np.ndarray:
        """Return the rows that count: not held out, of positive weight, at most so many."""
        weights = task.sampling.weights
        rows = np.arange(task.X.shape[0])
        if weights is not None:
            rows = rows[np.asarray(weights) > 0]
        if len(rows) > most_rows:
            drawn = np.random.default_rng([task.seed, 0x7E5]).choice(rows, most_rows, replace=False)
            rows = np.sort(drawn)
        return rows.astype(np.uint32)

    def table(self, votes: Votes, counted: np.ndarray | None = None) -> np.ndarray:
        """Return the scores of all settings in each group of rows, n_settings x n_groups.

        ``counted`` is a mask of rows. The score of a group without rows is NaN.
        """
        known = votes.counts >= self.least_votes
        if counted is not None:
            known &= counted
        scores = np.full((votes.sums.shape[1], self.n_groups), np.nan)
        rows = np.flatnonzero(known)
        if not len(rows):
            return scores
        if self._scorer is None:
            losses = self._losses(votes, rows)
            sizes = np.bincount(self.groups[rows], minlength=self.n_groups)
            for s in range(len(scores)):
                sums = np.bincount(self.groups[rows], losses[:, s], self.n_groups)
                np.divide(sums, sizes, out=scores[s], where=sizes > 0)
            return np.where(np.isnan(scores), np.nan, (0.0 if self.n_classes else 1.0) - scores)
        of_groups = [rows[self.groups[rows] == g] for g in range(self.n_groups)]
        for s in range(len(scores)):
            model = self._scorer.model(
                votes.sums[:, s] / np.maximum(votes.counts, 1)[:, np.newaxis]
            )
            scores[s] = self._scores_by(self._scorer, model, of_groups)
        return scores

    def _losses(self, votes: Votes, rows: np.ndarray) -> np.ndarray:
        """Return the squared error of each row and setting, with the trees of the forest."""
        counts = votes.counts[rows, np.newaxis].astype(np.float64)
        errors = votes.sums[rows]
        errors -= counts[:, :, np.newaxis] * self._coded(rows)[:, np.newaxis]
        widths = self.n_classes or [1] * self.y.shape[1]
        np.square(errors, out=errors)
        together = np.einsum("rsc,c->rs", errors, np.repeat(self.scale, widths))
        squares = votes.squares[rows]
        pairs = (together - squares) / (counts * (counts - 1))
        return pairs + (squares / counts - pairs) / self._n_trees

    def _coded(self, rows: np.ndarray) -> np.ndarray:
        """Return the outputs as trees predict them: an indicator for each class, or numbers."""
        y = self.y[rows]
        if not self.n_classes:
            return y
        return np.concatenate(
            [np.eye(n)[y[:, k].astype(np.int64)] for k, n in enumerate(self.n_classes)], axis=1
        )

    # ---- scorers of scikit-learn

    def _scores_by(self, scorer: OobScorer, model: Any, of_groups: list[np.ndarray]) -> np.ndarray:
        """Return the score of each group of rows; NaN for groups without rows or a score."""
        scores = np.full(len(of_groups), np.nan)
        for g, rows in enumerate(of_groups):
            if len(rows):
                scores[g] = self._score_of(scorer, model, rows)
        if np.isnan(scores).all():
            raise ValueError(
                f"scoring={self.name!r} returned NaN for every group of out-of-bag rows, so that "
                "forests cannot be compared by it."
            )
        return scores

    def _score_of(self, scorer: OobScorer, model: Any, rows: np.ndarray) -> float:
        try:
            return scorer(model, rows)
        except ValueError as error:
            raise ValueError(
                f"{error} Tuning needs a score that a tenth of the rows has."
            ) from error


def row_groups(
    y: np.ndarray, groups: np.ndarray | None, seed: int, most: int = N_GROUPS
) -> np.ndarray:
    """Divide the rows at random into groups, at most so many, with similar outputs in all of them.

    Rows of the same group of ``fit(groups=)`` stay together.
    """
    draw = np.random.default_rng([seed, 0x6A0])
    if groups is not None:
        n = int(groups.max()) + 1
        return (draw.permutation(n) % min(most, max(n, 1)))[groups]
    n_groups = min(most, max(len(y) // _LEAST_GROUP, 1))
    # Of rows with neighbouring outputs, each goes to another group, drawn at random.
    order = np.lexsort((draw.permutation(len(y)), y))
    n_blocks = -(-len(y) // n_groups)
    found = np.empty(len(y), dtype=np.int64)
    found[order] = draw.random((n_blocks, n_groups)).argsort(axis=1).ravel()[: len(y)]
    return found


# ---- choosing among rows of a table of scores


def means(table: np.ndarray) -> np.ndarray:
    """Return the mean score of each setting over the groups that have one."""
    some = ~np.isnan(table).any(axis=0)
    if not some.any():
        return np.full(len(table), -np.inf)
    return np.asarray(table[:, some].mean(axis=1))


def standard_error(differences: np.ndarray) -> float:
    """Return the standard error of the mean of the scores of groups."""
    return float(standard_errors(differences[np.newaxis])[0])


def standard_errors(differences: np.ndarray) -> np.ndarray:
    """Return the standard error of each row; scores of NaN do not count."""
    known = ~np.isnan(differences)
    counts = np.count_nonzero(known, axis=1)
    some = np.where(known, differences, 0.0)
    mean = some.sum(axis=1) / np.maximum(counts, 1)
    squares = np.where(known, (some - mean[:, np.newaxis]) ** 2, 0.0).sum(axis=1)
    found = np.sqrt(squares / np.maximum((counts - 1) * counts, 1))
    return np.where(counts < 2, np.inf, found)


def within_one_error(table: np.ndarray, sizes: np.ndarray) -> int:
    """Return the largest setting whose score is at most a standard error below the best."""
    mean = means(table)
    best = int(mean.argmax())
    if not np.isfinite(mean[best]):
        return 0
    errors = standard_errors(table[best] - table)
    errors[best] = 0.0
    close = np.flatnonzero(mean[best] - mean <= errors)
    return int(max(close, key=lambda s: (sizes[s], mean[s], -s)))


def clearly_better(table: np.ndarray) -> int:
    """Return the best setting if it is 1.5 standard errors above setting 0, otherwise 0.

    Few trees decide a race, and their noise is not part of the standard error.
    """
    mean = means(table)
    best = int(mean.argmax())
    if best == 0 or not np.isfinite(mean[best]):
        return 0
    return best if mean[best] - mean[0] > _CLEARLY * standard_error(table[best] - table[0]) else 0


def best_of(table: np.ndarray) -> int:
    """Return the best setting, the first of equals."""
    return int(means(table).argmax())


def optimism(table: np.ndarray, choose: Callable[[np.ndarray], int]) -> float:
    """Return by how much a choice makes its own score larger than that of other rows.

    Each group of rows is scored under the choice that the other groups make.
    """
    table = table[:, ~np.isnan(table).any(axis=0)]
    n = table.shape[1]
    if n < 2:
        return 0.0
    chosen = table[choose(table)]
    others = [table[choose(np.delete(table, g, axis=1)), g] for g in range(n)]
    return float(np.mean(chosen - np.asarray(others)))
