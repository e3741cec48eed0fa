"""How growing scales with threads: many trees, and one tree on many rows.

    python benchmarks/threads.py [--threads 1,2,4,8,16] [--repeat 3]

Times are the best of the repeats; the forest must be the same for any number of threads.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

import silvics


def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p)).astype(np.float32)
    signal = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] - 0.5 * X[:, 4] ** 2
    return X, (signal + rng.standard_normal(n) > 0).astype(np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = len(os.sched_getaffinity(0))
    default = [2**i for i in range(10) if 2**i < cores] + [cores]
    parser.add_argument("--threads", default=",".join(map(str, default)))
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    threads = [int(t) for t in chosen.threads.split(",")]
    tasks = {
        "RF, 160 trees, 100k x 20": ((100_000, 20), {"n_estimators": 160}),
        "one tree, 1M x 20, all variables": (
            (1_000_000, 20),
            {"n_estimators": 1, "max_features": None},
        ),
    }
    print("| task | " + " | ".join(f"{t} threads" for t in threads) + " |")
    print("|---|" + "---:|" * len(threads))
    for name, (shape, settings) in tasks.items():
        X, y = table(*shape)
        best: dict[int, float] = {}
        digests = set()
        for _ in range(chosen.repeat):
            for t in threads:
                forest = silvics.RandomForestClassifier(random_state=0, n_jobs=t, **settings)
                start = time.perf_counter()
                forest.fit(X, y)
                best[t] = min(best.get(t, np.inf), time.perf_counter() - start)
                digests.add(forest.digest())
        assert len(digests) == 1, "the forest depends on the number of threads"
        cells = [f"{best[t]:.2f} s ({best[threads[0]] / best[t]:.1f}x)" for t in threads]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
