"""Tasks that benchmarks leave out, in one run: other criteria, classes, weights, outputs, sparse.

    python benchmarks/off_the_beaten_path.py [--repeat 3] [--jobs 2] [--tasks TEXT ...] [--check]
                                             [--write docs/studies/off_the_beaten_path.md]

Each task has a must: how many times as fast as scikit-learn we are to be, or what our own time may
be. Times are of all processors that the process used, for every library alike, because other
programs disturb them less than the time of the clock. The libraries take turns and figures are
medians (``peers.in_turns``). scikit-learn-intelex and YDF join in where they are installed and have
the task. The table is generated, so that no library was tuned for it: informative, noise, skewed
and discrete columns. ``--write`` replaces the rows of the tasks that ran, so that the table can be
made in pieces. ``--check`` runs on a fifth of the rows and lists what falls short.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import peers
import scipy.sparse
from tables import commit, header, line, machine

from silvics import ForestClassifier, RandomForestClassifier

PACKAGES = {"intelex": ("sklearnex", "scikit-learn-intelex"), "YDF": ("ydf", "ydf")}
INFORMATIVE, NOISE, SKEWED, DISCRETE = 10, 5, 5, 5
P = INFORMATIVE + NOISE + SKEWED + DISCRETE
CODES = tuple(range(P - DISCRETE, P))  # the columns that may be read as categories


# ---- data


def table(n: int) -> np.ndarray:
    """Columns of four kinds; the last are whole numbers of 2 to 32 levels."""
    rng = np.random.default_rng(0)
    normal = rng.standard_normal((n, INFORMATIVE + NOISE))
    skewed = np.exp(1.5 * rng.standard_normal((n, SKEWED)))
    discrete = [rng.integers(0, levels, n) for levels in np.linspace(2, 32, DISCRETE, dtype=int)]
    return np.column_stack([normal, skewed, *discrete]).astype(np.float32)


def _scores(X: np.ndarray, n: int) -> np.ndarray:
    """As many functions of the informative, half the skewed and half the discrete columns."""
    rng = np.random.default_rng(1)
    parts = [
        X[:, :INFORMATIVE],
        np.log(X[:, INFORMATIVE + NOISE :][:, : SKEWED // 2]),
        (X[:, CODES[: DISCRETE // 2]] % 3) - 1,
    ]
    U = np.column_stack(parts)
    linear = U @ rng.standard_normal((U.shape[1], n))
    bent = np.sin(2 * U) @ rng.standard_normal((U.shape[1], n))
    return linear + 2 * bent + 1.5 * rng.standard_normal((len(X), n))


def classes(X: np.ndarray, n: int) -> np.ndarray:
    return _scores(X, n).argmax(axis=1)


def several_classes(X: np.ndarray) -> np.ndarray:
    return np.column_stack([_scores(X, 9)[:, k : k + 3].argmax(axis=1) for k in (0, 3, 6)])


def numbers(X: np.ndarray, n: int = 1) -> np.ndarray:
    return _scores(X, n).squeeze()


def counts(X: np.ndarray) -> np.ndarray:
    s = numbers(X)
    return np.random.default_rng(2).poisson(np.exp(0.5 * s / s.std())).astype(float)


def weights(n: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(0.2, 3.0, n)


def sparse(n: int) -> tuple[Any, np.ndarray]:
    """20,000 columns of which 0.3 % of the values are not zero; 200 of them matter."""
    rng = np.random.default_rng(4)
    X = scipy.sparse.random_array((n, 20_000), density=0.003, format="csc", rng=rng)
    X = X.astype(np.float32)
    score = X[:, :200] @ rng.standard_normal(200)
    return X, (score + 0.2 * rng.standard_normal(n) > 0).astype(int)


# ---- tasks

Measure = Callable[[], float]


@dataclass(frozen=True)
class Task:
    """What is measured, in seconds by contender, and what is asked of it.

    ``unit`` is that of ``must``: "x" as fast as scikit-learn, at least; "x codes": the time with
    categories over that with their codes, at most; "s": seconds, at most.
    """

    name: str
    must: float
    make: Callable[[], dict[str, Measure]] = field(repr=False)
    unit: str = "x"

    def reached(self, seconds: dict[str, float]) -> float:
        if self.unit == "s":
            return seconds["ours"]
        other = seconds["scikit-learn" if self.unit == "x" else "codes"]
        return other / seconds["ours"] if self.unit == "x" else seconds["ours"] / other

    def met(self, seconds: dict[str, float]) -> bool:
        reached = self.reached(seconds)
        return reached >= self.must if self.unit == "x" else reached <= self.must


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


@dataclass(frozen=True)
class Forest:
    """A fit of a forest in scikit-learn's words."""

    algorithm: str
    kind: str
    jobs: int
    X: Any
    y: np.ndarray
    w: np.ndarray | None = None
    trees: int = 10
    settings: dict[str, Any] = field(default_factory=dict)

    def fit(self, package: str) -> Any:
        forest = getattr(import_module(package), self.algorithm + self.kind)
        k = peers.drawn(self.kind, self.X.shape[1])
        given = {"max_features": k, "bootstrap": self.algorithm == "RandomForest"}
        made = forest(self.trees, n_jobs=self.jobs, random_state=0, **{**given, **self.settings})
        return made.fit(self.X, self.y, self.w)

    def fits(self) -> dict[str, Measure]:
        """Ours, scikit-learn's, and those of the others that have the task."""
        packages = {"ours": "silvics", "scikit-learn": "sklearn.ensemble"}
        plain = self.w is None and not self.settings and self.y.ndim == 1
        plain = plain and not scipy.sparse.issparse(self.X)
        if plain and find_spec("sklearnex"):
            packages["intelex"] = "sklearnex.ensemble"
        made = {k: partial(seconds_of, partial(self.fit, v)) for k, v in packages.items()}
        if plain and self.algorithm == "RandomForest" and find_spec("ydf"):
            k = peers.drawn(self.kind, self.X.shape[1])
            given = self.algorithm, self.kind, self.X, self.y, k, self.trees, self.jobs
            made["YDF"] = partial(seconds_of, partial(peers.LIBRARIES["YDF"][1], *given))
        return made

    def first_predictions(self) -> dict[str, Measure]:
        def first(package: str) -> float:
            forest = self.fit(package)
            return seconds_of(lambda: forest.predict(self.X))

        packages = {"ours": "silvics", "scikit-learn": "sklearn.ensemble"}
        return {k: partial(first, v) for k, v in packages.items()}

    def predictions(self) -> dict[str, Measure]:
        packages = {"ours": "silvics", "scikit-learn": "sklearn.ensemble"}
        forests = {k: self.fit(v) for k, v in packages.items()}
        X = self.X.tocsr() if scipy.sparse.issparse(self.X) else self.X
        for forest in forests.values():
            forest.predict_proba(X)
        return {
            k: partial(seconds_of, partial(forest.predict_proba, X))
            for k, forest in forests.items()
        }


