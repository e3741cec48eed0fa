"""Time of Shapley values and partial dependence, against shap and scikit-learn.

Usage: python benchmarks/explanations.py [--write docs/studies/explanations.md]
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.inspection import partial_dependence

import silvics

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import shap

N_ROWS, N_FEATURES, N_TREES, N_THREADS = 20_000, 30, 100, 2


def learning_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_FEATURES)).astype(np.float32).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(X[:, 3]) + rng.normal(size=N_ROWS)
    return X, y


def seconds(function):
    begin = time.perf_counter()
    found = function()
    return time.perf_counter() - begin, found


def difference(ours, theirs):
    return float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())


class Report:
    """Rows of the table: times per explained row, and the ratio."""

    def __init__(self):
        self.rows = []

    def add(self, task, ours, our_rows, theirs, their_rows, unlike, goal):
        mine, other = ours / our_rows, theirs / their_rows
        self.rows.append((task, mine, other, other / mine, goal, unlike, their_rows))
        print(f"{task}: {mine:.3g} s, {other:.3g} s, {other / mine:.1f}x, differs by {unlike:.1e}")

    def table(self):
        lines = [
            "| task | silvics, s | other, s | ratio | aim | largest difference |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        lines += [
            f"| {task} | {mine:.3g} | {other:.3g} | {ratio:.0f} | {goal} | {unlike:.0e} |"
            for task, mine, other, ratio, goal, unlike, _ in self.rows
        ]
        return "\n".join(lines)


def shap_values(report, forest, theirs, X):
    rows, few = X[:1000], X[:10]
    ours, found = seconds(lambda: forest.shap(rows))
    explainer = shap.TreeExplainer(theirs)
    other, expected = seconds(lambda: explainer.shap_values(few, check_additivity=False))
    unlike = difference(found.values[:10], expected)
    report.add("values, for each row", ours, 1000, other, 10, unlike, 20)

    ours, found = seconds(lambda: forest.shap(X[:50], interactions=True))
    other, expected = seconds(lambda: explainer.shap_interaction_values(X[:1]))
    unlike = difference(found.interactions[:1], expected)
    report.add("interactions, for each row", ours, 50, other, 1, unlike, 50)

    background = X[-100:]
    ours, found = seconds(lambda: forest.shap(rows, background))
    explainer = shap.TreeExplainer(theirs, background, feature_perturbation="interventional")
    other, expected = seconds(lambda: explainer.shap_values(few, check_additivity=False))
    unlike = difference(found.values[:10], expected)
    report.add("values against 100 rows, for each row", ours, 1000, other, 10, unlike, 10)


def shapiq_values(report, forest, theirs, X):
    """One tree and one row, since it takes seconds for these."""
    try:
        import shapiq
    except ImportError:
        print("shapiq is not installed")
        return
    explainer = shapiq.TreeExplainer(theirs.estimators_[0], max_order=1, index="SV")
    explainer.explain(X[0])  # compiles
    other, expected = seconds(lambda: explainer.explain(X[1]))
    ours, _ = seconds(lambda: forest.shap(X[:200]))
    explainer = shap.TreeExplainer(theirs.estimators_[0])
    exact = explainer.shap_values(X[1:2], check_additivity=False)[0]
    unlike = difference(exact, [expected[(j,)] for j in range(N_FEATURES)])
    n_trees = len(forest.estimators_)
    report.add("values, for each row and tree (shapiq)", ours / n_trees, 200, other, 1, unlike, 1)


def dependence(report, forest, theirs, X):
    ours, found = seconds(
        lambda: [forest.partial_dependence(j, X).average for j in range(N_FEATURES)]
    )
    theirs.set_params(n_jobs=N_THREADS)
    points = 3  # of 100: each takes the same time
    grid = forest.partial_dependence(0, X).grid[0][:: 100 // points][:points]
    other, expected = seconds(
        lambda: partial_dependence(theirs, X, [0], custom_values={0: grid}, method="brute")
    )
    unlike = difference(found[0][:: 100 // points][:points], expected["average"][0])
    other *= 100 / points * N_FEATURES
    report.add("partial dependence of all features", ours, 1, other, 1, unlike, 50)


def page(report, n_trees, n_leaves):
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return f"""# Time of explanations

A regression forest of {n_trees} full trees ({n_leaves:,} leaves) on {N_ROWS:,} rows and
{N_FEATURES} columns, {N_THREADS} threads, against shap {shap.__version__} and scikit-learn on the
same forest, as `to_sklearn()` converts it. shap uses one thread; scikit-learn predicts with
{N_THREADS}. The other packages explain fewer rows, or compute fewer points of the grid, and their
time is scaled up. "Aim" is the ratio that we wanted to reach. Commit {commit},
{platform.machine()}, two cores of a virtual machine that nothing else used.

{report.table()}

Written by `make bench-explain`.
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", type=Path)
    parser.add_argument("--trees", type=int, default=N_TREES)
    options = parser.parse_args()
    X, y = learning_set()
    forest = silvics.RandomForestRegressor(
        options.trees, max_features=1 / 3, random_state=0, n_jobs=N_THREADS
    ).fit(X, y)
    theirs = forest.to_sklearn()
    report = Report()
    shap_values(report, forest, theirs, X)
    shapiq_values(report, forest, theirs, X)
    dependence(report, forest, theirs, X)
    if options.write:
        n_leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)
        options.write.write_text(page(report, options.trees, n_leaves))


if __name__ == "__main__":
    main()
