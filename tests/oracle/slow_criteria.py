"""Splitting criteria on plain lists: every cut is judged anew from the samples on either side.

Two kinds of number live here. What a user sees (impurity, value) follows the formulas of the
thesis (3.4, 3.6.2) and is compared to rounding. What decides between cuts (score, decrease) is a
defined float64 expression, so that ties are the same ties: samples of one value are summed in row
order, then value after value, and the right side is the node less the left; sums of one output
with whole weights are exact and rounded once, and fractional weights are rounded to grids on which
sums are exact. Built-in ``sum`` is kept away from it, since newer Pythons compensate its rounding.
"""

from fractions import Fraction
from math import frexp, fsum, inf, log, log2

LN2 = 0.693147180559945309417232121458


def log2_portable(x):
    mantissa, exponent = frexp(x)
    if mantissa < 0.70710678118654752:
        mantissa *= 2.0
        exponent -= 1
    s = (mantissa - 1.0) / (mantissa + 1.0)
    s2 = s * s
    series = 0.0
    for k in range(21, 2, -2):
        series = (series + 1.0 / k) * s2
    return exponent + (s + s * series) * (2.0 / LN2)


def x_log2_x(x):
    return x * log2_portable(x) if x > 0.0 else 0.0


def rounded_x_log2_x(x):
    """A whole number's is rounded to a multiple of 2^-32: sums of such numbers are exact."""
    if x >= 2**25 or x != int(x):
        return x_log2_x(x)
    return int(x_log2_x(x) * 2.0**32 + 0.5) * 2.0**-32


def added(*numbers):
    """The plain sum from left to right."""
    total = 0.0
    for number in numbers:
        total += number
    return total


class Grids:
    """Fractional weights and their products with outputs, rounded so that sums are exact.

    The units are 2^-51 of powers of two above the sums of a node; no weight is less than its unit.
    """

    def __init__(self, weights, outputs):
        self.of_weight = frexp(fsum(weights))[1]
        self.of_sum = self.of_weight + frexp(max(map(abs, outputs)))[1]

    def weight(self, w):
        return max(self.rounded(w, self.of_weight), 2.0 ** (self.of_weight - 51))

    def product(self, rounded_weight, y):
        return self.rounded(rounded_weight * y, self.of_sum)

    @staticmethod
    def rounded(x, exponent):
        shift = 1.5 * 2.0 ** (exponent + 1)
        return (x + shift) - shift


def differences_of_means(left, whole, which):
    """Of both sides' sums over their weights, times both weights: left against the whole."""
    return [a * whole[0] - b * left[0] for a, b in zip(left[which], whole[which], strict=True)]


class SummedCriterion:
    """A criterion whose statistic is a list of numbers that add up, the weight first.

    ``rounded``: one output with fractional weights is summed on grids. ``exact``: its sums with
    whole weights are rounded once. ``first_of_two``: both sides of two samples score alike,
    whichever is left, so that the first cut between them is taken.
    """

    def __init__(self, weights):
        self.weights = weights
        self.whole = all(w == int(w) for w in weights)
        self.rounded = self.exact = False

    @property
    def first_of_two(self):
        return self.rounded or self.exact

    def joined(self, summaries):
        first, *others = summaries
        total = list(first)
        for summary in others:
            total = [a + b for a, b in zip(total, summary, strict=True)]
        return total

    def rest(self, whole, left):
        return [a - b for a, b in zip(whole, left, strict=True)]

    def weight(self, summary):
        return summary[0]


