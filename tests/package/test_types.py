"""Type checkers and editors know the estimators: what ``fit`` returns, and which names exist.

mypy and basedpyright (pyright in a wheel) read two scripts of a user, which are never run.
"""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import silvics

from .test_documentation import PUBLIC, section, selectors

# Lines that end in "misspelt" must be found, and no others.
SCRIPT = """
from pathlib import Path

import numpy as np
import silvics
from silvics import *
from silvics.importance import SelectByThreshold

X, y = np.zeros((20, 3)), np.arange(20) % 2

reveal_type(RandomForestClassifier().fit(X, y))  # RandomForestClassifier
forest = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
print(forest.estimators_[0].tree_.threshold, forest.score(X, y), forest.get_params())
print(forest.importances().values, forest.set_params(n_jobs=2).fit(X, y).max_features_)
forest.clases_  # misspelt
forest.fit(X, y).predict_prob(X)  # misspelt
forest.n_estimator  # misspelt
RandomForestClassifier(n_estimator=3)  # misspelt

tree = DecisionTreeRegressor().fit(X, y, sample_weight=None)
reveal_type(tree)  # DecisionTreeRegressor
print(tree.predict(X).mean(), tree.tree_.node_count)
tree.get_dept()  # misspelt
tree.tree_.treshold  # misspelt

extra = ExtraTreesRegressor().fit(X, y)
reveal_type(extra)  # ExtraTreesRegressor
extra.predict_proba(X)  # misspelt

recipe = ForestClassifier("pert").fit(X, y)
reveal_type(recipe)  # ForestClassifier
recipe.recipee  # misspelt

outliers = IsolationForest().fit(X)
reveal_type(outliers)  # IsolationForest
print(outliers.fit_predict(X))
outliers.ofset_  # misspelt

embedding = RandomTreesEmbedding().fit(X)
reveal_type(embedding)  # RandomTreesEmbedding
print(embedding.fit_transform(X))
embedding.transfrom(X)  # misspelt

selector = SelectByThreshold(forest).fit(X, y)
reveal_type(selector)  # SelectByThreshold
print(selector.get_support(), selector.fit_transform(X, y))
selector.suport_  # misspelt

both = silvics.merge([forest, forest])
reveal_type(both)  # RandomForestClassifier
both.clases_  # misspelt

loaded = silvics.load(Path("forest.silvics"), RandomForestClassifier)
reveal_type(loaded)  # RandomForestClassifier
loaded.clases_  # misspelt
anything: RandomForestClassifier = silvics.load("forest.silvics")

print(forest.to_sklearn().predict(X), tree.to_sklearn().predict(X))
print(outliers.to_sklearn().offset_)
"""


def names_of(kind):
    """Everything that users may ask an estimator for; scikit-learn itself makes up requests."""
    described = {*section(kind, "Parameters"), *section(kind, "Attributes")}
    public = {name for name in dir(kind) if not re.match(r"_|set_\w+_request", name)}
    return sorted(described | public)


def every_name():
    lines = ["import silvics", "import silvics.importance"]
    for kind in (*PUBLIC, *selectors(silvics.importance)):
        module = "silvics" if kind in PUBLIC else "silvics.importance"
        made = kind.__name__.lower()
        lines.append(f"{made} = {module}.{kind.__name__}()")
        lines += [f"print({made}.{name})" for name in names_of(kind)]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("types")
    (folder / "user_script.py").write_text(SCRIPT, encoding="utf-8")
    (folder / "every_name.py").write_text(every_name(), encoding="utf-8")
    return folder


ROOT = Path(silvics.__file__).parents[1]
INSTALLED = ROOT.name == "site-packages"


def from_mypy(scripts):
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-error-summary"]
    told = subprocess.run(
        [*command, "--config-file=", "--cache-dir=cache", "user_script.py", "every_name.py"],
        cwd=scripts,
        env=None if INSTALLED else {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert told.returncode in (0, 1), told.stdout + told.stderr
    found = re.findall(r"^(\w+\.py):(\d+): (error|note): (.*)$", told.stdout, flags=re.MULTILINE)
    return [(file, int(line), kind, text) for file, line, kind, text in found]


def from_pyright(scripts):
    settings = {"typeCheckingMode": "standard", "extraPaths": [] if INSTALLED else [str(ROOT)]}
    (scripts / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson"]
    told = subprocess.run(
        [*command, "--pythonpath", sys.executable], cwd=scripts, capture_output=True, text=True
    )
    assert told.returncode in (0, 1), told.stdout + told.stderr
    return [
        (
            Path(one["file"]).name,
            one["range"]["start"]["line"] + 1,
            {"information": "note"}.get(one["severity"], one["severity"]),
            one["message"],
        )
        for one in json.loads(told.stdout)["generalDiagnostics"]
    ]


@pytest.mark.parametrize("checker", [from_mypy, from_pyright])
def test_checkers_know_the_estimators(checker, scripts):
    found = checker(scripts)
    lines = SCRIPT.splitlines()

    errors = {line for file, line, kind, _ in found if (file, kind) == ("user_script.py", "error")}
    misspelt = {i for i, line in enumerate(lines, 1) if line.endswith("# misspelt")}
    assert errors == misspelt

    of_each = {line: text for file, line, _, text in found if "ype" in text and "_s" in file}
    for i, line in enumerate(lines, 1):
        if line.startswith("reveal_type("):
            assert re.search(rf"\b{line.split('# ')[1]}\"$", of_each[i]), of_each[i]

    unknown = [text for file, _, kind, text in found if (file, kind) == ("every_name.py", "error")]
    assert unknown == []


@pytest.mark.parametrize("kind", PUBLIC)
def test_parameters_are_declared(kind):
    declared = {name for of in kind.__mro__ for name in inspect.get_annotations(of)}
    declared |= {name for of in kind.__mro__ for name in vars(of)}
    assert set(inspect.signature(kind).parameters) <= declared
