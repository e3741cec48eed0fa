"""Names for the columns of an array that is scanned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from silvics._sources.scanning import Scan
from silvics._sources.source import Batch, Source
from silvics._tables import inputs


def given_names(scan: Scan, feature_names: Any) -> list[str]:
    """Check the names that a user gives the columns of a scan, and return them."""
    if scan.source.columns is not None:
        raise ValueError(
            f"feature_names is only for tables without names, but {scan.source.named()} "
            "has names already."
        )
    named: inputs.NamedTable = inputs.named(np.empty((0, len(scan.columns))), feature_names)
    return named.var_names


def with_names(scan: Scan, feature_names: Any) -> Scan:
    """Return a scan of an array whose columns have names; the same scan if there are none."""
    if feature_names is None:
        return scan
    names = given_names(scan, feature_names)
    return Scan(NamedSource(scan.source, dict(zip(names, scan.columns, strict=True))), names)


class NamedSource(Source):
    """An array whose columns have names that the user has given.

    Parameters
    ----------
    source : Source
        The array.
    places : dict of str to int
        The column of the array that each name means.
    """

    def __init__(self, source: Source, places: dict[str, int]) -> None:
        self._source, self._places = source, places
        self.columns = list(places)
        self.n_columns = len(places)

    def _numbers(self, columns: Sequence[Any]) -> list[int]:
        return [self._places[name] for name in columns]

    def n_rows(self) -> int | None:
        return self._source.n_rows()

    def n_bytes(self, columns: Sequence[Any]) -> int:
        return self._source.n_bytes(self._numbers(columns))

    def buffer_bytes(self, columns: Sequence[Any]) -> int:
        return self._source.buffer_bytes(self._numbers(columns))

    def files(self) -> list[tuple[str, Any]] | None:
        return self._source.files()

    def file_digests(self) -> dict[str, str]:
        return self._source.file_digests()

    def describe(self) -> str:
        return self._source.describe()

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        names = list(columns)
        for batch in self._source.batches(self._numbers(columns), n_rows):
            yield replace(batch, names=names)
