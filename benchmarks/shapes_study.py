"""Shapes of patches chosen by a race, beside the fixed default: errors and times.

python benchmarks/shapes_study.py [DATA] [--sets name ...] [--splits 5]

Halves of each set are learned from, and the other halves predicted, by 100 trees. With a folder of
Parquet files, its sets are measured instead of the simulated ones: at most 3000 rows of each.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.model_selection import ShuffleSplit

from silvics import RandomPatchesClassifier, RandomPatchesRegressor, datasets

N = 3000
OF_FOLDER = (
    "diabetes", "sonar", "spambase", "letter", "credit_g", "splice",
    "california_housing", "concrete", "kin8nm", "abalone", "wine_quality", "elevators",
)  # fmt: skip


def sets():
    for name in ("Waveform", "Twonorm", "Ringnorm", "LED"):
        yield name, True, getattr(datasets, name)().sample(N, 0)
    for name in ("Friedman1", "Friedman2", "Friedman3"):
        yield name, False, getattr(datasets, name)().sample(N, 0)
    for load in (load_breast_cancer, load_digits, load_wine):
        yield load.__name__.removeprefix("load_"), True, load(return_X_y=True)
    yield "diabetes", False, load_diabetes(return_X_y=True)


def sets_of(folder, names):
    """Sets of a folder: inputs as a frame, and whether the target is a class."""
    import pandas as pd

    for name in names:
        table = pd.read_parquet(folder / f"{name}.parquet")
        table = table.sample(min(N, len(table)), random_state=0).reset_index(drop=True)
        y = table.pop("target")
        classes = y.dtype == "category"
        yield name, classes, (table, np.asarray(y.astype(str) if classes else y))


def measured(kind, X, y, splits, **settings):
    """Scores, the time of a fit over that of a fit with the shape fixed, and the shape."""
    scores, seconds, again, shapes = [], 0.0, 0.0, []
    for k, (learn, test) in enumerate(splits):
        forest = kind(n_estimators=100, random_state=k, **settings)
        start = time.process_time()
        forest.fit(rows_of(X, learn), y[learn])
        seconds += time.process_time() - start
        scores.append(forest.score(rows_of(X, test), y[test]))
        shapes.append((forest.max_samples_ / len(learn), forest.max_columns_ / X.shape[1]))
        forest.set_params(max_samples=forest.max_samples_, max_columns=forest.max_columns_)
        start = time.process_time()
        forest.fit(rows_of(X, learn), y[learn])
        again += time.process_time() - start
    return np.array(scores), seconds / again, np.median(shapes, axis=0)


def rows_of(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--sets", nargs="*", default=OF_FOLDER)
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    chosen = sets() if given.data is None else sets_of(given.data, given.sets)
    print("| set | default | auto | difference | rows, columns chosen | time over one fit |")
    print("|---|---|---|---|---|---|")
    better = worse = 0
    for name, classes, (X, y) in chosen:
        kind = RandomPatchesClassifier if classes else RandomPatchesRegressor
        splits = list(ShuffleSplit(given.splits, test_size=0.5, random_state=0).split(X))
        default, _, _ = measured(kind, X, y, splits)
        auto, spent, shape = measured(kind, X, y, splits, max_samples="auto", max_columns="auto")
        difference = auto - default
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        better += difference.mean() > error
        worse += difference.mean() < -error
        print(
            f"| {name} | {default.mean():.4f} | {auto.mean():.4f} | "
            f"{difference.mean():+.4f} ± {error:.4f} | {shape[0]:.2f}, {shape[1]:.2f} | "
            f"{spent:.2f} |",
            flush=True,
        )
    print(f"\nBetter by more than a standard error on {better} sets, worse on {worse}.")


if __name__ == "__main__":
    main()
