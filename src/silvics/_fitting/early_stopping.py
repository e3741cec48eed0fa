"""Early stopping: growth ends when the out-of-bag score no longer improves, or is good enough.

The score is computed after every tree, whatever the sizes of batches and the number of threads, so
that the forest that is kept depends only on the data, the parameters and the seed. Rows of weight
zero do not count.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from silvics import _core
from silvics._fitting.learning_task import LearningTask
from silvics._fitting.stopping import StopRule, Verdict
from silvics._predicting import prediction
from silvics._predicting.oob_scorer import OobScorer
from silvics._predicting.out_of_bag import accuracy, mean_predictions
from silvics._tables import inputs

Score = Callable[..., float]


class OutOfBagStop(StopRule):
    """Ends growth when the last trees have not improved the out-of-bag score, or it is reached.

    Parameters
    ----------
    task : LearningTask
        The rows, the outputs, and the draws of rows.
    kept : sequence of Tree
        The trees of an earlier fit, to which trees are added.
    n_iter_no_change : int or None
        The number of trees in which the score has to improve. None means that it need not.
    tol : float
        An improvement is larger than this.
    score : callable or None
        Function of outputs and predictions. None means R2, or for classes the negative Brier score.
    n_threads : int
        Number of threads.
    target : float or None, default=None
        Growth ends when the score is at least this. It is the score that ``oob_score_`` would be:
        the accuracy for classes. None does not end growth.
    scorer : OobScorer or None, default=None
        The scorer that ``scoring`` names. It takes the place of ``score`` and of ``oob_score_``.
    """

    def __init__(
        self,
        task: LearningTask,
        kept: Sequence[_core.Tree],
        n_iter_no_change: int | None,
        tol: float,
        score: Score | None,
        n_threads: int,
        target: float | None = None,
        scorer: OobScorer | None = None,
    ) -> None:
        self._task, self._score, self._n_threads = task, score, n_threads
        self._patience, self._tol, self._target = n_iter_no_change, tol, target
        self._scorer = scorer
        self._reaches: list[bool] = []  # for each number of trees, whether the target is reached
        self._X, self._sampling = inputs.to_predict(task.X), task.native_sampling
        self._y, self._n_classes = task.outputs.values, task.outputs.n_classes
        width = sum(self._n_classes) or self._y.shape[1]
        self._sums = np.zeros((len(self._y), width))
        self._counts = np.zeros(len(self._y), dtype=np.int64)
        self.scores: list[float] = []
        weights = task.sampling.weights
        self._counted = None if weights is None else np.asarray(weights) > 0
        self._n_kept = len(kept)
        self._add(kept)

    def next_batch(self, trees: Sequence[_core.Tree], n_left: int, n_threads: int) -> int:
        """Return few trees at first, then a quarter of those there are."""
        n = self._n_kept + len(trees)
        least = 0 if self._patience is None or self._target is not None else self._patience + 1 - n
        return min(n_left, max(n_threads, least, n // 4, 1))

    def verdict(self, trees: Sequence[_core.Tree], out_of_time: bool) -> Verdict | None:
        """Keep the trees up to the first one after which the score is reached or stays the same."""
        del out_of_time
        self._add(trees[len(self.scores) - self._n_kept :])
        for n in range(max(self._n_kept, 1), len(self.scores) + 1):
            if self._target is not None and self._reaches[n - 1]:
                reason = f"the out-of-bag score has reached target_score={self._target:g}"
            elif self._no_change_at(n):
                reason = f"the out-of-bag score has not improved in {self._patience} trees"
            else:
                continue
            return Verdict(n - self._n_kept, reason)
        return None

    def _no_change_at(self, n: int) -> bool:
        """Return whether n trees are no better than fewer, as in HistGradientBoosting."""
        if self._patience is None or n <= self._patience:
            return False
        before, *recent = self.scores[n - self._patience - 1 : n]
        # The rows that were out of bag by then have no such score.
        if not np.isfinite(before) or np.isnan(recent).all():
            return False
        return not any(score > before + self._tol for score in recent)

    def _add(self, trees: Sequence[_core.Tree]) -> None:
        """Compute the score after each of these trees, which follow the earlier ones."""
        if not trees:
            return
        seeds = _core.tree_seeds(self._task.seed, len(self.scores), len(trees))
        grown = prediction.Trees(trees, by_majority=self._task.axes.vote == "majority")
        predictor = grown.predictor_by(self._n_threads)
        for m, seed in enumerate(seeds):
            sums, counts = predictor.out_of_bag(self._X, [seed], self._sampling, self._n_threads, m)
            self._sums += sums
            self._counts += counts
            known = self._counts > 0
            if self._counted is not None:
                known &= self._counted
            if not known.any():  # no row is out of bag in a tree
                self.scores.append(-np.inf)
                self._reaches.append(False)
                continue
            if self._scorer is not None:
                score = self._scored(self._scorer, np.flatnonzero(known))
                self.scores.append(score)
                self._reaches.append(self._target is not None and score >= self._target)
                continue
            means = mean_predictions(self._sums[known], self._counts[known])
            self.scores.append(self._current(means, self._y[known]))
            if self._target is not None:
                self._reaches.append(self._reported(means, self._y[known]) >= self._target)

    def _scored(self, scorer: OobScorer, rows: np.ndarray) -> float:
        """Return the score of these rows by the scorer; NaN if they are too few to have one."""
        model = scorer.model(mean_predictions(self._sums, self._counts))
        if not scorer.may_lack_score(rows):
            return scorer(model, rows)
        try:
            with warnings.catch_warnings():  # more trees will leave out rows of all classes
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                return scorer(model, rows)
        except ValueError:
            return float("nan")

    def _reported(self, means: np.ndarray, y: np.ndarray) -> float:
        """Return the score that ``oob_score_`` would be."""
        if self._score is None and self._n_classes:
            return accuracy(prediction.reals(y), self._predicted(means))
        return self.scores[-1]

    def _current(self, means: np.ndarray, y: np.ndarray) -> float:
        """Return the score of the rows that are out of bag in a tree."""
        if self._score is not None:
            return float(self._score(prediction.reals(y), self._predicted(means)))
        if self._n_classes:
            return -brier_score(means, y, self._n_classes)
        errors = ((y - means) ** 2).sum(axis=0)
        spread = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
        return float(np.mean(1.0 - errors / np.where(spread > 0, spread, 1.0)))

    def _predicted(self, means: np.ndarray) -> np.ndarray:
        """Return predicted numbers, or the numbers of predicted classes."""
        if not self._n_classes:
            return prediction.reals(means)
        shares = prediction.split_outputs(means, self._n_classes)
        return prediction.reals(np.stack([of.argmax(axis=1) for of in shares], axis=1))


def brier_score(means: np.ndarray, y: np.ndarray, n_classes: list[int]) -> float:
    """Return the mean squared distance of class probabilities from the classes, over outputs."""
    total = 0.0
    for k, shares in enumerate(prediction.split_outputs(means, n_classes)):
        right = shares[np.arange(len(y)), y[:, k]]
        # sum over classes of (p - [c = y])^2 = sum p^2 - 2 p_y + 1
        total += float(np.mean((shares**2).sum(axis=1) - 2.0 * right + 1.0))
    return total / len(n_classes)
