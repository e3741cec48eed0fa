"""Several threads on one tree: the same tree, whatever they share out."""

import numpy as np
import pytest

import silvics
from silvics._fitting import parameters

FORESTS = [
    (silvics.RandomForestClassifier, {}),
    (silvics.RandomForestClassifier, {"criterion": "entropy", "constant_features": "skip"}),
    (silvics.ExtraTreesClassifier, {"min_samples_leaf": 2}),
    (silvics.RandomForestRegressor, {}),
    (silvics.RandomForestRegressor, {"criterion": "absolute_error"}),
    (silvics.RandomForestRegressor, {"monotonic_cst": [1, 0, -1, 0]}),
    (silvics.RandomForestRegressor, {"max_leaf_nodes": 7}),
    (silvics.ExtraTreesRegressor, {"growth": "breadth_first"}),
]


def table(seed, classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 70))
    X = rng.integers(0, int(rng.integers(2, 40)), (n, 4)).astype(float)
    y = rng.integers(0, 3, n) if classes else rng.random(n).round(1)
    return X, y


@pytest.mark.parametrize(("forest", "settings"), FORESTS)
def test_shared_work_gives_the_same_tree(forest, settings, monkeypatch):
    for seed in range(25):
        X, y = table(seed, forest.__name__.endswith("Classifier"))
        kept = {"n_estimators": 3, "max_features": 1 + seed % 4, "random_state": seed}
        alone = forest(n_jobs=1, **kept, **settings).fit(X, y).digest()
        with monkeypatch.context() as patched:
            patched.setattr(parameters, "_SHARED_FROM", 1)
            for n_jobs in (2, 5, 10):
                together = forest(n_jobs=n_jobs, **kept, **settings).fit(X, y)
                assert together.digest() == alone, f"seed {seed}, {n_jobs} threads"


def test_progress_counts_trees_not_steps(monkeypatch):
    monkeypatch.setattr(parameters, "_SHARED_FROM", 1)
    X, y = table(3, True)
    told = []
    forest = silvics.RandomForestClassifier(
        5, n_jobs=2, random_state=0, progress=lambda done, total: told.append((done, total))
    )
    forest.fit(np.repeat(X, 50, axis=0), np.repeat(y, 50))
    assert told[-1] == (5, 5)
    assert all(total == 5 for _, total in told)
    assert told == sorted(told)


def test_a_single_large_tree_on_two_threads():
    rng = np.random.default_rng(0)
    X = rng.random((70_000, 3), dtype=np.float32)
    y = (X[:, 0] + 0.3 * rng.random(len(X)) > 0.6).astype(int)
    one, two = (
        silvics.RandomForestClassifier(1, n_jobs=j, random_state=1, max_features=None)
        .fit(X, y)
        .digest()
        for j in (1, 2)
    )
    assert one == two
