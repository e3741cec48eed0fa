"""Forests of every sort, each fitted once, with the weights of rows in each tree."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from . import plain_importances as plain

N = 90
rng = np.random.default_rng(0)
X = rng.integers(0, 7, (N, 5)).astype(float)
X[:, 4] = rng.normal(size=N)
HOLES = np.where(rng.random(X.shape) < 0.12, np.nan, X)
CLASSES = np.array(["a", "b", "c"])[rng.integers(0, 3, N)]
CLASSES[X[:, 0] > 3] = "b"
NUMBERS = X[:, 0] * X[:, 1] + rng.normal(size=N)
COUNTS = np.abs(NUMBERS).round()
WEIGHTS = rng.uniform(0.2, 3, N)
FRAME = pd.DataFrame(
    {
        "species": np.array(["ash", "elm", "fir", "oak", None], dtype=object)[
            rng.integers(0, 5, N)
        ],
        "height": HOLES[:, 1],
        "old": X[:, 2] > 3,
        "soil": pd.Categorical(np.array(["u", "v", "w", "x"])[rng.integers(0, 4, N)]),
        "noise": X[:, 4],
    }
)
TWO_NUMBERS = np.column_stack([NUMBERS, X[:, 3] + rng.normal(size=N)])
TWO_CLASSES = np.column_stack([CLASSES, np.where(X[:, 1] > 2, "yes", "no")])

SIX = rng.normal(size=(6, 3))
SIX_CLASSES = np.array([0, 1, 2, 0, 1, 0])
SIX_NUMBERS = rng.exponential(size=6)

classes, numbers = RandomForestClassifier, RandomForestRegressor


def recipe_of(y):
    return ForestClassifier if y is CLASSES else ForestRegressor


@dataclass
class Case:
    """A forest to fit, what on, and what its nodes are told of in."""

    forest: object
    table: object
    y: np.ndarray
    criterion: str
    weights: np.ndarray | None = None
    surrogate: str | None = None  # the impurity, if that is another; "" where rounding breaks ties
    told_apart: bool = True  # its impurity, by classes or outputs
    close: float = 1e-9


def any_recipe(y, name, **chosen):
    return recipe_of(y)(name, n_estimators=4, random_state=0, **chosen)


CASES = {
    "Gini": lambda: Case(classes(4, random_state=0), X, CLASSES, "gini"),
    "entropy": lambda: Case(
        classes(4, criterion="entropy", random_state=0), HOLES, CLASSES, "entropy"
    ),
    "log loss": lambda: Case(
        classes(4, criterion="log_loss", max_depth=3, random_state=0), HOLES, CLASSES, "entropy"
    ),
    "variance": lambda: Case(numbers(4, random_state=0), X, NUMBERS, "squared_error"),
    "variance, holes": lambda: Case(
        numbers(4, min_samples_leaf=3, random_state=0), HOLES, NUMBERS, "squared_error"
    ),
    "absolute error": lambda: Case(
        numbers(4, criterion="absolute_error", max_depth=4, random_state=0),
        HOLES, NUMBERS, "absolute_error", surrogate="squared_error", told_apart=False,
    ),
    "Poisson": lambda: Case(
        numbers(4, criterion="poisson", random_state=0),
        HOLES, COUNTS, "poisson", surrogate="squared_error", told_apart=False,
    ),
    "categories": lambda: Case(classes(4, random_state=0), FRAME, CLASSES, "gini"),
    "categories, numbers": lambda: Case(
        numbers(4, random_state=0), FRAME, NUMBERS, "squared_error"
    ),
    "sparse": lambda: Case(numbers(4, random_state=0), csr_matrix(X), NUMBERS, "squared_error"),
    "two numbers": lambda: Case(numbers(4, random_state=0), X, TWO_NUMBERS, "squared_error"),
    "two classes": lambda: Case(classes(4, random_state=0), X, TWO_CLASSES, "gini"),
    "drawn by weight": lambda: Case(
        classes(4, random_state=0), X, CLASSES, "gini", weights=WEIGHTS
    ),
    "drawn by weight, numbers": lambda: Case(
        numbers(4, random_state=0), X, NUMBERS, "squared_error", weights=WEIGHTS
    ),
    "class weights": lambda: Case(
        classes(4, class_weight={"a": 1, "b": 3, "c": 2}, random_state=0), X, CLASSES, "gini"
    ),
    "balanced": lambda: Case(
        classes(4, class_weight="balanced", random_state=0), X, CLASSES, "gini"
    ),
    "balanced in each tree": lambda: Case(
        classes(4, class_weight="balanced_subsample", random_state=0),
        X, CLASSES, "gini", weights=WEIGHTS, surrogate="",
    ),
    "few rows": lambda: Case(classes(4, max_samples=0.4, random_state=0), X, CLASSES, "gini"),
    "one tree": lambda: Case(classes(1, random_state=0), X, CLASSES, "gini"),
    "extra": lambda: Case(
        ExtraTreesRegressor(4, bootstrap=True, random_state=0), HOLES, NUMBERS, "squared_error"
    ),
    "trees of one node": lambda: Case(
        classes(3, min_samples_leaf=45, random_state=0), X, CLASSES, "gini"
    ),
    "subsample": lambda: Case(
        any_recipe(CLASSES, "random_forest", rows="subsample", max_samples=0.6), X, CLASSES, "gini"
    ),
    "subsample, weights": lambda: Case(
        any_recipe(CLASSES, "random_forest", rows="subsample", max_samples=0.6),
        X, CLASSES, "gini", weights=WEIGHTS,
    ),
    "multiway": lambda: Case(
        any_recipe(CLASSES, "totally_randomized_multiway", rows="bootstrap"),
        X.round(), CLASSES, "entropy",
    ),
    "multiway, numbers": lambda: Case(
        any_recipe(NUMBERS, "totally_randomized_multiway", rows="bootstrap"),
        X.round(), NUMBERS, "squared_error",
    ),
    "ternary": lambda: Case(
        any_recipe(CLASSES, "random_forest", missing="apart"), HOLES, CLASSES, "gini"
    ),
    "ternary, numbers": lambda: Case(
        any_recipe(NUMBERS, "random_forest", missing="apart"), HOLES, NUMBERS, "squared_error"
    ),
    "C4.5": lambda: Case(
        any_recipe(CLASSES, "c4.5", rows="bootstrap"),
        FRAME, CLASSES, "gain_ratio", surrogate="gini", told_apart=False,
    ),
    "pruned": lambda: Case(
        any_recipe(CLASSES, "random_forest", pruning="reduced_error"), X, CLASSES, "gini"
    ),
    "combinations": lambda: Case(
        any_recipe(CLASSES, "forest_rc", max_depth=1), X, CLASSES, "gini", close=1e-6
    ),
    "rotation": lambda: Case(
        any_recipe(NUMBERS, "rotation_forest", max_depth=1),
        X, NUMBERS, "squared_error", close=1e-6,
    ),
}  # fmt: skip


class Fitted:
    """A case once fitted, with the weights of rows in each tree."""

    def __init__(self, case):
        self.case = case
        self.forest = case.forest.fit(case.table, case.y, case.weights)
        self.table, self.y = case.table, case.y
        # The weights that rows are drawn by, or have: those of the user, times those of classes.
        weights = self.forest._grown.sampling.weights
        by_weight = getattr(self.forest, "rows", None) != "subsample"  # all others: bootstrap
        balanced = getattr(self.forest, "class_weight", None) == "balanced_subsample"
        self.bags = plain.in_bag(
            self.forest, self.y, None if by_weight else weights, balanced_subsample=balanced
        )
        ones = np.ones(N) if weights is None else weights
        self.out = [(count == 0) * ones for count in plain.drawn_counts(self.forest)]
        self.is_classes = hasattr(self.forest, "classes_")

    def near(self, expected):
        expected = np.asarray(expected)
        scale = max(1.0, np.abs(expected).max())
        return pytest.approx(expected, rel=self.case.close, abs=self.case.close * scale)


@cache
def fitted(name):
    return Fitted(CASES[name]())
