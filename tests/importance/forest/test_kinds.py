"""Every kind of importances of a grown forest, against loops over its trees, nodes and rows."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from . import plain_importances as plain

N = 90
rng = np.random.default_rng(0)
X = rng.integers(0, 7, (N, 5)).astype(float)
X[:, 4] = rng.normal(size=N)
HOLES = np.where(rng.random(X.shape) < 0.12, np.nan, X)
CLASSES = np.array(["a", "b", "c"])[rng.integers(0, 3, N)]
CLASSES[X[:, 0] > 3] = "b"
NUMBERS = X[:, 0] * X[:, 1] + rng.normal(size=N)
COUNTS = np.abs(NUMBERS).round()
WEIGHTS = rng.uniform(0.2, 3, N)
FRAME = pd.DataFrame(
    {
        "species": np.array(["ash", "elm", "fir", "oak", None], dtype=object)[
            rng.integers(0, 5, N)
        ],
        "height": HOLES[:, 1],
        "old": X[:, 2] > 3,
        "soil": pd.Categorical(np.array(["u", "v", "w", "x"])[rng.integers(0, 4, N)]),
        "noise": X[:, 4],
    }
)
TWO_NUMBERS = np.column_stack([NUMBERS, X[:, 3] + rng.normal(size=N)])
TWO_CLASSES = np.column_stack([CLASSES, np.where(X[:, 1] > 2, "yes", "no")])

SIX = rng.normal(size=(6, 3))
SIX_CLASSES = np.array([0, 1, 2, 0, 1, 0])
SIX_NUMBERS = rng.exponential(size=6)

classes, numbers = RandomForestClassifier, RandomForestRegressor


def recipe_of(y):
    return ForestClassifier if y is CLASSES else ForestRegressor


@dataclass
class Case:
    """A forest to fit, what on, and what its nodes are told of in."""

    forest: object
    table: object
    y: np.ndarray
    criterion: str
    weights: np.ndarray | None = None
    surrogate: str | None = None  # the impurity, if that is another; "" where rounding breaks ties
    told_apart: bool = True  # its impurity, by classes or outputs
    close: float = 1e-9


def any_recipe(y, name, **chosen):
    return recipe_of(y)(name, n_estimators=4, random_state=0, **chosen)


CASES = {
    "Gini": lambda: Case(classes(4, random_state=0), X, CLASSES, "gini"),
    "entropy": lambda: Case(
        classes(4, criterion="entropy", random_state=0), HOLES, CLASSES, "entropy"
    ),
    "log loss": lambda: Case(
        classes(4, criterion="log_loss", max_depth=3, random_state=0), HOLES, CLASSES, "entropy"
    ),
    "variance": lambda: Case(numbers(4, random_state=0), X, NUMBERS, "squared_error"),
    "variance, holes": lambda: Case(
        numbers(4, min_samples_leaf=3, random_state=0), HOLES, NUMBERS, "squared_error"
    ),
    "absolute error": lambda: Case(
        numbers(4, criterion="absolute_error", max_depth=4, random_state=0),
        HOLES, NUMBERS, "absolute_error", surrogate="squared_error", told_apart=False,
    ),
    "Poisson": lambda: Case(
        numbers(4, criterion="poisson", random_state=0),
        HOLES, COUNTS, "poisson", surrogate="squared_error", told_apart=False,
    ),
    "categories": lambda: Case(classes(4, random_state=0), FRAME, CLASSES, "gini"),
    "categories, numbers": lambda: Case(
        numbers(4, random_state=0), FRAME, NUMBERS, "squared_error"
    ),
    "sparse": lambda: Case(numbers(4, random_state=0), csr_matrix(X), NUMBERS, "squared_error"),
    "two numbers": lambda: Case(numbers(4, random_state=0), X, TWO_NUMBERS, "squared_error"),
    "two classes": lambda: Case(classes(4, random_state=0), X, TWO_CLASSES, "gini"),
    "drawn by weight": lambda: Case(
        classes(4, random_state=0), X, CLASSES, "gini", weights=WEIGHTS
    ),
    "drawn by weight, numbers": lambda: Case(
        numbers(4, random_state=0), X, NUMBERS, "squared_error", weights=WEIGHTS
    ),
    "class weights": lambda: Case(
        classes(4, class_weight={"a": 1, "b": 3, "c": 2}, random_state=0), X, CLASSES, "gini"
    ),
    "balanced": lambda: Case(
        classes(4, class_weight="balanced", random_state=0), X, CLASSES, "gini"
    ),
    "balanced in each tree": lambda: Case(
        classes(4, class_weight="balanced_subsample", random_state=0),
        X, CLASSES, "gini", weights=WEIGHTS, surrogate="",
    ),
    "few rows": lambda: Case(classes(4, max_samples=0.4, random_state=0), X, CLASSES, "gini"),
    "one tree": lambda: Case(classes(1, random_state=0), X, CLASSES, "gini"),
    "extra": lambda: Case(
        ExtraTreesRegressor(4, bootstrap=True, random_state=0), HOLES, NUMBERS, "squared_error"
    ),
    "trees of one node": lambda: Case(
        classes(3, min_samples_leaf=45, random_state=0), X, CLASSES, "gini"
    ),
    "subsample": lambda: Case(
        any_recipe(CLASSES, "random_forest", rows="subsample", max_samples=0.6), X, CLASSES, "gini"
    ),
    "subsample, weights": lambda: Case(
        any_recipe(CLASSES, "random_forest", rows="subsample", max_samples=0.6),
        X, CLASSES, "gini", weights=WEIGHTS,
    ),
    "multiway": lambda: Case(
        any_recipe(CLASSES, "totally_randomized_multiway", rows="bootstrap"),
        X.round(), CLASSES, "entropy",
    ),
    "multiway, numbers": lambda: Case(
        any_recipe(NUMBERS, "totally_randomized_multiway", rows="bootstrap"),
        X.round(), NUMBERS, "squared_error",
    ),
    "ternary": lambda: Case(
        any_recipe(CLASSES, "random_forest", missing="apart"), HOLES, CLASSES, "gini"
    ),
    "ternary, numbers": lambda: Case(
        any_recipe(NUMBERS, "random_forest", missing="apart"), HOLES, NUMBERS, "squared_error"
    ),
    "C4.5": lambda: Case(
        any_recipe(CLASSES, "c4.5", rows="bootstrap"),
        FRAME, CLASSES, "gain_ratio", surrogate="gini", told_apart=False,
    ),
    "pruned": lambda: Case(
        any_recipe(CLASSES, "random_forest", pruning="reduced_error"), X, CLASSES, "gini"
    ),
    "combinations": lambda: Case(
        any_recipe(CLASSES, "forest_rc", max_depth=1), X, CLASSES, "gini", close=1e-6
    ),
    "rotation": lambda: Case(
        any_recipe(NUMBERS, "rotation_forest", max_depth=1),
        X, NUMBERS, "squared_error", close=1e-6,
    ),
}  # fmt: skip


class Fitted:
    """A case once fitted, with the weights of rows in each tree."""

    def __init__(self, case):
        self.case = case
        self.forest = case.forest.fit(case.table, case.y, case.weights)
        self.table, self.y = case.table, case.y
        # The weights that rows are drawn by, or have: those of the user, times those of classes.
        weights = self.forest._grown.sampling.weights
        by_weight = getattr(self.forest, "rows", None) != "subsample"  # all others: bootstrap
        balanced = getattr(self.forest, "class_weight", None) == "balanced_subsample"
        self.bags = plain.in_bag(
            self.forest, self.y, None if by_weight else weights, balanced_subsample=balanced
        )
        ones = np.ones(N) if weights is None else weights
        self.out = [(count == 0) * ones for count in plain.drawn_counts(self.forest)]
        self.is_classes = hasattr(self.forest, "classes_")

    def near(self, expected):
        expected = np.asarray(expected)
        scale = max(1.0, np.abs(expected).max())
        return pytest.approx(expected, rel=self.case.close, abs=self.case.close * scale)


@cache
def fitted(name):
    return Fitted(CASES[name]())


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


# ---- What noise would get

BLIND = {
    "Gini": (ExtraTreesClassifier(3, max_features=1, random_state=0), SIX_CLASSES, "gini"),
    "entropy": (
        ExtraTreesClassifier(3, max_features=1, criterion="entropy", random_state=0),
        SIX_CLASSES,
        "entropy",
    ),
    "variance": (
        ExtraTreesRegressor(3, max_features=1, random_state=0),
        SIX_NUMBERS,
        "squared_error",
    ),
    "Gini, counts": (
        ExtraTreesClassifier(3, max_features=1, bootstrap=True, random_state=0),
        SIX_CLASSES,
        "gini",
    ),
    "variance, counts, two outputs": (
        ExtraTreesRegressor(3, max_features=1, bootstrap=True, random_state=1),
        np.column_stack([SIX_NUMBERS, SIX_NUMBERS[::-1] ** 2]),
        "squared_error",
    ),
    "multiway": (
        ForestClassifier("totally_randomized_multiway", n_estimators=3, random_state=0),
        SIX_CLASSES,
        "entropy",
    ),
    "multiway, Gini, two outputs": (
        ForestClassifier(
            "totally_randomized_multiway",
            criterion="gini",
            rows="bootstrap",
            n_estimators=3,
            random_state=0,
        ),
        np.column_stack([SIX_CLASSES, SIX_CLASSES % 2]),
        "gini",
    ),
    "subsample": (
        ForestRegressor(
            "totally_randomized", rows="subsample", max_samples=5, n_estimators=3, random_state=0
        ),
        SIX_NUMBERS,
        "squared_error",
    ),
    "gaps": (
        ForestRegressor("random_gap", n_estimators=3, random_state=0),
        SIX_NUMBERS,
        "squared_error",
    ),
}


@pytest.mark.parametrize("name", BLIND)
def test_noise_by_all_permutations(name):
    forest, y, criterion = BLIND[name]
    table = SIX.round() if "multiway" in name else SIX
    forest = clone(forest).fit(table, y)

    def fall(outputs, weight, parts):
        return plain.expected_fall(criterion, outputs, weight, parts)

    expected = plain.null(forest, table, y, plain.in_bag(forest, y), fall).mean(axis=0)
    found = forest.importances("mdi", table, y, null="exact")
    assert expected.max() > 0.01
    assert found.null == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found.corrected == pytest.approx(found.values - expected)
    inside = found.values > 0
    assert found.null_share[inside] == pytest.approx(expected[inside] / found.values[inside])
    shares = forest.importances("mdi", table, y, null="exact", normalize=True)
    assert shares.null == pytest.approx(expected / found.total, abs=1e-12)
    assert "permutations of Y" in repr(found)
    assert forest.importances("mdi", table, y, null="auto").null == pytest.approx(expected)
    together = forest.importances("mdi", table, y, null="exact", feature_groups=[[0, 2]])
    assert together.null[0] == pytest.approx(expected[[0, 2]].sum())


def test_noise_of_weighted_rows_by_all_permutations():
    weights = np.array([0.1, 2.0, 1.0, 0.7, 3.0, 1.5])
    forest = ExtraTreesRegressor(3, max_features=1, random_state=0)
    forest = forest.fit(SIX, SIX_NUMBERS, weights)

    def fall(outputs, weight, parts):
        return plain.expected_fall("squared_error", outputs, weight, parts)

    bags = plain.in_bag(forest, SIX_NUMBERS, weights)
    expected = plain.null(forest, SIX, SIX_NUMBERS, bags, fall).mean(axis=0)
    found = forest.importances("mdi", SIX, SIX_NUMBERS, null="exact")
    assert found.null == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_noise_by_formula(criterion):
    y = NUMBERS if criterion == "squared_error" else CLASSES
    kind = ExtraTreesRegressor if criterion == "squared_error" else ExtraTreesClassifier
    forest = kind(4, criterion=criterion, max_features=1, random_state=0).fit(X, y)

    def fall(outputs, weight, parts):
        parts = [part for part in parts if len(part)]
        if criterion == "entropy":
            labels = outputs[0].argmax(axis=1)
            return plain.expected_entropy_fall(labels, [len(part) for part in parts])
        whole = plain.impurity(criterion, outputs, weight)
        return whole * (len(parts) - 1) / (len(weight) - 1)

    for min_samples in (0, 20):
        expected = np.zeros(5)
        bags = plain.in_bag(forest, y)

        def large(outputs, weight, parts, least=min_samples):
            return fall(outputs, weight, parts) if len(weight) >= least else 0.0

        expected = plain.null(forest, X, y, bags, large).mean(axis=0)
        found = forest.importances("mdi", X, y, null="exact", min_samples=min_samples)
        assert found.null == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("bootstrap", [False, True])
def test_noise_gets_what_is_told(bootstrap):
    left, plainly = [], []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        table = np.column_stack(
            [draw.normal(size=60), draw.integers(0, 2, 60), draw.integers(0, 4, 60)]
        )
        y = draw.integers(0, 2, 60)
        forest = ExtraTreesClassifier(
            10, max_features=1, bootstrap=bootstrap, random_state=seed
        ).fit(table, y)
        found = forest.importances("mdi", table, y, null="exact")
        left.append(found.corrected)
        plainly.append(found.values)
    for each, far in ((np.array(left), False), (np.array(plainly), True)):
        errors = each.std(axis=0, ddof=1) / np.sqrt(60)
        assert ((np.abs(each.mean(axis=0)) > 4 * errors) == far).all()


@pytest.mark.parametrize("name", ["Gini", "categories", "two numbers", "ternary", "combinations",
                                  "entropy", "absolute error", "drawn by weight"])  # fmt: skip
@pytest.mark.parametrize("groups", [None, [[0, 2]]])
def test_noise_by_rows_held_out(name, groups):
    of = fitted(name)
    found = of.forest.importances("mdi", of.table, of.y, null="held_out", feature_groups=groups)
    again = of.forest.importances("ufi", of.table, of.y, feature_groups=groups).values
    if of.case.criterion in ("gini", "squared_error"):
        assert found.corrected == of.near(again)
    else:  # the same share as of the usual impurity
        usual = "gini" if of.is_classes else "squared_error"
        each = plain.mdi_parts(of.forest, of.table, of.y, usual, of.bags).sum(axis=2).mean(axis=0)
        if groups is not None:
            each = np.array([each[0] + each[2], each[1], each[3], each[4]])
        assert found.corrected / found.values == pytest.approx(again / each)
    frame = found.to_frame()
    assert list(frame.columns) == [
        "variable", "importance", "std", "standard_error", "null", "corrected", "null_share"
    ]  # fmt: skip
    order = np.argsort(-found.values, kind="stable")
    assert frame["variable"].tolist() == [str(found.names[j]) for j in order]
    assert frame["corrected"].to_numpy() == pytest.approx(found.corrected[order])
    auto = of.forest.importances("mdi", of.table, of.y, null="auto", feature_groups=groups)
    assert (auto.null == found.null).all()


def test_noise_by_forests_on_permuted_outputs():
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, CLASSES)
    found = forest.importances("mdi", X, CLASSES, null="permuted", random_state=1)
    again = forest.importances("mdi", X, CLASSES, null="permuted", random_state=1)
    other = forest.importances("mdi", X, CLASSES, null="permuted", random_state=2)
    assert (found.null == again.null).all()
    assert (found.null != other.null).all()
    assert found.null[0] < found.values[0] / 2  # it tells the classes
    assert found.null[4] == pytest.approx(found.values[4], rel=0.8)  # it does not
    apart = forest.importances("mdi", X, CLASSES, null="permuted", random_state=1, min_samples=20)
    assert (apart.null < found.null).all()
    named = {"random_state": 1, "feature_groups": [[0, 1]]}
    pair = forest.importances("mdi", X, CLASSES, null="permuted", **named)
    assert pair.null[0] == pytest.approx(found.null[:2].sum())
    all_rows = ExtraTreesRegressor(5, random_state=0).fit(X, NUMBERS)
    auto = all_rows.importances("mdi", X, NUMBERS, null="auto", random_state=1)
    assert "permuted Y" in repr(auto)
    same = all_rows.importances("mdi", X, NUMBERS, null="permuted", random_state=1)
    assert (auto.null == same.null).all()


def test_noise_in_words():
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "height": draw.permutation(479).astype(float),
            "flag": draw.integers(0, 2, 479),
            "tells": draw.integers(0, 9, 479),
        }
    )
    y = (frame["tells"] > 4).to_numpy().astype(int)
    y = np.where(draw.random(479) < 0.2, 1 - y, y)
    forest = RandomForestClassifier(5, random_state=0).fit(frame, y)
    found = forest.importances("mdi", frame, y, null="held_out")
    share = min(found.null_share[0], 1.0)
    words = repr(found)
    line = f"height has 479 distinct values; {share:.0%} of its importance is what noise would get"
    assert line in words
    assert "tells has" not in words
    holes = frame.assign(height=frame["height"].where(frame["height"] > 9))
    again = RandomForestClassifier(5, random_state=0).fit(holes, y)
    told = repr(again.importances("mdi", holes, y, null="held_out"))
    assert "height has 470 distinct values" in told  # 469 and missing
    sparse = csr_matrix(frame.to_numpy())
    again = RandomForestClassifier(5, random_state=0).fit(sparse, y)
    assert "x0 has 479 distinct values" in repr(again.importances("mdi", sparse, y, null="auto"))


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
