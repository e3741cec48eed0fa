"""Arrays in fewer bytes, for files that are to be small more than to be quick.

What nodes are made of is told apart, byte by byte, so that like stands by like; places of children
are told from where their parents stand.
"""

from __future__ import annotations

import lzma
import math
from typing import Any

import numpy as np

from silvics.model_file.container import refuse

_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
_NODE = 19  # bytes
_CHILDREN = slice(3, 11)
_LEAF = np.uint32(1 << 31)
_TYPES = ("float64", "int32", "uint8", "uint16", "uint32", "uint64")
_MOST = 10_000  # times as many bytes as they are squeezed into: more cannot be


def squeezed(
    arrays: dict[str, np.ndarray],
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the arrays were, and their bytes."""
    told, small = {}, {}
    for name, array in arrays.items():
        told[name] = {"dtype": array.dtype.name, "shape": list(array.shape)}
        content = _nodes_apart(array, arrays["first_node"]) if name == "nodes" else array
        by_byte = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
        width = _NODE if name == "nodes" else array.itemsize
        planes = np.ascontiguousarray(by_byte.reshape(-1, width).T)
        packed = lzma.compress(planes.data, format=lzma.FORMAT_RAW, filters=_FILTERS)
        small[name] = np.frombuffer(packed, dtype=np.uint8)
    return told, small


def unsqueezed(told: dict[str, Any], small: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays again."""
    if told.keys() != small.keys():
        refuse("squeezed arrays are not those that it tells of")
    arrays = {name: _unsqueezed(name, told[name], small[name]) for name in told}
    if "nodes" in arrays and "first_node" in arrays:
        arrays["nodes"] = _nodes_together(arrays["nodes"], arrays["first_node"])
    return arrays


def _unsqueezed(name: str, told: Any, packed: np.ndarray) -> np.ndarray:
    if not isinstance(told, dict) or told.keys() != {"dtype", "shape"}:
        refuse(f"the squeezed {name!r} has no type and shape")
    dtype, shape = told["dtype"], told["shape"]
    if not isinstance(dtype, str) or dtype not in _TYPES or not isinstance(shape, list):
        refuse(f"the squeezed {name!r} has no type and shape")
    if not all(type(n) is int and 0 <= n < 2**48 for n in shape) or not 1 <= len(shape) <= 2:
        refuse(f"the squeezed {name!r} has no shape")
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if packed.dtype != np.uint8 or size > _MOST * (packed.size + 64):
        refuse(f"the squeezed {name!r} cannot be as large as it says")
    expander = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
    try:
        content = expander.decompress(packed.tobytes(), max_length=size + 1)
    except lzma.LZMAError as error:
        refuse(f"the squeezed {name!r} is damaged ({error})")
    width = _NODE if name == "nodes" else np.dtype(dtype).itemsize
    if len(content) != size or size % width or expander.unused_data:
        refuse(f"the squeezed {name!r} is of another size than it says")
    planes = np.frombuffer(content, dtype=np.uint8).reshape(width, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype).reshape(shape)


def _nodes_apart(nodes: np.ndarray, first: np.ndarray) -> np.ndarray:
    return _moved(nodes, first, np.subtract)


def _nodes_together(nodes: np.ndarray, first: np.ndarray) -> np.ndarray:
    if nodes.ndim != 2 or nodes.shape[1] != _NODE or nodes.dtype != np.uint8:
        refuse("nodes of another width")
    if first.dtype != np.uint64 or first.ndim != 1 or (first > len(nodes)).any():
        refuse("trees that begin beyond the nodes")
    return _moved(nodes, first, np.add)


def _moved(nodes: np.ndarray, first: np.ndarray, by: Any) -> np.ndarray:
    """Nodes whose children's places are changed by their own; leaves stay as they are."""
    moved = nodes.copy()
    children = np.ascontiguousarray(nodes[:, _CHILDREN]).view("<u4")
    places = np.arange(len(nodes), dtype=np.uint32)
    begin = np.zeros(len(nodes), dtype=np.uint32)
    for a, b in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        begin[a:b] = a
    own = (places - begin)[:, np.newaxis]
    inner = (children & _LEAF) == 0
    # Within 31 bits, so that what is no leaf stays none.
    changed = np.where(inner, by(children, own) & ~_LEAF, children)
    moved[:, _CHILDREN] = changed.astype("<u4").view(np.uint8)
    return moved
