"""Time of prediction against other libraries: many rows at once, and one at a time.

    python benchmarks/predicting.py [--write docs/studies/prediction_speed.md] [--data FOLDER]
                         [--repeat 3] [--jobs 2] [--trees 100 500] [--rows 80000]
                         [--limit 900] [--tasks NAME ...]

Each library that is installed grows its forest in a process of its own; then they predict in turns.
If memory runs short, libraries that were measured are ended, except scikit-learn and silvics.
``--data`` adds letter and covertype from Parquet files with a column ``target``. ``--limit`` is the
most seconds of a growth. ``--write`` puts the tables between the marks of a file.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import joblib
import numpy as np
import peers
from sklearn.metrics import r2_score
from tables import commit, header, line, machine, read_proc

MARKS = "<!-- bench-predict: begin -->", "<!-- bench-predict: end -->"
MOST, SINGLE = 20_000, 10_000  # rows predicted at once, and one at a time
MOST_COMPILED, PASS_S = 60_000, 6  # nodes x classes; seconds of a pass of single rows
ALWAYS = ["scikit-learn", "silvics"]
BIG, SMALL = "100k x 20", "300 x 10"  # tasks of single rows; the latter of nothing else


def _twonorm() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300 + SINGLE)
    return rng.standard_normal((len(y), 10)) + (1 - 2 * y[:, None]) * 2 / np.sqrt(10), y


def tasks(folder: Path | None) -> dict[str, Callable[[], Any]]:
    made = {name: make for name, _, make in peers.tasks(None)}
    found = {name: made[name] for name in (BIG, "Friedman #1 100k x 10", "digits")}
    for name in ["letter", "covertype"] if folder else []:
        found[name] = peers._table(folder / f"{name}.parquet")[1]
    return {**found, SMALL: _twonorm}


def parts(make: Callable[[], Any], most: int) -> tuple[np.ndarray, ...]:
    """X and y to train on, X and y to test on; whole numbers are classes."""
    X, y = make()
    X, y = np.ascontiguousarray(X, np.float32), np.asarray(y)
    y = y.astype(np.int32 if y.dtype.kind == "i" else np.float32)
    cut = len(X) - (SINGLE if make is _twonorm else min(MOST, len(X) // 5))
    return X[: min(cut, most)], y[: min(cut, most)], X[cut:], y[cut:]


Call = Callable[[Any], Any]
How = argparse.Namespace  # what to grow, and where scikit-learn leaves its forest to translators


def _fit(name: str, how: How, X: np.ndarray, y: np.ndarray) -> Any:
    fit = peers.LIBRARIES[name][1] if name in peers.LIBRARIES else peers.OURS["ours"]
    return fit("RandomForest", how.kind, X, y, how.drawn, how.trees, how.jobs)


class Forest(NamedTuple):
    """Class shares or numbers of a table; by name, a call for one row and what makes such rows."""

    batch: Call
    single: dict[str, tuple[Call, Call]]
    facts: dict[str, float]
    classes: np.ndarray | None = None  # of the columns, where not in order


def _tables(X: np.ndarray) -> list[np.ndarray]:
    return [X[i : i + 1] for i in range(len(X))]


def _like_sklearn(name: str, how: How, X: Any, y: Any, *_: Any) -> tuple[Any, Forest]:
    forest = _fit(name, how, X, y)
    single = {"predict": (copy.copy(forest).set_params(n_jobs=None).predict, _tables)}
    return forest, Forest(getattr(forest, "predict_proba", forest.predict), single, {})


def _sklearn(how: How, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> Forest:
    forest, grown = _like_sklearn("scikit-learn", how, X, y)
    if find_spec("treelite"):
        joblib.dump(forest, how.left)
    visited = sum(tree.tree_.decision_path(X_test[:2000]).nnz for tree in forest.estimators_)
    grown.facts["depth"] = visited / how.trees / len(X_test[:2000]) - 1
    return grown


def _silvics(how: How, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> Forest:
    """Rows alone must get what they get together, to the last bit."""
    forest, grown = _like_sklearn("silvics", how, X, y)
    predict, few = forest.predictor(), X_test[:SINGLE]
    grown.single["predictor(), array"] = predict, list
    grown.single["predictor(), list"] = predict, np.ndarray.tolist
    same = [
        np.array_equal(forest.predict(few), np.ravel([call(row) for row in rows(few)]))
        for call, rows in grown.single.values()
    ]
    if how.kind == "Classifier":
        same += [np.array_equal(grown.batch(few), [predict.predict_proba(row) for row in few])]
    if not all(same):
        raise AssertionError(f"rows alone are predicted otherwise than together: {same}")
    grown.facts["nodes"] = sum(tree.tree_.node_count for tree in forest.estimators_)
    return grown


def _xgboost(how: How, X: np.ndarray, y: np.ndarray, _: Any) -> Forest:
    booster = _fit("XGBoost", how, X, y).get_booster()
    predict = partial(booster.inplace_predict, validate_features=False)
    # Tables come before rows; set_param returns nothing.
    rows = lambda X: booster.set_param({"nthread": 1}) or _tables(X)  # noqa: E731
    return Forest(predict, {"inplace_predict": (predict, rows)}, {})


def _ydf(how: How, X: np.ndarray, y: np.ndarray, _: Any) -> Forest:
    model = _fit("YDF", how, X, y)
    try:
        model.predict({"x": X[:10]})
    except ValueError:  # its best engine takes no tree of so many nodes
        model.force_engine(model.list_compatible_engines()[-1])
    many, one = (lambda X, n=n: model.predict({"x": X}, num_threads=n) for n in (how.jobs, 1))
    classes = np.array(model.label_classes(), int) if how.kind == "Classifier" else None
    return Forest(many, {"predict": (one, _tables)}, {}, classes)


def _opencv(how: How, X: np.ndarray, y: np.ndarray, _: Any) -> Forest:
    cv2 = import_module("cv2")
    cv2.setNumThreads(how.jobs)
    model = cv2.ml.RTrees_create()
    settings = {"MaxDepth": 25, "MinSampleCount": 2, "RegressionAccuracy": 0}  # no deeper goes
    for name, value in {**settings, "ActiveVarCount": how.drawn}.items():
        getattr(model, f"set{name}")(value)
    model.setTermCriteria((cv2.TERM_CRITERIA_MAX_ITER, how.trees, 0))
    model.train(X, cv2.ml.ROW_SAMPLE, y)
    single = {"predict": (model.predict, _tables)}
    if how.kind == "Regressor":
        return Forest(lambda X: model.predict(X)[1], single, {})
    return Forest(lambda X: model.getVotes(X, 0)[1:], single, {}, model.getVotes(X[:1], 0)[0])


def _translated(compiled: bool, how: How, *_: Any) -> Forest:
    treelite, forest = import_module("treelite"), joblib.load(how.left)
    model = treelite.sklearn.import_model(forest)
    if not compiled:
        many, one = (partial(treelite.gtil.predict, model, nthread=n) for n in (how.jobs, 1))
        return Forest(many, {"gtil.predict": (one, _tables)}, {})
    if sum(tree.tree_.value.size for tree in forest.estimators_) > MOST_COMPILED:
        raise ValueError(f"not compiled beyond {MOST_COMPILED:,} nodes x classes")
    tl2cgen, library = import_module("tl2cgen"), str(how.left.with_suffix(".so"))
    units = {"parallel_comp": how.trees}
    tl2cgen.export_lib(model, toolchain="gcc", libpath=library, params=units, nthread=how.jobs)
    many, one = (tl2cgen.Predictor(library, nthread=n).predict for n in (how.jobs, 1))
    single = {"Predictor.predict": (lambda x: one(tl2cgen.DMatrix(x)), _tables)}
    return Forest(lambda X: many(tl2cgen.DMatrix(X)), single, {})


LIBRARIES: dict[str, tuple[str, Callable[..., Forest]]] = {
    "scikit-learn": ("sklearn", _sklearn),
    "silvics": ("silvics", _silvics),
    "intelex": ("sklearnex", lambda *given: _like_sklearn("intelex", *given)[1]),
    "XGBoost": ("xgboost", _xgboost),
    "YDF": ("ydf", _ydf),
    "OpenCV": ("cv2", _opencv),
    "treelite": ("treelite", partial(_translated, False)),
    "tl2cgen": ("tl2cgen", partial(_translated, True)),
}


_held: list[Any] = []  # of a library's process: its forest and the rows to predict


def _grow(name: str, how: How, X: Any, y: Any, X_test: Any, y_test: Any) -> dict[str, float]:
    forest = LIBRARIES[name][1](how, X, y, X_test)
    _held[:] = forest, X_test
    out = forest.batch(X_test).reshape(len(X_test), -1)
    codes = out.argmax(1) if out.shape[1] > 1 else (out[:, 0] > 0.5).astype(int)
    told = codes if forest.classes is None else forest.classes[codes]
    score = r2_score(y_test, out[:, 0]) if how.kind == "Regressor" else np.mean(told == y_test)
    return {"score": float(score), **forest.facts}


def _median_ns(call: Call, given: Iterable[Any], most_s: float) -> float:
    took, stop = [], time.perf_counter_ns() + most_s * 1e9
    for one in given:
        start = time.perf_counter_ns()
        call(one)
        took.append(time.perf_counter_ns() - start)
        if start + took[-1] > stop:
            break
    return float(np.median(took))


def _pass(alone: bool) -> dict[str, float]:
    """Nanoseconds of a row in the table, or alone by the way it is asked for."""
    forest, X = _held
    if not alone:
        return {"": _median_ns(forest.batch, [X] * 50, 0.5) / len(X)}
    return {k: _median_ns(f, rows(X[:SINGLE]), PASS_S) for k, (f, rows) in forest.single.items()}


class Found(NamedTuple):
    """By library: facts, or why it was left out; by library and way: nanoseconds of passes."""

    facts: dict[str, dict[str, float]]
    left_out: dict[str, str]
    took: dict[tuple[str, str], list[float]]

    def told(self, name: str, way: str, *units: float) -> str:
        """Time in units of so many nanoseconds, and how many times as fast as scikit-learn."""
        if (name, way) not in self.took:
            return ""
        ns, base = (np.median(self.took[k]) for k in [(name, way), (ALWAYS[0], way and "predict")])
        values = [*(ns / unit for unit in units), base / ns]
        *times, ratio = (f"{v:,.{1 if v >= 10 else 2}f}" for v in values)
        return f"{' / '.join(times)} ({ratio}x)"


def _short_of_memory() -> bool:
    """Less than two fifths are free; where that cannot be told, no."""
    sizes = dict(re.findall(r"(\w+): +(\d+) kB", read_proc("meminfo")))
    return int(sizes.get("MemAvailable", 1)) < 0.4 * int(sizes.get("MemTotal", 1))


def _end(pool: ProcessPoolExecutor) -> None:
    for process in list((pool._processes or {}).values()):  # it may be growing still
        process.kill()
    pool.shutdown()


def measured(task: str, trees: int, who: list[str], chosen: argparse.Namespace) -> Found:
    data, found = parts(tasks(chosen.data)[task], chosen.rows), Found({}, {}, {})
    p, labels = data[0].shape[1], data[1].dtype.kind == "i"
    kind, drawn = ("Classifier", int(p**0.5)) if labels else ("Regressor", p // 3)
    singles = task in (BIG, SMALL) and trees == chosen.trees[0]
    passes = [False] * (task != SMALL) * chosen.repeat + [True] * singles * chosen.repeat
    with TemporaryDirectory() as folder:
        pools: dict[str, ProcessPoolExecutor] = {}
        left = Path(folder) / "forest.joblib"
        how = How(kind=kind, drawn=drawn, trees=trees, jobs=chosen.jobs, left=left)
        for name in who:
            # No daemon as in multiprocessing's pools: joblib would hold it to one thread.
            pools[name] = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
            try:
                job = pools[name].submit(_grow, name, how, *data)
                found.facts[name] = job.result(chosen.limit)
            except Exception as error:
                _end(pools.pop(name))
                if name in ALWAYS:
                    raise
                found.left_out[name] = f"{type(error).__name__} {error}".splitlines()[0]
            print(task, trees, name, {**found.facts, **found.left_out}[name], file=sys.stderr)
            if name != who[-1] and (name in ALWAYS or not _short_of_memory()):
                continue
            for alone in passes:
                for other, pool in pools.items():
                    for way, ns in pool.submit(_pass, alone).result().items():
                        found.took.setdefault((other, way), []).append(ns)
            for other in pools.keys() - (set() if name == who[-1] else ALWAYS):
                _end(pools.pop(other))
    return found


def head(who: list[str], chosen: argparse.Namespace) -> str:
    versions = {k: import_module(LIBRARIES[k][0]).__version__ for k in who}
    if "intelex" in who:  # its module tells another
        versions["intelex"] = version("scikit-learn-intelex")
    lacking = ", ".join(sorted(LIBRARIES.keys() - who))
    return f"""{machine()}; {commit()};
{", ".join(map(" ".join, versions.items()))}{lacking and "; not installed: " + lacking}.
Full-grown random forests on at most {chosen.rows:,}
rows, with sqrt(p) variables per node for classification and p/3 for regression; rows in float32;
medians of {chosen.repeat} interleaved runs, one process per library. (8.0x) means an eighth of the
time of scikit-learn. XGBoost: XGBRF, hist, 256 bins, unlimited depth, 63.2 % of the rows, one tree
per class if there are more than two. intelex: 256 bins. OpenCV: depth 25, votes instead of
probabilities. treelite (gtil) and tl2cgen (C) predict with the forest of scikit-learn.

