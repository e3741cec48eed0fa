"""Intervals and calibrated probabilities on many sets: coverage, width, log-loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from tables import Table, read, split, standard_error

from silvics import RandomForestClassifier, RandomForestRegressor

N_SPLITS, N_TREES, LEVEL = 10, 100, 0.9
MOST_ROWS, MOST_CLASS_ROWS = 1000, 2000
METHODS = ("oob", "quantile", "jackknife+", "split")
REGRESSION = (
    "abalone", "california_housing", "concrete", "diamonds", "elevators", "house8L", "kc_housing",
    "kin8nm", "wine_quality",
)  # fmt: skip
CLASSIFICATION = (
    "adult", "colic", "credit_g", "cylinder_bands", "diabetes", "hypothyroid", "ionosphere",
    "led7digit", "letter", "liver", "nursery", "pendigits", "sonar", "spambase", "splice",
    "twonorm", "vehicle", "waveform",
)  # fmt: skip

Noise = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]


def _simulated(seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sets with known noise: normal, of changing size, heavy-tailed, skewed, in classes."""
    rng = np.random.default_rng(seed)
    n = 2 * MOST_ROWS
    X = rng.uniform(size=(n, 10))
    first = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    first += 10 * X[:, 3] + 5 * X[:, 4]
    normal = rng.normal(size=n)
    return {
        "normal noise": (X, first + normal),
        "loud normal noise": (X, first + 5 * normal),
        "noise grows with x0": (X, first + 6 * X[:, 0] * normal),
        "two levels of noise": (X, first + np.where(X[:, 3] > 0.7, 8, 0.5) * normal),
        "t noise, 3 degrees": (X, first + 2 * rng.standard_t(3, size=n)),
        "exponential noise": (X, first + rng.exponential(4, size=n)),
        "lognormal output": (X, np.exp(first / 6 + 0.5 * normal)),
        "counts": (X, rng.poisson(np.exp(first / 8)).astype(float)),
        "linear, 5 columns": (X[:, :5], X[:, :5] @ np.arange(1, 6) + normal),
        "step": (X, 10.0 * (X[:, 0] > 0.5) + normal),
        "nothing to learn": (X, normal),
    }


def regression_sets(folder: Path) -> Iterator[tuple[str, Callable[[int], tuple]]]:
    """Yield names, and functions from the number of a split to rows to train and to test on."""
    for name in REGRESSION:
        table = read(folder, name)

        def parts(seed: int, table: Table = table) -> tuple:
            train, test = split(table, seed, MOST_ROWS)
            X, y = table.X, table.y
            return X.iloc[train], y[train], X.iloc[test], y[test]

        yield name, parts
    for name in _simulated(0):

        def made(seed: int, name: str = name) -> tuple:
            X, y = _simulated(seed)[name]
            return X[:MOST_ROWS], y[:MOST_ROWS], X[MOST_ROWS:], y[MOST_ROWS:]

        yield name, made


def intervals_of_split(parts: tuple, seed: int) -> dict[str, tuple[float, float]]:
    """The coverage and the mean width of each method.

    "split" grows its forest on two thirds of the rows, and calibrates on the others.
    """
    X, y, new, after = parts
    found = {}

    def grown(rows: slice) -> RandomForestRegressor:
        part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
        return RandomForestRegressor(
            N_TREES, max_features=1 / 3, min_samples_leaf=3, keep_samples=True, random_state=seed,
            n_jobs=2,
        ).fit(part, y[rows])  # fmt: skip

    forest, two_thirds = grown(slice(None)), len(y) * 2 // 3
    for method in METHODS:
        used, calibration = forest, None
        if method == "split":
            used, rest = grown(slice(two_thirds)), slice(two_thirds, None)
            part = X.iloc[rest] if isinstance(X, pd.DataFrame) else X[rest]
            calibration = (part, y[rest])
        low, high = used.predict_interval(new, LEVEL, method=method, calibration=calibration).T
        inside = (low <= after) & (after <= high)
        found[method] = float(inside.mean()), float((high - low).mean())
    return found


def intervals(folder: Path) -> Iterator[tuple[str, dict[str, tuple[np.ndarray, np.ndarray]]]]:
    """For each set and method, the coverages and the widths of all splits."""
    for name, parts in regression_sets(folder):
        of_splits = [intervals_of_split(parts(seed), seed) for seed in range(N_SPLITS)]
        yield (
            name,
            {m: tuple(np.array([of[m][k] for of in of_splits]) for k in (0, 1)) for m in METHODS},
        )


def classes_of_split(table: Table, seed: int) -> dict[str, float]:
    train, test = split(table, seed, MOST_CLASS_ROWS)
    X, y = table.X.iloc[train], table.y[train]
    forest = RandomForestClassifier(
        N_TREES, calibrate="oob", keep_samples=True, random_state=seed, n_jobs=2
    ).fit(X, y)
    # Classes that were not seen in training are left out: their probability is zero.
    seen = np.isin(table.y[test], forest.classes_)
    new, at = table.X.iloc[test][seen], np.searchsorted(forest.classes_, table.y[test][seen])
    raw = np.maximum(forest.predict_trees(new).mean(axis=1), 0.5 / N_TREES)
    raw /= raw.sum(axis=1, keepdims=True)
    calibrated = np.maximum(forest.predict_proba(new), 1e-15)
    if forest.calibration_.method == "raw":
        calibrated = raw
    rows = np.arange(len(at))
    sets = forest.predict_set(new, LEVEL)
    return {
        "raw": float(-np.log(raw[rows, at]).mean()),
        "calibrated": float(-np.log(calibrated[rows, at]).mean()),
        "coverage": float(sets[rows, at].mean()),
        "size": float(sets.sum(axis=1).mean()),
        "method": forest.calibration_.method,
    }


def classes(folder: Path) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """For each set, the log-losses, the coverage and the size of sets, of all splits."""
    for name in CLASSIFICATION:
        table = read(folder, name)
        of_splits = [classes_of_split(table, seed) for seed in range(N_SPLITS)]
        yield name, {key: np.array([of[key] for of in of_splits]) for key in of_splits[0]}


def near_nominal(coverages: np.ndarray) -> bool:
    """Whether the mean is within 1.5 points, or two standard errors, of the level."""
    return abs(coverages.mean() - LEVEL) <= max(0.015, 2 * standard_error(coverages))
