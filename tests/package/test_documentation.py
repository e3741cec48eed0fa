"""Every public class says what its parameters and attributes are, and shows an example."""

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import silvics

from ..unit.kinds import ALL, name_of, problem, small

PUBLIC = (
    *ALL,
    silvics.ForestClassifier,
    silvics.ForestRegressor,
    silvics.RandomPatchesClassifier,
    silvics.RandomPatchesRegressor,
    silvics.IsolationForest,
    silvics.RandomTreesEmbedding,
)
each = pytest.mark.parametrize("kind", PUBLIC, ids=name_of)


def section(kind, title):
    """Name -> text of the entries of one section of a docstring."""
    text = re.split(rf"\n{title}\n-+\n", inspect.getdoc(kind))[1]
    text = re.split(r"\n\n[\w ]+\n-+\n", text)[0]
    entries = re.split(r"^(\w+) : ", text, flags=re.MULTILINE)
    return dict(zip(entries[1::2], entries[2::2], strict=True))


@each
def test_sections_in_order(kind):
    doc = inspect.getdoc(kind)
    titles = re.findall(r"\n\n(\w+)\n-+\n", doc)
    assert titles[:3] == ["Parameters", "Attributes", "Examples"]
    assert ">>> " in doc
    assert max(len(line) for line in doc.splitlines()) <= 200


@each
def test_parameters_are_those_of_the_constructor(kind):
    described = section(kind, "Parameters")
    signature = inspect.signature(kind).parameters
    assert list(described) == list(signature)
    for name, parameter in signature.items():
        shown = repr(parameter.default).replace("'", '"')
        assert f"default={shown}" in described[name].splitlines()[0]
        assert len(described[name].splitlines()) > 1


def test_shared_parameters_have_shared_words():
    words = {}
    for kind in ALL:
        for name, text in section(kind, "Parameters").items():
            words.setdefault(name, set()).add(text.split("\n", 1)[1].strip())
    assert {name for name, texts in words.items() if len(texts) > 1} == set()


@each
def test_attributes_are_those_of_a_fitted_estimator(kind):
    X, y = problem()
    parameters = {}
    known = kind().get_params()
    if "oob_score" in known:
        drawn = {"rows": "bootstrap"} if "rows" in known else {"bootstrap": True}
        drawn = {} if "oob_rows" in known else drawn
        parameters = {"n_estimators": 50, "oob_score": True, **drawn}
        if "calibrate" in known:
            parameters["calibrate"] = "oob"
        if "tune" in known:
            parameters["tune"] = {"max_depth": [2, 3]}
    fitted = small(kind, **parameters).fit(X, y)
    described = set(section(kind, "Attributes"))
    assert all(hasattr(fitted, name) for name in described - {"feature_names_in_"})
    public = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert public - described <= {"max_features_"}


@each
def test_public_methods_are_described(kind):
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("silvics"):
            continue
        doc = inspect.getdoc(method)
        assert doc, name
        arguments = list(inspect.signature(method).parameters)[1:]
        for argument in arguments:
            assert re.search(rf"^{argument} : ", doc, flags=re.MULTILINE), (name, argument)
        assert "Returns\n-------" in doc, name


def documented(module):
    """The public functions of a package."""
    members = (getattr(module, name) for name in module.__all__)
    return [member for member in members if inspect.isfunction(member)]


@pytest.mark.parametrize(
    "function",
    [
        *documented(silvics.importance),
        *documented(silvics.bias_variance),
        *documented(silvics.network),
    ],
    ids=name_of,
)
def test_functions_say_what_they_take_and_give(function):
    doc = inspect.getdoc(function)
    assert re.findall(r"\n\n(\w+)\n-+\n", doc) == ["Parameters", "Returns", "Examples"]
    described = re.split(r"\nParameters\n-+\n", doc)[1].split("\n\nReturns\n")[0]
    entries = re.findall(r"^([\w, ]+) : (.*)$", described, flags=re.MULTILINE)
    words = {name: text for names, text in entries for name in names.split(", ")}
    signature = inspect.signature(function).parameters
    assert list(words) == list(signature)
    for name, parameter in signature.items():
        if parameter.default is not parameter.empty:
            assert f"default={parameter.default!r}".replace("'", '"') in words[name]


def results(module):
    members = (getattr(module, name) for name in module.__all__)
    return [member for member in members if dataclasses.is_dataclass(member)]


@pytest.mark.parametrize(
    "kind",
    [
        *results(silvics.importance),
        *results(silvics.bias_variance),
        *results(silvics.network),
    ],
    ids=name_of,
)
def test_results_say_what_they_have(kind):
    described = section(kind, "Attributes")
    fields = {name for name in kind.__dataclass_fields__ if not name.startswith("_")}
    shown = {name for name, member in vars(kind).items() if isinstance(member, property)}
    shown = {name for name in shown if not name.startswith("_")}
    assert fields | shown == set(described)
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            assert "Returns\n-------" in inspect.getdoc(method), name


def selectors(module):
    members = (getattr(module, name) for name in module.__all__)
    return [member for member in members if hasattr(member, "get_support")]


@pytest.mark.parametrize("kind", selectors(silvics.importance), ids=name_of)
def test_selectors_say_what_they_take_and_have(kind):
    assert section(kind, "Parameters").keys() == kind().get_params().keys()
    X, y = problem()
    fitted = kind(silvics.RandomForestClassifier(5, random_state=0))
    if "options" in kind().get_params():
        fitted.set_params(options={"n_permutations": 2}, level=0.5, how=None)
    if "random_state" in kind().get_params():
        fitted.set_params(random_state=0)
    fitted.fit(X, y)
    described = set(section(kind, "Attributes")) - {"feature_names_in_"}
    public = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert public == described
    assert ">>> " in inspect.getdoc(kind)


def test_public_names():
    assert set(silvics.__all__) == {
        *(kind.__name__ for kind in PUBLIC),
        "ForestEmbedding",
        "ModelFileError",
        "bias_variance",
        "datasets",
        "from_sklearn",
        "impute",
        "importance",
        "inspection",
        "load",
        "merge",
        "network",
        "patches",
        "recipes",
        "report",
        "scan",
        "__version__",
    }
    assert silvics.__version__ == version("silvics")


PACKAGE = Path(silvics.__file__).parent


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").exists()


def meaning(stub):
    return ast.dump(ast.parse(stub.read_text()), indent=1)


def test_the_stub_of_the_core_is_up_to_date(tmp_path):
    written = tmp_path / "_core.pyi"
    stubgen = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "silvics._core"]
    subprocess.run([*stubgen, "-o", written], check=True)
    stored = Path(__file__).parents[2] / "src/silvics/_core.pyi"
    # As Python reads it: a formatter may have moved its lines.
    assert meaning(stored) == meaning(written), "write it anew with `make stub`"
    assert meaning(PACKAGE / "_core.pyi") == meaning(stored)
