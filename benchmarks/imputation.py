"""Imputation: errors, distributions, coverage and time, against other libraries.

    python benchmarks/imputation.py DATA [--write docs/studies/imputation.md] [--sets NAME ...]
                                    [--rows 500] [--trees 100] [--rounds 5] [--repeats 200]
                                    [--speed-rows 4000] [--speed-trees 10] [--parts PART ...]

DATA holds Parquet files. MissForest and miceforest join in where they are installed. Parts are
"errors", "draws", "coverage" and "speed". Time is that of one thread of the processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import imputation_contenders as contenders
import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.stats import t as student
from tables import header, line, publish

import silvics
from silvics.impute import ForestImputer, ProximityImputer

SETS = [
    "abalone",
    "adult",
    "california_housing",
    "colic",
    "concrete",
    "credit_g",
    "diamonds",
    "hypothyroid",
    "kc_housing",
    "mushroom",
    "vehicle",
    "wine_quality",
]
SHARE = 0.2
N_DRAWS = 5
PEERS = ("miceforest", "lightgbm", "MissForest")
PARTS = ("errors", "draws", "coverage", "speed")


def read(folder: Path, name: str, rows: int) -> pd.DataFrame:
    """Rows drawn from a file, with its target; columns that are mostly missing are left out."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    frame = frame.sample(min(rows, len(frame)), random_state=0).reset_index(drop=True)
    columns = {}
    for c in frame:
        if frame[c].isna().mean() > 0.5 or frame[c].nunique() < 2:
            continue
        if isinstance(frame[c].dtype, pd.CategoricalDtype):
            columns[c] = frame[c].cat.remove_unused_categories()
        else:
            columns[c] = frame[c].astype(float)
    return pd.DataFrame(columns)


def knocked_out(X: pd.DataFrame, share: float, mechanism: str, seed: int) -> np.ndarray:
    """Mask of the cells to make missing.

    At random (MAR), the chance of a cell follows the rank of the first column, which stays known.
    """
    random = np.random.default_rng(seed)
    chance = np.full(X.shape, share)
    if mechanism == "MAR":
        chance *= 2 * X.iloc[:, [0]].rank(pct=True).to_numpy()
        chance[:, 0] = 0
    return (random.random(X.shape) < chance) & X.notna().to_numpy()


def errors(X: pd.DataFrame, filled: pd.DataFrame, mask: np.ndarray) -> tuple[float, float, float]:
    """Mean error over columns, over numbers (NRMSE) and over categories (share of wrong)."""
    numbers, classes = [], []
    for j, c in enumerate(X):
        rows = mask[:, j]
        if not rows.any():
            continue
        if isinstance(X[c].dtype, pd.CategoricalDtype):
            same = filled[c].astype(str).to_numpy()[rows] == X[c].astype(str).to_numpy()[rows]
            classes.append(1 - same.mean())
        else:
            difference = filled[c].to_numpy(float)[rows] - X[c].to_numpy(float)[rows]
            numbers.append(np.sqrt(np.mean(difference**2)) / X[c].std())
    means = [float(np.mean(e)) if e else np.nan for e in (numbers + classes, numbers, classes)]
    return means[0], means[1], means[2]


def energy(X: pd.DataFrame, filled: pd.DataFrame, mask: np.ndarray) -> float:
    """Energy distance between rows with imputed values and the same rows as they were."""
    complete = X.notna().all(axis=1).to_numpy() & mask.any(axis=1)
    true, found = [], []
    for c in X:
        if isinstance(X[c].dtype, pd.CategoricalDtype):
            for level in X[c].cat.categories:
                true.append((X[c].astype(str) == str(level)).to_numpy(float))
                found.append((filled[c].astype(str) == str(level)).to_numpy(float))
        else:
            true.append(((X[c] - X[c].mean()) / X[c].std()).to_numpy(float))
            found.append(((filled[c] - X[c].mean()) / X[c].std()).to_numpy(float))
    A, B = np.column_stack(true)[complete], np.column_stack(found)[complete]
    return float(2 * cdist(A, B).mean() - cdist(A, A).mean() - cdist(B, B).mean())


