"""Chapter 7: redundancy, chance and binary splits on small distributions, by brute force."""

from math import comb, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silvics.importance import (
    binary_encoding,
    copies,
    null_information,
    redundant,
)

from .brute_force import (
    CRITERIA,
    assert_same,
    binary_columns,
    decrease_of,
    encoded_trees,
    expected_trees,
    hypergeometric_decrease,
    impurity_of,
    information,
    near,
    others,
    permuted_decrease,
    random_table,
    subsets,
    table,
    tables,
    toy,
    xor,
)
from .test_chapter_6 import LED_TABLE, exact

few = settings(derandomize=True, deadline=None, max_examples=40)


def with_twin(t, j=0):
    """One more variable: the values of X_j under other names."""
    levels = sorted(set(t.X[:, j]))
    return t.with_column([(7 * levels.index(v) + 3) % 11 for v in t.X[:, j]])


def with_copies(t, j, n):
    for _ in range(n):
        t = t.with_column(t.X[:, j])
    return t


# ---- Redundant variables


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_lemmas_7_1_and_7_3(seed, criterion):
    t = with_twin(random_table(seed + 1000))
    i, j = 0, 3
    assert redundant(t.X[:, i], t.X[:, j], sample_weight=t.weight)
    rest = [1, 2]
    assert redundant(
        t.X[:, i], t.X[:, j], t.y,
        given=t.X[:, rest], criterion=criterion, sample_weight=t.weight,
    )  # fmt: skip
    for B in subsets(rest):
        # Eq 7.2 and 7.3
        assert information(t, i, (*B, j), criterion) == near(0)
        assert information(t, j, (*B, i), criterion) == near(0)
        assert information(t, i, B, criterion) == near(information(t, j, B, criterion))
        for l in set(rest) - set(B):  # noqa: E741
            # Eq 7.12
            told = information(t, l, (*B, i), criterion)
            assert information(t, l, (*B, j), criterion) == near(told)
            assert information(t, l, (*B, i, j), criterion) == near(told)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_propositions_7_2_and_7_4(seed, criterion):
    t = random_table(seed + 1100, p=1 + seed % 4)
    p, j = t.p, seed % t.p
    formula = np.zeros(p)
    for l in range(p):  # noqa: E741
        for B in subsets(set(others(t, l)) - {j}):
            k = len(B)
            told = information(t, l, B, criterion)
            # Eq 7.10, and the first sum of Eq 7.16
            formula[l] += (p - k) / (p + 1) / comb(p, k) / (p - k) * told
            if l != j:
                weight = sum(comb(2, m) / comb(p + 1, k + m) / (p + 1 - k - m) for m in (1, 2))
                formula[l] += weight * information(t, l, (*B, j), criterion)
    found = exact(with_twin(t, j), criterion=criterion).importances
    assert found[:p] == near(formula)
    assert found[p] == near(formula[j])
    assert copies(**t.data, variable=j, n_copies=1, criterion=criterion).importances[1] == near(
        formula
    )


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_proposition_7_5_on_the_table_with_its_copies(seed, criterion):
    t = random_table(seed + 1200, p=1 + seed % 3)
    for j in range(t.p):
        found = copies(**t.data, variable=j, n_copies=3, criterion=criterion)
        assert found.importances.shape == (4, t.p)
        for n in range(4):
            trees = expected_trees(with_copies(t, j, n), criterion=criterion).importances
            assert found.importances[n] == near(trees[: t.p])
            assert trees[t.p :] == near(np.full(n, trees[j]))


@pytest.mark.parametrize("seed", range(6))
def test_redundant_with_respect_to_the_output_is_enough(seed):
    # X' is X1 and, beside it, a coin that tells of nothing: L3136.
    t = random_table(seed + 1300, p=2).with_irrelevant([0.5, 0.5])
    twin = 10 * t.X[:, 0] + t.X[:, 2]
    t = t.keep([0, 1])
    assert not redundant(t.X[:, 0], twin, sample_weight=t.weight)
    assert redundant(t.X[:, 0], twin, t.y, sample_weight=t.weight)
    assert redundant(t.X[:, 0], twin, t.y, given=t.X[:, 1:], sample_weight=t.weight)
    by_formula = copies(**t.data, variable=0, n_copies=1).importances[1]
    found = exact(t.with_column(twin)).importances
    assert found == near([*by_formula, by_formula[0]])


