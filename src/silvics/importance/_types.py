"""Types that the modules of importances share."""

from __future__ import annotations

from collections.abc import Callable

# Called with (done, total) from time to time.
Progress = Callable[[int, int], object] | None
