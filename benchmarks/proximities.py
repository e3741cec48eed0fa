"""Neighbours and proximities against SciPy and NumPy, and a million rows in bounded memory.

python benchmarks/proximities.py --write docs/studies/proximities.md

Every method has two threads and runs in a process of its own, which reports its largest memory. The
baselines are what a user of scikit-learn would write, with the rows shared by two threads.
"""

# ruff: noqa: E501 (the text of the page)

import argparse
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification, make_friedman1

import silvics

N_TREES, LEAF, N_NEIGHBORS = 100, 5, 50
FORESTS = {"regression": "small leaves", "classification": "large pure leaves"}
BLOCK = 2000  # rows of the sparse product that are kept at a time


def fitted(task, n_rows, n_jobs=2):
    """A forest on simulated data, with its training rows."""
    if task == "regression":
        X, y = make_friedman1(n_rows, 10, noise=1.0, random_state=0)
        forest = silvics.RandomForestRegressor(max_features=3)
    else:
        X, y = make_classification(n_rows, 20, n_informative=10, random_state=0)
        forest = silvics.RandomForestClassifier()
    forest.set_params(n_estimators=N_TREES, min_samples_leaf=LEAF, keep_samples=True)
    return forest.set_params(random_state=0, n_jobs=n_jobs).fit(X, y), X, y


def memory():
    """The largest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def factors(forest, X):
    """Leaves of rows, and weights of training rows in leaves, as sparse matrices: K = Q W'."""
    leaves = forest.apply(X)
    before = np.cumsum([0, *(tree.tree_.node_count for tree in forest)])
    columns = (leaves + before[:-1]).ravel()
    starts = np.arange(0, leaves.size + 1, leaves.shape[1])
    shape = (len(leaves), before[-1])
    Q = csr_matrix((np.full(leaves.size, 1 / leaves.shape[1]), columns, starts), shape=shape)
    counts = forest.in_bag_counts().ravel().astype(float)
    of_leaf = np.bincount(columns, counts, before[-1])
    W = csr_matrix((counts / of_leaf[columns], columns, starts), shape=shape)
    W.eliminate_zeros()
    return Q, W.T.tocsr()


def top_of(product, n):
    """The columns of the n largest elements of each row of a sparse matrix."""
    found = np.full((product.shape[0], n), -1)
    for i in range(product.shape[0]):
        begin, end = product.indptr[i], product.indptr[i + 1]
        values = product.data[begin:end]
        best = np.argpartition(-values, n)[:n] if len(values) > n else np.arange(len(values))
        best = best[np.argsort(-values[best], kind="stable")]
        found[i, : len(best)] = product.indices[begin:end][best]
    return found


def neighbors_of_silvics(forest, _):
    return forest.neighbors(n_neighbors=N_NEIGHBORS, n_jobs=2)[0]


def neighbors_of_scipy(forest, X):
    Q, W = factors(forest, X)
    blocks = range(0, len(X), BLOCK)
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda b: top_of(Q[b : b + BLOCK] @ W, N_NEIGHBORS), blocks)
        return np.concatenate(list(found))


def neighbors_of_whole_product(forest, X):
    Q, W = factors(forest, X)
    return top_of((Q @ W).tocsr(), N_NEIGHBORS)  # one thread: SciPy's product has no more


def dense_of_silvics(forest, X):
    return forest.proximity(X, n_jobs=2)


def dense_of_numpy(forest, X):
    leaves = forest.apply(X)
    P = np.zeros((len(X), len(X)))

    def fill(rows):
        for of_tree in leaves.T:
            P[rows] += of_tree[rows, np.newaxis] == of_tree
        P[rows] /= leaves.shape[1]

    half = len(X) // 2
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(fill, [slice(half), slice(half, None)]))
    return P


METHODS = {
    f.__name__: f
    for f in (
        neighbors_of_silvics, neighbors_of_scipy, neighbors_of_whole_product, dense_of_silvics,
        dense_of_numpy,
    )
}  # fmt: skip


def one(task, name, n_rows):
    """Run a method, and print its seconds, those of the processor, and the memory that it added."""
    forest, X, _ = fitted(task, n_rows)
    METHODS[name](forest, X[:10]) if name.startswith("dense") else forest.neighbors(X[:10])
    before = memory()
    start, used = time.perf_counter(), time.process_time()
    METHODS[name](forest, X)
    wall, used = time.perf_counter() - start, time.process_time() - used
    print(wall, used, max(memory() - before, 1.0))


