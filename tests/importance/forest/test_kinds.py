"""Every kind of importances of a grown forest, against loops over its trees, nodes and rows."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from . import plain_importances as plain
from .fitted_cases import (
    CASES,
    CLASSES,
    FRAME,
    HOLES,
    NUMBERS,
    TWO_CLASSES,
    TWO_NUMBERS,
    N,
    X,
    fitted,
)


@pytest.mark.parametrize("name", CASES)
def test_the_references_know_the_nodes(name):
    of = fitted(name)
    each = of.forest.importances().replicates
    assert each == of.near(plain.mdi(of.forest))
    by_rows = plain.mdi_parts(of.forest, of.table, of.y, of.case.criterion, of.bags)
    assert each == of.near(by_rows.sum(axis=2))
    # By the rows in the bag, that out of bag is the decrease itself (Li et al. 2019).
    usual = "gini" if of.is_classes else "squared_error"
    usually = plain.mdi_parts(of.forest, of.table, of.y, usual, of.bags)
    again = plain.mdi_oob(of.forest, of.table, of.y, of.bags, of.bags)
    assert again.sum(axis=2) == of.near(usually.sum(axis=2))
    assert plain.ufi(of.forest, of.table, of.y, of.bags, of.bags).sum(axis=2) == of.near(
        usually.sum(axis=2)
    )


REFERENCES = {"mdi_oob": plain.mdi_oob, "ufi": plain.ufi}


@pytest.mark.parametrize("kind", REFERENCES)
@pytest.mark.parametrize("name", CASES)
def test_by_rows_out_of_bag(name, kind):
    of = fitted(name)
    each = REFERENCES[kind](of.forest, of.table, of.y, of.bags, of.out)
    found = of.forest.importances(kind, of.table, of.y)
    assert found.replicates == of.near(each.sum(axis=2))
    assert found.values == of.near(each.sum(axis=2).mean(axis=0))
    parts = of.forest.importances(kind, of.table, of.y, by="class" if of.is_classes else "output")
    told = parts.by_class if of.is_classes else parts.by_output
    assert told == of.near(each.mean(axis=0))
    assert told.sum(axis=1) == of.near(found.values)
    assert parts.values == of.near(found.values)
    few = REFERENCES[kind](of.forest, of.table, of.y, of.bags, of.out, min_samples=9)
    counted = of.forest.importances(kind, of.table, of.y, min_samples=9)
    assert counted.replicates == of.near(few.sum(axis=2))
    together = of.forest.importances(kind, of.table, of.y, feature_groups={"two": [1, 3]})
    sums = found.replicates[:, 1] + found.replicates[:, 3]
    assert together.names[0] == "two"
    assert together.replicates[:, 0] == of.near(sums)
    assert together.total == pytest.approx(found.total, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["Gini", "two classes", "two numbers", "C4.5", "absolute error"])
def test_by_output(name):
    of = fitted(name)
    widths = [o.shape[1] for o in plain.outputs_of(of.forest, of.y)]
    ends = np.cumsum(widths)[:-1]
    for kind, reference in REFERENCES.items():
        each = reference(of.forest, of.table, of.y, of.bags, of.out).mean(axis=0)
        expected = np.column_stack([o.sum(axis=1) for o in np.split(each, ends, axis=1)])
        found = of.forest.importances(kind, of.table, of.y, by="output")
        assert found.by_output == of.near(expected)
        assert found.by_class is None


@pytest.mark.parametrize("name", CASES)
def test_decrease_in_parts(name):
    of = fitted(name)
    by = "class" if of.is_classes else "output"
    if not of.case.told_apart:
        with pytest.raises(ValueError, match="criterion="):
            of.forest.importances(by=by)
        return
    for min_samples in (0, 9):
        expected = plain.mdi_parts(
            of.forest, of.table, of.y, of.case.criterion, of.bags, min_samples
        ).mean(axis=0)
        found = of.forest.importances(by=by, min_samples=min_samples)
        told = found.by_class if of.is_classes else found.by_output
        assert told == of.near(expected)
        assert told.sum(axis=1) == of.near(found.values)
    shares = of.forest.importances(by=by, normalize=True)
    told = shares.by_class if of.is_classes else shares.by_output
    assert told.sum() == pytest.approx(1 if shares.total else 0)


@pytest.mark.parametrize("name", ["Gini", "variance", "multiway", "ternary", "categories"])
def test_only_nodes_of_so_many_samples(name):
    of = fitted(name)
    for k in (2, 9, 40, N):
        expected = plain.mdi(of.forest, min_samples=k)
        found = of.forest.importances(min_samples=k)
        assert found.replicates == of.near(expected)
        for by in ("degree", "context"):
            parts = of.forest.importances(by=by, min_samples=k, max_degree=5)
            assert parts.by_degree.sum(axis=1) == of.near(expected.mean(axis=0))
        contexts = parts.by_context()
        for j, variable in enumerate(parts.names):
            told = contexts["importance"][contexts["variable"] == variable].sum()
            assert told == pytest.approx(expected.mean(axis=0)[j], abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_rows_one_by_one(name):
    of = fitted(name)
    expected = plain.local(of.forest, of.table)
    found = of.forest.importances("local", of.table)
    assert found.local == of.near(expected)
    assert found.values == of.near(expected.mean(axis=0))
    if hasattr(of.table, "iloc"):
        some = of.forest.importances("local", of.table.iloc[5:9], feature_groups=[[0, 4]])
    else:
        some = of.forest.importances("local", of.table[5:9], feature_groups=[[0, 4]])
    assert some.local[:, 0] == of.near(expected[5:9, 0] + expected[5:9, 4])
    # In the bag, tree by tree, their mean is the decrease of impurity (Sutera et al. 2021).
    weighted = np.zeros(of.forest.n_features_in_)
    for m, bag in enumerate(of.bags):
        grown = plain.trees_of(of.forest)[m]
        leaves = of.forest.apply(of.table)[:, m]
        i = grown.tree.impurity
        for row in np.flatnonzero(bag):
            way = grown.way(leaves[row])
            for t, child in pairwise(way):
                for j, share in grown.variables(t):
                    weighted[j] += share * (i[t] - i[child]) * bag[row] / bag.sum()
    assert weighted / len(of.bags) == of.near(of.forest.importances().values)


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestRegressor(4, bootstrap=False, random_state=0),
        ExtraTreesRegressor(4, random_state=0),
        ForestRegressor("totally_randomized", missing="apart", n_estimators=4, random_state=0),
    ],
)
def test_rows_of_trees_that_saw_all(forest):
    forest = clone(forest).fit(HOLES, NUMBERS)
    found = forest.importances("local", HOLES)
    assert found.values == pytest.approx(forest.importances().values, rel=1e-9)
    # Rows that nobody has seen have importances too, and these add up to the fall on their way.
    new = np.random.default_rng(1).normal(3, 3, (20, 5))
    leaves = forest.apply(new)
    fall = [
        np.mean([
            tree.tree_.impurity[0] - tree.tree_.impurity[leaf]
            for tree, leaf in zip(forest.estimators_, row, strict=True)
        ])
        for row in leaves
    ]  # fmt: skip
    assert forest.importances("local", new).local.sum(axis=1) == pytest.approx(fall)


def surrogate_of(of, criterion):
    codes, is_category = plain.number_codes(of.table)
    leaves = of.forest.apply(of.table)
    return plain.surrogate(of.forest, codes, is_category, leaves, of.y, criterion, of.bags)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case().surrogate != ""])
def test_surrogates(name):
    of = fitted(name)
    expected, alike = surrogate_of(of, of.case.surrogate or of.case.criterion)
    found = of.forest.importances("surrogate", of.table, of.y)
    assert found.replicates == of.near(expected)
    pairs = found.redundancy()
    assert len(pairs) == ((alike > 0) & ~np.eye(5, dtype=bool)).sum()
    names = [str(name) for name in found.names]
    for row in pairs.itertuples():
        i, j = names.index(row.variable), names.index(row.mimicked_by)
        assert row.likeness == pytest.approx(alike[i, j], rel=1e-6)
    assert (pairs["likeness"].diff()[1:] <= 0).all()
    if of.case.surrogate is None and name not in ("combinations", "rotation"):
        # The node's own variable parts its rows as the node does.
        assert (found.replicates >= of.forest.importances().replicates - 1e-9).all()


@pytest.mark.parametrize("y", [CLASSES, NUMBERS, TWO_NUMBERS])
@pytest.mark.parametrize("chosen", [{}, {"missing": "apart"}, {"honest": True}])
def test_copies_and_constants(y, chosen):
    table = np.column_stack([HOLES, HOLES[:, 0], np.full(N, 3.0), np.full(N, np.nan)])
    kind = ForestClassifier if y is CLASSES else ForestRegressor
    forest = kind("random_forest", n_estimators=5, random_state=0, **chosen).fit(table, y)
    found = forest.importances("surrogate", table, y)
    assert found.values[5] == found.values[0]
    assert found.values[0] > found.values[2]
    assert (found.values[6:] == 0).all()
    best = {(r.variable, r.mimicked_by): r.likeness for r in found.redundancy().itertuples()}
    assert best["x0", "x5"] == pytest.approx(1)
    assert best["x5", "x0"] == pytest.approx(1)
    assert not any("x6" in pair or "x7" in pair for pair in best)
    # Between copies, the decrease of impurity is shared: here it is not.
    if not chosen:
        assert found.values[0] >= forest.importances().values[[0, 5]].sum() - 1e-9


def test_a_category_as_text_or_as_numbers():
    forest = RandomForestClassifier(4, random_state=0).fit(FRAME, CLASSES)
    found = forest.importances("surrogate", FRAME, CLASSES)
    same = FRAME.assign(species=pd.Categorical(FRAME["species"]), old=FRAME["old"].astype(float))
    again = RandomForestClassifier(4, random_state=0).fit(same, CLASSES)
    assert again.importances("surrogate", same, CLASSES).values == pytest.approx(found.values)


# ---- What comes with them


def bounds_of(found, frame):
    """An interval in the order of the names."""
    assert list(frame.columns) == ["variable", "importance", "lower", "upper"]
    labelled = frame.set_index("variable").loc[found.names.tolist()]
    assert labelled["importance"].to_numpy() == pytest.approx(found.values)
    return labelled[["lower", "upper"]].to_numpy()


@pytest.mark.parametrize("kind", ["mdi", "mdi_oob", "ufi", "surrogate", "mda_tree", "local"])
def test_spread_and_intervals(kind):
    forest = RandomForestClassifier(12, max_depth=4, random_state=0).fit(FRAME, CLASSES)
    rows = {"mdi": (), "local": (FRAME,)}.get(kind, (FRAME, CLASSES))
    named = {"random_state": 0} if kind == "mda_tree" else {}
    found = forest.importances(kind, *rows, **named)
    each = found.replicates
    assert len(each) == (N if kind == "local" else 12)
    assert found.kind == kind
    assert found.std == pytest.approx(each.std(axis=0))
    assert found.standard_errors == pytest.approx(each.std(axis=0, ddof=1) / np.sqrt(len(each)))
    frame = found.interval(0.9, random_state=0)
    assert frame.equals(found.interval(0.9, random_state=0))
    assert frame["importance"].is_monotonic_decreasing
    bounds = bounds_of(found, frame)
    assert ((bounds[:, 0] <= found.values) & (found.values <= bounds[:, 1])).all()
    wide = bounds_of(found, found.interval(0.99, random_state=0))
    assert (wide[:, 1] - wide[:, 0] >= bounds[:, 1] - bounds[:, 0]).all()
    width = 2 * 1.645 * found.std / np.sqrt(len(each))  # of means of as many
    assert bounds[:, 1] - bounds[:, 0] == pytest.approx(width, rel=0.25)
    assert list(found.to_frame().columns) == ["variable", "importance", "std", "standard_error"]
    assert str(found.names[found.values.argmax()]) in repr(found)


def test_columns_of_parts():
    forest = RandomForestClassifier(4, random_state=0).fit(X, TWO_CLASSES)
    for kind in ("mdi", "mdi_oob", "ufi"):
        frame = forest.importances(kind, X, TWO_CLASSES, by="class").to_frame()
        labels = ["class 0: a", "class 0: b", "class 0: c", "class 1: no", "class 1: yes"]
        assert list(frame.columns)[4:] == labels
        assert frame[labels].sum(axis=1).to_numpy() == pytest.approx(frame["importance"])
        frame = forest.importances(kind, X, TWO_CLASSES, by="output").to_frame()
        assert list(frame.columns)[4:] == ["output 0", "output 1"]
        assert frame[["output 0", "output 1"]].sum(axis=1).to_numpy() == pytest.approx(
            frame["importance"]
        )
