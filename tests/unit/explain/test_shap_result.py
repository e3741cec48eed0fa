"""What ``forest.shap`` returns: frame, plot, text, and shap's own object."""

import numpy as np
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
    table = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    forest = silvics.RandomForestRegressor(3, random_state=0).fit(table, [0.0, 1.0, 2.0])
    found = forest.shap(table)
    assert isinstance(found.to_frame(), pl.DataFrame)
    assert found.to_shap().data.tolist() == [[1.0, "x"], [2.0, "y"], [3.0, "x"]]


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
