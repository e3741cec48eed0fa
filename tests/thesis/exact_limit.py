"""The prediction of infinitely many totally randomized trees, exactly (thesis L1825).

A tree grown on all rows with K = 1 draws one of the variables that are not constant at a node, and
a threshold that is uniform between the smallest and the largest value. The expected prediction of a
sample follows by recursion over sets of rows: below a threshold between two values of a variable
lie the same rows, so only the gap that contains the sample's own value is divided.
"""

import itertools
from functools import cache

import numpy as np


def expected_prediction(X, y, x):
    """The mean of y in the leaf of x, over all totally randomized trees."""

    @cache
    def value(rows):
        inside = np.array(rows)
        if len(inside) == 1 or np.ptp(y[inside]) == 0:
            return float(y[inside].mean())
        useful = [j for j in range(X.shape[1]) if np.ptp(X[inside, j]) > 0]
        if not useful:
            return float(y[inside].mean())
        return sum(of_variable(rows, j) for j in useful) / len(useful)

    def of_variable(rows, j):
        at = X[list(rows), j]
        values = np.unique(at)
        total = 0.0
        for a, b in itertools.pairwise(values):
            left = tuple(i for i in rows if X[i, j] <= a)
            right = tuple(i for i in rows if X[i, j] > a)
            # The sample goes right for thresholds in the gap below its value.
            below = min(max(x[j], a), b) - a
            if below > 0:
                total += below * value(right)
            if below < b - a:
                total += (b - a - below) * value(left)
        return total / (values[-1] - values[0])

    return value(tuple(range(len(y))))
