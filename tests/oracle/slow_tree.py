"""Greedy induction of one tree (Algorithms 3.2 to 3.4, 4.1 and 4.3) on plain lists.

Nothing is coded, sorted once, or updated from cut to cut: each node looks at its rows anew.
Parameters have the names of the estimators'. A missing value is None, and a category's value is
the number of its level.
"""

from dataclasses import dataclass, field
from math import ceil, floor, frexp, inf, isnan, ldexp, nan

from .slow_criteria import ClassCounts, Medians, added, criterion_of
from .slow_random import (
    child_key,
    coin,
    coins_that_part,
    random_subsets,
    root_key,
    sample_of_node,
    uniform_cut,
    variables_in_order,
)

ALL_SUBSETS_UP_TO = 10  # groups of a category


@dataclass(frozen=True)
class Rules:
    criterion: str
    splitter: str = "best"
    max_features: int | None = None
    constant_features: str = "count"
    category_gain: str = "adjusted"
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
    way: "Way | None" = None  # for any value, also one that the node has not seen
    children: list = field(default_factory=list)


@dataclass(frozen=True)
class Way:
    """Which values go left; unless told otherwise, missing ones go right."""

    threshold: float = nan
    missing_left: bool = False
    levels: frozenset | None = None  # those that go left, of a category

    def goes_left(self, value):
        if value is None:
            return self.missing_left
        return value <= self.threshold if self.levels is None else value in self.levels


@dataclass
class Split:
    feature: int
    way: Way
    score: float
    decrease: float
    middle: float
    left_is_heavier: bool
    by_chance: float = 0.0  # of the score

    @property
    def worth(self):
        return self.score - self.by_chance


def middle_of_gap(a, b):
    """Definition 10."""
    v = a + (b - a) / 2
    return v if v < b else a


def leading_bits(x, n=24):
    """A number rounded to so many bits."""
    mantissa, exponent = frexp(x)
    return ldexp(round(ldexp(mantissa, n)), exponent - n)


def bins_of(column, rules):
    """Number of the bin of each value: the values themselves, unless there are too many."""
    known = [value for value in column if value is not None]
    distinct = sorted(set(known))
    if rules.max_bins is None or len(distinct) <= rules.max_bins:
        return column
    low, high = distinct[0] / 2, distinct[-1] / 2
    bins, below = {}, 0
    for value in distinct:
        count = column.count(value)
        if rules.binning == "width":
            place = (value / 2 - low) / (high - low)
        else:  # where the middle of the value's rows stands among all known
            place = (below + (below + count - 1)) / 2 / len(known)
        bins[value] = min(floor(place * rules.max_bins), rules.max_bins - 1)
        below += count
    return [bins.get(value) for value in column]


def principal_order(weights, points):
    """Places of the points, sorted along the axis on which they are the most spread."""
    n = len(points)

    def along(a, b):
        return added(*[x * y for x, y in zip(a, b, strict=True)])

    total = added(*weights)
    centre = [
        added(*[w * x for w, x in zip(weights, coordinates, strict=True)]) / total
        for coordinates in zip(*points, strict=True)
    ]
    d = [[x - c for x, c in zip(point, centre, strict=True)] for point in points]
    axis = d[max(range(n), key=lambda g: weights[g] * along(d[g], d[g]))]
    for _ in range(20):
        pulls = [weights[g] * along(d[g], axis) for g in range(n)]
        turned = [added(*[pulls[g] * d[g][k] for g in range(n)]) for k in range(len(axis))]
        largest = max(abs(x) for x in turned)
        if largest == 0.0:
            break
        axis = [x / largest for x in turned]
    return sorted(range(n), key=lambda g: along(d[g], axis))