# ---- parts


def study_errors(args: argparse.Namespace) -> Iterator[str]:
    fills: dict[str, contenders.Fill] = {
        "mean": contenders.usual,
        "5 neighbours": contenders.neighbors,
        "chained ridge": contenders.ridge,
        "chained forests": contenders.sklearn_forests,
    }
    if find_spec("miceforest"):
        fills["miceforest"] = contenders.miceforest_means
    yield "## Errors"
    yield ""
    yield (
        f"Mean over the columns of the error of imputed values: the root mean squared error in "
        f"units of the standard deviation, or the share of wrong categories. {args.rows} rows of "
        f"each set with its target; {SHARE:.0%} of the cells are missing completely at random, "
        f"beside those that are missing in the set. {args.trees} trees (chained forests: "
        f"{args.trees // 5}) and {args.rounds} rounds. Chained ridge and forests are "
        "IterativeImputer with BayesianRidge on indicators of levels, and with "
        "RandomForestRegressor on codes of levels. miceforest predicts without matching. "
        "`ProximityImputer` uses the target to fill in the others, so that its errors are over "
        "columns without the target, and are not compared."
    )
    yield ""
    yield from header(["set"], [*fills, "ForestImputer", "to the best", "ProximityImputer"])
    good = 0
    for name in args.sets:
        X = read(args.data, name, args.rows)
        mask = knocked_out(X, SHARE, "MCAR", 0)
        Z = X.mask(mask)
        found = [
            errors(X, fill(Z, 0, args.trees // 5 if "forests" in who else args.trees,
                           args.rounds), mask)[0]
            for who, fill in fills.items()
        ]  # fmt: skip
        ours = errors(X, contenders.ours(Z, 0, args.trees, args.rounds), mask)[0]
        ratio = ours / min(found)
        good += ratio <= 1.01
        inputs = X.columns != "target"
        near = ProximityImputer(args.trees, random_state=0)
        near = near.fit_transform(Z.loc[:, inputs], X["target"])
        other = errors(X.loc[:, inputs], near, mask[:, inputs])[0]
        cells = [f"{e:.4f}" for e in (*found, ours)]
        yield line([name, *cells, f"{100 * (ratio - 1):+.1f} %", f"{other:.4f}"])
    yield ""
    yield f"At most 1 % above the best of the others on {good} of {len(args.sets)} sets."
    yield ""


def study_draws(args: argparse.Namespace) -> Iterator[str]:
    yield "## Means and draws"
    yield ""
    yield (
        "Energy distance between rows with imputed values and the same rows before values were "
        f"removed; zero is the same distribution. The cells are those of the first table. For "
        f"draws, it is the mean over {N_DRAWS} completed tables."
    )
    yield ""
    more = bool(find_spec("miceforest"))
    others = ["miceforest, matching"] if more else []
    yield from header(["set"], ["mean", "ForestImputer, means", "ForestImputer, draws", *others])
    good = 0
    for name in args.sets:
        X = read(args.data, name, args.rows)
        mask = knocked_out(X, SHARE, "MCAR", 0)
        Z = X.mask(mask)
        found = [
            energy(X, fill(Z, 0, args.trees, args.rounds), mask)
            for fill in (contenders.usual, contenders.ours)
        ]
        model = ForestImputer(max_iter=args.rounds, sample_posterior=True, random_state=0)
        found.append(np.mean([energy(X, D, mask) for D in model.fit(Z).draws(Z, N_DRAWS)]))
        cells = [f"{e:.4f}" for e in found]
        if more:
            try:
                drawn = contenders.miceforest_draws(Z, 0, args.trees, args.rounds)
                cells.append(f"{energy(X, drawn, mask):.4f}")
            except (TypeError, ValueError) as error:  # TypeError: needs LightGBM before 4.7
                cells.append(type(error).__name__)
        good += found[2] < found[1]
        yield line([name, *cells])
    yield ""
    yield f"Draws are closer than means on {good} of {len(args.sets)} sets."
    yield ""


