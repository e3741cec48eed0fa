"""``forest.summary()``: a few lines about a fitted forest."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix, mean_squared_error, r2_score

import silvics
from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(150, 4)), columns=["age", "fare", "<deck>", "port"])
NUMBERS = X["age"] + 0.5 * X["fare"] + 0.2 * RNG.normal(size=150)
CLASSES = np.array(["low", "mid", "high"])[np.digitize(NUMBERS, [-0.5, 0.5])]


def classified(**settings):
    return RandomForestClassifier(60, oob_score=True, random_state=0, **settings).fit(X, CLASSES)


def test_sizes():
    forest = classified()
    summary = forest.summary()
    trees = forest.estimators_
    assert summary.n_trees == 60
    assert summary.n_nodes == sum(tree.tree_.node_count for tree in trees)
    assert summary.n_leaves == sum(tree.get_n_leaves() for tree in trees)
    assert summary.depth == max(tree.get_depth() for tree in trees)
    assert summary.mean_depth == np.mean([tree.get_depth() for tree in trees])
    assert (summary.n_features, summary.n_outputs, summary.max_features) == (4, 1, 2)
    assert [name for name, _ in summary.importances][:2] == ["age", "fare"]


def test_errors_of_classes():
    forest = classified()
    summary = forest.summary()
    found = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    expected = confusion_matrix(CLASSES, found, labels=forest.classes_)
    assert np.array_equal(summary.confusion, expected)
    assert summary.oob_error == pytest.approx(1 - forest.oob_score_)
    assert summary.class_errors == pytest.approx(1 - expected.diagonal() / expected.sum(axis=1))
    assert summary.oob[0].classes == ["high", "low", "mid"]
    text = str(summary)
    assert f"Out-of-bag error:  {1 - forest.oob_score_:.2%} of 150 rows" in text
    assert repr(summary) == text
    for label, row in zip(forest.classes_, expected, strict=True):
        (line,) = (line.split() for line in text.splitlines() if line.startswith(f"    {label} "))
        assert list(map(int, line[1:4])) == row.tolist()


def test_errors_of_numbers():
    forest = RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, NUMBERS)
    (errors,) = forest.summary().oob
    assert errors.error == pytest.approx(mean_squared_error(NUMBERS, forest.oob_prediction_))
    assert errors.r2 == pytest.approx(r2_score(NUMBERS, forest.oob_prediction_))
    assert f"R2 {errors.r2:.4f}" in str(forest.summary())
    assert forest.summary().confusion is None


def test_several_outputs():
    y = np.c_[CLASSES == "low", CLASSES == "mid"]
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    oob = forest.summary().oob
    assert len(oob) == 2
    for k, errors in enumerate(oob):
        found = forest.oob_decision_function_[:, :, k].argmax(axis=1)
        assert np.array_equal(errors.confusion, confusion_matrix(y[:, k], found))
    assert "Out-of-bag error of output 1" in str(forest.summary())
    numbers = RandomForestRegressor(60, oob_score=True, random_state=0).fit(
        X, np.c_[NUMBERS, NUMBERS**2]
    )
    assert len(numbers.summary().oob) == 2


def test_rows_without_trees_are_left_out():
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        forest = RandomForestClassifier(3, oob_score=True, random_state=0).fit(X, CLASSES)
    assert forest.summary().oob[0].n_rows < 150
    assert forest.summary().confusion.sum() == forest.summary().oob[0].n_rows


def test_many_classes_have_no_table():
    y = np.arange(150) % 120
    wide = pd.concat([X] * 3), np.concatenate([y] * 3)
    forest = RandomForestClassifier(40, oob_score=True, random_state=0).fit(*wide)
    assert forest.summary().confusion is None
    assert forest.summary().oob_error == pytest.approx(1 - forest.oob_score_)
    some = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, y % 30)
    assert some.summary().confusion.shape == (30, 30)
    assert "Confusion" not in str(some.summary())


@pytest.mark.parametrize(
    ("forest", "how"),
    [
        (RandomForestClassifier(3), "oob_score=True with bootstrap=True"),
        (ExtraTreesClassifier(3), "oob_score=True with bootstrap=True"),
        (ForestClassifier("pert", 3), 'oob_score=True with rows="bootstrap"'),
    ],
)
def test_without_estimates_it_says_how_to_get_them(forest, how):
    summary = forest.fit(X, CLASSES).summary()
    assert how in str(summary)
    assert summary.oob == []
    assert summary.oob_error is summary.confusion is summary.class_errors is None


@pytest.mark.parametrize("kind", [IsolationForest, RandomTreesEmbedding])
def test_forests_without_output(kind):
    text = str(kind(n_estimators=5, random_state=0).fit(X).summary())
    assert "Trees:" in text
    assert "Out-of-bag" not in text
    assert "important" not in text


def test_estimates_go_with_their_trees():
    forest = classified(warm_start=True)
    forest.set_params(n_estimators=70, oob_score=False).fit(X, CLASSES)
    assert forest.summary().oob == []


def test_as_data():
    told = json.loads(json.dumps(classified().summary().to_dict()))
    assert told["n_trees"] == 60
    assert np.shape(told["oob"][0]["confusion"]) == (3, 3)
    assert told["importances"]["age"] > 0.3
    json.dumps(IsolationForest().fit(X).summary().to_dict())


def test_files_and_pickles_keep_it(tmp_path):
    for forest in (classified(), RandomForestRegressor(60, oob_score=True).fit(X, NUMBERS)):
        told = str(forest.summary())
        assert str(pickle.loads(pickle.dumps(forest)).summary()) == told
        forest.save(tmp_path / "forest.silvics")
        assert str(silvics.load(tmp_path / "forest.silvics").summary()) == told
        forest.save(tmp_path / "small.silvics", for_prediction=True)
        small = silvics.load(tmp_path / "small.silvics").summary()
        assert small.oob_error == forest.summary().oob_error
        assert small.depth is None


def test_merged_and_converted_forests():
    forest = classified()
    assert silvics.merge([forest, forest]).summary().n_trees == 120
    assert silvics.from_sklearn(forest.to_sklearn()).summary().oob == []


def test_html():
    forest = classified()
    html = forest.summary()._repr_html_()
    assert "&lt;deck&gt;" in html
    assert "<deck>" not in html
    shown = forest._repr_html_()
    assert "Fitted forest" in shown
    assert html in shown
    assert "Fitted forest" not in RandomForestClassifier()._repr_html_()
    assert repr(forest).startswith("RandomForestClassifier(")


def test_the_html_form_makes_no_trees():
    forest = classified()
    forest._repr_html_()
    assert "_estimators" not in vars(forest)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        RandomForestClassifier().summary()
