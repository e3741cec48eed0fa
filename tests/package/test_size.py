"""Large in one direction: elements beyond 32 bits, deep trees, many classes."""

import pickle
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest
import sklearn.ensemble

import silvics
from silvics import _core
from silvics._predicting.tree_arrays import Tree

SIDE = 46_400  # squared, it is more than 2**31


def zeros_but_the_last_column(y, n_columns):
    """Pages never written cost no memory: only the last column is real."""
    X = np.zeros((len(y), n_columns), dtype=np.uint8, order="F")
    X[:, -1] = y
    assert X.size > 2**31
    return X


def test_fit_and_predict_beyond_32_bits():
    y = np.arange(SIDE) % 2
    X = zeros_but_the_last_column(y, SIDE)
    forest = silvics.ExtraTreesClassifier(
        n_estimators=1, max_features=None, random_state=0, n_jobs=2
    ).fit(X, y)
    assert forest[0].tree_.feature.tolist() == [SIDE - 1, -2, -2]
    # All that is read of the last column lies beyond 32 bits.
    np.testing.assert_array_equal(forest.predict(X[-1000:]), y[-1000:])


def test_predict_beyond_32_bits_without_strides():
    X = np.broadcast_to(np.arange(50_000) % 2, (50_000, 50_000))
    tree = chain(3, n_features=50_000, feature=49_999)
    assert X.size > 2**31
    leaves = _core.Predictor(_core.PackedForest.of([tree]), False).apply(_core.Matrix([X]), 1)
    assert leaves.shape == (50_000, 1)
    assert set(leaves[:, 0]) == {3}


# ---- trees deeper than any stack

DEEP = 120_000


def chain(depth, n_features=1, feature=0):
    """A tree whose nodes at depths 0, 1, ... cut at 0, 1, ...: each cuts off one leaf."""
    inner = np.arange(depth)
    node_count = 2 * depth + 1
    features = np.full(node_count, -2, dtype=np.int32)
    features[2 * inner] = feature
    thresholds = np.full(node_count, -2.0)
    thresholds[2 * inner] = inner
    link = np.zeros(node_count, dtype=np.uint32)
    link[2 * inner] = 2 * inner + 2
    weights = np.ones(node_count)
    weights[0::2] = depth + 1 - np.arange(depth + 1)
    return _core.Tree.from_stored_arrays(
        {
            "shape": np.array([n_features, 1, depth], dtype=np.uint64),
            "n_classes": np.array([], dtype=np.uint32),
            "threshold": thresholds,
            "feature": features,
            "link": link,
            "n_node_samples": weights.astype(np.uint32),
            "weighted_n_node_samples": weights,
            # The lower half is worth nothing, so that pruning cuts it in one step.
            "impurity": np.where((features >= 0) & (np.arange(node_count) < depth), 1.0, 0.0),
            "impurity_exponent": np.zeros(1, dtype=np.int32),
            "level_sets": np.array([], dtype=np.uint32),
            "leaf_weights": np.array([]),
            "node_values": np.arange(node_count, dtype=np.float64),
        }
    )


