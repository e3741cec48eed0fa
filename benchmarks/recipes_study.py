"""Every recipe on real tables: score, time, size, correlation of the trees, rank.

    python benchmarks/recipes_study.py DATA [--write docs/studies/recipes.md] [--sets NAME ...]
                                       [--splits 3] [--trees 50] [--most 1000] [--jobs 1]

DATA holds Parquet files with a column `target`.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from recipes_page import group_of
from scipy.stats import spearmanr
from tables import Table, header, line, mean_ranks, publish, read, scored, split, standard_error

from silvics import ForestClassifier, ForestRegressor, recipes

CLASSES = [
    "diabetes",
    "ionosphere",
    "liver",
    "sonar",
    "vehicle",
    "waveform",
    "pendigits",
    "spambase",
    "twonorm",
    "colic",
    "audiology",
    "credit_g",
    "cylinder_bands",
]
NUMBERS = ["concrete", "abalone", "wine_quality", "kc_housing", "kin8nm"]

# Definition 31: the thesis' mean ranks on its small and on its larger sets.
THESIS = {
    "ET": ("extra_trees", {}, 2.1, 3.2),
    "RS-ET": ("random_subspace", {"cut": "uniform"}, 2.8, 2.4),
    "RP-ET": ("random_patches", {"cut": "uniform"}, 2.9, 3.9),
    "P-ET": ("pasting", {"cut": "uniform"}, 3.8, 5.7),
    "RP-DT": ("random_patches", {}, 5.3, 4.5),
    "RF": ("random_forest", {}, 5.9, 6.2),
    "RS-DT": ("random_subspace", {}, 6.1, 3.5),
    "P-DT": ("pasting", {}, 7.1, 6.6),
}
# Forests of two stages are for numbers only, and their trees do not predict the output.
NAMES = [name for name in recipes.names() if recipes.get(name).stages == 1]
NEMENYI = 3.031  # eight methods at 5 %, as in 8.2.2

Told = Callable[[float], str]
MEASURES: dict[str, tuple[str, Told]] = {
    "score": ("Score (accuracy or R2, points)", "{:.1f}".format),
    "seconds": ("Seconds of fit (median)", "{:.3f}".format),
    "nodes": ("Nodes of a tree", "{:.0f}".format),
    "depth": ("Mean depth of the leaves", "{:.1f}".format),
    "correlation": ("Correlation between trees", "{:.2f}".format),
}


# ---- measuring


@dataclass(frozen=True)
class Measured:
    """What one recipe did on one table, a value per split; NaN where there is none."""

    score: np.ndarray
    seconds: np.ndarray
    nodes: np.ndarray
    depth: np.ndarray
    correlation: np.ndarray
    single: np.ndarray
    commonest: np.ndarray

    def mean(self, measure: str) -> float:
        values = getattr(self, measure)
        values = values[~np.isnan(values)]
        if not len(values):
            return float("nan")
        return float(np.median(values) if measure == "seconds" else values.mean())


Found = dict[str, dict[str, Measured]]  # set, recipe
Failure = tuple[str, str, int, str]  # recipe, set, split, message


def forest_of(recipe: str, table: Table, seed: int, jobs: int, **choices: Any) -> Any:
    made = ForestClassifier if table.labels else ForestRegressor
    return made(recipe, random_state=seed, n_jobs=jobs, **choices)


def predictions(forest: Any, X: Any) -> np.ndarray:
    """Of each tree, for each row: class shares, or a number."""
    leaves = forest.apply(X).T
    trees = zip(forest.estimators_, leaves, strict=True)
    return np.array([tree.tree_.value[leaf, 0] for tree, leaf in trees])


def correlation(of_trees: np.ndarray) -> float:
    """Mean Pearson correlation of two trees over rows; trees that say one thing have none."""
    flat = (of_trees - of_trees.mean(axis=1, keepdims=True)).reshape(len(of_trees), -1)
    lengths = np.linalg.norm(flat, axis=1)
    told = flat[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    m = len(told)
    return float((np.sum(told.sum(axis=0) ** 2) - m) / (m * (m - 1))) if m > 1 else float("nan")


def one_split(recipe: str, table: Table, seed: int, chosen: argparse.Namespace) -> list[float]:
    train, test = split(table, seed, chosen.most)
    X, y = table.X.iloc[train].copy(), table.y[train]
    X_test, y_test = table.X.iloc[test].copy(), table.y[test]
    alone = recipes.get(recipe).n_estimators == 1
    trees = 1 if alone else chosen.trees
    forest = forest_of(recipe, table, seed, chosen.jobs, n_estimators=trees)
    start = time.perf_counter()
    forest.fit(X, y)
    seconds = time.perf_counter() - start
    of_trees = predictions(forest, X_test)
    together = forest.predict_proba(X_test) if table.labels else forest.predict(X_test)[:, None]
    if recipes.get(recipe).vote == "soft":
        np.testing.assert_allclose(of_trees.mean(axis=0), together, rtol=1e-9, atol=1e-9)
    each = forest.classes_[of_trees.argmax(axis=2)] if table.labels else of_trees[..., 0]
    single = [scored(y_test, of_one, table.labels) for of_one in each]
    said = forest.predict(X_test)
    return [
        scored(y_test, said, table.labels),
        seconds,
        forest.work_["nodes"] / trees,
        forest.work_["mean_leaf_depth"],
        correlation(of_trees),
        float(np.mean(single)),
        100 * float(np.mean(said == np.bincount(y).argmax())) if table.labels else float("nan"),
    ]


def measure(table: Table, chosen: argparse.Namespace) -> tuple[dict[str, Measured], list[Failure]]:
    """All recipes on one table, split by split in turns; an error leaves NaN and is told."""
    failures: list[Failure] = []
    rows: dict[str, list[list[float]]] = {name: [] for name in NAMES}
    for seed in range(chosen.splits):
        for name, found in rows.items():
            try:
                found.append(one_split(name, table, seed, chosen))
            except Exception as error:  # whatever it is belongs in the report
                failures.append((name, table.name, seed, f"{type(error).__name__}: {error}"))
                found.append([float("nan")] * 7)
    return {name: Measured(*np.array(found).T) for name, found in rows.items()}, failures


# ---- tables


def ranks(found: Found, sets: Sequence[str]) -> np.ndarray:
    """Of every recipe over these sets; one that failed is last there."""
    if not sets:
        return np.full(len(NAMES), np.nan)
    means = [[of.mean("score") for of in found[name].values()] for name in sets]
    return mean_ranks(np.nan_to_num(np.array(means), nan=-1e9))


def summary(found: Found, classes: list[str], numbers: list[str]) -> Iterator[str]:
    """One line for each recipe, the best rank first."""
    sets = [*classes, *numbers]
    by_rank = dict(zip(NAMES, ranks(found, sets), strict=True))
    parts = [ranks(found, part) for part in (classes, numbers)]
    of_part = dict(zip(NAMES, zip(*parts, strict=True), strict=True))
    yield from ["## Summary", ""]
    yield from header(
        ["recipe"],
        ["rank", "classes", "numbers", "seconds", "nodes", "depth", "correlation"],
    )
    for name in sorted(by_rank, key=by_rank.__getitem__):
        means = {m: np.array([found[s][name].mean(m) for s in sets]) for m in MEASURES}
        known = means["correlation"][~np.isnan(means["correlation"])]
        single = recipes.get(name).n_estimators == 1
        yield line(
            [
                f"`{name}`" + (" (one tree)" if single else ""),
                f"**{by_rank[name]:.1f}**",
                *(f"{rank:.1f}" for rank in of_part[name]),
                f"{np.nanmedian(means['seconds']):.3f}",
                f"{np.nanmedian(means['nodes']):.0f}",
                f"{np.nanmedian(means['depth']):.1f}",
                f"{np.median(known):.2f}" if len(known) else "",
            ]
        )
    yield ""


def reading(found: Found, sets: list[str]) -> Iterator[str]:
    """The summary in sentences."""
    rank = dict(zip(NAMES, ranks(found, sets), strict=True))
    order = sorted(rank, key=rank.__getitem__)
    section = {row["name"]: group_of(row) for row in recipes.table()}
    alike = {
        name: np.nanmedian([found[s][name].mean("correlation") for s in sets])
        for name in order
        if section[name] != "Single trees"
    }
    tree = next(name for name in order if section[name] == "Single trees")
    behind = [f"`{n}`" for n in alike if rank[n] > rank[tree]]
    means = {
        group: np.mean([rank[n] for n in order if section[n] == group])
        for group in dict.fromkeys(section.values())
    }
    together = spearmanr([rank[n] for n in alike], list(alike.values())).statistic
    least = sorted(alike, key=alike.__getitem__)[:3]
    yield "- Best: " + ", ".join(f"`{n}` ({rank[n]:.1f})" for n in order[:5]) + "."
    yield (
        f"- The best single tree is `{tree}` ({rank[tree]:.1f}); forests behind it: "
        f"{', '.join(behind) or 'none'}."
    )
    told = ", ".join(f"{group.lower()} {mean:.1f}" for group, mean in means.items())
    yield (
        f"- Mean rank: {told}. The consistent variants stop early, and most of them cut "
        "without using the output. On a thousand rows this gives bias, which averaging does "
        "not remove (4.2.3)."
    )
    told = ", ".join(f"`{n}` ({alike[n]:.2f}, rank {rank[n]:.1f})" for n in least)
    yield (
        f"- Least correlated trees: {told}. Over the forests, correlation and rank have a rank "
        f"correlation of {together:+.2f}: less correlated trees do not give a better forest "
        "if randomness adds bias (4.2.3)."
    )
    yield ""


def against_single(found: Found, tables: dict[str, Table], chosen: Any) -> Iterator[str]:
    """Each forest less its single tree, and why, where there is nothing gained."""
    yield from ["## Each forest against its single tree", ""]
    yield (
        "Score of the forest minus that of a single tree of the same recipe, in points: the mean "
        f"over {chosen.trees} seeds, those of the forest's trees; `n_estimators=1` grows the same "
        "tree from each seed. Means over splits, then over sets. In regression the mean of the "
        "trees is never worse than a tree on average (Eq. 4.17); with classes it can be."
    )
    yield ""
    yield from header(["recipe"], ["classes", "numbers", "sets won"])
    without: list[tuple[str, str, float, str]] = []
    for name in NAMES:
        if recipes.get(name).n_estimators == 1:
            continue
        gains = {s: of[name].score - of[name].single for s, of in found.items()}
        means = {s: float(np.nanmean(gain)) for s, gain in gains.items()}
        for s, gain in gains.items():
            if not means[s] > 0:
                why = reason(found[s][name], gain)
                without.append((name, s, means[s], why))
        won = sum(value > 0 for value in means.values())
        parts = [
            [v for s, v in means.items() if tables[s].labels is kind] for kind in (True, False)
        ]
        yield line(
            [
                f"`{name}`",
                *(f"{np.mean(part):+.1f}" if part else "" for part in parts),
                f"{won} of {len(means)}" + (" ✗" if won < len(means) else ""),
            ]
        )
    yield ""
    if without:
        yield "Exceptions (✗):"
        yield ""
        yield from header(["recipe", "set", "why"], ["forest less tree"])
        yield from (line([f"`{r}`", s, why, f"{gain:+.1f}"]) for r, s, gain, why in without)
        yield ""
        named = {why for *_, why in without}
        yield from (f"- *{why}*: {text}" for why, text in REASONS.items() if why in named)
        yield ""


def reason(of: Measured, gain: np.ndarray) -> str:
    """What the thesis says of a forest that does not beat its tree."""
    if of.mean("correlation") > ALIKE:
        return "alike"
    if of.mean("commonest") > BIASED:
        return "biased"
    return "noise" if -gain.mean() <= 2 * standard_error(gain) else "none"


BIASED = 85
ALIKE = 0.8
REASONS = {
    "alike": (
        f"The trees say the same (correlation above {ALIKE}): an ensemble takes away the part of "
        "the variance that its trees do not share, and there is next to none (4.2.3, Eq. 4.28)."
    ),
    "biased": (
        f"The forest predicts the most frequent class for more than {BIASED} % of the rows. Its "
        "mean estimate for the other classes stays below one half, and then less variance means "
        "more errors (Theorem 4.2, 4.2.3.2). Its trees stop early and cut without using the "
        "classes; a single tree is sometimes right when it differs from the mean."
    ),
    "noise": "Within two standard errors over the splits.",
    "none": "The thesis gives no reason.",
}


def patches(tables: dict[str, Table], chosen: argparse.Namespace) -> Iterator[str]:
    """The thesis' eight methods of chapter 8, ranked as there, beside its ranks."""
    tables = {name: table for name, table in tables.items() if table.labels}
    means = np.empty((len(tables), len(THESIS)))
    for i, table in enumerate(tables.values()):
        for j, (recipe, choices, _, _) in enumerate(THESIS.values()):
            means[i, j] = np.mean(
                [patch_score(table, seed, recipe, choices, chosen) for seed in range(chosen.runs)]
            )
    ours = mean_ranks(means)
    small, larger = np.array([[v[2], v[3]] for v in THESIS.values()]).T
    yield from ["## Ranks as in chapter 8", ""]
    yield (
        f"The ranks of the thesis and of silvics: {len(tables)} classification sets, "
        f"{chosen.runs} splits, "
        f'{chosen.trees} trees. A method with -ET is the recipe with `cut="uniform"`. The thesis '
        "tunes the shares of rows and columns, and K, on a validation set, grows 250 trees and "
        "has 16 small and 13 larger sets; here every recipe has its default shares and K."
    )
    yield ""
    yield from header(["method", "ours by"], ["our rank", "small sets", "larger sets", "accuracy"])
    for j in np.argsort(ours):
        method, (recipe, choices, *_) = list(THESIS.items())[j]
        more = "".join(f', {key}="{value}"' for key, value in choices.items())
        cells = (f"{ours[j]:.1f}", small[j], larger[j], f"{means[:, j].mean():.1f}")
        yield line([method, f'`"{recipe}"{more}`', *cells])
    yield ""
    yield from discussion(ours, small, larger, means)


