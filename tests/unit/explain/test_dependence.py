"""Partial dependence: against scikit-learn, and predictions with replaced values."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.inspection import partial_dependence as of_sklearn

import silvics
from silvics import recipes

from .test_shap_values import OBLIQUE, mixed, numbers


def replaced(X, names, values):
    """X with constant columns."""
    X = X.copy()
    for name, value in zip(names, values, strict=True):
        column = pd.Series([value] * len(X), index=X.index)
        X[name] = column.astype(X[name].dtype) if value is not None else np.nan
    return X


def predicted(forest, X):
    return (
        forest.predict_proba(X) if forest._classification else forest.predict(X).reshape(len(X), -1)
    )


def check_by_replacing(forest, X, features):
    found = forest.partial_dependence(features, X, kind="both")
    n_outputs = len(found.outputs)
    shape = tuple(len(values) for values in found.grid)
    average = found.average.reshape(*shape, n_outputs)
    individual = found.individual.reshape(len(X), *shape, n_outputs)
    for at in np.ndindex(*shape):
        values = [labels[k] for labels, k in zip(found.grid, at, strict=True)]
        expected = predicted(forest, replaced(X, found.names, values))
        np.testing.assert_allclose(individual[(slice(None), *at)], expected, atol=1e-9)
        np.testing.assert_allclose(average[at], expected.mean(axis=0), atol=1e-9)
    return found


NAMES = [name for name in recipes.names() if name not in OBLIQUE]


@pytest.fixture(autouse=True)
def closed():
    """Other tests of the process may have left figures open."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")
    yield
    pyplot.close("all")


@pytest.mark.filterwarnings("ignore:.*no out-of-bag residuals")  # of a few trees
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("classes", [False, True])
def test_every_recipe_predicts_at_the_grid(name, classes):
    X, z = mixed()
    kind = silvics.ForestClassifier if classes else silvics.ForestRegressor
    y = np.digitize(z, [1.0, 2.0]) if classes else z
    if classes and recipes.get(name).stages > 1:
        pytest.skip("for numbers only")
    forest = kind(name, n_estimators=4, random_state=0).fit(X, y)
    found = check_by_replacing(forest, X.iloc[:15], "c")
    assert found.grid[0].tolist()[:4] == ["ash", "elm", "oak", "yew"]
    check_by_replacing(forest, X.iloc[:15], ("a", "c"))


