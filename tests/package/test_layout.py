"""Files are small, functions are short, and the tests mirror the core and the package."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE, TESTS = ROOT / "core", ROOT / "tests" / "cpp"

MOST_LINES, MOST_TEST_LINES, MOST_FUNCTION_LINES = 450, 600, 80

# Units of the core that have no test file of their name, and why.
WITHOUT_TEST = {
    "base/kernels_avx2": "the code of kernels.cpp, compiled for another processor",
    "base/kernels_table": "lists the kernels of the other files; test_kernels runs both tables",
    "base/kernels_vectors": "types and helpers that are local to the kernels",
    "data/impurity_function": "an interface without code",
    "forest/forest": "the name of a type, without code",
    "shap/lane_loops": "the loops of lanes.hpp; test_lanes runs both tables",
    "sampling/count_products_avx2": "test_count_products runs it where the processor can",
    "shap/lanes_avx2": "the code of lanes.cpp, compiled for another processor",
    "splitter/splitter": "an interface without code",
}


def sources(*folders, suffixes=("cpp", "hpp", "py")):
    for folder in folders:
        for suffix in suffixes:
            yield from sorted((ROOT / folder).rglob(f"*.{suffix}"))


def name_of(path):
    return str(path.relative_to(ROOT))


# ---- the mirror


def units(folder, pattern, prefix=""):
    """Paths without suffix, and without the prefix of their file names."""
    found = set()
    for path in folder.rglob(pattern):
        relative = path.relative_to(folder)
        top = relative.parts[0]
        if top not in ("support", "third_party"):
            found.add(str(relative.with_name(path.stem.removeprefix(prefix))))
    return found


def test_every_unit_of_the_core_has_a_test_file():
    tested = units(TESTS, "test_*.cpp", "test_")
    assert units(CORE, "*.?pp") - tested == set(WITHOUT_TEST)


def test_every_test_file_names_a_unit_of_the_core():
    """The name of a unit, or of a unit and a topic: test_prune.cpp, test_prune_records.cpp."""
    of_core = units(CORE, "*.?pp")
    unknown = {
        test
        for test in units(TESTS, "test_*.cpp", "test_") - of_core
        if not any(test.startswith(f"{unit}_") for unit in of_core)
    }
    assert not unknown


def test_every_test_file_is_built():
    listed = set(re.findall(r"[\w/]+\.cpp", (TESTS / "CMakeLists.txt").read_text()))
    assert {str(path.relative_to(TESTS)) for path in TESTS.rglob("*.cpp")} == listed


# ---- the mirror of the package

PACKAGE, UNIT = ROOT / "src" / "silvics", ROOT / "tests" / "unit"
# Packages whose tests stand beside tests/unit; their files are named after what they show.
BESIDE = {"importance", "model_file"}


# Packages of small modules that one file tests together: tests/unit/reproduce/test_chapter3.py.
TOGETHER = re.compile(r"reproduce/chapter\d")


def modules(folder):
    """Names of the modules of a folder, without the underscore of private ones."""
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    names = {path.stem.lstrip("_") for path in folder.glob("*.py")} - {"init__"}
    return names | {name for name in packages if TOGETHER.match(f"{folder.name}/{name}")}


def test_every_package_has_its_folder_of_tests():
    for path in sorted(PACKAGE.rglob("__init__.py")):
        relative = path.parent.relative_to(PACKAGE)
        name = str(relative).lstrip("_")
        tests = ROOT / "tests" if relative.parts[:1] and relative.parts[0] in BESIDE else UNIT
        if TOGETHER.match(name):
            assert (tests / relative.parent / f"test_{relative.name}.py").exists(), relative
            continue
        assert list((tests / name).rglob("test_*.py")), f"{relative} has no folder of tests"


def test_every_file_of_unit_tests_names_a_module():
    parents = (path.parent for path in PACKAGE.rglob("__init__.py"))
    folders = {str(path.relative_to(PACKAGE)).lstrip("_"): path for path in parents}
    for path in sorted(UNIT.rglob("test_*.py")):
        folder = folders[str(path.parent.relative_to(UNIT))]
        subject = path.stem.removeprefix("test_")
        names = modules(folder)
        assert any(subject == name or subject.startswith(name + "_") for name in names), path


# ---- sizes of files


@pytest.mark.parametrize("path", list(sources("core", "bindings", "src")), ids=name_of)
def test_source_files_are_small(path):
    assert len(path.read_text().splitlines()) <= MOST_LINES


def test_files_of_cpp_tests_are_small():
    large = {
        name_of(path)
        for path in sources("tests/cpp", suffixes=("cpp", "hpp"))
        if "third_party" not in path.parts and len(path.read_text().splitlines()) > MOST_TEST_LINES
    }
    assert not large


def test_files_of_python_tests_are_small():
    large = {
        name_of(path)
        for path in sources("tests", suffixes=("py",))
        if len(path.read_text().splitlines()) > MOST_TEST_LINES
    }
    assert not large


# ---- sizes of functions

# Braces of these are not those of functions: types, namespaces and lists of values.
NO_FUNCTION = re.compile(
    r"\s*(template <.*> )?(inline )?(namespace|struct|class|enum|union|extern)\b"
    r"|\s*: (public|private)|.*= \{$"
)
NO_CODE = re.compile(r'R"\((?:.|\n)*?\)"|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'')


def cpp_blocks(text):
    """Pairs of the line that ends with the brace of a function, or of a block within one, and the
    number of lines to the brace that closes it. A function is at least as long as its blocks."""
    # Line breaks within raw strings are kept.
    text = NO_CODE.sub(lambda found: "\n" * found.group().count("\n"), text)
    open_lines = []
    for number, line in enumerate(text.splitlines()):
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                open_lines.append((line, number))
            else:
                opening, first = open_lines.pop()
                if number > first and not NO_FUNCTION.match(opening):
                    yield opening.strip(), number - first + 1


EXAMPLE = """
namespace silvics {
struct Point {
    int x() const {
        if (x_ > 0) {  // a brace in a comment: {
            return "{"[0];
        }
        return '{';
    }
    Point(int a,
          int b)
        : x_(a), y_{b} {
        use(b);
    }
};

template <class T>
std::vector<T> made(const T& value,
                    std::size_t n) {
    for (;;) {
    }
}

constexpr int kTable[] = {
    1,
};
}  // namespace silvics
"""


def test_functions_are_found_with_their_lines():
    assert dict(cpp_blocks(EXAMPLE)) == {
        "int x() const {": 6,
        "if (x_ > 0) {": 3,
        ": x_(a), y_{b} {": 3,
        "std::size_t n) {": 4,
        "for (;;) {": 2,
    }


def test_long_functions_are_found():
    long = "void f() {\n" + "    g();\n" * 100 + "}\n"
    assert list(cpp_blocks(long)) == [("void f() {", 102)]


@pytest.mark.parametrize(
    "path", list(sources("core", "bindings", suffixes=("cpp", "hpp"))), ids=name_of
)
def test_functions_of_cpp_are_short(path):
    assert not [f for f in cpp_blocks(path.read_text()) if f[1] > MOST_FUNCTION_LINES]


def code_lines(function, text):
    """Lines of the body that have code: neither blank nor comment nor docstring."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    if not body:
        return 0
    lines = text.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, code_lines(node, text)


def test_lines_of_code_are_counted_without_docstrings_and_signatures():
    docstring = '"""Two.\n\n    Lines.\n    """'
    text = (
        f"def f(\n    a,\n    b,\n):\n    {docstring}\n    # why\n\n    x = (\n        a\n    )\n"
    )
    assert list(python_functions(text)) == [("f", 3)]


@pytest.mark.parametrize("path", list(sources("src", suffixes=("py",))), ids=name_of)
def test_functions_of_python_are_short(path):
    found = python_functions(path.read_text())
    assert not [f for f in found if f[1] > MOST_FUNCTION_LINES]
