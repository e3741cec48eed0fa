"""Chapter 6: every theorem on small distributions, against trees followed node by node."""

from math import comb, log2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silvics.importance import asymptotic_importances, masking, relevance

from ...led import EXACT, PRINTED
from .brute_force import (
    CRITERIA,
    assert_same,
    conditional_impurity,
    contexts,
    decrease,
    expected_trees,
    impurity,
    information,
    led,
    mutual_information,
    near,
    others,
    random_table,
    subsets,
    table,
    tables,
    xor,
)

LED_TABLE = led()
EVERY_SPLIT = ["multiway", "extra", "best"]
few = settings(derandomize=True, deadline=None, max_examples=40)


def exact(table, **parameters):
    return asymptotic_importances(**table.data, method="exact", **parameters)


def sizes(seed):
    """p = 1 to 4 in turn, with fewer rows where there are more variables."""
    return random_table(seed, p=1 + seed % 4, n=16 - seed % 4)


def theorem_6_1(table, criterion, degrees=None):
    """Eq 6.10 and 6.31, up to a degree (6.37): [variable, degree]."""
    p = table.p
    sums = np.zeros((p, p))
    for j in range(p):
        for B in subsets(others(table, j)):
            if degrees is None or len(B) < degrees:
                weight = 1 / comb(p, len(B)) / (p - len(B))
                sums[j, len(B)] += weight * information(table, j, B, criterion)
    return sums


# ---- Information (Eq 6.4 to 6.9)


@pytest.mark.parametrize("seed", range(8))
def test_the_witness_keeps_the_rules_of_information(seed):
    t = random_table(seed)
    x = [lambda row, j=j: t.values[row][j] for j in range(3)]
    y = t.outputs.__getitem__
    both = lambda row: (x[0](row), x[2](row))  # noqa: E731
    # Eq 6.6 and 6.7: the decrease of entropy is the mutual information.
    assert information(t, 0) == near(mutual_information(t, x[0], y))
    assert information(t, 0, (1,)) == near(mutual_information(t, x[0], y, x[1]))
    # Eq 6.8 and 6.9: chain rule, symmetry.
    chain = mutual_information(t, x[0], y, x[1]) + information(t, 2, (0, 1))
    assert mutual_information(t, both, y, x[1]) == near(chain)
    assert mutual_information(t, y, x[0], x[1]) == near(mutual_information(t, x[0], y, x[1]))


# ---- Theorems 6.1 and 6.2


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(12))
def test_theorem_6_1_and_eq_6_31(seed, criterion):
    t = sizes(seed)
    trees = expected_trees(t, criterion=criterion)
    formula = theorem_6_1(t, criterion)
    assert trees.by_degree == near(formula)
    found = exact(t, criterion=criterion)
    assert_same(found, trees)
    assert found.impurity == near(impurity(t, t.rows, criterion))
    # The weight of each set is that of Eq 6.14, all p 2^(p-1) of them are told.
    rows = contexts(found)
    assert len(rows) == t.p * 2 ** (t.p - 1)
    for (j, B), (weight, importance) in rows.items():
        assert weight == near(1 / comb(t.p, len(B)) / (t.p - len(B)))
        assert importance == near(weight * information(t, j, B, criterion))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("splits", EVERY_SPLIT)
@pytest.mark.parametrize("seed", range(6))
def test_every_K_is_what_trees_have(seed, splits, criterion):
    t = sizes(seed + 100)
    for K in range(1, t.p + 1):
        found = exact(t, K=K, splits=splits, criterion=criterion)
        assert_same(found, expected_trees(t, splits, criterion, K=K))


@few
@given(
    t=tables(),
    splits=st.sampled_from(EVERY_SPLIT),
    criterion=st.sampled_from(CRITERIA),
    K=st.integers(1, 3),
    constant_features=st.sampled_from(["count", "skip"]),
    depth=st.sampled_from([None, 1, 2]),
)
def test_any_table_any_trees(t, splits, criterion, K, constant_features, depth):
    K = min(K, t.p)
    if splits == "multiway":
        constant_features = "count"
        depth = depth and min(depth, t.p)
    parameters = {
        "K": K, "splits": splits, "criterion": criterion,
        "constant_features": constant_features, "depth": depth,
    }  # fmt: skip
    assert_same(exact(t, **parameters), expected_trees(t, **parameters))


