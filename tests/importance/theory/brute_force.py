"""Importances from the definitions alone: slow, literal, and sharing nothing with the library.

Trees are followed from the root: every node that some tree can have, with the probability that a
tree has it. Ties are within 1e-9.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import comb, factorial, log2, prod

import numpy as np
import pytest
from hypothesis import strategies as st

from ...led import DIGITS, SEGMENTS

CRITERIA = ["entropy", "gini", "variance"]


# ---- Distributions


@dataclass(frozen=True)
class Table:
    """Rows with probabilities; what cannot happen is left out of `rows`."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray

    def __post_init__(self):
        probabilities = self.weight / self.weight.sum()
        object.__setattr__(self, "probability", [float(w) for w in probabilities])
        object.__setattr__(self, "rows", tuple(np.flatnonzero(self.weight)))
        object.__setattr__(self, "values", [tuple(row) for row in self.X.tolist()])
        object.__setattr__(self, "outputs", self.y.tolist())
        object.__setattr__(self, "known", {})  # impurities already computed

    @property
    def p(self):
        return self.X.shape[1]

    @property
    def data(self):
        """As the library takes it."""
        return {"X": self.X, "y": self.y, "sample_weight": self.weight}

    def mass(self, rows):
        return sum(self.probability[row] for row in rows)

    def parts(self, rows, key):
        parts = defaultdict(list)
        for row in rows:
            parts[key(row)].append(row)
        return [tuple(part) for _, part in sorted(parts.items())]

    def levels(self, rows, j):
        return sorted({self.values[row][j] for row in rows})

    def keep(self, columns):
        return Table(self.X[:, list(columns)], self.y, self.weight)

    def with_column(self, column):
        return Table(np.column_stack([self.X, column]), self.y, self.weight)

    def with_irrelevant(self, probabilities):
        """One more variable, independent of all the others and of the output together."""
        n, m = len(self.y), len(probabilities)
        X = np.column_stack([np.repeat(self.X, m, axis=0), np.tile(np.arange(m), n)])
        weight = np.repeat(self.weight, m) * np.tile(probabilities, n)
        return Table(X, np.repeat(self.y, m), weight)


def table(X, y, weight=None):
    X, y = np.asarray(X), np.asarray(y)
    return Table(X, y, np.ones(len(y)) if weight is None else np.asarray(weight, float))


def random_table(seed, p=3, n=14, cardinalities=None, classes=3):
    """Levels unevenly spaced, some copied, some constant; weights random, dyadic, equal or zero.

    The output is noise, a function of the inputs, a noisy one, or the parity of two of them.
    """
    rng = np.random.default_rng(seed)
    if cardinalities is None:
        cardinalities = rng.integers(1, 5, p)
    X = np.column_stack([rng.integers(0, m, n) for m in cardinalities])
    if p > 1 and rng.random() < 0.3:
        X[:, p - 1] = X[:, 0]
    kind = rng.integers(4)
    if kind == 0:
        y = rng.integers(0, classes, n)
    elif kind == 3:
        y = X[:, 0] % 2 ^ X[:, -1] % 2
    else:
        y = (X @ rng.integers(1, 3, p)) % classes
        if kind == 1:
            y = np.where(rng.random(n) < 0.2, rng.integers(0, classes, n), y)
    weight = [
        np.ones(n),
        rng.random(n) + 0.1,
        2.0 ** -rng.integers(0, 4, n),
        rng.integers(0, 3, n) + (np.arange(n) < 2),
    ][rng.integers(4)]
    spacing = np.array([0.0, 1.0, 3.5, 4.0])
    return Table(spacing[X], y, np.asarray(weight, float))


@st.composite
def tables(draw, p=3, n=8):
    """Small ones, with the ties and the empty cells that random ones seldom have."""
    p, n = draw(st.integers(1, p)), draw(st.integers(1, n))
    X = [[draw(st.integers(0, 3)) for _ in range(p)] for _ in range(n)]
    y = [draw(st.integers(0, 2)) for _ in range(n)]
    weight = [1] + [draw(st.integers(0, 3)) for _ in range(n - 1)]
    return table(np.array(X, float), y, weight)


