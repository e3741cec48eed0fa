"""Conversion of parameters, classes and levels to JSON and back."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from silvics.model_file.container import refuse

_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_ARRAY_KINDS = "biufUOMm"


class NotData(Exception):
    """Raised for values that are not plain data, such as functions and objects."""


def encode(value: Any) -> Any:
    """Convert a value to JSON; types that JSON lacks become an object with one key, their kind."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufU":
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        # Subclasses, such as enumerations, cannot be restored.
        if value is not None and type(value) not in (bool, str, int):
            raise NotData
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) in (list, tuple):
        items = [encode(item) for item in value]
        return items if type(value) is list else {"tuple": items}
    if type(value) is dict:
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if type(value) is np.ndarray and value.ndim <= 2:
        return {"array": encode_array(value)}
    raise NotData


def encode_array(array: np.ndarray) -> dict[str, Any]:
    """Convert an array to JSON, with its type and shape."""
    kind = array.dtype.kind
    if kind not in _ARRAY_KINDS:
        raise NotData
    flat = array.ravel()
    values = flat.view(np.int64).tolist() if kind in "Mm" else flat.tolist()
    dtype = array.dtype.newbyteorder("<").str if kind != "O" else "object"
    if kind == "U" and too_wide(array.dtype, values):
        raise ValueError(
            f"An array of {len(values)} strings of type {dtype} is much larger than its text and "
            "cannot be written to a file. Convert it with .astype(object)."
        )
    return {"dtype": dtype, "shape": list(array.shape), "values": [encode(v) for v in values]}


def read(encoded: Any) -> Any:
    """Restore a value from the result of ``encode``."""
    if isinstance(encoded, list):
        return [read(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if len(encoded) != 1:
        refuse("a value is of an unknown kind")
    ((kind, content),) = encoded.items()
    if kind == "float" and isinstance(content, str) and content in _FLOATS:
        return _FLOATS[content]
    if kind == "tuple" and isinstance(content, list):
        return tuple(read(item) for item in content)
    if kind == "dict" and isinstance(content, list):
        return _read_dict(content)
    if kind == "array":
        return read_array(content)
    refuse("a value is of an unknown kind")


def _read_dict(items: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(item, list) and len(item) == 2 for item in items):
        refuse("a dict does not consist of pairs")
    keys = [read(key) for key, _ in items]
    try:
        check_hashes(keys)
    except TypeError:
        refuse("a key of a dict is not hashable")
    made = {key: read(item) for key, (_, item) in zip(keys, items, strict=True)}
    if len(made) != len(keys):
        refuse("a key occurs twice in a dict")
    return made


# Maximum number of values with the same hash; a set of n of them takes n * n comparisons.
_MOST_OF_ONE_HASH = 64


def check_hashes(values: list[Any]) -> None:
    """Reject values whose hashes were chosen to make sets and dicts slow."""
    if len(values) <= _MOST_OF_ONE_HASH:
        for value in values:
            hash(value)
        return
    hashes = np.sort(np.array([hash(value) for value in values], dtype=np.int64))
    if (hashes[_MOST_OF_ONE_HASH:] == hashes[:-_MOST_OF_ONE_HASH]).any():
        refuse("too many values have the same hash")


def read_array(encoded: Any) -> np.ndarray:
    """Restore an array from the result of ``encode_array``."""
    if not isinstance(encoded, dict) or encoded.keys() != {"dtype", "shape", "values"}:
        refuse("an array has no type, shape or values")
    shape, values = encoded["shape"], encoded["values"]
    sizes = isinstance(shape, list) and all(type(n) is int and 0 <= n < 2**31 for n in shape)
    if not sizes or not 1 <= len(shape) <= 2 or not isinstance(values, list):
        refuse("an array has an invalid shape")
    if math.prod(shape) != len(values):
        refuse("the number of values of an array does not match its shape")
    dtype = _read_type(encoded["dtype"])
    items = [read(value) for value in values]
    wanted = _ITEMS[dtype.kind]
    if not all(type(item) in wanted for item in items):
        refuse(f"an array of type {dtype.str!r} has values of another type")
    if dtype.kind == "U":
        longest = max(map(len, items), default=0)
        if 4 * longest > dtype.itemsize or too_wide(dtype, items):
            refuse("the width of an array of text does not match its values")
    try:
        if dtype.kind in "Mm":
            array = np.array(items, dtype=np.int64).view(dtype)
        else:
            array = np.empty(len(items), dtype=dtype)
            with np.errstate(over="raise"):
                array[:] = items
    except (ValueError, ArithmeticError) as error:
        refuse(f"an array of type {dtype.str!r} is not valid ({error})")
    return array.reshape(shape)


def too_wide(dtype: np.dtype[Any], items: list[Any]) -> bool:
    """Return whether an array of text is much larger than the text itself."""
    size = sum(map(len, items)) + 4 * len(items)
    return len(items) * dtype.itemsize > max(2**16, 100 * size)


def _read_type(name: Any) -> np.dtype[Any]:
    """Parse the name of a supported type; NumPy would accept far more names."""
    if not isinstance(name, str) or not _TYPE.fullmatch(name):
        refuse(f"an array has the unsupported type {name!r:.40}")
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError) as error:
        refuse(f"an array has the unsupported type {name!r:.40} ({error})")
    if name != "object" and dtype.str != name:
        refuse(f"an array has the unsupported type {name!r:.40}")
    return dtype


_TYPE = re.compile(
    r"object|\|b1|\|[iu]1|<[iu][248]|<f[248]|<U\d{1,9}|<[Mm]8(\[\d{0,9}(Y|M|W|D|h|m|s|ms|us|ns)\])?",
    re.ASCII,
)
_ITEMS: dict[str, tuple[type, ...]] = {
    "b": (bool,), "i": (int,), "u": (int,), "f": (float, int), "U": (str,), "M": (int,),
    "m": (int,), "O": (str, int, float, bool, type(None)),
}  # fmt: skip