@pytest.mark.parametrize("missing", ["learned", "apart", "both"])
def test_missing_is_a_value_of_its_own(missing):
    X, z = mixed()
    forest = silvics.ForestRegressor("cart", missing=missing, n_estimators=2, random_state=0)
    forest.fit(X, z)
    found = check_by_replacing(forest, X.iloc[:20], "b")
    assert found.grid[0][-1] is None
    check_by_replacing(forest, X.iloc[:20], ("b", "c"))


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_equal_to_scikit_learns_brute_force(classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    z = X[:, 0] + X[:, 1] * X[:, 2]
    if classes:
        y = np.digitize(z, np.quantile(z, np.arange(1, classes) / classes))
        forest = silvics.RandomForestClassifier(10, random_state=0).fit(X, y)
    else:
        forest = silvics.RandomForestRegressor(10, random_state=0).fit(X, z)
    for features, resolution in (([0], 100), ([2], 30), ([0, 1], 9)):
        theirs = of_sklearn(
            forest, X, features, method="brute", grid_resolution=resolution, kind="both"
        )
        ours = forest.partial_dependence(features, X, grid_resolution=resolution, kind="both")
        for values, expected in zip(ours.grid, theirs["grid_values"], strict=True):
            np.testing.assert_array_equal(values, expected)
        average, individual = ours.average, ours.individual
        if classes == 2:  # theirs are those of the second class
            average, individual = average[..., 1:], individual[..., 1:]
        shape = theirs["average"].shape
        average = np.moveaxis(average, -1, 0) if classes else average
        individual = np.moveaxis(individual, -1, 0) if classes else individual
        np.testing.assert_allclose(average.reshape(shape), theirs["average"], atol=1e-9)
        np.testing.assert_allclose(
            individual.reshape(theirs["individual"].shape), theirs["individual"], atol=1e-9
        )


def test_spread_over_trees_and_centering():
    X, z = numbers(150)
    forest = silvics.RandomForestRegressor(7, random_state=0).fit(X, z)
    curves = np.array([
        np.array([tree.predict(np.column_stack([np.full(len(X), v), X[:, 1:]])).mean()
                  for v in np.unique(X[:, 0])]) for tree in forest.estimators_
    ])  # fmt: skip
    found = forest.partial_dependence(0, X)
    np.testing.assert_allclose(found.average, curves.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.std, curves.std(axis=0), atol=1e-12)
    curves -= curves[:, :1]
    found = forest.partial_dependence(0, X, kind="both", centered=True)
    np.testing.assert_allclose(found.average, curves.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.std, curves.std(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.individual.mean(axis=0), found.average, atol=1e-12)


def test_the_same_for_any_number_of_threads():
    X, z = numbers(400)
    forest = silvics.RandomForestRegressor(40, random_state=0).fit(X, z)
    one, two = (forest.partial_dependence((1, 4), X, kind="both", n_jobs=n) for n in (1, 3))
    for name in ("average", "std", "individual"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_several_outputs_votes_and_one_leaf():
    X, z = numbers()
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, np.column_stack([z, -z]))
    found = forest.partial_dependence(0, X)
    assert found.average.shape == (6, 2)
    np.testing.assert_allclose(found.average[:, 0], -found.average[:, 1], atol=1e-12)
    votes = silvics.ForestClassifier("bagging", vote="majority", n_estimators=5, random_state=0)
    votes.fit(X, z > 1)
    rows = X.copy()
    rows[:, 0] = 2.0
    found = votes.partial_dependence(0, X, grid=[2.0])
    np.testing.assert_allclose(found.average[0], votes.predict_proba(rows).mean(axis=0), atol=1e-12)
    leaf = silvics.RandomForestRegressor(2).fit([[0.0], [1.0]], [3.0, 3.0])
    assert leaf.partial_dependence(0, [[0.0], [1.0]]).average.tolist() == [3.0, 3.0]


# ---- the grid


def test_integers_stay_whole():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"n": rng.integers(0, 1000, 500), "x": rng.normal(size=500)})
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, X["n"] + X["x"])
    points = forest.partial_dependence("n", X, grid_resolution=20).grid[0]
    assert len(points) == 20
    assert (points == np.round(points)).all()


def test_dates_are_dates():
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=40), "x": np.arange(40.0)})
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, np.arange(40.0))
    found = forest.partial_dependence("day", X)
    assert found.grid[0].dtype.kind == "M"
    assert found.grid[0][0] == np.datetime64("2024-01-01")
    given = forest.partial_dependence("day", X, grid=["2024-01-01", "2024-02-01"])
    assert given.average[0] == found.average[0]
    assert found.to_frame()["day"].tolist()[0] == pd.Timestamp("2024-01-01")
    X.loc[3, "day"] = None
    assert forest.partial_dependence("day", X).grid[0][-1] is None
    assert forest.partial_dependence("day", X, kind="ale").grid[0].dtype.kind == "M"


def test_a_given_grid():
    X, z = mixed()
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, z)
    found = forest.partial_dependence(("a", "c"), X, grid=[[0.5, 2.0], ["yew", None]])
    full = forest.partial_dependence("c", X.assign(a=2.0))
    assert found.average.shape == (2, 2)
    np.testing.assert_allclose(found.average[1], full.average[[3, 4]], rtol=1e-12)


