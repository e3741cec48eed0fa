"""Importances of grown forests from the definitions alone: loops over trees, nodes and rows.

Nothing is shared with the library but what a user sees: ``estimators_``, their ``tree_``,
``estimators_samples_`` and ``apply``. Every function returns an array (trees, variables) or, in
parts, (trees, variables, parts).
"""

from collections import Counter
from itertools import pairwise, permutations
from math import comb, log2

import numpy as np

# ---- A forest as lists


class Grown:
    """One tree: parents, children, and the variables that share a split."""

    def __init__(self, estimator, shares=None):
        self.tree = estimator.tree_
        self.n = self.tree.node_count
        self.children = [[int(c) for c in self.tree.children(t)] for t in range(self.n)]
        self.parent = [-1] * self.n
        for t, below in enumerate(self.children):
            for c in below:
                self.parent[c] = t
        self.inner = [t for t in range(self.n) if self.children[t]]
        self.shares = shares

    def variables(self, t):
        """[(variable, its share in the split)]."""
        if self.shares is not None:  # of the only split there is
            assert self.inner == [t]
            return list(enumerate(self.shares))
        feature = int(self.tree.feature[t])
        assert feature >= 0, "a combination's shares are not told of by tree_"
        return [(feature, 1.0)]

    def way(self, leaf):
        """Nodes from the root to a leaf."""
        nodes = [int(leaf)]
        while self.parent[nodes[-1]] >= 0:
            nodes.append(self.parent[nodes[-1]])
        return nodes[::-1]

    def rows(self, leaves):
        """Of each node, the rows that come by."""
        at = [[] for _ in range(self.n)]
        for i, leaf in enumerate(leaves):
            for t in self.way(leaf):
                at[t].append(i)
        return [np.array(rows, dtype=int) for rows in at]


def trees_of(forest):
    """The trees; of those that test combinations, stumps only, whose shares mdi tells."""
    found = []
    for estimator in forest.estimators_:
        tree = estimator.tree_
        shares = None
        if (tree.feature == -3).any():
            decrease = tree.compute_feature_importances(False)
            shares = decrease / decrease.sum()
        found.append(Grown(estimator, shares))
    return found


def outputs_of(forest, y):
    """Matrices, one per output: classes as ones and zeros, numbers as a column."""
    y = np.asarray(y)
    y = y.reshape(len(y), -1)
    if not hasattr(forest, "classes_"):
        return [y[:, [k]].astype(float) for k in range(y.shape[1])]
    classes = [forest.classes_] if y.shape[1] == 1 else forest.classes_
    return [
        np.array([[float(label == level) for level in classes[k]] for label in y[:, k]])
        for k in range(y.shape[1])
    ]


def drawn_counts(forest):
    """How often each tree drew each row."""
    found = []
    for rows in forest.estimators_samples_:
        count = Counter(int(i) for i in rows)
        found.append(
            np.array([count[i] for i in range(forest._grown.sampling.n_samples)], dtype=float)
        )
    return found


def in_bag(forest, y, weights=None, balanced_subsample=False):
    """Weight of each row in each tree; weights of rows that are not drawn by them multiply."""
    found = []
    for count in drawn_counts(forest):
        weight = count.copy() if weights is None else count * weights
        if balanced_subsample:
            for output in outputs_of(forest, y):
                drawn = (output.T * count).sum(axis=1)
                present = (drawn > 0).sum()
                for i in np.flatnonzero(count):
                    of_class = drawn[output[i].argmax()]
                    weight[i] *= count.sum() / (present * of_class)
        found.append(weight)
    return found


def mean(values, weight):
    """Along the rows."""
    return (values.T * weight).sum(axis=-1) / weight.sum()


# ---- Impurities


def median(values, weight):
    """Half of the weight on either side."""
    order = np.argsort(values)
    values, weight = values[order], weight[order]
    running, half = np.cumsum(weight), weight.sum() / 2
    low = values[np.flatnonzero(running >= half)[0]]
    high = values[np.flatnonzero(running > half)[0]]
    return (low + high) / 2


