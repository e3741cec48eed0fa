"""Progress on the terminal."""

from __future__ import annotations

import sys
import time
from typing import Any

_WAIT = 0.1  # seconds between two drawings


class Bar:
    """A line on the standard error that shows what is being done.

    rich draws it where it is installed. Nothing is drawn if the standard error is not a terminal.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._rich: Any = None
        self._task: Any = None
        self._last = 0.0
        if self._shown:
            self._rich = _rich_progress()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show a step and how much of it is done."""
        now = time.monotonic()
        if not self._shown or (now - self._last < _WAIT and done not in (0, total)):
            return
        self._last = now
        if self._rich is None:
            print(f"\r{what}: {done} of {total}   ", end="", file=sys.stderr, flush=True)
            return
        if self._task is None:
            self._rich.start()
            self._task = self._rich.add_task(what, total=total)
        self._rich.update(self._task, description=what, completed=done, total=total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._rich is not None:
            self._rich.stop()
        elif self._shown and self._last:
            print(file=sys.stderr)


def _rich_progress() -> Any:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
    except ImportError:
        return None
    parts = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*parts, console=Console(stderr=True), transient=True)
