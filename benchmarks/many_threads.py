"""Growing and first predictions with many threads, against scikit-learn, in one run.

    python benchmarks/many_threads.py [--jobs 16] [--repeat 3]

The libraries take turns and figures are medians (``peers.in_turns``). The first prediction after
``fit`` is of the training rows.
"""

from __future__ import annotations

import argparse
import os
import time
from statistics import median
from typing import Any

import numpy as np
import sklearn.ensemble as theirs

import silvics


def table(n: int, p: int, real: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p)).astype(np.float32)
    signal = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] - 0.5 * X[:, 4] ** 2
    y = signal + rng.standard_normal(n)
    return X, y if real else (y > 0).astype(np.int64)


# A name, the class, the shape of the table, whether outputs are real, and the number of trees.
TASKS = [
    ("ET, 1M x 20, classes", "ExtraTreesClassifier", (1_000_000, 20), False, 16),
    ("ET, 500k x 10, numbers", "ExtraTreesRegressor", (500_000, 10), True, 16),
    ("RF, 1M x 20, classes", "RandomForestClassifier", (1_000_000, 20), False, 16),
    ("RF, 1M x 20, classes, 32 trees", "RandomForestClassifier", (1_000_000, 20), False, 32),
    ("ET, 1M x 20, classes, 32 trees", "ExtraTreesClassifier", (1_000_000, 20), False, 32),
]


def timed(forest: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Seconds of ``fit``, of the first prediction, and of the next one."""
    times = []
    for call in (lambda: forest.fit(X, y), lambda: forest.predict(X), lambda: forest.predict(X)):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times[0], times[1], times[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tasks", nargs="*", default=[""])
    chosen = parser.parse_args()
    print(f"{chosen.jobs} threads; seconds of ours, and scikit-learn's over ours")
    print("| task | fit | | first prediction | | next prediction | |")
    print("|---|" + "---:|" * 6)
    for name, kind, (n, p), real, n_trees in TASKS:
        if not any(part in name for part in chosen.tasks):
            continue
        X, y = table(n, p, real)
        runs: dict[str, list[tuple[float, float, float]]] = {"ours": [], "theirs": []}
        for r in range(chosen.repeat):
            for who, library in (("ours", silvics), ("theirs", theirs)):
                forest = getattr(library, kind)(n_trees, random_state=r, n_jobs=chosen.jobs)
                runs[who].append(timed(forest, X, y))
                del forest
        ours, others = (
            [median(run[k] for run in runs[who]) for k in range(3)] for who in ("ours", "theirs")
        )
        cells = [f"{a:.3f} s | {b / a:.1f}x" for a, b in zip(ours, others, strict=True)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
