"""Out-of-bag scores by number of trees, against plain loops over the trees."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import get_scorer, log_loss, make_scorer, mean_squared_error, roc_auc_score

from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    ForestRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    load,
    merge,
    recipes,
)

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 4))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=N) > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
NUMBERS = X[:, 0] + 0.1 * RNG.normal(size=N)


def classifier(n=40, **settings):
    return RandomForestClassifier(n, keep_samples=True, random_state=0, **settings)


def plain_means(forest, m):
    """Out-of-bag class probabilities or numbers of the first m trees, tree by tree."""
    out = forest.in_bag_counts()[:, :m] == 0
    trees = forest.estimators_[:m]
    each = [
        t.predict_proba(X) if hasattr(t, "predict_proba") else t.predict(X)[:, None] for t in trees
    ]
    with np.errstate(invalid="ignore"):
        return (np.array(each) * out.T[:, :, None]).sum(axis=0) / out.sum(axis=1)[:, None]


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "balanced_accuracy", None])
def test_a_curve_is_a_loop_over_the_trees(scoring):
    forest = classifier().fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = forest.oob_curve(scoring, n_trees=[3, 10, 40])
    assert curve.n_trees.tolist() == [3, 10, 40]
    for m, score, n_rows in zip(curve.n_trees, curve.scores, curve.n_rows, strict=True):
        means = plain_means(forest, m)
        known = ~np.isnan(means[:, 0])
        assert n_rows == known.sum()
        means, truth = means[known], Y[known]
        labels = forest.classes_[means.argmax(axis=1)]
        expected = {
            None: np.mean(labels == truth),
            "roc_auc": roc_auc_score(truth, means[:, 1]),
            "neg_log_loss": -log_loss(truth, means),
            "balanced_accuracy": np.mean([np.mean(labels[truth == c] == c) for c in ("no", "yes")]),
        }[scoring]
        assert score == pytest.approx(expected, abs=1e-12)
    by_class = [np.mean(labels[truth == c] == c) for c in ("no", "yes")]
    np.testing.assert_allclose(curve.by_class[-1], by_class)
    assert curve.classes.tolist() == ["no", "yes"]


def test_regression_and_callable_scorers():
    forest = RandomForestRegressor(30, keep_samples=True, oob_score=True, random_state=0)
    forest.fit(X, NUMBERS)
    curve = forest.oob_curve(n_trees=[30])
    assert curve.scores[0] == pytest.approx(forest.oob_score_, abs=1e-14)
    np.testing.assert_array_equal(curve.predictions, forest.oob_prediction_)
    assert curve.by_class is None
    assert curve.probabilities is None
    scorer = make_scorer(mean_squared_error, greater_is_better=False)
    found = forest.oob_curve(scorer, n_trees=[30]).scores[0]
    assert found == pytest.approx(-np.mean((forest.oob_prediction_ - NUMBERS) ** 2))
    assert found == forest.oob_curve("neg_mean_squared_error", n_trees=[30]).scores[0]
    assert forest.oob_curve(get_scorer("r2"), n_trees=[30]).scores[0] == curve.scores[0]


@pytest.mark.parametrize(
    "recipe", [name for name in recipes.names() if recipes.get(name).stages == 1]
)
def test_every_recipe_that_leaves_rows_out(recipe):
    """The last point is ``oob_score_``, and its predictions those of ``fit``."""
    settings = {"n_estimators": 25, "keep_samples": True, "oob_score": True, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = ForestClassifier(recipe, rows="subsample", max_samples=0.6, **settings).fit(X, Y)
        curve = forest.oob_curve()
    assert curve.scores[-1] == forest.oob_score_
    np.testing.assert_array_equal(curve.probabilities, forest.oob_decision_function_)


def test_several_outputs_of_classes():
    forest = classifier(20, oob_score=True).fit(X, np.column_stack([THREE, THREE[::-1] // 2]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = forest.oob_curve()
    assert curve.scores[-1] == forest.oob_score_
    assert curve.classes.tolist() == [
        "output 0: 0", "output 0: 1", "output 0: 2", "output 1: 0", "output 1: 1",
    ]  # fmt: skip
    assert [p.shape[1] for p in curve.probabilities] == [3, 2]
    assert curve.predictions.shape == (N, 2)


def test_a_curve_does_not_depend_on_threads_or_the_grid():
    forest = classifier().fit(X, THREE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, four = forest.oob_curve(n_jobs=1), forest.oob_curve(n_jobs=4)
        some = forest.oob_curve(n_trees=[7, 40])
    np.testing.assert_array_equal(one.scores, four.scores)
    np.testing.assert_array_equal(one.probabilities, some.probabilities)
    assert one.scores[6] == some.scores[0]


def test_the_default_grid_reaches_the_last_tree():
    curve = classifier(300).fit(X, Y).oob_curve()
    assert curve.n_trees[:50].tolist() == list(range(1, 51))
    assert curve.n_trees[-1] == 300
    assert len(curve.n_trees) < 160
    assert curve.enough(10.0) == 1
    assert curve.scores[-1] == pytest.approx(
        curve.scores[curve.n_trees >= curve.enough()], rel=0.01
    )


def test_the_result_is_a_frame_a_plot_and_a_text():
    frame = pd.DataFrame(X, columns=list("abcd"))
    curve = classifier(60).fit(frame, Y).oob_curve()
    assert list(curve.to_frame().columns) == ["n_trees", "n_rows", "score", "no", "yes"]
    assert "within 1 %" in repr(curve)
    assert "<table>" in curve._repr_html_()
    pyplot = pytest.importorskip("matplotlib.pyplot")
    display = curve.plot()
    assert len(display.ax_.get_lines()) == 3
    pyplot.close("all")


def test_in_bag_counts_are_the_draws(tmp_path):
    forest = RandomForestRegressor(7, random_state=0).fit(X, NUMBERS)
    counts = forest.in_bag_counts()
    for m, rows in enumerate(forest.estimators_samples_):
        np.testing.assert_array_equal(counts[:, m], np.bincount(rows, minlength=N))
    forest.save(tmp_path / "f", training_rows=True)
    np.testing.assert_array_equal(load(tmp_path / "f").in_bag_counts(), counts)
    weights = np.ones(N)
    weights[:10] = 0
    all_rows = ExtraTreesClassifier(3, random_state=0).fit(X, Y, sample_weight=weights)
    assert all_rows.in_bag_counts().sum() == 3 * (N - 10)
    sub = ForestClassifier("bagging", rows="subsample", max_samples=0.5, n_estimators=4)
    assert (sub.set_params(random_state=0).fit(X, Y).in_bag_counts().sum(axis=0) == N // 2).all()
    with pytest.raises(ValueError, match="merged"):
        merge([forest, clone(forest).fit(X, NUMBERS)]).in_bag_counts()


def test_errors_name_the_remedy():
    without = ExtraTreesClassifier(3, keep_samples=True, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"oob_curve needs out-of-bag rows.*bootstrap=True"):
        without.oob_curve()
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"oob_curve needs.*keep_samples=True.*attach_samples"):
        forest.oob_curve()
    forest.attach_samples(X, Y)
    with pytest.raises(TypeError, match="scoring must be"):
        forest.oob_curve(3)
    with pytest.raises(ValueError, match="between 1 and 3"):
        forest.oob_curve(n_trees=[4])
    with pytest.raises(TypeError, match="list of integers"):
        forest.oob_curve(n_trees=[0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = forest.oob_curve()
    with pytest.raises(ValueError, match="negative"):
        curve.enough(-1)
    assert not hasattr(IsolationForest(n_estimators=3).fit(X), "oob_curve")


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_a_subsample_of_all_rows_has_no_out_of_bag_rows(kind):
    y = Y if kind is ForestClassifier else NUMBERS
    forest = kind("bagging", rows="subsample", max_samples=1.0, n_estimators=3, oob_score=True)
    with pytest.raises(ValueError, match=r"needs out-of-bag rows.*max_samples below 1.0"):
        forest.fit(X, y)
    weights = np.ones(N)
    weights[:5] = 0  # never drawn, and so out of bag
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        forest.fit(X, y, sample_weight=weights)
    assert np.isfinite(forest.oob_score_)


def test_rows_in_bag_everywhere_are_reported():
    with pytest.warns(UserWarning, match="in bag in all trees"):
        classifier(3).fit(X, Y).oob_curve()
