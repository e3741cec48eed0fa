"""Small forests whose importances are computed by every kind."""

import numpy as np

from silvics import RandomForestClassifier

N = 80
rng = np.random.default_rng(1)
X = rng.integers(0, 6, (N, 4)).astype(float)
X[:, 3] = rng.normal(size=N)
HOLES = np.where(rng.random(X.shape) < 0.15, np.nan, X)
CLASSES = np.where(X[:, 0] + rng.normal(size=N) > 3, "oak", "ash")
NUMBERS = X[:, 0] + X[:, 1] + rng.normal(size=N)
WEIGHTS = rng.uniform(0.5, 2, N)
NAMES = ["a", "b", "c", "d"]

BY_ROWS = ["mdi_oob", "ufi", "mda_tree", "surrogate"]  # of the learning set
HELD_OUT = ["mdi_oob", "ufi", "mda_tree"]
BY_LEAVES = ["mdi_oob", "ufi", "surrogate"]


def grown(**chosen):
    return RandomForestClassifier(4, random_state=0, **chosen).fit(X, CLASSES)


def asked(forest, kind, table=X, y=CLASSES, **more):
    """With a seed, where there is something to permute."""
    seed = {"random_state": 0} if kind == "mda_tree" else {}
    return forest.importances(kind, table, y, **seed, **more)
