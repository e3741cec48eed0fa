"""How the time for a unit of work grows with the size of the table, on this machine."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silvics._version import __version__
from silvics.recipe_forests import ForestClassifier, ForestRegressor

_SIZES = (1_000, 4_000, 16_000, 64_000, 256_000)
_N_COLUMNS, _N_TREES = 10, 2
_KINDS = {
    "best, classes": (ForestClassifier, "random_forest"),
    "best, numbers": (ForestRegressor, "random_forest"),
    "random, classes": (ForestClassifier, "extra_trees"),
    "random, numbers": (ForestRegressor, "extra_trees"),
}


@dataclass(frozen=True)
class Calibration:
    """Seconds for a value that is read, by the kind of task and the number of rows.

    Attributes
    ----------
    seconds : dict of str to list of float
        For each kind of task, the seconds for a value at each of the sizes.
    """

    seconds: dict[str, list[float]]

    def growth(self, kind: str, n_from: int, n_to: int) -> float:
        """Return how much longer a value takes in a table of ``n_to`` rows than of ``n_from``."""
        at = np.log(np.array([n_from, n_to], dtype=float))
        low, high = np.interp(at, np.log(_SIZES), np.log(self.seconds[kind]))
        return float(np.exp(high - low))


# Measured on a virtual machine with two cores, for use without a calibration.
DEFAULT = Calibration(
    {
        "best, classes": [10.3e-9, 6.6e-9, 5.2e-9, 4.9e-9, 5.0e-9],
        "best, numbers": [15.5e-9, 11.0e-9, 10.7e-9, 10.7e-9, 10.5e-9],
        "random, classes": [4.4e-9, 2.9e-9, 2.5e-9, 2.4e-9, 2.5e-9],
        "random, numbers": [6.8e-9, 5.5e-9, 5.0e-9, 4.6e-9, 4.7e-9],
    }
)


def calibration(cached: bool = True) -> Calibration:
    """Return the calibration of this machine, from the cache if there is one."""
    path = cache_file()
    found = _read(path) if cached else None
    if found is None:
        found = measure()
        if cached:
            _write(path, found)
    return found


def measure() -> Calibration:
    """Grow forests of several sizes and measure the time for a value. It takes some seconds."""
    rng = np.random.default_rng(0)
    X = rng.random((_SIZES[-1], _N_COLUMNS))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=len(X))
    seconds: dict[str, list[float]] = {}
    for kind, (estimator, recipe) in _KINDS.items():
        goal = y > y.mean() if estimator is ForestClassifier else y
        seconds[kind] = []
        for n in _SIZES:
            forest = estimator(recipe, _N_TREES, max_features=3, n_jobs=1, random_state=0)
            runs = [_seconds_for_a_value(forest, X[:n], goal[:n]) for _ in range(3)]
            seconds[kind].append(min(runs))
    return Calibration(seconds)


def _seconds_for_a_value(forest: Any, X: np.ndarray, y: np.ndarray) -> float:
    grown = forest.fit(X, y)._grown
    return float(grown.run.grow_cpu / sum(values for _, values, _, _ in grown.work))


def cache_file() -> Path:
    """Return the file of the calibration in the user's cache folder."""
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "silvics" / f"calibration-{__version__}-{platform.machine()}.json"


def _read(path: Path) -> Calibration | None:
    """Return the calibration of a file, or None if it has none."""
    try:
        seconds = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_valid = (
        isinstance(seconds, dict)
        and seconds.keys() == _KINDS.keys()
        and all(
            isinstance(of, list)
            and len(of) == len(_SIZES)
            and all(type(each) is float and 0.0 < each < 1.0 for each in of)
            for of in seconds.values()
        )
    )
    return Calibration(seconds) if is_valid else None


def _write(path: Path, found: Calibration) -> None:
    """Write the calibration, unless the folder cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(found.seconds), encoding="utf-8")
        part.replace(path)
    except OSError:
        pass
