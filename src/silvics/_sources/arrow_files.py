"""Files that pyarrow reads: Parquet, Feather or IPC, and CSV; one or many, also partitioned."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from silvics._sources.csv_files import CsvReader, wider
from silvics._sources.source import Batch, Source, digest_of_file

_FILES_AT_ONCE = 16


class ArrowFiles(Source):
    """Files of one format with the same columns, read one after another, sorted by path.

    Parameters
    ----------
    paths : mapping of str to mapping
        The files, and for each the columns that the names of its folders give.
    form : {"parquet", "ipc", "csv"}
        Their format.
    filesystem : filesystem of pyarrow, or None
        Where they are.
    """

    library = "pyarrow"

    def __init__(self, paths: Mapping[str, Mapping[str, Any]], form: str, filesystem: Any) -> None:
        opened = _OPENERS[form]
        self._files = [opened(path, paths[path], filesystem) for path in sorted(paths)]
        _agree(self._files)
        first = self._files[0]
        self.columns = list(first.types)
        self.n_columns = len(self.columns)
        for other in self._files[1:]:
            _check_same(first, other)

    def n_rows(self) -> int | None:
        counts = [file.n_rows for file in self._files]
        return None if None in counts else sum(n for n in counts if n is not None)

    def n_bytes(self, columns: Sequence[Any]) -> int:
        return sum(file.n_bytes(columns) for file in self._files)

    def buffer_bytes(self, columns: Sequence[Any]) -> int:
        return self._files[0].buffer_bytes(columns)

    def files(self) -> list[tuple[str, Any]]:
        return [(file.path, file.filesystem) for file in self._files]

    def file_digests(self) -> dict[str, str]:
        with ThreadPoolExecutor(_FILES_AT_ONCE) as pool:
            found = pool.map(lambda file: digest_of_file(file.path, file.filesystem), self._files)
            return dict(zip([file.path for file in self._files], found, strict=True))

    def describe(self) -> str:
        n = len(self._files)
        return self._files[0].path if n == 1 else f"{n} files from {self._files[0].path} on"

    def named(self) -> str:
        return self.describe()

    def batches(self, columns: Sequence[Any], n_rows: int) -> Iterator[Batch]:
        import pyarrow as pa

        first = 0
        for file in self._files:
            before = first
            try:
                file.check_unchanged()
                for table in file.tables([c for c in columns if c not in file.keys], n_rows):
                    if not len(table):
                        continue
                    last = first - before + len(table) - 1
                    where = f"{file.path}, rows {first - before} to {last}"
                    yield Batch(first, _with_keys(table, file, columns), where)
                    first += len(table)
            except (pa.ArrowException, OSError) as error:
                raise ValueError(
                    f"{file.path} cannot be read after its row {first - before}: {error}"
                ) from error
            if file.n_rows is not None and first - before != file.n_rows:
                raise ValueError(
                    f"{file.path} has {first - before} rows, but {file.n_rows} rows were found "
                    "when it was opened. It has been changed meanwhile: scan it again."
                )


def _with_keys(table: Any, file: Any, columns: Sequence[Any]) -> Any:
    """Add the columns that the names of folders give."""
    import pyarrow as pa

    for name, value in file.keys.items():
        if name in columns:
            kind = pa.string() if isinstance(value, str) or value is None else pa.int64()
            table = table.append_column(name, pa.array([value] * len(table), kind))
    return table.select(list(columns))


def _agree(files: Sequence[_ArrowFile]) -> None:
    """Give columns that have no type of their own in some files the type that includes all."""
    for name in {name for file in files for name in file.types}:
        kinds = [file.types[name] for file in files if name in file.types]
        whole = kinds[0]
        for kind in kinds[1:]:
            whole = wider(whole, kind) or whole
        for file in files:
            if wider(file.types.get(name, whole), whole) == whole:
                file.set_type(name, whole)


def _check_same(first: Any, other: Any) -> None:
    """Raise ValueError unless two files have the same columns with the same types."""
    for name, kind in first.types.items():
        if name not in other.types:
            raise ValueError(
                f"{other.path} has no column {name!r}, which {first.path} has. All files of a scan "
                "must have the same columns."
            )
        if other.types[name] != kind:
            raise ValueError(
                f"Column {name!r} has the type {other.types[name]} in {other.path}, but {kind} in "
                f"{first.path}. Convert one of the files, so that all have the same type."
            )
    more = [name for name in other.types if name not in first.types]
    if more:
        raise ValueError(
            f"{other.path} has a column {more[0]!r}, which {first.path} does not have. All files "
            "of a scan must have the same columns."
        )


class _ArrowFile:
    """One file: its columns and types, the number of its rows if known, and its reader."""

    n_rows: int | None = None

    def __init__(self, path: str, keys: Mapping[str, Any], filesystem: Any) -> None:
        import pyarrow as pa

        self.path, self.filesystem = path, filesystem
        try:
            self._stamp = self._current_stamp()
            columns = [(column.name, column.type) for column in self._open()]
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} cannot be opened: {error}") from error
        self.types: dict[str, str] = {}
        for name, kind in columns:
            if name in self.types:
                raise ValueError(f"{path} has two columns named {name!r}.")
            self.types[name] = _type_name(kind)
        self.keys = {name: value for name, value in keys.items() if name not in self.types}
        for name, value in self.keys.items():
            self.types[name] = "int64" if isinstance(value, int) else "string"

    def _open(self) -> Any:
        """Read what describes the file, and return its schema."""
        raise NotImplementedError

    def _current_stamp(self) -> tuple[int, int] | None:
        """Return the size and the time of the last change of a local file."""
        if self.filesystem is not None:
            return None
        found = os.stat(self.path)
        return found.st_size, found.st_mtime_ns

    def check_unchanged(self) -> None:
        """Raise ValueError if the file has been changed since it was opened."""
        if self._stamp is not None and self._current_stamp() != self._stamp:
            raise ValueError(
                f"{self.path} has been changed since it was scanned. Scan the files again."
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_stamp": None}  # another machine may have a copy

    def set_type(self, name: str, kind: str) -> None:
        """Read a column with a wider type, if the format does not fix it."""

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        """Read the rows in order."""
        raise NotImplementedError

    def n_bytes(self, columns: Sequence[Any]) -> int:
        del columns
        return 0

    def buffer_bytes(self, columns: Sequence[Any]) -> int:
        del columns
        return 0


def _type_name(kind: Any) -> str:
    """Return a type by name; encoded as a dictionary or not, strings are strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) and not kind.ordered:
        kind = kind.value_type
    return "string" if pa.types.is_large_string(kind) else str(kind)


