"""What estimators say of the tables that they take, and that it is so."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from .estimators import PATCHES, WITHOUT_OUTPUT, answer

OURS = ("categorical_features", "unknown_category", "missing")


def test_tables_of_every_kind_are_taken(ours):
    tags = get_tags(ours()).input_tags
    assert tags.two_d_array
    assert tags.sparse is (ours not in PATCHES)
    assert tags.string
    assert tags.categorical
    assert tags.allow_nan
    assert not tags.pairwise
    assert not tags.positive_only


def test_missing_values_are_taken_unless_they_are_an_error(ours):
    assert get_tags(ours(missing="learned")).input_tags.allow_nan
    assert not get_tags(ours(missing="error")).input_tags.allow_nan
    assert get_tags(ours(missing="error").set_params(missing="learned")).input_tags.allow_nan


def test_as_much_is_taken_as_by_scikit_learn(ours, theirs):
    mine, other = get_tags(ours()), get_tags(theirs())
    for name in ("sparse", "allow_nan", "two_d_array", "string", "categorical"):
        assert getattr(mine.input_tags, name) >= getattr(other.input_tags, name), name
    assert mine.target_tags == other.target_tags
    assert mine.estimator_type == other.estimator_type


def test_tags_tell_the_truth(ours):
    y = np.arange(30) % 2
    words = np.array(["oak", "elm", "yew"], dtype=object)[np.arange(30) % 3][:, np.newaxis]
    for X in (
        np.where(np.arange(60).reshape(30, 2) % 4, 1.0, np.nan),
        sparse.csr_array(np.eye(30)),
        words,
        words.astype(str),
        pd.DataFrame({"a": pd.Categorical(words[:, 0])}),
    ):
        if not sparse.issparse(X) or ours not in PATCHES:
            assert len(answer(ours().fit(X, y), X)) == 30


def test_defaults_of_what_tables_may_be(ours):
    assert {name: ours().get_params()[name] for name in OURS} == {
        "categorical_features": "from_dtype",
        "unknown_category": "missing",
        "missing": "learned",
    }


@pytest.mark.parametrize("features", ["from_dtype", None, ["a"], [0], [True, False]])
def test_parameters_are_kept_as_they_were_given(ours, features):
    model = ours(categorical_features=features)
    assert model.categorical_features is features
    assert clone(model).get_params()["categorical_features"] == features
    frame = pd.DataFrame({"a": [1.0, 2.0] * 10, "b": [1.0, 2.0, 3.0, 4.0] * 5})
    assert model.fit(frame, [0, 1] * 10).categorical_features is features


def test_scikit_learn_has_none_of_these(theirs):
    """Should it, their meaning is to be compared with ours."""
    assert not set(OURS) & set(theirs().get_params())


def test_attributes_of_tables(ours):
    frame = pd.DataFrame({"a": ["oak", "elm"] * 10, "b": np.arange(20)})
    model = ours().fit(frame, np.arange(20) % 2)
    assert model.is_categorical_.dtype == bool
    assert model.is_categorical_.tolist() == [True, False]
    assert isinstance(model.categories_, list)
    assert model.categories_[0].dtype == object
    assert model.categories_[1] is None
    assert model.feature_names_in_.dtype == object
    for name in ("is_categorical_", "categories_"):
        assert not hasattr(ours(), name)
        with pytest.raises(AttributeError):
            setattr(model, name, None)


def test_thresholds_of_categories_are_no_numbers(ours):
    frame = pd.DataFrame({"a": ["oak", "elm", "yew"] * 10, "b": np.arange(30)})
    all_at_nodes = {} if ours in WITHOUT_OUTPUT else {"max_features": None}
    model = ours(**all_at_nodes).fit(frame, np.arange(30) % 3 == 1)
    trees = [tree.tree_ for tree in getattr(model, "estimators_", [model])]
    assert any(np.isnan(tree.threshold).any() for tree in trees)
    for tree in trees:
        inner = tree.children_left >= 0
        np.testing.assert_array_equal(np.isnan(tree.threshold), inner & (tree.feature == 0))
        assert (tree.threshold[~inner] == -2.0).all()
        assert (tree.missing_go_to_left[~inner] == 0).all()
        assert (
            tree.missing_go_to_left.dtype
            == sklearn.tree.DecisionTreeClassifier()
            .fit([[0], [1]], [0, 1])
            .tree_.missing_go_to_left.dtype
        )