def xor():
    X = np.array(list(product([0, 1], repeat=2)))
    return table(X, X[:, 0] ^ X[:, 1])


def led():
    """Table 6.1: the seven segments of ten digits, all as likely."""
    return table(SEGMENTS, DIGITS)


def toy(L):
    """Table 7.2 at L = 3; Figure 7.8."""
    x1 = np.arange(L)
    y = (x1 < L / 2).astype(int)
    return table(np.column_stack([x1, y]), y)


# ---- Impurity and information


def impurity_of(outputs, weights, criterion):
    total = sum(weights)
    if criterion == "variance":
        mean = sum(w * y for y, w in zip(outputs, weights, strict=True)) / total
        return sum(w * (y - mean) ** 2 for y, w in zip(outputs, weights, strict=True)) / total
    share = defaultdict(float)
    for y, w in zip(outputs, weights, strict=True):
        share[y] += w / total
    shares = [q for q in share.values() if q > 0]
    if criterion == "entropy":
        return sum(q * log2(1 / q) for q in shares) if len(shares) > 1 else 0.0
    return sum(q * (1 - q) for q in shares) if len(shares) > 1 else 0.0


def impurity(table, rows, criterion):
    """i(Y|t): Eq 6.4, 6.33 (less its sign) and 6.36."""
    if (rows, criterion) not in table.known:
        outputs = [table.outputs[row] for row in rows]
        weights = [table.probability[row] for row in rows]
        table.known[rows, criterion] = impurity_of(outputs, weights, criterion)
    return table.known[rows, criterion]


def decrease(table, rows, parts, criterion):
    """Eq 6.26."""
    below = sum(table.mass(part) * impurity(table, part, criterion) for part in parts)
    return impurity(table, rows, criterion) - below / table.mass(rows)


def conditional_impurity(table, B, criterion="entropy"):
    """i(Y|B), Eq 6.29."""
    parts = table.parts(table.rows, lambda row: tuple(table.values[row][b] for b in B))
    return sum(table.mass(part) * impurity(table, part, criterion) for part in parts)


def information(table, j, B=(), criterion="entropy"):
    """G(Y; X_j | B), the first form of Eq 6.30; I(X_j; Y | B) for entropy."""
    return sum(
        table.mass(rows)
        * decrease(table, rows, table.parts(rows, lambda row: table.values[row][j]), criterion)
        for rows in table.parts(table.rows, lambda row: tuple(table.values[row][b] for b in B))
    )


def mutual_information(table, A, C, B=()):
    """I(A; C | B) by the last form of Eq 6.7: A, C and B are functions of a row."""
    joint, left, right, given = (defaultdict(float) for _ in range(4))
    for row in table.rows:
        a, c, b = A(row), C(row), B(row) if B else ()
        joint[a, c, b] += table.probability[row]
        left[a, b] += table.probability[row]
        right[c, b] += table.probability[row]
        given[b] += table.probability[row]
    return sum(
        q * log2(q * given[b] / (left[a, b] * right[c, b])) for (a, c, b), q in joint.items()
    )


def subsets(items):
    items = list(items)
    return [B for k in range(len(items) + 1) for B in combinations(items, k)]


def others(table, j):
    return [i for i in range(table.p) if i != j]


# ---- Trees


class Expectation:
    """What an infinite ensemble has: by (variable, set of other variables above)."""

    def __init__(self, p):
        self.p = p
        self.weight = defaultdict(float)
        self.importance = defaultdict(float)
        self.hidden = np.zeros((p, p))

    def add(self, j, above, weight, decrease):
        context = j, tuple(sorted(set(above) - {j}))
        self.weight[context] += weight
        self.importance[context] += weight * decrease

    @property
    def by_degree(self):
        sums = np.zeros((self.p, self.p))
        for (j, given), importance in self.importance.items():
            sums[j, len(given)] += importance
        return sums

    @property
    def importances(self):
        return self.by_degree.sum(axis=1)


def winners(gains, scale):
    """Who has the largest decrease, and all within rounding of it."""
    most = max(gains.values())
    return [j for j, gain in gains.items() if gain >= most - 1e-9 * abs(most) - 1e-12 * scale]


def constant(table, rows, j):
    return len({table.values[row][j] for row in rows}) == 1


