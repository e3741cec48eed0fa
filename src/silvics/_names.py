"""Checks of names that users pass, with suggestions for misspelled ones."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from sklearn.utils._param_validation import InvalidParameterError, StrOptions


def did_you_mean(value: Any, known: Iterable[Any]) -> str:
    """Return a suggestion of the known name most similar to the value, or an empty string."""
    if not isinstance(value, str):
        return ""
    names = {name.lower(): name for name in known if isinstance(name, str)}
    found = get_close_matches(value.lower(), names, n=1)
    return f" Did you mean {names[found[0]]!r}?" if found else ""


def one_of(parameter: str, value: Any, known: Iterable[str]) -> Any:
    """Return the value if it is one of the known names, else raise ValueError."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        raise ValueError(
            f"{parameter} must be one of {known}, got {value!r}.{did_you_mean(value, known)}"
        )
    return value


class SuggestsNames:
    """Mixin that adds a suggestion to scikit-learn's errors about invalid parameters."""

    def _validate_params(self) -> None:
        try:
            super()._validate_params()  # type: ignore[misc]
        except InvalidParameterError as error:
            raise InvalidParameterError(f"{error}{self._suggestion()}") from None

    def _suggestion(self) -> str:
        """Return a suggestion for the first parameter whose value is text that is not allowed."""
        for parameter, allowed in self._parameter_constraints.items():  # type: ignore[attr-defined]
            value = getattr(self, parameter, None)
            if isinstance(value, str) and allowed == ["boolean"]:
                return " Set it to True or False."
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
