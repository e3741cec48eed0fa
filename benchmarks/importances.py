"""How long importances take: the theory, and permutations against scikit-learn's.

python benchmarks/importances.py --write docs/studies/importances.md
"""

import argparse
import os
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance

import silvics
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


def permutations(small):
    """Both libraries in turns: seconds for the same number of permutations."""
    n = 2_000 if small else 20_000
    rng = np.random.default_rng(0)
    tables = {
        f"{n:,} x 20, two classes": rng.normal(size=(n, 20)),
        f"{n // 4:,} x 200, two classes": rng.normal(size=(n // 4, 200)),
        f"{n:,} x 10, numbers": rng.normal(size=(n, 10)),
    }
    for words, X in tables.items():
        signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=len(X))
        numbers = "numbers" in words
        y = signal if numbers else (signal > 0).astype(int)
        ours = (silvics.RandomForestRegressor if numbers else silvics.RandomForestClassifier)(
            100, n_jobs=2, random_state=0
        ).fit(X, y)
        theirs = (RandomForestRegressor if numbers else RandomForestClassifier)(
            100, n_jobs=2, random_state=0
        ).fit(X, y)
        n_repeats = 1 if X.shape[1] > 100 else 5
        times = ([], [], [])
        for repeat in range(3):
            start = time.perf_counter()
            ours.importances("mda", X, y, n_repeats=n_repeats, random_state=repeat)
            times[0].append(time.perf_counter() - start)
            start = time.perf_counter()
            permutation_importance(theirs, X, y, n_repeats=n_repeats, random_state=repeat)
            times[1].append(time.perf_counter() - start)
            start = time.perf_counter()
            ours.importances(by="context")
            times[2].append(time.perf_counter() - start)
        mine, other, parts = (statistics.median(of) for of in times)
        start = time.perf_counter()
        ours.fit(X, y)
        fit = time.perf_counter() - start
        yield (
            f"| {words} | {n_repeats} | {mine:.2f} | {other:.2f} | {other / mine:.1f}x "
            f"| {parts:.3f} | {fit:.2f} |"
        )


def kinds(small):
    """Seconds of each kind, of 100 full trees."""
    n = 2_000 if small else 20_000
    rng = np.random.default_rng(0)
    for words, p in ((f"{n:,} x 20, two classes", 20), (f"{n:,} x 10, numbers", 10)):
        X = rng.normal(size=(n, p))
        signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
        numbers = "numbers" in words
        y = signal if numbers else (signal > 0).astype(int)
        make = silvics.RandomForestRegressor if numbers else silvics.RandomForestClassifier
        forest = make(100, n_jobs=2, random_state=0)
        start = time.perf_counter()
        forest.fit(X, y)
        seconds = {"fit": time.perf_counter() - start}
        for kind in ("mdi", "mdi_oob", "ufi", "local", "mda", "mda_tree", "air", "surrogate"):
            arguments = {"mdi": (), "local": (X,)}.get(kind, (X, y))
            times = []
            for _ in range(3):
                start = time.perf_counter()
                forest.importances(kind, *arguments)
                times.append(time.perf_counter() - start)
            seconds[kind] = statistics.median(times)
        yield f"| {words} | " + " | ".join(f"{t:.2f}" for t in seconds.values()) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--small", action="store_true", help="a quick look")
    arguments = parser.parse_args()
    lines = [
        "# Time of importances",
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
    lines += [
        "",
        "## Permutations, against scikit-learn",
        "",
        "100 full trees, 2 threads, the same permutations of each variable, medians of 3 "
        'interleaved runs. "mda" uses the rows out of bag, and `permutation_importance` all rows. '
        'The other columns have the time of `importances(by="context")` and of the fit.',
        "",
        "| table | permutations | mda, s | scikit-learn, s | | by context, s | fit, s |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for line in permutations(arguments.small):
        lines.append(line)
        print(line, flush=True)
    lines += [
        "",
        "## Every kind",
        "",
        "100 full trees, 2 threads, medians of 3.",
        "",
        "| table | fit | mdi | mdi_oob | ufi | local | mda | mda_tree | air | surrogate |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for line in kinds(arguments.small):
        lines.append(line)
        print(line, flush=True)
    if arguments.write:
        arguments.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
