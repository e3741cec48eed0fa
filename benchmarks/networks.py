"""GENIE3 on the DREAM4 networks, against a plain one of scikit-learn; 5,000 genes.

python benchmarks/networks.py FOLDER --write docs/studies/networks.md

FOLDER has dream4_net1.parquet to dream4_net5.parquet and their gold standards.
"""

# ruff: noqa: E501 (the text of the page)

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn.ensemble
from joblib import Parallel, delayed
from sklearn.metrics import average_precision_score, roc_auc_score

from silvics.network import genie3

N_TREES, SEEDS, ALL_TREES = 50, range(2), 1000
GENES, SAMPLES, TARGETS, TREES_OF_PART = 5000, 500, 20, 100


def plain_genie3(X, seed, extra):
    """As in the paper: a forest for each gene; importances over the variance of the gene."""
    kind = sklearn.ensemble.ExtraTreesRegressor if extra else sklearn.ensemble.RandomForestRegressor
    importances = np.zeros((X.shape[1], X.shape[1]))
    for j in range(X.shape[1]):
        others = np.delete(np.arange(X.shape[1]), j)
        forest = kind(N_TREES, max_features="sqrt", random_state=seed)
        forest.fit(X[:, others], X[:, j])
        each = [t.tree_.compute_feature_importances(normalize=False) for t in forest.estimators_]
        importances[others, j] = np.mean(each, axis=0) / X[:, j].var()
    return importances


def ours(X, seed, extra, n_trees=N_TREES):
    recipe = "extra_trees" if extra else "random_forest"
    network = genie3(X, recipe=recipe, n_estimators=n_trees, random_state=seed, n_jobs=1)
    return network.importances


def measured(function, folder, net, seed, extra, **more):
    """Areas under the curves of one net, and processor time of one thread."""
    X = pd.read_parquet(folder / f"dream4_net{net}.parquet")
    gold = pd.read_parquet(folder / f"dream4_net{net}_gold.parquet").astype(str)
    place = {name: j for j, name in enumerate(X.columns)}
    truth = np.zeros((X.shape[1], X.shape[1]), dtype=bool)
    truth[gold.iloc[:, 0].map(place), gold.iloc[:, 1].map(place)] = True
    start = time.process_time()
    importances = function(X.to_numpy(), seed, extra, **more)
    spent = time.process_time() - start
    pairs = ~np.eye(len(truth), dtype=bool)
    found = truth[pairs], importances[pairs]
    return average_precision_score(*found), roc_auc_score(*found), spent


def comparison(folder, extra, jobs):
    """Lines of a table: nets, and the mean over them."""
    asked = [(function, net, seed) for function in (ours, plain_genie3)
             for net in range(1, 6) for seed in SEEDS]  # fmt: skip
    asked += [(None, net, 0) for net in range(1, 6)]
    found = jobs(
        delayed(measured)(ours, folder, net, seed, extra, n_trees=ALL_TREES)
        if function is None
        else delayed(measured)(function, folder, net, seed, extra)
        for function, net, seed in asked
    )
    shape = (5, len(SEEDS), 3)
    n = 5 * len(SEEDS)
    mine, theirs = np.reshape(found[:n], shape), np.reshape(found[n : 2 * n], shape)
    large = np.array(found[2 * n :])
    lines = []
    for net in range(5):
        a, b, c = mine[net].mean(axis=0), theirs[net].mean(axis=0), large[net]
        lines.append(
            f"| {net + 1} | {a[0]:.4f} | {b[0]:.4f} | {c[0]:.4f} | {c[1]:.4f} | {a[2]:.2f} | {b[2]:.1f} | {b[2] / a[2]:.1f} |"
        )
    a, b, c = mine.mean(axis=(0, 1)), theirs.mean(axis=(0, 1)), large.mean(axis=0)
    spread = [x[:, :, 0].mean(axis=0).std(ddof=1) for x in (mine, theirs)]
    lines.append(
        f"| mean | {a[0]:.4f} ± {spread[0]:.4f} | {b[0]:.4f} ± {spread[1]:.4f} | {c[0]:.4f} | {c[1]:.4f} | {a[2]:.2f} | {b[2]:.1f} | {b[2] / a[2]:.1f} |"
    )
    return lines


PART = f"""
import resource, time
import numpy as np
from silvics.network import genie3
X = np.random.default_rng(0).normal(size=({SAMPLES}, {GENES}))
genie3(X, targets=[0], n_estimators=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
genie3(X, targets=range({TARGETS}), n_estimators={TREES_OF_PART}, random_state=0, n_jobs=2)
spent = time.process_time() - start
print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, spent)
"""


def part_of_a_large_table():
    """Peak memory in MiB, and processor time of a tree, in milliseconds."""
    done = subprocess.run([sys.executable, "-c", PART], capture_output=True, text=True, check=True)
    before, peak, spent = map(float, done.stdout.split())
    return before / 1024, peak / 1024, 1000 * spent / (TARGETS * TREES_OF_PART)


HEAD = """| net | AUPR | AUPR, scikit-learn | AUPR, 1,000 trees | AUROC, 1,000 trees | time, s | time, scikit-learn, s | ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    with Parallel(n_jobs=2) as jobs:
        tables = {
            name: comparison(arguments.folder, extra, jobs)
            for name, extra in (("Random forests", False), ("Extra-trees", True))
        }
    before, peak, of_tree = part_of_a_large_table()
    hours = of_tree / 1000 * GENES * 1000 / 3600
    lines = [
        "# Networks", "",
        "<!-- Written by benchmarks/networks.py: change that, and run `make bench-network`. -->", "",
        "GENIE3 on the five DREAM4 networks of 100 genes in 100 samples (multifactorial): `silvics.network.genie3` against a loop",
        f"over genes with scikit-learn's forests. Both have {N_TREES} trees for each gene and draw the square root of the genes at a node; figures",
        f"are means over {len(SEEDS)} seeds, and ± is the standard deviation of the mean over nets from seed to seed. Time is processor time of one thread.",
        "The area under the precision-recall curve (AUPR) is the average precision over all 9,900 pairs; a random ranking has about 0.02.",
    ]  # fmt: skip
    for name, table in tables.items():
        lines += ["", f"## {name}", "", HEAD, *table]
    lines += [
        "", f"## {GENES:,} genes in {SAMPLES} samples", "",
        f"Estimate: the table takes {GENES * SAMPLES * 8 / 2**20:.0f} MiB, its codes at most {GENES * SAMPLES * 2 / 2**20:.0f} MiB, the importances "
        f"{GENES * GENES * 8 / 2**20:.0f} MiB, and parts of targets and their importances at most 64 MiB: about "
        f"{(GENES * SAMPLES * 10 + GENES * GENES * 8) / 2**20 + 64:.0f} MiB in all, however many trees there are.",
        "",
        f"Measured on a part, {TARGETS} targets with {TREES_OF_PART} trees: the process takes {before:.0f} MiB with the table before, and {peak:.0f} MiB at most. A tree takes "
        f"{of_tree:.2f} ms of processor time, so that all {GENES:,} targets with 1,000 trees would take {hours:.1f} hours of one core.",
    ]  # fmt: skip
    page = "\n".join(lines) + "\n"
    print(page)
    if arguments.write:
        arguments.write.write_text(page)


if __name__ == "__main__":
    main()
