"""Permutation importances of each tree, against plain loops."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from silvics import (
    RandomForestClassifier,
    RandomForestRegressor,
)

from . import plain_importances as plain
from .fitted_cases import CLASSES, NUMBERS, TWO_NUMBERS, N, X, fitted

# ---- Permutations


def replaced(table, members, rows):
    """The table, with some columns taken from other rows; trees know no names."""
    if isinstance(table, pd.DataFrame):
        table = table.copy()
        for j in members:
            table[table.columns[j]] = table[table.columns[j]].to_numpy()[rows]
        return table
    table = table.copy()
    table[:, members] = table[rows][:, members]
    return table


def wrong(y, says):
    return np.mean(y != says)


def squared(y, says):
    return np.mean((y - says) ** 2)


@pytest.mark.parametrize("groups", [None, {"two": [1, 3]}])
@pytest.mark.parametrize("name", ["Gini", "entropy", "variance", "categories", "multiway",
                                  "two numbers", "drawn by weight", "one tree"])  # fmt: skip
def test_trees_by_themselves(name, groups):
    of = fitted(name)
    table = of.table
    if hasattr(table, "columns"):
        table = table.set_axis(range(5), axis=1)
    members = [[j] for j in range(5)] if groups is None else [[1, 3], [0], [2], [4]]
    loss = wrong if of.is_classes else squared
    expected = plain.mda_tree(of.forest, table, of.y, members, 3, 7, loss, replaced)
    found = of.forest.importances(
        "mda_tree", of.table, of.y, feature_groups=groups, n_repeats=3, random_state=7
    )
    assert found.replicates == of.near(expected.mean(axis=1))
    one = of.forest.importances("mda_tree", of.table, of.y, feature_groups=groups, random_state=7)
    first = plain.mda_tree(of.forest, table, of.y, members, 1, 7, loss, replaced)
    assert one.replicates == of.near(first[:, 0])


def test_trees_by_themselves_in_the_long_run():
    few = X[:10, :2]
    y = NUMBERS[:10]
    forest = RandomForestRegressor(2, max_samples=7, random_state=1).fit(few, y)
    expected = np.zeros(2)
    for tree, count in zip(forest.estimators_, plain.drawn_counts(forest), strict=True):
        out = np.flatnonzero(count == 0)
        assert 2 <= len(out) <= 6
        before = squared(y[out], tree.predict(few)[out])
        for j in range(2):
            losses = []
            for order in permutations(out.tolist()):
                changed = few.copy()
                changed[out, j] = few[list(order), j]
                losses.append(squared(y[out], tree.predict(changed)[out]) - before)
            expected[j] += np.mean(losses) / 2
    found = forest.importances("mda_tree", few, y, n_repeats=4000, random_state=0)
    assert found.values == pytest.approx(expected, rel=0.05, abs=0.05)
    assert found.values != pytest.approx(0, abs=0.5)


def test_trees_do_not_miss_what_they_do_not_ask():
    table = np.column_stack([X[:, 0], np.full(N, 2.0), X[:, 1]])
    forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(table, CLASSES)
    found = forest.importances("mda_tree", table, CLASSES, n_repeats=2, random_state=0)
    for m, tree in enumerate(forest.estimators_):
        unused = [j for j in range(3) if j not in tree.tree_.feature]
        assert 1 in unused
        assert (found.replicates[m, unused] == 0).all()
    assert found.values[0] > 0


def error_of_row(y, shares, classes=("a", "b", "c")):
    return float(classes[shares.argmax()] != y)


def test_classes_apart_in_permutations():
    forest = RandomForestClassifier(25, max_depth=3, random_state=0).fit(X, CLASSES)
    groups = [[j] for j in range(5)]
    rows = plain.mda_rows(forest, X, CLASSES, groups, 2, 3, error_of_row, replaced).mean(axis=0)
    found = forest.importances("mda", X, CLASSES, n_repeats=2, random_state=3, by="class")
    of_class = np.column_stack([rows[:, CLASSES == k].mean(axis=1) for k in "abc"])
    assert found.by_class == pytest.approx(of_class)
    shares = np.array([np.mean(CLASSES == k) for k in "abc"])
    assert found.by_class @ shares == pytest.approx(found.values)
    assert found.values == pytest.approx(rows.mean(axis=1))
    assert found.classes.tolist() == ["a", "b", "c"]
    plainly = forest.importances("mda", X, CLASSES, n_repeats=2, random_state=3)
    assert (plainly.values == found.values).all()


@pytest.mark.parametrize("kind", ["mda", "mda_tree"])
def test_outputs_apart_in_permutations(kind):
    forest = RandomForestRegressor(25, max_depth=3, random_state=0).fit(X, TWO_NUMBERS)
    found = forest.importances(kind, X, TWO_NUMBERS, random_state=3, by="output")
    assert found.by_output.mean(axis=1) == pytest.approx(found.values)
    for k in range(2):

        def of_one(y, says, k=k):
            return np.mean((y[:, k] - says[:, k]) ** 2)

        one = forest.importances(kind, X, TWO_NUMBERS, random_state=3, loss=of_one)
        assert found.by_output[:, k] == pytest.approx(one.values)


def test_classes_apart_in_permutations_of_trees():
    forest = RandomForestClassifier(6, max_depth=3, random_state=0).fit(X, CLASSES)
    found = forest.importances("mda_tree", X, CLASSES, random_state=3, by="class")
    for k, name in enumerate("abc"):

        def of_class(y, says, name=name):
            return np.mean(says[y == name] != name)

        one = forest.importances("mda_tree", X, CLASSES, random_state=3, loss=of_class)
        assert found.by_class[:, k] == pytest.approx(one.values)
