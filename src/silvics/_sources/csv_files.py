"""CSV files, whose types are those of the first rows, and become wider when rows need it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

# How pyarrow says that a value is not of the type that the first rows of its column have.
_NOT_OF_TYPE = re.compile(r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\w+)")


def wider(a: str, b: str) -> str | None:
    """Return the type of numbers that includes two types, or None; "null" has no values at all."""
    if a == b or b == "null":
        return a
    if a == "null":
        return b
    return "double" if {a, b} == {"int64", "double"} else None


class CsvReader:
    """The rows of one CSV file.

    Parameters
    ----------
    path : str
        The file.
    filesystem : filesystem of pyarrow, or None
        Where it is.
    """

    def __init__(self, path: str, filesystem: Any) -> None:
        self._path, self._filesystem = path, filesystem
        self._names: list[str] = []
        self._types: dict[str, str] = {}  # of columns whose first rows do not decide
        self._empty_first: set[str] = set()

    def schema(self) -> Any:
        """Return the names of the columns, and the types of the first rows."""
        with self._opened([]) as reader:
            self._names = reader.schema.names
            return reader.schema

    def set_type(self, name: str, kind: str) -> None:
        """Read a column with this type."""
        self._types[name] = kind

    def _opened(self, columns: Sequence[str]) -> Any:
        import pyarrow as pa
        from pyarrow import csv

        kinds = {"double": pa.float64(), "string": pa.string()}
        chosen = csv.ConvertOptions(
            include_columns=list(columns),
            strings_can_be_null=True,
            column_types={
                name: kinds.get(kind) or pa.type_for_alias(kind)
                for name, kind in self._types.items()
            },
        )
        source = self._path
        if self._filesystem is not None:
            source = self._filesystem.open_input_stream(self._path)
        return csv.open_csv(source, convert_options=chosen)

    def tables(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        """Read the rows in order; from where a type proves too narrow, with a wider one."""
        import pyarrow as pa

        done = 0
        while True:
            try:
                for table in _from(self._opened(columns), done):
                    for first in range(0, len(table), n_rows):
                        piece = table.slice(first, n_rows)
                        done += len(piece)
                        yield piece
                return
            except pa.ArrowInvalid as error:
                if not self._widen(str(error)):
                    raise

    def _widen(self, text: str) -> bool:
        """Take a wider type for the column of an error; False if there is none."""
        found = _NOT_OF_TYPE.search(text)
        if found is None:
            return False
        name, kind = self._names[int(found[1])], found[2]
        if kind == "null":
            self._empty_first.add(name)
        if kind in ("null", "int64"):
            self._types[name] = "double"
        elif kind == "double" and name in self._empty_first:
            self._types[name] = "string"
        else:
            return False
        return True


def _from(reader: Any, first: int) -> Iterator[Any]:
    """Yield the rows from ``first`` on."""
    import pyarrow as pa

    with reader:
        begin = 0
        for batch in reader:
            end = begin + batch.num_rows
            if end > first:
                yield pa.table(batch).slice(max(first - begin, 0))
            begin = end