def test_bad_arguments():
    X, z = mixed()
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, z)
    for features, message in (
        ("z", "No feature is named"), (9, "5 features"), (["a", "b", "c"], "pair"), ([], "pair"),
        (("a", "a"), "different"), (None, "pair"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            forest.partial_dependence(features, X)
    with pytest.raises(TypeError, match="name or a number"):
        forest.partial_dependence([1.5], X)
    for settings, message in (
        ({"kind": "mean"}, "kind must be one of"), ({"grid": [[1.0]]}, "list of finite"),
        ({"grid": ["x"]}, "values of its type"), ({"grid": [np.inf]}, "finite"),
        ({"grid_resolution": 1}, "at least 2"), ({"percentiles": (0.9, 0.1)}, "ascending"),
        ({"percentiles": 3}, "pair"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            forest.partial_dependence("a", X, **settings)
    for settings in ({"grid_resolution": 2.5}, {"centered": 1}, {"progress": 1}):
        with pytest.raises(TypeError):
            forest.partial_dependence("a", X, **settings)
    with pytest.raises(ValueError, match="not a level"):
        forest.partial_dependence("c", X, grid=["yow"])
    with pytest.raises(ValueError, match="each of the two"):
        forest.partial_dependence(("a", "b"), X, grid=[[1.0]])
    with pytest.raises(ValueError, match="0 sample"):
        forest.partial_dependence("a", X.iloc[:0])
    with pytest.raises(ValueError, match="have no order"):
        forest.partial_dependence("c", X, kind="ale")
    with pytest.raises(ValueError, match="one feature"):
        forest.partial_dependence(("a", "b"), X, kind="ale")
    assert not hasattr(silvics.IsolationForest(), "partial_dependence")


@pytest.mark.parametrize("name", sorted(OBLIQUE))
def test_oblique_splits_are_refused(name):
    X, z = numbers()
    forest = silvics.ForestClassifier(name, n_estimators=3, random_state=0).fit(X, z > 1)
    with pytest.raises(ValueError, match="oblique"):
        forest.partial_dependence(0, X)


@pytest.mark.parametrize("missing", ["learned", "both"])
def test_points_in_any_order_and_repeated(missing):
    """Also on thresholds, beyond all values, missing, and for a variable that no node tests."""
    X, z = mixed()
    X["constant"] = 1.0
    forest = silvics.ForestRegressor("cart", missing=missing, n_estimators=3, random_state=0)
    forest.fit(X, z)
    column = X.columns.get_loc("b")
    used = np.concatenate(
        [tree.tree_.threshold[tree.tree_.feature == column] for tree in forest.estimators_]
    )
    used = used[np.isfinite(used)]
    points = [2.0, None, *used[:5], -1e300, 2.0, 1e300, 0.5, *used[:2]]
    for rows in (X, X.iloc[:1]):
        found = forest.partial_dependence("b", rows, kind="both", grid=points)
        for k, x in enumerate(points):
            expected = forest.predict(rows.assign(b=np.nan if x is None else x))
            np.testing.assert_allclose(found.individual[:, k], expected, atol=1e-12)
            np.testing.assert_allclose(found.average[k], expected.mean(), atol=1e-12)
        pair = forest.partial_dependence(("b", "constant"), rows, grid=[points, [3.0, 1.0]])
        np.testing.assert_allclose(pair.average[:, 0], found.average, atol=1e-12)
        np.testing.assert_allclose(pair.average[:, 1], found.average, atol=1e-12)


def test_more_levels_than_masks_have_bits():
    rng = np.random.default_rng(1)
    levels = [f"level{k}" for k in range(80)]
    X = pd.DataFrame({"c": rng.choice(levels, 900), "d": rng.choice(levels[:5], 900)})
    X["x"] = rng.normal(size=900)
    X = X.astype({"c": "category", "d": "category"})
    y = rng.normal(size=80)[X["c"].cat.codes] + X["x"] * (X["d"] == "level1")
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(X, y)
    check_by_replacing(forest, X.iloc[:60], "c")
    check_by_replacing(forest, X.iloc[:60], ("d", "x"))


def test_sparse_tables_and_progress():
    X, z = numbers()
    forest = silvics.RandomForestRegressor(40, random_state=0).fit(csr_matrix(X), z)
    seen = []
    found = forest.partial_dependence(
        3, csr_matrix(X), progress=lambda done, total: seen.append((done, total))
    )
    np.testing.assert_array_equal(found.average, forest.partial_dependence(3, X).average)
    assert seen[-1] == (40, 40)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        forest.partial_dependence(0, X, progress=stop)


# ---- accumulated local effects


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_local_effects_are_sums_of_mean_changes(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + X[:, 1] * X[:, 0]
    forest = silvics.RandomForestRegressor(10, random_state=0).fit(X, y)
    found = forest.partial_dependence(0, form(X), kind="ale", grid_resolution=8)
    ends = found.grid[0]
    expected, counts = [0.0], []
    for k, (low, high) in enumerate(pairwise(ends)):
        inside = (X[:, 0] > low) & (X[:, 0] <= high) | ((k == 0) & (X[:, 0] == low))
        upper, lower = X[inside].copy(), X[inside].copy()
        upper[:, 0], lower[:, 0] = high, low
        expected.append(expected[-1] + (forest.predict(upper) - forest.predict(lower)).mean())
        counts.append(inside.sum())
    assert sum(counts) == len(X)
    middle = (np.array(expected[1:]) + expected[:-1]) / 2
    expected = np.array(expected) - np.average(middle, weights=counts)
    np.testing.assert_allclose(found.average, expected, atol=1e-12)
    assert found.std is None
    assert found.centered


def test_local_effects_of_an_ordered_category():
    """They are those of the numbers of its levels; levels that do not occur are left out."""
    X, z = mixed(200)
    sizes = ["small", "medium", "large", "huge", "giant"]
    codes = X.pop("a").to_numpy().astype(int) % 5
    codes[codes == 3] = 2
    ordered = X.assign(a=pd.Categorical.from_codes(codes, sizes, ordered=True))
    ordered.loc[[3, 4], "a"] = None
    plain = X.assign(a=np.where(ordered["a"].isna(), np.nan, codes))
    found, expected = (
        silvics.RandomForestRegressor(10, random_state=0).fit(table, z).partial_dependence(
            "a", table, kind="ale", grid=grid)
        for table, grid in ((ordered, None), (plain, [0.0, 1.0, 2.0, 4.0]))
    )  # fmt: skip
    assert found.grid[0].tolist() == ["small", "medium", "large", "giant"]
    np.testing.assert_allclose(found.average, expected.average, atol=1e-12)
    assert np.ptp(found.average) > 0.1
    assert found.to_frame()["a"].tolist() == found.grid[0].tolist()
    assert found.plot().ax_.get_xlabel() == "a"
    with pytest.raises(ValueError, match="levels of 'c' have no order"):
        silvics.RandomForestRegressor(3).fit(ordered, z).partial_dependence(
            "c", ordered, kind="ale")  # fmt: skip


# ---- the result


def test_frames():
    X, z = mixed()
    forest = silvics.RandomForestClassifier(3, random_state=0).fit(X, np.digitize(z, [1.0, 2.0]))
    frame = forest.partial_dependence(("a", "c"), X).to_frame()
    assert frame.columns.tolist() == ["a", "c", "output", "average", "std"]
    found = forest.partial_dependence("c", X.iloc[:3], kind="individual")
    frame = found.to_frame()
    assert frame.columns.tolist() == ["row", "c", "output", "prediction"]
    assert frame["prediction"][4] == found.individual[0, 1, 1]
    assert frame["c"][4] == "elm"
    table = pl.DataFrame({"a": [1.0, 2.0, None], "b": [1, 2, 3]})
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(table, [0.0, 1.0, 2.0])
    frame = forest.partial_dependence("a", table).to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["a"].to_list() == [1.0, 2.0, None]
    assert "Partial dependence of a" in repr(forest.partial_dependence("a", table))
    assert "centered" in forest.partial_dependence("b", table, kind="ale")._repr_html_()


@pytest.mark.parametrize("features", ["c", ("a", "c")])
def test_frame_of_both_kinds_has_the_columns_of_each(features):
    X, z = mixed()
    forest = silvics.RandomForestClassifier(3, random_state=0).fit(X, np.digitize(z, [1.0, 2.0]))
    frames = {
        kind: forest.partial_dependence(features, X.iloc[:4], kind=kind, grid_resolution=5)
        for kind in ("average", "individual", "both")
    }
    text = repr(frames["both"])
    assert "prediction" not in text
    assert text.splitlines()[2:] == repr(frames["average"]).splitlines()[2:]
    frames = {kind: found.to_frame() for kind, found in frames.items()}
    both = frames["both"]
    assert both.columns.tolist() == [*frames["individual"].columns, "average", "std"]
    pd.testing.assert_frame_equal(both[frames["individual"].columns], frames["individual"])
    for row in range(4):
        of_row = both[both["row"] == row].reset_index(drop=True)
        pd.testing.assert_frame_equal(of_row[frames["average"].columns], frames["average"])
    keys = [name for name in frames["average"].columns if name not in ("average", "std")]
    means = both.groupby(keys, sort=False, dropna=False)["prediction"].mean()
    np.testing.assert_allclose(means, frames["average"]["average"], atol=1e-12)


def test_plots():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, z = mixed()
    forest = silvics.RandomForestClassifier(3, random_state=0).fit(X, np.digitize(z, [1.0, 2.0]))
    for features in ("a", "b", "c", ("a", "c"), ("a", "b")):
        kinds = ("average", "both", "individual", "ale")[: 4 if features in ("a", "b") else 3]
        for kind in kinds:
            ax = forest.partial_dependence(features, X, kind=kind).plot().ax_
            name = features if isinstance(features, str) else features[0]
            assert ax.get_xlabel() == name
    pyplot.close("all")
