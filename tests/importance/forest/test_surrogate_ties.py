"""Surrogates do not depend on the direction of a variable, and unlike splits do not count."""

import numpy as np
import pandas as pd
import pytest

from silvics import ForestClassifier, ForestRegressor, RandomForestClassifier, RandomForestRegressor

N = 150
rng = np.random.default_rng(0)
TIED = rng.integers(0, 5, size=(N, 3)).astype(float)
REAL = rng.normal(size=(N, 2))
MISSING = np.where(rng.random((N, 2)) < 0.3, np.nan, rng.integers(0, 6, size=(N, 2)))
LEARNED = np.column_stack([TIED, REAL, MISSING])
NUMBERS = LEARNED[:, 0] + 0.5 * LEARNED[:, 3] + rng.normal(size=N)
CLASSES = np.digitize(NUMBERS, [1.0, 2.5])
WEIGHTS = {
    "none": None,
    "whole": rng.integers(1, 4, N).astype(float),
    "fractions": rng.integers(1, 4, N) / 10,
}


def both_ways():
    """Columns that no tree splits on, and the same with the sign turned."""
    useless = np.column_stack(
        [
            rng.integers(0, 4, size=(N, 4)),
            rng.normal(size=(N, 2)),
            np.where(rng.random((N, 4)) < 0.3, np.nan, rng.integers(0, 5, size=(N, 4))),
            LEARNED[:, 0] + rng.integers(0, 2, N),
            np.where(rng.random(N) < 0.2, np.nan, LEARNED[:, 3]),
        ]
    )
    return np.column_stack([LEARNED, useless]), np.column_stack([LEARNED, -useless])


SETTINGS = {
    "best": {},
    "drawn": {"cut": "uniform"},
    "apart": {"missing": "apart"},
    "honest": {"honest": True},
    "many values": {"split": "multiway", "max_values": 10},
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_the_sign_does_not_matter(kind, name, weights):
    table, turned = both_ways()
    y = CLASSES if kind is ForestClassifier else NUMBERS
    settings = SETTINGS[name]
    if "split" in settings:
        table, turned = table.round(), turned.round()
    constant = np.column_stack([table[:, : LEARNED.shape[1]], 0 * np.nan_to_num(table[:, 7:])])
    forest = kind("random_forest", n_estimators=8, random_state=1, **settings)
    forest.fit(constant, y, WEIGHTS[weights])  # it splits on no other column
    found = [forest.importances("surrogate", of, y) for of in (table, turned)]
    assert (found[0].replicates == found[1].replicates).all()
    assert (found[0]._mimicry == found[1]._mimicry).all()
    new = slice(LEARNED.shape[1], None)
    assert (found[0].values[new] > 0).any()


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_the_sign_of_what_trees_split_on_does_not_matter(kind):
    """Trees on -x are those on x, turned; surrogates of all variables stay."""
    x = rng.permutation(np.linspace(-1, 1, N + 1)[:N])  # all values differ
    frame = pd.DataFrame({"x": x, "few": TIED[:, 0], "gaps": MISSING[:, 0]})
    frame["word"] = np.where(rng.random(N) < 0.5, "a", np.where(x > 0, "b", "c"))
    y = np.digitize(x, [-0.5, 0.0, 0.4]) if kind is RandomForestClassifier else np.round(4 * x)
    settings = {"max_features": 1.0, "max_depth": 2, "random_state": 0}
    found = []
    for table in (frame, frame.assign(x=-frame["x"])):
        forest = kind(10, **settings).fit(table, y)
        assert all(set(tree.tree_.feature) <= {0, -2} for tree in forest.estimators_)
        found.append(forest.importances("surrogate", table, y).replicates)
    assert (found[0] == found[1]).all()


def test_copies_have_what_their_twins_have():
    table, turned = both_ways()
    both = np.column_stack([table, turned[:, LEARNED.shape[1] :], table])
    forest = RandomForestRegressor(10, random_state=0).fit(both, NUMBERS)
    values = forest.importances("surrogate", both, NUMBERS).values
    p, new = table.shape[1], table.shape[1] - LEARNED.shape[1]
    assert (values[p + new :] == values[:p]).all()
    assert (values[p : p + new] == values[LEARNED.shape[1] : p]).all()


def test_a_split_that_is_no_better_than_the_larger_child_does_not_count():
    """The node sends 9 of 10 rows to one side; the other variable would part 5 from 5."""
    x = np.r_[np.zeros(9), 1.0]
    other = np.arange(10) % 2
    y = x.astype(int)
    forest = RandomForestClassifier(1, bootstrap=False, max_features=1.0, max_depth=1)
    table = np.column_stack([x, other, np.arange(10) == 4])
    forest.set_params(random_state=0).fit(table, y)
    assert forest.estimators_[0].tree_.feature[0] == 0
    values = forest.importances("surrogate", table, y).values
    assert values[0] == pytest.approx(2 * 0.9 * 0.1)
    assert (values[1:] == 0).all()


def test_of_equal_cuts_the_more_even_one():
    """Two cuts of z agree with 5 of the 6 rows, and are as even."""
    x = np.array([0.0, 0, 0, 1, 1, 1])
    z = np.array([1.0, 2, 4, 3, 5, 6])
    y = np.array([0, 0, 1, 1, 1, 1])
    forest = RandomForestClassifier(1, bootstrap=False, max_depth=1, random_state=0)
    forest.fit(np.column_stack([x, np.zeros(6)]), y)  # it splits on x
    found = forest.importances("surrogate", np.column_stack([x, z]), y).values[1]

    def fall(low):
        gini = [2 * np.mean(y[of]) * (1 - np.mean(y[of])) for of in (low, ~low)]
        whole = 2 * y.mean() * (1 - y.mean())
        return whole - low.mean() * gini[0] - (~low).mean() * gini[1]

    # z <= 2 and z <= 4 both agree with 5 rows, and part 2 from 4 and 4 from 2: their mean.
    assert found == pytest.approx((fall(z <= 2) + fall(z <= 4)) / 2)
