"""Proximities and kernels against their definitions, pair by pair, from ``apply``."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.datasets import make_classification, make_friedman1

import silvics

N_ROWS = 90


def classes():
    return make_classification(N_ROWS, 6, n_informative=4, n_classes=3, random_state=1)


def numbers():
    return make_friedman1(N_ROWS, 6, random_state=1)


def regression_forest(**parameters):
    X, y = numbers()
    settings = {"n_estimators": 12, "keep_samples": True, "random_state": 3, **parameters}
    return silvics.RandomForestRegressor(**settings).fit(X, y), X, y


def same_leaf(forest, X, Y):
    """Whether rows of X and Y share the leaf, by rows, columns and trees."""
    return forest.apply(X)[:, np.newaxis] == forest.apply(Y)[np.newaxis]


def kernel_by_hand(forest, X, rows, query_is_out=None):
    """The mean over trees of in-bag count / count of the leaf."""
    together = same_leaf(forest, X, rows)
    weights = together * forest.in_bag_counts()
    shares = weights / weights.sum(axis=1, keepdims=True)
    if query_is_out is None:
        return shares.mean(axis=2)
    return np.einsum("ijm,im->ij", shares, query_is_out) / query_is_out.sum(axis=1)[:, np.newaxis]


# ---- the definitions


def test_original_is_the_share_of_common_leaves():
    forest, X, _ = regression_forest()
    expected = same_leaf(forest, X, X[:20]).mean(axis=2)
    np.testing.assert_allclose(forest.proximity(X, X[:20]), expected, rtol=1e-14)
    np.testing.assert_array_equal(forest.proximity(X), forest.proximity())
    np.testing.assert_array_equal(forest.proximity(X, X), forest.proximity(X))


def test_equation_4_41():
    """The proximity is the normalized product of one-hot encoded leaves."""
    X, y = numbers()
    forest = silvics.ExtraTreesRegressor(20, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    phi = np.hstack([leaves[:, [m]] == np.unique(leaves[:, m]) for m in range(20)]).astype(float)
    np.testing.assert_allclose(forest.proximity(X), phi @ phi.T / 20, rtol=1e-14)


def test_out_of_bag_share():
    forest, X, _ = regression_forest()
    out = forest.in_bag_counts() == 0
    both = out[:, np.newaxis] & out[np.newaxis]
    n = both.sum(axis=2)
    expected = (same_leaf(forest, X, X) & both).sum(axis=2) / np.maximum(n, 1)
    assert (n == 0).any()
    np.testing.assert_allclose(forest.proximity(kind="oob"), expected, rtol=1e-14)
    np.testing.assert_array_equal(forest.proximity(X, kind="oob"), forest.proximity(kind="oob"))


@pytest.mark.parametrize("kind", ["gap", "kernel"])
def test_weights_by_hand(kind):
    forest, X, _ = regression_forest(n_estimators=30)
    out = (forest.in_bag_counts() == 0).astype(float) if kind == "gap" else None
    found = forest.proximity(kind=kind)
    np.testing.assert_allclose(found, kernel_by_hand(forest, X, X, out), atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    if kind == "gap":
        assert not found.diagonal().any()


# ---- the identities

FORESTS = [
    (silvics.RandomForestClassifier, {"class_weight": "balanced_subsample"}),
    (silvics.ExtraTreesClassifier, {}),
    (silvics.RandomForestRegressor, {"criterion": "poisson"}),
    (silvics.RandomForestRegressor, {"max_samples": 0.4, "min_samples_leaf": 3}),
    *(
        (silvics.ForestClassifier, {"recipe": name})
        for name in silvics.recipes.names()
        if silvics.recipes.get(name).stages == 1
    ),
]
MAJORITY = {name for name in silvics.recipes.names() if silvics.recipes.get(name).vote != "soft"}


def name_of(parameter):
    return parameter.__name__ if isinstance(parameter, type) else str(parameter)


@pytest.mark.parametrize(("kind", "parameters"), FORESTS, ids=name_of)
def test_kernel_reproduces_predictions(kind, parameters):
    """Equation 4.42: the prediction is the weighted mean of the training outputs.

    A leaf of an honest tree without estimation samples predicts what the node above it does.
    """
    regression = kind.__name__.endswith("Regressor")
    X, y = numbers() if regression else classes()
    forest = kind(n_estimators=15, keep_samples=True, random_state=0, **parameters).fit(X, y)
    new = X + np.random.default_rng(1).normal(size=X.shape)
    if parameters.get("recipe") in MAJORITY:
        with pytest.raises(ValueError, match="majority"):
            forest.proximity(new, kind="kernel")
        return
    outputs = y[:, np.newaxis] if regression else np.eye(3)[y]
    predicted = forest.predict(new)[:, np.newaxis] if regression else forest.predict_proba(new)
    weighted = forest.proximity(new, kind="kernel") @ outputs
    np.testing.assert_allclose(weighted, predicted, rtol=1e-12, atol=1e-15)


def test_kernel_with_sample_weights():
    X, y = numbers()
    weight = np.random.default_rng(0).uniform(0, 3, N_ROWS)
    weight[:5] = 0
    for bootstrap in (False, True):
        forest = silvics.RandomForestRegressor(
            15, bootstrap=bootstrap, min_samples_leaf=4, keep_samples=True, random_state=0
        ).fit(X, y, sample_weight=weight)
        kernel = forest.proximity(X, kind="kernel")
        np.testing.assert_allclose(kernel @ y, forest.predict(X), rtol=1e-12)
        assert not kernel[:, :5].any()


@pytest.mark.parametrize("regression", [False, True])
def test_gap_reproduces_out_of_bag_predictions(regression):
    X, y = numbers() if regression else classes()
    kind = silvics.RandomForestRegressor if regression else silvics.RandomForestClassifier
    forest = kind(60, keep_samples=True, oob_score=True, random_state=2).fit(X, y)
    weights = forest.proximity(kind="gap")
    if regression:
        np.testing.assert_allclose(weights @ y, forest.oob_prediction_, rtol=1e-12)
    else:
        np.testing.assert_allclose(
            weights @ np.eye(3)[y], forest.oob_decision_function_, rtol=1e-12, atol=1e-15
        )


def test_several_outputs():
    X, y = numbers()
    Y = np.column_stack([y, X[:, 0]])
    forest = silvics.RandomForestRegressor(10, keep_samples=True, random_state=0).fit(X, Y)
    np.testing.assert_allclose(
        forest.proximity(X, kind="kernel") @ Y, forest.predict(X), rtol=1e-12
    )


# ---- nodes larger than leaves


def test_nodes_of_limited_depth_are_those_of_shallower_trees():
    """A forest of limited depth is a prefix of the full one."""
    forest, X, y = regression_forest()
    shallow = regression_forest(max_depth=3)[0]
    for kind in ("original", "oob", "gap", "kernel"):
        found = forest.proximity(X, kind=kind, max_depth=3)
        np.testing.assert_allclose(found, shallow.proximity(X, kind=kind), atol=1e-14)
    np.testing.assert_allclose(forest.proximity(X, max_depth=0), 1.0)
    np.testing.assert_allclose(
        forest.proximity(X, kind="kernel", max_depth=3) @ y, shallow.predict(X), rtol=1e-12
    )


def test_min_samples_in_node_by_hand():
    """Cells from ``decision_path``: the deepest node with enough rows."""
    forest, X, _ = regression_forest(n_estimators=4)
    path, starts = forest.decision_path(X)
    counts = forest.in_bag_counts()
    expected, kernel = np.zeros((N_ROWS, N_ROWS)), np.zeros((N_ROWS, N_ROWS))
    for m, tree in enumerate(forest):
        on_path = path[:, starts[m] : starts[m + 1]].toarray().astype(bool)
        size = tree.tree_.n_node_samples
        cells = [max(t for t in np.flatnonzero(row) if t == 0 or size[t] >= 8) for row in on_path]
        expected += np.equal.outer(cells, cells) / 4
        inside = on_path[:, cells].T * counts[:, m]
        kernel += inside / inside.sum(axis=1, keepdims=True) / 4
    for given in (X, None):
        found = forest.proximity(given, min_samples_in_node=8)
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    found = forest.proximity(X, kind="kernel", min_samples_in_node=8)
    np.testing.assert_allclose(found, kernel, atol=1e-14)
    assert (found > 0).mean() > (forest.proximity(X, kind="kernel") > 0).mean()


# ---- outputs


@pytest.mark.parametrize("kind", ["original", "oob", "gap", "kernel"])
def test_sparse_output_and_threads(kind):
    forest, X, _ = regression_forest()
    dense = forest.proximity(X, kind=kind, n_jobs=1)
    sparse = forest.proximity(X, kind=kind, output="sparse", n_jobs=3)
    assert issparse(sparse)
    assert sparse.has_sorted_indices
    assert sparse.nnz == np.count_nonzero(dense)
    np.testing.assert_array_equal(sparse.toarray(), dense)


@pytest.mark.parametrize("kind", ["original", "gap", "kernel"])
def test_neighbors_are_the_largest_weights(kind):
    forest, X, _ = regression_forest()
    indices, weights = forest.neighbors(X, n_neighbors=6, kind=kind)
    P = forest.proximity(X, kind=kind)
    order = np.argsort(-P, axis=1, kind="stable")[:, :6]
    np.testing.assert_array_equal(weights, np.take_along_axis(P, order, axis=1))
    np.testing.assert_array_equal(indices, np.where(weights > 0, order, -1))


def test_neighbors_of_few_rows_are_those_of_many():
    forest, X, _ = regression_forest()
    all_indices, all_weights = forest.neighbors(X)  # training rows are numbered by their leaves
    assert all_indices.dtype == np.int32
    assert all_weights.dtype == np.float64
    for i in range(0, N_ROWS, 7):
        indices, weights = forest.neighbors(X[i : i + 1])
        np.testing.assert_array_equal(indices, all_indices[i : i + 1])
        np.testing.assert_array_equal(weights, all_weights[i : i + 1])


def test_all_neighbors_give_the_prediction():
    forest, X, y = regression_forest()
    indices, weights = forest.neighbors(X + 0.01, n_neighbors=N_ROWS)
    assert (indices == -1).any()
    np.testing.assert_allclose((weights * y[indices]).sum(axis=1), forest.predict(X + 0.01))


def test_tables_of_every_kind():
    X, y = classes()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["a"] = pd.cut(frame["a"], 4).astype(str)
    frame.loc[::7, "b"] = np.nan
    forest = silvics.RandomForestClassifier(10, keep_samples=True, random_state=0).fit(frame, y)
    np.testing.assert_array_equal(forest.proximity(frame), forest.proximity())
    sparse = csr_matrix(np.where(X > 0.5, X, 0))
    forest = silvics.RandomForestClassifier(10, random_state=0).fit(sparse, y)
    np.testing.assert_array_equal(forest.proximity(sparse), forest.proximity(sparse.toarray()))


def test_a_saved_forest_has_the_same_proximities(tmp_path):
    forest, X, _ = regression_forest()
    forest.save(tmp_path / "model", training_rows=True)
    loaded = silvics.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.proximity(X, kind="gap"), forest.proximity(X, kind="gap"))


# ---- long work


@pytest.mark.parametrize("kind", ["original", "oob", "gap", "kernel"])
def test_limited_leaves(kind):
    """A limit above all sizes changes nothing; a smaller one leaves exact or smaller weights."""
    forest, _X, _ = regression_forest(min_samples_leaf=10)
    P = forest.proximity(kind=kind)
    exact = forest.neighbors(n_neighbors=N_ROWS, kind=kind)
    same = forest.neighbors(n_neighbors=N_ROWS, kind=kind, max_samples_leaf=N_ROWS)
    for a, b in zip(exact, same, strict=True):
        np.testing.assert_array_equal(a, b)
    indices, weights = forest.neighbors(n_neighbors=N_ROWS, kind=kind, max_samples_leaf=4)
    of_rows = np.take_along_axis(P, np.maximum(indices, 0), axis=1)
    assert (weights <= of_rows + 1e-15).all()
    assert 0 < (weights > 0).sum() < (exact[1] > 0).sum()
    again = forest.neighbors(n_neighbors=N_ROWS, kind=kind, max_samples_leaf=4, n_jobs=3)
    np.testing.assert_array_equal(indices, again[0])


def test_limited_leaves_by_hand():
    """The rows of a leaf whose numbers are closest."""
    forest, X, _ = regression_forest(n_estimators=1, max_depth=2, bootstrap=False)
    leaf = forest.apply(X)[:, 0]
    indices, _ = forest.neighbors(n_neighbors=N_ROWS, max_samples_leaf=3)
    for i in range(N_ROWS):
        rows = np.flatnonzero(leaf == leaf[i])
        at = int(np.searchsorted(rows, i))
        begin = min(max(at - 1, 0), len(rows) - 3)
        assert sorted(indices[i][indices[i] >= 0]) == rows[begin : begin + 3].tolist()
    new = forest.neighbors(X, n_neighbors=N_ROWS, max_samples_leaf=3)[0]
    for i in range(N_ROWS):
        assert set(leaf[new[i][new[i] >= 0]]) == {leaf[i]}


def test_large_leaves_are_warned_of(monkeypatch):
    monkeypatch.setattr("silvics.proximity.forest_proximity._MUCH_WORK", 1000)
    forest, X, _ = regression_forest(max_depth=1)
    with pytest.warns(UserWarning, match="Set max_samples_leaf"):
        forest.neighbors(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest.neighbors(X, max_samples_leaf=10)


def test_progress_counts_rows(capsys):
    forest, X, _ = regression_forest()
    for call in (
        lambda **given: forest.proximity(X, **given),
        lambda **given: forest.proximity(kind="gap", output="sparse", **given),
        lambda **given: forest.neighbors(X, **given),
    ):
        seen = []
        call(progress=lambda done, total, seen=seen: seen.append((done, total)))
        assert seen[-1] == (N_ROWS, N_ROWS)
        assert {total for _, total in seen} == {N_ROWS}
    assert not capsys.readouterr().err
    forest.set_params(verbose=1).neighbors(X)
    assert f"{N_ROWS} of {N_ROWS} rows" in capsys.readouterr().err
    with pytest.raises(TypeError, match="progress"):
        forest.neighbors(X, progress=1)


def test_an_exception_of_progress_is_raised():
    forest, X, _ = regression_forest()

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        forest.proximity(X, progress=stop)
    assert forest.proximity(X).shape == (N_ROWS, N_ROWS)


# ---- errors


def test_training_rows_are_needed():
    X, y = numbers()
    forest = silvics.RandomForestRegressor(5, random_state=0).fit(X, y)
    assert forest.proximity(X).shape == (N_ROWS, N_ROWS)
    for call in (
        lambda: forest.proximity(),
        lambda: forest.proximity(X, kind="kernel"),
        lambda: forest.neighbors(X),
        lambda: forest.neighbors(X, kind="original"),
    ):
        with pytest.raises(ValueError, match="attach_samples"):
            call()
    forest.attach_samples(X, y)
    assert forest.neighbors(X)[0].shape == (N_ROWS, 5)


def test_other_rows_are_never_out_of_bag():
    forest, X, _ = regression_forest()
    with pytest.raises(ValueError, match="X has others"):
        forest.proximity(X[::-1], kind="gap")
    with pytest.raises(ValueError, match="X has others"):
        forest.proximity(X[:10], kind="oob")


def test_forests_without_out_of_bag_rows():
    X, y = numbers()
    forest = silvics.ExtraTreesRegressor(5, keep_samples=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap"):
        forest.proximity(kind="gap")
    np.testing.assert_allclose(forest.proximity(kind="kernel") @ y, forest.predict(X), rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"criterion": "absolute_error"}, "medians"),
        ({"monotonic_cst": [1, 0, 0, 0, 0, 0]}, "monotonic"),
    ],
)
def test_predictions_that_are_no_means(parameters, reason):
    forest, X, _ = regression_forest(**parameters)
    for call in (lambda: forest.neighbors(X), lambda: forest.proximity(kind="gap")):
        with pytest.raises(ValueError, match=reason):
            call()
    assert forest.proximity(kind="oob").shape == (N_ROWS, N_ROWS)


def test_majority_votes_are_no_means():
    X, y = classes()
    forest = silvics.ForestClassifier(
        n_estimators=5, vote="majority", keep_samples=True, random_state=0
    ).fit(X, y)
    with pytest.raises(ValueError, match="majority"):
        forest.neighbors(X)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"kind": "other"}, ValueError),
        ({"output": "other"}, ValueError),
        ({"kind": "kernel", "Y": np.zeros((1, 6))}, ValueError),
        ({"X": None, "Y": np.zeros((1, 6))}, ValueError),
        ({"min_samples_in_node": 0}, ValueError),
        ({"min_samples_in_node": 2.5}, TypeError),
        ({"max_depth": -1}, ValueError),
        ({"max_depth": True}, TypeError),
        ({"X": np.zeros((2, 5))}, ValueError),
    ],
)
def test_bad_arguments(arguments, error):
    forest, X, _ = regression_forest(n_estimators=2)
    with pytest.raises(error):
        forest.proximity(**{"X": X, **arguments})


@pytest.mark.parametrize("value", [0, -1, 2**63, 1.5, None])
def test_bad_numbers_of_neighbors(value):
    forest, X, _ = regression_forest(n_estimators=2)
    with pytest.raises((ValueError, TypeError)):
        forest.neighbors(X, n_neighbors=value)
