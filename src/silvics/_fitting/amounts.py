"""Amounts of memory: given by users, and shown to them."""

from __future__ import annotations

import re
from typing import Any

_UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]?i?b)?\s*", re.IGNORECASE)


def bytes_of(max_memory: Any) -> int | None:
    """Return the number of bytes that ``max_memory`` means, or None."""
    if max_memory is None:
        return None
    if isinstance(max_memory, str) and (found := _SIZE.fullmatch(max_memory)):
        unit = (found[2] or "").lower()
        if unit in _UNITS:
            return int(float(found[1]) * _UNITS[unit])
    if isinstance(max_memory, int | float) and max_memory > 0:
        return int(max_memory)
    raise ValueError(
        f"max_memory must be a number of bytes or a text such as '1GB' or '500 MiB', got "
        f"{max_memory!r}."
    )


def in_words(n_bytes: float) -> str:
    """Return a number of bytes for messages."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{int(n_bytes)} bytes"
