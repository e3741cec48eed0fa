"""Tuned forests against default forests and boosted trees, set by set.

    python benchmarks/tuning_study.py DATA [--write docs/studies/tuning.md] [--sets NAME ...]
                                     [--who NAME ...] [--repeats 10] [--trees 100] [--most ROWS]
                                     [--keep FOLDER]

DATA holds Parquet files with a column `target`. LightGBM, XGBoost and CatBoost take part where they
are installed, with their defaults. Errors are the log-loss for classes and the squared error for
numbers. Probabilities are clipped at half a vote of a tree, for all contenders: a default forest
would have an infinite log-loss otherwise. Times are those of the processor, on one thread.
``--keep`` writes the figures of each set to a folder, and reads those that are there.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.ensemble
from scipy.stats import rankdata
from sklearn.compose import make_column_transformer
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from tables import Table, categorical, commit, header, line, machine, publish, read, split

import silvics

CLASSES = [
    "diabetes", "ionosphere", "letter", "liver", "pendigits", "sonar", "spambase", "twonorm",
    "vehicle", "waveform", "led7digit", "adult", "credit_g", "hypothyroid", "nursery", "splice",
]  # fmt: skip
NUMBERS = [
    "abalone", "california_housing", "concrete", "diamonds", "elevators", "house8L", "kc_housing",
    "kin8nm", "wine_quality",
]  # fmt: skip
OURS = ("default", "tuned", "auto")

Make = Callable[[bool, int, int], Any]


def kind(labels: bool) -> str:
    return "Classifier" if labels else "Regressor"


def ours(**more: Any) -> Make:
    def make(labels: bool, trees: int, seed: int) -> Any:
        made = getattr(silvics, f"RandomForest{kind(labels)}")
        return made(trees, n_jobs=1, random_state=seed, **more)

    return make


def auto(labels: bool, trees: int, seed: int) -> Any:
    made = getattr(silvics, f"Forest{kind(labels)}")
    return made("auto", trees, n_jobs=1, random_state=seed)


def forest_of_sklearn(labels: bool, trees: int, seed: int) -> Any:
    made = getattr(sklearn.ensemble, f"RandomForest{kind(labels)}")
    return made(trees, n_jobs=1, random_state=seed)


def boosted(labels: bool, trees: int, seed: int) -> Any:
    del trees
    made = getattr(sklearn.ensemble, f"HistGradientBoosting{kind(labels)}")
    return made(random_state=seed)


def lightgbm(labels: bool, trees: int, seed: int) -> Any:
    import lightgbm as library

    del trees
    return getattr(library, f"LGBM{kind(labels)}")(n_jobs=1, random_state=seed, verbose=-1)


def xgboost(labels: bool, trees: int, seed: int) -> Any:
    import xgboost as library

    del trees
    return getattr(library, f"XGB{kind(labels)}")(n_jobs=1, random_state=seed)


def catboost(labels: bool, trees: int, seed: int) -> Any:
    import catboost as library

    del trees
    made = getattr(library, f"CatBoost{kind(labels)}")
    return made(thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False)


CONTENDERS: dict[str, Make] = {
    "default": ours(),
    "tuned": ours(tune="oob"),
    "auto": auto,
    "scikit-learn forest": forest_of_sklearn,
    "HistGradientBoosting": boosted,
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "CatBoost": catboost,
}
LIBRARY = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}


def installed(name: str) -> bool:
    return name not in LIBRARY or find_spec(LIBRARY[name]) is not None


def model(name: str, X: pd.DataFrame, labels: bool, trees: int, seed: int) -> Any:
    """Ours take the table as it is, and the others codes of the levels."""
    made = CONTENDERS[name](labels, trees, seed)
    if name in OURS:
        return made
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(
        make_column_transformer((encoder, categorical(X)), remainder="passthrough"), made
    )


def error(fitted: Any, X: pd.DataFrame, y: np.ndarray, labels: bool, trees: int) -> float:
    """Log-loss, or squared error relative to the variance."""
    if not labels:
        return float(np.mean((fitted.predict(X).ravel() - y) ** 2) / y.var())
    known = np.isin(y, fitted.classes_)
    p = np.clip(fitted.predict_proba(X[known]), 0.5 / trees, 1.0)
    return float(log_loss(y[known], p / p.sum(axis=1, keepdims=True), labels=fitted.classes_))


def measure(table: Table, name: str, seed: int, trees: int, most: int | None) -> tuple[float, ...]:
    """Return the error on a split, and the processor seconds of the fit."""
    train, test = split(table, seed, most)
    X, y = table.X.iloc[train], table.y[train]
    if name in LIBRARY and table.labels:  # they take classes 0, 1, ... without gaps
        classes = np.unique(y)
        test = test[np.isin(table.y[test], classes)]
        y, truth = np.searchsorted(classes, y), np.searchsorted(classes, table.y[test])
    else:
        truth = table.y[test]
    made = model(name, X, table.labels, trees, seed)
    begin = time.process_time()
    made.fit(X, y)
    seconds = time.process_time() - begin
    return error(made, table.X.iloc[test], truth, table.labels, trees), seconds


def study(folder: Path, sets: list[str], who: list[str], options: Any) -> dict[str, np.ndarray]:
    """Return errors and seconds: sets, then repeats x contenders x 2."""
    found = {}
    for name in sets:
        kept = None if options.keep is None else options.keep / f"{name}.npy"
        if kept is not None and kept.exists():
            found[name] = np.load(kept)
            continue
        table = read(folder, name)
        # HistGradientBoosting refuses columns without values.
        table = replace(table, X=table.X.loc[:, table.X.notna().any()])
        rows = [
            [measure(table, of, seed, options.trees, options.most) for of in who]
            for seed in range(options.repeats)
        ]
        found[name] = np.array(rows)
        if kept is not None:
            np.save(kept, found[name])
        shown = " ".join(f"{e:.4f}({s:.2f})" for e, s in found[name].mean(axis=0))
        print(f"{name:20} {shown}", file=sys.stderr, flush=True)
    return found


def change(found: np.ndarray, of: int, base: int) -> tuple[float, float]:
    """Return the mean change of the error relative to another contender, and two errors of it."""
    errors = found[:, :, 0]
    difference = (errors[:, of] - errors[:, base]) / errors[:, base].mean()
    spread = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.nan
    return float(difference.mean()), float(2 * spread)


def report(found: dict[str, np.ndarray], who: list[str], options: Any) -> Iterator[str]:
    yield "# Tuned forests"
    yield ""
    yield (
        f"`make bench-tune` ({commit()}; {machine()}). {options.trees} trees, {options.repeats} "
        f"splits of three quarters to train and a quarter to test, at most {options.most or 'all'} "
        "rows of each. Errors: log-loss for classes (probabilities clipped at half a vote of a "
        "tree for all), squared error relative to the variance for numbers. Times: seconds of the "
        "processor for a fit, on one thread."
    )
    yield ""
    yield "## Errors"
    yield ""
    yield from header(["set"], who)
    for name, rows in found.items():
        means = rows[:, :, 0].mean(axis=0)
        best = means.argmin()
        yield line(
            [name, *(f"**{m:.4f}**" if i == best else f"{m:.4f}" for i, m in enumerate(means))]
        )
    errors = np.array([rows[:, :, 0].mean(axis=0) for rows in found.values()])
    ranks = rankdata(errors.round(6), axis=1).mean(axis=0)
    yield line(["mean rank", *(f"{r:.2f}" for r in ranks)])
    yield ""
    yield from _against(found, who)
    yield "## Times"
    yield ""
    yield from header(["set"], [*who, *(f"{of} / default" for of in OURS[1:] if of in who)])
    for name, rows in found.items():
        seconds = np.median(rows[:, :, 1], axis=0)
        ratios = [seconds[who.index(of)] / seconds[0] for of in OURS[1:] if of in who]
        yield line([name, *(f"{s:.2f}" for s in seconds), *(f"{r:.2f}" for r in ratios)])
    yield ""


def _against(found: dict[str, np.ndarray], who: list[str]) -> Iterator[str]:
    yield "## Change of the error, in percent of that of the default forest"
    yield ""
    tuned = [of for of in OURS[1:] if of in who]
    yield from header(["set"], [f"{of} (± two standard errors)" for of in tuned])
    for name, rows in found.items():
        changes = [change(rows, who.index(of), 0) for of in tuned]
        yield line([name, *(f"{100 * d:+.1f} ± {100 * s:.1f}" for d, s in changes)])
    yield ""
    errors = np.array([rows[:, :, 0].mean(axis=0) for rows in found.values()])
    for of in tuned:
        at = who.index(of)
        against = [name for name in who if name != of and name not in tuned]
        shares = [f"{np.mean(errors[:, at] < errors[:, who.index(k)]):.0%} of {k}" for k in against]
        worse = [
            name
            for name, rows in found.items()
            if change(rows, at, 0)[0] > max(0.01, change(rows, at, 0)[1])
        ]
        yield f"- **{of}** has a smaller error on " + ", ".join(shares) + "."
        yield (
            f"  Worse than the default by more than 1 % and two standard errors: "
            f"{', '.join(worse) or 'on no set'}."
        )
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", nargs="*", default=[*CLASSES, *NUMBERS])
    parser.add_argument("--who", nargs="*", default=list(CONTENDERS))
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--most", type=int)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    who = [name for name in options.who if installed(name)]
    found = study(options.data, options.sets, who, options)
    publish(list(report(found, who, options)), options.write)


if __name__ == "__main__":
    main()