def multiway_draws(table, rows, used, variables, K, rule):
    """Definition 6.1 and section 6.4.3: min(K, unused) of the unused, constant or not."""
    unused = [j for j in variables if j not in used]
    return list(combinations(unused, min(K, len(unused)))) if unused else []


def binary_draws(table, rows, used, variables, K, rule):
    """The non-constant ones among those drawn; every draw is as likely as any other.

    A pure node is a leaf (3.5 (a), Figure 7.7), as is one where all variables are constant.
    """
    useful = [j for j in variables if not constant(table, rows, j)]
    if not useful or len({table.outputs[row] for row in rows}) == 1:
        return []
    if rule == "skip":
        return list(combinations(useful, min(K, len(useful))))
    draws = []
    for order in permutations(variables):
        drawn = [j for j in order[:K] if j in useful]
        draws.append(tuple(drawn) or (next(j for j in order if j in useful),))
    return draws


def multiway_splits(table, rows, j, criterion):
    """One child per value: (probability, children)."""
    return [(1.0, table.parts(rows, lambda row: table.values[row][j]))]


def threshold_splits(table, rows, j):
    levels = table.levels(rows, j)
    for low, high in pairwise(levels):
        parts = table.parts(rows, lambda row, low=low: table.values[row][j] > low)
        yield (high - low) / (levels[-1] - levels[0]), parts


def extra_splits(table, rows, j, criterion):
    """A cut uniform on [min, max[ falls in a gap by its length (definition 9)."""
    return list(threshold_splits(table, rows, j))


def best_splits(table, rows, j, criterion):
    """The best threshold, the lowest of equals."""
    candidates = [parts for _, parts in threshold_splits(table, rows, j)]
    gains = {i: decrease(table, rows, parts, criterion) for i, parts in enumerate(candidates)}
    return [(1.0, candidates[min(winners(gains, impurity(table, table.rows, criterion)))])]


RULES = {
    "multiway": (multiway_draws, multiway_splits),
    "extra": (binary_draws, extra_splits),
    "best": (binary_draws, best_splits),
}


def choices(table, rows, draws, splits_of, criterion):
    """How a node may be split: (probability, variable, its decrease, children, decreases lost)."""
    options = {}
    for j in {j for draw in draws for j in draw}:
        options[j] = [
            (probability, parts, decrease(table, rows, parts, criterion))
            for probability, parts in splits_of(table, rows, j, criterion)
        ]
    scale = impurity(table, table.rows, criterion)
    for draw in draws:
        for splits in product(*(options[j] for j in draw)):
            gains = {j: gain for j, (_, _, gain) in zip(draw, splits, strict=True)}
            chance = prod(split[0] for split in splits) / len(draws)
            ties = winners(gains, scale)
            for j in ties:
                _, parts, gain = splits[draw.index(j)]
                lost = {i: gains[i] for i in draw if i != j}
                yield chance / len(ties), j, gain, parts, lost


def expected_trees(
    table,
    splits="multiway",
    criterion="entropy",
    K=1,
    depth=None,
    subspace=None,
    constant_features="count",
):
    """The mean of Eq 6.2 over all trees, in asymptotic conditions."""
    draws_of, splits_of = RULES[splits]
    total = Expectation(table.p)
    spaces = [range(table.p)] if subspace is None else combinations(range(table.p), subspace)
    spaces = list(spaces)
    for variables in spaces:
        level = {(table.rows, frozenset()): 1 / len(spaces)}  # P(node in tree)
        tests = 0
        while level and (depth is None or tests < depth):
            below = defaultdict(float)
            for (rows, above), in_tree in level.items():
                draws = draws_of(table, rows, above, variables, K, constant_features)
                for chance, j, gain, parts, lost in choices(
                    table, rows, draws, splits_of, criterion
                ):
                    weight = in_tree * chance * table.mass(rows)
                    total.add(j, above, weight, gain)
                    for i, gain_lost in lost.items():
                        total.hidden[i, j] += weight * gain_lost
                    for part in parts:
                        below[part, above | {j}] += in_tree * chance
            level, tests = below, tests + 1
    return total


