"""`estimators_`: a list of fitted trees that share the forest's memory."""

import numpy as np
import pytest

from ..kinds import FORESTS, TREES, name_of, problem, small

forests = pytest.mark.parametrize("kind", FORESTS, ids=name_of)


@forests
def test_a_forest_is_a_sequence_of_its_trees(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    assert len(forest) == len(forest.estimators_) == 3
    assert forest[0] is forest.estimators_[0]
    assert forest[-1] is forest.estimators_[2]
    assert list(forest) == forest.estimators_
    assert forest.estimators_ is forest.estimators_
    with pytest.raises(IndexError):
        forest[3]


@forests
def test_trees_are_those_of_a_single_tree_estimator(kind):
    X, y = problem()
    forest = small(kind, max_depth=4, min_samples_leaf=2).fit(X, y)
    expected = TREES[FORESTS.index(kind)]
    assert type(forest.estimator_) is expected
    for tree in forest:
        assert type(tree) is expected
        assert tree.max_depth == 4
        assert tree.min_samples_leaf == 2
        assert tree.get_depth() <= 4
        assert tree.n_features_in_ == 4
        assert tree.predict(X).shape == (len(X),)


@forests
def test_a_tree_grown_by_itself_with_its_seed_is_the_same(kind):
    X, y = problem()
    forest = small(kind, bootstrap=False).fit(X, y)
    encoded = np.unique(y, return_inverse=True)[1] if forest._classification else y
    for tree in forest:
        again = type(tree)(**tree.get_params()).fit(X, encoded)
        assert again.digest() == tree.digest()


@forests
def test_mean_of_the_trees_is_the_forest(kind):
    X, y = problem()
    forest = small(kind, n_estimators=4).fit(X, y)
    say = "predict_proba" if forest._classification else "predict"
    mean = sum(getattr(tree, say)(X) for tree in forest) / 4
    np.testing.assert_array_equal(getattr(forest, say)(X), mean)
    leaves = np.column_stack([tree.apply(X) for tree in forest])
    np.testing.assert_array_equal(forest.apply(X), leaves)


@pytest.mark.parametrize("kind", FORESTS[::2], ids=name_of)
def test_classes_of_trees_are_numbers(kind):
    X, y = problem()
    names = np.array(["ash", "elm", "oak", "yew"])
    forest = small(kind).fit(X, names[y.astype(int)])
    for tree in forest:
        assert tree.classes_.tolist() == [0.0, 1.0, 2.0, 3.0]
        assert tree.n_classes_ == 4
        assert set(tree.predict(X)) <= {0.0, 1.0, 2.0, 3.0}
    assert set(forest.predict(X)) <= set(names)


@pytest.mark.parametrize("kind", FORESTS[::2], ids=name_of)
def test_classes_of_several_outputs(kind):
    X, y = problem(n_outputs=2)
    forest = small(kind).fit(X, y)
    assert [classes.tolist() for classes in forest.classes_] == [[0, 1, 2, 3]] * 2
    assert [len(classes) for classes in forest[0].classes_] == [4, 4]
    assert len(forest.predict_proba(X)) == 2


@forests
def test_new_trees_after_a_new_fit(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    before = forest.estimators_
    forest.set_params(random_state=1).fit(X, y)
    assert forest.estimators_ is not before
    assert forest[0].digest() != before[0].digest()


@forests
def test_unfitted_forests_have_no_trees(kind):
    forest = small(kind)
    for name in ("estimators_", "estimator_", "estimators_samples_"):
        assert not hasattr(forest, name)


@forests
def test_decision_path_of_a_forest(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    path, starts = forest.decision_path(X)
    assert starts.tolist() == [0, *np.cumsum([t.tree_.node_count for t in forest])]
    for i, tree in enumerate(forest):
        part = path[:, starts[i] : starts[i + 1]]
        assert (part != tree.decision_path(X)).nnz == 0


def test_arrays_are_read_only_and_of_sklearn_types():
    X, y = problem()
    tree = small(TREES[0]).fit(X, y).tree_
    types = {
        "children_left": np.int64,
        "children_right": np.int64,
        "feature": np.int64,
        "threshold": np.float64,
        "impurity": np.float64,
        "n_node_samples": np.int64,
        "weighted_n_node_samples": np.float64,
        "value": np.float64,
    }
    for name, dtype in types.items():
        array = getattr(tree, name)
        assert array.dtype == dtype
        assert array is getattr(tree, name)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
