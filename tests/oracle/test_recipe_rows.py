"""Which variables a node draws, and which rows and columns a tree has; votes of the trees."""

import numpy as np
import pytest

from .recipe_tables import Table, Tally
from .slow_random import tree_seed


def tables(criterion, seeds, **about):
    for seed in seeds:
        holes, weights = 0.15 * (seed % 2), seed % 3 == 0
        yield Table(seed, criterion, holes=holes, weights=weights, **about)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_variables_of_a_node(criterion):
    tally = Tally()
    for table in tables(criterion, range(400, 408), numbers=4, few=1, categories=1):
        k = 1 + table.seed % 3
        tally.check(table, variables="poisson", max_features=k)
        odds = table.rng.random(table.p)
        odds[: table.seed % 3] = 0.0
        tally.check(table, variables="weighted", feature_weights=odds.tolist(), max_features=k)
        tally.check(table, range_sample=4 + k, max_features=k)
    tally.enough(20)


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_rows_and_columns_of_a_tree(criterion):
    """Random patches, pasting, SubBag; with choices that need the general splitter."""
    tally = Tally()
    for table in tables(criterion, range(420, 426), numbers=4, categories=1):
        n = int(table.rng.integers(5, table.n))
        for rules in [
            {"rows": "subsample", "max_samples": n, "max_features": 2},
            {"rows": "bootstrap", "columns": "subspace", "max_columns": 3, "cut": "gap"},
            {"rows": "subsample", "max_samples": n, "columns": "subspace", "max_columns": 2}
            | {"split": "oblique"},
            {"rows": "bootstrap", "choice": "near_best", "max_samples": n},
        ]:
            tally.check(table, n_estimators=3, **rules)
    tally.enough(50)


HONEST = [
    {},
    {"min_samples_leaf": 3, "max_features": 2},
    {"honest": 0.3, "cut": "uniform", "min_samples_split": 7},
    {"rows": "bootstrap"},
    {"rows": "subsample", "max_samples": 11, "min_samples_leaf": 2},
    {"variables": "poisson", "max_features": 1, "range_sample": 6, "min_samples_leaf": 2},  # Denil
    {"cut": "cell_middle", "max_depth": 3, "max_features": 2},  # Biau, two halves
]


@pytest.mark.parametrize("rules", HONEST)
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_honest_trees(criterion, rules):
    tally = Tally()
    for table in tables(criterion, range(440, 448), numbers=4):
        tally.check(table, **{"honest": True, **rules})
    tally.enough(7)


@pytest.mark.parametrize(
    ("about", "rules"),
    [
        ({"categories": 2}, {}),
        ({"categories": 2}, {"split": "multiway", "max_values": 3}),
        ({"holes": 0.2}, {"missing": "apart"}),
    ],
)
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_honest_trees_of_other_splits(criterion, about, rules):
    tally = Tally()
    for seed in range(24):
        table = Table(seed, criterion, weights=seed % 3 == 0, **about)
        tally.check(table, honest=True, **rules)
    tally.enough(18)


@pytest.mark.parametrize("rules", [{}, {"choice": "significant", "significance": 0.9}])
def test_outputs_that_fill_do_not_find(rules):
    """Whatever they are, the splits are the same."""
    for table in tables("squared_error", range(490, 496), categories=1):
        seed = tree_seed(table.random_state, 0)
        fills = sorted(table.rows_and_columns(seed, {"honest": True})["fills"])
        before = table.fit(honest=True, **rules)._trees[0]
        table.y[fills] *= 100.0
        after = table.fit(honest=True, **rules)._trees[0]
        assert before.feature().tolist() == after.feature().tolist()
        np.testing.assert_array_equal(before.threshold(), after.threshold())
        assert before.node_count == 1 or np.abs(before.values() - after.values()).max() > 0.0


def shares_of(slow, table, X):
    return np.array([[tree.predict(row)[0] for row in table.rows_as_lists(X)] for tree in slow])


@pytest.mark.parametrize("vote", ["soft", "majority"])
def test_votes_and_rows_out_of_the_bag(vote):
    """Of every row only the trees without it; a vote each, of equals the first class."""
    for seed in range(500, 504):
        table = Table(seed, "gini", numbers=2, categories=1, holes=0.1, n_rows=30)
        n = int(table.rng.integers(8, 18))
        rules = {"rows": "subsample", "max_samples": n, "max_depth": 2, "cut": "gap"}
        model, slow = Tally().check(table, n_estimators=25, **rules)
        if slow is None:
            continue
        model = table.fit(n_estimators=25, vote=vote, oob_score=True, **rules)
        shares = shares_of(slow, table, table.X)
        if vote == "majority":
            shares = np.eye(shares.shape[2])[shares.argmax(axis=2)]
        np.testing.assert_allclose(model.predict_proba(table.X), shares.mean(axis=0), atol=1e-12)
        labels = model.classes_[shares.mean(axis=0).argmax(axis=1)]
        assert model.predict(table.X).tolist() == labels.tolist()
        out = np.array([[w == 0.0 for w in tree.weights] for tree in slow])
        assert out.sum(axis=1).tolist() == [table.n - n] * 25
        with np.errstate(invalid="ignore"):
            expected = (shares * out[:, :, None]).sum(axis=0) / out.sum(axis=0)[:, None]
        covered = out.any(axis=0)
        got = model.oob_decision_function_
        np.testing.assert_allclose(got[covered], expected[covered], atol=1e-12)
        right = model.classes_[expected[covered].argmax(axis=1)] == table.y[covered]
        np.testing.assert_allclose(model.oob_score_, right.mean())


def test_means_out_of_the_bag():
    for seed in range(510, 514):
        table = Table(seed, "squared_error", numbers=3, n_rows=30)
        rules = {"rows": "subsample", "max_samples": 18, "max_depth": 3, "cut": "gap"}
        _, slow = Tally().check(table, n_estimators=12, **rules)
        model = table.fit(n_estimators=12, oob_score=True, **rules)
        values = shares_of(slow, table, table.X)[:, :, 0]
        out = np.array([[w == 0.0 for w in tree.weights] for tree in slow])
        expected = (values * out).sum(axis=0) / out.sum(axis=0)
        np.testing.assert_allclose(model.oob_prediction_, expected)
        residuals = ((table.y - expected) ** 2).sum() / ((table.y - table.y.mean()) ** 2).sum()
        np.testing.assert_allclose(model.oob_score_, 1 - residuals)
