"""Tables from files, for the command line and for reports."""

from __future__ import annotations

import gzip
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from silvics._names import one_line
from silvics._sources.destination import is_same_file

_SAMPLE = 65_536  # bytes that are looked at to find the delimiter
_SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".xlsx": "excel", ".xls": "excel",
    ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip

# Other words, such as "unknown" or "?", may be levels. The report says where they occur.
_MISSING = ["", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A"]


class TableError(ValueError):
    """A file that cannot be read as a table; the message says why."""


def read_table(path: str | os.PathLike[str]) -> Any:
    """Read a table from a file.

    The format follows from the ending of the name: CSV, TSV, Parquet, Arrow, Excel or JSON lines.
    "-" reads CSV from the standard input. The delimiter of a text file is found from its lines.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    table : polars.DataFrame
        The table.
    """
    if not find_spec("polars"):
        raise TableError(
            "Reading files needs polars. Install it with: pip install 'silvics[report]'."
        )
    if str(path) == "-":
        return _text(sys.stdin.buffer.read(), "the standard input")
    path = Path(path)
    if path.is_dir():
        raise TableError(f"{path} is a folder. Name a file.")
    if not path.exists():
        raise TableError(f"There is no file {path}.")
    name = path.name.lower().removesuffix(".gz")
    kind = _SUFFIXES.get(Path(name).suffix)
    if kind is None:
        known = ", ".join(sorted(_SUFFIXES))
        raise TableError(f"The format of {path} is not known. Endings that are known: {known}.")
    if path.stat().st_size == 0:
        raise TableError(f"{path} is empty.")
    try:
        table = _read(path, kind)
    except TableError:
        raise
    except Exception as error:  # of polars, which has many kinds
        raise TableError(f"{path} cannot be read as {kind}: {_first_line(error)}") from error
    if not table.height or not table.width:
        raise TableError(f"{path} has no rows.")
    return table


def _read(path: Path, kind: str) -> Any:
    import polars as pl

    if kind == "csv":
        if path.name.lower().endswith(".gz"):
            return _text(gzip.decompress(path.read_bytes()), str(path))
        return _text(path.read_bytes(), str(path))
    if kind == "parquet":
        return pl.read_parquet(path)
    if kind == "arrow":
        return pl.read_ipc(path)
    if kind == "jsonl":
        return pl.read_ndjson(path, infer_schema_length=10_000)
    if not find_spec("fastexcel"):
        raise TableError("Excel files need fastexcel. Install: pip install 'silvics[report]'.")
    return pl.read_excel(path)


def _text(content: bytes, what: str) -> Any:
    """Read delimited text: find its encoding and its delimiter, and the types of its columns."""
    import polars as pl

    content = _as_utf8(content, what)
    if not content.strip():
        raise TableError(f"{what} is empty.")
    delimiter = _delimiter(content[:_SAMPLE].decode("utf-8", errors="ignore"))
    try:
        table = pl.read_csv(
            content, separator=delimiter, infer_schema_length=None, try_parse_dates=True,
            null_values=_MISSING,
        )  # fmt: skip
    except Exception as error:
        raise TableError(
            f"{what} cannot be read as text with the delimiter {delimiter!r}: {_first_line(error)}"
        ) from error
    if not table.height:
        raise TableError(f"{what} has a line of names, but no rows.")
    # Quotes within a name are doubled, and polars leaves them so.
    return table.rename({name: name.replace('""', '"') for name in table.columns})


def _as_utf8(content: bytes, what: str) -> bytes:
    marks = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    for start, encoding in marks.items():
        if content.startswith(start):
            return content.decode(encoding, errors="replace").encode()
    if b"\0" in content[:_SAMPLE]:
        raise TableError(f"{what} is not text. If it is Parquet or Arrow, name it so.")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace").encode()
    return content


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the same number of columns, above one, in most lines."""
    lines = [line for line in text.splitlines()[:50] if line.strip()]
    if len(lines) > 2:
        lines = lines[:-1]  # the last one may be cut off
    best, found = (0.0, 0), ","
    for delimiter in (",", "\t", ";", "|"):
        counts = [_outside_quotes(line, delimiter) for line in lines]
        same = sum(count == counts[0] for count in counts) / max(len(counts), 1)
        if counts and counts[0] and (same, counts[0]) > best:
            best, found = (same, counts[0]), delimiter
    return found


def _outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def check_not_read(option: str, out: str | None, *read: str | None) -> None:
    """Raise TableError if a file that is written would replace one that is read."""
    for path in read:
        if out is not None and path is not None and is_same_file(out, path):
            raise TableError(
                f"{option} {out} would replace {path}, which is read. Name another file."
            )


def write_table(table: Any, path: str | None) -> None:
    """Write a table to a file by the ending of its name, or as CSV to the standard output."""
    if path is None or path == "-":
        table.write_csv(sys.stdout.buffer)
        return
    kind = _SUFFIXES.get(Path(path).suffix.lower())
    writers = {
        "csv": lambda to: table.write_csv(to, separator="\t" if path.endswith(".tsv") else ","),
        "parquet": table.write_parquet,
        "arrow": table.write_ipc,
        "jsonl": table.write_ndjson,
    }
    if kind not in writers:
        known = ".csv, .tsv, .parquet, .arrow or .jsonl"
        raise TableError(f"Tables are written as {known}, not as {path}.")
    part = Path(path).with_name(f".{Path(path).name}.part")
    try:
        with part.open("wb") as file:
            writers[kind](file)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _first_line(error: BaseException) -> str:
    return one_line(str(error).strip().splitlines()[0] if str(error).strip() else repr(error))
