"""Datasets of pyarrow: several files, partitioned, filtered, on any filesystem, of one schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from silvics._sources.arrow_files import compressed_bytes, parquet_buffers
from silvics._sources.source import Batch, Source


class DatasetSource(Source):
    """The rows of a dataset, in the order of the paths of its files.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        The dataset, which knows the types of all columns, also those of partitions.
    """

    library = "pyarrow"

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.columns = list(dataset.schema.names)
        self.n_columns = len(self.columns)
        # A dataset with a filter does not tell its parts: it is one part.
        self._filtered = bool(getattr(dataset, "_scan_options", None))
        parts = [dataset] if self._filtered else dataset.get_fragments()
        self._fragments = sorted(parts, key=lambda of: getattr(of, "path", ""))

    def n_rows(self) -> int | None:
        if not all(map(_is_parquet, self._fragments)):
            return None
        return sum(of.metadata.num_rows for of in self._fragments)

    def n_bytes(self, columns: Sequence[Any]) -> int:
        if not all(map(_is_parquet, self._fragments)):
            return 0
        return sum(compressed_bytes(of.metadata, columns) for of in self._fragments)

    def buffer_bytes(self, columns: Sequence[Any]) -> int:
        first = next(filter(_is_parquet, self._fragments), None)
        return 0 if first is None else parquet_buffers(first.metadata, columns)

    def files(self) -> list[tuple[str, Any]]:
        return _files_of(self._dataset)

    def describe(self) -> str:
        return f"dataset of {len(self._fragments)} parts"

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        import pyarrow as pa

        first = 0
        for k, fragment in enumerate(self._fragments):
            name, before = getattr(fragment, "path", None) or f"part {k} of the dataset", first
            try:
                for batch in self._scanned(fragment, columns, n_rows):
                    if not batch.num_rows:
                        continue
                    last = first - before + batch.num_rows - 1
                    where = f"{name}, rows {first - before} to {last}"
                    yield Batch(first, pa.table(batch).select(list(columns)), where)
                    first += batch.num_rows
            except (pa.ArrowException, OSError) as error:
                raise ValueError(
                    f"{name} cannot be read after its row {first - before}: {error}"
                ) from error

    def _scanned(self, fragment: Any, columns: Sequence[Any], n_rows: int) -> Iterator[Any]:
        import pyarrow.dataset as ds

        more = {} if self._filtered else {"schema": self._dataset.schema}
        if _is_parquet(fragment):  # through small buffers, as other files
            more["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
                use_buffered_stream=True, buffer_size=1 << 20, pre_buffer=False
            )
        scanner = fragment.scanner(
            columns=list(columns), batch_size=n_rows, batch_readahead=1, fragment_readahead=1,
            **more,
        )  # fmt: skip
        batches: Iterator[Any] = scanner.to_batches()
        return batches


def _files_of(dataset: Any) -> list[tuple[str, Any]]:
    """Return the files of a dataset, or of those of which it is a union."""
    parts = getattr(dataset, "children", None) or []
    files = [(path, dataset.filesystem) for path in getattr(dataset, "files", [])]
    return files + [file for part in parts for file in _files_of(part)]


def _is_parquet(fragment: Any) -> bool:
    return type(fragment).__name__ == "ParquetFileFragment"
