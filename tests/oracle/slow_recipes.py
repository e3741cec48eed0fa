"""Trees of any recipe on plain lists: growing, and what becomes of a node.

Splits are judged from the definition alone: the impurity of a node less that of its children, each
with its share of the weight. Such numbers round otherwise than the library's, so a tree says
(``close_call``) when two splits of a node were nearly equal and rounding may have chosen.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum, inf, isnan

import numpy as np

from .slow_criteria import ClassCounts, criterion_of, rounded_x_log2_x
from .slow_cuts import Cuts
from .slow_random import Stream, child_key, derive, root_key
from .slow_tree import SlowTree, bins_of
from .slow_variables import Variables

ORDER = 6  # part of the tree's key


@dataclass(frozen=True)
class RecipeRules:
    """The parameters of ForestClassifier and ForestRegressor, sizes as whole numbers."""

    criterion: str
    max_features: int | None = None
    variables: str = "uniform"
    feature_weights: list | None = None
    cut: str = "best"
    relevant: list | None = None
    range_sample: int | None = None
    choice: str = "best"
    n_best: int = 20
    near_best: float = 0.25
    near_best_depth: int = 2
    split: str = "binary"
    n_combined: int = 3
    max_values: int = 10
    missing: str = "learned"
    growth: str | None = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_impurity_decrease: float = 0.0
    min_weight_fraction_leaf: float = 0.0
    split_pure: bool = False
    significance: float | None = None
    n_permutations: int = 0
    constant_features: str = "count"
    category_gain: str = "plain"
    max_bins: int | None = None
    binning: str = "frequency"
    split_sample: int | None = None
    max_splits: int | None = None
    min_impurity_split: float = 0.0
    max_majority: float = 1.0
    min_score: float | None = None
    relief_samples: int = 100
    relief_neighbors: int = 5
    always_split: tuple = ()
    interaction_cst: object = None
    function: object = None  # of counts of classes, or of weight, mean and variance
    monotonic_cst: None = None

    @property
    def splitter(self):
        """The name by which the plain oracle knows whether cuts are drawn."""
        return "best" if self.cut == "best" else "random"

    @property
    def impurity(self):
        return "entropy" if self.criterion == "gain_ratio" else self.criterion


@dataclass
class RecipeNode:
    rows: list
    fill: list  # rows of which samples, weight, impurity and value are told
    depth: int
    key: int
    path: tuple = ()
    cell: list = field(default_factory=list)  # (low, high) of each number
    used: frozenset = frozenset()  # variables of the nodes above
    parent: "RecipeNode | None" = None
    candidate: object = None
    decrease: float = 0.0  # times the node's share of the weight
    test: object = None
    children: list = field(default_factory=list)


class SlowRecipeTree(Cuts, Variables, SlowTree):
    """``nodes`` in depth-first order. ``fills``: rows that fill leaves, the others find splits."""

    def __init__(
        self, X, y, weights, rules, seed, n_classes=None, categories=(), columns=None, fills=None
    ):
        self.rules = rules
        self.columns = [
            [None if isnan(v) else int(v) if f in categories else float(v) for v in column]
            for f, column in enumerate(zip(*X, strict=True))
        ]
        self.n_levels = {f: len(set(self.columns[f]) - {None}) for f in categories}
        of_nodes = rules.binning.startswith("node")
        self.bins = [
            column if f in self.n_levels or of_nodes else bins_of(column, rules)
            for f, column in enumerate(self.columns)
        ]
        self.weights = list(weights)
        y = [list(column) for column in y]
        exact = rules.impurity != "poisson"
        self.criterion = criterion_of(rules.impurity, y, self.weights, n_classes, exact=exact)
        self.n_classes = n_classes
        self.usable = list(range(len(self.columns))) if columns is None else columns
        self.tree_key = root_key(seed)
        self.close_call = False
        self.min_split = max(1 if rules.split_pure else 2, rules.min_samples_split)
        self.min_leaf = rules.min_samples_leaf
        self.ranges = [
            (min(known), max(known)) if (known := [v for v in c if v is not None]) else (0.0, 0.0)
            for c in self.columns
        ]
        rows = [i for i, w in enumerate(weights) if w > 0.0]
        fill = rows if fills is None else [i for i in rows if i in fills]
        find = rows if fills is None else [i for i in rows if i not in fills]
        self.honest = fills is not None
        self.whole = self.weight_of_rows(rows)
        self.min_weight = rules.min_weight_fraction_leaf * self.whole
        self.root = RecipeNode(find, fill, 0, self.tree_key, cell=list(self.ranges))
        self.grow()
        self.nodes = []
        pending = [self.root]
        while pending:
            node = pending.pop()
            self.nodes.append(node)
            pending.extend(reversed(node.children))

    # ---- statistics of rows, from the definitions

    def weight_of_rows(self, rows):
        return sum(self.weights[i] for i in rows)

    def impurity(self, rows):
        if rows and self.rules.function:
            return self.custom_impurity(rows)
        return self.criterion.impurity(rows) if rows else 0.0

    def mean_orders_levels(self):
        return not self.rules.function and super().mean_orders_levels()

    def custom_impurity(self, rows):
        """The user's function of the rows' classes, or of their weight, mean and variance."""
        (y,), w = self.criterion.y, self.weights
        if self.is_classification():
            counts = [[sum(w[i] for i in rows if y[i] == c) for c in range(self.n_classes[0])]]
        else:
            weight = sum(w[i] for i in rows)
            mean = sum(w[i] * y[i] for i in rows) / weight
            counts = [[weight, mean, sum(w[i] * (y[i] - mean) ** 2 for i in rows) / weight]]
        return float(self.rules.function(np.array(counts))[0])

    def gain(self, parts):
        """Decrease of impurity by a split in any number of parts (Equations 3.2 and 3.5).

        Of whole numbers and rounded once, so that equal splits are equal whatever their order.
        """
        whole = [i for part in parts for i in part]
        after = [term for part in parts for term in self.impurity_terms(part)]
        before = [-term for term in self.impurity_terms(whole)]
        total = Fraction(self.weight_of_rows(whole))
        if isinstance(before[0], Fraction):
            return float(-(sum(before) + sum(after)) / total)
        gain = -fsum(before + after) / float(total)
        if self.rules.function:  # values of a function are rounded more than once
            unit = 1e-12 * abs(self.impurity(whole))
            return round(gain / unit) * unit if unit > 0.0 else gain
        return gain

    def impurity_terms(self, rows):
        """Numbers that add up to the impurity times the weight."""
        if not rows:
            return []
        name, (y,), w = self.rules.impurity, self.criterion.y, self.weights
        if self.rules.function:
            return [self.weight_of_rows(rows) * self.custom_impurity(rows)]
        if name == "absolute_error":
            return [Fraction(self.criterion.error([y], rows))]
        total = Fraction(self.weight_of_rows(rows))
        if not self.is_classification():
            # Eighths times whole weights, or halves of them: these sums are exact.
            first, second = (Fraction(sum(w[i] * y[i] ** k for i in rows)) for k in (1, 2))
            return [second - first * first / total]
        counts = {}
        for i in rows:
            counts[y[i]] = counts.get(y[i], 0) + w[i]
        if name == "gini":
            return [total - sum(Fraction(c) ** 2 for c in counts.values()) / total]
        terms = [rounded_x_log2_x(float(c)) for c in counts.values()]
        return [rounded_x_log2_x(float(total)), *(-term for term in terms)]

    def half_copy(self, i):
        """A sample like i of half its weight (definition 15)."""
        for column in self.of_rows():
            column.append(column[i])
        self.weights.append(self.weights[i] / 2)
        return len(self.weights) - 1

    def forget_copies(self, mark):
        for column in (*self.of_rows(), self.weights):
            del column[mark:]

    def of_rows(self):
        values = [] if self.is_classification() else self.criterion.values
        bins = [b for b, column in zip(self.bins, self.columns, strict=True) if b is not column]
        return (*self.columns, *bins, *self.criterion.y, *values)

    def is_pure(self, rows):
        return all(len({column[i] for i in rows}) == 1 for column in self.criterion.y)

    # ---- growing

    def grow(self):
        growth, max_splits = self.rules.growth, self.rules.max_splits
        if growth is None:
            limited = self.rules.max_leaf_nodes or max_splits
            growth = "best_first" if limited else "depth_first"
        self.examine(self.root)
        if growth == "random":
            return self.grow_at_random()
        waiting, n_leaves, n_splits = [self.root] if self.root.candidate else [], 1, 0
        priority = {
            "best_first": lambda n: n.decrease,
            "impurity_first": lambda n: self.impurity(n.fill),
            "size_first": lambda n: self.weight_of_rows(n.fill),
        }.get(growth)
        while waiting and n_leaves < (self.rules.max_leaf_nodes or inf):
            if n_splits == max_splits:
                break
            n_splits += 1
            if priority is not None:
                node = max(waiting, key=lambda n: (priority(n), [-s for s in n.path]))
                near = [n for n in waiting if priority(n) > priority(node) - 1e-12]
                self.close_call |= len(near) > 1 and growth != "size_first"
            elif growth == "depth_first":
                node = min(waiting, key=lambda n: n.path)
            else:
                node = min(waiting, key=lambda n: (n.depth, n.path))
            waiting.remove(node)
            self.divide(node)
            waiting += [child for child in node.children if child.candidate]
            n_leaves += len(node.children) - 1
        return None

    def grow_at_random(self):
        """Definition 12: cells without samples are drawn and cut too, which the tree does not show.

        The last leaf takes the place of the one drawn, then its children follow; a leaf that
        cannot be split is drawn in vain.
        """
        stream = Stream(derive(self.tree_key, ORDER))
        leaves, n_leaves = [self.root], 1
        while leaves and n_leaves < self.rules.max_leaf_nodes:
            at = stream.below(len(leaves))
            node, leaves[at] = leaves[at], leaves[-1]
            leaves.pop()
            if node is not None and node.rows and node.candidate is None:
                continue
            if node is None or not node.rows:
                leaves += [None, None]
            else:
                self.divide(node)
                leaves += node.children
            n_leaves += 1

    def examine(self, node):
        """Finds the node's split, or leaves it a leaf."""
        rules, n = self.rules, len(node.fill)
        if not node.rows or (self.is_pure(node.rows) and not rules.split_pure):
            return
        if n < self.min_split or (rules.max_depth is not None and node.depth >= rules.max_depth):
            return
        weight = self.weight_of_rows(node.rows)
        if weight < 2 * self.min_weight:
            return
        if self.min_leaf > 1 and n < 2 * self.min_leaf:
            return
        if self.is_pure_enough(node.fill):
            return
        self.criterion.enter(node.rows)
        candidate = self.choose(node)
        if candidate is None:
            return
        node.decrease = weight / self.whole * candidate.gain
        if rules.min_impurity_decrease > 0.0 and node.decrease < rules.min_impurity_decrease:
            return
        node.candidate = candidate

    def is_pure_enough(self, rows):
        """By the impurity (OK3), or by the share of the most frequent class (Orange)."""
        rules = self.rules
        if rules.min_impurity_split > 0.0:
            self.close_call |= abs(self.impurity(rows) - rules.min_impurity_split) < 1e-12
            if self.impurity(rows) <= rules.min_impurity_split:
                return True
        if rules.max_majority == 1.0:
            return False
        share = max(max(output) for output in self.criterion.value(rows))
        self.close_call |= abs(share - rules.max_majority) < 1e-12
        return share >= rules.max_majority

    def divide(self, node):
        test = node.test = self.for_unseen(node.candidate.test, node)
        rows = self.parts_of(test, node.rows, copies=True)
        fill = rows if node.fill is node.rows else self.parts_of(test, node.fill)
        for k in range(test.n_children):
            child = RecipeNode(
                rows[k],
                fill[k],
                node.depth + 1,
                child_key(node.key, k),
                (*node.path, k),
                self.cell_of_child(node, test, k),
                node.used | {test.feature},
                node,
            )
            if child.rows or self.rules.growth == "random":
                self.examine(child)
            node.children.append(child)

    def parts_of(self, test, rows, copies=False):
        """Rows of each child; one whose value is missing may go to both, as halves."""
        parts = [[] for _ in range(test.n_children)]
        for i in rows:
            ways = test.ways(self.row(i))
            for k in ways:
                parts[k].append(self.half_copy(i) if len(ways) > 1 and copies else i)
        return parts

    def cell_of_child(self, node, test, k):
        cell = list(node.cell)
        if test.threshold is not None and test.terms is None:
            low, high = cell[test.feature]
            v = test.threshold
            cell[test.feature] = (low, min(high, v)) if k == 0 else (max(low, v), high)
        return cell

    # ---- what is compared

    def value(self, node):
        """Of the samples that fill the node; where there are none, what its parent predicts."""
        while not node.fill:
            node = node.parent
        return self.criterion.value(node.fill)

    def predict(self, values):
        """Mean of the leaves that a row gets to, each with the share of it that goes there."""
        pending, leaves = [(self.root, 1.0)], []
        while pending:
            node, share = pending.pop()
            if node.children:
                ways = node.test.ways(values.__getitem__)
                pending += [(node.children[k], share / len(ways)) for k in ways]
            else:
                leaves.append((self.value(node)[0], share))
        width = len(leaves[0][0])
        return [[fsum(share * value[k] for value, share in leaves) for k in range(width)]]

    def is_classification(self):
        return isinstance(self.criterion, ClassCounts)