def impurity_parts(criterion, output, weight):
    """Of one output: of each class, or of the numbers."""
    m = mean(output, weight)
    if criterion == "gini":
        return m * (1 - m)
    if criterion in ("entropy", "log_loss", "gain_ratio"):
        return np.array([-p * log2(p) if p > 0 else 0.0 for p in m])
    y = output[:, 0]
    if criterion in ("squared_error", "friedman_mse"):
        return np.array([mean((y - m[0]) ** 2, weight)])
    if criterion == "absolute_error":
        return np.array([mean(np.abs(y - median(y, weight)), weight)])
    assert criterion == "poisson"
    return np.array([sum(w * v * np.log(v / m[0]) for v, w in zip(y, weight, strict=True) if v > 0)
                     / weight.sum()])  # fmt: skip


def impurity(criterion, outputs, weight):
    """Mean over the outputs; of rows of positive weight."""
    some = weight > 0
    return float(np.mean([impurity_parts(criterion, o[some], weight[some]).sum() for o in outputs]))


def decrease(criterion, outputs, weight, children):
    """What parting some rows into `children` (lists of places) lowers the impurity by."""
    left = impurity(criterion, outputs, weight)
    for c in children:
        if weight[c].sum() > 0:
            share = weight[c].sum() / weight.sum()
            left -= share * impurity(criterion, [o[c] for o in outputs], weight[c])
    return left


# ---- Kinds


def mdi(forest, min_samples=0):
    """From the nodes' own arrays."""
    found = np.zeros((len(forest.estimators_), forest.n_features_in_))
    for m, grown in enumerate(trees_of(forest)):
        tree = grown.tree
        weight = tree.weighted_n_node_samples
        for t in grown.inner:
            if tree.n_node_samples[t] < min_samples:
                continue
            fall = weight[t] * tree.impurity[t]
            fall -= sum(weight[c] * tree.impurity[c] for c in grown.children[t])
            for j, share in grown.variables(t):
                found[m, j] += share * fall / weight[0]
    return found


def mdi_parts(forest, X, y, criterion, bags, min_samples=0):
    """Of each class of each output, or of each output: parts of the mean over the outputs."""
    outputs = outputs_of(forest, y)
    leaves = forest.apply(X)
    found = np.zeros((len(bags), forest.n_features_in_, sum(o.shape[1] for o in outputs)))
    for m, grown in enumerate(trees_of(forest)):
        at = grown.rows(leaves[:, m])

        def mass(t, at=at, bag=bags[m]):
            rows = at[t][bag[at[t]] > 0]
            if not len(rows):  # a child for missing values may have none
                return 0.0
            parts = [impurity_parts(criterion, o[rows], bag[rows]) for o in outputs]
            return bag[rows].sum() / bag.sum() * np.concatenate(parts) / len(outputs)

        for t in grown.inner:
            if grown.tree.n_node_samples[t] < min_samples:
                continue
            fall = mass(t) - sum(mass(c) for c in grown.children[t])
            for j, share in grown.variables(t):
                found[m, j] += share * fall
    return found


