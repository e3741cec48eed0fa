"""Small tables for recipes, and the comparison of their trees with the oracle's node by node.

Outputs are eighths and weights whole: sums are exact, so that a split and its mirror image are
equal in every arithmetic; and numbers are continuous, so that few different splits are.
"""

from dataclasses import fields

import numpy as np

from silvics import ForestClassifier, ForestRegressor

from .slow_random import (
    ROWS,
    Stream,
    bootstrap_rows,
    derive,
    root_key,
    rows_by_floyd,
    tree_seed,
)
from .slow_recipes import RecipeRules, SlowRecipeTree

COLUMNS, ROLES = 4, 5  # parts of a tree's key
CLASSES = ("gini", "entropy", "misclassification", "gain_ratio")


class Table:
    """Columns ``numbers`` continuous, ``few`` of a few numbers, ``categories`` of a few levels."""

    def __init__(
        self,
        seed,
        criterion,
        numbers=3,
        few=0,
        categories=0,
        holes=0.0,
        weights=False,
        n_rows=None,
        n_classes=3,
    ):
        rng = self.rng = np.random.default_rng([seed, numbers, few, categories])
        n = n_rows or int(rng.integers(12, 46))
        self.seed, self.criterion, self.n = seed, criterion, n
        X = [rng.normal(size=n) for _ in range(numbers)]
        X += [rng.integers(0, rng.integers(3, 7), n) / 2.0 for _ in range(few)]
        X += [self.levels(n) for _ in range(categories)]
        self.X = np.stack(X, axis=1)
        self.categories = set(range(numbers + few, numbers + few + categories))
        signal = np.nan_to_num(self.X[:, 0]) + rng.normal(size=n)
        if criterion in CLASSES:
            edges = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
            self.y = np.searchsorted(edges, signal)
        else:
            self.y = np.round(1000 * signal) / 8
        if holes:
            self.X[rng.random(self.X.shape) < holes] = np.nan
            for f in self.categories:  # levels are numbered by those that are left
                known = ~np.isnan(self.X[:, f])
                self.X[known, f] = np.unique(self.X[known, f], return_inverse=True)[1]
        self.weights = rng.integers(1, 60, n).astype(float) if weights else None
        self.random_state = int(rng.integers(2**31))

    def levels(self, n):
        drawn = self.rng.integers(0, self.rng.integers(2, 6), n)
        return np.unique(drawn, return_inverse=True)[1].astype(float)

    @property
    def p(self):
        return self.X.shape[1]

    def fit(self, recipe="cart", n_estimators=1, **rules):
        kind = ForestClassifier if self.criterion in CLASSES else ForestRegressor
        model = kind(
            recipe,
            n_estimators,
            criterion=rules.pop("function", self.criterion),
            random_state=self.random_state,
            categorical_features=sorted(self.categories),
            min_category_frequency=1,
            **{k: v for k, v in rules.items() if v is not None},
        )
        return model.fit(self.X, self.y, sample_weight=self.weights)

    def slow(self, seed, rules, weights=None, **about):
        """The oracle's tree of this seed; with the weights of a tree's own rows."""
        y, n_classes = self.y.tolist(), None
        if self.criterion in CLASSES:
            levels, coded = np.unique(self.y, return_inverse=True)
            y, n_classes = coded.tolist(), [len(levels)]
        if weights is None:
            weights = np.ones(self.n) if self.weights is None else self.weights
        known = {f.name for f in fields(RecipeRules)}
        rules = RecipeRules(self.criterion, **{k: v for k, v in rules.items() if k in known})
        return SlowRecipeTree(
            self.X.tolist(),
            [y],
            list(map(float, weights)),
            rules,
            seed,
            n_classes,
            self.categories,
            **about,
        )

    def rows_and_columns(self, seed, rules):
        """Weights, columns and roles of rows of the tree of this seed."""
        about, key, n = {}, root_key(seed), self.n
        weights = [1.0] * n if self.weights is None else self.weights.tolist()
        n_drawn = rules.get("max_samples") or n
        if rules.get("rows") == "bootstrap":
            drawn = bootstrap_rows(seed, n_drawn, n, self.weights)
            weights = [float(drawn.count(i)) for i in range(n)]
        elif rules.get("rows") == "subsample":
            drawn = rows_by_floyd(derive(key, ROWS), range(n), n_drawn)
            weights = [w if i in drawn else 0.0 for i, w in enumerate(weights)]
        if rules.get("columns") == "subspace":
            stream, order = Stream(derive(key, COLUMNS)), list(range(self.p))
            for i in range(rules["max_columns"]):
                j = i + stream.below(self.p - i)
                order[i], order[j] = order[j], order[i]
            about["columns"] = sorted(order[: rules["max_columns"]])
        if rules.get("honest"):
            share = 0.5 if rules["honest"] is True else rules["honest"]
            rows = [i for i, w in enumerate(weights) if w > 0.0]
            wanted = min(max(int(share * len(rows) + 0.5), 1), len(rows) - 1)
            find = rows_by_floyd(derive(key, ROLES), rows, wanted)
            about["fills"] = set(rows) - set(find)
        return about | {"weights": weights}

    def new_rows(self, n=30, holes=0.2):
        rng = self.rng
        X = np.stack([rng.choice(column, n) for column in self.X.T], axis=1)
        for f in range(self.p):
            strange = rng.integers(0, 9, n) if f in self.categories else rng.normal(size=n)
            X[:, f] = np.where(rng.random(n) < 0.2, strange, X[:, f])
        X[rng.random(X.shape) < holes] = np.nan
        return X

    def rows_as_lists(self, X):
        """Levels that the table has not are missing values."""
        for row in X.tolist():
            yield [
                None
                if np.isnan(v) or (f in self.categories and v > np.nanmax(self.X[:, f]))
                else int(v)
                if f in self.categories
                else v
                for f, v in enumerate(row)
            ]


