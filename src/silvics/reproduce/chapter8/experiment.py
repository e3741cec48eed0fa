"""The experiment of chapter 8: eight methods, grids, and many divisions of each data set.

Every division has training, validation and test parts of 50, 25 and 25 %. All points of the grids
are grown once for each division. Tables 8.2, 8.3, 8.5 and 8.6 and Figures 8.1 to 8.5 are read off
the accuracies on the validation and test parts.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from silvics.reproduce.chapter8.methods import CLASSIC, METHODS, TREES, classic, patches, points_of
from silvics.reproduce.chapter8.sets import LARGE, SMALL, DataSet, those_there
from silvics.reproduce.settings import Settings

# A point of a grid, and its accuracies on the validation and test parts of each division.
Scores = dict[tuple[str, float, float], np.ndarray]

_WIDE, _VERY_WIDE = 200, 2000  # columns


@dataclass(frozen=True)
class Design:
    """The size of the experiment.

    Attributes
    ----------
    grid : tuple of float
        The values of alpha_s and alpha_f.
    n_trees, n_trees_of_large : int
        Trees of an ensemble, and of one on data sets that the thesis marks as large.
    n_divisions : int
        How often a data set is divided.
    most_rows : int or None
        Rows of a data set that are used; None uses all.
    wide : tuple of int or None
        Trees and rows on data sets of more than 200 columns, if others than those above; a third
        of the trees on those of more than 2000 columns.
    """

    grid: tuple[float, ...]
    n_trees: int
    n_trees_of_large: int
    n_divisions: int
    most_rows: int | None
    wide: tuple[int, int] | None = None


def design_of(settings: Settings) -> Design:
    """Return the size of the experiment at a scale."""
    return settings.pick(
        tiny=Design((0.1, 0.5, 1.0), 8, 8, 3, 160),
        small=Design((0.1, 0.25, 0.5, 0.75, 1.0), 50, 50, 5, 800, wide=(15, 300)),
        paper=Design((0.01, *(k / 10 for k in range(1, 11))), 250, 100, 50, None),
    )


@dataclass(frozen=True)
class Measured:
    """The accuracies on one data set.

    Attributes
    ----------
    name : str
        The data set.
    same : bool
        Whether it is that of the thesis.
    grid : tuple of float
        The values of alpha_s and alpha_f, and of K / p.
    scores : dict
        The accuracies of ("DT" or "ET", alpha_s, alpha_f) and of ("RF" or "ET at nodes", 1, K / p);
        with alpha_s below 1 the latter are grown on one subsample.
    """

    name: str
    same: bool
    grid: tuple[float, ...]
    scores: Scores

    def _tuned(self, points: list[tuple[str, float, float]], k: int) -> tuple[str, float, float]:
        """Return the point with the best accuracy on the validation part of a division."""
        best = max(float(self.scores[point][k, 0]) for point in points)
        return next(point for point in points if self.scores[point][k, 0] == best)

    def points(self, method: str, budget: float = 1.0) -> list[tuple[str, float, float]]:
        """Return the points of a method that need at most a share of the memory, smallest first."""
        if method in CLASSIC:
            return [(f"{method} at nodes", 1.0, share) for share in self.grid]
        tree = method.partition("-")[2]
        found = [(tree, s, f) for s, f in points_of(method, self.grid) if s * f <= budget + 1e-9]
        return sorted(found, key=lambda point: point[1] * point[2])

    @property
    def n_divisions(self) -> int:
        """The number of divisions."""
        return len(next(iter(self.scores.values())))

    def chosen(self, method: str, budget: float = 1.0) -> list[tuple[str, float, float]]:
        """Return the point that each division selects on its validation part."""
        points = self.points(method, budget)
        return [self._tuned(points, k) for k in range(self.n_divisions)] if points else []

    def test(self, method: str, budget: float = 1.0) -> np.ndarray:
        """Return the accuracies of the selected points on the test parts, in percent."""
        chosen = self.chosen(method, budget)
        return 100 * np.array([self.scores[point][k, 1] for k, point in enumerate(chosen)])

    def on_subsample(self, method: str, share: float) -> np.ndarray:
        """Return the accuracies of RF or ET on a single subsample of a share of the rows."""
        points = [(f"{method} at nodes", share, K) for K in self.grid]
        chosen = [self._tuned(points, k) for k in range(self.n_divisions)]
        return 100 * np.array([self.scores[point][k, 1] for k, point in enumerate(chosen)])


@lru_cache(maxsize=4)
def measured(which: str, settings: Settings) -> tuple[Measured, ...]:
    """Return the accuracies on the small or the larger data sets that can be had."""
    sets = those_there({"small": SMALL, "large": LARGE}[which], settings)
    return tuple(_of_set(one, settings) for one in sets)


def divisions(
    n_rows: int, design: Design, seed: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return rows for training, validation and test, the same for all methods."""
    found = []
    for k in range(design.n_divisions):
        rows = np.random.default_rng([seed, k]).permutation(n_rows)[: design.most_rows]
        train, rest = train_test_split(rows, test_size=0.5, random_state=k)
        found.append((train, *train_test_split(rest, test_size=0.5, random_state=k)))
    return found


def _of_set(one: DataSet, settings: Settings) -> Measured:
    """Grow all points of the grids on all divisions of a data set."""
    design = design_of(settings)
    X, y = one.load(settings)
    more: dict[str, Any] = {"n_estimators": design.n_trees, "n_jobs": settings.n_jobs}
    if one.large:
        more |= {"n_estimators": design.n_trees_of_large, "min_samples_split": 10}
    if design.wide is not None and X.shape[1] > _WIDE:
        more["n_estimators"] = design.wide[0] // (3 if X.shape[1] > _VERY_WIDE else 1)
        design = replace(design, most_rows=design.wide[1])
    every: dict[tuple[str, float, float], list[tuple[float, float]]] = {}
    for k, (train, validation, test) in enumerate(divisions(len(y), design, settings.seed)):
        for point in points_of_all(design.grid):
            rows = train[: max(2, round(point[1] * len(train)))] if "nodes" in point[0] else train
            model = _model(point, X.shape[1], {**more, "random_state": settings.seed + k})
            with warnings.catch_warnings():  # a small subsample may have a class for each row
                warnings.filterwarnings("ignore", message="The number of unique classes")
                model.fit(X[rows], y[rows])
            scores = (model.score(X[validation], y[validation]), model.score(X[test], y[test]))
            every.setdefault(point, []).append(scores)
    return Measured(
        one.name, one.same, design.grid, {point: np.array(of) for point, of in every.items()}
    )


def points_of_all(grid: tuple[float, ...]) -> list[tuple[str, float, float]]:
    """Return all points: patches of two kinds of trees, and RF and ET on subsamples."""
    pairs = [(s, f) for s in grid for f in grid]
    return [
        *((tree, s, f) for tree in TREES for s, f in pairs),
        *((f"{name} at nodes", s, f) for name in CLASSIC for s, f in pairs),
    ]


def _model(point: tuple[str, float, float], n_columns: int, more: dict[str, Any]) -> Any:
    name, alpha_s, alpha_f = point
    if name.endswith(" at nodes"):
        return classic(name.partition(" ")[0], alpha_f, n_columns, **more)
    return patches(name, alpha_s, alpha_f, **more)


def accuracies(found: tuple[Measured, ...]) -> dict[str, dict[str, list[float]]]:
    """Return the accuracies of each method on the test parts, for each data set."""
    return {one.name: {method: one.test(method).tolist() for method in METHODS} for one in found}