@pytest.fixture(scope="module")
def deep():
    """As the estimator that would have grown it."""
    tree = silvics.DecisionTreeRegressor(random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    tree.tree_ = Tree(chain(DEEP))
    return tree


def test_walks_down_a_deep_tree(deep):
    X = np.array([[0.0], [1.0], [DEEP - 1.0], [DEEP]])
    leaves = [1, 3, 2 * DEEP - 1, 2 * DEEP]
    assert deep.get_depth() == DEEP
    assert deep.get_n_leaves() == DEEP + 1
    assert deep.apply(X).tolist() == leaves
    assert deep.predict(X).tolist() == leaves
    assert deep.decision_path(X).sum(axis=1).ravel().tolist() == [[2, 3, DEEP + 1, DEEP + 1]]
    assert deep.tree_.compute_node_depths().max() == DEEP + 1
    assert deep.tree_.value.shape == (2 * DEEP + 1, 1, 1)
    assert deep.feature_importances_.tolist() == [1.0]


def test_a_deep_tree_is_stored_and_brought_back(deep):
    again = pickle.loads(pickle.dumps(deep))
    assert again.digest() == deep.digest()


def test_a_deep_tree_goes_to_sklearn_and_back(deep):
    theirs = deep.to_sklearn()
    X = np.array([[0.0], [DEEP / 2], [DEEP]])
    assert theirs.predict(X).tolist() == deep.predict(X).tolist()
    assert silvics.from_sklearn(theirs).digest() == deep.digest()


def test_a_deep_tree_is_pruned(deep):
    alphas, impurities = deep.tree_._native.pruning_path()
    assert alphas[:2].tolist() == [0.0, 0.0]
    assert alphas[2] == pytest.approx(1 / (DEEP / 2), rel=1e-4)
    assert impurities.tolist() == [0.0, 0.0, 1.0]


# Labels that alternate along the only variable: the best cut takes one row off the end, so
# that the tree is a chain. Growing it costs the square of its depth.
GROW = """
    import numpy as np, pickle, silvics
    n = {n}
    X, y = np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n) % 2
    tree = silvics.DecisionTreeClassifier(random_state=0, growth={growth!r}).fit(X, y)
    assert tree.get_depth() == n - 1
    assert (tree.predict(X[-50:]) == y[-50:]).all()
    pruned = silvics.DecisionTreeClassifier(random_state=0, ccp_alpha=1e-9).fit(X, y)
    assert pruned.get_n_leaves() <= tree.get_n_leaves()
    assert pickle.loads(pickle.dumps(tree)).digest() == tree.digest()
    print(tree.get_depth())
"""


@pytest.mark.parametrize("growth", ["depth_first", "best_first", "breadth_first"])
def test_growing_does_not_recurse(growth):
    """With so small a stack for its threads, 40 bytes for each level would be too many."""
    code = dedent(GROW.format(n=12_000, growth=growth))
    limited = f"ulimit -s 512 && exec {sys.executable} -c '{code.replace(chr(39), chr(34))}'"
    ended = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "11999\n"


# ---- classes


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
@pytest.mark.parametrize("n_classes", [10_000, 100_000])
def test_many_classes(n_classes):
    X = (np.arange(n_classes) // 7 % 100)[:, np.newaxis]
    y = np.arange(n_classes)
    tree = silvics.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    shares = tree.predict_proba(X[:2])
    assert shares.shape == (2, n_classes)
    assert shares[0].sum() == pytest.approx(1.0)
    assert shares[0, 0] > 0.0


def test_many_classes_in_a_full_tree():
    X = np.arange(8_000)[:, np.newaxis] / 8
    y = np.arange(8_000) // 2
    tree = silvics.DecisionTreeClassifier(random_state=0, criterion="entropy").fit(X, y)
    np.testing.assert_array_equal(tree.predict(X[:500]), y[:500])


def test_many_columns():
    X = np.zeros((10, 300_000), dtype=np.int8)
    X[:, -1] = y = np.arange(10) % 2
    tree = silvics.DecisionTreeClassifier(max_features=1, random_state=0).fit(X, y)
    assert tree.tree_.feature.tolist() == [299_999, -2, -2]
    assert tree.feature_importances_[-1] == 1.0


def test_many_nodes():
    n = 70_000  # more leaves than 16 bits count
    X = np.random.default_rng(0).permutation(n)[:, np.newaxis]
    tree = silvics.ExtraTreeRegressor(random_state=0).fit(X, np.arange(n))
    assert tree.get_n_leaves() == n
    np.testing.assert_array_equal(tree.predict(X), np.arange(n))
    assert len(np.unique(tree.apply(X))) == n


# ---- bytes


def learning_set(n_classes):
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 8))
    z = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=len(X))
    return X, z if n_classes == 0 else np.searchsorted(
        np.quantile(z, np.linspace(0, 1, n_classes + 1)[1:-1]), z
    )


