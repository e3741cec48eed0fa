"""A table with columns of every kind, and the files that hold it."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

N = 3000


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n) for j in range(4)})
    frame["small"] = rng.integers(0, 100, n).astype(np.int8)
    frame["number"] = rng.integers(0, 1000, n)
    frame["float"] = rng.normal(size=n).astype(np.float32)
    frame["level"] = rng.choice(list("abcdefg"), n)
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), "s")
    frame.loc[rng.random(n) < 0.1, "x3"] = np.nan
    frame.loc[rng.random(n) < 0.1, "level"] = None
    frame["w"] = rng.integers(0, 3, n).astype(float)
    frame["price"] = 3 * frame.x0 + 4 * frame.level.isin(list("abc")) + rng.normal(size=n)
    frame["kind"] = np.where(frame.price > 2, "high", np.where(frame.price < 0, "low", "middle"))
    return frame


def write_parts(frame, folder, n_files=3, **settings):
    """Write a table to several Parquet files with small row groups."""
    settings = {"row_group_size": 200} | settings
    bounds = np.linspace(0, len(frame), n_files + 1).astype(int)
    for k, (first, last) in enumerate(pairwise(bounds)):
        part = pa.Table.from_pandas(frame.iloc[first:last], preserve_index=False)
        pyarrow.parquet.write_table(part, folder / f"part-{k}.parquet", **settings)
    return str(folder / "*.parquet")


def write_feather(frame, path):
    pyarrow.feather.write_feather(frame, str(path), compression="lz4", chunksize=500)
    return str(path)
