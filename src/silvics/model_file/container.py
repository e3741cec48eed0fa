"""A safetensors container: named arrays and a few words about them, with a checksum.

The first eight bytes tell the length of the header, which is JSON; the arrays follow, one after
the other, nothing between them and nothing after. The checksum, over all bytes with zeros in its
own place, is the first thing in the header.
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
_LINE = 64  # arrays begin at a line of cache
_HEAD = _DIGITS.stop + -_DIGITS.stop % _LINE
_LONGEST_HEADER = 100_000_000  # that readers of safetensors accept


class ModelFileError(ValueError):
    """What is to be loaded is not a valid model file."""


def refuse(what: str) -> NoReturn:
    """Say that a file is not valid, and why."""
    raise ModelFileError(f"Not a valid model file: {what}.")


# ---- writing


def _parts(words: dict[str, str], arrays: dict[str, np.ndarray]) -> Iterator[memoryview]:
    """The bytes of a container, its checksum yet to come."""
    ordered = sorted(arrays, key=lambda name: -arrays[name].itemsize)  # all of them aligned
    header: dict[str, Any] = {"__metadata__": {"checksum": _NO_SUM.decode(), **words}}
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
            "The names and levels of this model take more than 100 MB, which a header cannot hold."
        )
    padded = len(text) + -(8 + len(text)) % _LINE
    yield memoryview(padded.to_bytes(8, "little") + text.ljust(padded))
    for array in flat.values():
        yield array.reshape(-1).view(np.uint8).data


def _sum_of(content: np.ndarray) -> bytes:
    """The checksum of a container, whatever stands in the place of it."""
    head = content[:_HEAD].copy()
    head[_DIGITS] = np.frombuffer(_NO_SUM, dtype=np.uint8)
    return b"%016x" % _core.checksum(head, content[_HEAD:])


def to_bytes(words: dict[str, str], arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The container, as bytes in an array."""
    parts = list(_parts(words, arrays))
    content = np.empty(sum(len(part) for part in parts), dtype=np.uint8)
    at = 0
    for part in parts:
        content[at : at + len(part)] = part
        at += len(part)
    content[_DIGITS] = np.frombuffer(_sum_of(content), dtype=np.uint8)
    return content


def write(path: Any, words: dict[str, str], arrays: dict[str, np.ndarray]) -> None:
    """Write a container, all of it or nothing: what was there stays until all is on disk."""
    target = Path(os.path.realpath(os.fsdecode(path)))
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(path)!r} is not a file that could be replaced.")
    # With part of its name, since the whole of it may be as long as names can be.
    beside = target.with_name(f".{target.name[:40]}.{os.getpid()}-{os.urandom(4).hex()}")
    # Not a temporary file, whose mode would keep others from reading it.
    descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "r+b") as file:
            for part in _parts(words, arrays):
                file.write(part)
            file.flush()
            # Closed with the last that looks into it, which an interruption may keep.
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
            digits = _sum_of(np.frombuffer(mapped, dtype=np.uint8))
            file.seek(_DIGITS.start)
            file.write(digits)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last, where folders can be asked for it."""
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
    """The words and arrays of a file; the arrays look into it, if it is mapped."""
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
    """The words and arrays of a container, which the arrays look into."""
    size = len(content)
    if size < _DIGITS.stop or content[8 : _DIGITS.start].tobytes() != _BEGIN:
        refuse("it does not begin as one")
    length = int.from_bytes(content[:8].tobytes(), "little")
    if length > min(size - 8, _LONGEST_HEADER):
        refuse("the header is longer than the file")
    if content[_DIGITS].tobytes() != _sum_of(content):
        refuse("the checksum is not that of the content, which was damaged or cut off")
    header = parsed(content[8 : 8 + length].tobytes())
    words = header.pop("__metadata__", None)
    if not isinstance(words, dict) or not all(isinstance(w, str) for w in words.values()):
        refuse("the header has no words")
    if len(words.pop("checksum")) != len(_NO_SUM):
        refuse("the checksum is not one")
    data = content[8 + length :]
    return words, _arrays(header, data)


def parsed(text: bytes) -> dict[str, Any]:
    """A JSON object in which no name comes twice and every number is one."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            refuse("a name comes twice in the header")
        return made

    def constant(name: str) -> NoReturn:
        refuse(f"{name} in the header")

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
            refuse(f"the header does not tell what {name!r} is")
        dtype, shape, offsets = (entry[key] for key in ("dtype", "shape", "data_offsets"))
        if not isinstance(dtype, str) or dtype not in _TYPES:
            refuse(f"{name!r} has the type {dtype!r}")
        for numbers in (shape, offsets):
            if not isinstance(numbers, list) or not all(map(_is_size, numbers)):
                refuse(f"a size of {name!r} is not one")
        if len(offsets) != 2 or not offsets[0] <= offsets[1] <= len(data) or len(shape) > 8:
            refuse(f"{name!r} is not within the file")
        begin, end = offsets
        if math.prod(max(n, 1) for n in shape) > 2**48:  # also where there is nothing of it
            refuse(f"{name!r} has no shape")
        if math.prod(shape) * _TYPES[dtype].itemsize != end - begin:
            refuse(f"{name!r} has another size than its shape")
        array = data[begin:end].view(_TYPES[dtype]).reshape(shape)
        arrays[name] = array if array.flags.aligned else array.copy()
        spans.append((begin, end))
    at = 0
    for begin, end in sorted(spans):
        if begin != at:
            refuse("arrays overlap, or leave a gap")
        at = end
    if at != len(data):
        refuse("there is more in the file than its arrays")
    return arrays
