"""Conditional permutation importance, against plain loops over tests and rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from scipy.stats.contingency import association, crosstab

from silvics import ForestClassifier, ForestRegressor, RandomForestRegressor
from silvics.importance.forest.conditional import ConditionalCells, correlations, permute_within
from silvics.importance.forest.grouping import grouped, names_of

from . import plain_importances as plain
from .fitted_cases import FRAME, NUMBERS, X, fitted


class Asked:
    """What the cells read of a request."""

    def __init__(self, forest, table, min_samples=0, min_correlation=0.0, feature_groups=None):
        self.forest, self.X = forest, table
        self.min_samples, self.min_correlation = min_samples, min_correlation
        self.names, self.group_of = grouped(names_of(forest), feature_groups)


def directions(tree, codes, is_category, j, least):
    """Whether each row goes left at each node that tests a variable; missing is apart."""
    arrays, found = tree.tree_, []
    for t in np.flatnonzero((arrays.feature == j) & (arrays.n_node_samples >= least)):
        if is_category[j]:
            known = {int(level) for level in arrays._native.left_levels(int(t), 20)}
            goes = [float(code) if np.isnan(code) else float(int(code) in known)
                    for code in codes[:, j]]  # fmt: skip
        else:
            goes = np.where(np.isnan(codes[:, j]), np.nan, codes[:, j] <= arrays.threshold[t])
        found.append(np.nan_to_num(goes, nan=-1.0))
    return found


def partition(labels):
    """The sets of rows with equal labels."""
    sets = {}
    for i, label in enumerate(labels):
        sets.setdefault(label, set()).add(i)
    return sorted(map(sorted, sets.values()))


@pytest.mark.parametrize("least", [0, 15])
@pytest.mark.parametrize(
    "name",
    ["Gini", "variance, holes", "categories", "sparse", "subsample", "extra", "trees of one node"],
)
def test_cells_are_those_of_the_tests(name, least):
    of = fitted(name)
    codes, is_category = plain.number_codes(of.table)
    cells = ConditionalCells(Asked(of.forest, of.table, min_samples=least))
    rows = np.arange(len(codes))[::2]
    p = codes.shape[1]
    for m, tree in enumerate(of.forest.estimators_):
        of_group = cells.of_tree(m, rows)
        each = [directions(tree, codes, is_category, j, least) for j in range(p)]
        for g in range(p):
            given = [goes for j in range(p) if j != g for goes in each[j]]
            labels = [tuple(goes[i] for goes in given) for i in rows]
            assert partition(of_group(g).tolist()) == partition(labels)


def test_groups_are_not_conditioned_on_themselves():
    of = fitted("Gini")
    cells = ConditionalCells(Asked(of.forest, of.table, feature_groups=[[0, 1], [2, 3, 4]]))
    assert [given.tolist() for given in cells._given] == [[2, 3, 4], [0, 1]]
    apart = ConditionalCells(Asked(of.forest, of.table, min_correlation=1.0))
    assert not any(given.size for given in apart._given)
    assert not apart.of_tree(0, np.arange(90))(0).any()


def test_rows_are_permuted_within_cells():
    generator = np.random.RandomState(0)
    rows = np.array([9, 2, 5, 7, 0, 4])
    cells = np.array([1, 0, 1, 1, 0, 3])
    seen = set()
    for _ in range(200):
        order = np.arange(10)
        permute_within(order, rows, cells, generator)
        assert sorted(order) == list(range(10))
        assert order[[1, 3, 6, 8, 4]].tolist() == [1, 3, 6, 8, 4]
        assert set(order[[9, 5, 7]]) == {9, 5, 7}
        seen.add(tuple(order))
    assert len(seen) == 12  # every order within cells


def test_correlations_are_those_of_scipy():
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 80))
    b += a
    c, d = random.integers(0, 4, (2, 80))
    c[:30] = d[:30]
    ratio = pd.Series(a).rank()
    between = ratio.groupby(c).transform("mean")
    found = correlations(
        [a, b, c.astype(float), d.astype(float), np.ones(80)],
        np.array([False, False, True, True, False]),
    )
    assert found[0, 1] == pytest.approx(abs(spearmanr(a, b).statistic))
    assert found[2, 3] == pytest.approx(association(crosstab(c, d).count, "cramer"))
    assert found[0, 2] == pytest.approx(np.sqrt(between.var() / ratio.var()))
    np.testing.assert_allclose(found, found.T)
    assert found[0, 4] == 0.0
    with_missing = np.where(random.random(80) < 0.2, np.nan, a)
    assert 0.5 < correlations([a, with_missing], np.array([False, False]))[0, 1] < 1.0


def correlated_block(n, seed):
    """Strobl et al. 2008: three of four correlated variables matter, and three others."""
    random = np.random.default_rng(seed)
    covariance = np.eye(8)
    covariance[:4, :4] += 0.9 * (1 - np.eye(4))
    table = random.multivariate_normal(np.zeros(8), covariance, size=n)
    weights = np.array([5.0, 5, 2, 0, -5, -5, -2, 0])
    return table, table @ weights + 0.5 * random.normal(size=n)


def test_useless_variables_that_correlate_are_near_zero():
    table, y = correlated_block(400, seed=0)
    forest = RandomForestRegressor(60, max_features=4, min_samples_leaf=5, random_state=0)
    forest.fit(table, y)
    marginal = forest.importances("mda_tree", table, y).values
    conditional = forest.importances("conditional", table, y).values
    # The useless variable of the block seems as important as a useful one, until it is conditional.
    assert marginal[3] > 0.5 * marginal[6]
    assert conditional[3] < 0.2 * marginal[3]
    assert conditional[3] < 0.25 * conditional[0]
    # Variables that correlate with nothing are as important as before.
    assert conditional[4] == pytest.approx(marginal[4], rel=0.2)


def test_a_copy_makes_a_variable_useless():
    random = np.random.default_rng(0)
    table = random.normal(size=(300, 3))
    y = table[:, 0] + 0.1 * random.normal(size=300)
    forest = RandomForestRegressor(30, max_features=1, random_state=0).fit(
        np.column_stack([table, table[:, 0]]), y
    )
    both = np.column_stack([table, table[:, 0]])
    marginal = forest.importances("mda_tree", both, y).values
    conditional = forest.importances("conditional", both, y).values
    assert (conditional[[0, 3]] < 0.05 * marginal[[0, 3]]).all()


@pytest.mark.parametrize("name", ["categories", "sparse", "two numbers", "multiway", "ternary"])
def test_every_table_and_tree(name):
    of = fitted(name)
    found = of.forest.importances("conditional", of.table, of.y, n_repeats=2)
    again = of.forest.importances("conditional", of.table, of.y, n_repeats=2, n_jobs=2)
    assert np.isfinite(found.values).all()
    np.testing.assert_array_equal(found.replicates, again.replicates)
    assert found.kind == "conditional"
    assert "out-of-bag loss" in repr(found)


def test_held_out_rows_and_parts():
    table, y = correlated_block(200, seed=1)
    forest = RandomForestRegressor(5, min_samples_leaf=5, random_state=0).fit(table[:100], y[:100])
    found = forest.importances("conditional", table[100:], y[100:], rows="held_out", by="output")
    assert found.by_output.shape == (8, 1)
    custom = forest.importances(
        "conditional", table[:100], y[:100], loss=lambda a, b: np.abs(a - b).mean()
    )
    named = forest.importances("conditional", table[:100], y[:100], loss="absolute_error")
    np.testing.assert_allclose(custom.values, named.values)
    classes = ForestClassifier(n_estimators=5, random_state=0).fit(table, y > 0)
    assert classes.importances("conditional", table, y > 0, by="class").by_class.shape == (8, 2)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"min_correlation": 1.5}, ValueError, "min_correlation must be between 0 and 1"),
        ({"min_correlation": "high"}, TypeError, "min_correlation must be a number"),
        ({"min_samples": -1}, ValueError, "min_samples"),
        ({"kind": "mda_tree", "min_correlation": 0.5}, ValueError, "min_correlation= is not used"),
        ({"null": "exact"}, ValueError, "null= is not used"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, text):
    forest = fitted("variance").forest
    with pytest.raises(error, match=text):
        forest.importances(**({"kind": "conditional"} | arguments), X=X, y=NUMBERS)


def test_oblique_trees_and_many_levels_are_refused(monkeypatch):
    forest = ForestRegressor("forest_rc", n_estimators=2, random_state=0).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="oblique"):
        forest.importances("conditional", X, NUMBERS)
    monkeypatch.setattr("silvics.importance.forest.conditional._MOST_COLUMNS", 8)
    of = fitted("categories, numbers")
    with pytest.raises(ValueError, match="all pairs of"):
        of.forest.importances("conditional", FRAME, NUMBERS)