def _with_categories(n: int, jobs: int) -> dict[str, Measure]:
    X = table(n)
    y = classes(X, 3)
    made = {}
    for name, columns in {"ours": list(CODES), "codes": None}.items():
        forest = RandomForestClassifier(
            100, categorical_features=columns, n_jobs=jobs, random_state=0
        ).fit(X, y)
        forest.predict_proba(X)
        made[name] = partial(seconds_of, partial(forest.predict_proba, X))
    return made


def _recipe(recipe: str, jobs: int) -> dict[str, Measure]:
    X = table(50_000)[:, :20]
    y = classes(table(50_000), 2)
    forest = ForestClassifier(recipe, n_estimators=10, n_jobs=jobs, random_state=0)
    return {"ours": partial(seconds_of, partial(forest.fit, X, y))}


def _fits(n: int, jobs: int) -> Iterator[tuple[str, float, Callable[[], Forest]]]:
    """Name, must and the forest of the tasks that time a fit."""

    def classifier(algorithm: str, k: int, **settings: Any) -> Callable[[], Forest]:
        def make() -> Forest:
            X = table(n)
            return Forest(algorithm, "Classifier", jobs, X, classes(X, k), settings=settings)

        return make

    def others(algorithm: str, kind: str, target: Callable[..., Any], **more: Any) -> Any:
        def make() -> Forest:
            X = table(min(n, more.get("rows", n)))
            w = weights(len(X)) if more.get("weighted") else None
            settings = more.get("settings", {})
            return Forest(algorithm, kind, jobs, X, target(X), w, settings=settings)

        return make

    def on_sparse(algorithm: str) -> Callable[[], Forest]:
        return lambda: Forest(algorithm, "Classifier", jobs, *sparse(8_000))

    rf, et = "RandomForest", "ExtraTrees"
    two = partial(classes, n=2)
    for k in (3, 5, 10, 26):
        yield f"RF Gini, {k} classes", 7, classifier(rf, k)
    for k in (2, 3):
        yield f"RF entropy, {k} classes", 5, classifier(rf, k, criterion="entropy")
    poisson, absolute = {"criterion": "poisson"}, {"criterion": "absolute_error"}
    yield "RF Poisson", 4, others(rf, "Regressor", counts, settings=poisson)
    yield (
        "RF absolute error, 3,000 rows",
        4,
        others(rf, "Regressor", numbers, settings=absolute, rows=3_000),
    )
    yield "RF, 2 outputs of numbers", 4, others(rf, "Regressor", partial(numbers, n=2))
    yield "RF, 3 outputs of classes", 5, others(rf, "Classifier", several_classes)
    whole = {"bootstrap": False}
    for kind, target in {"Classifier": two, "Regressor": numbers}.items():
        told = "classes" if kind == "Classifier" else "numbers"
        name = f"RF without bootstrap, fractional weights, {told}"
        yield name, 6, others(rf, kind, target, weighted=True, settings=whole)
    rising = {"monotonic_cst": [1] + [0] * (P - 1)}
    yield "RF, one monotonic constraint", 6, others(rf, "Classifier", two, settings=rising)
    yield "ET, 2 classes", 4, classifier(et, 2)
    for k in (3, 26):
        yield f"ET, {k} classes", 3.5, classifier(et, k)
    yield "ET entropy, 2 classes", 3.5, classifier(et, 2, criterion="entropy")
    for kind, target in {"Classifier": two, "Regressor": numbers}.items():
        told = "classes" if kind == "Classifier" else "numbers"
        yield f"ET, fractional weights, {told}", 3, others(et, kind, target, weighted=True)
    yield "RF, sparse 8k x 20k, 0.3 %", 3, on_sparse(rf)
    yield "ET, sparse 8k x 20k, 0.3 %", 2, on_sparse(et)


