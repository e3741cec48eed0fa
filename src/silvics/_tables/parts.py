"""Some columns of a table in the form of the core."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from silvics._tables.table import Blocks


def part_of(X: Blocks, columns: np.ndarray) -> Blocks:
    """Return some columns of a table."""
    if np.array_equal(columns, np.arange(X.shape[1])):
        return X
    shape = (X.shape[0], len(columns))
    if X.sparse is not None:
        return Blocks([], [], shape, X.sparse[:, columns])
    n_levels = [X.n_levels[j] for j in columns] if X.n_levels else []
    if max(n_levels, default=-1) < 0:
        n_levels = []
    if len(X.blocks) == 1:
        return Blocks([X.blocks[0][:, columns]], n_levels, shape)
    places = [(block, k) for block in X.blocks for k in range(block.shape[1])]
    parts = [places[j][0][:, places[j][1] : places[j][1] + 1] for j in columns]
    return Blocks(parts, n_levels, shape)


def dense_columns(X: Blocks) -> Iterator[np.ndarray]:
    """Yield the columns as float64; codes of levels are numbers, negative if missing."""
    if X.sparse is not None:
        columns = X.sparse.tocsc()
        for j in range(X.shape[1]):
            yield columns[:, [j]].toarray().ravel().astype(np.float64)
        return
    for block in X.blocks:
        yield from np.ascontiguousarray(block.T, dtype=np.float64)
