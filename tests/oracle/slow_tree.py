"""Greedy induction of one tree (Algorithms 3.2 to 3.4, 4.1 and 4.3) on plain lists.

Nothing is coded, sorted once, or updated from cut to cut: each node looks at its rows anew.
Parameters have the names of the estimators'.
"""

from dataclasses import dataclass, field
from math import ceil, floor, inf

from .slow_criteria import criterion_of
from .slow_random import child_key, root_key, sample_of_node, uniform_cut, variables_in_order


@dataclass(frozen=True)
class Rules:
    criterion: str
    splitter: str = "best"
    max_features: int | None = None
    constant_features: str = "count"
    split_sample: int | None = None
    max_bins: int | None = None
    binning: str = "frequency"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    growth: str | None = None
    monotonic_cst: list | None = None


@dataclass
class Node:
    rows: list
    depth: int
    key: int
    path: tuple = ()  # 0 for left, 1 for right, from the root
    lower: float = -inf  # bounds that monotonic constraints above put on the value
    upper: float = inf
    split: "Split | None" = None
    weighted_decrease: float = 0.0
    children: list = field(default_factory=list)


@dataclass
class Split:
    feature: int
    threshold: float
    score: float
    decrease: float
    middle: float


def middle_of_gap(a, b):
    """Definition 10."""
    v = a + (b - a) / 2
    return v if v < b else a


def bins_of(column, rules):
    """Number of the bin of each value: the values themselves, unless there are too many."""
    distinct = sorted(set(column))
    if rules.max_bins is None or len(distinct) <= rules.max_bins:
        return column
    low, high = distinct[0] / 2, distinct[-1] / 2
    bins, below = {}, 0
    for value in distinct:
        count = column.count(value)
        if rules.binning == "width":
            place = (value / 2 - low) / (high - low)
        else:  # where the middle of the value's rows stands among all rows
            place = (below + (below + count - 1)) / 2 / len(column)
        bins[value] = min(floor(place * rules.max_bins), rules.max_bins - 1)
        below += count
    return [bins[value] for value in column]


