"""The files that paths, folders, patterns and addresses mean, here or on another filesystem."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

SUFFIXES = {
    ".parquet": "parquet", ".pq": "parquet", ".feather": "ipc", ".arrow": "ipc", ".ipc": "ipc",
    ".csv": "csv", ".csv.gz": "csv",
}  # fmt: skip
_MISSING_KEY = "__HIVE_DEFAULT_PARTITION__"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def format_of(path: str, given: str | None) -> str:
    """Return the format of a file by its name, unless it is given."""
    if given is not None:
        return given
    for suffix, name in SUFFIXES.items():
        if path.lower().endswith(suffix):
            return name
    raise ValueError(
        f"scan cannot tell the format of {path!r} by its name. Pass format=, one of 'parquet', "
        "'ipc' and 'csv'."
    )


def located(path: str, filesystem: Any) -> tuple[str, Any]:
    """Return the path within a filesystem of pyarrow, and that; None for local files.

    Addresses such as ``s3://bucket/data`` are opened by fsspec, or by pyarrow without it.
    """
    if filesystem is not None:
        return path, arrow_filesystem(filesystem)
    if not _ADDRESS.match(path):
        return path, None
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        from pyarrow.fs import FileSystem

        try:
            found, inner = FileSystem.from_uri(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be opened: {error}. Install fsspec.") from error
        return inner, found
    try:
        opened, inner = url_to_fs(path)
    except (ImportError, ValueError, OSError) as error:
        raise ValueError(f"{path} cannot be opened: {error}") from error
    return inner, arrow_filesystem(opened)


def arrow_filesystem(filesystem: Any) -> Any:
    """Return a filesystem of pyarrow or fsspec as one of pyarrow."""
    import pyarrow.fs as arrow

    if isinstance(filesystem, arrow.FileSystem):
        return filesystem
    return arrow.PyFileSystem(arrow.FSSpecHandler(filesystem))


def without_views(path: str, filesystem: Any) -> tuple[str, Any]:
    """Return a path and its filesystem; those that show a part of another give that one."""
    while filesystem is not None:
        inner = getattr(getattr(filesystem, "handler", None), "fs", filesystem)
        base = getattr(inner, "base_path", None) or getattr(inner, "path", None)  # a folder of it
        below = getattr(inner, "base_fs", None) or getattr(inner, "fs", None)
        if below is None:
            return path, inner
        filesystem = below
        if isinstance(base, str):
            path = f"{base.rstrip('/')}/{path.lstrip('/')}"
    return path, None


def on_this_machine(path: str, filesystem: Any) -> str | None:
    """Return the path of a file on this machine; None for other filesystems."""
    path, inner = without_views(path, filesystem)
    if inner is None or type(inner).__name__ == "LocalFileSystem":  # of pyarrow or fsspec
        return path
    return None


def files_of(path: str, filesystem: Any) -> dict[str, dict[str, Any]]:
    """Return the files that a path, a folder or a pattern means, with the columns of folders."""
    if filesystem is None:
        return _local(path)
    from pyarrow.fs import FileSelector, FileType

    is_pattern = glob.has_magic(path)
    info = filesystem.get_file_info(path)
    if info.type == FileType.File:
        return {path: {}}
    if not is_pattern and info.type != FileType.Directory:
        raise FileNotFoundError(f"scan finds no file for {path!r}.")
    root = _root_of(path) if is_pattern else path
    selector = FileSelector(root, recursive=True, allow_not_found=True)
    found = [of.path for of in filesystem.get_file_info(selector) if of.type == FileType.File]
    if is_pattern:
        parts = PurePosixPath(path).parts
        found = [name for name in found if _matches(PurePosixPath(name).parts, parts)]
    else:
        found = _of_folder(found, root)
    return _with_keys(found, root, path)


def _local(path: str) -> dict[str, dict[str, Any]]:
    root = path
    if os.path.isdir(path):
        every = glob.glob(os.path.join(glob.escape(path), "**", "*"), recursive=True)
        found = _of_folder([name for name in every if os.path.isfile(name)], path)
    elif glob.has_magic(path) and not os.path.exists(path):
        found = [name for name in glob.glob(path, recursive=True) if os.path.isfile(name)]
        root = _root_of(path)
    else:
        found = [path] if os.path.isfile(path) else []
        root = os.path.dirname(path)
    return _with_keys(found, root, path)


def _with_keys(found: list[str], root: str, path: str) -> dict[str, dict[str, Any]]:
    if not found:
        raise FileNotFoundError(f"scan finds no file for {path!r}.")
    return same_types({name: keys_of(name, root) for name in found})


def _of_folder(files: list[str], root: str) -> list[str]:
    """Return the Parquet files of a folder, or those of another format if it has none.

    Files and folders whose names begin with a dot or an underscore are marks of other programs.
    """
    n = len(PurePosixPath(root.replace(os.sep, "/")).parts)
    shown = [
        name
        for name in files
        if not any(
            part.startswith((".", "_")) and "=" not in part
            for part in PurePosixPath(name.replace(os.sep, "/")).parts[n:]
        )
    ]
    known = {
        name: of for name in shown for end, of in SUFFIXES.items() if name.lower().endswith(end)
    }
    parquet = [name for name, of in known.items() if of == "parquet"]
    return parquet or list(known)


def _root_of(pattern: str) -> str:
    """Return the folder before the first part of a pattern that has a wildcard."""
    parts = PurePosixPath(pattern.replace(os.sep, "/")).parts
    fixed = []
    for part in parts[:-1]:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return str(PurePosixPath(*fixed)) if fixed else ""


def _matches(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if not parts or not pattern:
        return not parts and (not pattern or all(part == "**" for part in pattern))
    if pattern[0] == "**":
        return _matches(parts, pattern[1:]) or _matches(parts[1:], pattern)
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def keys_of(path: str, root: str) -> dict[str, str | None]:
    """Return the columns that folders named ``key=value`` below the root give (Hive)."""
    n = len(PurePosixPath(root.replace(os.sep, "/")).parts)
    below = PurePosixPath(path.replace(os.sep, "/")).parts[n:-1]
    pairs = [part.split("=", 1) for part in below if "=" in part]
    return {key: None if text == _MISSING_KEY else unquote(text) for key, text in pairs}


def same_types(keys: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the columns of folders with whole numbers for those whose values all are."""
    numbers = {
        key
        for of in keys.values()
        for key in of
        if all(_is_whole(other[key]) for other in keys.values() if other.get(key) is not None)
    }
    return {
        path: {
            key: int(text) if key in numbers and text is not None else text
            for key, text in of.items()
        }
        for path, of in keys.items()
    }


def _is_whole(text: str) -> bool:
    """Return whether a text is a whole number in its usual form: 007 may be a code."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,17}", text) is not None