def memory_of_sklearn(forest):
    return sum(
        tree.tree_.__getstate__()[key].nbytes for tree in forest for key in ("nodes", "values")
    )


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
@pytest.mark.parametrize("n_classes", [0, 2, 7])
@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
def test_a_forest_is_small(kind, n_classes, min_samples_leaf):
    """In memory and stored: a quarter of scikit-learn's classifiers, a third of its regressors."""
    X, y = learning_set(n_classes)
    kind += "Classifier" if n_classes else "Regressor"
    parameters = {"n_estimators": 5, "random_state": 0, "min_samples_leaf": min_samples_leaf}
    ours = getattr(silvics, kind)(**parameters).fit(X, y)
    stored = len(pickle.dumps(ours))
    theirs = getattr(sklearn.ensemble, kind)(**parameters).fit(X, y)
    nodes = sum(tree.tree_.node_count for tree in ours)
    their_nodes = sum(tree.tree_.node_count for tree in theirs)
    memory = sum(tree.tree_._native.memory_bytes for tree in ours)
    share = 1 / 4 if n_classes else 1 / 3
    assert memory / nodes <= share * memory_of_sklearn(theirs) / their_nodes
    assert stored / nodes <= share * len(pickle.dumps(theirs)) / their_nodes


# ---- nothing is lost: every node, from the rows that reach it


def naive_impurity(criterion, weight, y):
    if criterion in ("squared_error", "friedman_mse"):
        return np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
    shares = np.bincount(y, weight) / weight.sum()
    if criterion == "gini":
        return 1.0 - (shares**2).sum()
    shares = shares[shares > 0.0]
    return -(shares * np.log2(shares)).sum()


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
@pytest.mark.parametrize("weights", ["one", "whole", "real"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "friedman_mse"])
def test_what_nodes_have_is_what_their_rows_say(criterion, weights, min_samples_leaf):
    regression = criterion in ("squared_error", "friedman_mse")
    random = np.random.default_rng(1)
    X, y = (part[:500] for part in learning_set(0 if regression else 3))
    w = {
        "one": np.ones(len(y)),
        "whole": random.integers(1, 6, size=len(y)).astype(float),
        "real": random.uniform(0.1, 3.0, size=len(y)),
    }[weights]
    kind = silvics.DecisionTreeRegressor if regression else silvics.DecisionTreeClassifier
    model = kind(criterion=criterion, random_state=0, min_samples_leaf=min_samples_leaf)
    model.fit(X, y, sample_weight=w)
    for tree in (model.tree_, pickle.loads(pickle.dumps(model)).tree_):
        assert "derivation" in tree._native.stored_arrays()
        assert (tree.threshold[tree.children_left < 0] == -2.0).all()
        visited = tree.decision_path(X).tocsc()
        for t in range(tree.node_count):
            rows = visited[:, t].nonzero()[0]
            assert tree.n_node_samples[t] == len(rows)
            assert tree.weighted_n_node_samples[t] == pytest.approx(w[rows].sum(), rel=1e-12)
            impurity = naive_impurity(criterion, w[rows], y[rows])
            assert tree.impurity[t] == pytest.approx(impurity, rel=1e-12, abs=1e-14)
            value = (
                [np.average(y[rows], weights=w[rows])]
                if regression
                else np.bincount(y[rows], w[rows], minlength=3) / w[rows].sum()
            )
            np.testing.assert_allclose(tree.value[t, 0], value, rtol=1e-12, atol=1e-14)
    theirs = model.to_sklearn().tree_
    for name in ("impurity", "value", "n_node_samples", "weighted_n_node_samples", "threshold"):
        np.testing.assert_array_equal(getattr(theirs, name), getattr(model.tree_, name))
    assert silvics.from_sklearn(model.to_sklearn()).predict(X).tolist() == model.predict(X).tolist()
