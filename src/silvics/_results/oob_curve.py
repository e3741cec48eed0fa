"""Out-of-bag scores as a function of the number of trees (thesis 4.4.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from silvics._names import one_line
from silvics._predicting import prediction
from silvics._predicting.oob_scorer import OobClasses, labels_of, model_of, scorer_of
from silvics._predicting.out_of_bag import accuracy, mean_predictions
from silvics._results.base import Result
from silvics._threads import n_threads
from silvics._warnings import warn_user
from silvics.plots import charts

_ALL_UP_TO, _N_MORE = 50, 100  # numbers of trees of the default curve


@dataclass(repr=False, eq=False)
class OobCurve(Result):
    """Out-of-bag scores of the first trees of a forest.

    ``to_frame()`` has one row for each number of trees: ``n_trees``, ``n_rows`` and ``score``, and
    for classification a column with the share of right predictions in each class.

    Attributes
    ----------
    scoring : str
        The name of the score.
    n_trees : ndarray of int of shape (n_points,)
        The numbers of trees.
    scores : ndarray of shape (n_points,)
        The score over the rows with an out-of-bag tree; NaN where the scorer has no value, for
        example because rows of one class only have an out-of-bag tree.
    n_rows : ndarray of int of shape (n_points,)
        The number of rows with an out-of-bag tree.
    by_class : ndarray of shape (n_points, n_classes), or None
        For classification: the share of the rows of each class that are predicted correctly. If
        there are several outputs, the classes of all outputs are side by side.
    classes : ndarray of str objects, or None
        The names of the columns of ``by_class``.
    predictions : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Out-of-bag predictions of all trees: classes, or numbers. For rows without an out-of-bag
        tree they are NaN, or the first class.
    probabilities : ndarray, list of ndarray, or None
        For classification: out-of-bag class probabilities, as those of ``predict_proba``; NaN for
        rows without an out-of-bag tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, keep_samples=True, random_state=0).fit(X, y)
    >>> curve = forest.oob_curve()
    >>> int(curve.n_trees[-1])
    50
    >>> bool(curve.scores[-1] > 0.9)
    True
    """

    scoring: str
    n_trees: np.ndarray
    scores: np.ndarray
    n_rows: np.ndarray
    by_class: np.ndarray | None
    classes: np.ndarray | None
    predictions: np.ndarray
    probabilities: Any
    _library: str | None = None

    def enough(self, tol: float = 0.01) -> int:
        """Return the number of trees from which on the score hardly changes.

        Parameters
        ----------
        tol : float, default=0.01
            The largest difference from the last score, relative to the last score.

        Returns
        -------
        n_trees : int
            The first number of trees from which on all scores are this close to the last one.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(50, keep_samples=True, random_state=0).fit(X, y)
        >>> curve = forest.oob_curve()
        >>> curve.enough(0.05) <= 50
        True
        """
        if isinstance(tol, bool) or not isinstance(tol, Real):
            raise TypeError(f"tol must be a number, got {tol!r}.")
        if not float(tol) >= 0:
            raise ValueError(f"tol must not be negative, got {tol!r}.")
        last = self.scores[-1]
        close = np.abs(self.scores - last) <= float(tol) * abs(last)
        far = np.flatnonzero(~close[:-1])
        return int(self.n_trees[far[-1] + 1 if far.size else 0])

    def _title(self) -> str:
        return f"Out-of-bag score ({self.scoring}) by number of trees"

    def _notes(self) -> list[str]:
        return [
            f"{self.scores[-1]:.4g} with {self.n_trees[-1]} trees; within 1 % of it from "
            f"{self.enough()} trees on"
        ]

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "n_trees": self.n_trees, "n_rows": self.n_rows, "score": self.scores,
        }  # fmt: skip
        if self.by_class is not None and self.classes is not None:
            for c, name in enumerate(self.classes):
                label = str(name)
                while label in columns:
                    label += "_"
                columns[label] = self.by_class[:, c]
        return columns

    def _shown_columns(self) -> dict[str, Any]:
        last = np.unique(np.linspace(0, len(self.n_trees) - 1, 12).astype(int))
        return {name: np.asarray(values)[last] for name, values in self._columns().items()}

    def _draw(self, ax: Any) -> Any:
        return charts.curves(
            self.n_trees, self.scores, self.by_class, self.classes, "number of trees",
            f"out-of-bag {one_line(self.scoring)}", ax,
        )  # fmt: skip


def oob_curve_of(forest: Any, scoring: Any, n_trees: Any, n_jobs: int | None) -> OobCurve:
    """Compute what ``forest.oob_curve`` returns."""
    grown = forest._grown
    grown.require_whole_trees("oob_curve")
    grown.require_out_of_bag("oob_curve")
    samples = grown.require_samples("oob_curve")
    points = _checked_points(n_trees, len(grown.trees))
    name, scorer = _scorer_of(forest, scoring)
    y = labels_of(forest, samples.y)
    rows = np.arange(len(y))
    scores, n_rows, by_class = [], [], []
    model: Any = None
    for m, means, counts in _prefixes(forest, points, n_threads(forest._jobs(n_jobs))):
        known = counts > 0
        model = model_of(forest, means)
        n_rows.append(int(known.sum()))
        scores.append(_score(scorer, model, rows[known], y[known], last=m == points[-1]))
        if forest._classification:
            by_class.append(_right_by_class(forest, means[known], samples.y[known]))
    without = len(y) - n_rows[-1] - len(grown.sampling.held_out(grown.seed))
    if without > 0:
        warn_user(
            f"{without} rows are in bag in all trees and have no out-of-bag prediction. Fit more "
            "trees to get one for every row."
        )
    return OobCurve(
        name, np.array(points), np.array(scores), np.array(n_rows),
        np.array(by_class) if forest._classification else None,
        _names_of_classes(forest) if forest._classification else None,
        model.predicted, getattr(model, "shares", None),
        getattr(forest, "_frame_library", None),
    )  # fmt: skip


def _checked_points(n_trees: Any, n_all: int) -> list[int]:
    """Return the numbers of trees of the curve, ascending."""
    if n_trees is None:
        more = np.geomspace(min(_ALL_UP_TO, n_all), n_all, _N_MORE).round().astype(int)
        return sorted({*range(1, min(_ALL_UP_TO, n_all) + 1), *more.tolist()})
    points = np.asarray(n_trees)
    if points.ndim > 1 or not points.size or not np.issubdtype(points.dtype, np.integer):
        raise TypeError(f"n_trees must be a list of integers, got {n_trees!r}.")
    found = sorted(set(np.atleast_1d(points).tolist()))
    if found[0] < 1 or found[-1] > n_all:
        raise ValueError(
            f"n_trees must be between 1 and {n_all}, the size of the forest, got {n_trees!r}."
        )
    return found


def _prefixes(
    forest: Any, points: list[int], n_jobs: int
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield the mean out-of-bag predictions of the first trees, for each number of trees."""
    predictor = forest._grown.trees.predictor
    membership = forest._grown.samples.membership
    sums = np.zeros((membership.n_rows, predictor.value_width))
    counts = np.zeros(membership.n_rows, dtype=np.int64)
    before = 0
    for m in points:
        membership.add_out_of_bag(predictor, before, m - before, sums, counts, n_jobs)
        before = m
        yield m, mean_predictions(sums, counts), counts