def patch_score(
    table: Table, seed: int, recipe: str, choices: dict[str, Any], chosen: argparse.Namespace
) -> float:
    train, test = split(table, seed, chosen.most)
    forest = forest_of(recipe, table, seed, chosen.jobs, n_estimators=chosen.trees, **choices).fit(
        table.X.iloc[train], table.y[train]
    )
    return scored(table.y[test], forest.predict(table.X.iloc[test]), True)


def discussion(
    ours: np.ndarray, small: np.ndarray, larger: np.ndarray, means: np.ndarray
) -> Iterator[str]:
    """What the figures say, in sentences."""
    names = np.array(list(THESIS))
    random_cuts = np.array([name.endswith("ET") for name in names])
    critical = NEMENYI * np.sqrt(8 * 9 / (6 * len(means)))
    agree = [spearmanr(ours, theirs).statistic for theirs in (small, larger)]
    apart = ours - small
    far = [f"{names[j]} {apart[j]:+.1f}" for j in np.argsort(-abs(apart)) if abs(apart[j]) >= 1]
    best, worst = names[ours.argmin()], names[ours.argmax()]
    families = (
        [v[random_cuts].mean() for v in (ours, small)],
        [v[~random_cuts].mean() for v in (ours, small)],
    )
    yield (
        f"Rank correlation with the thesis: {agree[0]:.2f} (small sets), {agree[1]:.2f} (larger). "
        f"{best} is best and {worst} last (in the thesis {names[small.argmin()]} and "
        f"{names[small.argmax()]}). Random cuts have a mean rank of {families[0][0]:.1f} against "
        f"{families[1][0]:.1f} of best cuts; in the thesis {families[0][1]:.1f} against "
        f"{families[1][1]:.1f}."
    )
    yield ""
    shares = np.array([name not in ("ET", "RF") for name in names])
    yield (
        (f"A rank or more from the small sets of the thesis: {', '.join(far)}. " if far else "")
        + f"The six methods whose shares of rows and columns the thesis tunes are "
        f"{apart[shares].mean():+.1f} ranks from there on average, ET and RF "
        f"{apart[~shares].mean():+.1f}: the shares, which are not tuned here, may be one "
        f"reason. Chance is another: ranks over {len(means)} data sets differ significantly "
        "(Nemenyi, 5 %) only from "
        f"{critical:.1f} on, and all eight mean accuracies lie within "
        f"{np.ptp(means.mean(axis=0)):.1f} points."
    )
    yield ""


