"""Memory budgets: what the process uses, and what ``max_memory`` means in bytes."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

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


def used() -> int:
    """Return the resident memory of the process in bytes."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not Linux: the largest so far
        if resource is None:
            return 0
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(largest) * (1 if sys.platform == "darwin" else 1024)


def available() -> int:
    """Return the memory in bytes that the machine has free, or 4 GB if it does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4 * 10**9