def mdi_oob(forest, X, y, bags, test, min_samples=0):
    """Li et al. 2019; `test` is the weight of each row, in each tree, that confirms.

    Parts: of each class of each output, or of each output. Trees without such rows are unknown.
    """
    outputs = outputs_of(forest, y)
    classes = hasattr(forest, "classes_")
    leaves = forest.apply(X)
    whole = np.concatenate(outputs, axis=1)
    found = np.zeros((len(bags), forest.n_features_in_, whole.shape[1]))
    for m, grown in enumerate(trees_of(forest)):
        if test[m].sum() == 0:
            continue
        at = grown.rows(leaves[:, m])

        def of(t, m=m, at=at):
            rows = at[t][bags[m][at[t]] > 0]
            return mean(whole[rows], bags[m][rows])

        base = np.zeros(whole.shape[1]) if classes else of(0)
        for t in grown.inner:
            if grown.tree.n_node_samples[t] < min_samples:
                continue
            for c in grown.children[t]:
                if not (bags[m][at[c]] > 0).any():  # tells nothing
                    continue
                for i in at[c]:
                    if test[m][i] == 0:
                        continue
                    part = (of(c) - of(t)) * (whole[i] - base) * test[m][i] / test[m].sum()
                    for j, share in grown.variables(t):
                        found[m, j] += share * part / len(outputs)
    return found


def ufi(forest, X, y, bags, test, min_samples=0):
    """Zhou and Hooker 2021, children without rows that confirm left out."""
    outputs = outputs_of(forest, y)
    classes = hasattr(forest, "classes_")
    leaves = forest.apply(X)
    whole = np.concatenate(outputs, axis=1)
    found = np.zeros((len(bags), forest.n_features_in_, whole.shape[1]))
    for m, grown in enumerate(trees_of(forest)):
        bag = bags[m]
        at = grown.rows(leaves[:, m])
        for t in grown.inner:
            if grown.tree.n_node_samples[t] < min_samples:
                continue
            told = [c for c in grown.children[t] if test[m][at[c]].sum() * bag[at[c]].sum() > 0]
            if not told:
                continue
            rows = np.concatenate([at[c] for c in told])
            inside = {c: mean(whole[at[c]], bag[at[c]]) for c in told}
            share = {c: bag[at[c]].sum() / bag.sum() for c in told}
            both = mean(whole[rows], bag[rows])
            base = np.zeros(whole.shape[1]) if classes else both
            part = -sum(share.values()) * (both - base) * mean(whole[rows], test[m][rows])
            for c in told:
                outside = mean(whole[at[c]], test[m][at[c]])
                part = part + share[c] * (inside[c] - base) * outside
            for j, of in grown.variables(t):
                found[m, j] += of * part / len(outputs)
    return found


def local(forest, X):
    """Rows x variables: the fall of impurity on the way down, mean over the trees."""
    leaves = forest.apply(X)
    trees = trees_of(forest)
    found = np.zeros((len(leaves), forest.n_features_in_))
    for m, grown in enumerate(trees):
        i = grown.tree.impurity
        for row, leaf in enumerate(leaves[:, m]):
            way = grown.way(leaf)
            for t, child in pairwise(way):
                for j, share in grown.variables(t):
                    found[row, j] += share * (i[t] - i[child]) / len(trees)
    return found


# ---- Surrogates


def agreement(side, goes, weight):
    return weight[side == goes].sum()


def most_of(rows, goes, weight, n_sides):
    """The side that most of some rows go to; of equal ones the larger, then the first row's."""

    def about(x):
        return round(x / weight.sum(), 9)

    return max(
        range(n_sides),
        key=lambda s: (
            about(weight[rows & (goes == s)].sum()),
            about(weight[goes == s].sum()),
            -np.flatnonzero(goes == s).min(initial=len(goes)),
        ),
    )


