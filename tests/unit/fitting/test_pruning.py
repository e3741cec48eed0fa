"""Cost-complexity pruning, step for step as scikit-learn prunes the same tree."""

import numpy as np
import pytest
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.tree._tree import _build_pruned_tree_ccp, ccp_pruning_path

from ..kinds import ALL, TREES, name_of, problem, small

trees = pytest.mark.parametrize("kind", TREES, ids=name_of)
NAMES = (
    *("children_left", "children_right", "feature", "threshold", "impurity"),
    *("n_node_samples", "weighted_n_node_samples", "value"),
)


@trees
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_path(kind, n_outputs, seed):
    X, y = problem(n_rows=100, n_outputs=n_outputs, seed=seed)
    whole = small(kind).fit(X, y)
    theirs = ccp_pruning_path(whole.to_sklearn().tree_)
    ours = whole.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs["ccp_alphas"], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(ours.impurities, theirs["impurities"], rtol=1e-10, atol=1e-14)


@trees
@pytest.mark.parametrize("seed", range(5))
def test_pruned_tree(kind, seed):
    X, y = problem(n_rows=100, seed=seed)
    whole = small(kind).fit(X, y)
    source = whole.to_sklearn().tree_
    alphas = whole.cost_complexity_pruning_path(X, y).ccp_alphas
    # Between two steps of the path rounding decides nothing.
    for alpha in np.unique((alphas[1:] + alphas[:-1]) / 2):
        pruned = small(kind, ccp_alpha=alpha).fit(X, y)
        theirs = SklearnTree(source.n_features, source.n_classes, source.n_outputs)
        _build_pruned_tree_ccp(theirs, source, alpha)
        assert pruned.tree_.max_depth == theirs.max_depth
        for name in NAMES:
            # What inner nodes have is derived from the leaves there are: to rounding.
            rounding = 1e-12 if name in ("impurity", "value") else 0.0
            np.testing.assert_allclose(
                getattr(pruned.tree_, name), getattr(theirs, name), rounding, 1e-15, err_msg=name
            )


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_everything_is_pruned_in_the_end(kind):
    X, y = problem()
    pruned = small(kind, ccp_alpha=1e9).fit(X, y)
    assert all(t.tree_.node_count == 1 for t in getattr(pruned, "estimators_", [pruned]))
    assert len(set(pruned.predict(X))) == 1


@trees
def test_path_obeys_weights_and_other_limits(kind):
    X, y = problem()
    weights = 1.0 + np.arange(len(y)) % 3
    tree = small(kind, max_depth=4, ccp_alpha=0.5)
    path = tree.cost_complexity_pruning_path(X, y, sample_weight=weights)
    grown = small(kind, max_depth=4).fit(X, y, sample_weight=weights)
    expected = ccp_pruning_path(grown.to_sklearn().tree_)["ccp_alphas"]
    np.testing.assert_allclose(path.ccp_alphas, expected, rtol=1e-10, atol=1e-14)
    assert not hasattr(tree, "tree_")
