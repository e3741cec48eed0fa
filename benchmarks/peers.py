"""Time of fit against other libraries, in one run, as ratios.

    python benchmarks/peers.py [--repeat 3] [--jobs 2] [--trees 20] [--data FOLDER]
                               [--tasks NAME,...] [--write docs/studies/speed.md]

scikit-learn always takes part; scikit-learn-intelex, YDF, XGBoost and LightGBM do if they are
installed. Libraries take turns within a repeat and figures are medians, so only the ratios hold
on other machines. Equal settings as far as a library allows: sqrt(p) variables per node for
classes and p/3 for numbers, bootstrap for random forests and all rows for Extra-Trees, leaves
grown until pure. ``--data`` adds Parquet files with a column ``target``. ``--write`` puts the table
between the marks of a file, the smallest ratios first.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import packages_distributions, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification, make_friedman1
from tables import commit, machine

MARKS = "<!-- bench: begin -->", "<!-- bench: end -->"


def tasks(folder: Path | None) -> Iterator[tuple[str, str, Any]]:
    """Name, kind and a function that makes X and y; the last fifth is for testing."""
    classes = {"n_informative": 10, "n_redundant": 4, "flip_y": 0.05, "random_state": 0}

    def made(n: int, p: int, **more: Any) -> Any:
        return lambda: make_classification(n * 5 // 4, p, **{**classes, **more})

    yield "100k x 20", "Classifier", made(100_000, 20, n_clusters_per_class=4)
    yield "1M x 10", "Classifier", made(1_000_000, 10, n_informative=6, n_redundant=2)
    yield "10k x 500", "Classifier", made(10_000, 500, n_informative=30)
    yield (
        "Friedman #1 100k x 10",
        "Regressor",
        lambda: make_friedman1(125_000, 10, noise=1.0, random_state=0),
    )
    yield "digits", "Classifier", lambda: load_digits(return_X_y=True)
    yield "300 x 20", "Classifier", made(300, 20)
    for path in sorted(folder.glob("*.parquet")) if folder else []:
        yield path.stem, *_table(path)


def _table(path: Path) -> tuple[str, Any]:
    """A file's kind and content: text as category codes, holes as medians, rows shuffled."""
    import pandas as pd

    frame = pd.read_parquet(path)
    if "target" not in frame:
        return "none", None

    def codes(column: Any) -> np.ndarray:
        if pd.api.types.is_numeric_dtype(column):
            return np.asarray(column.fillna(column.median()), dtype=np.float32)
        return np.asarray(column.astype("category").cat.codes, dtype=np.float32)

    def make() -> tuple[np.ndarray, np.ndarray]:
        target = frame["target"]
        y = target.to_numpy() if numeric else target.astype("category").cat.codes.to_numpy()
        X = np.column_stack([codes(frame[c]) for c in frame if c != "target"])
        order = np.random.default_rng(0).permutation(len(X))
        return X[order], y[order]

    numeric = pd.api.types.is_numeric_dtype(frame["target"])
    return "Regressor" if numeric else "Classifier", make


# ---- libraries: fit(algorithm, kind, X, y, K, trees, jobs) -> something with predict


def _like_sklearn(package: str, **settings: Any) -> Any:
    def fit(algorithm: str, kind: str, X: Any, y: Any, k: int, trees: int, jobs: int) -> Any:
        forest = getattr(import_module(package), algorithm + kind)
        bootstrap = algorithm == "RandomForest"
        return forest(
            trees, max_features=k, bootstrap=bootstrap, n_jobs=jobs, random_state=0, **settings
        ).fit(X, y)

    return fit


def _xgboost(algorithm: str, kind: str, X: Any, y: Any, k: int, trees: int, jobs: int) -> Any:
    if algorithm != "RandomForest":
        return None
    forest = getattr(import_module("xgboost"), "XGBRF" + kind)
    return forest(
        n_estimators=trees,
        subsample=0.632,
        colsample_bynode=k / X.shape[1],
        max_depth=0,
        min_child_weight=0,
        reg_lambda=1e-9,
        tree_method="hist",
        n_jobs=jobs,
    ).fit(X, y)


def _ydf(algorithm: str, kind: str, X: Any, y: Any, k: int, trees: int, jobs: int) -> Any:
    if algorithm != "RandomForest":
        return None
    ydf = import_module("ydf")
    ydf.verbose(0)
    learner = ydf.RandomForestLearner(
        label="y",
        task=ydf.Task.CLASSIFICATION if kind == "Classifier" else ydf.Task.REGRESSION,
        num_trees=trees,
        num_candidate_attributes=k,
        max_depth=-1,
        min_examples=1,
        num_threads=jobs,
        winner_take_all=False,
        compute_oob_performances=False,
    )
    return learner.train({"x": np.asarray(X, np.float32), "y": y})


