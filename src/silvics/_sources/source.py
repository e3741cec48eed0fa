"""What every source can do: describe its columns and read its rows in order, in batches."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._names import did_you_mean


@dataclass(frozen=True, eq=False)
class Batch:
    """Some consecutive rows of a source.

    Attributes
    ----------
    first : int
        The number of the first row within the source.
    table : frame or ndarray
        The rows, with the columns that were asked for, in that order.
    where : str
        Where they come from, for errors.
    names : list of str, or None
        Names of the columns of an array, if the user has given them.
    """

    first: int
    table: Any
    where: str
    names: list[str] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.table)

    def column(self, name: str | int) -> np.ndarray:
        """Return a column as an array; strings and categories as objects."""
        if isinstance(self.table, np.ndarray):
            if self.names is None:
                raise TypeError("arrays have no named columns")
            return self.table[:, self.names.index(str(name))]
        series = nw.from_native(self.table)[name]
        if series.dtype in (nw.Categorical, nw.Enum):
            series = series.cast(nw.String)
        return series.to_numpy()

    def only(self, columns: Sequence[Any]) -> Any:
        """Return the table with some of its columns."""
        if isinstance(self.table, np.ndarray):
            if self.names is None:  # all columns are variables
                return self.table
            return self.table[:, [self.names.index(name) for name in columns]]
        return with_columns(nw.from_native(self.table), columns).to_native()


def with_columns(frame: nw.DataFrame[Any], columns: Sequence[Any]) -> nw.DataFrame[Any]:
    """Return a frame with some of its columns, whose names may be any objects, as in pandas."""
    names = frame.columns  # found again each time
    return frame.select(nw.nth([names.index(name) for name in columns]))


def ahead(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches, each of which is read while the one before it is used."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch


@dataclass
class Reading:
    """Counts of what was read from a source: passes over it, rows, and bytes of its files."""

    n_passes: int = 0
    n_rows: int = 0
    n_bytes: int = 0


class Source(ABC):
    """A table whose rows can be read in order, any number of times.

    Attributes
    ----------
    columns : list, or None
        Names of the columns; None for arrays without names. Those of pandas may be numbers.
    n_columns : int
        Number of columns.
    library : str or None
        Library of the frames of which batches consist.
    """

    columns: list[Any] | None
    n_columns: int
    library: str | None = None

    @abstractmethod
    def n_rows(self) -> int | None:
        """Return the number of rows if it is known without reading them."""

    @abstractmethod
    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        """Read all rows in order, in batches of at most ``n_rows``, with these columns."""

    def n_bytes(self, columns: Sequence[Any]) -> int:
        """Return the bytes of files that a pass over these columns reads, or 0 if not known."""
        del columns
        return 0

    def buffer_bytes(self, columns: Sequence[Any]) -> int:
        """Return the memory that reading these columns takes beside the batches."""
        del columns
        return 0

    def files(self) -> list[tuple[str, Any]] | None:
        """Return the files that are read, each with its filesystem of pyarrow, or None if local.

        The result is None if they are not known. Tables in memory read none.
        """
        return []

    def file_digests(self) -> dict[str, str]:
        """Return a text for the content of each file; it is empty for tables in memory.

        Other machines compare it, to see whether they read the same files.
        """
        return {}

    def describe(self) -> str:
        """Return a few words about the source, for messages."""
        return "table in memory"

    def named(self) -> str:
        """Return how a sentence names the source, for messages."""
        return f"the {self.describe()}"

    def check_column(self, name: Any, parameter: str) -> None:
        """Raise ValueError unless the source has a column of this name."""
        if self.columns is None:
            raise ValueError(
                f"{parameter}={name!r} names a column, but the columns of {self.named()} "
                f"have no names. Pass {parameter} as an array with one value for each row."
            )
        if name not in self.columns:
            raise ValueError(
                f"{parameter}={name!r} is not a column of {self.named()}."
                f"{did_you_mean(name, self.columns)}"
            )


# Bytes at the end of a file by which it is recognized. Those of Parquet files describe all parts.
_TAIL = 1 << 16


def digest_of_file(path: str, filesystem: Any = None) -> str:
    """Return a text for the size and the end of a file; ValueError if it cannot be read."""
    try:
        if filesystem is None:
            with open(path, "rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - _TAIL))
                tail = file.read()
        else:
            with filesystem.open_input_file(path) as file:
                size = file.size()
                file.seek(max(0, size - _TAIL))
                tail = file.read()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    return f"{size}-{hashlib.blake2b(tail, digest_size=8).hexdigest()}"
