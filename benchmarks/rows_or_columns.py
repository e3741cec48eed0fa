"""When to subsample rows rather than columns, and Ivotes on rows and columns (thesis 8.4, ch. 9).

python benchmarks/rows_or_columns.py [--repeats 5] [--write docs/studies/patches.md]

All patches of a line have the same number of values, 1/16 of the table: from 1/16 of the rows and
all columns to all rows and 1/16 of the columns. Tables are simulated again for each repeat, and all
shapes see the same tables.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from patches import put

from silvics import RandomPatchesClassifier, datasets

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # of the rows; the columns have the rest
N_COLUMNS, N_TEST, N_TREES = 64, 4000, 64


def few_relevant(rng, n):
    """Four of 64 columns matter."""
    X = rng.normal(size=(n, N_COLUMNS))
    return X, X[:, 0] + X[:, 1] + 2 * X[:, 2] * X[:, 3]


def redundant(rng, n):
    """The same four variables, of each of which 16 columns are noisy copies."""
    Z = rng.normal(size=(n, 4))
    X = np.repeat(Z, N_COLUMNS // 4, axis=1) + 0.5 * rng.normal(size=(n, N_COLUMNS))
    return X, Z[:, 0] + Z[:, 1] + 2 * Z[:, 2] * Z[:, 3]


def all_relevant(rng, n):
    """All columns matter a little."""
    X = rng.normal(size=(n, N_COLUMNS))
    return X, X.sum(axis=1) / 4


PROBLEMS = (few_relevant, redundant, all_relevant)


def sample(problem, rng, n):
    X, score = problem(rng, n)
    return X, (score + 0.5 * rng.normal(size=n) > 0).astype(int)


def accuracies(problem, recipe, n_rows, repeats):
    """One row for each repeat, one column for each shape."""
    found = np.empty((repeats, len(SHARES)))
    for k in range(repeats):
        rng = np.random.default_rng([k, n_rows])
        X, y = sample(problem, rng, n_rows)
        X_test, y_test = sample(problem, rng, N_TEST)
        for s, share in enumerate(SHARES):
            forest = RandomPatchesClassifier(
                recipe, n_estimators=N_TREES, max_samples=share, max_columns=1 / 16 / share,
                random_state=k, n_jobs=1,
            )  # fmt: skip
            found[k, s] = forest.fit(X, y).score(X_test, y_test)
    return found


def shapes_table(repeats):
    head = " | ".join(f"1/{round(1 / of)} x 1/{round(16 * of)}" for of in SHARES)
    yield f"| problem | recipe | rows | {head} | first minus last |"
    yield "|---" * (len(SHARES) + 4) + "|"
    for problem in PROBLEMS:
        for recipe in ("extra_trees", "cart"):
            for n_rows in (500, 4000, 32_000):
                found = accuracies(problem, recipe, n_rows, repeats)
                cells = " | ".join(f"{mean:.3f}" for mean in found.mean(axis=0))
                gap = found[:, 0] - found[:, -1]
                error = gap.std(ddof=1) / np.sqrt(repeats)
                yield (
                    f"| {problem.__name__} | {recipe} | {n_rows} | {cells} | "
                    f"{gap.mean():+.3f} ± {error:.3f} |"
                )


def ivotes_table(repeats):
    """Rows by importance or uniformly, on all columns and on half of them."""
    yield "| problem | rows, columns | uniform | importance | difference |"
    yield "|---|---|---|---|---|"
    for name in ("Ringnorm", "Twonorm", "Waveform", "LED"):
        for columns in (1.0, 0.5):
            found = np.empty((repeats, 2))
            for k in range(repeats):
                problem = getattr(datasets, name)()
                X, y = problem.sample(6000, 2 * k)
                X_test, y_test = problem.sample(N_TEST, 2 * k + 1)
                for d, draw in enumerate(("uniform", "importance")):
                    forest = RandomPatchesClassifier(
                        "cart", n_estimators=100, max_samples=0.03, max_columns=columns,
                        draw=draw, random_state=k, n_jobs=1,
                    )  # fmt: skip
                    found[k, d] = forest.fit(X, y).score(X_test, y_test)
            gap = found[:, 1] - found[:, 0]
            error = gap.std(ddof=1) / np.sqrt(repeats)
            means = found.mean(axis=0)
            yield (
                f"| {name} | 0.03, {columns} | {means[0]:.4f} | {means[1]:.4f} | "
                f"{gap.mean():+.4f} ± {error:.4f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", choices=("shapes", "ivotes"),
                        default=("shapes", "ivotes"))  # fmt: skip
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    for name in given.only:
        lines = []
        for line in {"shapes": shapes_table, "ivotes": ivotes_table}[name](given.repeats):
            print(line, flush=True)
            lines.append(line)
        if given.write is not None:
            put(given.write, name, "\n".join(lines))


if __name__ == "__main__":
    main()