@pytest.mark.parametrize("splits", ["multiway", "extra", "best"])
def test_copies_do_nothing_where_the_best_of_all_is_taken(splits):
    # Section 7.1, K = p: the copy takes half of its twin's, the others do not feel it. All sixteen
    # cells are possible and no two variables tell the same, else ties would feel it.
    cells = np.array([[a, b, c, y] for a in (0, 1) for b in (0, 1) for c in (0, 1) for y in (0, 1)])
    t = table(cells[:, :3], cells[:, 3], np.random.default_rng(0).random(16))
    alone = exact(t, splits=splits, K=3).importances
    found = exact(with_copies(t, 0, 1), splits=splits, K=4).importances
    assert found == near([alone[0] / 2, alone[1], alone[2], alone[0] / 2])


def test_what_is_alike_alone_may_differ_given_others():
    # X1 and X2 both tell nothing of the parity alone; with X2 known, X1 tells all.
    X1, X2 = xor().X.T
    assert redundant(X1, X2, X1 * 0)
    assert not redundant(X1, X2, xor().y)  # Eq 7.2
    assert not redundant(X1, X2)
    # Neither tells alone or with the other, and with X3 only X1 does.
    rows = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    y = rows[:, 0] ^ rows[:, 2]
    assert redundant(rows[:, 0], rows[:, 1], y)
    assert not redundant(rows[:, 0], rows[:, 1], y, given=rows[:, 2:])