class SlowTree:
    """The tree; ``nodes`` in depth-first order, left before right."""

    def __init__(self, X, y, weights, rules, seed, n_classes=None, categories=(), general=False):
        self.rules = rules
        self.columns = [
            [None if isnan(v) else int(v) if f in categories else float(v) for v in column]
            for f, column in enumerate(zip(*X, strict=True))
        ]
        # Levels are numbered by all rows, whatever their weight.
        self.n_levels = {f: len(set(self.columns[f]) - {None}) for f in categories}
        self.bins = [
            column if f in self.n_levels else bins_of(column, rules)
            for f, column in enumerate(self.columns)
        ]
        # Constraints may need another criterion; so do categories with Poisson deviance.
        free = rules.monotonic_cst is None
        exact = free and not (rules.criterion == "poisson" and (categories or general))
        self.criterion = criterion_of(
            rules.criterion, y, weights, n_classes, exact=exact, rounds=free and not general
        )
        self.first_of_two = self.criterion.first_of_two and not general
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
        node.way = self.way_for_all(split, node.rows)
        sides = [
            [i for i in node.rows if node.way.goes_left(column[i])],
            [i for i in node.rows if not node.way.goes_left(column[i])],
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

    def way_for_all(self, split, rows):
        """What the node has none of goes to the heavier child; at random, levels keep their coin.

        Heavier by the sums on which the split was judged: the right side is the node less the left.
        """
        present = {self.columns[split.feature][i] for i in rows}
        missing_left = split.way.missing_left if None in present else split.left_is_heavier
        levels = split.way.levels
        if levels is not None and self.rules.splitter == "best" and split.left_is_heavier:
            levels = levels | (set(range(self.n_levels[split.feature])) - present)
        return Way(split.way.threshold, missing_left, levels)

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
            if best and self.first_of_two and len(node.rows) == 2:
                break
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
            constant = len({values[f][i] for i in rows}) == 1  # missing differs from any value
            counted += not constant or self.rules.constant_features == "count"
            if not constant:
                useful = True
                yield f

    def best_cut(self, node, f, rows, best, allowed):
        """The best cut on f if it is worth more than the best so far; of equals the first."""
        own = self.highest_cut(node, f, rows, allowed)
        if own is None:
            return best
        own.by_chance = self.by_chance(f, rows)
        return own if best is None or own.worth > best.worth else best

    def by_chance(self, f, rows):
        """Share of the impurity that levels would explain by chance, beyond what two of them do."""
        if f not in self.n_levels or self.rules.splitter == "random":
            return 0.0
        n_levels = len({self.columns[f][i] for i in rows})
        if self.rules.category_gain == "plain" or n_levels <= 2:
            return 0.0
        share = (n_levels - 2) / (len(rows) - 1)
        return leading_bits(share * self.criterion.worth_of_all(rows))

    def highest_cut(self, node, f, rows, allowed):
        best = None
        whole, summaries = self.criterion.summary(rows), {}
        for groups, way in self.cuts(node, f, rows):
            for group in map(tuple, groups):  # each is in many cuts
                if group not in summaries:
                    summaries[group] = self.criterion.summary(group)
            left = self.criterion.joined([summaries[tuple(group)] for group in groups])
            right = self.criterion.rest(whole, left)
            n_left = sum(map(len, groups))
            if not allowed(node, f, left, right, n_left, len(rows) - n_left):
                continue
            score = self.criterion.score(left, right, whole)
            if score > (best.score if best else -inf):
                best = self.split(f, way, score, left, right, whole)
        return best

    def split(self, f, way, score, left, right, whole):
        decrease = self.criterion.decrease(whole, score)
        heavier = self.criterion.weight(left) > self.criterion.weight(right)
        return Split(f, way, score, decrease, self.middle(left, right), heavier)

    def cuts(self, node, f, rows):
        """Left side of every cut, as groups of rows that no cut parts, and the way to it."""
        if self.rules.splitter == "random":
            for way in self.random_ways(node, f, rows):
                yield [[i for i in rows if way.goes_left(self.columns[f][i])]], way
        elif f in self.n_levels:
            yield from self.cuts_of_levels(node, f, rows)
        else:
            yield from self.cuts_of_numbers(f, rows)

    def groups(self, f, rows):
        """Known rows of one code together, by their code; and the missing ones."""
        codes = self.bins[f]
        known = sorted({codes[i] for i in rows} - {None})
        groups = [[i for i in rows if codes[i] == code] for code in known]
        return groups, [i for i in rows if codes[i] is None]

    def cuts_of_numbers(self, f, rows):
        """Missing right, after the largest; then missing left, before the smallest."""
        known, missing = self.groups(f, rows)
        passes = [([*known, missing], False), ([missing, *known], True)] if missing else []
        for groups, missing_left in passes or [(known, False)]:
            for k in range(1, len(groups)):
                threshold = self.threshold(f, groups[k - 1], groups[k])
                yield groups[:k], Way(threshold, missing_left)

    def threshold(self, f, below, above):
        low, high = ([self.columns[f][i] for i in group] for group in (below, above))
        if None in high:
            return inf
        return -inf if None in low else middle_of_gap(max(low), min(high))

    def random_ways(self, node, f, rows):
        present = {self.columns[f][i] for i in rows}
        known, missing = present - {None}, None in present
        if f in self.n_levels:
            seed = coins_that_part(node.key, f, known)
            levels = frozenset(v for v in range(self.n_levels[f]) if coin(seed, v))
            yield Way(levels=levels)
            if missing and len(known) > 1:
                yield Way(missing_left=True, levels=levels)
            return
        low, high = min(known), max(known)
        v = uniform_cut(node.key, f, low, high)
        yield Way(v if low < high else inf)
        if missing:
            yield Way(v if low < high else -inf, missing_left=True)

    def cuts_of_levels(self, node, f, rows):
        """The levels that the rows have, in some order or as subsets; missing is like a level."""
        known, missing = self.groups(f, rows)
        groups = [*known, missing] if missing else known
        n = len(groups)

        def cut(chosen):
            values = {self.columns[f][groups[g][0]] for g in chosen}
            way = Way(missing_left=None in values, levels=frozenset(values - {None}))
            return [groups[g] for g in chosen], way

        if self.mean_orders_levels():
            order = self.order_by_mean(groups)
        elif n <= ALL_SUBSETS_UP_TO:
            for mask in range(1, 2 ** (n - 1)):
                yield cut([g for g in range(n) if mask >> g & 1])
            return
        else:
            order = self.order_by_axis(groups)
        for k in range(1, n):
            yield cut(order[:k])
        if not self.mean_orders_levels():
            for left in random_subsets(node.key, f, n):
                yield cut([g for g in range(n) if left[g]])

    def mean_orders_levels(self):
        """Theorem 3.4: some cut in the order of means is then the best of all subsets."""
        criterion = self.criterion
        if len(criterion.y) > 1:
            return False
        if isinstance(criterion, ClassCounts):
            return len(criterion.places[0]) == 2
        return self.rules.criterion in ("squared_error", "friedman_mse")

    def order_by_mean(self, groups):
        which = 1
        if isinstance(self.criterion, ClassCounts):
            place = self.criterion.places[0]
            which = place[max(place)]
        sums = [self.criterion.summary(group) for group in groups]
        means = [float(s[which]) / s[0] for s in sums]
        return sorted(range(len(groups)), key=means.__getitem__)

    def order_by_axis(self, groups):
        sums = [self.criterion.summary(group) for group in groups]
        if isinstance(self.criterion, Medians):
            w, values = self.weights, self.criterion.values
            sums = [
                [added(*[w[i] for i in group])]
                + [added(*[w[i] * column[i] for i in group]) for column in values]
                for group in groups
            ]
        return principal_order([s[0] for s in sums], [[x / s[0] for x in s[1:]] for s in sums])

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
        for cut in sorted([c for c in found if c], key=lambda c: -c.worth):
            column = self.columns[cut.feature]
            rows = [i for i in node.rows if cut.way.goes_left(column[i])]
            left = self.criterion.summary(rows)
            right = self.criterion.rest(whole, left)
            n = len(rows)
            score = self.criterion.score(left, right, whole)
            if score > -inf and self.allowed(node, cut.feature, left, right, n, len(node.rows) - n):
                return self.split(cut.feature, cut.way, score, left, right, whole)
        return None

    # ---- what is compared

    def leaf_of(self, values):
        """Place in ``nodes`` of the leaf that a row gets to; levels unknown to X are missing."""
        values = [None if isnan(v) else v for v in values]
        for f, n_levels in self.n_levels.items():
            if values[f] not in range(n_levels):
                values[f] = None
        node = self.root
        while node.children:
            node = node.children[0 if node.way.goes_left(values[node.split.feature]) else 1]
        return next(t for t, other in enumerate(self.nodes) if other is node)

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
                n.way.threshold if i else -2.0 for n, i in zip(self.nodes, inner, strict=True)
            ],
            "missing_go_to_left": [
                i and n.way.missing_left for n, i in zip(self.nodes, inner, strict=True)
            ],
            "left_levels": [
                sorted(n.way.levels) if i and n.way.levels is not None else None
                for n, i in zip(self.nodes, inner, strict=True)
            ],
            "n_node_samples": [len(n.rows) for n in self.nodes],
            "weighted_n_node_samples": [self.weight_of(n) for n in self.nodes],
            "impurity": [self.criterion.impurity(n.rows) for n in self.nodes],
            "value": [self.value(n) for n in self.nodes],
        }

    def weight_of(self, node):
        self.criterion.enter(node.rows)
        return self.weight(node.rows)
