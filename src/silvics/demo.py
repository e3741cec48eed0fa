"""Demonstration on a data set of scikit-learn: ``python -m silvics.demo``."""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from silvics.forests import RandomForestClassifier


def progress_bar(done: int, total: int) -> None:
    """Print a progress bar to the standard error."""
    filled = "#" * (30 * done // total)
    end = "\n" if done == total else ""
    print(f"\rgrowing [{filled:<30}] {done} of {total} trees", end=end, file=sys.stderr, flush=True)


def main() -> None:
    """Grow a forest, score it, and print the most important variables."""
    data = load_breast_cancer()
    X, X_test, y, y_test = train_test_split(data.data, data.target, random_state=0)
    print(f"breast cancer: {len(X)} training rows, {X.shape[1]} variables, two classes")

    start = time.perf_counter()
    forest = RandomForestClassifier(
        n_estimators=500, oob_score=True, n_jobs=-1, random_state=0, progress=progress_bar
    ).fit(X, y)
    spent = time.perf_counter() - start

    nodes = sum(tree.tree_.node_count for tree in forest)
    print(f"{len(forest)} trees, {nodes} nodes, in {spent:.2f} s")
    print(
        f"accuracy: out-of-bag {forest.oob_score_:.3f}, on {len(X_test)} held-out rows "
        f"{forest.score(X_test, y_test):.3f}"
    )
    print(f"digest {forest.digest()[:16]} (the same for any number of threads)")

    print(f"\nthe ten largest of {X.shape[1]} importances (mean decrease of impurity)")
    importances = forest.feature_importances_
    for j in np.argsort(importances)[::-1][:10]:
        bar = "#" * round(40 * importances[j] / importances.max())
        print(f"  {data.feature_names[j]:<24} {importances[j]:.3f} {bar}")


if __name__ == "__main__":
    main()