class SlowTree:
    """The tree; ``nodes`` in depth-first order, left before right."""

    def __init__(self, X, y, weights, rules, seed, n_classes=None):
        self.rules = rules
        self.columns = [[float(v) for v in column] for column in zip(*X, strict=True)]
        self.bins = [bins_of(column, rules) for column in self.columns]
        self.criterion = criterion_of(
            rules.criterion, y, weights, n_classes, constrained=rules.monotonic_cst is not None
        )
        self.weights = weights
        self.n_classes = n_classes

        def of_samples(value):
            return value if isinstance(value, int) else ceil(value * len(X))

        self.min_split = max(2, of_samples(rules.min_samples_split))
        self.min_leaf = of_samples(rules.min_samples_leaf)
        rows = [i for i, w in enumerate(weights) if w > 0.0]
        self.criterion.enter(rows)
        self.whole = self.weight(rows)
        self.min_weight = rules.min_weight_fraction_leaf * self.whole
        self.root = Node(rows, 0, root_key(seed))
        self.grow()
        self.nodes = []
        pending = [self.root]
        while pending:
            node = pending.pop()
            self.nodes.append(node)
            pending.extend(reversed(node.children))

    def weight(self, rows):
        return self.criterion.weight(self.criterion.summary(rows))

    # ---- growing: which node next, and when not (3.5)

    def grow(self):
        self.examine(self.root)
        waiting = [self.root] if self.root.split else []
        growth = self.rules.growth
        if growth is None:
            growth = "best_first" if self.rules.max_leaf_nodes else "depth_first"
        n_leaves = 1
        while waiting and n_leaves < (self.rules.max_leaf_nodes or inf):
            if growth == "best_first":
                node = max(waiting, key=lambda n: (n.weighted_decrease, [-s for s in n.path]))
            elif growth == "depth_first":
                node = min(waiting, key=lambda n: n.path)
            else:
                node = min(waiting, key=lambda n: (n.depth, n.path))
            waiting.remove(node)
            self.divide(node)
            waiting += [child for child in node.children if child.split]
            n_leaves += 1
        for node in waiting:
            node.split = None

    def examine(self, node):
        """Finds the node's split, or leaves it a leaf."""
        rules, n = self.rules, len(node.rows)
        self.criterion.enter(node.rows)
        homogeneous = all(len({column[i] for i in node.rows}) == 1 for column in self.criterion.y)
        weight = self.weight(node.rows)
        if homogeneous or n < self.min_split or n < 2 * self.min_leaf:
            return
        if rules.max_depth is not None and node.depth >= rules.max_depth:
            return
        if weight < 2 * self.min_weight:
            return
        split = self.find_split(node)
        if split is None:
            return
        node.weighted_decrease = weight / self.whole * split.decrease
        beta = rules.min_impurity_decrease
        if beta > 0.0 and node.weighted_decrease < beta:
            return
        node.split = split

    def divide(self, node):
        split, column = node.split, self.columns[node.split.feature]
        sides = [
            [i for i in node.rows if column[i] <= split.threshold],
            [i for i in node.rows if column[i] > split.threshold],
        ]
        for side, rows in enumerate(sides):
            key = child_key(node.key, side)
            child = Node(rows, node.depth + 1, key, (*node.path, side), node.lower, node.upper)
            sign = self.sign(split.feature)
            if sign != 0:
                if (side == 0) == (sign > 0):
                    child.upper = split.middle
                else:
                    child.lower = split.middle
            self.examine(child)
            node.children.append(child)

    # ---- the search for a split

    def find_split(self, node):
        limit = self.rules.split_sample
        if limit is not None and len(node.rows) > limit:
            split = self.find_on_sample(node, sample_of_node(node.key, node.rows, limit))
            if split:
                return split
        best = None
        for f in self.drawn_variables(node, node.rows):
            best = self.best_cut(node, f, node.rows, best, self.allowed)
        return best

    def drawn_variables(self, node, rows):
        """Definition 2: K variables, and on until one is not constant."""
        p = len(self.columns)
        k = p if self.rules.max_features is None else self.rules.max_features
        values = self.columns if self.rules.splitter == "random" else self.bins
        counted, useful = 0, False
        for f in variables_in_order(node.key, p):
            if counted >= k and useful:
                return
            constant = len({values[f][i] for i in rows}) == 1
            counted += not constant or self.rules.constant_features == "count"
            if not constant:
                useful = True
                yield f

    def best_cut(self, node, f, rows, best, allowed):
        """The cut on f if it is better than the best so far; of equals the lowest."""
        whole = self.criterion.summary(rows)
        for groups, others in self.cuts(node, f, rows):
            left = self.criterion.joined([self.criterion.summary(group) for group in groups])
            right = self.criterion.rest(whole, left)
            n_left = sum(map(len, groups))
            if not allowed(node, f, left, right, n_left, len(rows) - n_left):
                continue
            score = self.criterion.score(left, right, whole)
            if score > (best.score if best else -inf):
                threshold = self.threshold(node, f, rows, groups, others)
                decrease = self.criterion.decrease(whole, score)
                best = Split(f, threshold, score, decrease, self.middle(left, right))
        return best

    def cuts(self, node, f, rows):
        """Left and right side of every cut, as groups of rows that no cut parts."""
        column = self.columns[f]
        if self.rules.splitter == "random":
            v = uniform_cut(node.key, f, *self.range(f, rows))
            left = [i for i in rows if column[i] <= v]
            yield [left], [[i for i in rows if column[i] > v]]
            return
        codes = self.bins[f]
        groups = [
            [i for i in rows if codes[i] == code] for code in sorted({codes[i] for i in rows})
        ]
        for k in range(1, len(groups)):
            yield groups[:k], groups[k:]

    def range(self, f, rows):
        values = [self.columns[f][i] for i in rows]
        return min(values), max(values)

    def threshold(self, node, f, rows, groups, others):
        column = self.columns[f]
        if self.rules.splitter == "random":
            return uniform_cut(node.key, f, *self.range(f, rows))
        low = max(column[i] for i in groups[-1])
        return middle_of_gap(low, min(column[i] for i in others[0]))

    def middle(self, left, right):
        value = self.criterion.monotonic_value
        return (value(left) + value(right)) / 2 if self.rules.monotonic_cst else 0.0

    def sign(self, f):
        return self.rules.monotonic_cst[f] if self.rules.monotonic_cst else 0

    def allowed(self, node, f, left, right, n_left, n_right):
        if min(n_left, n_right) < self.min_leaf:
            return False
        weights = self.criterion.weight(left), self.criterion.weight(right)
        if min(weights) <= 0.0 or min(weights) < self.min_weight:
            return False
        sign = self.sign(f)
        if sign == 0:
            return True
        a, b = self.criterion.monotonic_value(left), self.criterion.monotonic_value(right)
        return (a - b) * sign <= 0.0 and node.lower <= min(a, b) and max(a, b) <= node.upper

    def find_on_sample(self, node, sample):
        """Definition 20: the best cut of each variable on the sample, tried on all rows."""

        def anything(node, f, left, right, n_left, n_right):
            return True

        self.criterion.enter(sample)
        found = [
            self.best_cut(node, f, sample, None, anything)
            for f in self.drawn_variables(node, sample)
        ]
        self.criterion.enter(node.rows)
        whole = self.criterion.summary(node.rows)
        for cut in sorted([c for c in found if c], key=lambda c: -c.score):
            column = self.columns[cut.feature]
            rows = [i for i in node.rows if column[i] <= cut.threshold]
            left = self.criterion.summary(rows)
            right = self.criterion.rest(whole, left)
            n = len(rows)
            score = self.criterion.score(left, right, whole)
            if score > -inf and self.allowed(node, cut.feature, left, right, n, len(node.rows) - n):
                decrease = self.criterion.decrease(whole, score)
                middle = self.middle(left, right)
                return Split(cut.feature, cut.threshold, score, decrease, middle)
        return None

    # ---- what is compared

    def value(self, node):
        """Assignment rule 3.4, within the bounds of monotonic constraints."""
        value = self.criterion.value(node.rows)
        if self.rules.monotonic_cst:
            if self.n_classes is None:
                value[0][0] = min(max(value[0][0], node.lower), node.upper)
            elif len(value[0]) == 2:
                share = min(max(value[0][1], node.lower), node.upper)
                value[0] = [1.0 - share, share]
        return value

    def arrays(self):
        """The arrays of Table 5.2."""
        place = {id(node): t for t, node in enumerate(self.nodes)}
        inner = [bool(node.children) for node in self.nodes]
        return {
            "children_left": [
                place[id(n.children[0])] if i else -1
                for n, i in zip(self.nodes, inner, strict=True)
            ],
            "children_right": [
                place[id(n.children[1])] if i else -1
                for n, i in zip(self.nodes, inner, strict=True)
            ],
            "feature": [
                n.split.feature if i else -2 for n, i in zip(self.nodes, inner, strict=True)
            ],
            "threshold": [
                n.split.threshold if i else -2.0 for n, i in zip(self.nodes, inner, strict=True)
            ],
            "n_node_samples": [len(n.rows) for n in self.nodes],
            "weighted_n_node_samples": [self.weight_of(n) for n in self.nodes],
            "impurity": [self.criterion.impurity(n.rows) for n in self.nodes],
            "value": [self.value(n) for n in self.nodes],
        }

    def weight_of(self, node):
        self.criterion.enter(node.rows)
        return self.weight(node.rows)
