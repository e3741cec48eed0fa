"""Digests that must not change by accident: forests on data that this file makes itself.

A change that is meant to change forests writes them anew, and says so in the changelog:

    python tests/parallel/golden.py
"""

import json
from pathlib import Path

import numpy as np

import silvics

FILE = Path(__file__).with_name("golden.json")


def whole_numbers(n, below, state):
    """Knuth's MMIX generator: the same numbers whatever NumPy's generators do."""
    numbers = []
    for _ in range(n):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        numbers.append((state >> 33) % below)
    return np.array(numbers)


def learning_set(n_rows=200, n_columns=6):
    X = whole_numbers(n_rows * n_columns, 64, state=1).reshape(n_rows, n_columns) / 8
    y = (X[:, 0] + X[:, 1] * X[:, 2]) * 4 + whole_numbers(n_rows, 16, state=2)
    return X, np.floor(y)


# Name -> class and parameters. Regression learns y, classification y modulo 3.
FORESTS = {
    "tree": ("DecisionTreeClassifier", {}),
    "tree, entropy, few leaves": (
        "DecisionTreeClassifier",
        {"criterion": "entropy", "max_leaf_nodes": 12},
    ),
    "tree, pruned": ("DecisionTreeRegressor", {"ccp_alpha": 4.0}),
    "tree, absolute error": ("DecisionTreeRegressor", {"criterion": "absolute_error"}),
    "extra tree": ("ExtraTreeClassifier", {"constant_features": "skip"}),
    "random forest": ("RandomForestClassifier", {}),
    "random forest, entropy, bins": (
        "RandomForestClassifier",
        {"criterion": "entropy", "max_bins": 8},
    ),
    "random forest, balanced": (
        "RandomForestClassifier",
        {"class_weight": "balanced_subsample", "max_samples": 100},
    ),
    "random forest, regression": ("RandomForestRegressor", {"min_samples_leaf": 3}),
    "random forest, poisson": ("RandomForestRegressor", {"criterion": "poisson", "max_depth": 5}),
    "random forest, searched on a sample": ("RandomForestRegressor", {"split_sample": 20}),
    "extra trees": ("ExtraTreesClassifier", {}),
    "extra trees, regression": ("ExtraTreesRegressor", {"max_features": 2}),
    "extra trees, monotonic": (
        "ExtraTreesRegressor",
        {"monotonic_cst": [1, 0, 0, -1, 0, 0], "max_depth": 6},
    ),
    # One of each kind of choice; rotations hang on the linear algebra that NumPy was built with.
    **{
        recipe: ("ForestClassifier", {"recipe": recipe})
        for recipe in (
            "id3",
            "c4.5",
            "conditional_inference",
            "reduced_error",
            "kwok_carter",
            "dietterich_kong",
            "forest_rc",
            "pert",
            "totally_randomized_multiway",
            "random_patches",
            "random_gap",
            "purely_random",
            "biau_2012",
        )
    },
    **{
        recipe: ("ForestRegressor", {"recipe": recipe}) for recipe in ("breiman_2004", "denil_2013")
    },
    # Enough trees that every row is out of bag in the first stage.
    "residual_forest": ("ForestRegressor", {"recipe": "residual_forest", "n_estimators": 60}),
}


def digest_of(name):
    kind, parameters = FORESTS[name]
    X, y = learning_set()
    if "Classifier" in kind:
        y %= 3
    estimator = getattr(silvics, kind)(random_state=42, **parameters)
    if hasattr(estimator, "n_estimators"):
        estimator.set_params(n_estimators=parameters.get("n_estimators", 7), n_jobs=2)
    return estimator.fit(X, y, sample_weight=1 + whole_numbers(len(y), 3, state=3)).digest()


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: digest_of(name) for name in FORESTS}, indent=2) + "\n")