def cuts_of_numbers(values, goes, weight, apart):
    """The ways to part rows in two, as a number can, that agree best: a list of sides of each row.

    Rows of missing values go where most of their weight does. Of cuts that agree as well, those
    that part the known rows most evenly, which are two at most, each in both directions. Parting
    the known rows from the others is for where that agrees better. Where the node has a third child
    for missing values (`apart`), that is theirs.
    """
    missing = np.isnan(values)
    away = 2 if apart else most_of(missing, goes, weight, 2)
    found = []
    for cut in np.unique(values[~missing])[:-1]:
        low = ~missing & (values <= cut)
        high = ~missing & (values > cut)
        uneven = abs(weight[low].sum() - weight[high].sum()) / weight.sum()
        for to in (0, 1):
            side = np.where(missing, away, np.where(low, to, 1 - to))
            found.append((agreement(side, goes, weight), round(uneven, 9), side))
    rounding = 1e-9 * weight.sum()
    best = max((of for of, _, _ in found), default=-1.0)
    if missing.any() and not missing.all() and not apart:
        ways = [np.where(missing, 1 - to, to) for to in (0, 1)]
        most = max(ways, key=lambda side: agreement(side, goes, weight))
        if agreement(most, goes, weight) > best + rounding:
            return [most]
    tied = [(uneven, side) for of, uneven, side in found if of > best - rounding]
    least = min((uneven for uneven, _ in tied), default=0.0)
    return [side for uneven, side in tied if uneven == least]


def side_of_levels(levels, goes, weight, n_sides):
    """Every level to the side of its majority."""
    side_of = {v: most_of(levels == v, goes, weight, n_sides) for v in set(levels.tolist())}
    return [np.array([side_of[v] for v in levels.tolist()])]


def surrogate(forest, codes, is_category, leaves, y, criterion, bags):
    """Equation 6.1: trees x variables; and, of pairs, how well the second mimics the first.

    `codes`: numbers, and levels of categories as numbers; NaN is missing.
    """
    outputs = outputs_of(forest, y)
    p = codes.shape[1]
    found, alike = np.zeros((len(bags), p)), np.zeros((p, p))
    lowered = mdi(forest).sum(axis=0)
    for m, grown in enumerate(trees_of(forest)):
        at = grown.rows(leaves[:, m])
        fall = grown.tree.weighted_n_node_samples * grown.tree.impurity
        fall = fall / grown.tree.weighted_n_node_samples[0]
        for t in grown.inner:
            rows = at[t][bags[m][at[t]] > 0]
            weight = bags[m][rows]
            children = grown.children[t]
            if len(children) == 1:  # of a variable that is constant here
                continue
            goes = np.array([[i in at[c] for c in children].index(True) for i in rows])
            here = [o[rows] for o in outputs]
            share = weight.sum() / bags[m].sum()
            told = grown.tree.split(t)
            apart = len(children) == 3 and told["test"] == "thresholds" and len(told["cuts"]) == 1
            largest = max(weight[goes == s].sum() for s in range(len(children)))
            for j in range(p):
                values = codes[rows, j]
                if is_category[j] or (len(children) > 2 and not apart):
                    levels = np.where(np.isnan(values), -1.0, values)
                    ways = side_of_levels(levels, goes, weight, len(children))
                else:
                    ways = cuts_of_numbers(values, goes, weight, apart)
                agrees = agreement(ways[0], goes, weight) if ways else 0.0
                if agrees <= largest + 1e-9 * weight.sum():
                    continue  # no better than sending all rows to the larger child
                falls = [
                    decrease(
                        criterion, here, weight,
                        [np.flatnonzero(side == s) for s in range(len(children))],
                    )
                    for side in ways
                ]  # fmt: skip
                found[m, j] += share * np.mean(falls)
                likeness = (agrees - largest) / (weight.sum() - largest)
                lowers = fall[t] - sum(fall[c] for c in children)
                for i, of in grown.variables(t):
                    if lowered[i] > 0:
                        alike[i, j] += of * lowers * likeness / lowered[i]
    return found, alike


def number_codes(X):
    """A frame (or array) as numbers: levels of a category by their place, missing as NaN."""
    if not hasattr(X, "columns"):
        dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)
        return dense, [False] * dense.shape[1]
    columns, is_category = [], []
    for name in X.columns:
        column = X[name]
        if column.dtype.kind in "fiub":
            columns.append(column.to_numpy(dtype=float))
            is_category.append(False)
        else:
            if hasattr(column, "cat"):
                column = column.astype(object)
            known = sorted({v for v in column if isinstance(v, str)})
            columns.append(
                np.array([known.index(v) if isinstance(v, str) else np.nan for v in column])
            )
            is_category.append(True)
    return np.column_stack(columns), is_category


