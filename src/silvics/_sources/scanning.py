"""The function ``scan``, which opens a table that is read piece by piece."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._frames import is_dataset, is_lazy_frame
from silvics._names import one_of
from silvics._sources.arrow_dataset import DatasetSource
from silvics._sources.arrow_files import ArrowFiles
from silvics._sources.in_memory import ArraySource, FrameSource, LazySource
from silvics._sources.locating import files_of, format_of, located
from silvics._sources.mapped import mapping_of
from silvics._sources.npy_files import NpySource
from silvics._sources.source import Source


@dataclass(frozen=True, eq=False)
class Scan:
    """A table that is read piece by piece; :func:`silvics.scan` makes it."""

    source: Source
    columns: list[Any]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        del dtype, copy
        raise TypeError(
            "X is a scan, whose rows are not in memory, and this needs a table in memory. Read "
            "some rows into a data frame; RandomPatchesClassifier, RandomPatchesRegressor and "
            "network.genie3 accept scans."
        )

    def __repr__(self) -> str:
        n_rows = self.source.n_rows()
        rows = "" if n_rows is None else f", {n_rows} rows"
        return f"<scan of {self.source.describe()}{rows}, {len(self.columns)} columns>"


def scan(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
    filesystem: Any = None,
) -> Scan:
    """Open a table that is read piece by piece, and may be larger than the memory.

    Nothing is read yet but what describes the files. Estimators that accept a scan read it in
    passes, from the first row to the last. The rows are numbered in the order of the files, which
    are sorted by their paths.

    Parameters
    ----------
    data : str, path, list of them, dataset, lazy frame, data frame or array
        A path, a folder, a pattern such as ``"data/*.parquet"``, an address such as
        ``"s3://bucket/data"``, or a list of them. Files may be Parquet, Feather or Arrow IPC, CSV,
        or one ``.npy`` file. Folders are searched for Parquet files, or for others if they have
        none, and those named ``key=value`` add the column ``key``. Datasets of pyarrow are read in
        the order of their files. A lazy frame of polars is computed again for every pass. Tables in
        memory are accepted too.
    columns : sequence of str or None, default=None
        The columns to use. None uses all columns.
    format : {"parquet", "ipc", "csv"} or None, default=None
        Format of the files. None decides by their names.
    filesystem : filesystem or None, default=None
        A filesystem of pyarrow or fsspec, for paths that are not local.

    Returns
    -------
    scan : Scan
        Object that can be passed as X to ``fit`` and ``predict`` of ``RandomPatchesClassifier``
        and ``RandomPatchesRegressor``, or to ``silvics.network.genie3``.

    Examples
    --------
    >>> import pandas as pd
    >>> import silvics
    >>> table = pd.DataFrame({"size": [70.0, 90.0], "price": [1.0, 2.0]})
    >>> silvics.scan(table)
    <scan of table in memory, 2 rows, 2 columns>
    """
    if format is not None:
        one_of("format", format, ["parquet", "ipc", "csv"])
    source = _source(data, format, filesystem)
    every = list(source.columns) if source.columns is not None else list(range(source.n_columns))
    if columns is None:
        return Scan(source, every)
    for name in columns:
        if name not in every:
            source.check_column(name, "columns")
    return Scan(source, list(columns))


def is_path(data: Any) -> bool:
    """Return whether an X is a path, a pattern, or a list of paths."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(part, str | os.PathLike) for part in data)
    return isinstance(data, str | os.PathLike)


def is_read_in_pieces(data: Any) -> bool:
    """Return whether an X is not in memory: paths, a dataset of pyarrow, or a lazy frame."""
    return is_path(data) or is_dataset(data) or is_lazy_frame(data)


def is_mapped(data: Any) -> bool:
    """Return whether an X is a table of numbers in a file that is mapped into memory."""
    is_table = isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind in "biuf"
    return is_table and mapping_of(data) is not None


def _source(data: Any, form: str | None, filesystem: Any) -> Source:
    if is_path(data):
        return _files(data, form, filesystem)
    if isinstance(data, np.ndarray):
        return ArraySource(data)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return FrameSource(data)
    if is_lazy_frame(data):
        return LazySource(data)
    if is_dataset(data):
        return DatasetSource(data)
    raise TypeError(
        "scan needs paths of files, a dataset of pyarrow, a lazy frame of polars, a data frame or "
        f"an array, got "
        f"{type(data).__module__}.{type(data).__qualname__}."
    )


def _files(data: Any, form: str | None, filesystem: Any) -> Source:
    given = data if isinstance(data, list | tuple) else [data]
    paths: dict[str, dict[str, Any]] = {}
    places = []
    for part in map(os.fspath, given):
        inner, where = located(part, filesystem)
        paths |= files_of(inner, where)
        places.append(where)
    if any(where != places[0] for where in places[1:]):
        raise ValueError("scan reads files of one filesystem, but the paths are of several.")
    if any(path.endswith(".npy") for path in paths):
        if len(paths) > 1:
            raise ValueError("scan reads a single .npy file, but there are several paths.")
        return NpySource(next(iter(paths)), places[0])
    formats = {format_of(path, form) for path in paths}
    if len(formats) > 1:
        raise ValueError(f"scan reads files of one format, but these are {sorted(formats)}.")
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            "scan needs pyarrow to read files: pip install 'silvics[arrow]'."
        ) from error
    del pyarrow
    return ArrowFiles(paths, formats.pop(), places[0])
