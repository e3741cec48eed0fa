"""Names that users pass: whether they are known, and which one may have been meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from sklearn.utils._param_validation import InvalidParameterError, StrOptions


def did_you_mean(value: Any, known: Iterable[Any]) -> str:
    """A question that names the known name most like the value; "" if none is like it."""
    if not isinstance(value, str):
        return ""
    names = {name.lower(): name for name in known if isinstance(name, str)}
    found = get_close_matches(value.lower(), names, n=1)
    return f" Did you mean {names[found[0]]!r}?" if found else ""


def one_of(parameter: str, value: Any, known: Iterable[str]) -> Any:
    """The value, if it is one of the known names."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        raise ValueError(
            f"{parameter} must be one of {known}, got {value!r}.{did_you_mean(value, known)}"
        )
    return value


class SuggestsNames:
    """Adds the name that may have been meant to scikit-learn's errors about parameters."""

    def _validate_params(self) -> None:
        try:
            super()._validate_params()  # type: ignore[misc]
        except InvalidParameterError as error:
            raise InvalidParameterError(f"{error}{self._suggestion()}") from None

    def _suggestion(self) -> str:
        """For the first parameter whose value is no name that it may have."""
        for parameter, allowed in self._parameter_constraints.items():  # type: ignore[attr-defined]
            value = getattr(self, parameter, None)
            names = [c for c in allowed if isinstance(c, StrOptions)]
            if not isinstance(value, str) or not names or str in allowed:
                continue
            if not any(c.is_satisfied_by(value) for c in names):
                return did_you_mean(value, [name for c in names for name in c.options])
        return ""


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters."""
    text = " ".join(text.split())
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
