"""Scores of forests, on held-out rows or on out-of-bag rows."""

from __future__ import annotations

from inspect import signature
from math import nan
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring

from silvics._predicting import prediction
from silvics._threads import n_threads
from silvics.importance.selection.selector import Sample, columns_of

_PARTS = 20  # parts of the rows for the jackknife estimate of the standard error


class _Predicted(BaseEstimator):
    """Stored predictions, as an estimator whose X is the numbers of the rows."""

    def __init__(self, forest: Any, values: np.ndarray) -> None:
        self._forest, self._values = forest, values
        if forest._classification:
            self.classes_ = forest.classes_


class _PredictedClasses(ClassifierMixin, _Predicted):
    def predict(self, rows: np.ndarray) -> np.ndarray:
        return prediction.labels(self._forest, self._values[rows])

    def predict_proba(self, rows: np.ndarray) -> Any:
        return prediction.probabilities(self._forest, self._values[rows])


class _PredictedNumbers(RegressorMixin, _Predicted):
    def predict(self, rows: np.ndarray) -> np.ndarray:
        return prediction.reals(self._values[rows])


class Judge:
    """Computes the scores of forests."""

    def __init__(self, scoring: Any, forest: Any, with_errors: bool) -> None:
        self._scorer = check_scoring(forest, scoring)
        takes = getattr(self._scorer, "_accept_sample_weight", None)
        parameters = () if takes else signature(self._scorer).parameters
        self._takes_weights = takes() if takes else "sample_weight" in parameters
        self._with_errors = with_errors

    def __call__(self, model: Any, X: Any, y: Any, weight: Any) -> float:
        more = {"sample_weight": weight} if self._takes_weights and weight is not None else {}
        return float(self._scorer(model, X, y, **more))

    def out_of_bag(self, forest: Any, sample: Sample, places: np.ndarray) -> tuple[float, float]:
        """Return the out-of-bag score and its standard error."""
        sums, counts = forest._trees.predictor.out_of_bag(
            forest._checked(columns_of(sample.X, places)),
            forest._grown.tree_seeds(),
            forest._grown.native_sampling(),
            n_threads(forest.n_jobs),
        )
        form = _PredictedClasses if forest._classification else _PredictedNumbers
        model = form(forest, sums / np.maximum(counts, 1)[:, np.newaxis])
        of_weight = True if sample.weight is None else sample.weight > 0
        rows = np.flatnonzero((counts > 0) & of_weight)
        if not len(rows):
            raise ValueError(
                f"Every tree has drawn all rows (n_samples={len(counts)}), so there are no "
                "out-of-bag rows to score on: use more trees, or cv."
            )

        def score(rows: np.ndarray) -> float:
            assert sample.y is not None
            weight = None if sample.weight is None else sample.weight[rows]
            return self(model, rows, sample.y[rows], weight)

        n = min(_PARTS, len(rows)) if self._with_errors else 0
        without = np.array([score(np.delete(rows, np.s_[part::n])) for part in range(n)])
        error = np.sqrt((n - 1) * without.var()) if n > 1 else nan
        return score(rows), float(error)