LIBRARIES = {
    "scikit-learn": ("sklearn", _like_sklearn("sklearn.ensemble")),
    "intelex": ("sklearnex", _like_sklearn("sklearnex.ensemble")),
    "YDF": ("ydf", _ydf),
    "XGBoost": ("xgboost", _xgboost),
}
OURS = {
    "ours": _like_sklearn("silvics"),
    "skip": _like_sklearn("silvics", constant_features="skip"),
    "255 bins": _like_sklearn("silvics", max_bins=255),
}


def _installed() -> dict[str, Any]:
    found = {}
    for name, (module, fit) in LIBRARIES.items():
        try:
            import_module(module)
        except ImportError:
            continue
        found[name] = fit
    return found


def drawn(kind: str, p: int) -> int:
    """Variables drawn at a node: sqrt(p) for classes, p/3 for numbers."""
    return max(1, int(p**0.5) if kind == "Classifier" else p // 3)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and what it returned."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def in_turns(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, list]:
    """What each call returns, by name, in as many repeats; None is left out.

    Every other repeat goes backwards: who comes after a library that frees a gigabyte pays for
    it.
    """
    runs: dict[str, list] = {}
    for number in range(repeat):
        for name, call in list(calls.items())[:: -1 if number % 2 else 1]:
            one = call()
            if one is not None:
                runs.setdefault(name, []).append(one)
    return runs


def measured(fit: Any, algorithm: str, kind: str, data: Any, trees: int, jobs: int) -> Any:
    X, y, X_test, y_test = data
    k = drawn(kind, X.shape[1])
    took, forest = timed(lambda: fit(algorithm, kind, X, y, k, trees, jobs))
    score = forest.score(X_test, y_test) if hasattr(forest, "score") else float("nan")
    return None if forest is None else (took, score)


def rows(chosen: Any) -> Iterator[tuple[float, str]]:
    peers = _installed()
    wanted = chosen.tasks.split(",") if chosen.tasks else None
    for name, kind, make in tasks(Path(chosen.data) if chosen.data else None):
        if make is None or (wanted and name not in wanted):
            continue
        X, y = make()
        X, cut = np.ascontiguousarray(X, np.float32), len(X) * 4 // 5
        data = X[:cut], y[:cut], X[cut:], y[cut:]
        for algorithm in ("RandomForest", "ExtraTrees"):
            given = algorithm, kind, data, chosen.trees, chosen.jobs
            calls = {k: partial(measured, fit, *given) for k, fit in {**OURS, **peers}.items()}
            runs = in_turns(calls, chosen.repeat)
            seconds = {k: median(t for t, _ in r) for k, r in runs.items()}
            # Against those that skip constants, so do we.
            fair = {"intelex": "skip", "YDF": "skip"}
            ratio = {k: seconds[k] / seconds[fair.get(k, "ours")] for k in seconds if k in peers}
            cells = [f"{ratio[k]:.1f}x" if k in ratio else "" for k in peers]
            score = [median(s for _, s in runs[k]) for k in ("ours", "scikit-learn")]
            bins = seconds["scikit-learn"] / seconds["255 bins"]
            text = (
                f"| {name} | {'RF' if algorithm == 'RandomForest' else 'ET'} "
                f"| {seconds['ours']:.3f} | {' | '.join(cells)} | {bins:.1f}x "
                f"| {score[0]:.4f} | {score[1]:.4f} |"
            )
            print(text, flush=True)
            yield min(ratio.values()), text


def table(chosen: Any) -> str:
    peers = _installed()
    packages = packages_distributions()  # XGBoost, for one, goes by several names
    versions = ", ".join(f"{k} {version(packages[LIBRARIES[k][0]][0])}" for k in peers)
    head = [
        f"{chosen.trees} trees, {chosen.jobs} threads, medians of {chosen.repeat} interleaved "
        f"runs, on {machine()}; silvics at {commit()}; {versions}. 4.0x means that silvics took a "
        "quarter of the time of the other library. The smallest ratios come first.",
        "",
        f"| task | forest | silvics, s | {' | '.join(f'{k} / silvics' for k in peers)} "
        "| scikit-learn / silvics with 255 bins | score of silvics | score of scikit-learn |",
        "|---|---|---:" + "|---:" * (len(peers) + 3) + "|",
    ]
    return "\n".join(head + [text for _, text in sorted(rows(chosen))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--data", help="folder of Parquet files")
    parser.add_argument("--tasks", help="names, separated by commas; all by default")
    parser.add_argument("--write", help="file to put the table into, between its marks")
    chosen = parser.parse_args()
    made = table(chosen)
    if not chosen.write:
        print("\n" + made)
        return
    path = Path(chosen.write)
    between = re.compile(f"({re.escape(MARKS[0])}\n).*?(\n{re.escape(MARKS[1])})", re.DOTALL)
    path.write_text(between.sub(lambda m: m[1] + made + m[2], path.read_text()))


if __name__ == "__main__":
    main()
