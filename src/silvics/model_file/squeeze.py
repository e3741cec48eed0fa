"""Compression of the arrays of a model file.

Arrays are byte-shuffled and compressed with zlib. Positions of children are stored relative to
their parents, and repeated numbers are stored once and referred to by their index.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from silvics.model_file.container import refuse

_NODE = 19  # bytes
_CHILDREN = slice(3, 11)
_LEAF = np.uint32(1 << 31)
_TYPES = ("float64", "int32", "uint8", "uint16", "uint32", "uint64")
# Arrays may be at most 100 times larger than their compressed form, or 1 MB.
_MOST, _LITTLE = 100, 2**20
_PLACES = ".places"


def squeezed(
    arrays: dict[str, np.ndarray],
) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Compress arrays; return their types and shapes, and bytes. None above the maximum ratio."""
    arrays_meta: dict[str, Any] = {}
    small = {}
    for name, array in arrays.items():
        arrays_meta[name] = {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "distinct": None,
        }
        if name == "nodes":
            array = _moved(array, arrays["first_node"], np.subtract)
        elif array.dtype == np.float64 and array.size:
            # Compare bits, since 0.0 and -0.0 are equal.
            distinct, places = np.unique(array.reshape(-1).view(np.uint64), return_inverse=True)
            if 4 * len(distinct) < array.size:
                arrays_meta[name]["distinct"] = len(distinct)
                small[name + _PLACES] = _in_planes(places.astype(np.uint32))
                array = distinct
        small[name] = _in_planes(array)
    return None if _exceeds_ratio(arrays_meta, small) else (arrays_meta, small)


def _exceeds_ratio(arrays_meta: dict[str, Any], small: dict[str, np.ndarray]) -> bool:
    """Return whether the arrays are larger than the maximum ratio to their bytes allows."""
    size = 0
    for of in arrays_meta.values():
        n, width = math.prod(of["shape"]), np.dtype(of["dtype"]).itemsize
        size += n * width
        if of["distinct"] is not None:
            size += n * np.dtype(np.uint32).itemsize + of["distinct"] * width
    return size > max(_LITTLE, _MOST * sum(packed.nbytes for packed in small.values()))


def _in_planes(array: np.ndarray) -> np.ndarray:
    by_byte = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    width = array.shape[1] if array.ndim == 2 and array.itemsize == 1 else array.itemsize
    planes = np.ascontiguousarray(by_byte.reshape(-1, width).T)
    return np.frombuffer(zlib.compress(planes.data), dtype=np.uint8)


def unsqueezed(arrays_meta: dict[str, Any], small: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Decompress the arrays."""
    for name, of in arrays_meta.items():
        _check(name, of)
    indices = {name + _PLACES for name, of in arrays_meta.items() if of["distinct"] is not None}
    if small.keys() != arrays_meta.keys() | indices:
        refuse("the compressed arrays are not those in the header")
    if _exceeds_ratio(arrays_meta, small):
        refuse("compressed arrays are too small for their stated sizes")
    arrays = {name: _unsqueezed(name, of, small) for name, of in arrays_meta.items()}
    if "nodes" in arrays and "first_node" in arrays:
        arrays["nodes"] = _nodes_together(arrays["nodes"], arrays["first_node"])
    return arrays


def _check(name: str, arrays_meta: Any) -> None:
    if not isinstance(arrays_meta, dict) or arrays_meta.keys() != {"dtype", "shape", "distinct"}:
        refuse(f"the compressed array {name!r} has no type or shape")
    dtype, shape, distinct = arrays_meta["dtype"], arrays_meta["shape"], arrays_meta["distinct"]
    sizes = [*shape, *([] if distinct is None else [distinct])] if isinstance(shape, list) else [-1]
    if not all(type(n) is int and 0 <= n < 2**48 for n in sizes) or not 1 <= len(shape) <= 8:
        refuse(f"the compressed array {name!r} has an invalid shape")
    if not isinstance(dtype, str) or dtype not in _TYPES:
        refuse(f"the compressed array {name!r} has an invalid type")


def _unsqueezed(name: str, arrays_meta: dict[str, Any], small: dict[str, np.ndarray]) -> np.ndarray:
    dtype, shape, distinct = arrays_meta["dtype"], arrays_meta["shape"], arrays_meta["distinct"]
    if distinct is None:
        return _from_planes(name, small[name], np.dtype(dtype), shape)
    numbers = _from_planes(name, small[name], np.dtype(dtype), [distinct])
    places = _from_planes(name, small[name + _PLACES], np.dtype(np.uint32), shape)
    if places.size and int(places.max()) >= distinct:
        refuse(f"the compressed array {name!r} refers to a value that does not exist")
    return numbers[places]


def _from_planes(
    name: str, packed: np.ndarray, dtype: np.dtype[Any], shape: list[int]
) -> np.ndarray:
    size = math.prod(shape) * dtype.itemsize
    if packed.dtype != np.uint8 or packed.ndim != 1:
        refuse(f"the compressed array {name!r} is not an array of bytes")
    expander = zlib.decompressobj()
    try:
        content = expander.decompress(packed.tobytes(), size + 1)
    except zlib.error as error:
        refuse(f"the compressed array {name!r} is damaged ({error})")
    width = shape[1] if len(shape) == 2 and dtype.itemsize == 1 else dtype.itemsize
    if len(content) != size or not expander.eof or expander.unused_data or not width:
        refuse(f"the compressed array {name!r} does not have its stated size")
    planes = np.frombuffer(content, dtype=np.uint8).reshape(width, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype).reshape(shape)


def _nodes_together(nodes: np.ndarray, first: np.ndarray) -> np.ndarray:
    if nodes.ndim != 2 or nodes.shape[1] != _NODE or nodes.dtype != np.uint8:
        refuse("the nodes have a wrong width")
    if first.dtype != np.uint64 or first.ndim != 1 or not len(first):
        refuse("the first nodes of the trees are not valid")
    if first[0] != 0 or first[-1] != len(nodes) or (first[:-1] > first[1:]).any():
        refuse("the trees are not contiguous")
    return _moved(nodes, first, np.add)


def _moved(nodes: np.ndarray, first: np.ndarray, by: Any) -> np.ndarray:
    """Add or subtract the position of each node to or from those of its children, except leaves."""
    moved = nodes.copy()
    children = np.ascontiguousarray(nodes[:, _CHILDREN]).view("<u4")
    own = np.arange(len(nodes), dtype=np.uint32)
    for a, b in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        own[a:b] -= np.uint32(a)
    inner = (children & _LEAF) == 0
    # Keep 31 bits, so that the bit that marks leaves does not change.
    changed = np.where(inner, by(children, own[:, np.newaxis]) & ~_LEAF, children)
    moved[:, _CHILDREN] = changed.astype("<u4").view(np.uint8)
    return moved
