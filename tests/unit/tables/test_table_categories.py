"""Categories without coding: which levels go where, and that nothing but their order is seen."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silvics

from ..kinds import ALL, CLASSIFIERS, FORESTS, REGRESSORS, TREES, name_of, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
BEST = tuple(kind for kind in ALL if "Extra" not in kind.__name__)
best = pytest.mark.parametrize("kind", BEST, ids=name_of)

WORDS = np.array(["ash", "birch", "cedar", "elm", "fir", "larch", "oak", "yew"], dtype=object)


def problem(n_rows=120, n_levels=8, seed=0):
    """Two categories and a number, in a frame; y says something of each."""
    random = np.random.default_rng(seed)
    a, b = random.integers(0, n_levels, size=(2, n_rows))
    x = random.normal(size=n_rows).round(2)
    effects = random.integers(0, 3, size=(2, n_levels))
    y = effects[0, a] + effects[1, b] + (x > 0.5)
    return pd.DataFrame({"a": WORDS[a], "x": x, "b": WORDS[b]}), y.astype(float)


def grown(kind, X, y, **parameters):
    if kind in FORESTS:
        parameters = {"bootstrap": False, **parameters}
    return small(kind, **parameters).fit(X, y)


def trees_of(model):
    return [tree.tree_ for tree in getattr(model, "estimators_", [model])]


# ---- names


@each
@pytest.mark.parametrize("rename", [str.upper, lambda w: "x" + w, lambda w: w + "\u00e9"])
def test_names_of_levels_play_no_part(kind, rename):
    X, y = problem()
    X.loc[::9, "b"] = None
    other = X.assign(a=X.a.map(rename), b=X.b.map(rename, na_action="ignore"))
    ours, theirs = small(kind).fit(X, y), small(kind).fit(other, y)
    assert theirs.digest() == ours.digest()
    np.testing.assert_array_equal(theirs.apply(other), ours.apply(X))


@each
def test_numbers_as_levels(kind):
    X, y = problem()
    numbers = X.assign(a=np.searchsorted(WORDS, X.a) * 10 - 35, b=np.searchsorted(WORDS, X.b) / 4)
    fitted = small(kind, categorical_features=["a", "b"]).fit(numbers, y)
    assert fitted.digest() == small(kind).fit(X, y).digest()
    assert fitted.categories_[0].tolist() == [10.0 * i - 35 for i in range(8)]
    typed = numbers.astype({"a": "category", "b": "category"})
    assert small(kind).fit(typed, y).digest() == fitted.digest()
    np.testing.assert_array_equal(fitted.predict(typed), fitted.predict(numbers))


@each
def test_declared_categories_may_stand_in_any_order(kind):
    X, y = problem()
    expected = small(kind).fit(X, y)
    for seed in range(3):
        declared = np.random.default_rng(seed).permutation([*WORDS, "never seen"])
        typed = X.assign(
            a=pd.Categorical(X.a, categories=declared), b=pd.Categorical(X.b, categories=declared)
        )
        fitted = small(kind).fit(typed, y)
        assert fitted.digest() == expected.digest()
        assert fitted.categories_[0].tolist() == sorted(WORDS)
        np.testing.assert_array_equal(expected.predict(typed), expected.predict(X))


@best
def test_another_order_of_levels_gives_the_same_groups(kind):
    """Only ties may differ, and there are none here."""
    random = np.random.default_rng(0)
    X, _ = problem()
    y = random.normal(size=8)[np.searchsorted(WORDS, X.a)] + 0.1 * random.normal(size=len(X))
    y = y if not kind._classification else y > np.median(y)
    turned = X.assign(a=WORDS[7 - np.searchsorted(WORDS, X.a)])
    ours, theirs = (grown(kind, x[["a"]], y, max_depth=3) for x in (X, turned))
    np.testing.assert_allclose(ours.predict(X[["a"]]), theirs.predict(turned[["a"]]), rtol=1e-12)


@best
def test_two_levels_are_a_number(kind):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(200, 3))
    y = X @ [4.0, 2.0, 1.0] + X[:, 0] * X[:, 1] + 0.01 * random.normal(size=200)
    if kind._classification:
        y = np.digitize(y, [2.5, 5.5])
    numbers = grown(kind, X, y, max_depth=2, max_features=None)
    levels = grown(kind, X, y, max_depth=2, max_features=None, categorical_features=[0, 1, 2])
    np.testing.assert_allclose(levels.predict(X), numbers.predict(X), rtol=1e-12)
    for ours, theirs in zip(trees_of(levels), trees_of(numbers), strict=True):
        np.testing.assert_array_equal(np.sort(ours.feature), np.sort(theirs.feature))
        inner = ours.feature >= 0
        assert np.isnan(ours.threshold[inner]).all()


# ---- the best subset


def gini(y):
    return len(y) * (1 - (np.bincount(y) ** 2).sum() / len(y) ** 2)


def deviance(y):
    return ((y - y.mean()) ** 2).sum()


def brute_force(levels, y, loss):
    """The smallest loss over all splits of the levels."""
    found = np.unique(levels)
    losses = [
        loss(y[np.isin(levels, left)]) + loss(y[~np.isin(levels, left)])
        for n in range(1, len(found))
        for left in combinations(found, n)
    ]
    return min(losses)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [0, 2, 3, 5])
def test_the_best_subset_is_found(n_classes, seed):
    random = np.random.default_rng(seed)
    levels = random.integers(0, 7, 60)
    if n_classes:
        y, loss = random.integers(0, n_classes, 60), gini
        tree = silvics.DecisionTreeClassifier(max_depth=1, random_state=0)
    else:
        y, loss = random.normal(size=60), deviance
        tree = silvics.DecisionTreeRegressor(max_depth=1, random_state=0)
    X = pd.DataFrame({"a": WORDS[levels]})
    leaves = tree.fit(X, y).apply(X)
    found = sum(loss(y[leaves == leaf]) for leaf in (1, 2))
    assert found == pytest.approx(brute_force(levels, y, loss), rel=1e-9)
    left = {tree.categories_[0][level] for level in tree.tree_.left_levels(0)}
    assert set(X.a[leaves == 1]) == left


@best
def test_levels_far_apart_are_put_together(kind):
    a = np.arange(160) % 8
    y = np.isin(a, [0, 3, 5, 7]) * 1.0
    X = pd.DataFrame({"a": WORDS[a]})
    fitted = grown(kind, X, y, max_depth=1)
    np.testing.assert_array_equal(fitted.predict(X), y)
    for tree in trees_of(fitted):
        assert set(tree.left_levels(0)) in ({0, 3, 5, 7}, {1, 2, 4, 6})
        assert tree.left_levels(1).tolist() == []


@best
def test_categories_that_matter_together(kind):
    """Neither says anything alone."""
    a, b = np.divmod(np.arange(64 * 3) % 64, 8)
    y = 1.0 * (np.isin(a, [0, 3, 5, 6]) ^ np.isin(b, [1, 2, 5, 7]))
    X = pd.DataFrame({"a": WORDS[a], "b": WORDS[b]})
    np.testing.assert_array_equal(grown(kind, X, y).predict(X), y)


@each
@pytest.mark.parametrize("n_levels", [12, 30, 46, 47, 48, 49, 64, 65, 200])
def test_more_levels_than_are_tried_in_all_ways(kind, n_levels):
    random = np.random.default_rng(0)
    levels = np.concatenate([np.arange(n_levels), random.integers(0, n_levels, 3 * n_levels)])
    y = (levels * 7 % 11 % 4).astype(float)
    X = np.array([f"{i:04}" for i in range(n_levels)], dtype=object)[levels][:, np.newaxis]
    fitted = grown(kind, X, y, min_category_frequency=1)
    np.testing.assert_array_equal(fitted.predict(X), y)
    shuffled = random.permutation(len(X))
    np.testing.assert_array_equal(fitted.predict(X[shuffled]), y[shuffled])
    for tree in trees_of(fitted):
        for node in np.flatnonzero(tree.feature >= 0):
            left = tree.left_levels(node)
            assert (np.diff(left) > 0).all()
            assert len(left) == 0 or left[-1] < n_levels


@each
def test_left_levels_are_those_that_go_left(kind):
    X, y = problem()
    X.loc[::7, "a"] = None
    for n_levels in (8, 300):
        if n_levels == 300:
            X["a"] = [f"{i * i % 300:03}" for i in range(len(X))]
        model = small(kind, min_category_frequency=1).fit(X, y)
        tree = (model[0] if kind in FORESTS else model).tree_
        codes = np.column_stack(
            [
                X.x if levels is None else pd.Categorical(X[name], categories=levels).codes
                for name, levels in zip(X.columns, model.categories_, strict=True)
            ]
        )
        visits = tree.decision_path(codes).toarray()
        for node in np.flatnonzero(np.isnan(tree.threshold)):
            at = visits[:, node] == 1
            value = codes[at, tree.feature[node]]
            went_left = visits[at, tree.children_left[node]] == 1
            expected = np.isin(value, tree.left_levels(node))
            expected[value < 0] = tree.missing_go_to_left[node]
            np.testing.assert_array_equal(went_left, expected)


# ---- every kind of output


@each
def test_several_outputs(kind):
    X, y = problem()
    Y = np.column_stack([y, np.searchsorted(WORDS, X.a) % 3])
    fitted = grown(kind, X, Y, max_features=None)
    np.testing.assert_array_equal(fitted.predict(X)[:, 1], Y[:, 1])
    assert fitted.predict(X).shape == Y.shape


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss", "misclassification"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_every_criterion_of_classes(kind, criterion, n_classes):
    a = np.arange(300) * 7 % 101 % 24
    X = np.array([f"{i:02}" for i in range(24)], dtype=object)[a][:, np.newaxis]
    y = (a * 5 % 7 % n_classes).astype(str)
    fitted = grown(kind, X, y, criterion=criterion)
    np.testing.assert_array_equal(fitted.predict(X), y)


@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
@pytest.mark.parametrize(
    "criterion", ["squared_error", "absolute_error", "poisson", "friedman_mse"]
)
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_every_criterion_of_numbers(kind, criterion, n_outputs):
    a = np.arange(300) * 7 % 101 % 24
    X = np.array([f"{i:02}" for i in range(24)], dtype=object)[a][:, np.newaxis]
    y = 1.0 + np.column_stack([a * 5 % 7, a % 4])[:, :n_outputs]
    fitted = grown(kind, X, y if n_outputs == 2 else y[:, 0], criterion=criterion)
    np.testing.assert_allclose(fitted.predict(X).reshape(len(X), -1), y)


def test_medians_of_levels():
    """By the median, as the leaf says, an outlier moves no level."""
    levels = np.repeat(np.arange(4), 5)
    y = np.repeat([0.0, 10.0, 1.0, 11.0], 5)
    y[0] = 1000.0
    X = WORDS[levels][:, np.newaxis]
    tree = silvics.DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y)
    assert tree.predict(WORDS[:4][:, np.newaxis]).tolist() == [1.0, 10.5, 1.0, 10.5]


@each
@pytest.mark.parametrize(
    "parameters",
    [
        {"max_bins": 4},
        {"search": "sort"},
        {"search": "bins"},
        {"max_leaf_nodes": 9},
        {"growth": "breadth_first"},
        {"min_samples_leaf": 5},
        {"min_weight_fraction_leaf": 0.1},
        {"ccp_alpha": 0.005},
        {"split_sample": 30},
        {"constant_features": "skip", "max_features": 1},
        {"min_impurity_decrease": 0.01},
    ],
    ids=str,
)
def test_every_way_to_grow(kind, parameters):
    X, y = problem()
    X.loc[::7, "a"] = None
    fitted = small(kind, **parameters).fit(X, y)
    assert fitted.score(X, y) > 0.2
    weights = 1.0 + np.arange(len(y)) % 3
    assert small(kind, **parameters).fit(X, y, sample_weight=weights).score(X, y) > 0.2
    if "min_samples_leaf" in parameters:
        for tree in trees_of(grown(kind, X, y, **parameters)):
            assert tree.n_node_samples[tree.children_left < 0].min() >= 5
    limited = {name: parameters[name] for name in parameters if name not in ("search", "growth")}
    if limited != parameters:
        assert fitted.digest() == small(kind, **limited).fit(X, y).digest()


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_threads_play_no_part(kind):
    X, y = problem(n_rows=3000)
    one, two = (small(kind, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert one.digest() == two.digest()
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@each
def test_importances(kind):
    X, y = problem(n_rows=400)
    X["noise"] = WORDS[np.arange(400) * 13 % 31 % 8]
    y = np.isin(X.a, ["ash", "fir", "yew"]) * 1.0
    importances = grown(kind, X, y, max_features=None).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances.argmax() == 0
    assert importances[0] > 0.5


@pytest.mark.parametrize("kind", TREES, ids=name_of)
def test_pruning(kind):
    X, y = problem()
    tree = small(kind)
    path = tree.cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) >= 0).all()
    alpha = path.ccp_alphas[len(path.ccp_alphas) // 2]
    pruned = small(kind, ccp_alpha=alpha).fit(X, y)
    assert 1 < pruned.tree_.node_count < tree.fit(X, y).tree_.node_count
    assert pruned.score(X, y) > 0.3


def test_polars_and_pandas_categories_of_other_codes():
    """Codes of a library are its own: they depend on what came first."""
    X, y = problem()
    fitted = small(ALL[0]).fit(X, y)
    part = X[40:60][::-1]
    frame = pl.DataFrame(
        {name: pl.Series(part[name].tolist()) for name in X}, schema_overrides={"x": pl.Float64}
    ).with_columns(pl.col("a", "b").cast(pl.Categorical))
    expected = fitted.predict(X)[40:60][::-1]
    np.testing.assert_array_equal(fitted.predict(frame), expected)
    typed = part.astype({"a": "category", "b": "category"})
    np.testing.assert_array_equal(fitted.predict(typed), expected)