def test_a_coarser_variable_is_not_totally_redundant():
    fine = np.array([0, 1, 2, 3])
    assert not redundant(fine, fine // 2)
    assert not redundant(fine // 2, fine)
    # It is with respect to an output that does not look closer.
    assert redundant(fine, fine // 2, fine // 2)
    assert not redundant(fine, fine // 2, fine)
    # What never happens does not count.
    assert redundant(fine, [0, 1, 2, 2], sample_weight=[1, 1, 1, 0])


def test_figure_7_1():
    found = copies(**LED_TABLE.data, variable=4, n_copies=5).importances
    x5 = [0.6566, 0.3769, 0.2685, 0.2094, 0.1719, 0.1459]
    assert found[:, 4] == near(x5, 6e-5)
    assert copies(**LED_TABLE.data, variable="x4", n_copies=2).importances == near(found[:3])
    for n in range(3):
        trees = expected_trees(with_copies(LED_TABLE, 4, n)).importances
        assert found[n] == near(trees[:7])
        # Theorem 6.2: with its copies, all add up to H(Y).
        assert found[n].sum() + n * found[n, 4] == near(log2(10))
    # With 5 copies X5 is the least of all; the others fall a little.
    assert found[5].argmin() == 4
    assert (np.diff(np.delete(found, 4, axis=1), axis=0) < 0).all()


def test_figure_7_2():
    found = copies(**xor().data, variable=0, n_copies=6).importances
    n = np.arange(7)
    assert found[:, 0] == near(1 / ((n + 1) * (n + 2)))
    assert found[:, 1] == near((n + 1) / (n + 2))


# ---- Chance (section 7.2.2)


def test_eq_7_18_and_7_19():
    rng = np.random.default_rng(0)
    for N, a, b in [(60, 2, 2), (120, 4, 3), (200, 10, 2)]:
        x, y = np.arange(N) % a, rng.permutation(np.arange(N) % b)
        found = null_information(x, y)
        assert found.observed == near(decrease_of(x, y, "entropy"))
        assert found.gamma_mean == near((a - 1) * (b - 1) / (2 * N * log(2)))
        assert found.gamma.mean() == near(found.gamma_mean)
        assert found.gamma.var() == near((a - 1) * (b - 1) / 2 / (N * log(2)) ** 2)
        # The exact mean is above, and near where cells are full.
        assert found.gamma_mean < found.expected < 1.12 * found.gamma_mean


def test_the_gamma_distribution_is_near_what_chance_does():
    rng = np.random.default_rng(1)
    x, y = np.arange(120) % 4, np.arange(120) % 3
    found = null_information(x, y)
    seen = np.sort([decrease_of(x, rng.permutation(y), "entropy") for _ in range(1500)])
    error = seen.std() / 1500**0.5
    assert abs(seen.mean() - found.expected) < 4 * error
    assert abs(seen.mean() / found.gamma_mean - 1) < 0.1
    # Kolmogorov's distance; 0.05 is passed by chance once in 10^3.
    assert abs(found.gamma.cdf(seen) - (np.arange(1500) + 0.5) / 1500).max() < 0.07


def test_of_cells_of_few_rows_the_gamma_mean_is_too_low():
    x, y = np.arange(12) // 2, np.arange(12) % 2
    found = null_information(x, y)
    assert found.expected == near(hypergeometric_decrease(x, y, "entropy"))
    assert found.gamma_mean < 0.9 * found.expected


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_expected_over_all_permutations(seed, criterion):
    rng = np.random.default_rng(seed)
    N = 2 + seed % 5
    x, y = rng.integers(0, 4, N), rng.integers(0, 3, N)
    if criterion == "variance":
        y = rng.normal(size=N).round(2)
    found = null_information(x, y, criterion=criterion)
    assert found.observed == near(decrease_of(x, y, criterion))
    assert found.expected == near(permuted_decrease(x, y.tolist(), criterion))


@few
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=11),
    criterion=st.sampled_from(CRITERIA),
)
def test_expected_over_all_tables_with_the_same_margins(rows, criterion):
    x, y = zip(*rows, strict=True)
    found = null_information(np.array(x), np.array(y), criterion=criterion)
    assert found.expected == near(hypergeometric_decrease(x, y, criterion))
    if criterion == "entropy":
        assert 0 <= found.p_value <= 1


@pytest.mark.parametrize("criterion", ["gini", "variance"])
@pytest.mark.parametrize("N", [2, 5, 30, 300])
def test_closed_form_of_gini_and_variance(N, criterion):
    # i(t)(c - 1)/(N - 1), c children
    rng = np.random.default_rng(N)
    x, y = rng.integers(0, 7, N), rng.integers(0, 5, N)
    found = null_information(x, y, criterion=criterion)
    c = len(set(x.tolist()))
    assert found.expected == near(impurity_of(y.tolist(), [1] * N, criterion) * (c - 1) / (N - 1))
    assert found.gamma is None


def test_values_all_unique_tell_everything_by_chance():
    y = np.arange(8) % 2
    for criterion in CRITERIA:
        found = null_information(np.arange(8), y, criterion=criterion)
        assert found.expected == near(found.observed)
        assert found.expected == near(impurity_of(y.tolist(), [1] * 8, criterion))


def test_the_more_values_the_more_by_chance():
    # Table 7.1, the null case: M(2), M(4), M(10), M(20) and one of 120 values.
    y = np.arange(120) % 2
    means = [null_information(np.arange(120) // (120 // m), y).expected for m in (2, 4, 10, 20)]
    assert (np.diff([0, *means, null_information(np.arange(120), y).expected]) > 0).all()


def test_p_values_are_small_where_x_tells():
    y = np.arange(40) % 2
    assert null_information(y, y).p_value < 1e-6
    assert null_information(np.arange(40) // 2, y).p_value > 0.5


# ---- Binary trees (section 7.2.3)


TABLE_7_2 = table([[0, 0], [1, 1], [2, 1]], [0, 1, 1])


def at_most_1(t):
    return t.with_column(t.X[:, 0] <= 1)


def test_table_7_2():
    half = 0.4591479170272448
    assert exact(TABLE_7_2).importances == near([half, half])
    assert exact(TABLE_7_2, splits="best").importances == near([half, half])
    # The two sums of L3266, printed as 0.375 and 0.541.
    all_of_it, some = information(TABLE_7_2, 1), information(at_most_1(TABLE_7_2), 2)
    x1 = 2 / 8 * some + 1 / 8 * 2 / 3 * 1 + 1 / 4 * all_of_it
    x2 = 1 / 2 * all_of_it + 1 / 8 * 2 / 3 * 1
    found = exact(TABLE_7_2, splits="extra")
    assert found.importances == near([x1, x2])
    assert found.importances == near([0.375815, 0.542481], 1e-6)
    assert_same(found, expected_trees(TABLE_7_2, "extra"))


@pytest.mark.parametrize("L", range(2, 9))
def test_figure_7_8(L):
    t = toy(L)
    y = t.y.mean()
    half = -(y * log2(y) + (1 - y) * log2(1 - y)) / 2
    assert exact(t).importances == near([half, half])
    assert exact(t, splits="best").importances == near([half, half])
    extra = exact(t, splits="extra")
    assert_same(extra, expected_trees(t, "extra"))
    assert_same(exact(t, splits="encoded"), encoded_trees(t))
    if L == 4:
        assert extra.importances == near([0.3644, 0.6356], 6e-5)
    if L > 2:
        assert extra.importances[0] < exact(toy(L - 1), splits="extra").importances[0]
        assert extra.importances[1] > exact(toy(L - 1), splits="extra").importances[1]


def test_cuts_are_drawn_by_length_not_by_count():
    # X1 is 0, 1 or 10: X1 <= 0 tells all and is drawn once in ten times.
    t = table([[0, 0], [1, 1], [10, 1]], [0, 1, 1])
    all_of_it, some = information(t, 1), information(at_most_1(t), 2)
    x1 = 0.5 * (0.1 * all_of_it + 0.9 * (some + 0.5 * 2 / 3))
    assert exact(t, splits="extra").importances == near([x1, all_of_it - x1])
    assert exact(t, splits="best").importances == near([all_of_it / 2, all_of_it / 2])


@pytest.mark.parametrize("seed", range(4))
def test_figure_7_4_cuts_on_one_variable_alone_collect_what_one_multiway_split_tells(seed):
    t = random_table(seed + 1800, p=1, cardinalities=[4])
    for splits in ("multiway", "extra", "best", "encoded"):
        assert exact(t, splits=splits).importances == near([information(t, 0)])


@pytest.mark.parametrize("seed", range(6))
def test_binary_variables_make_all_trees_alike(seed):
    # Section 6.4.3 says so of any K; it is so where constants are skipped, for K = 1 and for K = p.
    t = random_table(seed + 1400, cardinalities=[2, 2, 2])
    for K in (1, 3):
        multiway = exact(t, K=K).importances
        for splits in ("extra", "best"):
            assert exact(t, K=K, splits=splits, constant_features="skip").importances == near(
                multiway
            )


@pytest.mark.parametrize("constant_features", ["count", "skip"])
@pytest.mark.parametrize("splits", ["extra", "best"])
@pytest.mark.parametrize("seed", range(4))
def test_binary_trees_of_four_variables(seed, splits, constant_features):
    t = random_table(seed + 1500, p=4, n=12)
    for K in (1, 2, 3, 4):
        parameters = {"splits": splits, "K": K, "constant_features": constant_features}
        assert_same(exact(t, **parameters), expected_trees(t, **parameters))


# ---- The box: L-ary variables as binary ones


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_the_box(seed, criterion):
    t = random_table(seed + 1600, p=1 + seed % 3, n=10)
    assert_same(exact(t, splits="encoded", criterion=criterion), encoded_trees(t, criterion))


@few
@given(tables(p=3, n=6))
def test_the_box_on_any_table(t):
    assert_same(exact(t, splits="encoded"), encoded_trees(t))


def test_the_box_is_not_extra_trees():
    # A column asked where it is constant is used up: at L = 5 this first shows.
    for L in (3, 4):
        assert exact(toy(L), splits="encoded").importances == near(
            exact(toy(L), splits="extra").importances
        )
    gap = exact(toy(5), splits="encoded").importances - exact(toy(5), splits="extra").importances
    assert gap[1] == near(-gap[0])
    assert gap[1] > 0.006


def test_binary_variables_in_the_box_are_themselves():
    assert_same(exact(xor(), splits="encoded"), expected_trees(xor()))


@pytest.mark.parametrize("seed", range(4))
def test_binary_encoding(seed):
    t = random_table(seed + 1700, n=20)
    columns, groups = binary_encoding(t.X)
    expected, owner = binary_columns(t if t.weight.all() else type(t)(t.X, t.y, t.weight + 1))
    assert list(groups) == owner
    assert (np.asarray(columns) == expected).all()