def details(found: Found, sets: Sequence[str], what: str) -> Iterator[str]:
    """A table of each measure: recipes by sets."""
    for measure_name, (title, told) in MEASURES.items():
        yield from [f"### {title}: {what}", ""]
        yield from header(["recipe"], sets)
        for name in NAMES:
            values = [found[s][name].mean(measure_name) for s in sets]
            if not np.isnan(values).all():
                yield line([f"`{name}`", *("" if np.isnan(v) else told(v) for v in values)])
        yield ""


def of_sets(tables: dict[str, Table], chosen: argparse.Namespace) -> Iterator[str]:
    yield from ["## Sets", ""]
    yield from header(
        ["set", "task"], ["rows", "train / test", "inputs", "categories", "missing, % of cells"]
    )
    for name, table in tables.items():
        kinds = [d for d in table.X.dtypes if d == "category"]
        task = f"{len(np.unique(table.y))} classes" if table.labels else "numbers"
        sizes = " / ".join(str(len(part)) for part in split(table, 0, chosen.most))
        holes = 100 * table.X.isna().to_numpy().mean()
        cells = (len(table.X), sizes, table.X.shape[1], len(kinds) or "", f"{holes:.1f}")
        yield line([name, task, *cells])
    yield ""


def of_failures(failures: list[Failure]) -> Iterator[str]:
    yield from ["## Errors", ""]
    if not failures:
        yield (
            "None: every recipe fits and predicts every table, and the prediction of every "
            "forest is the mean of those of its trees."
        )
    else:
        yield from header(["recipe", "set", "split", "error"], [])
        yield from (line([f"`{r}`", s, seed, text]) for r, s, seed, text in failures)
    yield ""


