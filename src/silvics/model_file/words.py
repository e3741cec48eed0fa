"""Values of parameters and names of classes as JSON, and back: data only, of a few known kinds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from silvics.model_file.container import refuse

_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_ARRAY_KINDS = "biufUOMm"


class NotData(Exception):
    """A value that is more than data: a function, an object with a life of its own."""


def told(value: Any) -> Any:
    """A value as JSON; what JSON has no word for is an object with one key, its kind."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufU":
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        # Subclasses, such as enumerations, are more than what they are equal to.
        if value is not None and type(value) not in (bool, str, int):
            raise NotData
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) in (list, tuple):
        items = [told(item) for item in value]
        return items if type(value) is list else {"tuple": items}
    if type(value) is dict:
        return {"dict": [[told(key), told(item)] for key, item in value.items()]}
    if type(value) is np.ndarray and value.ndim <= 2:
        return {"array": told_array(value)}
    raise NotData


def told_array(array: np.ndarray) -> dict[str, Any]:
    """An array with its type and shape."""
    kind = array.dtype.kind
    if kind not in _ARRAY_KINDS:
        raise NotData
    flat = array.ravel()
    values = flat.view(np.int64).tolist() if kind in "Mm" else flat.tolist()
    dtype = array.dtype.newbyteorder("<").str if kind != "O" else "object"
    return {"dtype": dtype, "shape": list(array.shape), "values": [told(v) for v in values]}


def read(words: Any) -> Any:
    """The value of what ``told`` gave."""
    if isinstance(words, list):
        return [read(item) for item in words]
    if not isinstance(words, dict):
        return words
    if len(words) != 1:
        refuse("a value of no known kind")
    ((kind, content),) = words.items()
    if kind == "float" and isinstance(content, str) and content in _FLOATS:
        return _FLOATS[content]
    if kind == "tuple" and isinstance(content, list):
        return tuple(read(item) for item in content)
    if kind == "dict" and isinstance(content, list):
        return _read_dict(content)
    if kind == "array":
        return read_array(content)
    refuse("a value of no known kind")


def _read_dict(items: list[Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for item in items:
        if not isinstance(item, list) or len(item) != 2:
            refuse("a dict of something else than pairs")
        key = read(item[0])
        try:
            known = key in made
        except TypeError:
            refuse("a dict whose key cannot be one")
        if known:
            refuse("a key comes twice in a dict")
        made[key] = read(item[1])
    return made


def read_array(words: Any) -> np.ndarray:
    """The array of what ``told_array`` gave."""
    if not isinstance(words, dict) or words.keys() != {"dtype", "shape", "values"}:
        refuse("an array without type, shape or values")
    name, shape, values = words["dtype"], words["shape"], words["values"]
    sizes = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not sizes or len(shape) > 2 or not isinstance(values, list):
        refuse("an array of no known shape")
    if math.prod(shape) != len(values):
        refuse("an array whose values are not as many as its shape says")
    items = [read(value) for value in values]
    try:
        if not isinstance(name, str):
            refuse("an array of no type")
        dtype = np.dtype(object if name == "object" else name)
        if dtype.kind not in _ARRAY_KINDS or (name != "object" and dtype.hasobject):
            refuse(f"an array of type {name!r}")
        wanted = _ITEMS[dtype.kind]
        if not all(type(item) in wanted for item in items):
            refuse(f"an array of type {name!r} with values of another")
        if dtype.kind == "U":
            longest = max((4 * len(item) for item in items), default=0)
            # A type that is wider than its values is kept, within reason.
            if not longest <= dtype.itemsize <= max(16 * longest, 4096):
                refuse("an array of text of another width than its values")
        if dtype.kind in "Mm":
            array = np.array(items, dtype=np.int64).view(dtype)
        else:
            array = np.empty(len(items), dtype=dtype)
            array[:] = items
    except (TypeError, ValueError, OverflowError) as error:
        refuse(f"an array of type {name!r} ({error})")
    return array.reshape(shape)


_ITEMS: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (float, int),
    "U": (str,),
    "M": (int,),
    "m": (int,),
    "O": (str, int, float, bool, type(None), tuple),
}
