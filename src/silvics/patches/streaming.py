"""Predictions of scans, in memory or written to a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from silvics._fitting.progress import Progress
from silvics._names import did_you_mean
from silvics._sources.destination import Destination
from silvics._sources.scanning import Scan, is_read_in_pieces, scan

_BATCH_ROWS = 1 << 15

Predict = Callable[[Any], np.ndarray]


def as_scan(X: Any, to: Any) -> Scan | None:
    """Return X as a scan if it is one, is not in memory, or if its predictions go to a file."""
    if isinstance(X, Scan):
        return X
    return scan(X) if is_read_in_pieces(X) or to is not None else None


def predictions(
    forest: Any, X: Scan, predict: Predict, to: str | os.PathLike[str] | None, names: list[str]
) -> Any:
    """Predict the rows of a scan batch by batch.

    Parameters
    ----------
    forest : estimator
        The fitted forest.
    X : Scan
        A table with the columns that the forest was fitted on; it may have others.
    predict : callable
        Function from a table in memory to its predictions.
    to : str, path or None
        The Parquet file to write. None returns the predictions of all rows.
    names : list of str
        Names of the columns of the file.

    Returns
    -------
    values : ndarray, or None
        The predictions, or None if they were written.
    """
    destination = None if to is None else Destination(to)
    if destination is not None:
        destination.check_not_read(X.source)
    parts = _parts(forest, X, predict)
    if destination is None:
        return np.concatenate(list(parts))
    destination.write(_as_table(values, names) for values in parts)
    return None


def _parts(forest: Any, X: Scan, predict: Predict) -> Iterator[np.ndarray]:
    """Yield the predictions of each batch, and report the rows that are done."""
    wanted = _columns(forest, X)
    n_rows, done = X.source.n_rows(), 0
    progress = Progress(forest, "rows") if n_rows is not None else None
    for batch in X.source.batches(wanted, _BATCH_ROWS):
        try:
            values = predict(batch.table)
        except ValueError as error:
            raise ValueError(f"{batch.where}: {error}") from error
        done += batch.n_rows
        if progress is not None and n_rows is not None:
            progress(done, n_rows)
        yield values
    if not done:
        raise ValueError(f"There are no rows in {X.source.named()}.")


def _columns(forest: Any, X: Scan) -> list[Any]:
    """Return the columns of a scan that the forest was fitted on; those of arrays by place."""
    if X.source.columns is None or not hasattr(forest, "feature_names_in_"):
        return list(X.columns)
    for name in forest.feature_names_in_:
        if name not in X.columns:
            known = " that the scan has selected" if name in X.source.columns else ""
            raise ValueError(
                f"The forest was fitted to the column {name!r}, which is not among the columns of "
                f"{X.source.named()}{known}.{did_you_mean(name, X.columns)}"
            )
    return list(forest.feature_names_in_)


def _as_table(values: np.ndarray, names: list[str]) -> Any:
    """Return predictions as a table of pyarrow."""
    import pyarrow as pa

    columns = values.reshape(len(values), -1).T
    arrays = [pa.array(of.tolist() if of.dtype.kind == "O" else of) for of in columns]
    return pa.table(arrays, names=names)
