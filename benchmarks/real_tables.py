"""Forests of several libraries on tables with categories and missing values.

    python benchmarks/real_tables.py DATA [--write docs/studies/real_tables.md] [--sets NAME ...]
                                     [--repeats 5] [--trees 50] [--jobs 2] [--who NAME ...]
                                     [--adult-speed]

DATA holds Parquet files with a column `target` (or `target_0`, `target_1`, ...). YDF and LightGBM
join in where they are installed. Every pair of set and library runs in a process of its own, so
that its memory can be told. ``--adult-speed`` adds times of fit on the whole of `adult`, in turns
with scikit-learn; with an empty ``--sets`` there is nothing else.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import sklearn.ensemble
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.preprocessing import OneHotEncoder
from tables import (
    Fit,
    How,
    Outcome,
    Predict,
    categorical,
    header,
    line,
    mean_ranks,
    native,
    ordinal,
    outcome,
    publish,
    read,
    standard_error,
    with_error,
)

SETS = [
    "adult",
    "arrhythmia",
    "audiology",
    "colic",
    "credit_g",
    "cylinder_bands",
    "diamonds",
    "flights",
    "hypothyroid",
    "kc_housing",
    "mushroom",
    "nursery",
    "rf1",
    "splice",
]
MOST = 20_000  # rows to train on, and to test on
WHOLE = {"adult"}  # but not here
WIDE = 1000  # levels from which one-hot coding is sparse


# ---- contenders


def _one_hot_encoder(X: pd.DataFrame, holes: bool) -> ColumnTransformer:
    """One column per level and one for a missing level; numbers as they are.

    Dense, as scikit-learn grows several times faster on a dense table of few columns and takes no
    sparse one with holes; sparse only where levels run into the thousands.
    """
    levels = categorical(X)
    sparse = not holes and X[levels].nunique().sum() > WIDE
    encoder = OneHotEncoder(handle_unknown="ignore", dtype=np.float32)
    return make_column_transformer(
        (encoder, levels), remainder="passthrough", sparse_threshold=0.3 if sparse else 0
    )


def _one_hot(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
    encoder = _one_hot_encoder(X, how.holes)
    forest = how.forest(sklearn.ensemble).fit(encoder.fit_transform(X), y)
    return lambda X: forest.predict(encoder.transform(X))


def _each_output(fit: Fit) -> Fit:
    """For libraries of one output: a forest per output."""

    def fits(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
        if y.ndim == 1:
            return fit(X, y, how)
        parts = [fit(X, column, how) for column in y.T]
        return lambda X: np.column_stack([predict(X) for predict in parts])

    return fits


@_each_output
def _ydf(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
    import ydf

    ydf.verbose(0)
    levels = set(categorical(X))

    def columns(X: pd.DataFrame) -> dict[str, np.ndarray]:
        """Text with missing as "", numbers in 32 bits."""
        return {
            c: X[c].astype(object).where(X[c].notna(), "").to_numpy(str)
            if c in levels
            else X[c].to_numpy(np.float32)
            for c in X
        }

    learner = ydf.RandomForestLearner(
        label="the label",
        task=ydf.Task.CLASSIFICATION if how.labels else ydf.Task.REGRESSION,
        num_trees=how.trees,
        num_candidate_attributes=how.drawn(X.shape[1]),
        max_depth=-1,
        min_examples=1,
        winner_take_all=False,
        compute_oob_performances=False,
        num_threads=how.jobs,
        random_seed=how.seed,
    )
    model = learner.train({**columns(X), "the label": y})
    if how.labels:
        return lambda X: model.predict_class(columns(X)).astype(int)
    return lambda X: model.predict(columns(X))


@_each_output
def _lightgbm(X: pd.DataFrame, y: np.ndarray, how: How) -> Predict:
    import lightgbm

    made = lightgbm.LGBMClassifier if how.labels else lightgbm.LGBMRegressor
    forest = made(
        boosting_type="rf",
        n_estimators=how.trees,
        num_leaves=min(len(X), 131_072),  # the most it takes
        min_child_samples=1,
        min_child_weight=0,
        subsample=0.632,
        subsample_freq=1,
        colsample_bynode=how.drawn(X.shape[1]) / X.shape[1],
        # From equal scores the leaves are linear in the class shares, as in Random Forests; from
        # the log of the class shares, rare classes weigh far too much.
        boost_from_average=not how.labels,
        # Else levels of few rows are never told apart.
        min_data_per_group=1,
        cat_smooth=1,
        cat_l2=0,
        n_jobs=how.jobs,
        random_state=how.seed,
        verbosity=-1,
    )
    return forest.fit(X, y).predict


# Module that has to be there, name in the tables, fit.
CONTENDERS: dict[str, tuple[str, str, Fit]] = {
    "silvics": ("silvics", "silvics", native),
    "one_hot": ("sklearn", "scikit-learn, one-hot", _one_hot),
    "ordinal": ("sklearn", "scikit-learn, ordinal", ordinal),
    "ydf": ("ydf", "YDF", _ydf),
    "lightgbm": ("lightgbm", "LightGBM rf", _lightgbm),
}


# ---- measuring


def _one(folder: Path, name: str, who: str, settings: dict[str, Any]) -> tuple[bool, Outcome]:
    table = read(folder, name)
    most = None if name in WHOLE else MOST
    return table.labels, outcome(table, CONTENDERS[who][2], most=most, **settings)


def measured(*task: Any) -> tuple[bool, Outcome]:
    """The same in a fresh process."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(_one, *task).result()