def measured(task, name, n_rows, repeats):
    """Medians of seconds and of memory over processes; None if one ran out of memory."""
    found = []
    for _ in range(repeats):
        command = [sys.executable, __file__, "--one", task, name, str(n_rows)]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment
        )
        if ended.returncode != 0:
            print(task, name, "ended with", ended.returncode, ended.stderr[-300:], flush=True)
            return None
        found.append([float(x) for x in ended.stdout.split()])
        print(task, name, n_rows, found[-1], flush=True)
    return np.median(found, axis=0)


def million():
    """Fit a million rows, and find the neighbours of all of them."""
    forest, _, _ = fitted("regression", 1_000_000)
    fit = memory()
    shares = []
    start, used = time.monotonic(), time.process_time()
    forest.neighbors(
        n_neighbors=N_NEIGHBORS, n_jobs=2, progress=lambda done, total: shares.append(done / total)
    )
    wall, used = time.monotonic() - start, time.process_time() - used
    print(wall, used, fit, memory(), len(shares))


def row(words, ours, theirs):
    if theirs is None:
        return f"| {words} | {ours[0]:.2f} ({ours[1]:.2f}) | {ours[2]:.0f} | out of memory | | | |"
    ratio = theirs / ours
    return (
        f"| {words} | {ours[0]:.2f} ({ours[1]:.2f}) | {ours[2]:.0f} | {theirs[0]:.1f} "
        f"({theirs[1]:.1f}) | {theirs[2]:.0f} | {ratio[0]:.1f} ({ratio[1]:.1f}) | {ratio[2]:.1f} |"
    )


def page(repeats):
    lines = [
        "# Neighbours and proximities: time and memory",
        "",
        "<!-- Written by benchmarks/proximities.py: change that, and run `make bench-proximity`. -->",
        "",
        f"Forests of {N_TREES} trees with at least {LEAF} rows in a leaf, on simulated data: Friedman "
        "#1 for regression, whose leaves are small, and two classes, whose pure leaves are large. "
        "Times are seconds with two threads on two cores, and in parentheses those of the "
        f"processor, medians of {repeats} runs; memory is what a method adds to the process that "
        "has fitted the forest. "
        f"The baseline for the {N_NEIGHBORS} neighbours of the kernel is SciPy's sparse product of "
        f"leaves and weights, in blocks of {BLOCK} rows by two threads or whole, and the largest elements "
        "of each row; for the dense matrix it is a NumPy loop over `apply()` by two threads. The baselines include the "
        "conversion of leaves to sparse matrices.",
        "",
        "| what | silvics, s | MiB | baseline, s | MiB | times faster | times less memory |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for task, words in FORESTS.items():
        ours = measured(task, "neighbors_of_silvics", 100_000, repeats)
        for name, how in (
            ("neighbors_of_scipy", "in blocks"), ("neighbors_of_whole_product", "whole"),
        ):  # fmt: skip
            if task == "classification" and name == "neighbors_of_whole_product":
                continue  # about a billion elements
            theirs = measured(task, name, 100_000, 1 if task == "classification" else repeats)
            lines.append(row(f"100,000 rows, {words}, against SciPy {how}", ours, theirs))
    for task, words in FORESTS.items():
        ours = measured(task, "dense_of_silvics", 10_000, repeats)
        theirs = measured(task, "dense_of_numpy", 10_000, 1)
        lines.append(row(f"10,000 x 10,000, {words}, against NumPy", ours, theirs))
    command = [sys.executable, __file__, "--million"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    wall, used, fit, most, reports = map(float, ended.stdout.split())
    lines += [
        "",
        f"One million rows (regression): the {N_NEIGHBORS} neighbours of all rows took {wall:.0f} s "
        f"with two threads, {used:.0f} s of processor time. The largest memory of the process was "
        f"{fit:.0f} MiB after the fit and {most:.0f} MiB at the end, with the data, the forest, the "
        f"training rows by leaf and the result of {N_NEIGHBORS * 12} MB. Progress was reported "
        f"{reports:.0f} times.",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs=3)
    parser.add_argument("--million", action="store_true")
    given = parser.parse_args()
    if given.one:
        one(given.one[0], given.one[1], int(given.one[2]))
    elif given.million:
        million()
    else:
        text = page(given.repeats)
        print(text)
        if given.write:
            given.write.write_text(text)


if __name__ == "__main__":
    main()
