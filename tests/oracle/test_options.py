"""The options of other implementations (thesis, Table 5.3, 5.3.3 and 5.3.4)."""

import numpy as np
import pytest

from .recipe_tables import Table, Tally


def tables(criterion, seeds, **about):
    for seed in seeds:
        holes, weights = 0.15 * (seed % 2), seed % 3 == 0
        yield Table(seed, criterion, holes=holes, weights=weights, **about)


MIXED = {"few": 1, "categories": 1}


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
@pytest.mark.parametrize("growth", ["best_first", "impurity_first", "size_first", None])
def test_order_of_growth(criterion, growth):
    """5.3.3, with OK3's limit on the number of splits; for multiway splits it differs."""
    tally = Tally()
    for table in tables(criterion, range(400, 405), **MIXED):
        limit = {"max_splits": 1 + table.seed % 5}
        tally.check(table, growth=growth, max_features=2, **limit)
        tally.check(table, growth=growth, split="multiway", max_values=4, **limit)
        tally.check(table, growth=growth, max_leaf_nodes=2 + table.seed % 6)
    tally.enough(6)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_purity_that_is_enough(criterion):
    """OK3's minimum variance, Orange's maximum majority."""
    tally = Tally()
    for table in tables(criterion, range(410, 416), **MIXED):
        scale = np.var(table.y) if criterion == "squared_error" else 1.0
        for share in (0.1, 0.35, 0.6):
            tally.check(table, min_impurity_split=share * scale, max_features=2)
            if criterion != "squared_error":
                tally.check(table, max_majority=1.0 - share)
    tally.enough(15)


@pytest.mark.parametrize("criterion", ["gini", "gain_ratio", "squared_error"])
def test_lowest_acceptable_score(criterion):
    tally, n_stopped = Tally(), 0
    for table in tables(criterion, range(420, 426), **MIXED):
        scale = np.var(table.y) if criterion == "squared_error" else 1.0
        for score in (0.02, 0.2, 0.7):
            _, trees = tally.check(table, min_score=score * scale)
            n_stopped += sum(not tree.root.children for tree in trees or [])
    tally.enough(10)
    assert n_stopped > 0


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error"])
def test_relief(criterion):
    tally = Tally()
    for table in tables(criterion, range(430, 436), n_rows=24, **MIXED):
        about = {"relief_neighbors": 1 + table.seed % 4, "relief_samples": [100, 6][table.seed % 2]}
        tally.check(table, choice="relief", **about)
        tally.check(table, choice="relief", max_features=2, min_score=0.05, **about)
        tally.check(table, choice="relief", split="multiway", max_values=3, **about)
    tally.enough(12)


@pytest.mark.parametrize("missing", ["learned", "apart", "both"])
@pytest.mark.parametrize("binning", ["node_width", "node_frequency", "width", "frequency"])
def test_bins(binning, missing):
    """5.3.4: of a node's own values, or of the whole column; in any recipe."""
    tally = Tally()
    for criterion in ("gini", "squared_error"):
        for table in tables(criterion, range(440, 444), **MIXED):
            bins = {"binning": binning, "max_bins": 2 + table.seed % 4, "missing": missing}
            tally.check(table, **bins)
            tally.check(table, choice="one_of_best", n_best=3, min_samples_split=6, **bins)
            if missing != "both":
                tally.check(table, honest=0.5, **bins)
    tally.enough(10)


@pytest.mark.parametrize("missing", ["learned", "apart"])
@pytest.mark.parametrize("split", ["binary", "multiway_categories", "oblique"])
def test_search_on_a_sample(split, missing):
    """5.3.4, definition 20: in any recipe."""
    tally = Tally()
    for criterion in ("gini", "squared_error", "gain_ratio"):
        for table in tables(criterion, range(450, 454), numbers=2, **MIXED):
            about = {"split": split, "missing": missing, "max_values": 4, "n_combined": 2}
            # In nodes of few samples, splits of several kinds part them alike.
            sample = {"split_sample": 5 + table.seed % 7, "min_samples_split": 6}
            if split != "oblique" and criterion != "gain_ratio":
                tally.check(table, **about, **sample, choice="near_best")
            tally.check(table, **about, **sample, min_samples_leaf=1 + table.seed % 3)
    tally.enough(8)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_variables_that_are_always_tried(criterion):
    tally = Tally()
    for table in tables(criterion, range(460, 468), **MIXED):
        always = sorted(table.rng.choice(table.p, 1 + table.seed % 2, replace=False).tolist())
        drawn = {"max_features": 1 + table.seed % 2}
        if table.seed % 4 == 0:
            drawn["variables"] = "poisson"
        tally.check(table, always_split=always, **drawn)
        tally.check(table, always_split=always, constant_features="skip", **drawn)
    tally.enough(12)


@pytest.mark.parametrize("constraints", ["pairwise", "no_interactions", [[0, 1], [1, 2]], [{3}]])
@pytest.mark.parametrize("criterion", ["entropy", "squared_error"])
def test_interaction_constraints(criterion, constraints):
    tally = Tally()
    for table in tables(criterion, range(470, 475), **MIXED):
        drawn = {"max_features": 1 + table.seed % 3, "interaction_cst": constraints}
        tally.check(table, **drawn)
        tally.check(table, split="multiway_categories", **drawn)
        _, trees = tally.check(table, cut="uniform", missing="learned", **drawn)
        if constraints == "no_interactions":
            used = [node.used for tree in trees or [] for node in tree.nodes]
            assert all(len(of_path) <= 1 for of_path in used)
    tally.enough(10)


def gini(counts):
    return 1.0 - (counts**2).sum(axis=1) / counts.sum(axis=1) ** 2


def fourth_root(counts):
    """A concave function of the shares of classes that the library does not have."""
    return ((counts / counts.sum(axis=1, keepdims=True)) ** 0.25).sum(axis=1) - 1.0


def variation(moments):
    """The variance over the squared distance of the mean from a point."""
    return moments[:, 2] / (1.0 + (moments[:, 1] + 1e4) ** 2 / 1e8)


@pytest.mark.parametrize("split", ["binary", "multiway"])
@pytest.mark.parametrize(
    ("criterion", "function"),
    [("gini", gini), ("gini", fourth_root), ("squared_error", variation)],
)
def test_criteria_of_the_user(criterion, function, split):
    tally = Tally()
    # Different sets of levels with equal counts are equal but for the rounding of the function.
    about = MIXED if function is gini else {"few": 2}
    for table in tables(criterion, range(480, 486), n_rows=25, **about):
        about = {"function": function, "split": split, "max_values": 4, "min_samples_split": 5}
        apart = split == "binary" and table.seed % 4 == 1
        tally.check(table, **about, missing="apart" if apart else "learned")
        tally.check(table, **about, max_splits=4, min_samples_leaf=2)
        tally.check(table, **about, cut="uniform" if split == "binary" else None)
    tally.enough(10)
