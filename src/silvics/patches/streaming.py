"""Predictions of scans, in memory or written to a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from silvics._fitting.progress import Progress
from silvics._sources.scanning import Scan, is_path, scan

_BATCH_ROWS = 1 << 15

Predict = Callable[[Any], np.ndarray]


def as_scan(X: Any, to: Any) -> Scan | None:
    """Return X as a scan if it is one, is a path, or if its predictions go to a file."""
    if isinstance(X, Scan):
        return X
    return scan(X) if is_path(X) or to is not None else None


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
    parts = _parts(forest, X, predict)
    if to is None:
        return np.concatenate([values for values, _ in parts])
    _write(parts, os.fspath(to), names)
    return None


def _parts(forest: Any, X: Scan, predict: Predict) -> Iterator[tuple[np.ndarray, int]]:
    """Yield the predictions of each batch, and report the rows that are done."""
    wanted = list(getattr(forest, "feature_names_in_", X.columns))
    for name in wanted:
        if name not in X.columns:
            X.source.check_column(name, "the variable")
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
        yield values, done


def _write(parts: Iterator[tuple[np.ndarray, int]], path: str, names: list[str]) -> None:
    """Write predictions to a Parquet file, which takes its name when it is complete."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer, unfinished = None, f"{path}.part"
    try:
        for values, _ in parts:
            columns = values.reshape(len(values), -1)
            table = pa.table([pa.array(column.tolist() if column.dtype.kind == "O" else column)
                              for column in columns.T], names=names)  # fmt: skip
            if writer is None:
                writer = pq.ParquetWriter(unfinished, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
            os.replace(unfinished, path)
    except BaseException:
        if writer is not None:
            writer.close()
            os.remove(unfinished)
        raise