# ---- Permutations


def mda_tree(forest, table, y, groups, n_repeats, seed, loss, replaced):
    """Trees x repeats x groups: the loss of a tree on permuted rows out of its bag."""
    counts = drawn_counts(forest)
    generator = np.random.RandomState(seed)
    classes = getattr(forest, "classes_", None)
    found = np.zeros((len(counts), n_repeats, len(groups)))
    for m, tree in enumerate(forest.estimators_):
        out = np.flatnonzero(counts[m] == 0)

        def says(table, tree=tree, out=out):
            if classes is None:
                return tree.predict(table)[out]
            return classes[tree.predict_proba(table)[out].argmax(axis=1)]

        before = loss(y[out], says(table))
        features = set(tree.tree_.feature.tolist())
        for g, members in enumerate(groups):
            if -3 not in features and not features & set(members):
                continue  # nothing is drawn for what is not tested
            for r in range(n_repeats):
                rows = np.arange(len(y))
                rows[out] = generator.permutation(out)
                found[m, r, g] = loss(y[out], says(replaced(table, members, rows))) - before
    return found


def mda_rows(forest, table, y, groups, n_repeats, seed, loss, replaced):
    """Repeats x groups x rows: the loss of each row by the trees that did not draw it."""
    counts = drawn_counts(forest)
    generator = np.random.RandomState(seed)
    n = len(y)

    def losses(table):
        says = [
            tree.predict_proba(table) if hasattr(forest, "classes_") else tree.predict(table)
            for tree in forest.estimators_
        ]
        out = np.array(counts) == 0
        assert out.any(axis=0).all()
        means = [np.mean([says[m][i] for m in np.flatnonzero(out[:, i])], axis=0) for i in range(n)]
        return np.array([loss(y[i], means[i]) for i in range(n)])

    before = losses(table)
    found = [
        [
            losses(replaced(table, members, generator.permutation(n))) - before
            for _ in range(n_repeats)
        ]
        for members in groups
    ]
    return np.swapaxes(np.array(found), 0, 1)


# ---- What noise would get


def expected_fall(criterion, outputs, weight, parts):
    """Mean over all permutations of the outputs among the rows, whose weights stay."""
    n = len(weight)
    total = 0.0
    number = 0
    for order in permutations(range(n)):
        order = list(order)
        total += decrease(criterion, [o[order] for o in outputs], weight, parts)
        number += 1
    return total / number


def expected_entropy_fall(y, sizes):
    """Of unit weights: each child's classes are drawn without replacement."""
    n = len(y)
    count = Counter(y.tolist())
    fall = -sum(c / n * log2(c / n) for c in count.values())
    for size in sizes:
        for c in count.values():
            for k in range(1, min(c, size) + 1):
                if size - k > n - c:
                    continue
                chance = comb(c, k) * comb(n - c, size - k) / comb(n, size)
                fall += size / n * chance * (k / size) * log2(k / size)
    return fall


def null(forest, X, y, bags, fall):
    """Trees x variables: `fall(outputs, weight, parts)` expected at each node, times p(t)."""
    outputs = outputs_of(forest, y)
    leaves = forest.apply(X)
    found = np.zeros((len(bags), forest.n_features_in_))
    for m, grown in enumerate(trees_of(forest)):
        at = grown.rows(leaves[:, m])
        for t in grown.inner:
            rows = at[t][bags[m][at[t]] > 0]
            weight = bags[m][rows]
            parts = [
                np.array([k for k, i in enumerate(rows) if i in at[c]], dtype=int)
                for c in grown.children[t]
            ]
            expected = fall([o[rows] for o in outputs], weight, parts)
            for j, share in grown.variables(t):
                found[m, j] += share * weight.sum() / bags[m].sum() * expected
    return found
