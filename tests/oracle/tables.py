"""Small random tables and rules; everything about a case follows from its seed."""

from dataclasses import asdict, replace

import numpy as np

from silvics import DecisionTreeClassifier, DecisionTreeRegressor

from .slow_tree import Rules, SlowTree

CLASSIFICATION = ["gini", "entropy", "misclassification"]
REGRESSION = ["squared_error", "absolute_error", "poisson", "friedman_mse"]
CRITERIA = CLASSIFICATION + REGRESSION

# Values on which arithmetic is delicate: neighbours, extremes, both zeros.
ODD_VALUES = [0.0, -0.0, 5e-324, 1.0, 1.0 + 2**-52, -1.0, 1e308, -1.7e308, 1.7e308, 2.0**-1022]


def draw_column(rng, n, earlier):
    kind = rng.choice(["few", "binary", "many", "constant", "copy", "mirror", "odd"])
    if kind == "few":
        return rng.integers(0, 4, n) / 2.0
    if kind == "binary":
        return rng.integers(0, 2, n).astype(float)
    if kind == "constant":
        return np.full(n, 2.5)
    if kind == "copy" and earlier:
        return earlier[rng.integers(len(earlier))].copy()
    if kind == "mirror" and earlier:
        return -earlier[rng.integers(len(earlier))]
    if kind == "odd":
        return rng.choice(ODD_VALUES, n)
    return rng.permutation(4 * n)[:n] / 8.0


def draw_levels(rng, n, earlier):
    """A category: which numbers its levels have means nothing, and some may not occur."""
    kind = rng.choice(["some", "some", "many", "different", "constant", "copy", "renamed"])
    if kind == "different":
        return rng.permutation(n).astype(float)
    if kind == "constant":
        return np.full(n, 3.0)
    if kind == "copy" and earlier:
        return earlier[rng.integers(len(earlier))].copy()
    if kind == "renamed" and earlier:
        column = earlier[rng.integers(len(earlier))]
        return np.append(rng.permutation(1 + int(np.nanmax(column, initial=0.0))), np.nan)[
            np.where(np.isnan(column), -1, column).astype(int)
        ]
    n_levels = rng.integers(10, 15) if kind == "many" else rng.integers(2, 10)
    return rng.integers(0, n_levels, n).astype(float)


def with_holes(rng, column, y, weights, earlier):
    """The column with missing values: here and there, or where something else is so."""
    n = len(column)
    kind = rng.choice(["none", "some", "some", "many", "all", "weightless", "telling", "same"])
    holes = np.zeros(n, dtype=bool)
    if kind == "some":
        holes = rng.random(n) < 0.25
    elif kind == "many":
        holes = rng.random(n) < 0.8
    elif kind == "all":
        holes[:] = True
    elif kind == "weightless" and weights is not None:
        holes = weights == 0.0
    elif kind == "telling":
        holes = y[:, 0] >= np.median(y[:, 0])
    elif kind == "same" and earlier:
        holes = np.isnan(earlier[rng.integers(len(earlier))])
    return np.where(holes, np.nan, column)


def draw_weights(rng, n, exact):
    """None, counts or dyadic fractions, with zeros among them; or any real numbers."""
    kind = rng.integers(4)
    if kind == 0:
        return None
    weights = rng.integers(0, 4, n).astype(float)
    if kind == 2:
        weights = rng.integers(0, 9, n) / 4.0
    elif kind == 3 and not exact:
        weights = rng.random(n)
    weights[rng.integers(n)] = 1.0
    return weights


def draw_outputs(rng, n, criterion, n_outputs, n_classes, exact):
    if criterion in CLASSIFICATION:
        return np.stack([rng.integers(0, n_classes, n) for _ in range(n_outputs)], axis=1)
    if not exact:
        y = rng.normal(size=(n, n_outputs))
        return np.abs(y) if criterion == "poisson" else y
    spread = int(rng.choice([2, 5, 200]))
    y = rng.integers(0, spread, (n, n_outputs)) / 4.0
    if criterion == "poisson":
        y[rng.integers(n)] += 1.0  # not all zero
        return y
    return y - spread // 8


