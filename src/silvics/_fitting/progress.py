"""Reports on the progress of ``fit`` and other long work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


class Progress:
    """Report of the number of finished trees to all listeners.

    The core calls it on the calling thread whenever the number has changed.
    """

    def __init__(
        self,
        estimator: Any,
        unit: str = "trees",
        *,
        n_workers: int = 1,
        limit: Callable[[], float] | None = None,
    ) -> None:
        self._listeners: list[Callable[[int, int], object]] = []
        if estimator.verbose:
            printed = PrintedProgress(estimator.verbose, unit, n_workers=n_workers, limit=limit)
            self._listeners.append(printed)
        if estimator.progress is not None:
            self._listeners.append(estimator.progress)
        if getattr(estimator, "_skl_callbacks", None) and unit == "trees":
            self._listeners.append(_Callbacks(estimator))

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def __call__(self, done: int, total: int) -> None:
        for listener in self._listeners:
            listener(done, total)


class PrintedProgress:
    """Print a line after every tenth of the work, or after every report if verbose > 1.

    ``n_workers`` units are worked on at the same time. ``limit()`` is the number of seconds after
    which the work will be ended.
    """

    def __init__(
        self,
        verbose: int,
        unit: str = "trees",
        *,
        n_workers: int = 1,
        limit: Callable[[], float] | None = None,
    ) -> None:
        self._unit, self._n_workers, self._limit = unit, n_workers, limit
        self._steps = 10 if verbose == 1 else sys.maxsize
        self._start = time.monotonic()
        self._last = 0

    def __call__(self, done: int, total: int) -> None:
        steps = min(self._steps, total)
        if done * steps // total == self._last * steps // total:
            return
        self._last = done
        spent = time.monotonic() - self._start
        left = seconds_left(spent, done, total, self._n_workers)
        if self._limit is not None:
            left = min(left, self._limit())
        print(
            f"silvics: {done} of {total} {self._unit}, {spent:.1f} s, {left:.1f} s left",
            file=sys.stderr,
        )


def seconds_left(spent: float, done: int, total: int, n_workers: int = 1) -> float:
    """Return how long the rest will take when ``done`` units have just been finished.

    The units that the other workers have begun are half finished on average.
    """
    begun = 0.5 * min(n_workers - 1, total - done)
    return spent / (done + begun) * (total - done - begun)


class _Callbacks:
    """Call scikit-learn's callbacks, with one task per tree."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._context = estimator._callback_fit_ctx
        self._reported = 0

    def __call__(self, done: int, _total: int) -> None:
        for _ in range(done - self._reported):
            task = self._context.subcontext(task_name="tree")
            task.call_on_fit_task_begin(estimator=self._estimator)
            task.call_on_fit_task_end(estimator=self._estimator)
        self._reported = done
