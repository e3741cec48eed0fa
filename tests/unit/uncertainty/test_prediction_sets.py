"""Sets of classes: their definition and their coverage."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from silvics import RandomForestClassifier as Forest

X, Y = make_classification(
    2500, 12, n_informative=5, n_classes=4, flip_y=0.1, n_clusters_per_class=1, random_state=0
)
TRAIN, TEST = slice(0, 800), slice(800, None)
NEW, AFTER = X[TEST], Y[TEST]


@pytest.fixture(scope="module")
def forest():
    return Forest(80, keep_samples=True, oob_score=True, random_state=0).fit(X[TRAIN], Y[TRAIN])


def coverage(sets):
    return sets[np.arange(len(AFTER)), AFTER].mean()


@pytest.mark.parametrize("score", ["probability", "cumulative"])
def test_levels_are_met(forest, score):
    levels = [0.6, 0.8, 0.95]
    found = forest.predict_set(NEW, levels, score=score)
    assert found.shape == (1700, 4, 3)
    assert found.dtype == bool
    for q, level in enumerate(levels):
        assert abs(coverage(found[:, :, q]) - level) < 0.05
    assert (found[:, :, 0] <= found[:, :, 1]).all()
    np.testing.assert_array_equal(forest.predict_set(NEW, 0.8, score=score), found[:, :, 1])


def test_sets_by_probability_are_their_definition(forest):
    own = forest.oob_decision_function_[np.arange(800), Y[TRAIN]]
    largest = np.sort(1 - own)[int(np.ceil(801 * 0.9)) - 1]
    wanted = 1 - forest.predict_proba(NEW) <= largest + 1e-12
    np.testing.assert_array_equal(forest.predict_set(NEW), wanted)


def test_cumulative_sets_have_the_most_probable_classes(forest):
    p, found = forest.predict_proba(NEW), forest.predict_set(NEW, 0.8, score="cumulative")
    for row, inside in zip(p, found, strict=True):
        if inside.any() and not inside.all():
            assert row[inside].min() >= row[~inside].max()


def test_sets_of_training_rows_are_those_of_their_out_of_bag_trees(forest):
    found = forest.predict_set(None, 0.9)
    own = 1 - forest.oob_decision_function_
    largest = np.sort(own[np.arange(800), Y[TRAIN]])[int(np.ceil(801 * 0.9)) - 1]
    np.testing.assert_array_equal(found, own <= largest + 1e-12)
    assert found[np.arange(800), Y[TRAIN]].mean() == pytest.approx(0.9, abs=0.01)


def test_training_rows_that_no_tree_leaves_out_get_all_classes():
    forest = Forest(2, keep_samples=True, random_state=0).fit(X[TRAIN], Y[TRAIN])
    never = (forest.in_bag_counts() > 0).all(axis=1)
    assert 0 < never.sum() < 800
    found = forest.predict_set(None, 0.1)
    assert found[never].all()
    assert not found[~never].all()


def test_calibrated_probabilities_and_outputs():
    both = np.column_stack([Y, X[:, 0] > 0])
    forest = Forest(40, keep_samples=True, calibrate="oob", random_state=0)
    first, second = forest.fit(X[TRAIN], both[TRAIN]).predict_set(NEW, 0.8)
    assert abs(coverage(first) - 0.8) < 0.06
    assert second.shape == (1700, 2)


def test_few_rows_give_all_classes():
    forest = Forest(40, keep_samples=True, random_state=0).fit(X[:8], Y[:8])
    assert forest.predict_set(NEW, 0.99).all()


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"confidence_level": 1.2}, "confidence_level must be between"),
        ({"score": "margin"}, "score must be one of"),
    ],
)
def test_bad_arguments(forest, parameters, text):
    with pytest.raises(ValueError, match=text):
        forest.predict_set(NEW, **parameters)
    with pytest.raises(ValueError, match="keep_samples=True"):
        Forest(5).fit(X, Y).predict_set(NEW)
    with pytest.raises(ValueError, match="bootstrap=True"):
        Forest(5, bootstrap=False, keep_samples=True).fit(X, Y).predict_set(NEW)
