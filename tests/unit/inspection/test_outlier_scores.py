"""Outliers against definition 21, pair by pair."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_friedman1, make_regression
from sklearn.ensemble import RandomForestClassifier as SklearnForest

import silvics
from silvics.inspection import outliers

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=120) > 0, "tall", "short")


def fitted(**parameters):
    settings = {"n_estimators": 25, "keep_samples": True, "random_state": 0, **parameters}
    return silvics.RandomForestClassifier(**settings).fit(X, Y)


def by_hand(P, groups, measure, n_trees):
    P = P.copy()
    np.fill_diagonal(P, 0)
    scores = np.zeros(len(P))
    for rows in groups:
        within = P[np.ix_(rows, rows)]
        if measure == "mean":
            scores[rows] = 1 - within.sum(axis=1) / (len(rows) - 1)
            continue
        raw = len(P) / np.maximum((within**2).sum(axis=1), (0.5 / n_trees) ** 2)
        scores[rows] = (raw - np.median(raw)) / np.median(np.abs(raw - np.median(raw)))
    return scores


@pytest.mark.parametrize("measure", ["breiman", "mean"])
@pytest.mark.parametrize("within", ["class", "all"])
@pytest.mark.parametrize("kind", ["original", "oob", "gap"])
def test_scores_by_hand(measure, within, kind):
    forest = fitted()
    everyone = [np.arange(120)]
    groups = everyone if within == "all" else [np.flatnonzero(Y == c) for c in np.unique(Y)]
    expected = by_hand(forest.proximity(kind=kind), groups, measure, 25)
    found = outliers(forest, within=within, measure=measure, kind=kind)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-9, atol=1e-12)
    assert (found.labels is None) == (within == "all")


def test_training_rows_and_the_same_table_agree():
    forest = fitted()
    kept = outliers(forest)
    given = outliers(forest, X, Y, within="class")
    np.testing.assert_allclose(kept.scores, given.scores, rtol=1e-10)
    np.testing.assert_array_equal(kept.scores, outliers(forest, n_jobs=3).scores)


def test_planted_outliers_are_first():
    """Rows that carry the label of the other class are far from their own."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    planted = np.argsort(-np.abs(X[:, 0] + X[:, 1]))[:8]
    y[planted] = 1 - y[planted]
    forest = silvics.RandomForestClassifier(300, min_samples_leaf=10, random_state=0).fit(X, y)
    first = outliers(forest, X, y).to_frame()["row"][:8]
    assert set(first) == set(planted.tolist())


def test_frames_and_their_columns():
    frame = pl.DataFrame(X, schema=list("abcde"))
    forest = silvics.RandomForestClassifier(10, random_state=0).fit(frame, Y)
    found = outliers(forest, frame, Y)
    table = found.to_frame()
    assert isinstance(table, pl.DataFrame)
    assert table.columns == ["row", "score", "raw", "class"]
    scores = table["score"].to_numpy()
    assert (np.diff(scores) <= 0).all()
    np.testing.assert_array_equal(found.scores[table["row"].to_numpy()], scores)
    assert "Outliers" in repr(found)
    assert "<table" in found._repr_html_()


def test_regression_compares_with_all():
    X, y = make_friedman1(60, 5, random_state=0)
    forest = silvics.RandomForestRegressor(10, keep_samples=True, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        outliers(forest, measure="mean").scores,
        by_hand(forest.proximity(), [np.arange(60)], "mean", 10),
    )
    with pytest.raises(ValueError, match="Pass it as y"):
        outliers(forest, within="class")


def test_equal_rows_have_no_outliers():
    forest = silvics.RandomForestClassifier(5, keep_samples=True, random_state=0)
    forest.fit(np.zeros((6, 2)), [0, 1] * 3)
    np.testing.assert_array_equal(outliers(forest).scores, 0.0)


def test_a_class_of_one_row():
    y = Y.copy()
    y[0] = "alone"
    forest = silvics.RandomForestClassifier(10, keep_samples=True, random_state=0).fit(X, y)
    for measure in ("breiman", "mean"):
        assert np.isfinite(outliers(forest, measure=measure).scores).all()


def test_many_classes_are_summed_in_parts(monkeypatch):
    forest = fitted()
    y = np.arange(120) % 7
    expected = outliers(forest, X, y).scores
    monkeypatch.setattr("silvics.inspection._compared._MOST_SUMS", 300)
    np.testing.assert_array_equal(outliers(forest, X, y).scores, expected)


def test_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = outliers(fitted())
    axes = found.plot(ax=pyplot.figure().add_subplot()).ax_
    assert len(axes.collections) == 2
    pyplot.close("all")


def test_progress_is_reported():
    seen = []
    outliers(fitted(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (120, 120)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"within": "other"}, ValueError, "within"),
        ({"measure": "other"}, ValueError, "measure"),
        ({"kind": "other"}, ValueError, "kind"),
        ({"y": Y[:5]}, ValueError, "one class for each"),
        ({"y": [None] * 120}, ValueError, "y"),
        ({"X": X[:1], "y": Y[:1]}, ValueError, "at least two"),
        ({"X": X, "within": "class"}, ValueError, "class of each sample"),
        ({"X": X[:, :2], "y": Y}, ValueError, "features"),
        ({"min_samples_in_node": 0}, ValueError, "min_samples_in_node"),
        ({"progress": 3}, TypeError, "progress"),
    ],
)
def test_errors(arguments, error, match):
    with pytest.raises(error, match=match):
        outliers(fitted(), **arguments)


def test_other_forests_are_refused():
    with pytest.raises(TypeError, match="from_sklearn"):
        outliers(SklearnForest().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="attach_samples"):
        outliers(fitted(keep_samples=False))
    numbers, targets = make_regression(30, 3, n_targets=2, random_state=0)
    forest = silvics.RandomForestClassifier(3, keep_samples=True).fit(numbers, targets > 0)
    with pytest.raises(ValueError, match="outputs"):
        outliers(forest)


def test_categories_and_missing_values():
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["a"] = pd.cut(frame["a"], 4).astype(str)
    frame.loc[::6, "b"] = np.nan
    forest = silvics.RandomForestClassifier(10, keep_samples=True, random_state=0).fit(frame, Y)
    np.testing.assert_allclose(outliers(forest, frame, Y).scores, outliers(forest).scores)
