"""Safetensors containers: named arrays and metadata, with a checksum.

The first eight bytes are the length of the header, which is JSON. The arrays follow without gaps
until the end of the file. The checksum is the first entry of the header; it is computed over all
bytes, with zeros in place of the checksum.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from silvics import _core

FORMAT_VERSION = 1

_TYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"), "I64": np.dtype("<i8"), "U64": np.dtype("<u8"),
    "F32": np.dtype("<f4"), "I32": np.dtype("<i4"), "U32": np.dtype("<u4"),
    "I16": np.dtype("<i2"), "U16": np.dtype("<u2"), "I8": np.dtype("i1"), "U8": np.dtype("u1"),
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _TYPES.items()}

_BEGIN = b'{"__metadata__":{"checksum":"'
_DIGITS = slice(8 + len(_BEGIN), 8 + len(_BEGIN) + 16)
_NO_SUM = b"0" * 16
_LINE = 64  # arrays are aligned to cache lines
_HEAD = _DIGITS.stop + -_DIGITS.stop % _LINE
_LONGEST_HEADER = 100_000_000  # limit of the readers of safetensors


class ModelFileError(ValueError):
    """Error raised by :func:`silvics.load` if a file is not a valid model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import silvics
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.silvics")
    ...     written = path.write_bytes(b"no model")
    ...     try:
    ...         silvics.load(path)
    ...     except silvics.ModelFileError as error:
    ...         print(error)
    Not a valid model file: 8 bytes are too few.
    """


def refuse(what: str) -> NoReturn:
    """Raise ModelFileError with the reason."""
    raise ModelFileError(f"Not a valid model file: {what}.")


# ---- writing


def _parts(metadata: dict[str, str], arrays: dict[str, np.ndarray]) -> Iterator[memoryview]:
    """Yield the bytes of a container, with zeros as its checksum."""
    ordered = sorted(arrays, key=lambda name: -arrays[name].itemsize)  # keeps all arrays aligned
    header: dict[str, Any] = {"__metadata__": {"checksum": _NO_SUM.decode(), **metadata}}
    flat = {name: np.ascontiguousarray(arrays[name]) for name in ordered}
    begin = 0
    for name, array in flat.items():
        end = begin + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        begin = end
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    assert text.startswith(_BEGIN)
    if len(text) > _LONGEST_HEADER:
        raise ValueError(
            "The names and levels of this model take more than 100 MB, the maximum size of the "
            "header. Use shorter or fewer names and levels."
        )
    padded = len(text) + -(8 + len(text)) % _LINE
    yield memoryview(padded.to_bytes(8, "little") + text.ljust(padded))
    for array in flat.values():
        yield array.reshape(-1).view(np.uint8).data


def _sum_of(content: np.ndarray) -> bytes:
    """Compute the checksum of a container, whatever its stored checksum is."""
    head = content[:_HEAD].copy()
    head[_DIGITS] = np.frombuffer(_NO_SUM, dtype=np.uint8)
    return b"%016x" % _core.checksum(head, content[_HEAD:])


def to_bytes(metadata: dict[str, str], arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return the container as an array of bytes."""
    parts = list(_parts(metadata, arrays))
    content = np.empty(sum(len(part) for part in parts), dtype=np.uint8)
    at = 0
    for part in parts:
        content[at : at + len(part)] = part
        at += len(part)
    content[_DIGITS] = np.frombuffer(_sum_of(content), dtype=np.uint8)
    return content