def study(chosen: argparse.Namespace) -> Iterator[str]:
    tables = {name: read(chosen.data, name) for name in chosen.sets}
    classes = [name for name in tables if tables[name].labels]
    numbers = [name for name in tables if not tables[name].labels]
    found: Found = {}
    failures: list[Failure] = []
    start = time.perf_counter()
    for name in [*classes, *numbers]:
        found[name], more = measure(tables[name], chosen)
        failures += more
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    yield from ["# Every recipe on real tables", ""]
    yield (
        f"Made by `benchmarks/recipes_study.py` with silvics {version('silvics')} on "
        f"{platform.machine()} ({platform.system()}). All {len(NAMES)} recipes of one stage with "
        f"their own parameters, {chosen.trees} trees (one, if the recipe is a single tree), on "
        f"{len(classes)} classification and {len(numbers)} regression sets, {chosen.splits} random "
        f"splits three to one, at most {chosen.most} rows drawn to train on and "
        f"{chosen.most} to test on. Accuracy or R2 in points. Times are of one "
        "thread on a shared machine, so they are only indicative. Depth counts edges from the "
        "root. Correlation: mean Pearson correlation of two trees over the test rows, of centred "
        "class probabilities for classification, and of predictions for regression."
    )
    yield ""
    yield from of_sets(tables, chosen)
    yield from of_failures(failures)
    yield from summary(found, classes, numbers)
    yield from reading(found, [*classes, *numbers])
    yield from against_single(found, tables, chosen)
    yield from patches(tables, chosen)
    yield from ["## All results", ""]
    yield from details(found, classes, "classes")
    yield from details(found, numbers, "numbers")
    print(f"in all {time.perf_counter() - start:.0f} s", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", metavar="DATA", type=Path, help="folder of Parquet files")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", nargs="+", default=[*CLASSES, *NUMBERS])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10, help="splits for the ranks of chapter 8")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--most", type=int, default=1000, help="rows to train on, and to test on")
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    if not chosen.data.is_dir():
        parser.error(f"no folder {chosen.data}")
    publish(list(study(chosen)), chosen.write)


if __name__ == "__main__":
    main()
