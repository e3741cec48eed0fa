"""Sources in memory, and lazy frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._frames import library_of
from silvics._sources.mapped import release
from silvics._sources.source import Batch, Source, with_columns


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

    def files(self) -> None:
        return None  # the plan of polars does not tell them

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
