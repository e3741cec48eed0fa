"""What the process and the machine have of memory."""

from __future__ import annotations

import os
import sys

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


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


def release() -> None:
    """Give memory that pyarrow keeps for later back to the system; it may be 100 MB."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
