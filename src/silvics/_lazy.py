"""Lazy loading of the modules of a package (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, names: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports modules on first use.

    Parameters
    ----------
    package : str
        The full name of the package.
    names : mapping of str to sequence of str
        The public names that each module of the package defines. A module with an empty list is
        itself public.

    Returns
    -------
    getter, lister : callable
        The package assigns them to ``__getattr__`` and ``__dir__``.
    """
    module_of = {name: module for module, of_module in names.items() for name in of_module}
    modules = {module for module, of_module in names.items() if not of_module}

    def getter(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)  # later accesses do not call __getattr__
        return value

    def lister() -> list[str]:
        private = {name for name in vars(sys.modules[package]) if name.startswith("_")}
        return sorted({*private, *module_of, *modules})

    return getter, lister
