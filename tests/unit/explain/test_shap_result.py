"""What ``forest.shap`` returns: frame, plot, text, and shap's own object."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris

import silvics

from .shap_package import shap_package

X, Y = load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(autouse=True)
def closed():
    """Other tests of the process may have left figures open."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def classes():
    return silvics.RandomForestClassifier(10, random_state=0).fit(X, Y).shap(X[:7])


@pytest.fixture(scope="module")
def numbers():
    forest = silvics.RandomForestRegressor(10, random_state=0).fit(X, Y)
    return forest.shap(X[:7], interactions=True)


def test_frame(classes, numbers):
    frame = numbers.to_frame()
    assert frame.columns.tolist() == ["row", *X.columns]
    np.testing.assert_array_equal(frame.to_numpy()[:, 1:], numbers.values)
    frame = classes.to_frame()
    assert frame.columns.tolist() == ["row", "output", *X.columns]
    assert frame["output"].tolist() == ["0", "1", "2"] * 7
    np.testing.assert_array_equal(frame.iloc[4, 2:], classes.values[1, :, 1])


def test_frame_in_the_users_library():
    table = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", None, "x"]})
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(table, [0.0, 1.0, 2.0])
    found = forest.shap(table)
    assert isinstance(found.to_frame(), pl.DataFrame)
    data = found.to_shap().data
    np.testing.assert_array_equal(data, [[1.0, 0.0], [2.0, np.nan], [3.0, 0.0]])
    assert found.to_shap().display_data.tolist() == [[1.0, "x"], [2.0, "missing"], [3.0, "x"]]
    found = forest.shap(table, interactions=True)
    assert isinstance(found.pairs(), pl.DataFrame)
    assert isinstance(found.pairs_by_row(), pl.DataFrame)


def test_text(classes, numbers):
    assert repr(numbers).startswith("Shapley values of 7 rows, 4 variables\n  base value: ")
    assert "mean |value|, 2" in repr(classes)
    assert "petal width (cm)" in classes._repr_html_()


def test_plot(classes, numbers):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert classes.plot().ax_.get_xlabel() == "mean absolute Shapley value"
    assert len(numbers.plot().ax_.patches) == 4
    pyplot.close("all")


def test_plot_of_one_row():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    forest = silvics.RandomForestRegressor(10, random_state=0).fit(X, Y)
    assert forest.shap(X[:1]).plot().ax_.get_xlabel() == "Shapley value"
    pyplot.close("all")


def test_explanation_of_shap(classes, numbers):
    explanation = classes.to_shap()
    assert isinstance(explanation, shap_package.Explanation)
    assert explanation.shape == (7, 4, 3)
    assert explanation.base_values.shape == (7, 3)
    assert explanation.feature_names == X.columns.tolist()
    np.testing.assert_array_equal(explanation.data, X[:7])
    assert explanation.display_data is None
    assert numbers.to_shap().base_values.shape == (7,)
    assert numbers.to_shap(interactions=True).values.shape == (7, 4, 4)
    with pytest.raises(ValueError, match="interactions=True"):
        classes.to_shap(interactions=True)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    shap_package.plots.bar(numbers.to_shap(), show=False)
    pyplot.close("all")


def test_sparse_tables():
    sparse = csr_matrix(np.eye(6))
    forest = silvics.RandomForestRegressor(5, random_state=0).fit(sparse, np.arange(6.0))
    found = forest.shap(sparse)
    np.testing.assert_array_equal(found.values, forest.shap(np.eye(6)).values)
    assert found.to_shap().data.shape == (6, 6)


# ---- interactions


def test_frame_of_interactions(numbers):
    frame = numbers.pairs_by_row()
    assert frame.columns.tolist() == ["row", "variable", "other", "interaction"]
    assert len(frame) == 7 * 10
    expected = [
        (i, a, b, numbers.interactions[i, j, k] + (j != k) * numbers.interactions[i, k, j])
        for i in range(7)
        for j, a in enumerate(X.columns)
        for k, b in enumerate(X.columns)
        if j <= k
    ]
    assert list(frame.itertuples(index=False, name=None)) == expected
    sums = frame.groupby("row")["interaction"].sum()
    np.testing.assert_allclose(sums, numbers.values.sum(axis=1), atol=1e-12)


def test_frame_of_interactions_of_classes():
    forest = silvics.RandomForestClassifier(10, random_state=0).fit(X, Y)
    found = forest.shap(X[48:53], interactions=True)
    frame = found.pairs_by_row()
    assert frame.columns.tolist() == ["row", "variable", "other", "output", "interaction"]
    sums = frame.groupby(["row", "output"])["interaction"].sum().to_numpy().reshape(5, 3)
    np.testing.assert_allclose(sums, found.values.sum(axis=1), atol=1e-12)
    cell = frame.query("row == 2 and variable == @X.columns[1] and other == @X.columns[3]")
    np.testing.assert_array_equal(cell["interaction"], 2 * found.interactions[2, 1, 3])
    ranked = found.pairs()
    means = np.abs(2 * found.interactions).mean(axis=0).sum(axis=-1)
    expected = sorted((means[j, k] for k in range(4) for j in range(k)), reverse=True)
    np.testing.assert_allclose(ranked["mean_absolute"], expected)
    assert "mean |interaction|, 2" in repr(found)


