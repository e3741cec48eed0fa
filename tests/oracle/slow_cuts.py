"""What can be done with one variable at a node: candidates for its split."""

from dataclasses import dataclass, replace
from math import inf

from .slow_multiway import multiway_test, of_every_value
from .slow_random import CUT, Stream, chosen_rows, coin, coins_that_part, derive, uniform_cut
from .slow_tree import middle_of_gap

CELLS = ("cell_uniform", "cell_middle")
COMBINATION = 1 << 36  # part of a node's key
RANGE = 9
OBLIQUE = -3  # in the place of a variable's number


@dataclass(frozen=True)
class Test:
    """Which way values go: in two by a threshold or by levels, missing ones maybe apart."""

    feature: int
    threshold: float | None = None
    levels: frozenset | None = None  # those that go left
    missing: tuple = (1,)  # children of missing values
    terms: tuple | None = None  # (variable, coefficient) of a combination
    n_children: int = 2

    def value(self, of):
        """What is compared, of the row whose value of a variable ``of`` tells."""
        if self.terms is None:
            return of(self.feature)
        parts = [(c, of(f)) for f, c in self.terms]
        return None if any(v is None for _, v in parts) else combined(parts)

    def ways(self, of):
        """Children that a row goes to."""
        value = self.value(of)
        if value is None:
            return self.missing
        left = value <= self.threshold if self.levels is None else value in self.levels
        return (0 if left else 1,)

    def record(self):
        """As the library tells it of nodes that are not plain."""
        return {
            "test": "thresholds" if self.levels is None else "subset",
            "cuts": [self.threshold] if self.levels is None else [],
            "terms": list(self.terms or []),
            "missing_child": self.missing[0],
        }


def combined(parts):
    total = 0.0
    for coefficient, value in parts:
        total += coefficient * value
    return total


@dataclass
class Candidate:
    test: Test
    parts: list
    gain: float
    gain_by_chance: float = 0.0

    @property
    def worth(self):
        return self.gain - self.gain_by_chance


