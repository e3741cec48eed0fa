"""Packages of silvics import each other in one direction only, at the top of their files."""

import ast
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import silvics

SOURCE = Path(__file__).parents[2] / "src" / "silvics"

# A package or module may import its own modules and those before it.
ORDER = [
    # Helpers that know nothing of forests.
    "_core",
    "_version",
    "_lazy",
    "_names",
    "_option_docs",
    "_parameter_docs",
    "_attribute_docs",
    "_docs",
    "_frames",
    "_sklearn",
    "_state",
    "_threads",
    "_warnings",
    "datasets",
    # Tables, predictions, fitting. Fitting prunes trees by what they predict, and so comes later.
    "_tables",
    "_sources",
    "recipes",
    "_predicting",
    "_fitting",
    # Functions of a fitted model.
    "interop",
    "plots",
    "_results",
    "model_file",
    "importance",
    "importance.theory",
    "importance.forest",
    "proximity",
    "uncertainty",
    "explain",
    "tuning",
    # Trees grown in tasks, on a cluster or kept in a folder.
    "_tasks",
    # The estimators.
    "_estimators",
    "trees",
    "forests",
    "recipe_forests",
    "isolation",
    "embedding",
    "patches",
    # What makes or uses estimators.
    "interop.from_sklearn",
    "model_file.loading",
    "merging",
    "importance.significance",
    "importance.selection",
    "forest_embedding",
    "inspection",
    "bias_variance",
    "impute",
    "network",
    "reporting",
    "reproduce",
    "cli",
    "demo",
]

# Packages whose ``__init__`` loads names when they are used: type checkers alone see imports.
LAZY = [
    "__init__.py",
    "bias_variance/__init__.py",
    "datasets/__init__.py",
    "importance/__init__.py",
    "impute/__init__.py",
    "inspection/__init__.py",
    "patches/__init__.py",
    "network/__init__.py",
]

# Libraries that are imported where they are needed, since users may not have them.
OPTIONAL = {
    "matplotlib",
    "shap",
    "onnx",
    "treelite",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "distributed",
    "cloudpickle",
    "fsspec",
}


def files():
    return sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py"))


# These are written as users write, with the public names of silvics only.
EXAMPLES = re.compile(r"reproduce/chapter\d/")


def module_of(file):
    """The name of a module below silvics; "" is silvics itself."""
    return file.removesuffix(".py").replace("/", ".").removesuffix("__init__").removesuffix(".")


MODULES = {module_of(file) for file in files()} | {"_core"}


def place_of(module):
    """The place in the order of the longest package name that a module belongs to."""
    parts = module.split(".")
    for n in range(len(parts), 0, -1):
        if ".".join(parts[:n]) in ORDER:
            return ORDER.index(".".join(parts[:n]))
    raise AssertionError(f"{module} has no place in the order")


def imports(tree):
    """(module, whether it is inside a function, whether only type checkers see it) of imports."""
    found = []

    def visit(node, in_function, for_types):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                for part in child.body:
                    visit(ast.Module([part], []), in_function, True)
                for part in child.orelse:
                    visit(ast.Module([part], []), in_function, for_types)
                continue
            if isinstance(child, ast.Import):
                found.extend((alias.name, in_function, for_types) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, "imports are absolute"
                found.extend(
                    (f"{child.module}.{alias.name}", in_function, for_types)
                    for alias in child.names
                )
            inside = in_function or isinstance(
                child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
            )
            visit(child, inside, for_types)

    visit(tree, False, False)
    return found


def imported(file):
    return imports(ast.parse((SOURCE / file).read_text(encoding="utf-8")))


def own_modules(file, for_types=True):
    """Modules of silvics that a file imports."""
    found = set()
    for name, _, only_types in imported(file):
        if name.split(".")[0] != "silvics" or (only_types and not for_types):
            continue
        below = name.removeprefix("silvics").removeprefix(".")
        while below not in MODULES:  # a name in a module
            below = below.rpartition(".")[0]
        found.add(below)
    return found


def test_every_module_has_a_place():
    assert files()
    for file in files():
        if file not in LAZY:
            place_of(module_of(file))


@pytest.mark.parametrize("file", [file for file in files() if file not in LAZY])
def test_imports_point_to_packages_before(file):
    own = place_of(module_of(file))
    for other in own_modules(file):
        if not other and EXAMPLES.match(file):
            continue
        assert other, f"{file} imports silvics itself"
        assert place_of(other) <= own, f"{file} imports {other}"


@pytest.mark.parametrize("file", [file for file in files() if EXAMPLES.match(file)])
def test_examples_import_public_names_only(file):
    public = {f"silvics.{name}" for name in silvics.__all__}
    for name in (name for name, _, _ in imported(file) if name.startswith("silvics")):
        package, _, last = name.rpartition(".")
        if not name.startswith("silvics.reproduce"):
            assert name in public or last in import_module(package).__all__, name


@pytest.mark.parametrize("file", LAZY)
def test_lazy_packages_import_nothing_at_once(file):
    helpers = ORDER[: ORDER.index("_tables")]
    assert own_modules(file, for_types=False) <= set(helpers)


def test_no_module_is_part_of_a_cycle():
    edges = {module_of(file): own_modules(file, for_types=False) for file in files()}
    open_, done = set(), set()

    def visit(module, path):
        assert module not in open_, " -> ".join([*path, module])
        if module in done:
            return
        open_.add(module)
        for other in edges.get(module, ()):
            if other != module:
                visit(other, [*path, module])
        open_.remove(module)
        done.add(module)

    for module in edges:
        visit(module, [])


@pytest.mark.parametrize("file", files())
def test_functions_import_optional_libraries_only(file):
    for name, in_function, _ in imported(file):
        top = name.split(".")[0]
        if in_function:
            assert top in OPTIONAL, f"{file} imports {name} in a function"
        else:
            required = top in sys.stdlib_module_names or top in {
                "silvics", "numpy", "scipy", "sklearn", "narwhals", "joblib",
            }  # fmt: skip
            assert required or top in OPTIONAL, f"{file} imports {name}"