def tasks(rows: int, jobs: int) -> Iterator[Task]:
    for name, must, make in _fits(rows, jobs):
        yield Task(name, must, lambda make=make: make().fits())

    def forest(n: int, trees: int) -> Forest:
        X = table(n)
        return Forest("RandomForest", "Classifier", jobs, X, classes(X, 3), trees=trees)

    few = min(rows, 20_000)
    yield Task("first predict after fit", 2, lambda: forest(rows, 10).first_predictions())
    yield Task("predict_proba, 3 classes, 100 trees", 5, lambda: forest(few, 100).predictions())
    yield Task(
        "predict_proba, sparse 8k x 20k, 50 trees",
        1,
        lambda: Forest("RandomForest", "Classifier", jobs, *sparse(8_000), trees=50).predictions(),
    )
    name = "prediction, 5 columns as categories"
    yield Task(name, 1.5, partial(_with_categories, few, jobs), "x codes")
    for recipe in ("dietterich_kong", "c4.5"):
        name = f"recipe {recipe}, 50k x 20"
        yield Task(name, 3, partial(_recipe, recipe, jobs), "s")


# ---- the run and its table


def head(others: dict[str, str], chosen: argparse.Namespace) -> Iterator[str]:
    versions = [f"scikit-learn {version('scikit-learn')}"]
    versions += [f"{k} {version(package)}" for k, package in others.items()]
    yield f"{chosen.rows:,} rows, {chosen.jobs} threads, medians of {chosen.repeat} in turns, on"
    yield f"{machine()}; silvics at {commit()};"
    yield f"{', '.join(versions)}."
    yield ""


def rows_of(chosen: argparse.Namespace, others: dict[str, str]) -> Iterator[tuple[bool, str]]:
    """For each task whether its must is met, and its row of the table."""
    for task in tasks(chosen.rows, chosen.jobs):
        if chosen.tasks and not any(text in task.name for text in chosen.tasks):
            continue
        runs = peers.in_turns(task.make(), chosen.repeat)
        seconds = {k: median(took) for k, took in runs.items()}
        sign = "" if task.unit == "x" else "<= "
        unit = "s" if task.unit == "s" else "x"
        ratios = [f"{seconds[k] / seconds['ours']:.1f}x" if k in seconds else "" for k in others]
        met = task.met(seconds)
        cells = [
            task.name,
            f"{seconds['ours']:.3f}",
            f"{task.reached(seconds):.3g}{unit}",
            f"{sign}{task.must:g}{unit}",
            *ratios,
            "yes" if met else "**no**",
        ]
        print(line(cells), flush=True)
        yield met, line(cells)


def write(path: Path, top: list[str], rows: list[str], names: list[str]) -> None:
    """Put the table between the marks of a page; rows of tasks that did not run stay."""
    begin, end = peers.MARKS
    page = path.read_text()
    before, old, after = re.split(f"{re.escape(begin)}\n|{re.escape(end)}", page)
    named = {row.split("|")[1].strip(): row for row in [*old.splitlines(), *rows] if "|" in row}
    made = [*top, *(named[name] for name in names if name in named)]
    path.write_text("\n".join([f"{before}{begin}", *made, f"{end}{after}"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="file to write")
    parser.add_argument("--check", action="store_true", help="fewer rows; list what falls short")
    parser.add_argument("--tasks", nargs="+", help="parts of names; all by default")
    parser.add_argument("--rows", type=int, help="60,000 by default, 12,000 with --check")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    chosen.rows = chosen.rows or (12_000 if chosen.check else 60_000)
    others = {k: package for k, (module, package) in PACKAGES.items() if find_spec(module)}
    found = list(rows_of(chosen, others))
    columns = ["our time, s", "reached", "must", *(f"{k} / ours" for k in others), "met"]
    if chosen.check:
        short = [text for met, text in found if not met]
        print(f"\n{len(short)} of {len(found)} fall short, on {chosen.rows:,} rows:\n")
        print(*header(["task"], columns), *short, sep="\n")
    elif chosen.write:
        top = [*head(others, chosen), *header(["task"], columns)]
        names = [task.name for task in tasks(chosen.rows, chosen.jobs)]
        write(chosen.write, top, [text for _, text in found], names)


if __name__ == "__main__":
    main()
