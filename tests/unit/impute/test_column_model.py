"""The forest of one column: out-of-bag errors, draws from leaves, many classes."""

import numpy as np
import pytest

from silvics.impute.column_model import (
    MOST_CLASSES,
    ColumnModel,
    ForestSettings,
    frequent_classes,
    usual_value,
)


def settings(n=20, draws=False, leaf=1, max_samples=None):
    return ForestSettings(n, 1.0, leaf, max_samples, None, draws)


def model_of(X, is_class=False, **choices):
    known = ~np.isnan(X[:, 0])
    classes = np.array([is_class, *[False] * (X.shape[1] - 1)])
    others = np.arange(1, X.shape[1])
    return ColumnModel(X, 0, known, others, classes, settings(**choices), 0)


def test_error_is_that_of_out_of_bag_rows():
    random = np.random.default_rng(0)
    noise = random.normal(size=(400, 2))
    assert 0.9 < model_of(noise, n=100).oob_error < 1.4
    related = np.column_stack([noise[:, 1], noise[:, 1]])
    assert model_of(related, n=100).oob_error < 0.1
    coin = np.column_stack([random.integers(0, 2, 400), noise[:, 0]]).astype(float)
    assert 0.35 < model_of(coin, is_class=True, n=100).oob_error < 0.65


def test_draws_come_from_the_leaf_of_one_tree_by_in_bag_weight():
    random = np.random.default_rng(0)
    x = random.integers(0, 3, 60).astype(float)
    X = np.column_stack([10 * x + random.random(60), x])
    model = model_of(X, n=1, draws=True, leaf=5)
    membership = model.forest._grown.require_samples("test").membership
    rows, leaf, weight = membership.in_bag(0)
    query = np.column_stack([np.zeros(30_000), np.full(30_000, 2.0)])
    drawn = model.draw(query, np.random.default_rng(1))
    (node,) = set(leaf[X[rows, 1] == 2])
    share = weight[leaf == node] / weight[leaf == node].sum()
    for row, expected in zip(rows[leaf == node], share, strict=True):
        assert np.mean(drawn == X[row, 0]) == pytest.approx(expected, abs=0.01)


def test_each_draw_has_a_tree_of_its_own():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = model_of(X, n=30, draws=True)
    trees = [model.tree_of(draw, np.random.default_rng(0)) for draw in range(31)]
    assert sorted(trees[:30]) == list(range(30))
    assert trees[30] == trees[0]
    drawn = {tuple(model.draw(X[:5], np.random.default_rng(0), m)) for m in trees}
    assert len(drawn) > 20


def test_rows_drawn_by_trees():
    assert settings().rows_drawn(2000) is None
    assert settings().rows_drawn(3000) == 2000
    assert settings().rows_drawn(30_000) == 10_000
    assert settings(draws=True).rows_drawn(30_000) is None
    assert settings(max_samples=0.5).rows_drawn(30_000) == 0.5


def test_only_frequent_classes_are_imputed():
    codes = np.r_[np.repeat(np.arange(MOST_CLASSES), 2), MOST_CLASSES + np.arange(50)]
    assert frequent_classes(codes).tolist() == list(range(MOST_CLASSES))
    X = np.column_stack([codes, codes]).astype(float)
    predicted = model_of(X, is_class=True, n=3).predict(X)
    assert predicted.max() < MOST_CLASSES


def test_usual_value():
    assert usual_value(np.array([1.0, 2, 2, 0, 0]), True) == 0
    assert usual_value(np.array([1.0, 2, 9, 4]), False) == 3


def test_predictions_are_within_the_known_values():
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = model_of(X)
    predicted = model.predict(100 * X)
    assert X[:, 0].min() <= predicted.min()
    assert predicted.max() <= X[:, 0].max()
