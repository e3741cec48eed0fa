"""Theorems 5.1 to 5.10: the work of growing, and the depth of leaves, in three cases.

Work is the number of values that are read in the search for splits. Values are sorted once, before
growth, so that the logarithm of sorting within a node is missing from it (theorems 5.2, 5.4, 5.6).
The thesis counts the nodes on a path, which is one more than the edges that are counted here.
"""

from math import log, log2

import numpy as np
import pytest

from silvics import ForestRegressor


def grown(recipe, x, y, **settings):
    return ForestRegressor(recipe, min_samples_split=2, random_state=0, **settings).fit(x, y)


def column(x):
    return np.asarray(x, dtype=float)[:, np.newaxis]


def slope(sizes, values):
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


def bits(n):
    """A variable for each bit of a row number: every cut halves every node that it can split."""
    return ((np.arange(n)[:, np.newaxis] >> np.arange(int(log2(n)))) & 1).astype(float)


def recurrence(f, n, cache):
    """T(n) = 2 T(n / 2) + f(n), T(1) = 1, for a power of two."""
    if n == 1:
        return 1.0
    if n not in cache:
        cache[n] = 2 * recurrence(f, n // 2, cache) + f(n)
    return cache[n]


@pytest.mark.parametrize("k", [0, 1])
def test_recurrences_of_the_best_case(k):
    """Case (b) of theorem 5.1: n log^k n more per node is n log^(k + 1) n in all."""
    cache: dict[int, float] = {}
    ratios = [
        recurrence(lambda n: n * log2(n) ** k, 2**i, cache) / (2**i * i ** (k + 1))
        for i in (100, 200, 400)
    ]
    assert ratios[-1] == pytest.approx(1 / (k + 1), rel=0.01)  # theorems 5.3 and 5.2
    assert abs(np.diff(ratios)).max() < 0.01


def test_recurrences_of_the_average_case():
    """Equations 5.14, 5.20 and 5.31, with all sizes of the children equally likely."""
    N = 2000
    depth, linear, sorting = (np.zeros(N + 1) for _ in range(3))
    depth[1] = linear[1] = sorting[1] = 1.0
    n = np.arange(N + 1)
    for i in range(2, N + 1):
        depth[i] = 1 + 2 * (n[1:i] * depth[1:i]).sum() / i / (i - 1)
        linear[i] = i + 2 * linear[1:i].sum() / (i - 1)
        sorting[i] = i * log(i) + 2 * sorting[1:i].sum() / (i - 1)
    harmonic = (1 / n[1:]).cumsum()
    assert depth[1:] == pytest.approx(2 * harmonic - 1)  # 5.34
    assert linear[2:] == pytest.approx(n[2:] * (2 * harmonic[1:] - 1))  # 5.24: of order N log N
    ratio = sorting[1:] / n[1:] / harmonic**2  # theorem 5.6: of order N log^2 N
    assert ratio[-1] == pytest.approx(1.0, abs=0.1)
    assert abs(ratio[N // 2 :] - ratio[-1]).max() < 0.01


@pytest.mark.parametrize("N", [64, 512, 4096])
def test_best_case(N):
    """Every split halves the node: N log N, and leaves of depth log N (theorem 5.8)."""
    best = grown("cart", column(np.arange(N)), np.arange(N))
    assert best.work_["values_read"] == N * log2(N)
    assert best.work_["mean_leaf_depth"] == log2(N)
    random = grown("extra_trees", bits(N), np.arange(N), n_estimators=1, max_features=1)
    assert random.work_["mean_leaf_depth"] == log2(N)
    # Some variables that are drawn are constant, and are read to see that.
    assert N * log2(N) <= random.work_["values_read"] <= 3 * N * log2(N)


def test_worst_case():
    """Every split separates one sample: N^2, and leaves of depth N / 2 (theorem 5.9)."""
    sizes = [64, 128, 256, 512]
    for N in (8, 16, 32, *sizes):
        x = 3.0 ** np.arange(N)
        work = grown("cart", column(x), x).work_
        # Outputs beyond 2^53 are rounded, so that the smallest are equal.
        off = {"rel": 0.01} if N > 32 else {}
        assert work["mean_leaf_depth"] == pytest.approx((N - 2 / N + 3) / 2 - 1, **off)  # 5.30
        assert work["values_read"] == pytest.approx((N + 2) * (N - 1) / 2, **off)
    random = [
        grown("extra_trees", column(x), x, n_estimators=5).work_
        for x in (3.0 ** np.arange(N) for N in sizes)
    ]
    assert slope(sizes, [work["values_read"] for work in random]) > 1.85
    assert slope(sizes, [work["mean_leaf_depth"] for work in random]) > 0.85


def test_average_case():
    """Random cuts of evenly spaced values: all sizes of children are equally likely."""
    sizes = [128, 512, 2048]
    y = np.random.default_rng(0).normal(size=max(sizes))
    for N in sizes:
        work = grown("extra_trees", column(np.arange(N)), y[:N], n_estimators=50).work_
        harmonic = (1 / np.arange(1, N + 1)).sum()
        # Equation 5.24 with a cost of N for inner nodes and none for leaves.
        assert work["values_read"] / 50 == pytest.approx(N * (2 * harmonic - 2), rel=0.05)
        assert work["mean_leaf_depth"] == pytest.approx(2 * harmonic - 2, rel=0.05)
    # Best cuts on noise: between N log N and N log^2 N, which theorem 5.6 has with sorting.
    work = [
        grown("random_forest", column(np.arange(N)), y[:N], n_estimators=20).work_["values_read"]
        for N in sizes
    ]
    least, most = (slope(sizes, [N * log(N) ** k for N in sizes]) for k in (1, 2))
    assert least - 0.05 < slope(sizes, work) < most + 0.1


def test_trees_drawn_uniformly_are_of_order_sqrt_n():
    """Section 5.2's box: all trees of N leaves alike, and not all sizes of children alike."""
    N = 300
    catalan = np.ones(N + 1)  # trees of n leaves, over 4^n to stay in range
    catalan[0], catalan[1] = 0.0, 0.25
    paths = np.zeros(N + 1)  # mean sum of the depths of the leaves
    for n in range(2, N + 1):
        i = np.arange(1, n)
        pairs = catalan[i] * catalan[n - i]
        catalan[n] = pairs.sum()
        paths[n] = n + 2 * (pairs * paths[i]).sum() / catalan[n]
    n = np.arange(50, N + 1)
    assert slope(n, paths[n] / n) == pytest.approx(0.5, abs=0.03)
    # 4^(N - 1) / C(2N - 2, N - 1) for the depth of a leaf, in edges, is of order sqrt(pi N).
    assert paths[N] / N == pytest.approx((np.pi * N) ** 0.5, rel=0.06)