class ClassCounts(SummedCriterion):
    """Weights of the classes; within a node they stand in order of first appearance."""

    def __init__(self, name, y, weights, n_classes, rounds=False):
        super().__init__(weights)
        self.name, self.y, self.n_classes = name, y, n_classes
        self.rounded = rounds and not self.whole and name == "gini" and n_classes == [2]

    def enter(self, rows):
        self.places, self.outputs, self.width = [], [], 1
        for column in self.y:
            place, first = {}, self.width
            for i in rows:
                if column[i] not in place:
                    place[column[i]] = self.width
                    self.width += 1
            self.places.append(place)
            self.outputs.append(slice(first, self.width))
        if self.rounded:
            self.grids = Grids([self.weights[i] for i in rows], [1.0])

    def summary(self, rows):
        counts = [0.0] * self.width
        if self.rounded and self.width == 3:  # the second class is the rest
            first, second = self.places[0][0], self.places[0][1]
            for i in rows:
                w = self.grids.weight(self.weights[i])
                part = self.grids.product(w, 1.0 - self.y[0][i])
                counts[0] += w
                counts[first] += part
                counts[second] += w - part
            return counts
        for i in rows:
            w = self.weights[i]
            counts[0] += w
            for column, place in zip(self.y, self.places, strict=True):
                counts[place[column[i]]] += w
        return counts

    def part(self, counts, weight):
        """How pure one side is in one output."""
        if self.name == "entropy":
            terms = [rounded_x_log2_x(c) for c in counts]
            return added(*terms) - rounded_x_log2_x(weight)
        return max(counts)

    def score(self, left, right, whole):
        if self.name == "gini":  # the variances of "is this class", summed
            return self.gini(left, right, whole)
        each = [(self.part(left[o], left[0]) + self.part(right[o], right[0])) for o in self.outputs]
        return added(*each)

    def gini(self, left, right, whole):
        squares = [d * d for d in differences_of_means(left, whole, slice(1, None))]
        if len(squares) == 2:
            squares = [2.0 * squares[self.places[0][0] - 1 if self.rounded else 0]]
        return added(*squares) / (left[0] * right[0])

    def decrease(self, whole, score):
        if self.name == "gini":
            return score / whole[0] / whole[0] / len(self.y)
        for output in self.outputs:
            score -= self.part(whole[output], whole[0])
        decrease = score / whole[0] / len(self.y)
        return max(0.0, decrease) if self.name == "entropy" else decrease

    def worth_of_all(self, rows):
        """What a score rises by if all impurity goes."""
        weight = self.summary(rows)[0]
        worth = self.impurity(rows) * weight * len(self.y)
        return worth * weight if self.name == "gini" else worth

    def monotonic_value(self, side):
        """Share of the second class."""
        return (side[self.places[0][1]] if 1 in self.places[0] else 0.0) / side[0]

    def shares(self, rows, number=float):
        weight = sum(number(self.weights[i]) for i in rows)
        for column, n in zip(self.y, self.n_classes, strict=True):
            counts = [number(0)] * n
            for i in rows:
                counts[column[i]] += number(self.weights[i])
            yield [c / weight for c in counts]

    def impurity(self, rows, number=float):
        """Equations 3.19, 3.20 and 3.21, averaged over the outputs (3.7)."""
        each = []
        for p in self.shares(rows, number):
            if self.name == "gini":
                each.append(sum(q * (1 - q) for q in p))
            elif self.name == "entropy":
                each.append(-fsum(float(q) * log2(q) for q in p if q > 0))
            else:
                each.append(1 - max(p))
        return sum(each) / len(each)

    def value(self, rows):
        return list(self.shares(rows))


