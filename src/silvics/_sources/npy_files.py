"""Arrays in ``.npy`` files, here or on another filesystem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from silvics._sources.source import Batch, Source, digest_of_file

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class NpySource(Source):
    """An array in a ``.npy`` file, which is read and not mapped into memory.

    A file on another filesystem is read from its beginning to its end if its rows follow each
    other. If its columns do (Fortran order), each batch reads a piece of every column.

    Parameters
    ----------
    path : str
        The file.
    filesystem : filesystem of pyarrow, or None
        Where it is.
    """

    def __init__(self, path: str, filesystem: Any = None) -> None:
        self._path, self._filesystem = path, filesystem
        self.columns = None
        try:
            with self._open() as file:
                version = np.lib.format.read_magic(file)
                if version not in _HEADERS:
                    raise ValueError(f"its format version is {version}")
                self._shape, self._by_columns, self._dtype = _HEADERS[version](file)
                self._start = file.tell()
                self._check_order(file)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read as a .npy file: {error}") from error
        if len(self._shape) != 2 or self._dtype.kind not in "biuf":
            raise ValueError(
                f"{path} has an array of shape {self._shape} and type {self._dtype}, but scan "
                "needs a table of numbers with two dimensions."
            )
        self.n_columns = self._shape[1]

    def _open(self) -> Any:
        if self._filesystem is None:
            return open(self._path, "rb")
        return self._filesystem.open_input_file(self._path)

    def _check_order(self, file: Any) -> None:
        """Raise ValueError if columns follow each other in a file that is read in order only."""
        try:
            if self._by_columns:
                file.seek(0)
        except (OSError, ValueError) as error:
            raise ValueError(
                "its columns follow each other (Fortran order), and its filesystem reads files "
                "only from their beginning to their end. Save the array again by rows: "
                "np.save(path, np.ascontiguousarray(array))"
            ) from error

    def n_rows(self) -> int:
        return int(self._shape[0])

    def n_bytes(self, columns: Sequence[Any]) -> int:
        width = len(columns) if self._by_columns else self.n_columns
        return int(self._shape[0]) * width * self._dtype.itemsize

    def files(self) -> list[tuple[str, Any]]:
        return [(self._path, self._filesystem)]

    def file_digests(self) -> dict[str, str]:
        return {self._path: digest_of_file(self._path, self._filesystem)}

    def describe(self) -> str:
        return f"array in {self._path}"

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        wanted = list(columns)
        first = 0
        try:
            with self._open() as file:
                self._values(file, self._start, np.dtype(np.uint8))
                while first < self._shape[0]:
                    count = min(n_rows, self._shape[0] - first)
                    part = self._read(file, first, count, wanted)
                    where = f"{self._path}, rows {first} to {first + count - 1}"
                    yield Batch(first, part, where)
                    first += count
        except OSError as error:
            raise ValueError(
                f"{self._path} cannot be read after its row {first}: {error}"
            ) from error

    def _read(self, file: Any, first: int, count: int, columns: list[int]) -> np.ndarray:
        n, p, width = *self._shape, self._dtype.itemsize
        if not self._by_columns:  # the next rows
            return self._values(file, count * p, self._dtype).reshape(count, p)[:, columns]
        part = np.empty((count, len(columns)), self._dtype, order="F")
        for k, j in enumerate(columns):
            file.seek(self._start + (j * n + first) * width)
            part[:, k] = self._values(file, count, self._dtype)
        return part

    def _values(self, file: Any, count: int, dtype: np.dtype) -> np.ndarray:
        """Read the next values; a filesystem may return fewer bytes at once than asked for."""
        values = np.empty(count, dtype)
        place = values.view(np.uint8).data
        n_read = 0
        while n_read < len(place):
            more = file.readinto(place[n_read:])
            if not more:
                raise ValueError(
                    f"{self._path} is truncated: its header promises {self._shape[0]} rows of "
                    f"{self._shape[1]} columns, but the file ends before that."
                )
            n_read += more
        return values
