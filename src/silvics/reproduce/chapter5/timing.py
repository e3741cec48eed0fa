"""Times to build forests and to predict with them, of scikit-learn and of silvics, in one run.

As in section 5.4.2: 75 % of the rows for learning and 25 % for testing, resampled in every run, K =
sqrt(p), fully developed trees. One thread; the libraries take turns. OpenCV takes part if it is
installed; the other libraries of the tables have no package for Python, or use scikit-learn now.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import sklearn.ensemble
from sklearn.model_selection import train_test_split

from silvics import ExtraTreesClassifier, RandomForestClassifier
from silvics.datasets import Ringnorm, Twonorm, Waveform
from silvics.reproduce.chapter5.opencv import OpenCVForest, is_there
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

FORESTS = {
    "Sklearn-RF": sklearn.ensemble.RandomForestClassifier,
    "Sklearn-ETs": sklearn.ensemble.ExtraTreesClassifier,
    "silvics-RF": RandomForestClassifier,
    "silvics-ETs": ExtraTreesClassifier,
}
OPENCV = "OpenCV-RF"
PARTS = ("building", "predicting", "accuracy")
SAMPLED = {"RING-NORM": (Ringnorm, 10_000), "TWO-NORM": (Twonorm, 9999),
           "WAVEFORM": (Waveform, 5000)}  # fmt: skip
# Data sets that need --data: the file, and the classes that are taken.
FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: (name.lower(), ()) for name in (
        "ARCENE", "DIABETES", "IONOSPHERE", "LETTER", "LIVER", "MADELON", "MNIST", "MUSK2",
        "PENDIGITS", "SONAR", "SPAMBASE", "VEHICLE")},
    "MNIST3VS8": ("mnist", ("3", "8")),
    "MNIST4VS9": ("mnist", ("4", "9")),
}  # fmt: skip


def table(settings: Settings, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a data set: sampled, or read from the folder of data; at most so many rows."""
    rng = np.random.default_rng(settings.seed)
    if name in SAMPLED:
        problem, n = SAMPLED[name]
        X, y = problem().sample(n, random_state=settings.seed)
    else:
        file, classes = FILES[name]
        frame, y = settings.problem(file)
        X = frame.to_numpy()
        if classes:
            taken = np.isin(y, classes)
            X, y = X[taken], y[taken]
    most = settings.pick(tiny=200, small=3000, paper=100_000)
    rows = rng.permutation(len(y))[:most]
    return np.asarray(X[rows], dtype=np.float32), y[rows]


def timed(
    settings: Settings, X: np.ndarray, y: np.ndarray, runs: int, n_trees: int
) -> dict[str, Any]:
    """Return times and accuracies of each library, by run."""
    forests: dict[str, Any] = {**FORESTS, **({OPENCV: OpenCVForest} if is_there() else {})}
    found: dict[str, Any] = {kind: {part: [] for part in PARTS} for kind in forests}
    for run in range(runs):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.25, random_state=settings.seed + run
        )
        for kind, forest in forests.items():
            model: Any = forest(n_trees, max_features="sqrt", random_state=run, n_jobs=1)
            begin = time.process_time()
            model.fit(X_train, y_train)
            built = time.process_time()
            predicted = model.predict(X_test)
            done = time.process_time()
            numbers = (built - begin, done - built, float(np.mean(predicted == y_test)))
            for part, number in zip(PARTS, numbers, strict=True):
                found[kind][part].append(number)
    return found


@cache
def all_times(settings: Settings) -> dict[str, Any]:
    """Return the times on all data sets that can be had; Tables 5.4 and 5.5 share them."""
    there = [name for name, (file, _) in FILES.items() if settings.has(file)]
    runs, n_trees = settings.pick(tiny=(2, 10), small=(2, 50), paper=(10, 250))
    return {
        name: timed(settings, *table(settings, name), runs, n_trees)
        for name in sorted([*SAMPLED, *there])
    }


def relative(ours: Mapping[str, Any], part: str) -> dict[str, dict[str, float]]:
    """Return the median times of each data set, relative to scikit-learn's random forests."""
    found = {}
    for name, kinds in ours.items():
        base = np.median(kinds["Sklearn-RF"][part])
        found[name] = {
            kind: float(np.median(times[part]) / base)
            for kind, times in kinds.items()
            if kind != "Sklearn-RF"
        }
    return found


def averages(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the average over data sets for each library."""
    kinds = next(iter(found.values()))
    return {kind: float(np.mean([times[kind] for times in found.values()])) for kind in kinds}


def rows_of(ours: Mapping[str, Any], printed: Mapping[str, Any], part: str) -> list[Row]:
    """Return the relative times beside the printed ones, and the averages of other libraries."""
    found, rows = relative(ours, part), []
    columns = {kind: i for i, kind in enumerate(printed["columns"])}
    for name, times in found.items():
        for kind, value in times.items():
            theirs = printed["rows"][name][columns[kind]] if kind in columns else None
            rows.append(Row(f"{name}, {kind}", theirs, value))
    ran = averages(found)
    for kind in [*ran, *(kind for kind in columns if kind not in ran)]:
        theirs = printed_average(printed, found, kind) if kind in columns else None
        rows.append(Row(f"Average of these, {kind}", theirs, ran.get(kind, "not run")))
    return rows


def printed_average(printed: Mapping[str, Any], names: Iterable[str], kind: str) -> float:
    """Return the printed average over the data sets that were run."""
    column = printed["columns"].index(kind)
    return float(np.mean([printed["rows"][name][column] for name in names]))


def largest_loss_of_accuracy(ours: Mapping[str, Any]) -> float:
    """Return the most by which a forest of silvics is less accurate than that of scikit-learn."""
    return max(
        float(np.mean(kinds[f"Sklearn-{kind}"]["accuracy"])
              - np.mean(kinds[f"silvics-{kind}"]["accuracy"]))
        for kinds in ours.values() for kind in ("RF", "ETs")
    )  # fmt: skip


def judge_opencv(ours: Mapping[str, Any], printed: Mapping[str, Any], part: str) -> list[Statement]:
    """Judge the statement about OpenCV, if it was run."""
    found = relative(ours, part)
    mean = averages(found)
    if OPENCV not in mean:
        return []
    theirs = printed_average(printed, found, OPENCV)
    return [
        Statement(
            "OpenCV's RF are slower than those of Scikit-Learn on average",
            mean[OPENCV] > 1,
            f"{mean[OPENCV]:.2f} times the time; printed for these data sets {theirs:.2f}",
            "the printed averages owe most to large tables, such as MNIST"
            if theirs < 1
            else "with the versions of today",
        )
    ]


def draw_relative(ax: Any, found: Mapping[str, Mapping[str, float]]) -> None:
    """Draw the relative times of each data set."""
    names = list(found)
    markers = {"Sklearn-ETs": "s", "silvics-RF": "o", "silvics-ETs": "^", OPENCV: "x"}
    for kind in next(iter(found.values())):
        ax.plot([found[name][kind] for name in names], range(len(names)), markers[kind], label=kind)
    ax.axvline(1, color="gray", linewidth=1)
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set(xscale="log", xlabel="time relative to Sklearn-RF")
    ax.legend(fontsize=6, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
