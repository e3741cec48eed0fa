"""The ways to search for splits of section 5.3.4, against each other.

    python benchmarks/search_study.py [--rows 20000] [--trees 10] [--repeat 3]
                                      [--write docs/studies/search.md]

Every strategy grows the same forests on one thread, in turns within a repeat. Times are those of
the processor, and figures are medians.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import make_classification, make_friedman1
from tables import commit, header, line, machine, publish

from silvics import ForestClassifier, ForestRegressor
from silvics._fitting import parameters

# Name, whether it finds the same splits as sorting, whether the general splitter is forced, and
# the parameters.
STRATEGIES: list[tuple[str, str, bool, dict[str, Any]]] = [
    ("auto", "exact", False, {}),
    ("sort at every node", "exact", False, {"search": "sort"}),
    ("count at every node", "exact", False, {"search": "bins"}),
    ("sort, general splitter", "exact", True, {"search": "sort"}),
    ("presort, general splitter", "exact", True, {"search": "presort"}),
    ("255 bins of the table", "bins", False, {"max_bins": 255}),
    ("32 bins of the table", "bins", False, {"max_bins": 32}),
    ("32 bins, general splitter", "bins", True, {"max_bins": 32}),
    ("32 bins of a node, equal width", "bins", True, {"max_bins": 32, "binning": "node_width"}),
    (
        "32 bins of a node, equal frequency",
        "bins",
        True,
        {"max_bins": 32, "binning": "node_frequency"},
    ),
    ("sample of 1,000", "sample", False, {"split_sample": 1000}),
    ("sample of 100", "sample", False, {"split_sample": 100}),
    ("sample of 100, general splitter", "sample", True, {"split_sample": 100}),
    ("one random cut (Extra-Trees)", "random", False, {"cut": "uniform"}),
]


def tables(n: int) -> Iterator[tuple[str, Any, np.ndarray, np.ndarray]]:
    X, y = make_friedman1(2 * n, 10, noise=1.0, random_state=0)
    yield "Friedman #1, 10 columns", ForestRegressor, X, y
    yield "the same in two digits", ForestRegressor, X.round(2), y
    made = make_classification(
        2 * n, 40, n_informative=12, n_redundant=8, n_classes=5, flip_y=0.05, random_state=0
    )
    yield "5 classes, 40 columns", ForestClassifier, *made


def fitted(kind: Any, general: bool, given: dict[str, Any], X: Any, y: Any) -> tuple[Any, float]:
    """A forest, and the processor seconds that it took."""
    before = parameters._GENERAL
    parameters._GENERAL = general
    try:
        start = time.process_time()
        forest = kind("random_forest", n_jobs=1, random_state=0, **given).fit(X, y)
        return forest, time.process_time() - start
    finally:
        parameters._GENERAL = before


def study(chosen: Any) -> Iterator[str]:
    yield from (
        "# The search for splits",
        "",
        f"Section 5.3.4 of the thesis lists ways to find the threshold of a node. Here each of "
        f"them grows {chosen.trees} trees on {chosen.rows:,} rows with one thread; the score is on "
        f"as many others. Processor seconds, medians of {chosen.repeat} interleaved runs, on "
        f"{machine()}; silvics at {commit()}. Written by `make bench-search`.",
        "",
        "The fast splitter has the first three ways and bins of the table. The other ways are "
        "those of the general splitter, which reads values instead of codes: compare them with "
        "the general splitter that sorts. The two splitters sum fractional outputs in other "
        "orders, so that they choose differently among splits that are equal but for rounding; "
        "within a splitter, sorting, presorting and counting give the same digest.",
        "",
    )
    for name, kind, X, y in tables(chosen.rows):
        learn, test = (X[: chosen.rows], y[: chosen.rows]), (X[chosen.rows :], y[chosen.rows :])
        for k in ("sqrt", "all"):
            yield from (f"## {name}, K = {'sqrt(p)' if k == 'sqrt' else 'p'}", "")
            yield from compared(kind, k, learn, test, chosen)
            yield ""


def compared(kind: Any, k: str, learn: Any, test: Any, chosen: Any) -> Iterator[str]:
    seconds: dict[str, list[float]] = {}
    forests: dict[str, Any] = {}
    for number in range(chosen.repeat):
        for name, _, general, given in STRATEGIES[:: -1 if number % 2 else 1]:
            given = {**given, "max_features": k, "n_estimators": chosen.trees}
            forests[name], took = fitted(kind, general, given, *learn)
            seconds.setdefault(name, []).append(took)
    base = median(seconds["sort at every node"])
    same = {
        forests["sort, general splitter"].digest(): "general",
        forests["sort at every node"].digest(): "fast",
    }
    yield from header(
        ["strategy", "same as sorting"],
        ["seconds", "to sorting", "values sorted", "depth", "score"],
    )
    for name, _, _, _ in STRATEGIES:
        forest, took = forests[name], median(seconds[name])
        work = forest.work_
        cells = [
            f"{took:.2f}", f"{took / base:.2f}", f"{work['values_sorted']:,}",
            f"{work['mean_leaf_depth']:.1f}", f"{forest.score(*test):.3f}",
        ]  # fmt: skip
        yield line([name, same.get(forest.digest(), ""), *cells])
    print(f"{kind.__name__} {k}: {base:.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--trees", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", type=Path)
    chosen = parser.parse_args()
    publish(list(study(chosen)), chosen.write)


if __name__ == "__main__":
    main()