def learning_values(y, weights, centred):
    """An output as it is summed: less a value of its own, times a power of two common to all.

    That value is the lower median of the distinct ones among rows of positive weight.
    """
    seen = [sorted({v for v, w in zip(column, weights, strict=True) if w > 0}) for column in y]
    centres = [levels[(len(levels) - 1) // 2] if centred else 0.0 for levels in seen]
    largest = max(
        abs(v / 2 - c / 2) for levels, c in zip(seen, centres, strict=True) for v in levels
    )
    scale = 2.0 ** -(frexp(largest)[1] + 1) if largest > 0.0 else 1.0
    values = [[(v - c) * scale for v in column] for column, c in zip(y, centres, strict=True)]
    return values, centres, scale


class Moments(SummedCriterion):
    """Weighted sums of the outputs."""

    def __init__(self, name, y, weights, exact=False, rounds=False):
        super().__init__(weights)
        self.name, self.y = name, y
        self.exact = exact and self.whole and len(y) == 1
        self.rounded = rounds and not self.whole and len(y) == 1 and name != "poisson"
        self.values, self.centres, self.scale = learning_values(
            y, weights, centred=name != "poisson"
        )
        self.width = 1 + len(y)

    def enter(self, rows):
        if self.rounded:
            self.grids = Grids([self.weights[i] for i in rows], [self.values[0][i] for i in rows])

    def summary(self, rows):
        if self.rounded:
            each = [self.grids.weight(self.weights[i]) for i in rows]
            products = [
                self.grids.product(w, self.values[0][i]) for w, i in zip(each, rows, strict=True)
            ]
            return [added(*each), added(*products)]
        sums = [0.0] + [Fraction(0) if self.exact else 0.0] * len(self.y)
        for i in rows:
            w = self.weights[i]
            sums[0] += w
            for k, column in enumerate(self.values, 1):
                sums[k] += Fraction(w) * Fraction(column[i]) if self.exact else w * column[i]
        return sums

    def score(self, left, right, whole):
        if self.exact:
            left, whole = ([side[0], float(side[1])] for side in (left, whole))
            right = self.rest(whole, left)
        if self.name == "poisson":
            return self.deviance_part(left) + self.deviance_part(right)
        both = left[0] * right[0]
        differences = differences_of_means(left, whole, slice(1, None))
        if self.name == "friedman_mse":
            d = added(*differences)
            return d * d / (both * len(self.y))
        return added(*[d * d for d in differences]) / both

    def deviance_part(self, side):
        if min(side[1:]) <= 0.0:  # no logarithm: such a cut is not taken
            return -inf
        return added(*[s * (log2_portable(s / side[0]) * LN2) for s in side[1:]])

    def decrease(self, whole, score):
        if self.name == "poisson":
            whole = [float(s) for s in whole]
            return (score - self.deviance_part(whole)) / (whole[0] * len(self.y)) / self.scale
        return score / (whole[0] * whole[0] * len(self.y)) / self.scale / self.scale

    def worth_of_all(self, rows):
        weight = self.summary(rows)[0]
        worth = self.impurity(rows) * weight * len(self.y) * self.scale
        return worth if self.name == "poisson" else worth * weight * self.scale

    def monotonic_value(self, side):
        return (side[1] / side[0] + self.centres[0] * self.scale) / self.scale

    def means(self, rows, number=float):
        weight = sum(number(self.weights[i]) for i in rows)
        return [
            sum(number(self.weights[i]) * number(column[i]) for i in rows) / weight
            for column in self.y
        ]

    def impurity(self, rows, number=float):
        """Equation 3.22, or half the Poisson deviance, averaged over the outputs."""
        weight = sum(number(self.weights[i]) for i in rows)
        total = 0
        for column, mean in zip(self.y, self.means(rows, number), strict=True):
            for i in rows:
                w, v = number(self.weights[i]), number(column[i])
                if self.name != "poisson":
                    total += w * (v - mean) ** 2
                elif v > 0:
                    total += float(w * v) * log(v / mean)
        return total / (weight * len(self.y))

    def value(self, rows):
        return [[mean] for mean in self.means(rows)]


class Medians:
    """Absolute error: a side is its samples, and its median is looked for among them."""

    first_of_two = False

    def __init__(self, y, weights):
        self.y, self.weights = y, weights
        self.values, self.centres, self.scale = learning_values(y, weights, centred=True)

    def enter(self, rows):
        pass

    def summary(self, rows):
        return list(rows)

    def joined(self, summaries):
        return [i for rows in summaries for i in rows]

    def rest(self, whole, left):
        gone = set(left)
        return [i for i in whole if i not in gone]

    def weight(self, rows):
        return added(*[self.weights[i] for i in rows])

    def median(self, column, rows):
        """Half of the weight at or below it; the middle of two such if it is exactly half."""
        half, below = self.weight(rows) / 2, 0.0
        ordered = sorted({column[i] for i in rows})
        for low, high in zip(ordered, [*ordered[1:], None], strict=True):
            below += added(*[self.weights[i] for i in rows if column[i] == low])
            if below > half:
                return low
            if below == half:
                return low + (high - low) / 2
        raise AssertionError("no value reaches half of the weight")

    def error(self, y, rows):
        total = 0.0
        for column in y:
            m = self.median(column, rows)
            total += added(*[self.weights[i] * abs(column[i] - m) for i in rows])
        return total

    def score(self, left, right, whole):
        return -(self.error(self.values, left) + self.error(self.values, right))

    def decrease(self, whole, score):
        norm = self.weight(whole) * len(self.y)
        return self.error(self.values, whole) / norm / self.scale + score / norm / self.scale

    def worth_of_all(self, rows):
        return self.error(self.values, rows)

    def monotonic_value(self, side):
        return self.median(self.y[0], side)

    def impurity(self, rows, number=float):
        return number(self.error(self.y, rows)) / number(self.weight(rows) * len(self.y))

    def value(self, rows):
        return [[self.median(column, rows)] for column in self.y]


def criterion_of(name, y, weights, n_classes=None, exact=False, rounds=False):
    """``exact`` and ``rounds``: what the splitter does with whole and with fractional weights."""
    if n_classes is not None:
        return ClassCounts(name, y, weights, n_classes, rounds)
    if name == "absolute_error":
        return Medians(y, weights)
    return Moments(name, y, weights, exact, rounds)


def exact_decrease(criterion, rows, left):
    """Equation 3.5 from the samples alone; a fraction wherever the impurity is rational."""
    gone = set(left)
    right = [i for i in rows if i not in gone]
    whole, share = (sum(Fraction(criterion.weights[i]) for i in side) for side in (rows, left))
    share /= whole
    if getattr(criterion, "name", None) == "friedman_mse":
        # Friedman's improvement: over all outputs together, and 3.5 itself if there is but one.
        means = (criterion.means(side, Fraction) for side in (left, right))
        difference = sum(a - b for a, b in zip(*means, strict=True)) / len(criterion.y)
        return share * (1 - share) * difference**2
    i_t, i_l, i_r = (criterion.impurity(side, Fraction) for side in (rows, left, right))
    if isinstance(i_t, float):
        share = float(share)
    return i_t - share * i_l - (1 - share) * i_r
