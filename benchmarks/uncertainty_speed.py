"""Time and memory of quantiles, jackknife+ and standard errors, against other libraries.

Each measurement is a process of its own, with two threads. Libraries that are absent are skipped.
coverforest runs in the environment of another Python, named by COVERFOREST_PYTHON, because it needs
an older scikit-learn. Times are of the processor, since the machine may be shared.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

LEVELS = [0.05, 0.5, 0.95]


def friedman(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n)


def used() -> float:
    """Seconds of the processor, of all threads."""
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime


def resident() -> float:
    """Memory of the process at this moment, in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Timer:
    """Processor time, wall time, and what memory was added at the most."""

    def __enter__(self) -> Timer:
        self.before, self.cpu, self.wall = resident(), used(), time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu, self.wall = used() - self.cpu, time.monotonic() - self.wall
        self.added = max(peak() - self.before, 0.0)

    def show(self, kept: float = float("nan"), size: float = float("nan")) -> None:
        print(self.cpu, self.wall, self.added, kept, size)


# ---- quantiles


def silvics_quantiles(n: int, m: int) -> None:
    from silvics import RandomForestRegressor

    (X, y), (new, _) = friedman(n, 0), friedman(m, 1)
    forest = RandomForestRegressor(
        100, min_samples_leaf=5, max_features=3, keep_samples=True, random_state=0, n_jobs=2
    ).fit(X, y)
    forest.predict(new[:10])
    with Timer() as timer:
        forest.predict_quantiles(new, LEVELS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forest"
        forest.save(path, training_rows=True)
        size = path.stat().st_size / 2**20
    timer.show(forest.summary().samples_nbytes / 2**20, size)


def quantile_forest(n: int, m: int, most: int | None) -> None:
    from quantile_forest import RandomForestQuantileRegressor

    (X, y), (new, _) = friedman(n, 0), friedman(m, 1)
    forest = RandomForestQuantileRegressor(
        100, min_samples_leaf=5, max_features=3, random_state=0, n_jobs=2, max_samples_leaf=most
    ).fit(X, y)
    forest.predict(new[:10], quantiles=LEVELS)
    with Timer() as timer:
        forest.predict(new, quantiles=LEVELS)
    kept = len(pickle.dumps(forest.forest_)) / 2**20
    timer.show(kept, len(pickle.dumps(forest)) / 2**20)


# ---- jackknife+


def silvics_jackknife(n: int, m: int) -> None:
    from silvics import RandomForestRegressor

    (X, y), (new, _) = friedman(n, 0), friedman(m, 1)
    forest = RandomForestRegressor(
        100, max_features=3, keep_samples=True, random_state=0, n_jobs=2
    ).fit(X, y)
    forest.predict(new[:10])
    with Timer() as timer:
        forest.predict_interval(new, 0.9, method="jackknife+")
    timer.show()


def coverforest_jackknife(n: int, m: int) -> None:
    from coverforest import CoverForestRegressor

    (X, y), (new, _) = friedman(n, 0), friedman(m, 1)
    forest = CoverForestRegressor(
        100, method="bootstrap", resample_n_estimators=False, max_features=3, random_state=0,
        n_jobs=2,
    ).fit(X, y)  # fmt: skip
    with Timer() as timer:
        forest.predict(new, alpha=0.1, num_threads=2)
    timer.show()


# ---- standard errors


def silvics_errors(n: int, m: int) -> None:
    from silvics import RandomForestRegressor

    (X, y), (new, _) = friedman(n, 0), friedman(m, 1)
    forest = RandomForestRegressor(500, max_features=3, random_state=0, n_jobs=2).fit(X, y)
    forest.predict(new[:10])
    with Timer() as timer:
        forest.predict_standard_error(new, raw=True)
    timer.show()


def forestci_errors(n: int, m: int) -> None:
    import forestci
    from sklearn.ensemble import RandomForestRegressor

    (X, y), (new, _) = friedman(n, 0), friedman(m, 1)
    forest = RandomForestRegressor(500, max_features=3, random_state=0, n_jobs=2).fit(X, y)
    with Timer() as timer:
        forestci.random_forest_error(forest, X.shape, new, calibrate=False)
    timer.show()


CONTENDERS = {
    "silvics_quantiles": silvics_quantiles,
    "quantile_forest_all": lambda n, m: quantile_forest(n, m, None),
    "quantile_forest_one": lambda n, m: quantile_forest(n, m, 1),
    "silvics_jackknife": silvics_jackknife,
    "coverforest_jackknife": coverforest_jackknife,
    "silvics_errors": silvics_errors,
    "forestci_errors": forestci_errors,
}


def measured(name: str, n: int, m: int, repeats: int = 1) -> list[float] | None:
    """Medians of processor time, wall time, memory added, memory kept, size of a file."""
    python = sys.executable
    if name.startswith("coverforest"):
        python = os.environ.get("COVERFOREST_PYTHON", python)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # waiting threads take time, too
    found = []
    for _ in range(repeats):
        command = [python, __file__, name, str(n), str(m)]
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment
        )
        if ended.returncode:
            print(name, ended.stderr[-500:], file=sys.stderr)
            return None
        found.append([float(x) for x in ended.stdout.split()])
    return [median(column) for column in zip(*found, strict=True)]


if __name__ == "__main__":
    CONTENDERS[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]))
