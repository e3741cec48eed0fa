"""Missing values: sides are learned, and every estimator takes them everywhere."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ..kinds import ALL, CLASSIFIERS, FORESTS, REGRESSORS, TREES, name_of, problem, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
BEST = tuple(kind for kind in ALL if "Extra" not in kind.__name__)
best = pytest.mark.parametrize("kind", BEST, ids=name_of)


def grown(kind, X, y, **parameters):
    if kind in FORESTS:
        parameters = {"bootstrap": False, **parameters}
    return small(kind, **parameters).fit(X, y)


def trees_of(model):
    return [tree.tree_ for tree in getattr(model, "estimators_", [model])]


def with_holes(n_rows=120, share=0.25, seed=0):
    X, y = problem(n_rows=n_rows, seed=seed)
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X, y


# ---- the better side


@each
@pytest.mark.parametrize("says", [0.0, 1.0])
def test_that_something_is_missing_says_all(kind, says):
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 3))
    X[::3, 1] = np.nan
    y = np.where(np.isnan(X[:, 1]), says, 1.0 - says)
    fitted = grown(kind, X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    if kind in BEST:
        stump = grown(kind, X, y, max_depth=1, max_features=None)
        np.testing.assert_array_equal(stump.predict(X), y)
        for tree in trees_of(stump):
            assert tree.feature[0] == 1
            assert np.isinf(tree.threshold[0])
            assert tree.missing_go_to_left[0] == (tree.threshold[0] < 0)


@best
@pytest.mark.parametrize("goes_with", ["low", "high"])
def test_missing_values_go_where_it_is_better(kind, goes_with):
    X = np.concatenate([np.arange(40.0), np.full(10, np.nan)])[:, np.newaxis]
    y = np.where(X[:, 0] >= 25, 1.0, 0.0)
    y[40:] = goes_with == "high"
    fitted = grown(kind, X, y, max_depth=1)
    np.testing.assert_array_equal(fitted.predict(X), y)
    for tree in trees_of(fitted):
        assert tree.threshold[0] == 24.5
        assert tree.missing_go_to_left[0] == (goes_with == "low")


@each
def test_a_full_tree_learns_rows_with_holes(kind):
    X, _ = with_holes()
    X = np.unique(X[~np.isnan(X).all(axis=1)], axis=0, equal_nan=True)
    y = np.arange(len(X)) % 3 * 1.0
    np.testing.assert_array_equal(grown(kind, X, y).predict(X), y)


@pytest.mark.parametrize("kind", TREES, ids=name_of)
def test_where_none_was_missing_the_heavier_child_it_is(kind):
    X, y = problem()
    weights = 1.0 + np.arange(len(y)) % 7 / 4
    for weight in (None, weights):
        tree = small(kind).fit(X, y, sample_weight=weight).tree_
        node, weighs = 0, tree.weighted_n_node_samples
        while tree.feature[node] >= 0:
            left, right = tree.children_left[node], tree.children_right[node]
            node = left if weighs[left] > weighs[right] else right
        fitted = small(kind).fit(X, y, sample_weight=weight)
        assert fitted.apply(np.full((1, 4), np.nan)).tolist() == [node]
        inner = tree.feature >= 0
        heavier_left = weighs[tree.children_left[inner]] > weighs[tree.children_right[inner]]
        np.testing.assert_array_equal(tree.missing_go_to_left[inner], heavier_left)


@each
def test_walks_follow_the_arrays(kind):
    X, y = with_holes()
    fitted = small(kind).fit(X, y)
    tree = (fitted[0] if kind in FORESTS else fitted).tree_
    leaves = tree.apply(X)
    for row, leaf in zip(X, leaves, strict=True):
        node = 0
        while tree.feature[node] >= 0:
            value = row[tree.feature[node]]
            left = (
                tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
            )
            node = (tree.children_left if left else tree.children_right)[node]
        assert node == leaf


# ---- everywhere

CRITERIA = [
    *((kind, c) for kind in CLASSIFIERS for c in ("gini", "entropy", "misclassification")),
    *(
        (kind, c)
        for kind in REGRESSORS
        for c in ("squared_error", "absolute_error", "poisson", "friedman_mse")
    ),
]


@pytest.mark.parametrize(("kind", "criterion"), CRITERIA)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_every_criterion(kind, criterion, n_outputs):
    X, y = with_holes()
    X[:, 0] = np.where(y == y.min(), np.nan, np.arange(len(y)))
    Y = 1.0 + (y if n_outputs == 1 else np.column_stack([y, y == y.min()]))
    fitted = grown(kind, X, Y, criterion=criterion)
    # Rows are told apart by the first variable, and those without it are all alike.
    np.testing.assert_allclose(fitted.predict(X), Y, atol=1e-12)


@each
@pytest.mark.parametrize(
    "parameters",
    [
        {"max_bins": 4},
        {"max_bins": 3, "binning": "width"},
        {"search": "sort"},
        {"search": "bins"},
        {"split_sample": 30},
        {"max_leaf_nodes": 9},
        {"growth": "breadth_first"},
        {"min_samples_leaf": 6},
        {"min_weight_fraction_leaf": 0.1},
        {"ccp_alpha": 0.001},
        {"constant_features": "skip", "max_features": 1},
    ],
    ids=str,
)
def test_every_way_to_grow(kind, parameters):
    X, y = with_holes(n_rows=200)
    fitted = small(kind, **parameters).fit(X, y)
    assert np.isfinite(fitted.predict(X)).all()
    assert len(set(fitted.predict(X))) > 1
    same = {name: v for name, v in parameters.items() if name not in ("search", "growth")}
    assert small(kind, **same).fit(X, y).digest() == fitted.digest()
    if "min_samples_leaf" in parameters:
        for tree in trees_of(grown(kind, X, y, **parameters)):
            assert tree.n_node_samples[tree.children_left < 0].min() >= 6


@each
def test_types_and_layouts(kind):
    X, y = with_holes()
    expected = small(kind).fit(X, y).digest()
    for other in (np.asfortranarray(X), X.astype(np.float32), X.tolist(), X.astype(">f8")):
        assert small(kind).fit(other, y).digest() == expected
    assert small(kind).fit(pd.DataFrame(X), y).digest() == expected


@each
def test_missing_may_be_an_error(kind):
    X, y = with_holes()
    words = (
        rf"Input X contains NaN.\n{kind.__name__} does not accept missing values encoded as NaN "
        r"natively.*in column 0, column 1, column 2, column 3"
    )
    with pytest.raises(ValueError, match=words):
        small(kind, missing="error").fit(X, y)
    whole, _ = problem(n_rows=120)
    fitted = small(kind, missing="error").fit(whole, y)
    assert fitted.digest() == small(kind).fit(whole, y).digest()
    for method in (fitted.predict, fitted.apply, fitted.decision_path):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            method(X)
    frame = pd.DataFrame({"a": ["oak", None], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"Input X contains NaN(.|\n)*in column 'a'\."):
        small(kind, missing="error").fit(frame, [0, 1])


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_out_of_bag(kind, n_jobs):
    X, y = with_holes()
    parameters = {"n_estimators": 40, "bootstrap": True, "oob_score": True, "n_jobs": n_jobs}
    forest = small(kind, **parameters).fit(X, y)
    votes, counts = 0.0, np.zeros(len(X))
    for tree, rows in zip(forest, forest.estimators_samples_, strict=True):
        out = np.ones(len(X), dtype=bool)
        out[rows] = False
        said = tree.predict_proba(X) if kind._classification else tree.predict(X)[:, np.newaxis]
        votes = votes + said * out[:, np.newaxis]
        counts += out
    expected = votes / counts[:, np.newaxis]
    if kind._classification:
        found = forest.oob_decision_function_
        assert forest.oob_score_ == np.mean(forest.classes_[expected.argmax(axis=1)] == y)
    else:
        found, expected = forest.oob_prediction_, expected[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each
@pytest.mark.parametrize("sign", [1, -1])
def test_monotonic_constraints_keep_their_promise(kind, sign):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = sign * X[:, 0] + np.sin(3 * X[:, 1]) + random.normal(size=400)
    X[random.random(X.shape) < 0.3] = np.nan
    y = y > 0.0 if kind._classification else y
    fitted = small(kind, monotonic_cst=[sign, 0, 0], min_samples_leaf=3).fit(X, y)
    assert any((tree.feature == 0).any() for tree in trees_of(fitted))
    for i in range(20):
        rows = np.repeat(X[i : i + 1], 200, axis=0)
        rows[:, 0] = np.linspace(-4, 4, 200)
        said = fitted.predict_proba(rows)[:, 1] if kind._classification else fitted.predict(rows)
        assert (sign * np.diff(said) >= -1e-12).all()


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_threads_play_no_part(kind):
    X, y = with_holes(n_rows=3000)
    one, two = (small(kind, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert one.digest() == two.digest()
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@each
def test_weights_of_zero_leave_rows_out(kind):
    X, y = with_holes()
    weights = np.arange(len(y)) % 3 > 0
    theirs = grown(kind, X[weights], y[weights])
    ours = clone(theirs).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))


@each
def test_importances_and_paths(kind):
    X, y = with_holes()
    fitted = small(kind).fit(X, y)
    assert fitted.feature_importances_.sum() == pytest.approx(1.0)
    path = fitted.decision_path(X)
    path = path[0] if isinstance(path, tuple) else path
    leaves = np.asarray(fitted.apply(X)).reshape(len(X), -1)
    assert path.sum() > leaves.size


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@each
def test_infinity_is_not_missing(kind):
    X, y = with_holes()
    X[5, 2] = np.inf
    for hostile in (X, pd.DataFrame(X), X.astype(object), X.astype(np.float32)):
        with pytest.raises(ValueError, match="Input X contains infinity"):
            small(kind).fit(hostile, y)