def binary_columns(table):
    """Each variable as L_j - 1 binary ones, and whose each is (the box at L3280)."""
    columns, owner = [], []
    for j in range(table.p):
        for level in table.levels(table.rows, j)[:-1]:
            columns.append((table.X[:, j] <= level).astype(int))
            owner.append(j)
    return np.array(columns).reshape(len(owner), len(table.y)).T, owner


def encoded_trees(table, criterion="entropy"):
    """Definition 6.1 on the binary columns: one of the variables first, then one of its columns.

    A column is asked once on a branch, constant or not; a variable is drawn as long as it has one.
    """
    columns, owner = binary_columns(table)
    total = Expectation(table.p)
    level = {(table.rows, frozenset()): 1.0}
    while level:
        below = defaultdict(float)
        for (rows, used), in_tree in level.items():
            left = {}
            for column, j in enumerate(owner):
                if column not in used:
                    left.setdefault(j, []).append(column)
            for j, unused in left.items():
                for column in unused:
                    chance = in_tree / len(left) / len(unused)
                    parts = table.parts(rows, lambda row, column=column: columns[row, column])
                    gain = decrease(table, rows, parts, criterion)
                    total.add(j, {owner[c] for c in used}, chance * table.mass(rows), gain)
                    for part in parts:
                        below[part, used | {column}] += chance
        level = below
    return total


# ---- Chance


def decrease_of(x, y, criterion):
    """Of a node whose rows have levels x and outputs y."""
    groups = defaultdict(list)
    for level, output in zip(x, y, strict=True):
        groups[level].append(output)
    below = sum(
        len(group) * impurity_of(group, [1] * len(group), criterion) for group in groups.values()
    )
    return impurity_of(y, [1] * len(y), criterion) - below / len(y)


def permuted_decrease(x, y, criterion):
    """Its mean over all N! orders of the outputs."""
    return sum(decrease_of(x, order, criterion) for order in permutations(y)) / factorial(len(y))


def hypergeometric_decrease(x, y, criterion):
    """The same for class counts and child sizes fixed: over all tables with these margins."""
    sizes = [list(x).count(level) for level in sorted(set(x))]
    labels = sorted(set(y))
    counts = tuple(list(y).count(label) for label in labels)

    def split(counts, size):
        if not counts:
            if size == 0:
                yield ()
            return
        for first in range(min(counts[0], size) + 1):
            for rest in split(counts[1:], size - first):
                yield (first, *rest)

    @cache
    def below(child, counts):
        if child == len(sizes):
            return 0.0
        ways = comb(sum(counts), sizes[child])
        total = 0.0
        for taken in split(counts, sizes[child]):
            chance = prod(comb(n, m) for n, m in zip(counts, taken, strict=True)) / ways
            left = tuple(n - m for n, m in zip(counts, taken, strict=True))
            here = sizes[child] / len(y) * impurity_of(labels, taken, criterion)
            total += chance * (here + below(child + 1, left))
        return total

    return impurity_of(y, [1] * len(y), criterion) - below(0, counts)


# ---- Comparison


def near(expected, tolerance=1e-10):
    return pytest.approx(expected, rel=0, abs=tolerance)


def contexts(found):
    """The frame by_context(), by (variable, given) as column numbers."""
    index = {name: j for j, name in enumerate(found.names)}
    frame = found.by_context()
    importances = list(frame["importance"])
    assert importances == sorted(importances, reverse=True)
    rows = {}
    for variable, given, degree, weight, inside, importance in zip(
        *(frame[c] for c in ("variable", "given", "degree", "weight", "information", "importance")),
        strict=True,
    ):
        assert degree == len(given)
        assert weight * inside == near(importance)
        rows[index[variable], tuple(index[name] for name in given)] = weight, importance
    assert len(rows) == len(importances)
    return rows


def assert_same(found, expected):
    """All three levels of the decomposition, and the weight of each context."""
    assert found.importances == near(expected.importances)
    assert found.by_degree == near(expected.by_degree)
    assert found.total == near(expected.importances.sum())
    assert found.exact
    assert not found.standard_errors.any()
    rows = contexts(found)
    for context in rows.keys() | expected.weight.keys():
        weight, importance = rows.get(context, (0.0, 0.0))
        assert weight == near(expected.weight[context]), context
        assert importance == near(expected.importance[context]), context
