"""Fitted state that is replaced as a whole: a fit builds it aside and puts it in place at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Estimator = TypeVar("Estimator")
Method = TypeVar("Method", bound=Callable[..., Any])


def fit_aside(estimator: Estimator, fit: Callable[[Estimator], bool | None]) -> Estimator:
    """Fit a copy of the estimator, then replace the estimator's state by the copy's.

    The state is one dictionary, and replacing it is one assignment: a thread that predicts
    meanwhile sees the old model or the new one. A fit that fails leaves the estimator as it was;
    one that was cut short with usable trees (``interrupted_``) is kept, and its error raised. So
    does one that returns False, which had nothing to change.
    """
    copy = with_state(estimator, dict(vars(estimator)))
    vars(copy).pop("interrupted_", None)  # of an earlier fit
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
    """A method that sees one fitted state from its beginning to its end.

    It is called on a view of the estimator that holds the present state, which a fit in another
    thread replaces but never changes.
    """

    @wraps(method)
    def on_view(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(with_state(self, vars(self)), *args, **kwargs)

    return cast(Method, on_view)


def with_state(estimator: Estimator, state: dict[str, Any]) -> Estimator:
    """An estimator of the same class whose attributes are these."""
    made = object.__new__(type(estimator))
    made.__dict__ = state
    return made
