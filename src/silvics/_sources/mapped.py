"""Arrays in files that are mapped into memory."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np


def mapping_of(array: np.ndarray) -> mmap.mmap | None:
    """Return the mapping of the file that an array, or the array of which it is a view, is in."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return base if isinstance(base, mmap.mmap) else None


def release(array: np.ndarray) -> None:
    """Give the memory of the pages that were read back to the system.

    They are read from the file again when they are needed. Private changes (``mode="c"``) would be
    lost, so that such arrays keep their pages.
    """
    mapping = mapping_of(array)
    if mapping is None or not hasattr(mapping, "madvise") or _is_private(array):
        return
    mapping.madvise(mmap.MADV_DONTNEED)


def _is_private(array: np.ndarray) -> bool:
    """Return whether changes of the array do not reach its file; unknown counts as private."""
    base: Any = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return getattr(base, "mode", "c") not in ("r", "r+", "w+")
        base = base.base
    return True