def _scorer_of(forest: Any, scoring: Any) -> tuple[str, Callable[..., float] | None]:
    """Return the name of a score, and the scorer; None for that of ``oob_score_``."""
    if scoring is None:
        if callable(forest.oob_score):
            given = forest.oob_score
            return getattr(given, "__name__", "oob_score"), lambda model, X, y: given(
                y, model.predict(X)
            )
        return ("accuracy" if forest._classification else "r2"), None
    return scorer_of(forest, scoring)


def _score(scorer: Any, model: Any, rows: np.ndarray, y: np.ndarray, *, last: bool) -> float:
    """Return the score; NaN if the scorer refuses the rows of a part of the forest."""
    if not len(rows):
        return float("nan")
    X = rows[:, np.newaxis]
    if scorer is None and isinstance(model, OobClasses):
        return accuracy(y, model.predict(X))
    try:
        return float(scorer(model, X, y) if scorer is not None else model.score(X, y))
    except ValueError:
        if last:
            raise
        return float("nan")


def _right_by_class(forest: Any, means: np.ndarray, y: np.ndarray) -> list[float]:
    """Return the share of right predictions in each class of each output."""
    shares = prediction.split_outputs(means, forest.n_classes_)
    found = []
    for k, of_output in enumerate(shares):
        truth = y[:, k].astype(np.int64)
        n = of_output.shape[1]
        of_class = np.bincount(truth, minlength=n)
        right = np.bincount(truth[of_output.argmax(axis=1) == truth], minlength=n)
        with np.errstate(invalid="ignore"):
            found.extend((right / of_class).tolist())
    return found


def _names_of_classes(forest: Any) -> np.ndarray:
    lists = forest._class_lists()
    names = [
        str(name) if len(lists) == 1 else f"output {k}: {name}"
        for k, classes in enumerate(lists)
        for name in classes
    ]
    return np.array(names, dtype=object)
