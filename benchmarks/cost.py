"""The cost of fits as `estimate_cost` predicts it, and as measured.

    python benchmarks/cost.py [--write docs/studies/cost.md]

Each fit runs in a process of its own, whose peak of memory is read from the system (Linux). No
task is used for the calibration, which has 10 columns and trees of K = 3.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification, make_friedman1

import silvics
from silvics.inspection import estimate_cost

Data = Callable[[], tuple[np.ndarray, np.ndarray]]


def friedman(n: int, p: int = 10) -> Data:
    return lambda: make_friedman1(n, p, noise=1.0, random_state=0)


def classes(n: int, p: int, k: int) -> Data:
    return lambda: make_classification(n, p, n_informative=12, n_classes=k, random_state=0)


def whole_numbers(n: int) -> Data:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (n, 20)).astype(float)
    return lambda: (X, X[:, 0] * X[:, 1] + rng.normal(size=n))


MANY = {"n_estimators": 400}
# Threads of the library of matrices, which makes some of the data, spin for a while after their
# work. Their time would count as that of the fit.
ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
TASKS: list[tuple[str, str, Data, dict[str, Any]]] = [
    ("Friedman #1, 10,000 rows", "Regressor", friedman(10_000), MANY),
    ("40,000 rows, K = 3, 200 trees", "Regressor", friedman(40_000),
     {"n_estimators": 200, "max_features": 3}),
    ("whole numbers, 20,000 rows", "Regressor", whole_numbers(20_000), MANY | {"max_features": 5}),
    ("60,000 rows, 10 trees", "Regressor", friedman(60_000),
     {"n_estimators": 10, "max_features": 0.3}),
    ("2,000 rows, 300 columns", "Regressor", friedman(2_000, 300), MANY | {"max_features": 0.1}),
    ("leaves of 5 rows", "Regressor", friedman(20_000), MANY | {"min_samples_leaf": 5}),
    ("digits, 2,000 trees", "Classifier", lambda: load_digits(return_X_y=True),
     {"n_estimators": 2_000}),
    ("2 classes, 20,000 rows", "Classifier", classes(20_000, 20, 2), MANY),
    ("7 classes, 30,000 rows, 50 columns, 200 trees", "Classifier", classes(30_000, 50, 7),
     {"n_estimators": 200}),
    ("2 classes, 100,000 rows, 10 trees", "Classifier", classes(100_000, 20, 2),
     {"n_estimators": 10}),
    ("4 classes, depth 8", "Classifier", classes(40_000, 20, 4), MANY | {"max_depth": 8}),
    ("3 classes, out-of-bag score", "Classifier", classes(10_000, 20, 3),
     MANY | {"oob_score": True, "bootstrap": True}),
]  # fmt: skip
FAMILIES = ("RandomForest", "ExtraTrees")


def memory(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    raise OSError(f"the system does not tell {key}")


def one_task(number: int, family: str, jobs: int) -> dict[str, Any]:
    """Predict and measure one fit, in this process."""
    name, kind, data, settings = TASKS[number]
    estimator = getattr(silvics, family + kind)
    X, y = data()
    estimator(3, n_jobs=jobs).fit(X[:500], y[:500])  # imports
    forest = estimator(random_state=0, n_jobs=jobs, **settings)
    cost = estimate_cost(forest, X, y)
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what the pilots have freed is no longer resident
    Path("/proc/self/clear_refs").write_text("5")
    before, begin = memory("VmRSS"), time.perf_counter()
    forest.fit(X, y)
    seconds = time.perf_counter() - begin
    peak = memory("VmHWM") - before
    with tempfile.TemporaryDirectory() as folder:
        forest.save(f"{folder}/forest")
        file_bytes = Path(f"{folder}/forest").stat().st_size
    run, nodes = forest._grown.run, sum(forest._grown.trees.node_counts)
    return {
        "task": name, "forest": family, "threads": jobs, "seconds": seconds,
        "pilot": cost.pilot_seconds / seconds, "all rows": cost.all_rows,
        "wall": cost.seconds / seconds, "cpu": cost.cpu_seconds_of_growth / run.grow_cpu,
        "memory": cost.peak_bytes / peak, "nodes": cost.nodes / nodes,
        "file": cost.file_bytes / file_bytes,
    }  # fmt: skip


RATIOS = ("wall", "cpu", "memory", "nodes", "file")


def factor(ratios: list[float]) -> np.ndarray:
    """Return by which factor predictions are off, in either direction."""
    return np.maximum(ratios, 1 / np.array(ratios))


def table(found: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| task | forest | threads | fit, s | pilot / fit | pilot | " + " | ".join(RATIOS) + " |",
        "|---|---|---:|---:|---:|---|" + "---:|" * len(RATIOS),
    ]
    for of in found:
        ratios = " | ".join(f"{of[ratio]:.2f}" for ratio in RATIOS)
        rows = "all rows" if of["all rows"] else "some rows"
        lines.append(
            f"| {of['task']} | {of['forest']} | {of['threads']} | {of['seconds']:.2f} "
            f"| {of['pilot']:.1%} | {rows} | {ratios} |"
        )
    lines += ["", "| | " + " | ".join(RATIOS) + " |", "|---|" + "---:|" * len(RATIOS)]
    of_all = {ratio: factor([of[ratio] for of in found]) for ratio in RATIOS}
    for name, value in (("median factor", np.median), ("largest factor", np.max)):
        lines.append(f"| {name} | " + " | ".join(f"{value(of_all[r]):.2f}" for r in RATIOS) + " |")
    within = " | ".join(f"{(of_all[r] <= 1.5).mean():.0%}" for r in RATIOS)
    return [*lines, f"| within 1.5 | {within} |"]


HEAD = """# Predicted and measured cost of fits

Made by `make bench-cost` at commit {commit} of {date}, on a virtual machine with two cores
(AMD EPYC, Linux) that nothing else used. Ratios are predicted over measured:

- wall: the time of `fit` (`cost.seconds`),
- cpu: the time of the processors for growing trees (`cost.cpu_seconds_of_growth`),
- memory: the peak of the process above its memory before the fit (`cost.peak_bytes`),
- nodes, file: the nodes of all trees, and the size of the saved model.

"pilot / fit" is the time of the pilots, without the calibration of the machine. "some rows" means
that the estimate was extrapolated from fewer rows. None of the tasks was used for the calibration.
A factor is the ratio or its inverse, whichever is larger.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--task", nargs=3, help="number, forest and threads: in this process")
    chosen = parser.parse_args()
    if chosen.task:
        print(json.dumps(one_task(int(chosen.task[0]), chosen.task[1], int(chosen.task[2]))))
        return
    found = []
    for number in range(len(TASKS)):
        for family in FAMILIES:
            for jobs in (1, 2):
                task = [sys.executable, __file__, "--task", str(number), family, str(jobs)]
                said = subprocess.run(
                    task, check=True, capture_output=True, text=True, env=ENVIRONMENT
                ).stdout
                found.append(json.loads(said.splitlines()[-1]))
                print(table(found[-1:])[2], flush=True)
    lines = table(found)
    print("\n".join(lines[-4:]))
    if chosen.write:
        of_git = ["git", "log", "-1", "--format=%h|%cd", "--date=format:%e %B %Y"]
        commit, date = subprocess.run(
            of_git, check=True, capture_output=True, text=True
        ).stdout.split("|")
        head = HEAD.format(commit=commit, date=date.strip())
        chosen.write.write_text("\n".join([head, *lines, ""]))


if __name__ == "__main__":
    main()