def verdict(found: dict[str, Outcome]) -> tuple[str, str]:
    """Ours minus scikit-learn's with one-hot coding, against the larger of 1 and 2 errors."""
    difference = found["silvics"].scores - found["one_hot"].scores
    bar = np.fmax(1, 2 * standard_error(difference))
    mean = difference.mean()
    word = "better" if mean > bar else "worse" if mean < -bar else "level"
    return with_error(difference, "+"), word


def study(who: list[str], chosen: argparse.Namespace) -> Iterator[str]:
    """Tables of scores, of the verdicts, of time and of memory."""
    settings = {"repeats": chosen.repeats, "trees": chosen.trees, "jobs": chosen.jobs}
    names = [CONTENDERS[k][1] for k in who]
    runs: dict[str, dict[str, Outcome]] = {}
    yield from ["## Scores", "", *header(["set", "score"], names)]
    for name in chosen.sets:
        both = {k: measured(chosen.data, name, k, settings) for k in who}
        runs[name] = {k: found for k, (_, found) in both.items()}
        scale = "accuracy" if both[who[0]][0] else "R2"
        yield line([name, scale, *(with_error(runs[name][k].scores) for k in who)])
    means = np.array([[found[k].scores.mean() for k in who] for found in runs.values()])
    yield line(["mean rank", "", *(f"{rank:.2f}" for rank in mean_ranks(means))])
    if {"silvics", "one_hot"} <= set(who):
        yield from ["", "## silvics minus scikit-learn with one-hot encoding", ""]
        yield from header(["set"], ["difference", "verdict"])
        yield from (line([name, *verdict(found)]) for name, found in runs.items())
    yield from ["", "## Seconds of fit (median) / megabytes of fit (largest)", ""]
    yield from header(["set"], names)
    for name, found in runs.items():
        cells = [f"{np.median(found[k].seconds):.2f} / {found[k].megabytes.max():.0f}" for k in who]
        yield line([name, *cells])


