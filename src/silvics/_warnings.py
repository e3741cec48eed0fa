"""Warnings that are attributed to the line of the user's code."""

from __future__ import annotations

import sys
from warnings import warn

_INSIDE = ("silvics", "sklearn")


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the innermost frame outside of silvics and scikit-learn."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warn(message, category, stacklevel=level)
