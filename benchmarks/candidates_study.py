"""Oblique splits, residual forests, linear leaves and target statistics against tuned forests.

    python benchmarks/candidates_study.py DATA [--write docs/studies/candidates.md] [--sets NAME]
                    [--who NAME ...] [--repeats 3] [--trees 100] [--most 2500]
                    [--keep FILE] [--seconds LIMIT]

DATA holds Parquet files with a column `target`. Sets, splits and errors are those of
`tuning_study.py`. The candidates are written here over the public API. ``--keep`` appends each fit
to a file of JSON lines, and leaves out those that it has; ``--seconds`` stops after this time, so
that the study can be run in parts. Times are those of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import KFold
from tables import Table, categorical, commit, header, line, machine, publish, read, split
from threadpoolctl import threadpool_limits
from tuning_study import CLASSES, NUMBERS, error, kind

import silvics

# Sets with categories of many levels, beside those of the study of tuning.
MANY_LEVELS = ["cylinder_bands", "flights"]
LEAST_LEVELS = 10  # of a column that gets target statistics


class Residual:
    """A second forest, fitted to the out-of-bag residuals of the first (Ghosal and Hooker 2021).

    Residuals of classes are those of their indicators; sums are clipped and divided by their total.
    With ``if_better``, the second forest is added only if the squared error out of bag falls by
    more than a standard error.
    """

    def __init__(
        self, labels: bool, trees: int, seed: int, *, if_better: bool = False, **more: Any
    ) -> None:
        made = getattr(silvics, f"RandomForest{kind(labels)}")
        self.labels, self.if_better = labels, if_better
        self.first = made(trees, oob_score=True, n_jobs=1, random_state=seed, **more)
        self.second = silvics.RandomForestRegressor(
            trees, oob_score=if_better, n_jobs=1, random_state=seed + 1
        )

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Residual:
        self.first.fit(X, y)
        if self.labels:
            self.classes_ = self.first.classes_
            residuals = (y[:, None] == self.classes_) - self.first.oob_decision_function_
        else:
            residuals = (y - self.first.oob_prediction_)[:, None]
        known = ~np.isnan(residuals).any(axis=1)
        residuals = residuals[known]
        self.second.fit(X[known], residuals.squeeze())
        self.adds = True
        if self.if_better:
            left = residuals - self.second.oob_prediction_.reshape(residuals.shape)
            gain = (residuals**2 - left**2).sum(axis=1)
            gain = gain[~np.isnan(gain)]
            self.adds = bool(gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)))
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        if not self.adds:
            return self.first.predict(X)
        return self.first.predict(X) + self.second.predict(X)

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        if not self.adds:
            return self.first.predict_proba(X)
        return probabilities(self.first.predict_proba(X) + self.second.predict(X))


class LocalLinear:
    """Ridge regression around each row, weighted by the kernel of a forest.

    These are local linear forests (Friedberg et al. 2020) on a forest with leaves of at least five
    rows: linear in the most important numbers of the table, at most 20, with the penalty that is
    best for the weights out of bag. Predictions are clipped to the range of the training outputs.
    """

    PENALTIES = (0.01, 0.1, 1.0, 10.0)

    def __init__(self, labels: bool, trees: int, seed: int) -> None:
        made = getattr(silvics, f"RandomForest{kind(labels)}")
        self.labels, self.seed = labels, seed
        self.forest = made(
            trees, min_samples_leaf=5, keep_samples=True, n_jobs=1, random_state=seed
        )

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> LocalLinear:
        self.forest.fit(X, y)
        numbers = X.drop(columns=categorical(X)).columns
        importances = pd.Series(self.forest.feature_importances_, X.columns)[numbers]
        self.columns = importances.nlargest(20).index
        Z = X[self.columns].to_numpy(dtype=float)
        self.center, spread = np.nanmean(Z, axis=0), np.nanstd(Z, axis=0)
        self.spread = np.where(spread > 0, spread, 1.0)
        self.Z = self.coded(X)
        if self.labels:
            self.classes_ = self.forest.classes_
            self.Y = (y[:, None] == self.classes_).astype(float)
        else:
            self.Y = y[:, None].astype(float)
        some = np.random.default_rng(self.seed).permutation(len(y))[:500]
        weights = self.forest.proximity(kind="gap", output="sparse")[some]
        known = np.diff(weights.indptr) > 0
        found = self.predicted(weights, self.Z[some])[known]
        errors = ((found - self.Y[some[known], None]) ** 2).sum(axis=(0, 2))
        self.best = int(errors.argmin())
        return self

    def coded(self, X: pd.DataFrame) -> np.ndarray:
        Z = X[self.columns].to_numpy(dtype=float)
        return np.nan_to_num((Z - self.center) / self.spread)

    def predicted(self, weights: Any, Z: np.ndarray) -> np.ndarray:
        """Predictions of rows, rows x penalties x outputs."""
        p = Z.shape[1]
        found = np.zeros((len(Z), len(self.PENALTIES), self.Y.shape[1]))
        for i, z in enumerate(Z):
            near = weights.indices[weights.indptr[i] : weights.indptr[i + 1]]
            w = weights.data[weights.indptr[i] : weights.indptr[i + 1]]
            if not len(near):
                continue
            D = np.column_stack([np.ones(len(near)), self.Z[near] - z])
            left, right = D.T @ (w[:, None] * D), D.T @ (w[:, None] * self.Y[near])
            for k, penalty in enumerate(self.PENALTIES):
                ridge = np.diag([1e-12, *np.full(p, penalty)])
                found[i, k] = np.linalg.solve(left + ridge, right)[0]
        return np.clip(found, self.Y.min(axis=0), self.Y.max(axis=0))

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        weights = self.forest.proximity(X, kind="kernel", output="sparse")
        return self.predicted(weights, self.coded(X))[:, self.best].squeeze()

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        weights = self.forest.proximity(X, kind="kernel", output="sparse")
        return probabilities(self.predicted(weights, self.coded(X))[:, self.best])


class TargetStatistics:
    """A forest on means of the output in place of levels, for columns of at least ten levels.

    The mean of a level and ten rows of the mean of all; training rows get those of the other folds.
    """

    PRIOR_ROWS = 10.0

    def __init__(self, labels: bool, trees: int, seed: int) -> None:
        made = getattr(silvics, f"RandomForest{kind(labels)}")
        self.labels, self.seed = labels, seed
        self.forest = made(trees, n_jobs=1, random_state=seed)

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> TargetStatistics:
        self.columns = many_levels(X)
        self.X, self.Y = X, y[:, None].astype(float)
        if self.labels:
            classes = np.unique(y)
            self.Y = (y[:, None] == classes[1:]).astype(float)
        parts = []
        for others, fold in KFold(5, shuffle=True, random_state=self.seed).split(X):
            coded = self.coded(X.iloc[others], self.Y[others], X.iloc[fold])
            parts.append(coded.set_index(fold))
        self.forest.fit(pd.concat(parts).sort_index(), y)
        if self.labels:
            self.classes_ = self.forest.classes_
        return self

    def coded(self, X: pd.DataFrame, Y: np.ndarray, rows: pd.DataFrame) -> pd.DataFrame:
        found = rows.drop(columns=self.columns).reset_index(drop=True)
        mean = Y.mean(axis=0)
        for column in self.columns:
            levels = X[column].astype(str).to_numpy()
            sums = pd.DataFrame(Y).groupby(levels).sum()
            sizes = pd.Series(1.0, range(len(levels))).groupby(levels).sum()
            means = (sums + self.PRIOR_ROWS * mean).div(sizes + self.PRIOR_ROWS, axis=0)
            own = means.reindex(rows[column].astype(str)).to_numpy()
            for k in range(Y.shape[1]):
                found[f"{column}_{k}"] = np.where(np.isnan(own[:, k]), mean[k], own[:, k])
        return found

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return self.forest.predict(self.coded(self.X, self.Y, X))

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.forest.predict_proba(self.coded(self.X, self.Y, X))


def probabilities(values: np.ndarray) -> np.ndarray:
    values = np.clip(values, 0.0, 1.0)
    whole = values.sum(axis=1, keepdims=True)
    return np.where(whole > 0, values / np.where(whole > 0, whole, 1.0), 1 / values.shape[1])


def many_levels(X: pd.DataFrame) -> list[str]:
    return [c for c in categorical(X) if X[c].nunique() >= LEAST_LEVELS]


def forest(name: str, **more: Any) -> Callable[[bool, int, int], Any]:
    def make(labels: bool, trees: int, seed: int) -> Any:
        made = getattr(silvics, f"{name}{kind(labels)}")
        settings = dict(more)
        recipe = [settings.pop("recipe")] if "recipe" in settings else []
        return made(*recipe, n_estimators=trees, n_jobs=1, random_state=seed, **settings)

    return make


def residual(**more: Any) -> Callable[[bool, int, int], Any]:
    return lambda labels, trees, seed: Residual(labels, trees, seed, **more)


CANDIDATES: dict[str, Callable[[bool, int, int], Any]] = {
    "default": forest("RandomForest"),
    "tuned": forest("RandomForest", tune="oob"),
    "auto": forest("Forest", recipe="auto"),
    "oblique": forest("Forest", recipe="forest_rc"),
    "oblique, tuned": forest("Forest", recipe="forest_rc", tune="oob"),
    "leaves of five": forest("RandomForest", min_samples_leaf=5),
    "residual": residual(),
    "residual of tuned": residual(tune="oob"),
    "residual of tuned, if better": residual(tune="oob", if_better=True),
    "local linear": LocalLinear,
    "target statistics": TargetStatistics,
}
NEW = list(CANDIDATES)[3:]


def applies(name: str, X: pd.DataFrame) -> bool:
    """Whether a candidate differs from the default on such a table."""
    if name == "target statistics":
        return bool(many_levels(X))
    numbers = X.shape[1] - len(categorical(X))
    return numbers > 1 if name in ("oblique", "oblique, tuned", "local linear") else True


def measure(table: Table, name: str, seed: int, options: Any) -> dict[str, Any]:
    train, test = split(table, seed, options.most)
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    made = CANDIDATES[name](table.labels, options.trees, seed)
    times = [time.process_time()]
    made.fit(X, y)
    times.append(time.process_time())
    rows = table.X.iloc[test].reset_index(drop=True)
    found = error(made, rows, table.y[test], table.labels, options.trees)
    times.append(time.process_time())
    fit, predict = np.diff(times).tolist()
    return {
        "set": table.name, "seed": seed, "who": name, "error": found, "fit": fit,
        "predict": predict, "classes": table.labels,
    }  # fmt: skip


def study(folder: Path, options: Any) -> tuple[list[dict[str, Any]], bool]:
    """Return the results, and whether all fits have been made."""
    begin = time.monotonic()
    found: list[dict[str, Any]] = []
    if options.keep is not None and options.keep.exists():
        found = [json.loads(text) for text in options.keep.read_text().splitlines()]
    done = {(of["set"], of["seed"], of["who"]) for of in found}
    for name in options.sets:
        wanted = [(seed, who) for seed in range(options.repeats) for who in options.who]
        if all((name, *of) in done for of in wanted):
            continue
        table = read(folder, name)
        for seed, who in wanted:
            if (name, seed, who) in done or not applies(who, table.X):
                continue
            if options.seconds is not None and time.monotonic() - begin > options.seconds:
                return found, False
            with threadpool_limits(1):
                found.append(measure(table, who, seed, options))
            print(found[-1], file=sys.stderr, flush=True)
            if options.keep is not None:
                with options.keep.open("a") as file:
                    file.write(json.dumps(found[-1]) + "\n")
    return found, True


# ---- the page


def report(found: list[dict[str, Any]], options: Any) -> Iterator[str]:
    frame = pd.DataFrame(found)
    frame = frame[frame["who"].isin(options.who) & frame["set"].isin(options.sets)]
    means = frame.pivot_table(index="set", columns="who", values="error", sort=False)
    means = means.reindex(index=options.sets, columns=options.who).dropna(how="all")
    yield "# Candidates for tuned forests"
    yield ""
    yield (
        f"`make bench-candidates` ({commit()}; {machine()}). {options.trees} trees, "
        f"{options.repeats} splits of three quarters to train and a quarter to test, at most "
        f"{options.most or 'all'} rows of each. Errors: log-loss for classes (probabilities "
        "clipped at half a vote of a tree), squared error relative to the variance for numbers. "
        "Empty cells: the candidate does not differ from the default on this table."
    )
    yield ""
    yield "## Errors"
    yield ""
    yield from header(["set"], options.who)
    for name, row in means.iterrows():
        best = np.nanargmin(row)
        cells = ["" if np.isnan(m) else f"{m:.4f}" for m in row]
        cells[best] = f"**{cells[best]}**"
        yield line([name, *cells])
    yield ""
    yield "## Gain over the default forest"
    yield ""
    yield (
        "The change of the error in percent, on average over the sets to which the candidate "
        'applies; the sets on which its error is smaller; and the same against "auto".'
    )
    yield ""
    yield from header(
        ["candidate", "tables"], ["sets", "change", "median", "better", "against auto", "better"]
    )
    labels = frame.drop_duplicates("set").set_index("set")["classes"].reindex(means.index)
    for who in options.who[1:]:
        for part, of in (("classes", labels), ("numbers", ~labels.astype(bool))):
            rows = means[of.astype(bool) & means[who].notna()]
            if not len(rows):
                continue
            cells = []
            for base in ("default", "auto"):
                change = 100 * (rows[who] / rows[base] - 1)
                median = [f"{change.median():+.1f}"] if base == "default" else []
                better = f"{(change < 0).sum()} of {len(rows)}"
                cells += [f"{change.mean():+.1f}", *median, better]
            yield line([who, part, len(rows), *cells])
    yield ""
    whole = means.dropna(axis=1).rank(axis=1)
    ranks = rankdata(means[list(whole)].round(6), axis=1).mean(axis=0)
    shown = ", ".join(f"{who} {rank:.1f}" for who, rank in zip(whole, ranks, strict=True))
    yield f"Mean ranks of those that apply to all sets: {shown}."
    yield ""
    yield "## Times"
    yield ""
    yield "Seconds of the processor for a fit, and, after the plus sign, to predict the test rows."
    yield ""
    yield from header(["set"], options.who)
    medians = frame.groupby(["set", "who"])[["fit", "predict"]].median()
    for name in means.index:
        cells = [
            "{:.2f} + {:.2f}".format(*medians.loc[(name, who)]) if (name, who) in medians.index
            else "" for who in options.who
        ]  # fmt: skip
        yield line([name, *cells])
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", nargs="*", default=[*CLASSES, *NUMBERS, *MANY_LEVELS])
    parser.add_argument("--who", nargs="*", default=list(CANDIDATES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--most", type=int, default=2500)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found, whole = study(options.data, options)
    if whole:
        publish(list(report(found, options)), options.write)
    else:
        sys.exit("The time is over: run the same command again to go on.")


if __name__ == "__main__":
    main()
