"""Sources in memory, and arrays in ``.npy`` files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._frames import library_of
from silvics._sources.mapped import release
from silvics._sources.source import Batch, Source, digest_of_file, with_columns


class FrameSource(Source):
    """A data frame in memory."""

    def __init__(self, frame: Any) -> None:
        self._frame = nw.from_native(frame)
        self.columns = list(self._frame.columns)
        self.n_columns = len(self.columns)
        self.library = library_of(frame)

    def n_rows(self) -> int:
        return len(self._frame)

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        chosen = with_columns(self._frame, columns)
        for first in range(0, len(chosen), n_rows):
            part = chosen[first : first + n_rows]
            yield Batch(first, part.to_native(), f"rows {first} to {first + len(part) - 1}")


class ArraySource(Source):
    """An array in memory."""

    def __init__(self, array: np.ndarray) -> None:
        if array.ndim != 2:
            raise ValueError(
                f"scan needs a table with rows and columns, but the array has {array.ndim} "
                "dimensions."
            )
        self._array = array
        self.columns = None
        self.n_columns = array.shape[1]

    def n_rows(self) -> int:
        return int(self._array.shape[0])

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        for first in range(0, len(self._array), n_rows):
            part = self._array[first : first + n_rows, list(columns)]
            release(self._array)
            yield Batch(first, part, f"rows {first} to {first + len(part) - 1}")


class NpySource(Source):
    """An array in a ``.npy`` file, which is read and not mapped into memory."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.columns = None
        try:
            with open(path, "rb") as file:
                version = np.lib.format.read_magic(file)
                read = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }.get(version)
                if read is None:
                    raise ValueError(f"its format version is {version}")
                self._shape, self._by_columns, self._dtype = read(file)
                self._start = file.tell()
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read as a .npy file: {error}") from error
        if len(self._shape) != 2 or self._dtype.kind not in "biuf":
            raise ValueError(
                f"{path} has an array of shape {self._shape} and type {self._dtype}, but scan "
                "needs a table of numbers with two dimensions."
            )
        self.n_columns = self._shape[1]

    def n_rows(self) -> int:
        return int(self._shape[0])

    def n_bytes(self, columns: Sequence[Any]) -> int:
        width = len(columns) if self._by_columns else self.n_columns
        return int(self._shape[0]) * width * self._dtype.itemsize

    def file_digests(self) -> dict[str, str]:
        return {self._path: digest_of_file(self._path)}

    def describe(self) -> str:
        return f"array in {self._path}"

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        wanted = list(columns)
        with open(self._path, "rb") as file:
            for first in range(0, self._shape[0], n_rows):
                count = min(n_rows, self._shape[0] - first)
                part = self._read(file, first, count, wanted)
                where = f"{self._path}, rows {first} to {first + count - 1}"
                yield Batch(first, part, where)

    def _read(self, file: Any, first: int, count: int, columns: list[int]) -> np.ndarray:
        n, p, width = *self._shape, self._dtype.itemsize
        if self._by_columns:
            part = np.empty((count, len(columns)), self._dtype, order="F")
            for k, j in enumerate(columns):
                part[:, k] = self._values(file, (j * n + first) * width, count)
            return part
        return self._values(file, first * p * width, count * p).reshape(count, p)[:, columns]

    def _values(self, file: Any, offset: int, count: int) -> np.ndarray:
        file.seek(self._start + offset)
        values = np.fromfile(file, self._dtype, count)
        if len(values) < count:
            raise ValueError(
                f"{self._path} is truncated: its header promises {self._shape[0]} rows of "
                f"{self._shape[1]} columns, but the file ends before that."
            )
        return values


class LazySource(Source):
    """A lazy frame of polars, which is computed again for every pass."""

    library = "polars"

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns = frame.collect_schema().names()
        self.n_columns = len(self.columns)
        self._n_rows: int | None = None

    def n_rows(self) -> int:
        import polars as pl

        if self._n_rows is None:
            self._n_rows = int(self._frame.select(pl.len()).collect(engine="streaming").item())
        return self._n_rows

    def describe(self) -> str:
        return "lazy frame"

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        import polars as pl

        first = 0
        chosen = self._frame.select(list(columns))
        parts = chosen.collect_batches(chunk_size=n_rows, maintain_order=True, engine="streaming")
        try:
            for part in parts:
                if len(part):
                    yield Batch(first, part, f"rows {first} to {first + len(part) - 1}")
                    first += len(part)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise ValueError(
                f"The lazy frame cannot be computed after its row {first}: {error}"
            ) from error