class Cuts:
    """Candidates of one variable; part of a tree."""

    def parts_nothing(self, node, f):
        """Constant at the node; missing differs from any value. Of a cell: as wide as a point."""
        column = self.columns[f]
        if self.rules.split == "oblique" and f not in self.n_levels:
            column = self.combined_column(node, f)
        elif self.rules.cut == "best":
            column = self.bins[f]
        present = {column[i] for i in node.rows}
        if self.rules.cut in CELLS and f not in self.n_levels:
            low, high = node.cell[f]
            return not (low < high)
        if self.rules.missing != "learned":  # then known values alone are parted
            return len(present - {None}) < 2
        return len(present) == 1

    def candidates(self, node, f):
        if of_every_value(self, f):
            tests = [multiway_test(self, node, f)]
        elif self.rules.split == "oblique" and f not in self.n_levels:
            tests = self.oblique_tests(node, f)
        elif self.rules.cut == "best":
            tests = self.best_tests(node, f)
        else:
            tests = self.drawn_tests(node, f)
        for test in tests:
            candidate = self.judged(node, test)
            if candidate is not None:
                yield candidate

    def judged(self, node, test):
        """The candidate, if it leaves every child enough; None otherwise."""
        mark = len(self.weights)
        parts = self.parts_of(test, node.rows, copies=True)
        sides = parts[:2] if self.rules.missing == "apart" else parts
        if of_every_value(self, test.feature):
            enough = sum(len(part) >= self.min_leaf for part in parts) >= 2
            enough |= self.rules.variables == "unused"
        else:
            enough = all(
                len(part) >= self.least() and self.weight_of_rows(part) >= self.min_weight
                for part in sides
            )
        gain = self.gain(parts) if enough else None
        if self.honest and enough and not self.filled(node, test):
            enough, gain = self.rules.cut in CELLS, 0.0  # a cell may stay empty, but gains nothing
        parts = [sorted(i for i in part if i < mark) for part in parts]
        self.forget_copies(mark)
        return Candidate(test, parts, gain) if enough else None

    def filled(self, node, test):
        """Whether enough rows that fill go to every child; missing values apart may be none."""
        fill = self.parts_of(test, node.fill)
        if self.rules.missing == "apart":
            fill = fill[:2]
        return all(len(part) >= max(1, self.min_leaf) for part in fill)

    def least(self):
        if self.rules.cut in CELLS:
            return 0
        return 1 if self.honest else self.min_leaf

    def for_unseen(self, test, node):
        """What the node has none of goes to the heavier child; drawn levels keep their coins.

        What only rows that fill have goes where the search, which did not see it, leaves it.
        """
        if of_every_value(self, test.feature):
            return test
        seen = {test.value(self.row(i)) for i in {*node.rows, *node.fill}}
        left, right = map(self.weight_of_rows, self.parts_of(test, node.fill)[:2])
        if None not in seen and self.rules.missing == "learned":
            to_left = left >= right if test.terms else left > right  # of equals
            test = replace(test, missing=(0 if to_left else 1,))
        if test.levels is not None and self.rules.cut == "best" and left > right:
            unseen = set(range(self.n_levels[test.feature])) - seen
            test = replace(test, levels=test.levels | unseen)
        return test

    def with_missing(self, test):
        """As the rule for missing values has it, where it is not learned."""
        if self.rules.missing == "apart":
            return replace(test, missing=(2,), n_children=3)
        return replace(test, missing=(0, 1))

    # ---- all cuts

    def groups(self, f, rows):
        """Rows that no cut parts: of a value, or of a bin of the node's values."""
        rules, column = self.rules, self.columns[f]
        if f in self.n_levels or not rules.binning.startswith("node"):
            return super().groups(f, rows)
        known = sorted((column[i], i) for i in rows if column[i] is not None)
        groups = {}
        for value, i in known:
            if rules.binning == "node_width":
                low, high = known[0][0] / 2, known[-1][0] / 2
                place = (value / 2 - low) / (high - low) if high > low else 0.0
                at = min(int(place * rules.max_bins), rules.max_bins - 1)
            else:  # where the middle of the value's rows is among all
                below = sum(v < value for v, _ in known)
                upto = sum(v <= value for v, _ in known)
                at = (below + upto - 1) * rules.max_bins // (2 * len(known))
            groups.setdefault(at, []).append(i)
        missing = [i for i in rows if column[i] is None]
        return [sorted(groups[at]) for at in sorted(groups)], missing

    def best_tests(self, node, f):
        rows = node.rows
        if self.rules.missing != "learned":
            rows = [i for i in rows if self.columns[f][i] is not None]
            self.criterion.enter(rows if self.rules.missing == "apart" else node.rows)
        cuts = self.cuts_of_levels(node, f, rows) if f in self.n_levels else None
        for _, way in self.cuts_of_numbers(f, rows) if cuts is None else cuts:
            threshold = way.threshold if way.levels is None else None
            if threshold is not None and not self.in_range(node, f, threshold):
                continue
            test = Test(f, threshold, way.levels, (0 if way.missing_left else 1,))
            yield test if self.rules.missing == "learned" else self.with_missing(test)

    def in_range(self, node, f, threshold):
        """Definition 14: some samples of a larger node bound where cuts may be."""
        size = self.rules.range_sample
        if size is None or len(node.rows) <= size:
            return True
        rows = chosen_rows(derive(node.key, RANGE), node.rows, size)
        known = [v for i in rows if (v := self.columns[f][i]) is not None]
        return bool(known) and min(known) <= threshold < max(known)

    # ---- drawn cuts

    def drawn_tests(self, node, f):
        """One cut; missing values are tried on either side of it."""
        present = {self.columns[f][i] for i in node.rows}
        known, missing = present - {None}, None in present
        alone = len(known) == 1 and self.rules.cut not in CELLS  # missing against the known
        if self.rules.cut == "pair" and f not in self.n_levels and not alone:
            a, b = (self.columns[f][i] for i in self.pair)
            if a == b or a is None or b is None:
                return
        if f in self.n_levels:
            seed = coins_that_part(self.key_of_cuts, f, known)
            levels = frozenset(v for v in range(self.n_levels[f]) if coin(seed, v))
            tests = [Test(f, levels=levels)]
            if missing and not alone:
                tests.append(Test(f, levels=levels, missing=(0,)))
        else:
            v = None if alone else self.drawn_threshold(node, f, sorted(known))
            tests = [Test(f, inf if alone else v)]
            if missing:
                tests.append(Test(f, -inf if alone else v, missing=(0,)))
        if self.rules.missing != "learned":
            tests = [self.with_missing(tests[0])]
        yield from tests

    def drawn_threshold(self, node, f, known):
        rule = self.rules.cut
        if rule == "relevance":
            relevant = self.rules.relevant is None or self.rules.relevant[f]
            rule = "middle" if relevant else "uniform"
        low, high = node.cell[f] if rule in CELLS else (known[0], known[-1])
        if rule in ("middle", "cell_middle"):
            return middle_of_gap(low, high)
        if rule in ("uniform", "cell_uniform"):
            return uniform_cut(self.key_of_cuts, f, low, high)
        if rule == "pair":
            low, high = sorted(self.columns[f][i] for i in self.pair)
            return uniform_cut(self.key_of_cuts, f, low, high)
        stream = Stream(derive(self.key_of_cuts, CUT + f))
        gap = stream.below(len(known) - 1)
        low, high = known[gap], known[gap + 1]
        return low + stream.uniform() * (high - low)

    def row(self, i):
        """Its value of any variable."""
        return lambda f: self.columns[f][i]

    # ---- combinations

    def column_of(self, test):
        return [test.value(self.row(i)) for i in range(len(self.weights))]

    def combined_column(self, node, f):
        """The variable joined by others of the numbers, as if their sum were a column."""
        stream = Stream(derive(node.key, COMBINATION + self.n_combinations))
        self.n_combinations += 1
        terms = [(f, 2.0 * stream.uniform() - 1.0)]
        others = [g for g in self.usable if g != f and g not in self.n_levels]
        for i in range(min(len(others), self.rules.n_combined - 1)):
            j = i + stream.below(len(others) - i)
            others[i], others[j] = others[j], others[i]
            terms.append((others[i], 2.0 * stream.uniform() - 1.0))
        low, high = zip(*self.ranges, strict=True)
        terms = tuple((g, c / (high[g] - low[g])) for g, c in terms)
        self.combination = Test(OBLIQUE, terms=terms)
        return self.column_of(self.combination)

    def oblique_tests(self, node, f):
        """Cuts on the combination that was made when the variable was drawn."""
        column, terms = self.columns[f], self.combination.terms
        self.columns[f] = self.bins[f] = self.column_of(self.combination)
        best = self.rules.cut == "best"
        tests = list(self.best_tests(node, f) if best else self.drawn_tests(node, f))
        self.columns[f] = self.bins[f] = column
        for test in tests:
            yield replace(test, feature=OBLIQUE, terms=terms)