def write(
    path: Any, metadata: dict[str, str], arrays: dict[str, np.ndarray], *, sync: bool = True
) -> None:
    """Write a container atomically: an existing file is replaced when the new one is complete.

    With ``sync=False``, a file that is damaged after a loss of power is accepted, since it can be
    made again: its checksum tells.
    """
    target = Path(os.path.realpath(os.fsdecode(path)))
    if target.exists() and not target.is_file():
        raise ValueError(f"path={str(path)!r} exists and is not a regular file. Use another path.")
    # The temporary name has only a part of the name, which may have the maximum length.
    beside = target.with_name(f".{target.name[:40]}.{os.getpid()}-{os.urandom(4).hex()}")
    # Files of the module tempfile would not be readable by other users.
    binary = getattr(os, "O_BINARY", 0)  # on Windows
    descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | binary, 0o666)
    try:
        with os.fdopen(descriptor, "r+b") as file:
            for part in _parts(metadata, arrays):
                file.write(part)
            file.flush()
            # The mapping is closed with the last array that refers to it.
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
            digits = _sum_of(np.frombuffer(mapped, dtype=np.uint8))
            del mapped  # Windows does not rename a mapped file
            file.seek(_DIGITS.start)
            file.write(digits)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if sync:
        _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Write the folder to disk, on systems that support it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


# ---- reading


def read(path: Any, memory_map: bool) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return the metadata and arrays of a file; they are views of the mapped memory if mapped."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < _DIGITS.stop:
            refuse(f"{size} bytes are too few")
        if memory_map:
            content = np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), dtype=np.uint8)
        else:
            content = np.fromfile(file, dtype=np.uint8)
    return from_bytes(content)


def from_bytes(content: np.ndarray) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return the metadata of a container, and its arrays as views."""
    size = len(content)
    if size < _DIGITS.stop or content[8 : _DIGITS.start].tobytes() != _BEGIN:
        refuse("it does not have the beginning of a model file")
    length = int.from_bytes(content[:8].tobytes(), "little")
    if length > min(size - 8, _LONGEST_HEADER):
        refuse("the header is longer than the file")
    if content[_DIGITS].tobytes() != _sum_of(content):
        refuse("the checksum does not match the content, which is damaged or truncated")
    header = parsed(content[8 : 8 + length].tobytes())
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        refuse("the header has no valid metadata")
    if len(metadata.pop("checksum")) != len(_NO_SUM):
        refuse("the checksum has a wrong length")
    data = content[8 + length :]
    return metadata, _arrays(header, data)


def parsed(text: bytes) -> dict[str, Any]:
    """Parse a JSON object, without repeated names, NaN and infinity."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            refuse("a name occurs twice in the header")
        return made

    def constant(name: str) -> NoReturn:
        refuse(f"the header has {name}, which is not allowed in JSON")

    try:
        made = json.loads(text.decode(), object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        refuse(f"the header is not JSON ({error})")
    if not isinstance(made, dict):
        refuse("the header is not an object")
    return made


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _arrays(header: dict[str, Any], data: np.ndarray) -> dict[str, np.ndarray]:
    arrays = {}
    spans = []
    for name, entry in header.items():
        if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
            refuse(f"the header does not describe the array {name!r}")
        dtype, shape, offsets = (entry[key] for key in ("dtype", "shape", "data_offsets"))
        if not isinstance(dtype, str) or dtype not in _TYPES:
            refuse(f"the array {name!r} has the unsupported type {dtype!r}")
        for numbers in (shape, offsets):
            if not isinstance(numbers, list) or not all(map(_is_size, numbers)):
                refuse(f"the array {name!r} has an invalid shape or offset")
        if len(offsets) != 2 or not offsets[0] <= offsets[1] <= len(data) or len(shape) > 8:
            refuse(f"the array {name!r} is not within the file")
        begin, end = offsets
        if math.prod(max(n, 1) for n in shape) > 2**48:  # also if another dimension is zero
            refuse(f"the array {name!r} has an invalid shape")
        if math.prod(shape) * _TYPES[dtype].itemsize != end - begin:
            refuse(f"the size of the array {name!r} does not match its shape")
        array = data[begin:end].view(_TYPES[dtype]).reshape(shape)
        arrays[name] = array if array.flags.aligned else array.copy()
        spans.append((begin, end))
    at = 0
    for begin, end in sorted(spans):
        if begin != at:
            refuse("arrays overlap, or leave a gap")
        at = end
    if at != len(data):
        refuse("the file has data after its arrays")
    return arrays