Up to {MOST:,} rows at once, {chosen.jobs} threads, probabilities or numbers: wall time in ns per
row and tree / per level of the mean depth of the test rows in scikit-learn's trees.
"""


def report(who: list[str], chosen: argparse.Namespace) -> Iterator[str]:
    runs = {
        (task, trees): measured(task, trees, who, chosen)
        for task in chosen.tasks or tasks(chosen.data)
        for trees in chosen.trees[: 1 if task == SMALL else None]
    }
    yield head(who, chosen)
    yield from header(["task", "trees", "depth"], who)
    for (task, trees), found in runs.items():
        depth = found.facts[ALWAYS[0]]["depth"]
        cells = [found.told(k, "", trees, trees * depth) for k in who]
        yield from [line([task, trees, f"{depth:.1f}", *cells])] if any(cells) else []
    yield from ["\nAccuracy or R2.\n", *header(["task", "trees"], who)]
    for (task, trees), found in runs.items():
        scores = (f"{found.facts[k]['score']:.4f}" if k in found.facts else "" for k in who)
        yield line([task, trees, *scores])
    alone = {t: f for (t, n), f in runs.items() if t in (BIG, SMALL) and n == chosen.trees[0]}
    sizes = [f"{t}: {f.facts['silvics']['nodes'] * 16 / 1024:,.0f} KiB" for t, f in alone.items()]
    yield f"\nOne row at a time, {SINGLE:,} rows (or {PASS_S} s), one thread: microseconds. With"
    yield f"{chosen.trees[0]} trees; size of the nodes in silvics: {', '.join(sizes)}.\n"
    yield from header(["library", "call"], list(alone))
    for name, way in dict.fromkeys(k for f in alone.values() for k in f.took if k[1]):
        yield line([name, way, *(found.told(name, way, 1000) for found in alone.values())])
    for (task, trees), found in runs.items():
        for name, why in found.left_out.items():
            yield f"\nLeft out: {name} on {task}, {trees} trees: {why}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="file to put the tables into")
    parser.add_argument("--data", type=Path, help="folder of Parquet files")
    parser.add_argument("--trees", type=int, nargs="+", default=[100, 500])
    for name, value in {"repeat": 3, "jobs": 2, "rows": 80_000, "limit": 900}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--tasks", nargs="+", help="all by default")
    chosen = parser.parse_args()
    who = [k for k, (module, _) in LIBRARIES.items() if find_spec(module)]
    made = "\n".join(report(who, chosen))
    print(made)
    if chosen.write:
        between = re.compile(f"({MARKS[0]}\n).*?({MARKS[1]})", re.DOTALL)
        new, count = between.subn(lambda m: f"{m[1]}{made}\n{m[2]}", chosen.write.read_text())
        chosen.write.write_text(new)
        if not count:
            print(f"{chosen.write} lacks {' '.join(MARKS)}: left as it was", file=sys.stderr)


if __name__ == "__main__":
    main()
