"""Size of model files and time to load them, against joblib files of the same forest.

python benchmarks/model_files.py --write docs/studies/model_files.md
"""

import argparse
import gc
import os
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np
from sklearn.datasets import load_digits, make_classification, make_friedman1

import silvics


def forests(n_trees):
    X, y = make_classification(100_000, 20, n_informative=10, random_state=0)
    Xr, yr = make_friedman1(20_000, noise=1.0, random_state=0)
    given = {"n_estimators": n_trees, "random_state": 0, "n_jobs": 2}
    yield "100k x 20, 2 classes", silvics.RandomForestClassifier(**given).fit(X, y), X
    leaf = silvics.RandomForestClassifier(**given, min_samples_leaf=5).fit(X, y)
    yield "the same, leaves of 5", leaf, X
    Xd, yd = load_digits(return_X_y=True)
    yield "digits, 10 classes", silvics.RandomForestClassifier(**given).fit(Xd, yd), Xd
    yield "Friedman #1, 20k x 10", silvics.RandomForestRegressor(**given).fit(Xr, yr), Xr
    leaf = silvics.RandomForestRegressor(**given, min_samples_leaf=5).fit(Xr, yr)
    yield "the same, leaves of 5", leaf, Xr


def seconds(work, repeats):
    taken = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        made = work()
        taken.append(time.perf_counter() - start)
        del made
    return float(np.median(taken))


def measured(name, forest, X, folder, repeats):
    theirs = forest.to_sklearn()
    paths = {kind: folder / kind for kind in ("theirs", "theirs_small", "all", "predicts", "small")}
    joblib.dump(theirs, paths["theirs"])
    joblib.dump(theirs, paths["theirs_small"], compress=True)
    del theirs
    forest.save(paths["all"])
    forest.save(paths["predicts"], for_prediction=True)
    forest.save(paths["small"], compress=True)
    forest.save(folder / "smallest", compress=True, for_prediction=True)
    size = {kind: os.path.getsize(path) for kind, path in paths.items()}
    smallest = os.path.getsize(folder / "smallest")
    expected = forest.predict(X[:1000])
    for path in (paths["all"], paths["predicts"], paths["small"]):
        assert np.array_equal(silvics.load(path).predict(X[:1000]), expected)
    # In turns, so that a noisy moment hits all of them.
    loads = {kind: [] for kind in ("theirs", "predicts", "all")}
    for _ in range(repeats):
        for kind, times in loads.items():
            load = joblib.load if kind == "theirs" else silvics.load
            times.append(seconds(lambda load=load, kind=kind: load(paths[kind]), 1))
    took = {kind: float(np.median(times)) for kind, times in loads.items()}
    nodes = sum(forest._trees.node_counts)
    return (
        f"| {name} | {nodes:,} | {size['theirs'] / 1e6:.1f} "
        f"| {size['theirs'] / size['predicts']:.1f} | {size['theirs'] / size['all']:.1f} "
        f"| {size['theirs_small'] / size['small']:.1f} | {size['theirs_small'] / smallest:.1f} "
        f"| {1e3 * took['theirs']:.0f} | {1e3 * took['predicts']:.1f} "
        f"({took['theirs'] / took['predicts']:.0f}x) "
        f"| {1e3 * took['all']:.1f} ({took['theirs'] / took['all']:.0f}x) |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    lines = [
        "# Model files",
        "",
        f"Made by `make bench-files`: forests of {options.trees} trees, saved by silvics and, "
        "after `to_sklearn()`, by joblib. Sizes are how many times smaller than joblib's file a "
        "file is; compressed files are compared with `compress=True` of joblib. Loading times are "
        f"medians of {options.repeats} interleaved runs with files in the page cache; loaded "
        "models are checked and ready to predict.",
        "",
        "| forest | nodes | joblib, MB | prediction | all | compressed | compressed, prediction "
        "| load joblib, ms | load prediction, ms | load all, ms |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, forest, X in forests(options.trees):
            lines.append(measured(name, forest, X, Path(folder), options.repeats))
            print(lines[-1], flush=True)
            del forest
    if options.write:
        options.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
