"""Contrasts and Boruta, against plain loops."""

from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp
from scipy.stats import t as student

from silvics.importance.significance.shadow_tests import boruta, contrast_test

from .small_tests import SEEDS, N, X, Y, enough, small, values_of

# ---- contrasts


def contrasts(forest, table, y, n_repeats, seed):
    generator = np.random.RandomState(seed)
    each = []
    for _ in range(n_repeats):
        shadows = table[generator.permutation(len(table))]
        each.append(values_of(forest, np.hstack([table, shadows]), y, generator.randint(SEEDS)))
    return np.split(np.array(each), 2, axis=1)


def test_contrasts_with_own_shadows():
    settings = {"n_repeats": 4, "random_state": 2}
    values, shadows = contrasts(small(), X, Y, 4, 2)
    found = contrast_test(small(), X, Y, null="empirical", **settings)
    assert found.importances == pytest.approx(values.mean(axis=0))
    assert (found.null == shadows).all()
    expected = (1 + (shadows >= values.mean(axis=0)).sum(axis=0)) / 5
    assert found.p_values == pytest.approx(expected)
    found = contrast_test(small(), X, Y, **settings)
    logs = np.log(shadows)
    assert np.isfinite(logs).all()
    spread = logs.std(axis=0, ddof=1) * np.sqrt(1 + 1 / 4)
    z = (np.log(values.mean(axis=0)) - logs.mean(axis=0)) / spread
    assert found.p_values == pytest.approx(student.sf(z, 3))
    found = contrast_test(small(), X, Y, over="repeats", **settings)
    expected = ttest_1samp(values - shadows, 0, alternative="greater").pvalue
    assert found.p_values == pytest.approx(expected)


@pytest.mark.parametrize("quantile", [0.75, 1])
def test_contrasts_with_all_shadows(quantile):
    values, shadows = contrasts(small(), X, Y, 4, 2)
    found = contrast_test(
        small(), X, Y, n_repeats=4, random_state=2, against="all", over="repeats", quantile=quantile
    )
    limit = np.quantile(shadows, quantile, axis=1)[:, np.newaxis]
    expected = ttest_1samp(values - limit, 0, alternative="greater").pvalue
    assert found.p_values == pytest.approx(expected)


def test_contrasts_of_groups():
    groups = {"two": [1, 3]}
    values, shadows = contrasts(small(), X, Y, 3, 2)
    found = contrast_test(small(), X, Y, n_repeats=3, random_state=2, feature_groups=groups)
    assert found.names.tolist() == ["two", "x0", "x2", "x4"]

    def together(each):
        return np.column_stack([each[:, 1] + each[:, 3], each[:, [0, 2, 4]]])

    assert found.importances == pytest.approx(together(values).mean(axis=0))
    assert found.null == pytest.approx(together(shadows))


# ---- Boruta


def plain_boruta(forest, table, y, n_rounds, level, seed, kind):
    generator = np.random.RandomState(seed)
    p = table.shape[1]
    decision, hits, decided = ["tentative"] * p, [[] for _ in range(p)], {}
    for _ in range(n_rounds):
        if "tentative" not in decision:
            break
        left = [j for j in range(p) if decision[j] != "rejected"]
        copied = list(left)
        while len(copied) < 5:
            copied += left
        shadows = [table[generator.permutation(len(table)), j] for j in copied]
        whole = np.column_stack([table[:, left], *shadows])
        values = values_of(forest, whole, y, generator.randint(SEEDS), kind)
        best = max(values[len(left) :])
        for j, value in zip(left, values, strict=False):
            hits[j].append(value > best)
        for j in left:
            n, k = len(hits[j]), sum(hits[j])
            if decision[j] == "tentative":
                decided[j] = k, n
                if binomtest(k, n, 0.5).pvalue * p < level:
                    decision[j] = "confirmed" if k > n / 2 else "rejected"
    return decision, hits, decided


@pytest.mark.filterwarnings("ignore:.*misses weak variables")
@pytest.mark.parametrize("kind", ["ufi", "mdi"])
@pytest.mark.parametrize("p", [2, 5])
def test_boruta_is_a_plain_loop(p, kind):
    table = X[:, :p]
    asked = {} if kind == "ufi" else {"kind": kind}
    found = boruta(enough(), table, Y, n_rounds=25, random_state=4, **asked)
    decision, hits, decided = plain_boruta(enough(), table, Y, 25, 0.05, 4, kind)
    assert found.decision.tolist() == decision
    for j in range(p):
        mine = found.hits[:, j]
        assert mine[~np.isnan(mine)].tolist() == hits[j]
        k, n = decided[j]  # later rounds do not change what is decided
        expected = sum(comb(n, i) for i in range(k, n + 1)) / 2**n
        assert found.p_values[j] == pytest.approx(expected)
        used = min(binomtest(k, n, 0.5).pvalue * p, 1)
        assert found._used[j] == pytest.approx(used)
        assert (used < 0.05) == (decision[j] != "tentative")
    assert found.decision[0] == "confirmed"
    assert found.selected().tolist() == [f"x{j}" for j in range(p) if decision[j] == "confirmed"]
    assert len(found.hits) <= 25


def test_boruta_ends_early_or_leaves_some_tentative():
    clear = np.column_stack([X[:, 0], np.ones(N)])
    found = boruta(enough(), clear, X[:, 0] > 0, n_rounds=100, random_state=0)
    assert found.decision.tolist() == ["confirmed", "rejected"]
    assert 6 <= len(found.hits) < 20  # 2 * 2 / 2**7 < 0.05
    short = boruta(enough(), clear, X[:, 0] > 0, n_rounds=3, random_state=0)
    assert short.decision.tolist() == ["tentative", "tentative"]
    assert short.selected().size == 0


def test_boruta_of_groups_and_a_limit_of_features():
    forest = small(30, max_features=5)  # more than what is left in the end
    found = boruta(forest, X, Y, feature_groups=[[1, 2], [3, 4]], n_rounds=20, random_state=0)
    assert found.names.tolist() == ["x1 ...", "x3 ...", "x0"]
    assert found.decision[2] == "confirmed"
    assert forest.max_features == 5