@few
@given(
    t=tables(),
    splits=st.sampled_from(EVERY_SPLIT),
    K=st.integers(1, 3),
    q=st.integers(1, 3),
)
def test_any_table_any_subspaces(t, splits, K, q):
    q = min(q, t.p)
    K = min(K, q)
    found = exact(t, K=K, splits=splits, subspace=q)
    assert_same(found, expected_trees(t, splits, K=K, subspace=q))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_theorem_6_2_for_every_K_and_every_split(seed, criterion):
    t = sizes(seed + 200)
    told = impurity(t, t.rows, criterion) - conditional_impurity(t, range(t.p), criterion)
    for K in range(1, t.p + 1):
        for splits in EVERY_SPLIT:
            for rule in ("count", "skip")[: 1 if splits == "multiway" else 2]:
                found = exact(t, K=K, splits=splits, criterion=criterion, constant_features=rule)
                assert found.importances.sum() == near(told)
                assert found.total == near(told)
    assert exact(t, splits="encoded", criterion=criterion).total == near(told)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_eq_6_17_each_degree_has_at_most_a_pth_of_the_impurity(seed, criterion):
    t = sizes(seed + 300)
    found = exact(t, criterion=criterion)
    assert found.by_degree.max() <= found.impurity / t.p + 1e-12
    assert found.by_degree.min() >= -1e-12


@pytest.mark.parametrize("criterion", CRITERIA)
def test_eq_6_17_is_reached_by_a_variable_that_alone_tells_all(criterion):
    # Whatever came before, X1 still has all of H(Y) to tell.
    t = table([[0], [0], [1]], [0, 0, 1]).with_irrelevant([0.5, 0.5]).with_irrelevant([0.2, 0.8])
    found = exact(t, criterion=criterion)
    assert found.by_degree[0] == near(np.full(3, found.impurity / 3))


# ---- Relevance


def classed(table, criterion):
    relevant, marginally, strongly = np.zeros((3, table.p), bool)
    for j in range(table.p):
        told = {B: information(table, j, B, criterion) for B in subsets(others(table, j))}
        relevant[j] = max(told.values()) > 1e-10
        marginally[j] = told[()] > 1e-10
        strongly[j] = told[tuple(others(table, j))] > 1e-10
    return relevant, marginally, strongly


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(16))
def test_definitions_6_2_and_6_3(seed, criterion):
    t = sizes(seed + 400)
    if seed % 2:
        t = t.with_irrelevant([0.5, 0.25, 0.25])
    found = relevance(**t.data, criterion=criterion)
    relevant, marginally, strongly = classed(t, criterion)
    assert (found.relevant == relevant).all()
    assert (found.marginally == marginally).all()
    assert (found.strongly == strongly).all()
    assert (found.weakly == relevant & ~strongly).all()
    kinds = np.where(
        strongly, "strongly relevant", np.where(relevant, "weakly relevant", "irrelevant")
    )
    assert list(found.kind) == list(kinds)
    index = {name: j for j, name in enumerate(found.names)}
    for j in range(t.p):
        if not relevant[j]:
            assert found.witnesses[j] is None
            continue
        B = tuple(index[name] for name in found.witnesses[j])
        told = {C: information(t, j, C, criterion) for C in subsets(others(t, j))}
        smallest = min(len(C) for C, bits in told.items() if bits > 1e-10)
        assert len(B) == smallest
        most = max(bits for C, bits in told.items() if len(C) == smallest)
        assert told[B] == near(most)
        assert found.information[j] == near(most)


def test_the_parts_of_a_parity_are_relevant_only_together():
    found = relevance(**xor().data)
    assert found.strongly.all()
    assert not found.marginally.any()
    assert found.witnesses == [("x1",), ("x0",)]
    # With a copy of X1 at hand, X1 is still relevant, but no longer strongly.
    t = xor().with_column(xor().X[:, 0])
    assert relevance(**t.data).kind == ["weakly relevant", "strongly relevant", "weakly relevant"]
    # Nor does it tell given all others, or none.
    assert relevance(**t.data, max_size=0).kind[0] == "irrelevant"


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(12))
def test_theorem_6_3_irrelevant_if_and_only_if_the_importance_is_0(seed, criterion):
    t = sizes(seed + 500).with_irrelevant([0.5, 0.3, 0.2])
    importances = exact(t, criterion=criterion).importances
    assert importances[-1] == near(0)
    assert ((importances > 1e-10) == relevance(**t.data, criterion=criterion).relevant).all()
    assert ((importances > 1e-10) == classed(t, criterion)[0]).all()


@pytest.mark.parametrize("seed", range(8))
def test_entropy_and_gini_find_the_same_relevant(seed):
    # Section 6.4.1: both are conditional independence.
    t = sizes(seed + 500)
    entropy, gini = relevance(**t.data), relevance(**t.data, criterion="gini")
    assert entropy.kind == gini.kind
    assert (entropy.marginally == gini.marginally).all()


