"""Atomic replacement of the fitted state of an estimator."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Estimator = TypeVar("Estimator")
Method = TypeVar("Method", bound=Callable[..., Any])


def fit_aside(estimator: Estimator, fit: Callable[[Estimator], bool | None]) -> Estimator:
    """Fit a copy of the estimator, then replace the estimator's state by the copy's.

    The state is one dictionary, which is replaced by one assignment. A thread that predicts at the
    same time uses either the old model or the new one. If ``fit`` raises an exception or returns
    False, the estimator is not changed. The exception is a fit that was interrupted with usable
    trees (``interrupted_``): its state is kept, and its exception is raised.
    """
    copy = with_state(estimator, dict(vars(estimator)))
    for name in ("interrupted_", "stopped_"):  # set by an earlier fit
        vars(copy).pop(name, None)
    try:
        changed = fit(copy)
    except BaseException:
        if getattr(copy, "interrupted_", False):
            estimator.__dict__ = vars(copy)
        raise
    if changed is not False:
        estimator.__dict__ = vars(copy)
    return estimator


def reads_one_state(method: Method) -> Method:
    """Decorate a method so that it uses one fitted state throughout.

    The method is called on a view of the estimator with the current state. A fit in another thread
    replaces the state of the estimator but never changes that of the view.
    """

    @wraps(method)
    def on_view(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(with_state(self, vars(self)), *args, **kwargs)

    return cast(Method, on_view)


def with_state(estimator: Estimator, state: dict[str, Any]) -> Estimator:
    """Return an estimator of the same class with the given attributes."""
    made = object.__new__(type(estimator))
    made.__dict__ = state
    return made
