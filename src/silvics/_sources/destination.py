"""The Parquet file to which predictions are written, which must not be one that is read."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from silvics._sources.locating import located, on_this_machine, without_views
from silvics._sources.source import Source

_SUFFIXES = (".parquet", ".pq")


def is_same_file(path: str, other: str) -> bool:
    """Return whether two paths on this machine lead to one file, also through links."""
    try:
        return os.path.samefile(path, other)
    except OSError:  # one of them does not exist
        return False


class Destination:
    """A Parquet file that is written batch by batch, here or on another filesystem.

    Parameters
    ----------
    to : str or path
        A path, or an address such as ``"s3://bucket/predicted.parquet"``.
    """

    def __init__(self, to: Any) -> None:
        if not isinstance(to, str | os.PathLike):
            raise TypeError(f"to must be the path of a Parquet file, got {type(to).__name__}.")
        self._to = os.fspath(to)
        if not self._to.lower().endswith(_SUFFIXES):
            raise ValueError(
                f"to={self._to!r} must end in .parquet or .pq: predictions are written as Parquet."
            )
        self._path, self._filesystem = located(self._to, None)
        # The file takes its name when it is complete.
        self._unfinished = f"{self._path}.part"
        self._here = on_this_machine(self._path, self._filesystem)
        folder = None if self._here is None else os.path.dirname(self._here)
        if folder and not os.path.isdir(folder):
            raise FileNotFoundError(f"There is no folder {folder!r}, in which to={self._to!r} is.")
        if self._here is not None and os.path.isdir(self._here):
            raise IsADirectoryError(f"to={self._to!r} is a folder. Name a file.")

    def check_not_read(self, source: Source) -> None:
        """Raise ValueError if writing would replace a file from which a source reads."""
        files = source.files()
        if files is None:
            if self._exists():
                raise ValueError(
                    f"to={self._to!r} exists, and the {source.describe()} that is predicted may "
                    "read it. Name a new file, or delete that one first."
                )
            return
        for path, filesystem in files:
            if self._replaces(path, filesystem):
                raise ValueError(
                    f"to={self._to!r} would replace {path}, from which the table is read. Name "
                    "another file."
                )

    def _exists(self) -> bool:
        """Return whether there is a file of this name, or of that of the unfinished file."""
        if self._here is not None:
            return os.path.lexists(self._here) or os.path.lexists(f"{self._here}.part")
        infos = self._filesystem.get_file_info([self._path, self._unfinished])
        return any(info.type.name != "NotFound" for info in infos)

    def _replaces(self, path: str, filesystem: Any) -> bool:
        here = on_this_machine(path, filesystem)
        if here is not None or self._here is not None:
            if here is None or self._here is None:
                return False
            return is_same_file(here, self._here) or is_same_file(here, f"{self._here}.part")
        # A place may be opened through several filesystems, so that only paths are compared.
        read = _plain(path, filesystem)
        return read in (
            _plain(self._path, self._filesystem),
            _plain(self._unfinished, self._filesystem),
        )

    def write(self, tables: Iterator[Any]) -> None:
        """Write tables of pyarrow one after another; nothing is left of an unfinished file."""
        import pyarrow.fs
        import pyarrow.parquet

        filesystem = self._filesystem or pyarrow.fs.LocalFileSystem()
        sink: Any = None
        writer: Any = None
        try:
            for table in tables:
                if sink is None:
                    sink = filesystem.open_output_stream(self._unfinished)
                    writer = pyarrow.parquet.ParquetWriter(sink, table.schema)
                writer.write_table(table)
            if sink is not None:
                writer.close()
                sink.close()
                filesystem.move(self._unfinished, self._path)
        except BaseException:
            for opened in (writer, sink):
                if opened is not None:
                    with suppress(OSError, ValueError):
                        opened.close()
            if sink is not None:
                with suppress(OSError):
                    filesystem.delete_file(self._unfinished)
            raise


def _plain(path: str, filesystem: Any) -> str:
    """Return a path on another filesystem in one form."""
    return posixpath.normpath(without_views(path, filesystem)[0]).strip("/")
