"""What the studies on real tables share: reading, splits, the loop over repeats, Markdown.

A contender is a function ``fit(X, y, how)`` of a data frame, an array and ``How``; it returns a
function that predicts from a data frame. Labels are given as integer codes.
"""

from __future__ import annotations

import ctypes
import math
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import sklearn.ensemble
from scipy.stats import rankdata
from sklearn.compose import make_column_transformer
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import silvics

# ---- tables


@dataclass(frozen=True)
class Table:
    name: str
    X: pd.DataFrame
    y: np.ndarray
    labels: bool


def read(folder: Path, name: str) -> Table:
    """A file of the folder; the task follows from the type of the target."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    targets = [c for c in frame if c == "target" or str(c).startswith("target_")]
    X = frame.drop(columns=targets)
    X = X.astype({c: np.uint8 for c in X if pd.api.types.is_bool_dtype(X[c].dtype)})
    labels = isinstance(frame[targets[0]].dtype, pd.CategoricalDtype)
    if labels and len(targets) > 1:
        raise ValueError(f"{name}: several outputs of classes are not studied here")
    y = frame[targets[0]].cat.codes if labels else frame[targets].squeeze(axis=1).astype(float)
    return Table(name, X, y.to_numpy(), labels)


def categorical(X: pd.DataFrame) -> list[str]:
    return [c for c in X if not pd.api.types.is_numeric_dtype(X[c].dtype)]


def split(table: Table, seed: int, most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and to test on, three to one and at most ``most`` of either.

    Classes keep their shares; those of fewer than four rows are drawn as if they were one.
    """
    n = len(table.X)
    train = n * 3 // 4
    sizes = [min(part, most or n) for part in (train, n - train)]
    strata = None
    if table.labels:
        counts = np.bincount(table.y)
        strata = np.where(counts[table.y] < 4, -1, table.y)
        if (strata == -1).sum() < 2:
            strata[strata == -1] = counts.argmax()
    return train_test_split(
        np.arange(n), train_size=sizes[0], test_size=sizes[1], stratify=strata, random_state=seed
    )


# ---- contenders of both studies


@dataclass(frozen=True)
class How:
    """Settings of a fit; ``holes`` says that numbers of the table may be missing."""

    labels: bool
    holes: bool
    trees: int
    jobs: int
    seed: int

    def drawn(self, p: int) -> int:
        """Variables tried at a node, by scikit-learn's defaults: sqrt(p) for classes, or all."""
        return math.isqrt(p) if self.labels else p

    def forest(self, library: ModuleType, **more: Any) -> Any:
        """Random Forests of a library in the style of scikit-learn, trees full-grown."""
        made = getattr(library, f"RandomForest{'Classifier' if self.labels else 'Regressor'}")
        return made(self.trees, n_jobs=self.jobs, random_state=self.seed, **more)


Predict = Callable[[pd.DataFrame], np.ndarray]
Fit = Callable[[pd.DataFrame, np.ndarray, How], Predict]


def native(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
    """Ours on the table as it is."""
    forest = how.forest(silvics, categorical_features="from_dtype", missing="learned")
    return forest.fit(X, y).predict


def ordinal(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
    """scikit-learn on codes in the order of the names, unknown levels -1, missing ones NaN."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    coded = make_column_transformer((encoder, categorical(X)), remainder="passthrough")
    return make_pipeline(coded, how.forest(sklearn.ensemble)).fit(X, y).predict


# ---- the loop


@dataclass(frozen=True)
class Outcome:
    """Per repeat: score in points, seconds of fit, megabytes of fit at its peak."""

    scores: np.ndarray
    seconds: np.ndarray
    megabytes: np.ndarray


def _resident(field: str) -> float:
    """VmRSS (now) or VmHWM (peak) in MB; where there is no /proc, the peak so far for both."""
    status = Path("/proc/self/status")
    if not status.exists():
        unit = 2**20 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next(s for s in status.read_text().splitlines() if s.startswith(field))
    return int(line.split()[1]) / 1024


def _forget_peak() -> None:
    """Give freed memory back and start the peak anew, as far as the system lets us."""
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)
        with suppress(OSError):  # where it is not ours to reset, the peak so far stays
            Path("/proc/self/clear_refs").write_text("5")


def scored(truth: np.ndarray, predicted: np.ndarray, labels: bool) -> float:
    """Accuracy, or R2 (mean over outputs), in points."""
    return 100 * (np.mean(truth == predicted) if labels else r2_score(truth, predicted))


def outcome(
    table: Table,
    fit: Fit,
    *,
    repeats: int,
    trees: int,
    jobs: int,
    most: int | None,
    change: Callable[[pd.DataFrame, int], pd.DataFrame] | None = None,
) -> Outcome:
    """Fit and score on the splits of seeds 0, 1, ...; ``change`` alters the rows of a split.

    A small forest is grown first, so that what a library loads is not counted.
    """
    numbers = table.X.drop(columns=categorical(table.X))
    holes = change is not None or bool(numbers.isna().any(axis=None))
    few = np.linspace(0, len(table.X) - 1, 100, dtype=int)
    fit(table.X.iloc[few], table.y[few], How(table.labels, holes, 1, jobs, 0))
    rows = []
    for seed in range(repeats):
        train, test = split(table, seed, most)
        X = table.X.iloc[np.concatenate([train, test])]
        X = change(X, seed) if change else X
        # Copies, so that no contender works on views of a larger table.
        X_train, X_test = X.iloc[: len(train)].copy(), X.iloc[len(train) :].copy()
        y_train = table.y[train]
        how = How(table.labels, holes, trees, jobs, seed)
        del X
        _forget_peak()
        before, start = _resident("VmRSS"), time.perf_counter()
        predict = fit(X_train, y_train, how)
        seconds = time.perf_counter() - start
        megabytes = _resident("VmHWM") - before
        rows.append((scored(table.y[test], predict(X_test), table.labels), seconds, megabytes))
        del predict
    return Outcome(*np.array(rows).T)


# ---- the machine


def read_proc(name: str) -> str:
    """A file of /proc; empty where there is none."""
    return (Path("/proc") / name).read_text() if sys.platform == "linux" else ""


def machine() -> str:
    """The processor and the operating system."""
    model = re.search(r"model name\s*: (.*)", read_proc("cpuinfo"))
    return f"{model[1] if model else platform.machine()}, {platform.system()}"


def commit() -> str:
    """The commit of the working tree, and its date."""
    show = ["git", "log", "-1", "--format=commit %h of %ad", "--date=format:%d %B %Y"]
    return subprocess.run(show, capture_output=True, text=True, check=False).stdout.strip()


# ---- Markdown


def standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def with_error(values: np.ndarray, sign: str = "") -> str:
    return f"{values.mean():{sign}.2f} ± {standard_error(values):.2f}"


def line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def header(left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    yield line([*left, *right])
    yield line(["---"] * len(left) + ["---:"] * len(right))


def mean_ranks(means: np.ndarray) -> np.ndarray:
    """Mean rank over sets (rows) of every contender (columns); 1 is best, ties share."""
    return rankdata(-means.round(6), axis=1).mean(axis=0)


def publish(lines: Sequence[str], path: Path | None) -> None:
    text = "\n".join(lines) + "\n"
    print(text)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
