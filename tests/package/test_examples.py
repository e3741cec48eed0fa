"""Every public class, function and method of ours has an example, which pytest runs (doctest)."""

import inspect
from types import ModuleType

import pytest

import silvics
from silvics._predicting.predictor import Predictor
from silvics._predicting.tree_arrays import Tree

from .test_public_surface import RESULTS

PACKAGES = [
    silvics,
    *(value for name in silvics.__all__ if isinstance(value := getattr(silvics, name), ModuleType)),
]

# Methods without an example of their own, and why.
EXCEPTIONS = {
    "predict_log_proba": "the logarithm of predict_proba, which has one",
    "RandomTreesEmbedding.predictor": "always raises an error: an embedding does not predict",
    # Arrays of one tree. Their names and meaning are those of scikit-learn's tree_.
    "Tree.apply": "as in scikit-learn",
    "Tree.compute_feature_importances": "as in scikit-learn",
    "Tree.compute_node_depths": "as in scikit-learn",
    "Tree.compute_partial_dependence": "as in scikit-learn",
    "Tree.decision_path": "as in scikit-learn",
    "Tree.predict": "as in scikit-learn",
}


def documented():
    """Names and objects: public classes and functions, and the public methods of the classes."""
    found = {}
    classes = [Predictor, Tree, *RESULTS]
    for package in PACKAGES:
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value):
                classes.append(value)
            elif inspect.isfunction(value):
                found[f"{package.__name__}.{name}"] = value
    for kind in classes:
        if kind is not Predictor:  # users get it from a method with an example
            found[kind.__name__] = kind
        for name in dir(kind):
            # What every class has from scikit-learn or Python is described there.
            value = getattr(kind, name, None)
            if name[0] != "_" and inspect.isfunction(value) and is_ours(value):
                found[f"{kind.__name__}.{name}"] = value
    return found


def is_ours(function):
    return inspect.unwrap(function).__module__.startswith("silvics.")


DOCUMENTED = documented()


def is_excepted(name):
    return name in EXCEPTIONS or name.rpartition(".")[2] in EXCEPTIONS


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if not is_excepted(name)])
def test_there_is_an_example(name):
    doc = inspect.getdoc(DOCUMENTED[name])
    assert "\nExamples\n--------\n" in doc
    assert ">>> " in doc.split("\nExamples\n--------\n")[1]


def test_no_exception_is_needless():
    """Each one names a method that exists, and that has no example."""
    methods = {name.rpartition(".")[2] for name in DOCUMENTED}
    for name in EXCEPTIONS:
        assert name in DOCUMENTED or name in methods, name
    for name in filter(is_excepted, DOCUMENTED):
        assert "Examples\n" not in (inspect.getdoc(DOCUMENTED[name]) or ""), name


def test_methods_of_every_kind_of_object_are_looked_at():
    for name in (
        "RandomForestClassifier.fit",
        "RandomForestClassifier.oob_curve",
        "RandomForestClassifier.attach_samples",
        "IsolationForest.score_samples",
        "SelectTuned.at",
        "Summary.to_dict",
        "Importances.plot",
        "silvics.load",
    ):
        assert name in DOCUMENTED
