"""Whatever scikit-learn's class has, ours has: parameters, defaults, methods, attributes."""

import inspect
from inspect import Parameter

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.utils.validation import check_is_fitted

import silvics

from .estimators import ESTIMATORS, FORESTS, WITHOUT_OUTPUT, known


def parameters(callable_):
    return inspect.signature(callable_).parameters


def public_methods(estimator):
    return {
        name
        for name, member in inspect.getmembers(estimator)
        if not name.startswith("_") and callable(member)
    }


def public_attributes(model):
    """Attributes and properties that can be read."""
    return {
        name
        for name in dir(model)
        if not name.startswith("_") and hasattr(model, name) and not callable(getattr(model, name))
    }


def fitted_attributes(model):
    return {name for name in public_attributes(model) if name.endswith("_")}


def fitted(estimator, **given):
    X, y = make_classification(n_samples=60, random_state=0)
    given |= known(estimator, n_estimators=20, bootstrap=True, oob_score=True)
    return estimator(random_state=0, **given).fit(X, y)


def test_every_public_class_is_tested_here():
    named = {getattr(silvics, name) for name in silvics.__all__}
    classes = {member for member in named if inspect.isclass(member)}
    # tests/unit/test_forest_embedding.py has the contract of a transformer with a forest in it.
    assert set(ESTIMATORS) == classes - {silvics.ModelFileError, silvics.ForestEmbedding}


def test_constructor_parameters_have_the_same_kinds_and_defaults(ours, theirs):
    expected = {p.name: (p.kind, p.default) for p in parameters(theirs).values()}
    first = list(parameters(ours).values())[: len(expected)]
    assert {p.name: (p.kind, p.default) for p in first} == expected


def test_our_own_parameters_are_keywords_with_defaults(ours, theirs):
    added = list(parameters(ours).values())[len(parameters(theirs)) :]
    assert added
    for parameter in added:
        assert parameter.kind is Parameter.KEYWORD_ONLY
        assert parameter.default is not Parameter.empty


def test_every_parameter_is_checked(ours):
    assert ours._parameter_constraints.keys() == parameters(ours).keys()


def test_every_parameter_is_documented(ours):
    for name in parameters(ours):
        assert f"\n{name} : " in inspect.cleandoc(ours.__doc__)


def test_every_public_method_exists(ours, theirs):
    assert public_methods(theirs) <= public_methods(ours)


# Of our own, by keyword only: threads for a call, names for columns that have none.
ADDED_TO_METHODS = [("n_jobs", Parameter.KEYWORD_ONLY, None)]
ADDED_TO_FIT = [("feature_names", Parameter.KEYWORD_ONLY, None)]


def test_methods_take_the_same_arguments(ours, theirs):
    for name in public_methods(theirs):
        expected = parameters(getattr(theirs, name)).values()
        found = [(p.name, p.kind, p.default) for p in parameters(getattr(ours, name)).values()]
        if "fit" in name:  # groups are those of forests: tests/unit/fitting/test_groups.py
            found = [p for p in found if p[0] != "groups"]
        same, added = found[: len(expected)], found[len(expected) :]
        assert [(p.name, p.kind, p.default) for p in expected] == same, name
        assert added == ADDED_TO_FIT if name == "fit" else added in ([], ADDED_TO_METHODS), name


def test_every_attribute_of_a_fitted_estimator_exists(ours, theirs):
    expected = fitted_attributes(fitted(theirs))
    assert "n_features_in_" in expected
    assert expected <= fitted_attributes(fitted(ours))


def test_fitted_attributes_have_the_same_types_and_shapes(ours, theirs):
    expected, found = fitted(theirs), fitted(ours)
    for name in fitted_attributes(expected):
        a, b = getattr(expected, name), getattr(found, name)
        if isinstance(a, np.ndarray):
            assert (a.shape, a.dtype) == (b.shape, b.dtype), name
        elif isinstance(a, int | float | np.number | list):
            assert np.isscalar(a) == np.isscalar(b), name
            assert np.size(a) == np.size(b), name


def test_every_attribute_of_the_tree_exists(ours, theirs):
    expected, found = (
        model.tree_ if hasattr(model, "tree_") else model[0].tree_
        for model in (fitted(theirs), fitted(ours))
    )
    assert public_attributes(expected) <= public_attributes(found)
    assert public_methods(expected) <= public_methods(found)
    for name in public_attributes(expected):
        a, b = np.asarray(getattr(expected, name)), np.asarray(getattr(found, name))
        assert (a.ndim, a.dtype) == (b.ndim, b.dtype), name


def test_an_unfitted_estimator_has_no_fitted_attribute(ours):
    estimator = ours()
    assert not fitted_attributes(estimator)
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(estimator)


@pytest.mark.parametrize("ours", FORESTS + WITHOUT_OUTPUT, ids=lambda forest: forest.__name__)
def test_a_forest_is_a_sequence_of_trees(ours):
    forest = fitted(ours)
    assert len(forest) == forest.n_estimators
    assert list(forest) == forest.estimators_
    assert forest[3] is forest.estimators_[3]
    assert type(forest[0]) is type(forest.estimator_)
