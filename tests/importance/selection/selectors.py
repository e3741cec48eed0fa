"""Tables, and selectors that take little time."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from silvics import RandomForestClassifier
from silvics.importance.selection.by_importance import SelectByTest, SelectByThreshold
from silvics.importance.selection.elimination import SelectByElimination, SelectTuned

rng = np.random.default_rng(0)
N = 80
X = rng.normal(size=(N, 7))
CLASSES = np.where(X[:, 1] + X[:, 4] + 0.3 * rng.normal(size=N) > 0, "yes", "no")
NUMBERS = X[:, 1] + X[:, 4] + 0.3 * rng.normal(size=N)
WEIGHTS = rng.integers(0, 3, N).astype(float)
FRAME = pd.DataFrame(
    {
        "noise": X[:, 0],
        "species": pd.Categorical(
            np.where(X[:, 1] > 0, "oak", np.where(X[:, 1] > -1, "elm", "yew")),
            categories=["yew", "oak", "elm", "never seen"],
        ),
        "word": np.where(X[:, 4] > 0, "tall", "low").astype(object),
        "count": pd.array(rng.integers(0, 9, N), dtype="Int64"),
        "day": pd.to_datetime(rng.integers(0, 10**9, N), unit="s"),
    }
)
FRAME.loc[::7, ["species", "word", "count"]] = None
SELECTORS = [SelectByThreshold, SelectTuned, SelectByElimination, SelectByTest]


def forest(n=20, **given):
    return RandomForestClassifier(n, random_state=1, **given)


def quick(selector, kind_of_forest=forest, **given):
    """One of each class that takes no time."""
    if selector is SelectByTest:
        given = {"options": {"n_permutations": 19}, "level": 0.2} | given
    return selector(kind_of_forest(), random_state=0, **given)


def names_of(mask):
    return np.flatnonzero(mask).tolist()


def libraries():
    return {
        "pandas": FRAME,
        "pandas of arrow": FRAME.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.from_pandas(FRAME),
        "pyarrow": pa.Table.from_pandas(FRAME, preserve_index=False),
    }


def same(a, b):
    return a.equals(b)
