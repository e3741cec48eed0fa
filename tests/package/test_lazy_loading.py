"""``import silvics`` loads next to nothing; names are loaded when they are first used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import silvics
import silvics.importance
import silvics.impute

PACKAGES = [silvics, silvics.importance, silvics.impute]


def modules_after(code):
    """Names of all modules that are loaded in a new interpreter once it has run some code."""
    code = f"import sys\n{code}\nprint(*sys.modules)"
    path = str(Path(silvics.__file__).parents[1])
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ran.stdout.split())


def test_importing_silvics_loads_no_library():
    loaded = modules_after("import silvics")
    own = {name for name in loaded if name.split(".")[0] == "silvics"}
    assert own == {"silvics", "silvics._lazy", "silvics._version"}
    assert not loaded & {"numpy", "scipy", "sklearn", "narwhals", "joblib"}


def test_a_forest_loads_neither_selectors_nor_optional_libraries():
    loaded = modules_after("import silvics; silvics.RandomForestClassifier")
    assert "silvics.forests" in loaded
    for name in (
        "silvics.importance.selection",
        "silvics.importance.theory",
        "silvics.isolation",
        "matplotlib",
        "onnx",
        "treelite",
    ):
        assert name not in loaded, name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_the_table_has_the_names_that_type_checkers_see(package):
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    (choice,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {}
    for line in choice.body:
        for alias in line.names:
            seen[alias.name] = line.module
    (assigned,) = choice.orelse
    table = ast.literal_eval(assigned.value.args[1])
    late = {name: f"{package.__name__}.{m}" for m, names in table.items() for name in names}
    late |= {module: package.__name__ for module, names in table.items() if not names}
    assert late == seen
    assert {*late, *({"__version__"} if package is silvics else ())} == set(package.__all__)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_name_is_listed_and_found(package):
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is getattr(package, name)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_an_unknown_name(package):
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'oak'"):
        package.oak  # noqa: B018