def simulated(seed: int, n: int, several: bool) -> np.ndarray:
    """x1, x2 and y = x1 + x2 + noise; x1 (and x2) more often missing for large y."""
    random = np.random.default_rng(seed)
    x2 = random.normal(size=n)
    x1 = 0.5 * x2 + np.sqrt(0.75) * random.normal(size=n)
    y = x1 + x2 + random.normal(size=n)
    X = np.column_stack([x1, x2, y])
    X[random.random(n) < 1 / (1 + np.exp(0.7 - 0.5 * y)), 0] = np.nan
    if several:
        X[random.random(n) < 0.6 / (1 + np.exp(1.5 - 0.8 * y)), 1] = np.nan
    return X


def slope(X: np.ndarray) -> tuple[float, float]:
    """Slope of y on x1, given x2, and its variance, by least squares."""
    A = np.column_stack([np.ones(len(X)), X[:, :2]])
    b = np.linalg.lstsq(A, X[:, 2])[0]
    residual = X[:, 2] - A @ b
    variance = np.linalg.inv(A.T @ A)[1, 1] * (residual @ residual) / (len(X) - 3)
    return float(b[1]), float(variance)


def pooled(estimates: list[float], variances: list[float], n: int) -> tuple[float, float, float]:
    """Rubin's rules, with the degrees of freedom of Barnard and Rubin: mean, error, quantile."""
    m, within, between = len(estimates), np.mean(variances), np.var(estimates, ddof=1)
    total = within + (1 + 1 / m) * between
    share = (1 + 1 / m) * between / total
    of_draws, complete = (m - 1) / share**2, n - 3
    observed = (complete + 1) / (complete + 3) * complete * (1 - share)
    freedom = 1 / (1 / of_draws + 1 / observed)
    return float(np.mean(estimates)), float(np.sqrt(total)), float(student.ppf(0.975, freedom))


def study_coverage(args: argparse.Namespace) -> Iterator[str]:
    yield "## Coverage"
    yield ""
    yield (
        f"y = x1 + x2 + noise, 200 rows, {args.repeats} repeats. About a third of x1, and in the "
        "second row of the table also some of x2, is missing, more often for large y (MAR). The "
        "share of repeats in which the 95 % interval of the slope of x1 covers the true slope, 1: "
        "20 draws of a forest with the defaults and 20 trees, combined by Rubin's rules; one table "
        "of means, treated as if it were complete; the complete rows alone."
    )
    yield ""
    columns = ["draws", "bias", "width", "means", "bias", "width", "complete rows", "bias", "width"]
    yield from header(["missing"], columns)
    for several in (False, True):
        found: list[list[tuple[bool, float, float]]] = [[], [], []]
        for seed in range(args.repeats):
            X = simulated(seed, 200, several)
            model = ForestImputer(20, sample_posterior=True, random_state=seed, skip_complete=True)
            each = [slope(D) for D in model.fit(X).draws(X, 20)]
            results = [pooled([b for b, _ in each], [v for _, v in each], len(X))]
            means = ForestImputer(20, random_state=seed, skip_complete=True).fit_transform(X)
            for table in (means, X[~np.isnan(X).any(axis=1)]):
                b, v = slope(table)
                results.append((b, v**0.5, float(student.ppf(0.975, len(table) - 3))))
            for k, (b, error, quantile) in enumerate(results):
                found[k].append((abs(b - 1) < quantile * error, b - 1, 2 * quantile * error))
        cells = []
        for result in found:
            covered, bias, width = np.mean(np.array(result, dtype=float), axis=0)
            cells += [f"{100 * covered:.1f} %", f"{bias:+.3f}", f"{width:.3f}"]
        yield line(["x1 and x2" if several else "x1", *cells])
    yield ""