def test_irrelevant_to_the_variance_is_not_independent():
    # Section 6.4.1: X1 = 1 widens Y, and does not move its mean.
    t = table([[0], [0], [1], [1]], [-1.0, 1.0, -2.0, 2.0])
    assert exact(t, criterion="variance").importances == near([0])
    assert relevance(**t.data, criterion="variance").kind == ["irrelevant"]
    assert exact(t).importances == near([1])
    assert relevance(**t.data).kind == ["strongly relevant"]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_lemma_6_4_and_theorem_6_5_irrelevant_variables_change_nothing(seed, criterion):
    t = random_table(seed + 600, p=1 + seed % 3)
    alone = exact(t, criterion=criterion).importances
    more = t.with_irrelevant([0.5, 0.5])
    assert exact(more, criterion=criterion).importances == near([*alone, 0])
    more = more.with_irrelevant([0.5, 0.25, 0.25])
    found = exact(more, criterion=criterion)
    assert found.importances == near([*alone, 0, 0])
    # Built on the relevant ones only.
    relevant = relevance(**more.data, criterion=criterion).relevant
    if relevant.any():
        on_relevant = exact(more.keep(np.flatnonzero(relevant)), criterion=criterion)
        assert found.importances[relevant] == near(on_relevant.importances)
    # What moves is the degree (Eq 6.22 mixes k and k + 1).
    assert found.by_degree == near(theorem_6_1(more, criterion))


# ---- Pruning and random subspaces


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_propositions_6_6_and_6_7(seed, criterion):
    t = sizes(seed + 700)
    for q in range(1, t.p + 1):
        formula = theorem_6_1(t, criterion, degrees=q)
        pruned = exact(t, criterion=criterion, depth=q)
        in_subspaces = exact(t, criterion=criterion, subspace=q)
        assert pruned.by_degree == near(formula)
        assert in_subspaces.by_degree == near(formula)
        assert_same(pruned, expected_trees(t, criterion=criterion, depth=q))
        assert_same(in_subspaces, expected_trees(t, criterion=criterion, subspace=q))


@pytest.mark.parametrize("seed", range(8))
def test_trees_as_deep_as_there_are_relevant_variables_find_them_all(seed):
    t = random_table(seed + 800, p=2).with_irrelevant([0.5, 0.5]).with_irrelevant([0.3, 0.7])
    relevant = relevance(**t.data).relevant
    r = int(relevant.sum())
    for q in range(max(r, 1), 5):
        assert ((exact(t, depth=q).importances > 1e-10) == relevant).all()
        assert ((exact(t, subspace=q).importances > 1e-10) == relevant).all()


# ---- Masking


def noisy_copy(epsilon=0.05):
    """X1 is Y, X2 a copy of it that errs with probability epsilon."""
    return table(
        [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1], [1 - epsilon, epsilon, epsilon, 1 - epsilon]
    )


def test_eq_6_40_and_6_41():
    t = noisy_copy()
    noise = -(0.05 * log2(0.05) + 0.95 * log2(0.95))
    assert exact(t).importances == near([0.5 * 1 + 0.5 * noise, 0.5 * (1 - noise) + 0])


def test_two_variables_to_choose_from_mask_the_second():
    assert exact(noisy_copy(), K=2).importances == near([1, 0])
    assert exact(noisy_copy(), K=2, splits="best").importances == near([1, 0])
    assert exact(noisy_copy(), K=2, splits="extra").importances == near([1, 0])


def test_an_irrelevant_variable_lifts_the_mask():
    t = noisy_copy().with_irrelevant([0.5, 0.5])
    importances = exact(t, K=2).importances
    # At the root, X2 is chosen when drawn with the irrelevant one: 1/3 of the trees.
    assert importances[1] == near(information(t, 1) / 3)
    assert importances == near(expected_trees(t, K=2).importances)
    assert exact(t, K=1).importances == near([*exact(noisy_copy()).importances, 0])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_hidden_by_whom(seed, criterion):
    t = sizes(seed + 900)
    found = masking(**t.data, criterion=criterion)
    for K in range(1, t.p + 1):
        trees = expected_trees(t, criterion=criterion, K=K)
        assert found.importances[K - 1] == near(trees.importances)
        assert found.hidden[K - 1] == near(trees.hidden)
    assert found.hidden[0] == near(np.zeros((t.p, t.p)))


def test_the_second_of_two_equals_is_hidden_half_of_the_time():
    t = table([[0, 0], [1, 1]], [0, 1])
    assert masking(**t.data).hidden[1] == near(np.array([[0, 0.5], [0.5, 0]]))


# ---- The LED problem


@pytest.mark.parametrize("K", range(1, 8))
def test_table_6_2(K):
    found = exact(LED_TABLE, K=K)
    assert_same(found, expected_trees(LED_TABLE, K=K))
    assert found.total == near(log2(10))
    assert abs(found.importances - PRINTED[K - 1]).max() < 0.005
    if K in EXACT:
        assert found.importances == near(EXACT[K], 6e-5)