class _ParquetFile(_ArrowFile):
    def _file(self, metadata: Any = None) -> Any:
        import pyarrow.parquet as pq

        # Columns are read through small buffers, so that memory does not grow with row groups.
        return pq.ParquetFile(
            self.path, filesystem=self.filesystem, metadata=metadata, pre_buffer=False,
            buffer_size=1 << 20, page_checksum_verification=True,
        )  # fmt: skip

    def _open(self) -> Any:
        with self._file() as file:
            self._metadata = file.metadata
            self.n_rows = file.metadata.num_rows
            return file.schema_arrow

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        import pyarrow as pa

        with self._file(self._metadata) as file:
            for batch in file.iter_batches(batch_size=n_rows, columns=list(columns)):
                yield pa.table(batch)

    def n_bytes(self, columns: Sequence[Any]) -> int:
        return compressed_bytes(self._metadata, columns)

    def buffer_bytes(self, columns: Sequence[Any]) -> int:
        return parquet_buffers(self._metadata, columns)


def parquet_buffers(metadata: Any, columns: Sequence[Any]) -> int:
    """Return the memory of the buffer and of the decoded page of each column of a file."""
    if not metadata.num_row_groups:
        return 0
    group, wanted = metadata.row_group(0), set(columns)
    return sum(
        min(chunk.total_compressed_size, 1 << 20) + min(chunk.total_uncompressed_size, 1 << 20)
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema.split(".")[0] in wanted
    )


def compressed_bytes(metadata: Any, columns: Sequence[Any]) -> int:
    """Return the bytes that some columns take in a Parquet file."""
    wanted, groups = set(columns), range(metadata.num_row_groups)
    return sum(
        chunk.total_compressed_size
        for group in map(metadata.row_group, groups)
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema.split(".")[0] in wanted
    )


class _IpcFile(_ArrowFile):
    def _reader(self, columns: Sequence[str] | None = None) -> Any:
        import pyarrow as pa

        source = pa.OSFile(self.path) if self.filesystem is None else None
        if source is None:
            source = self.filesystem.open_input_file(self.path)
        options = None
        if columns is not None:
            fields = [self._names.index(name) for name in columns]
            options = pa.ipc.IpcReadOptions(included_fields=fields)
        magic = bytes(source.read(6))
        source.seek(0)
        if magic[:4] == b"FEA1":
            raise pa.ArrowInvalid(
                "it is a Feather file of version 1, which cannot be read in pieces. Write it again "
                "with version 2"
            )
        opener = pa.ipc.open_file if magic == b"ARROW1" else pa.ipc.open_stream
        if columns is not None and not opener(source).schema.equals(self._schema):
            raise pa.ArrowInvalid("its columns are not those that it had when it was opened")
        source.seek(0)
        return opener(source, options=options)

    def _open(self) -> Any:
        reader = self._reader()
        self._names, self._schema = reader.schema.names, reader.schema
        self.n_rows = reader.count_rows() if hasattr(reader, "count_rows") else None
        return reader.schema

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        import pyarrow as pa

        reader = self._reader(columns)
        n_batches = getattr(reader, "num_record_batches", None)
        batches = reader if n_batches is None else map(reader.get_batch, range(n_batches))
        for batch in batches:
            table = pa.table(batch)
            for first in range(0, len(table), n_rows):
                yield table.slice(first, n_rows)


class _CsvFile(_ArrowFile):
    def _open(self) -> Any:
        self._csv = CsvReader(self.path, self.filesystem)
        return self._csv.schema()

    def set_type(self, name: str, kind: str) -> None:
        if self.types.get(name, kind) != kind:
            self._csv.set_type(name, kind)
            self.types[name] = kind

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        return self._csv.tables(columns, n_rows)


_OPENERS = {"parquet": _ParquetFile, "ipc": _IpcFile, "csv": _CsvFile}
