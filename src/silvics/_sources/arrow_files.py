"""Files that pyarrow reads: Parquet, Feather or IPC, and CSV; one or many, also partitioned."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from silvics._sources.source import Batch, Source, digest_of_file

_FILES_AT_ONCE = 16

_SUFFIXES = {
    ".parquet": "parquet", ".pq": "parquet", ".feather": "ipc", ".arrow": "ipc", ".ipc": "ipc",
    ".csv": "csv", ".csv.gz": "csv",
}  # fmt: skip


def format_of(path: str, given: str | None) -> str:
    """Return the format of a file by its name, unless it is given."""
    if given is not None:
        return given
    for suffix, name in _SUFFIXES.items():
        if path.lower().endswith(suffix):
            return name
    raise ValueError(
        f"scan cannot tell the format of {path!r} by its name. Pass format=, one of 'parquet', "
        "'ipc' and 'csv'."
    )


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
            table = table.append_column(name, pa.array([value] * len(table)))
    return table.select(list(columns))


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
            self.types[name] = type(value).__name__

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

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        """Read the rows in order."""
        raise NotImplementedError

    def n_bytes(self, columns: Sequence[Any]) -> int:
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
            buffer_size=1 << 20,
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
        wanted, groups = set(columns), range(self._metadata.num_row_groups)
        return sum(
            chunk.total_compressed_size
            for group in map(self._metadata.row_group, groups)
            for chunk in map(group.column, range(group.num_columns))
            if chunk.path_in_schema.split(".")[0] in wanted
        )


class _IpcFile(_ArrowFile):
    def _reader(self, columns: Sequence[str] | None = None) -> Any:
        import pyarrow as pa

        source = self.path
        if self.filesystem is not None:
            source = self.filesystem.open_input_file(self.path)
        else:
            source = pa.OSFile(self.path)
        if columns is None:
            return pa.ipc.open_file(source)
        fields = [self._names.index(name) for name in columns]
        return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields))

    def _open(self) -> Any:
        reader = self._reader()
        self._names = reader.schema.names
        self.n_rows = reader.count_rows() if hasattr(reader, "count_rows") else None
        return reader.schema

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        import pyarrow as pa

        reader = self._reader(columns)
        for i in range(reader.num_record_batches):
            table = pa.table(reader.get_batch(i))
            for first in range(0, len(table), n_rows):
                yield table.slice(first, n_rows)


class _CsvFile(_ArrowFile):
    def _reader(self, columns: Sequence[str] | None = None) -> Any:
        import pyarrow.csv as csv

        chosen = csv.ConvertOptions(include_columns=list(columns or []), strings_can_be_null=True)
        source = self.path
        if self.filesystem is not None:
            source = self.filesystem.open_input_stream(self.path)
        return csv.open_csv(source, convert_options=chosen)

    def _open(self) -> Any:
        with self._reader() as reader:
            return reader.schema

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        import pyarrow as pa

        with self._reader(columns) as reader:
            for batch in reader:
                table = pa.table(batch)
                for first in range(0, len(table), n_rows):
                    yield table.slice(first, n_rows)


_OPENERS = {"parquet": _ParquetFile, "ipc": _IpcFile, "csv": _CsvFile}
