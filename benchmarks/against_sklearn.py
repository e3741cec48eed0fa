"""Time of fit and predict against scikit-learn, in one run, as ratios.

    python benchmarks/against_sklearn.py [--repeat 3] [--jobs 2] [--trees 20]

The libraries take turns; figures are medians. Only the ratios mean anything elsewhere.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np
import sklearn.ensemble
from sklearn.datasets import load_digits, make_classification, make_friedman1

import silvics


def tasks():
    """Name, kind, learning and test set; the last fifth is the test set."""

    def halves(X, y):
        cut = len(X) * 4 // 5
        return X[:cut], y[:cut], X[cut:], y[cut:]

    classes = {"n_informative": 10, "n_redundant": 4, "random_state": 0, "flip_y": 0.05}
    yield "100k x 20, 2 classes", "Classifier", halves(*make_classification(125_000, 20, **classes))
    yield "10k x 500, 2 classes", "Classifier", halves(*make_classification(12_500, 500, **classes))
    X, y = make_friedman1(125_000, 10, noise=1.0, random_state=0)
    yield "Friedman #1, 100k x 10", "Regressor", halves(X, y)
    yield "digits, 1.4k x 64, 10 classes", "Classifier", halves(*load_digits(return_X_y=True))


def measured(kind, data, trees, jobs):
    X, y, X_test, y_test = data
    forest = kind(trees, n_jobs=jobs, random_state=0)
    start = time.perf_counter()
    forest.fit(X, y)
    fitted = time.perf_counter()
    forest.predict(X_test)
    return fitted - start, time.perf_counter() - fitted, forest.score(X_test, y_test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trees", type=int, default=20)
    chosen = parser.parse_args()
    print("| task | forest | fit, s | scikit-learn, s | faster | predict faster | score | theirs |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name, kind, data in tasks():
        data = [np.ascontiguousarray(part) for part in data]
        for algorithm in ("RandomForest", "ExtraTrees"):
            runs: dict = {silvics: [], sklearn.ensemble: []}
            for _ in range(chosen.repeat):
                for library in runs:
                    forest = getattr(library, algorithm + kind)
                    runs[library].append(measured(forest, data, chosen.trees, chosen.jobs))
            ours, theirs = (
                [median(column) for column in zip(*r, strict=True)] for r in runs.values()
            )
            print(
                f"| {name} | {algorithm} | {ours[0]:.2f} | {theirs[0]:.2f} | "
                f"{theirs[0] / ours[0]:.1f}x | {theirs[1] / ours[1]:.1f}x | "
                f"{ours[2]:.4f} | {theirs[2]:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
