"""How long the theory takes: all sets of variables, all trees, and beyond.

python benchmarks/importance_theory.py --write docs/studies/importance_theory.md
"""

import argparse
import os
import statistics
import time
import warnings
from pathlib import Path

import numpy as np

from silvics.importance import asymptotic_importances, masking, relevance


def table(n_rows, p, n_levels=2, noise=0.1):
    """Two classes, of three of p variables, with noise."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_levels, (n_rows, p))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) | (X[:, 2] > 0)
    return X, np.where(rng.random(n_rows) < noise, ~y, y)


def cases(small):
    """What is timed: (words, function)."""

    def run(X, y, **settings):
        return lambda: asymptotic_importances(X, y, n_jobs=2, random_state=0, **settings)

    p = 14 if small else 20
    for n in (1_000, 10_000) if small else (1_000, 10_000, 100_000, 1_000_000):
        yield f"K = 1, {p} binary variables, {n:,} rows", run(*table(n, p))
    yield (
        f"the same, 10,000 rows, Gini, {p - 4} variables",
        run(*table(10_000, p - 4), criterion="gini"),
    )
    X, y = table(10_000, p - 4)
    weights = np.random.default_rng(1).random(len(X))
    yield "the same, entropy, weights that are not whole", run(X, y, sample_weight=weights)
    yield "K = 1, 12 variables of 5 levels, 10,000 rows", run(*table(10_000, 12, 5))
    for n in (1_000, 10_000) if small else (1_000, 10_000, 100_000):
        yield f"K = 3, 12 binary variables, {n:,} rows", run(*table(n, 12), K=3)
    yield "K = 3, 12 variables of 5 levels, 1,000 rows", run(*table(1_000, 12, 5), K=3)
    yield "depth 2, 200 variables of 3 levels, 1,000 rows", run(*table(1_000, 200, 3), depth=2)
    yield (
        "Extra-Trees, 4 variables of 5 levels, 1,000 rows",
        run(*table(1_000, 4, 5), splits="extra"),
    )
    yield (
        "best cuts, K = 2, 4 variables of 5 levels, 1,000 rows",
        run(*table(1_000, 4, 5), splits="best", K=2),
    )
    X, y = table(1_000, 40, 3)
    yield "1,000 sampled trees, 40 variables of 3 levels, 1,000 rows", run(X, y, method="sampled")
    X, y = table(1_000, 10)
    yield "masking, K = 1 to 10, 10 binary variables, 1,000 rows", lambda: masking(X, y, n_jobs=2)
    X2, y2 = table(1_000, p - 4)
    yield f"relevance, {p - 4} binary variables, 1,000 rows", lambda: relevance(X2, y2, n_jobs=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--small", action="store_true", help="a quick look")
    arguments = parser.parse_args()
    lines = [
        "# How long the theory of importances takes",
        "",
        f"Made by `make bench-importance`; 2 threads, {os.cpu_count()} cores, medians of 3 (1 above"
        " 5 s).",
        "",
        "| what | seconds | |",
        "|---|---:|---|",
    ]
    warnings.simplefilter("ignore")
    for words, function in cases(arguments.small):
        times = []
        while not times or (len(times) < 3 and times[0] < 5):
            start = time.perf_counter()
            result = function()
            times.append(time.perf_counter() - start)
        how = "exact" if getattr(result, "exact", True) else "sampled"
        lines.append(f"| {words} | {statistics.median(times):.2f} | {how} |")
        print(lines[-1], flush=True)
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
