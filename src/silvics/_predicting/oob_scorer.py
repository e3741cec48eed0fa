"""Scorers of scikit-learn, applied to out-of-bag predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss, check_scoring, get_scorer_names, make_scorer

from silvics._names import did_you_mean
from silvics._predicting import prediction
from silvics._sklearn import BaseEstimator, ClassifierMixin, RegressorMixin


class OobRows(BaseEstimator):
    """A fitted model whose predictions are given, as scorers of scikit-learn need it."""

    def __init__(self, predicted: Any = None) -> None:
        self.predicted = predicted

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> OobRows:
        """Return the model; there is nothing to fit."""
        del X, y
        return self

    def predict(self, X: Any) -> Any:
        """Return the out-of-bag predictions of the rows with these numbers."""
        return self.predicted[np.asarray(X)[:, 0]]


class OobClasses(ClassifierMixin, OobRows):
    """Out-of-bag predictions of classes."""

    def __init__(self, predicted: Any = None, shares: Any = None, classes: Any = None) -> None:
        super().__init__(predicted)
        self.shares = shares
        self.classes = classes

    @property
    def classes_(self) -> Any:
        """The classes of the forest."""
        return self.classes

    def predict_proba(self, X: Any) -> Any:
        """Return the out-of-bag probabilities of the rows with these numbers."""
        rows = np.asarray(X)[:, 0]
        if isinstance(self.shares, list):
            return [shares[rows] for shares in self.shares]
        return self.shares[rows]


class OobNumbers(RegressorMixin, OobRows):
    """Out-of-bag predictions of numbers."""


def model_of(forest: Any, means: np.ndarray | None) -> Any:
    """Return a model with the given mean predictions."""
    classes = forest.classes_ if forest._classification else None
    if means is None:
        return OobNumbers() if classes is None else OobClasses(classes=classes)
    if classes is None:
        return OobNumbers(prediction.reals(means))
    shares = prediction.probabilities(forest, means)
    return OobClasses(prediction.labels(forest, means), shares, classes)


def labels_of(forest: Any, y: np.ndarray) -> np.ndarray:
    """Return the outputs as the user gave them: classes, or numbers."""
    if not forest._classification:
        return prediction.reals(y)
    columns = [classes[y[:, k].astype(np.int64)] for k, classes in enumerate(forest._class_lists())]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def scorer_of(forest: Any, scoring: Any) -> tuple[str, Callable[..., Any]]:
    """Check ``scoring``; return the name of the score, and the scorer."""
    if not (isinstance(scoring, str) or callable(scoring)):
        raise TypeError(
            "scoring must be None, the name of a scorer of scikit-learn, or a callable "
            f"scorer(estimator, X, y), got {scoring!r}."
        )
    if isinstance(scoring, str) and scoring not in (known := get_scorer_names()):
        raise ValueError(
            f"scoring={scoring!r} is not the name of a scorer of scikit-learn."
            f"{did_you_mean(scoring, known)} sklearn.metrics.get_scorer_names() lists all names."
        )
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", None)
    if scoring == "neg_brier_score" and _has_two_classes(forest):
        # scikit-learn asks which class is positive if they are no numbers. The score of two
        # probabilities with the sum one is the same for both.
        return str(name), make_scorer(
            brier_score_loss, greater_is_better=False, response_method="predict_proba",
            pos_label=forest.classes_[1],
        )  # fmt: skip
    return name or str(scoring), check_scoring(model_of(forest, None), scoring)


def _has_two_classes(forest: Any) -> bool:
    return bool(forest._classification) and [len(of) for of in forest._class_lists()] == [2]


class OobScorer:
    """The score of rows by a scorer of scikit-learn.

    Parameters
    ----------
    forest : estimator
        A forest with the classes of the outputs.
    scoring : str or callable
        The scorer.
    y : ndarray of shape (n_samples, n_outputs)
        The outputs: numbers of classes, or real values.
    counted : ndarray of bool, default=None
        The rows that count. None means all.
    """

    def __init__(
        self, forest: Any, scoring: Any, y: np.ndarray, counted: np.ndarray | None = None
    ) -> None:
        self.name, self._scorer = scorer_of(forest, scoring)
        self._forest, self._y, self._labels = forest, y, labels_of(forest, y)
        self._n_levels = self._n_classes_of(slice(None) if counted is None else counted)

    def _n_classes_of(self, rows: Any) -> list[int]:
        if not self._forest._classification:
            return []
        return [len(np.unique(column)) for column in self._y[rows].T]

    def model(self, means: np.ndarray) -> Any:
        """Return a model with these mean predictions."""
        return model_of(self._forest, means)

    def may_lack_score(self, rows: np.ndarray) -> bool:
        """Return whether the rows are fewer than two, or lack a class that others have.

        Such rows have no area under a ROC curve, for example.
        """
        return len(rows) < 2 or self._n_classes_of(rows) != self._n_levels

    def __call__(self, model: Any, rows: np.ndarray) -> float:
        """Return the score of the rows; NaN only for rows that may have none."""
        try:
            found = self._scorer(model, rows[:, np.newaxis], self._labels[rows])
        except ValueError as error:
            raise ValueError(
                f"scoring={self.name!r} could not score {len(rows)} out-of-bag rows: {error}"
            ) from error
        try:
            score = float("text" if isinstance(found, str | bytes) else found)
        except (TypeError, ValueError):
            raise TypeError(
                f"scoring={self.name!r} must return a number, but it returned {found!r}."
            ) from None
        if np.isnan(score) and not self.may_lack_score(rows):
            raise ValueError(
                f"scoring={self.name!r} returned NaN for {len(rows)} out-of-bag rows, so that "
                "forests cannot be compared by it."
            )
        return score
