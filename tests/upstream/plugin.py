"""A pytest plugin: scikit-learn's own tests, with silvics' estimators in place of its own.

Used as ``pytest -p plugin --pyargs sklearn.tree.tests.test_tree``. The names are replaced before
any test module is imported; the private Cython modules stay scikit-learn's. What ``xfail.toml``
lists must fail, and must exist.
"""

from __future__ import annotations

import builtins
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

LIST = Path(__file__).with_name("xfail.toml")
TREES = (
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
)
FORESTS = (
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
)
OUTLIERS = ("IsolationForest",)
PLACES = {
    "sklearn.tree": TREES,
    "sklearn.tree._classes": TREES,
    "sklearn.ensemble": FORESTS + OUTLIERS,
    "sklearn.ensemble._forest": FORESTS,
    "sklearn.ensemble._iforest": OUTLIERS,
}


class Expected(NamedTuple):
    """One function that is expected to fail."""

    group: str
    module: str
    function: str
    reason: str
    only: str  # pattern of the parameters that fail; empty: all
    raises: tuple[type[BaseException], ...] | None  # None: anything

    def matches(self, item: pytest.Item) -> bool:
        parameters = item.callspec.id if hasattr(item, "callspec") else ""
        return (
            item.module.__name__.endswith(f".{self.module}")
            and item.originalname == self.function
            and re.search(self.only, parameters) is not None
        )


def expected_failures(path: Path = LIST) -> Iterator[Expected]:
    for group, content in tomllib.loads(path.read_text()).items():
        reason = content.pop("reason")
        named = content.pop("raises", [])
        raises = tuple(getattr(builtins, name) for name in named) or None
        for module, functions in content.items():
            for function, details in functions.items():
                why = f"{reason}: {details['why']}" if "why" in details else reason
                yield Expected(group, module, function, why, details.get("only", ""), raises)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--expected-failures", type=Path, default=LIST)


def pytest_configure(config: pytest.Config) -> None:
    import silvics

    for place, names in PLACES.items():
        for name in names:
            setattr(import_module(place), name, getattr(silvics, name))
    config.pluginmanager.register(GrowthCounter(), "growth_counter")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    modules = {item.module for item in items}
    require_swapped(modules)
    names = {module.__name__.rpartition(".")[2] for module in modules}
    for expected in expected_failures(config.getoption("expected_failures")):
        if expected.module not in names:
            continue
        matched = [item for item in items if expected.matches(item)]
        if not matched:
            raise pytest.UsageError(f"{expected.module}::{expected.function} matches no test")
        for item in matched:
            item.add_marker(
                pytest.mark.xfail(reason=expected.reason, raises=expected.raises, strict=True)
            )


def require_swapped(modules: set[ModuleType]) -> None:
    """Every estimator that a test module imported by name is ours."""
    import silvics

    for module in modules:
        for name in TREES + FORESTS + OUTLIERS:
            if getattr(module, name, ours := getattr(silvics, name)) is not ours:
                raise pytest.UsageError(f"{module.__name__}.{name} was not replaced")


class GrowthCounter:
    """Counts the calls of the native ``grow``, to show whose trees were tested."""

    def __init__(self) -> None:
        from silvics import _core

        self.calls = 0
        grow = _core.grow

        def counted(*args):
            self.calls += 1
            return grow(*args)

        _core.grow = counted

    def pytest_terminal_summary(self, terminalreporter) -> None:
        terminalreporter.write_line(f"silvics grew {self.calls} times")
