"""Instructions of fits and of prediction, counted by callgrind, and peak memory of fits.

Times waver; counts do not. Run it on two builds and compare:

    python benchmarks/instructions.py > before.json
    python benchmarks/instructions.py --against before.json

Needs valgrind. Everything runs in one thread; only the calls are counted, not the imports.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 12))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=4000)
    missing = X.copy()
    missing[rng.random(X.shape) < 0.1] = np.nan
    levels = np.floor(3 * np.abs(X)).clip(0, 20)
    return {
        "numbers": (X, signal),
        "two classes": (X, signal > 0),
        "26 classes": (X, np.digitize(signal, np.quantile(signal, np.arange(1, 26) / 26))),
        "missing": (missing, signal > 0),
        "categories": (levels, signal > 0),
    }


def tasks() -> dict[str, tuple[str, str, dict[str, object]]]:
    categories = {"categorical_features": list(range(12))}
    return {
        "RF, two classes": ("RandomForestClassifier", "two classes", {}),
        "RF, 26 classes": ("RandomForestClassifier", "26 classes", {}),
        "RF, entropy": ("RandomForestClassifier", "two classes", {"criterion": "entropy"}),
        "RF, numbers": ("RandomForestRegressor", "numbers", {"max_features": 4}),
        "ET, two classes": ("ExtraTreesClassifier", "two classes", {}),
        "ET, numbers": ("ExtraTreesRegressor", "numbers", {"max_features": 4}),
        "RF, categories": ("RandomForestClassifier", "categories", categories),
        "RF, missing": ("RandomForestClassifier", "missing", {}),
        "recipe pert": ("ForestClassifier", "two classes", {"recipe": "pert"}),
    }


def fitted(name: str) -> tuple[Any, np.ndarray, np.ndarray]:
    import silvics

    kind, table, settings = tasks()[name]
    X, y = tables()[table]
    model = getattr(silvics, kind)(n_estimators=5, random_state=0, n_jobs=1, **settings)
    return model, X, y


def count(folder: str) -> None:
    """Inside valgrind: each task between two commands to it."""

    def control(*arguments: str) -> None:
        command = ["callgrind_control", *arguments, str(os.getpid())]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    for number, name in enumerate(tasks()):
        model, X, y = fitted(name)
        calls = [("fit", lambda model=model, X=X, y=y: model.fit(X, y))]
        calls += [("predict", lambda model=model, X=X: model.predict(X))] * (number in (0, 3))
        for what, call in calls:
            control("-i", "on")
            control("-z")
            call()
            control("-d")
            control("-i", "off")
            with Path(folder, "tasks").open("a") as listed:
                listed.write(f"{name}: {what}\n")


def counted() -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "callgrind.out"))
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}",
             sys.executable, __file__, "--inside", folder],
            check=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        names = Path(folder, "tasks").read_text().splitlines()
        totals = {}
        for number, name in enumerate(names, 1):
            for line in Path(f"{out}.{number}").read_text().splitlines():
                if line.startswith(("totals:", "summary:")):
                    totals[name] = int(line.split()[1])
        return totals


def memory(name: str) -> None:
    """Peak resident memory of one fit, above what it was before."""
    model, X, y = fitted(name)
    model.set_params(n_estimators=2).fit(X[:50], y[:50])
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(200_000, 12)))
    y = X[:, 0] > 0 if "numbers" not in name else X[:, 0]
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins again
    before = _status("VmRSS")
    model.set_params(n_estimators=10).fit(X, y)
    print(_status("VmHWM") - before)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", help="file that an earlier run has printed")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return count(given.inside)
    if given.memory:
        return memory(given.memory)
    found: dict[str, int] = {f"{name} (instructions)": n for name, n in counted().items()}
    for name in ("RF, two classes", "RF, numbers", "ET, two classes"):
        command = [sys.executable, __file__, "--memory", name]
        runs = [int(subprocess.check_output(command)) for _ in range(3)]
        found[f"{name} (peak KiB)"] = sorted(runs)[1]
    if given.against is None:
        print(json.dumps(found, indent=1))
        return None
    before = json.loads(Path(given.against).read_text())
    print("| task | before | after | change |\n| --- | ---: | ---: | ---: |")
    for name, after in found.items():
        change = 100 * (after / before[name] - 1)
        print(f"| {name} | {before[name]:,} | {after:,} | {change:+.1f} % |")
    return None


if __name__ == "__main__":
    main()