class Case:
    """A table, its rules, and the slow tree on it.

    ``exact``: all numbers are small multiples of powers of two, so that sums have no rounding.
    ``holes``: values may be missing (NaN). ``levels``: the share of columns that are categories,
    at least one; X has the numbers of their levels.
    """

    def __init__(
        self,
        criterion,
        seed,
        n_outputs=None,
        n_classes=None,
        max_rows=60,
        exact=True,
        holes=False,
        levels=0.0,
    ):
        self.seed = seed
        self.rng = rng = np.random.default_rng([CRITERIA.index(criterion), seed])
        n = int(2 + rng.beta(1, 2.5) * (max_rows - 1))
        columns = []
        for _ in range(rng.integers(1, 8)):
            columns.append(draw_column(rng, n, columns))
        self.X = np.stack(columns, axis=1)
        q = n_outputs or int(rng.choice([1, 1, 2, 3]))
        self.y = draw_outputs(rng, n, criterion, q, n_classes or rng.integers(2, 6), exact)
        self.weights = draw_weights(rng, n, exact)
        self.tree_seed = int(rng.integers(2**32))
        self.rules = Rules(criterion)
        self.categories = set()
        if holes or levels:
            self.mix(holes, levels)

    def mix(self, holes, levels):
        rng, columns = self.rng, []
        last = int(rng.integers(self.p)) if levels else None
        for f, column in enumerate(self.X.T):
            known = [columns[c] for c in self.categories]
            if f == last or rng.random() < levels:
                column = draw_levels(rng, len(column), known)
                self.categories.add(f)
            elif known and rng.random() < 0.15:  # a category's twin, as numbers
                column = known[rng.integers(len(known))]
            if holes:
                column = with_holes(rng, column, self.y, self.weights, columns)
            columns.append(column)
        self.X = np.stack(columns, axis=1)

    def stop_somewhere(self):
        """Some of the stopping rules of 3.5."""
        rng, n = self.rng, len(self.X)
        limits = {
            "max_depth": lambda: int(rng.integers(1, 6)),
            "min_samples_split": lambda: int(rng.integers(2, 12)) if rng.random() < 0.8 else 0.2,
            "min_samples_leaf": lambda: int(rng.integers(1, 6)) if rng.random() < 0.8 else 0.1,
            "min_weight_fraction_leaf": lambda: float(rng.integers(0, 9) / 32),
            "min_impurity_decrease": lambda: float(rng.choice([2**-4, 2**-6, rng.random() / 16])),
            "max_leaf_nodes": lambda: int(rng.integers(2, max(3, n // 2 + 1))),
        }
        for name, draw in limits.items():
            if rng.random() < 0.3:
                self.use(**{name: draw()})
        return self

    def use(self, **rules):
        self.rules = replace(self.rules, **rules)
        return self

    @property
    def label(self):
        """What a failure is reported with: the seed, and the rules that are not defaults."""
        usual = asdict(Rules(""))
        chosen = [f"{k}={v!r}" for k, v in asdict(self.rules).items() if v != usual[k]]
        if self.categories:
            chosen.append(f"categorical_features={sorted(self.categories)}")
        return f"seed={self.seed}, {', '.join(chosen)}"

    @property
    def p(self):
        return self.X.shape[1]

    def slow_tree(self, weights=None, seed=None, general=False):
        """The oracle's tree; for a tree of a forest, with its own weights and seed.

        ``general``: as the general splitter grows it, which adds fractional weights as they are.
        """
        n_classes, y = None, self.y.T.tolist()
        if self.rules.criterion in CLASSIFICATION:
            coded = [np.unique(column, return_inverse=True) for column in self.y.T]
            n_classes = [len(levels) for levels, _ in coded]
            y = [numbers.tolist() for _, numbers in coded]
        if weights is None:
            weights = np.ones(len(self.X)) if self.weights is None else self.weights
        seed = self.tree_seed if seed is None else seed
        X, weights = self.numbered(self.X).tolist(), list(map(float, weights))
        return SlowTree(X, y, weights, self.rules, seed, n_classes, self.categories, general)

    def levels_seen(self, f):
        """In all rows, whatever their weight; a level's number is its place among them."""
        return sorted(set(self.X[~np.isnan(self.X[:, f]), f].tolist()))

    def numbered(self, X):
        """X with its levels numbered as the trees number them; -1 is a level not seen."""
        X = X.copy()
        for f in self.categories:
            places = {level: place for place, level in enumerate(self.levels_seen(f))}
            X[:, f] = [v if np.isnan(v) else places.get(v, -1) for v in X[:, f].tolist()]
        return X

    def new_rows(self, n=40):
        """Values of the columns mixed anew, others that no row has, and missing ones."""
        rng = self.rng
        X = np.stack([rng.choice(column, n) for column in self.X.T], axis=1)
        for f in range(self.p):
            strange = rng.integers(0, 20, n) if f in self.categories else rng.normal(size=n)
            X[:, f] = np.where(rng.random(n) < 0.2, strange, X[:, f])
        X[rng.random(X.shape) < 0.2] = np.nan
        return X

    def parameters(self):
        given = {k: v for k, v in asdict(self.rules).items() if v is not None}
        if self.categories:
            given["categorical_features"] = sorted(self.categories)
            given["min_category_frequency"] = 1  # every level counts
        return given | {"random_state": self.tree_seed}

    def model(self, **switches):
        kind = DecisionTreeRegressor
        if self.rules.criterion in CLASSIFICATION:
            kind = DecisionTreeClassifier
        return kind(**self.parameters() | switches)

    def fit(self, **switches):
        """The native tree, its ways of working forced by the switches."""
        # scikit-learn's test for finite X adds huge values up, and warns of it.
        with np.errstate(invalid="ignore"):
            return self.model(**switches).fit(self.X, self.outputs(), sample_weight=self.weights)

    def outputs(self):
        return self.y[:, 0] if self.y.shape[1] == 1 else self.y


def assert_same_tree(native, slow, label):
    """Equal node by node: structure, cuts and counts exactly, statistics to rounding."""
    expected = slow.arrays()
    for name in ["feature", "children_left", "children_right", "n_node_samples"]:
        assert getattr(native, name).tolist() == expected[name], f"{name} differs: {label}"
    np.testing.assert_array_equal(
        native.threshold, expected["threshold"], err_msg=f"threshold differs: {label}"
    )
    got = native.missing_go_to_left.tolist()
    assert got == expected["missing_go_to_left"], f"missing_go_to_left differs: {label}\n{got}"
    for t, levels in enumerate(expected["left_levels"]):
        if levels is not None:
            got = native.left_levels(t).tolist()
            assert got == levels, f"left_levels of {t} differ: {label}\n{got}\n{levels}"
    # Weights of inner nodes are added up from the leaves: the same where they are whole.
    for name, atol in [("weighted_n_node_samples", 0.0), ("impurity", 1e-12)]:
        np.testing.assert_allclose(
            getattr(native, name), expected[name], rtol=1e-12, atol=atol, err_msg=f"{name} {label}"
        )
    width = max(len(output) for output in expected["value"][0])
    padded = [[o + [0.0] * (width - len(o)) for o in value] for value in expected["value"]]
    np.testing.assert_allclose(native.value, padded, rtol=1e-12, atol=1e-12, err_msg=label)


def assert_same_leaves(case, model, slow, label):
    """New rows get to the same leaves, with missing values and levels not seen among theirs."""
    X = case.new_rows()
    numbered = case.numbered(X)
    expected = [slow.leaf_of(row) for row in numbered.tolist()]
    with np.errstate(invalid="ignore"):
        assert model.apply(X).tolist() == expected, f"leaves differ: {label}"
    # The tree itself knows levels by number only.
    assert model.tree_.apply(numbered).tolist() == expected, f"leaves differ: {label}, tree_"


def check_on_paths(case, *paths):
    """The native tree equals the slow one whatever its ways of working, and is walked alike."""
    slow = case.slow_tree()
    for switches in paths:
        if "growth" in switches and case.rules.max_leaf_nodes:
            continue  # then the order of growth is not a mere way of working
        model = case.fit(**switches)
        assert_same_tree(model.tree_, slow, f"{case.label}, {switches}")
    model = case.fit()
    assert_same_tree(model.tree_, slow, case.label)
    assert_same_leaves(case, model, slow, case.label)
