"""Class docstrings of the estimators, assembled from shared descriptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from textwrap import dedent, indent
from typing import Any, TypeVar

from silvics import _attribute_docs, _option_docs, _parameter_docs

_Class = TypeVar("_Class", bound=type)
Entries = dict[str, tuple[str, str]]

_ENTRY = re.compile(r"^(\w+) : (.*)$", re.MULTILINE)


def entries(text: str) -> Entries:
    """Read a numpydoc section: the type and the description of each name."""
    parts = _ENTRY.split(text)[1:]
    return {
        name: (kind, dedent(described).strip("\n"))
        for name, kind, described in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


PARAMETERS = {
    **entries(_parameter_docs.SAMPLING_AND_RUNNING),
    **entries(_parameter_docs.GROWTH),
    **entries(_parameter_docs.RECIPES),
    **entries(_option_docs.OPTIONS),
}
ATTRIBUTES = entries(_attribute_docs.ATTRIBUTES)


def keep_parameters(estimator: object, given: dict[str, Any]) -> None:
    """Store the arguments of a constructor, its ``locals()``, as attributes of the same names."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def documented(attributes: str, example: str, variants: str = "") -> Callable[[_Class], _Class]:
    """Append the sections Parameters, Attributes and Examples to the docstring of a class.

    Parameters
    ----------
    attributes : str
        Names of the fitted attributes, separated by spaces.
    example : str
        Content of the section Examples.
    variants : str, default=""
        Descriptions of parameters that replace the shared ones, as a numpydoc section.

    Returns
    -------
    decorator : callable
        Decorator of a class whose parameters are those of its constructor.
    """
    described = PARAMETERS | entries(variants)

    def complete(cls: _Class) -> _Class:
        lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
        for name, parameter in inspect.signature(cls).parameters.items():
            kind, meaning = described[name]
            default = parameter.default
            shown = f'"{default}"' if isinstance(default, str) else default
            lines += [f"{name} : {kind}, default={shown}", indent(meaning, "    ")]
        lines += ["", "Attributes", "----------"]
        for name in attributes.split():
            kind, meaning = ATTRIBUTES[name]
            lines += [f"{name} : {kind}", indent(meaning, "    ")]
        lines += ["", "Examples", "--------", inspect.cleandoc(example), ""]
        cls.__doc__ = "\n".join(lines)
        return cls

    return complete
