"""The model of one column: a forest on the other columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._predicting.grown_forest import GrownForest
from silvics.forests import RandomForestClassifier, RandomForestRegressor

# Only the most frequent classes of a column are imputed, so that names of rows do no harm.
MOST_CLASSES = 256
# A tree draws as many rows as there are up to this number, and a third of them beyond.
_ALL_ROWS_UP_TO = 2000


@dataclass(frozen=True)
class ForestSettings:
    """Parameters that all forests of an imputer share."""

    n_estimators: int
    max_features: Any
    min_samples_leaf: int
    max_samples: Any
    n_jobs: int | None
    keeps_donors: bool

    def rows_drawn(self, n_known: int) -> Any:
        """Return the parameter ``max_samples`` of a forest on so many rows."""
        if self.max_samples is not None:
            return self.max_samples
        if self.keeps_donors or n_known <= _ALL_ROWS_UP_TO:  # draws vary as bootstrap samples do
            return None
        return max(_ALL_ROWS_UP_TO, n_known // 3)


class ColumnModel:
    """A forest that predicts one column from others, or the usual value if there is none.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The table as numbers.
    j : int
        The column to predict.
    known : ndarray of bool of shape (n_samples,)
        Rows in which it is known.
    others : ndarray of int
        The columns to predict from.
    is_class : ndarray of bool of shape (n_features,)
        Columns whose values are classes.
    settings : ForestSettings
        Parameters of the forest.
    seed : int
        Seed of the forest.

    Attributes
    ----------
    oob_error : float
        Out-of-bag error: the root of the mean squared error, divided by the standard deviation of
        the known values, or for classes the share of wrong predictions.
    """

    def __init__(
        self,
        X: np.ndarray,
        j: int,
        known: np.ndarray,
        others: np.ndarray,
        is_class: np.ndarray,
        settings: ForestSettings,
        seed: int,
    ) -> None:
        self.others, self.is_class = others, bool(is_class[j])
        if self.is_class:
            known = known & np.isin(X[:, j], frequent_classes(X[known, j]))
        self.donors = X[known, j]  # the values that can be drawn
        self.oob_error = np.nan
        self.forest: Any = None
        self.usual = usual_value(self.donors, self.is_class)
        if not len(others) or (self.donors == self.donors[0]).all():
            return
        kind = RandomForestClassifier if self.is_class else RandomForestRegressor
        forest = kind(
            settings.n_estimators,
            max_features=settings.max_features,
            min_samples_leaf=settings.min_samples_leaf,
            max_samples=settings.rows_drawn(len(self.donors)),
            oob_score=True,
            keep_samples=settings.keeps_donors,
            categorical_features=is_class[others],
            min_category_frequency=1,
            random_state=seed,
            n_jobs=settings.n_jobs,
        )
        with warnings.catch_warnings():  # of rows without an out-of-bag tree
            warnings.simplefilter("ignore", UserWarning)
            self.forest = forest.fit(X[known][:, others], self.donors)
        self.oob_error = self._oob_error()

    def _oob_error(self) -> float:
        """Take the out-of-bag error from the forest, which does not keep the predictions."""
        y = self.donors
        if self.is_class:
            shares = self.forest.__dict__.pop("oob_decision_function_")
            is_out = ~np.isnan(shares[:, 0])
            predicted = self.forest.classes_[shares[is_out].argmax(axis=1)]
            return float(np.mean(predicted != y[is_out])) if is_out.any() else np.nan
        predicted = self.forest.__dict__.pop("oob_prediction_")
        is_out = ~np.isnan(predicted)
        if not is_out.any():
            return np.nan
        return float(np.sqrt(np.mean((predicted - y)[is_out] ** 2)) / y.std())

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict the column in some rows of the table."""
        if self.forest is None:
            return np.full(len(X), self.usual)
        # A mean of many values can exceed the largest one by rounding.
        predicted = self.forest.predict(X[:, self.others])
        return np.clip(predicted, self.donors.min(), self.donors.max())

    def tree_of(self, draw: int, random: np.random.Generator) -> int:
        """Return the tree of a draw: a different one for each draw, while there are enough."""
        n_trees = 1 if self.forest is None else len(self.forest._grown.trees)
        return int(random.permutation(n_trees)[draw % n_trees])

    def draw(self, X: np.ndarray, random: np.random.Generator, m: int = 0) -> np.ndarray:
        """Draw the column in some rows: known values in the leaves of tree m."""
        if self.forest is None:
            return random.choice(self.donors, len(X))
        grown: GrownForest = self.forest._grown
        rows, leaf, weight = grown.require_samples("draw").membership.in_bag(m)
        nodes = self.forest.estimators_[m].apply(X[:, self.others])
        wanted = np.searchsorted(grown.trees.packed.leaves(m), nodes)
        order = np.argsort(leaf, kind="stable")
        ends = np.cumsum(weight[order])
        first = np.searchsorted(leaf[order], wanted)
        last = np.searchsorted(leaf[order], wanted, side="right") - 1
        below = np.where(first > 0, ends[first - 1], 0.0)
        aim = below + random.random(len(X)) * (ends[last] - below)
        place = np.clip(np.searchsorted(ends, aim, side="right"), first, last)
        return self.donors[rows[order[place]]]


def frequent_classes(values: np.ndarray) -> np.ndarray:
    """Return the most frequent classes, sorted."""
    found, counts = np.unique(values, return_counts=True)
    return np.sort(found[np.argsort(-counts, kind="stable")[:MOST_CLASSES]])


def usual_value(values: np.ndarray, is_class: bool) -> float:
    """Return the most frequent class, the first of several, or the median."""
    if is_class:
        found, counts = np.unique(values, return_counts=True)
        return float(found[counts.argmax()])
    return float(np.median(values))
