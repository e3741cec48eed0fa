"""Tools made for scikit-learn's trees, with the real packages, on trees of ours."""

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.tree import export_graphviz, export_text, plot_tree

from ..kinds import ALL, CLASSIFIERS, FORESTS, REGRESSORS, TREES, name_of, problem, small

with warnings.catch_warnings():  # what they warn of as they start is their own affair
    warnings.simplefilter("ignore")
    import dtreeviz
    import shap

mpl.use("Agg")

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
trees = pytest.mark.parametrize("kind", TREES, ids=name_of)
third_party_warnings = pytest.mark.filterwarnings(
    "default::DeprecationWarning", "default::FutureWarning"
)


@third_party_warnings
@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
def test_shap_adds_up_to_predictions(kind):
    X, y = problem()
    model = small(kind).fit(X, y)
    explainer = shap.TreeExplainer(model.to_sklearn())
    values = explainer.shap_values(X)
    np.testing.assert_allclose(
        values.sum(axis=1) + explainer.expected_value, model.predict(X), rtol=1e-9, atol=1e-9
    )
    assert np.abs(values).max() > 0


@third_party_warnings
@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_shap_adds_up_to_probabilities(kind):
    X, y = problem()
    model = small(kind).fit(X, y)
    explainer = shap.TreeExplainer(model.to_sklearn())
    values = explainer.shap_values(X)
    assert values.shape == (*X.shape, len(model.classes_))
    np.testing.assert_allclose(
        values.sum(axis=1) + explainer.expected_value, model.predict_proba(X), atol=1e-9
    )


@third_party_warnings
@trees
def test_dtreeviz(kind):
    X, y = problem()
    model = small(kind, max_depth=2).fit(X, y)
    names = list("abcd")
    viz = dtreeviz.model(
        model.to_sklearn(),
        X_train=X,
        y_train=y.astype(int) if kind in CLASSIFIERS else y,
        feature_names=names,
        target_name="y",
        class_names=[f"class {c:g}" for c in model.classes_] if kind in CLASSIFIERS else None,
    )
    told = viz.explain_prediction_path(X[0])
    root = names[model.tree_.feature[0]]
    assert f"{model.tree_.threshold[0]:.2f}".rstrip("0") in told or root in told
    shadow = viz.shadow_tree
    assert shadow.nnodes() == model.tree_.node_count
    leaf = shadow.predict(X[0])
    assert leaf == model.predict(X[:1])[0]


@trees
def test_export_text(kind):
    X, y = problem()
    model = small(kind, max_depth=3).fit(X, y)
    text = export_text(model.to_sklearn(), feature_names=list("abcd"), decimals=4)
    root = f"|--- {'abcd'[model.tree_.feature[0]]} <= {model.tree_.threshold[0]:.4f}"
    assert text.splitlines()[0] == root
    assert sum(line.count(": ") for line in text.splitlines()) == model.get_n_leaves()


@trees
def test_plot_tree(kind):
    X, y = problem()
    model = small(kind, max_depth=3).fit(X, y)
    axes = FigureCanvasAgg(mpl.figure.Figure()).figure.add_subplot()
    boxes = plot_tree(model.to_sklearn(), ax=axes, feature_names=list("abcd"))
    texts = [box.get_text() for box in boxes if "samples" in box.get_text()]
    assert len(texts) == model.tree_.node_count
    assert f"samples = {len(X)}" in texts[0]


@trees
def test_export_graphviz(kind):
    X, y = problem()
    model = small(kind, max_depth=3).fit(X, y)
    dot = export_graphviz(model.to_sklearn())
    assert dot.count("->") >= model.tree_.node_count - 1


@each
def test_partial_dependence_by_brute_force(kind):
    X, y = problem()
    y = (y > 1).astype(int)
    ours = small(kind).fit(X, y)
    got = partial_dependence(ours, X, [0], method="brute", grid_resolution=5)
    theirs = partial_dependence(ours.to_sklearn(), X, [0], method="brute", grid_resolution=5)
    np.testing.assert_array_equal(got["average"], theirs["average"])


# scikit-learn has no recursion for forests of extra trees.
@pytest.mark.parametrize("kind", [*REGRESSORS[:2], FORESTS[1]], ids=name_of)
@pytest.mark.parametrize("features", [[0], [1, 3]])
def test_partial_dependence_by_recursion(kind, features):
    X, y = problem()
    ours = small(kind).fit(X, y)
    theirs = partial_dependence(
        ours.to_sklearn(), X, features, method="recursion", grid_resolution=5
    )
    by_tree = []
    grid = np.stack(np.meshgrid(*theirs["grid_values"], indexing="ij"), axis=-1)
    rows = grid.reshape(-1, len(features))
    for tree in getattr(ours, "estimators_", [ours]):
        averages = np.zeros(len(rows))
        tree.tree_.compute_partial_dependence(rows, np.array(features), averages)
        by_tree.append(averages)
    mean = np.mean(by_tree, axis=0).reshape(theirs["average"].shape)
    np.testing.assert_allclose(mean, theirs["average"], rtol=1e-12)


def test_partial_dependence_display():
    X, y = problem()
    model = small(FORESTS[1]).fit(X, y)
    display = PartialDependenceDisplay.from_estimator(
        model, X, [0, (1, 2)], grid_resolution=4, ax=mpl.figure.Figure().add_subplot()
    )
    assert display.axes_.size >= 2


@each
def test_permutation_importance(kind):
    X, y = problem(n_rows=200)
    y = (X[:, 2] > 4).astype(int)
    model = small(kind).fit(X, y)
    result = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert result.importances_mean.argmax() == 2
    theirs = permutation_importance(model.to_sklearn(), X, y, n_repeats=3, random_state=0)
    np.testing.assert_array_equal(result.importances, theirs.importances)