def adult_speed(chosen: argparse.Namespace, turns: int = 5, trees: int = 100) -> Iterator[str]:
    table = read(chosen.data, "adult")
    X, y = table.X, table.y
    how = How(labels=True, holes=False, trees=trees, jobs=chosen.jobs, seed=0)  # numbers are whole

    def ours() -> list[float]:
        start = time.perf_counter()
        native(X, y, how)
        return [time.perf_counter() - start]

    def theirs(encoder: ColumnTransformer) -> list[float]:
        start = time.perf_counter()
        coded = encoder.fit_transform(X)
        middle = time.perf_counter()
        how.forest(sklearn.ensemble).fit(coded, y)
        end = time.perf_counter()
        return [end - middle, end - start]

    def by_default() -> ColumnTransformer:
        """One-hot coding as it comes: sparse, and slow to grow on."""
        return make_column_transformer((OneHotEncoder(), categorical(X)), remainder="passthrough")

    rows = np.array(
        [
            ours() + theirs(_one_hot_encoder(X, how.holes)) + theirs(by_default())
            for _ in range(turns)
        ]
    )
    alone, *others = (median(column) for column in rows.T)
    yield from ["## Fit on the whole of adult", ""]
    yield f"{len(X)} rows, {trees} trees, {chosen.jobs} threads, medians of {turns} in turns."
    yield ""
    yield from header(["fit"], ["seconds", "ratio to ours"])
    yield line(["silvics", f"{alone:.2f}", ""])
    names = [
        f"scikit-learn, one-hot coding {how_coded}, {of_time}"
        for how_coded in ("made dense", "by default (sparse)")
        for of_time in ("without the time of coding", "with it")
    ]
    for name, seconds in zip(names, others, strict=True):
        yield line([name, f"{seconds:.2f}", f"{seconds / alone:.1f}x"])


def head(who: list[str], left_out: list[str], chosen: argparse.Namespace) -> Iterator[str]:
    packages = {"one_hot": "scikit-learn", "ordinal": "scikit-learn"}
    found = dict.fromkeys(packages.get(k, k) for k in who)
    yield from ["# Tables with categories and missing values", ""]
    yield (
        "Made by `benchmarks/real_tables.py` on "
        f"{platform.machine()} ({platform.system()}): "
        + ", ".join(f"{name} {version(name)}" for name in found)
        + f". Random Forests of {chosen.trees} full-grown trees, {chosen.jobs} threads, sqrt(p) "
        "variables per node for classes and all for numbers, p is counted after encoding. "
        f"{chosen.repeats} random splits, three to one, the same for all; at most {MOST} rows to "
        f"train on and as many to test on (all rows of {', '.join(sorted(WHOLE))}). Points of "
        "accuracy or R2 (mean over outputs), mean ± standard error over splits (splits share "
        "rows, so that standard errors are somewhat too small); "
        "rank 1 is best. Verdict: better or worse if the paired "
        "difference exceeds the larger of 1 point and 2 standard errors. Seconds include "
        "encoding; megabytes are the peak of resident memory minus that before the fit, "
        "with a new process for each data set and library. Missing numbers are NaN for "
        "scikit-learn; with one-hot coding "
        "a missing category is a separate level. YDF keeps its default rule for rare levels. "
        "YDF and LightGBM grow a forest per output, LightGBM a tree per class, on 255 bins and on "
        "63 % of the rows in the place of a bootstrap. LightGBM's settings for categories and for "
        "the starting score were chosen in its favour on some of these sets and splits."
    )
    if "rf1" in chosen.sets:
        yield ""
        yield (
            "In rf1 one row of target_1 (number 4782: 78.9, the median is 3.3) is far from "
            "all others; test rows that share leaves with it determine the R2 of that "
            "output, which explains the large errors. Without that row, scikit-learn is "
            "near 100."
        )
    if left_out:
        yield from ["", f"Left out, not installed: {', '.join(left_out)}."]
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", metavar="DATA", type=Path, help="folder of Parquet files")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--who", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--adult-speed", action="store_true")
    chosen = parser.parse_args()
    if not chosen.data.is_dir():
        parser.error(f"no folder {chosen.data}")
    who = [k for k in chosen.who if find_spec(CONTENDERS[k][0])]
    left_out = [CONTENDERS[k][1] for k in chosen.who if k not in who]
    lines = list(head(who, left_out, chosen))

    def keep(texts: Iterator[str]) -> None:
        for text in texts:
            print(text, file=sys.stderr, flush=True)
            lines.append(text)

    if chosen.sets:
        keep(study(who, chosen))
    if chosen.adult_speed:
        lines += [""] * bool(chosen.sets)
        keep(adult_speed(chosen))
    publish(lines, chosen.write)


if __name__ == "__main__":
    main()
