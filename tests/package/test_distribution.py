"""What is installed: metadata, extras, files; and that optional libraries are not loaded for it."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

import silvics

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
INSTALLED = distribution("silvics")


def test_the_version_is_the_same_everywhere():
    version = PROJECT["project"]["version"]
    assert silvics.__version__ == version
    assert INSTALLED.version == version
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited[1] == version
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest[1] == version


def test_metadata():
    metadata = INSTALLED.metadata
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == PROJECT["project"]["requires-python"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "Typing :: Typed" in metadata.get_all("Classifier")


def required(extra=None):
    """Names of the requirements of an extra, or of the package itself."""
    marker = "" if extra is None else f'; extra == "{extra}"'
    ends = [line.replace("'", '"') for line in INSTALLED.requires]
    wanted = [line.removesuffix(marker) for line in ends if line.endswith(marker)]
    return {re.match(r"[\w-]+", line)[0] for line in wanted if extra or ";" not in line}


def test_few_libraries_are_required():
    assert required() == {"numpy", "scipy", "scikit-learn", "narwhals"}


def test_the_extra_all_has_all_extras():
    extras = set(INSTALLED.metadata.get_all("Provides-Extra"))
    (everything,) = PROJECT["project"]["optional-dependencies"]["all"]
    assert set(re.findall(r"[\w-]+", everything)) - {"silvics"} == extras - {"all"}
    assert {"onnx", "plots", "treelite"} <= extras
    assert required("plots") == {"matplotlib"}


def test_the_files_that_are_installed():
    names = {str(file) for file in INSTALLED.files}
    assert {"silvics/py.typed", "silvics/_core.pyi", "silvics/__init__.py"} <= names
    assert sum(name.startswith("silvics/_core.") for name in names) == 2  # the module, its stub
    assert any(name.endswith("licenses/LICENSE") for name in names)
    packages = {name.split("/")[0] for name in names}
    assert {name for name in packages if "." not in name} == {"silvics"}
    modules = {
        str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "silvics").rglob("*.py")
    }
    assert modules <= names


def test_the_native_module_has_no_symbols_for_debuggers():
    """They would make the file twice as large."""
    (module,) = (
        Path(silvics.__file__).parent / Path(str(file)).name
        for file in INSTALLED.files
        if re.fullmatch(r"silvics/_core\..*(so|pyd)", str(file))
    )
    assert module.stat().st_size < 8_000_000
    assert b".debug_info" not in module.read_bytes()


def modules_after(code):
    """The modules that are loaded in a new interpreter once it has run some code."""
    code += "\nimport sys\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_fitting_and_predicting_load_no_optional_library():
    """Except for those that scikit-learn loads: pandas, for example, if it is there."""
    fit = "silvics.RandomForestClassifier(2).fit([[0.0], [1.0]], [0, 1]).predict([[0.5]])"
    loaded = modules_after(f"import silvics\n{fit}") - modules_after("import sklearn.ensemble")
    assert "silvics._core" in loaded
    assert not loaded & {"matplotlib", "pandas", "polars", "pyarrow", "onnx", "treelite", "IPython"}


# ---- workflows, read as text: no library of the tests reads YAML

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STARTS = 'on:\n  workflow_dispatch:\n  push:\n    tags: ["v*"]\npermissions:\n  contents: read\n'


def test_all_workflows_are_there():
    assert [path.stem for path in WORKFLOWS] == ["docs", "tests", "wheels"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_start_by_hand_or_by_a_tag(path):
    """Only the job that publishes, and only for a tag, may ask for more than to read."""
    text = path.read_text()
    assert STARTS in text
    jobs = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", text.split("\njobs:\n")[1], re.M))
    assert len(jobs) >= 2
    for name, job in jobs.items():
        assert ("id-token: write" in job) == (name == "publish")
        assert ("if: startsWith(github.ref, 'refs/tags/v')" in job) == (name == "publish")