def test_table_6_2_is_what_masking_has():
    found = masking(**LED_TABLE.data)
    assert found.importances.sum(axis=1) == near(np.full(7, log2(10)))
    for K in (2, 5, 7):
        trees = expected_trees(LED_TABLE, K=K)
        assert found.importances[K - 1] == near(trees.importances)
        assert found.hidden[K - 1] == near(trees.hidden)


def test_figure_6_3():
    left, right = exact(LED_TABLE), exact(LED_TABLE, K=7)
    x5 = [0.1387, 0.1231, 0.1058, 0.0899, 0.0764, 0.0655, 0.0571]
    assert left.by_degree[4] == near(x5, 6e-5)
    assert left.by_degree == near(theorem_6_1(LED_TABLE, "entropy"))
    # X6 tells little, alone or with others; X7 little once many others are known.
    assert left.by_degree[5].max() < left.by_degree[4].min() + 0.02
    assert left.by_degree[6, -1] < 0.2 * left.by_degree[6, 0]
    # K = 7: X2 and X5 mask the others at the root, and no set of 4 or more tells anything.
    assert list(np.flatnonzero(right.by_degree[:, 0] > 1e-10)) == [1, 4]
    assert right.by_degree[:, 4:] == near(np.zeros((7, 3)))


# ---- How a table is read


def test_levels_are_names_and_missing_is_one_of_them():
    numbers = table([[0, 0], [0, 1], [1, 2], [2, 0], [2, 1], [1, 1]], [0, 1, 1, 0, 1, 1])
    frame = pd.DataFrame(
        {
            "sky": ["sun", "sun", "rain", None, None, "rain"],
            "wind": [0.5, np.nan, 7.0, 0.5, np.nan, np.nan],
        }
    )
    y = ["no", "yes", "yes", "no", "yes", "yes"]
    for K in (1, 2):
        found = asymptotic_importances(frame, y, K=K)
        assert list(found.names) == ["sky", "wind"]
        assert found.importances == near(expected_trees(numbers, K=K).importances)
    # K = 2: wind tells more, and comes first.
    assert {(v, B) for v, B in zip(*frame_columns(found), strict=True)} == {
        ("wind", ()),
        ("sky", ("wind",)),
    }


def frame_columns(found):
    frame = found.by_context()
    return frame["variable"], frame["given"]


def test_rows_twice_are_rows_of_weight_2():
    t = random_table(3)
    t = table(t.X, t.y, np.arange(len(t.y)) % 3)
    twice = table(
        np.repeat(t.X, t.weight.astype(int), axis=0), np.repeat(t.y, t.weight.astype(int))
    )
    for splits in EVERY_SPLIT:
        weighted, repeated = exact(t, splits=splits, K=2), exact(twice, splits=splits, K=2)
        assert weighted.importances == near(repeated.importances)
    unweighted = asymptotic_importances(twice.X.tolist(), list(twice.y))
    assert unweighted.importances == near(exact(twice).importances)
    assert list(unweighted.names) == ["x0", "x1", "x2"]


@pytest.mark.parametrize("splits", EVERY_SPLIT)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_scale_of_the_weights_does_not_matter(splits, criterion):
    X = [[0, 2], [2, 0], [2, 2], [1, 2], [0, 2], [1, 1]]
    weight = np.array([4, 4, 4, 8, 1, 2])
    for scale in (1, 1 / 8, 1e-9, 1e9):
        t = table(X, [0, 1, 2, 0, 1, 2], weight * scale)
        found = exact(t, splits=splits, criterion=criterion)
        assert_same(found, expected_trees(t, splits, criterion))


def test_names_of_criteria():
    t = random_table(5)
    same = {"log_loss": "entropy", "squared_error": "variance"}
    for one, other in same.items():
        assert exact(t, criterion=one).importances == near(exact(t, criterion=other).importances)


@pytest.mark.parametrize("splits", [*EVERY_SPLIT, "encoded"])
def test_a_sample_of_trees_is_near_the_mean_of_all(splits):
    t = random_table(6, p=3)
    K = 1 if splits == "encoded" else 2
    found = asymptotic_importances(
        **t.data, splits=splits, K=K, method="sampled", n_trees=1000, random_state=0
    )
    assert not found.exact
    error = abs(found.importances - exact(t, splits=splits, K=K).importances)
    assert (error <= 4.5 * found.standard_errors + 1e-10).all()
    assert found.total == near(decrease(t, t.rows, leaves(t), "entropy"))  # Thm 6.2, every tree


def leaves(t):
    return t.parts(t.rows, lambda row: t.values[row])


@pytest.mark.parametrize("splits", ["extra", "best"])
def test_cuts_add_up_to_the_variable(splits):
    t = random_table(7, p=3)
    found = exact(t, splits=splits, K=2)
    cuts = found.by_cut()
    sums = [sum(cuts["importance"][cuts["variable"] == name]) for name in found.names]
    assert sums == near(found.importances)