def mixed(n: int) -> pd.DataFrame:
    """20 real numbers, 10 whole numbers and 10 categories that depend on six factors."""
    random = np.random.default_rng(0)
    factors, columns = random.normal(size=(n, 6)), {}
    for j in range(40):
        v = 0.6 * factors @ random.normal(size=6) + np.sin(2 * factors[:, j % 6])
        v += 0.5 * random.normal(size=n)
        if j % 4 == 3:
            k = [2, 3, 5, 8][(j // 4) % 4]
            codes = np.searchsorted(np.quantile(v, np.arange(1, k) / k), v)
            columns[f"c{j}"] = pd.Categorical.from_codes(codes, [f"level {i}" for i in range(k)])
        else:
            columns[f"x{j}"] = np.rint(3 * v) if j % 4 == 2 else v
    return pd.DataFrame(columns)


def study_speed(args: argparse.Namespace) -> Iterator[str]:
    rows, trees = args.speed_rows, args.speed_trees
    yield "## Time"
    yield ""
    yield (
        f"Seconds of `fit_transform` on one thread: a simulated table of {rows:,} rows, 30 numbers "
        f"and 10 categories. Every contender fits {trees} trees for each column, for 1 round, or "
        "2 rounds with MissForest, which needs two, on the numbers alone, because it does not pass "
        "categories to scikit-learn's forests; ours does the same. The usual 10 rounds "
        "of 100 trees take as many times longer. In parentheses, the error as above."
    )
    yield ""
    rivals: list[tuple[str, contenders.Fill, int]] = [
        ("IterativeImputer, forests", contenders.sklearn_forests, 1)
    ]
    if find_spec("missforest"):
        rivals.append(("MissForest", contenders.missforest, 2))
    yield from header(["missing", "other"], ["seconds", "ForestImputer", "times faster"])
    X = mixed(rows)
    contenders.ours(X.mask(knocked_out(X, 0.1, "MCAR", 0)).head(200), 0, 2, 1)  # loads everything
    for share, mechanism in args.speed_cases:
        mask = knocked_out(X, share, mechanism, 1)
        for name, fill, rounds in rivals:
            cells, seconds = [], []
            part = np.ones(X.shape[1], dtype=bool)
            if name == "MissForest":  # with scikit-learn's forests it refuses categories
                part = np.array([c.startswith("x") for c in X])
            Z = X.mask(mask).loc[:, part]
            for run in (fill, contenders.ours):
                start = time.process_time()
                filled = run(Z, 0, trees, rounds)
                seconds.append(time.process_time() - start)
                error = errors(X.loc[:, part], filled, mask[:, part])[0]
                cells.append(f"{seconds[-1]:.2f} ({error:.3f})")
            yield line(
                [f"{share:.0%}, {mechanism}", name, *cells, f"{seconds[0] / seconds[1]:.1f}"]
            )
    yield ""


def lines(args: argparse.Namespace) -> Iterator[str]:
    yield "# Imputation"
    yield ""
    others = [f"scikit-learn {version('scikit-learn')}"]
    others += [f"{name} {version(name)}" for name in PEERS if find_spec(name.lower())]
    yield (
        f"Made by `benchmarks/imputation.py`. silvics {silvics.__version__}, {', '.join(others)}. "
        "Results with means use the defaults of `ForestImputer`, but for the rounds."
    )
    yield ""
    studies = {
        "errors": study_errors,
        "draws": study_draws,
        "coverage": study_coverage,
        "speed": study_speed,
    }
    for part in args.parts:
        yield from studies[part](args)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=PARTS)
    for name, default in (("rows", 500), ("trees", 100), ("rounds", 5), ("repeats", 200),
                          ("speed-rows", 4000), ("speed-trees", 10)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    args.speed_cases = [(s, m) for s in (0.1, 0.3) for m in ("MCAR", "MAR")]
    publish(list(lines(args)), args.write)


if __name__ == "__main__":
    main()