def assert_same_split(native, t, test, n_levels, label):
    """Threshold, levels and ways of missing values of one node."""
    record, feature = native.record(t), int(native.feature()[t])
    assert feature == test.feature, f"feature of {t} differs: {label}"
    if record is not None:
        expected = test.record()
        cuts, wanted = record.pop("cuts"), expected.pop("cuts")
        if record["test"] == "subset":  # its levels show in the children's samples
            cuts = []
        np.testing.assert_allclose(cuts, wanted, rtol=1e-12, err_msg=f"cuts of {t}: {label}")
        terms, wanted = record.pop("terms"), expected.pop("terms")
        assert [f for f, _ in terms] == [f for f, _ in wanted], f"terms of {t}: {label}"
        np.testing.assert_allclose([c for _, c in terms], [c for _, c in wanted], rtol=1e-12)
        other = record.pop("other_child")  # where levels go that the node has not seen
        assert record == expected, f"record of {t} differs: {label}"
        if record["test"] == "levels":
            assert other == test.largest, f"other_child of {t} differs: {label}"
        return
    missing = (0 if native.missing_go_to_left()[t] else 1,)
    assert len(test.missing) == 2 or missing == test.missing, f"missing at {t}: {label}"
    if test.levels is None:
        np.testing.assert_allclose(
            native.threshold()[t], test.threshold, rtol=1e-13, err_msg=f"threshold of {t}: {label}"
        )
    else:
        got = set(native.left_levels(t, n_levels[feature]).tolist())
        assert got == set(test.levels), f"levels at {t}: {got} {label}"


def assert_same_recipe_tree(native, slow, label):
    """Equal node by node: structure, cuts and counts exactly, statistics to rounding."""
    place = {id(node): t for t, node in enumerate(slow.nodes)}
    samples = native.n_node_samples()
    for t, node in enumerate(slow.nodes):
        assert t < native.node_count, f"fewer nodes: {label}"
        children = [place[id(child)] for child in node.children]
        assert len(native.children(t)) == len(children), f"children of {t} differ: {label}"
        if node.children:
            assert_same_split(native, t, node.test, slow.n_levels, label)
        assert native.children(t).tolist() == children, f"children of {t} differ: {label}"
        assert samples[t] == len(node.fill), f"samples of {t} differ: {label}"
    assert native.node_count == len(slow.nodes), f"more nodes: {label}"
    nodes = slow.nodes
    for got, expected in [
        (native.weighted_n_node_samples(), [slow.weight_of_rows(node.fill) for node in nodes]),
        (native.impurity(), [slow.impurity(node.fill) for node in nodes]),
        (native.values(), [slow.value(node)[0] for node in nodes]),
    ]:
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11, err_msg=label)
    expected = importances(slow)
    # Shares of a combination are kept in 32 bits.
    rounding = 1e-6 if any(n.test and n.test.terms for n in slow.nodes) else 1e-10
    atol = rounding * (1.0 + max(map(abs, expected)))
    np.testing.assert_allclose(
        native.impurity_decrease(False), expected, rtol=0.0, atol=atol, err_msg=label
    )


def importances(slow):
    """Equation 6.2; a combination's decrease is shared out by its coefficients times ranges."""
    total, root = [0.0] * len(slow.columns), slow.weight_of_rows(slow.root.fill)
    for node in slow.nodes:
        if node.children:
            decrease = slow.weight_of_rows(node.fill) * slow.impurity(node.fill)
            for child in node.children:
                decrease -= slow.weight_of_rows(child.fill) * slow.impurity(child.fill)
            terms = node.test.terms or [(node.test.feature, 1.0)]
            if node.test.terms:
                terms = [(f, abs(c) * (slow.ranges[f][1] - slow.ranges[f][0])) for f, c in terms]
            for f, c in terms:
                total[f] += decrease / root * c / sum(c for _, c in terms)
    return total


def assert_same_predictions(table, model, slow, label):
    """On new rows, with holes and strange levels; the mean of the trees' values."""
    X = table.new_rows()
    expected = np.mean(
        [[tree.predict(row)[0] for row in table.rows_as_lists(X)] for tree in slow], axis=0
    )
    got = model.predict_proba(X) if table.criterion in CLASSES else model.predict(X)[:, None]
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10, err_msg=label)


class Tally:
    """Counts the tables that were compared; those that a near tie decided are left out."""

    def __init__(self):
        self.compared = self.left_out = 0

    def check(self, table, recipe="cart", n_estimators=1, **rules):
        """Fits a forest, and compares every tree of it with the oracle's."""
        model = table.fit(recipe, n_estimators, **rules)
        label = f"seed={table.seed}, {table.criterion}, {rules}"
        trees = []
        for tree, native in enumerate(model._trees):
            seed = tree_seed(table.random_state, tree)
            slow = table.slow(seed, rules, **table.rows_and_columns(seed, rules))
            try:
                assert_same_recipe_tree(native, slow, label)
            except AssertionError:
                if not slow.close_call:
                    raise
                self.left_out += 1
                return model, None
            self.compared += 1
            trees.append(slow)
        assert_same_predictions(table, model, trees, label)
        return model, trees

    def enough(self, n):
        assert self.compared >= n
        assert self.left_out <= self.compared / 5, (self.left_out, self.compared)
