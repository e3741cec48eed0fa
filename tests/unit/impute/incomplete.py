"""A small table with missing values: two numbers, whole numbers, a category and a flag."""

import numpy as np
import pandas as pd

N = 80


def complete(seed=0):
    random = np.random.default_rng(seed)
    a = random.normal(size=N)
    b = 2 * a + 0.3 * random.normal(size=N)
    level = np.array(["ash", "elm", "oak"])[
        np.digitize(a + 0.3 * random.normal(size=N), [-0.5, 0.5])
    ]
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "whole": np.rint(3 * b).astype(int),
            "level": pd.Categorical(level),
            "flag": a > 0.2,
        }
    )


def incomplete(seed=0):
    """The table with more missing values in each further column."""
    random = np.random.default_rng([seed, 1])
    X = complete(seed).astype({"whole": "Int64", "flag": "boolean"})
    for k, name in enumerate(X.columns):
        X.loc[random.random(N) < 0.06 * (k + 1), name] = None
    return X


def target():
    return (complete()["a"] + complete()["b"] > 0).astype(int).to_numpy()