def planted(n=300):
    """A product of two variables, one of which is a category."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    table["d"] = rng.choice(["left", "right"], n)
    return table, table["a"] + 3 * table["c"] * np.where(table["d"] == "left", 1, -1)


def test_pairs_rank_a_planted_interaction():
    table, z = planted()
    forest = silvics.RandomForestRegressor(20, max_features=None, random_state=0).fit(table, z)
    found = forest.shap(table[:40], interactions=True)
    ranked = found.pairs()
    assert ranked.columns.tolist() == ["variable", "other", "mean_absolute"]
    assert ranked.loc[0, ["variable", "other"]].tolist() == ["c", "d"]
    assert len(ranked) == 6
    assert ranked["mean_absolute"].is_monotonic_decreasing
    assert len(found.pairs(top=2)) == 2
    assert repr(found).split("Interactions of pairs")[1].split()[4:6] == ["c", "d"]
    display = found.plot(interactions=True)
    assert display.ax_.get_xlabel() == "mean absolute interaction"
    assert display.ax_.get_yticklabels()[0].get_text() == "c and d"


def test_interactions_that_were_not_computed(classes):
    for use in (classes.pairs, classes.pairs_by_row,
                lambda: classes.plot(interactions=True)):  # fmt: skip
        with pytest.raises(ValueError, match=r"forest.shap\(X, interactions=True\)"):
            use()
    assert "Interactions" not in repr(classes)
    one = silvics.RandomForestRegressor(3).fit([[0.0], [1.0]], [0.0, 1.0])
    found = one.shap([[0.0]], interactions=True)
    assert len(found.pairs()) == 0
    assert "Interactions" not in repr(found)
    with pytest.raises(ValueError, match="top"):
        found.pairs(top=-1)


# ---- shap's plots of tables with categories, dates and missing values


@pytest.fixture(scope="module")
def mixed():
    table, z = planted()
    table["day"] = pd.date_range("2024-01-01", periods=len(table))
    table["size"] = pd.Categorical(
        np.resize(["small", "large"], len(table)), ["small", "large"], ordered=True
    )
    table.loc[[1, 5], "d"] = None
    table.loc[[2, 5], "b"] = np.nan
    rows = table[:40].copy()
    rows.loc[3, "d"] = "elsewhere"
    forest = silvics.RandomForestRegressor(10, random_state=0).fit(table, z)
    return rows, forest.shap(rows, interactions=True)


def test_cells_are_numbers_and_the_users_values(mixed):
    rows, found = mixed
    explanation = found.to_shap()
    assert explanation.data.dtype == np.float64
    codes = explanation.data[:, rows.columns.get_loc("d")]
    assert codes[0] == (rows.loc[0, "d"] == "right")
    assert np.isnan(codes[[1, 3, 5]]).all()
    sizes = explanation.data[:, rows.columns.get_loc("size")]
    assert sizes[:2].tolist() == [0.0, 1.0]
    days = explanation.data[:, rows.columns.get_loc("day")]
    assert (np.diff(days) == 86_400e6).all()
    shown = explanation.display_data[:, rows.columns.get_loc("d")].tolist()
    assert shown[:6] == [rows.loc[0, "d"], "missing", rows.loc[2, "d"], "elsewhere",
                         rows.loc[4, "d"], "missing"]  # fmt: skip
    assert explanation.display_data[0, rows.columns.get_loc("a")] == rows.loc[0, "a"]
    assert explanation.display_data[:2, rows.columns.get_loc("size")].tolist() == ["small", "large"]


PLOTS = {
    "bar": lambda e: shap_package.plots.bar(e, show=False),
    "bar of a row": lambda e: shap_package.plots.bar(e[0], show=False),
    "beeswarm": lambda e: shap_package.plots.beeswarm(e, show=False),
    "violin": lambda e: shap_package.plots.violin(e, show=False),
    "waterfall": lambda e: shap_package.plots.waterfall(e[1], show=False),
    "heatmap": lambda e: shap_package.plots.heatmap(e, show=False),
    "scatter": lambda e: shap_package.plots.scatter(e[:, "a"], color=e, show=False),
    "scatter of a category": lambda e: shap_package.plots.scatter(e[:, "size"], show=False),
    "force": lambda e: shap_package.plots.force(e[1], matplotlib=True, show=False),
    "decision": lambda e: shap_package.plots.decision(
        e.base_values[0], e.values, e.display_data, feature_names=e.feature_names, show=False
    ),
}


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.filterwarnings("ignore")  # shap's own
def test_plots_of_shap(mixed, name):
    PLOTS[name](mixed[1].to_shap())


PLOTS_OF_INTERACTIONS = {
    "summary": lambda e: shap_package.summary_plot(e, show=False),
    "dependence": lambda e: shap_package.dependence_plot(
        ("a", "c"), e.values, e.data, feature_names=e.feature_names, show=False
    ),
    "decision": lambda e: shap_package.plots.decision(
        e.base_values[0], e.values, e.display_data, feature_names=e.feature_names, show=False
    ),
    "scatter": lambda e: shap_package.plots.scatter(e[:, 0, 2], show=False),
}


@pytest.mark.parametrize("name", PLOTS_OF_INTERACTIONS)
@pytest.mark.filterwarnings("ignore")  # shap's own
def test_plots_of_interactions_of_shap(mixed, name):
    PLOTS_OF_INTERACTIONS[name](mixed[1].to_shap(interactions=True))
