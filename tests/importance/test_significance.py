"""Tests of importances, each against a plain loop; what comes out, and what is refused."""

import pickle
import re
from math import comb

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import binomtest, ttest_1samp
from scipy.stats import t as student
from sklearn.base import clone

from silvics import (
    ExtraTreesClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance import Importances
from silvics.importance.selection.by_importance import SelectByTest
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    one_forest_test,
    permutation_test,
)
from silvics.importance.significance.result import Significance, step_down
from silvics.importance.significance.shadow_tests import boruta, contrast_test

mpl.use("Agg")
from matplotlib import pyplot

rng = np.random.default_rng(3)
N, P = 50, 5
X = rng.normal(size=(N, P)).round(1)
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)
Y = np.where(X[:, 0] + 0.3 * rng.normal(size=N) > 0, "yes", "no")
NUMBERS = X[:, 0] + rng.normal(size=N)
WEIGHTS = rng.random(N) + 0.5
NAMES = ["height", "width", "age", "weight", "shade"]
FRAME = pd.DataFrame({"kind": np.where(X[:, 0] > 0, "ash", "elm"), "age": HOLES[:, 1]})
FRAME["code"] = rng.integers(0, 4, N)
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
SEEDS = 2**31 - 1


def small(n_estimators=8, **settings):
    return RandomForestClassifier(n_estimators, n_jobs=1, **settings)


def enough():
    """So many trees that each row is out of bag for one."""
    return small(n_estimators=30)


def values_of(forest, table, y, seed, kind="mdi", groups=None, weights=None):
    forest = clone(forest).set_params(random_state=seed).fit(table, y, weights)
    if kind == "mdi":
        return forest.importances(feature_groups=groups).values
    return forest.importances(kind, table, y, feature_groups=groups, random_state=seed).values


# ---- permutations of y

SETTINGS = {
    "classes": (small(), X, Y, {}),
    "numbers": (RandomForestRegressor(8), X, NUMBERS, {}),
    "mda": (RandomForestRegressor(25), X, NUMBERS, {"kind": "mda"}),
    "weights": (ExtraTreesClassifier(8, bootstrap=True), X, Y, {"sample_weight": WEIGHTS}),
    "groups": (small(), X, Y, {"feature_groups": {"two": [1, 4]}}),
    "holes": (small(), HOLES, Y, {}),
    "sparse": (small(), csr_matrix(X), Y, {}),
    "categories": (small(categorical_features=["code", "kind"]), FRAME, Y, {}),
    "two outputs": (small(), X, np.column_stack([Y, np.where(X[:, 2] > 0, "a", "b")]), {}),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_permutations_of_y(name):
    forest, table, y, settings = SETTINGS[name]
    found = permutation_test(forest, table, y, n_permutations=9, random_state=5, **settings)
    kind, groups = settings.get("kind", "ufi"), settings.get("feature_groups")
    weights = settings.get("sample_weight")
    generator = np.random.RandomState(5)
    observed = values_of(forest, table, y, generator.randint(SEEDS), kind, groups, weights)
    null = []
    for _ in range(9):
        permuted = y[generator.permutation(N)]
        null.append(
            values_of(forest, table, permuted, generator.randint(SEEDS), kind, groups, weights)
        )
    assert (found.importances == observed).all()
    assert (found.null == np.array(null)).all()
    expected = [(1 + sum(d[j] >= observed[j] for d in null)) / 10 for j in range(len(observed))]
    assert found.p_values == pytest.approx(expected)
    assert found.p_values[found.names.tolist().index(found.selected(0.2, None)[0])] == 0.1


@pytest.mark.filterwarnings("ignore:.*misses weak variables")
def test_a_normal_null_is_a_prediction_of_one_more_draw():
    found = permutation_test(
        small(), X, Y, kind="mdi", n_permutations=6, null="normal", random_state=0
    )
    logs, value = np.log(found.null), np.log(found.importances)
    assert np.isfinite(logs).all()
    for j in range(P):
        spread = logs[:, j].std(ddof=1) * np.sqrt(1 + 1 / 6)
        expected = student.sf((value[j] - logs[:, j].mean()) / spread, 5)
        assert found.p_values[j] == pytest.approx(expected)
    signed = permutation_test(
        RandomForestRegressor(25), X, NUMBERS, kind="mda", n_permutations=6, null="normal",
        random_state=0,
    )  # fmt: skip
    assert (signed.null < 0).any()
    spread = signed.null.std(axis=0, ddof=1) * np.sqrt(1 + 1 / 6)
    expected = student.sf((signed.importances - signed.null.mean(axis=0)) / spread, 5)
    assert signed.p_values == pytest.approx(expected)


def test_a_variable_that_never_varies_has_a_p_value_of_one():
    flat = np.column_stack([X[:, 0], np.ones(N)])
    for null in ("empirical", "normal"):
        found = permutation_test(small(), flat, Y, n_permutations=5, null=null, random_state=0)
        assert found.importances[1] == 0
        assert found.p_values[1] == 1
    for over in ("data", "repeats"):
        found = contrast_test(small(), flat, Y, n_repeats=5, over=over, random_state=0)
        assert found.p_values[1] == 1
        assert found.p_values[0] < 0.01


def test_null_variables_are_found_as_often_as_the_level_says():
    """Exact: over data sets, the p-value of useless variables is uniform on its steps."""
    p_values = []
    for run in range(60):
        generator = np.random.default_rng(run)
        table, y = generator.normal(size=(30, 3)), generator.integers(0, 2, 30)
        found = permutation_test(
            RandomForestClassifier(5, n_jobs=1), table, y, n_permutations=9, random_state=run
        )
        p_values.append(found.p_values)
    shares = [np.mean(np.array(p_values) <= level) for level in (0.2, 0.5)]
    assert shares == pytest.approx([0.2, 0.5], abs=0.13)  # 4 standard errors of 60 data sets


# ---- one forest


def of_values(values, kind="mda", names=None):
    values = np.asarray(values, dtype=float)
    names = [f"x{j}" for j in range(len(values))] if names is None else names
    return Importances(
        kind=kind,
        names=np.array(names, dtype=object),
        replicates=values[np.newaxis],
        standard_errors=np.zeros(len(values)),
        impurity=0.5,
    )


def test_negative_importances_and_their_mirror_images():
    with pytest.warns(UserWarning, match="Only 3 importances are negative"):
        found = one_forest_test(of_values([-3, -1, -1, 0, 1, 2, 5]))
    null = [-3, -1, -1, 0, 1, 1, 3]
    expected = [(1 + sum(v >= x for v in null)) / 8 for x in [-3, -1, -1, 0, 1, 2, 5]]
    assert found.p_values == pytest.approx(expected)
    assert found.p_values[-1] == 1 / 8
    assert sorted(found.null[:, 2]) == sorted(null)


def test_many_negative_ones_are_not_warned_of():
    values = np.concatenate([-np.arange(1, 101), np.arange(1, 101), [500, 600]])
    found = one_forest_test(of_values(values / 100))
    assert found.p_values[-1] == 1 / 201
    assert set(found.selected(0.01, None)) == {"x200", "x201", "x199"}  # the largest null is 1


def test_one_forest_refuses_what_has_no_null():
    with pytest.raises(ValueError, match="never negative"):
        one_forest_test(small(random_state=0).fit(X, Y).importances())
    with pytest.raises(ValueError, match="No importance is negative"):
        one_forest_test(of_values([0, 1]))
    with pytest.raises(TypeError, match="got list"):
        one_forest_test([0.1, -0.1])


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


# ---- conditional error rates


def plain_rates(forest, table, y, n_permutations, level, seed, max_rank=None):
    """All draws of a rank, even where fewer are enough."""
    generator = np.random.RandomState(seed)
    observed = values_of(forest, table, y, generator.randint(SEEDS))
    order = np.argsort(-observed, kind="stable")
    rates = np.full(len(order), np.nan)
    before = 0
    for rank, j in enumerate(order[:max_rank]):
        rest, above = order[rank:], 0
        for _ in range(n_permutations):
            permuted = table.copy()
            permuted[:, rest] = table[generator.permutation(len(table))][:, rest]
            draw = values_of(forest, permuted, y, generator.randint(SEEDS))
            above += draw[rest].max() >= observed[j]
            if (above + 1) / (n_permutations + 1) > level:
                break
        before = rates[j] = max(before, (above + 1) / (n_permutations + 1))
        if before > level:
            break
    return observed, rates


@pytest.mark.parametrize("max_rank", [None, 1])
@pytest.mark.parametrize("level", [0.1, 0.6])
def test_rates_are_a_plain_loop(level, max_rank):
    settings = {"n_permutations": 9, "level": level, "max_rank": max_rank, "random_state": 8}
    found = conditional_error_rate(small(), X, Y, **settings)
    observed, rates = plain_rates(small(), X, Y, 9, level, 8, max_rank)
    assert (found.importances == observed).all()
    assert found.p_values == pytest.approx(rates, nan_ok=True)
    with np.errstate(invalid="ignore"):
        assert (found.mask() == (rates <= level)).all()
    assert found.selected()[0] == "x0"
    assert (found.adjusted("fdr") == found.adjusted("family")).sum() == (~np.isnan(rates)).sum()


def test_rates_of_a_frame_with_categories_and_groups():
    found = conditional_error_rate(
        small(categorical_features=[0, 2], max_features=None), FRAME, X[:, 0] > 0,
        feature_groups={"rest": ["age", "code"]}, n_permutations=19, random_state=0,
    )  # fmt: skip
    assert found.selected().tolist() == ["kind"]
    with pytest.raises(ValueError, match="run it again"):
        found.mask(0.2)


# ---- many p-values


def made(p_values, importances=None, **settings):
    p_values = np.asarray(p_values, dtype=float)
    if importances is None:
        importances = 1 - np.nan_to_num(p_values)
    names = np.array([f"x{j}" for j in range(len(p_values))], dtype=object)
    return Significance("test", names, np.asarray(importances, dtype=float), p_values, **settings)


def test_benjamini_hochberg_and_holm_by_hand():
    p = np.array([0.04, 0.001, 0.03, 0.5, 0.005])
    fdr, holm = np.empty(5), np.empty(5)
    order = sorted(range(5), key=lambda j: p[j])
    for rank, j in enumerate(order):
        fdr[j] = min(p[i] * 5 / (r + 1) for r, i in enumerate(order) if r >= rank)
        holm[j] = min(1, max(p[i] * (5 - r) for r, i in enumerate(order) if r <= rank))
    found = made(p)
    assert found.adjusted() == pytest.approx(fdr)
    assert found.adjusted("family") == pytest.approx(holm)
    assert found.adjusted(None) == pytest.approx(p)
    assert found.selected(0.05).tolist() == ["x1", "x4", "x2", "x0"]
    assert found.selected(0.05, "family").tolist() == ["x1", "x4"]
    assert found.mask(0.01, None).tolist() == [False, True, False, False, True]


def test_unknown_p_values_are_left_out():
    found = made([0.01, np.nan, 0.03])
    assert found.adjusted() == pytest.approx([0.02, np.nan, 0.03], nan_ok=True)
    assert found.mask().tolist() == [True, False, True]
    assert found.to_frame()["variable"].tolist() == ["x0", "x2", "x1"]


def test_step_down_by_brute_force():
    null = rng.normal(size=(19, 4)) * [1, 5, 1, 1] + [0, 2, 0, 0]
    observed = np.array([3.0, 8, 0.1, 1.5])
    pooled = np.vstack([observed, null])
    z = (pooled - pooled.mean(axis=0)) / pooled.std(axis=0)
    left, expected, before = list(range(4)), np.empty(4), 0
    while left:
        j = max(left, key=lambda j: z[0, j])
        count = sum(max(draw[i] for i in left) >= z[0, j] for draw in z[1:])
        before = expected[j] = max(before, (1 + count) / 20)
        left.remove(j)
    assert step_down(observed, null) == pytest.approx(expected)
    found = made([0.1, 0.1, 0.5, 0.2], observed, null=null, _sort="joint")
    assert found.adjusted("family") == pytest.approx(expected)
    assert found.adjusted("fdr") == pytest.approx([0.2, 0.2, 0.5, 4 / 15])


def test_how_false_a_list_is():
    null = np.array([[0.1, 0.5, 0.2], [0.3, 0.1, 0.7]])
    found = made([0.1] * 3, [0.6, 0.2, 0.65], null=null, _sort="joint")
    # as large as 0.65: one of two draws has one; as 0.6: one; as 0.2: four
    raw = {0.65: 0.5 / 1, 0.6: 0.5 / 2, 0.2: (4 / 2) / 3}
    expected = [0.25, raw[0.2], 0.25]
    assert found.fdr_of_list() == pytest.approx(expected)
    with pytest.raises(ValueError, match="no importances under the null hypothesis"):
        made([0.1, 0.2]).fdr_of_list()


# ---- what comes out

METHODS = {
    "permutations": lambda *a, **k: permutation_test(*a, n_permutations=4, **k),
    "contrasts": lambda *a, **k: contrast_test(*a, n_repeats=4, **k),
    "boruta": lambda *a, **k: boruta(*a, n_rounds=4, **k),
    "rates": lambda *a, **k: conditional_error_rate(*a, n_permutations=4, level=0.3, **k),
}
each_method = pytest.mark.parametrize("method", METHODS)


def same(a, b):
    return (
        np.array_equal(a.p_values, b.p_values, equal_nan=True)
        and (a.importances == b.importances).all()
        and (a.names == b.names).all()
    )


@each_method
def test_threads_and_seeds(method):
    test = METHODS[method]
    one = test(small(), X, Y, random_state=1, n_jobs=1)
    assert same(one, test(small(), X, Y, random_state=1, n_jobs=2))
    assert same(one, test(small(random_state=9), X, Y, random_state=1))
    other = test(small(), X, Y, random_state=2)
    assert not (one.importances == other.importances).all()


@each_method
def test_the_estimator_stays_as_it_is(method):
    forest = RandomForestClassifier(8, random_state=0, warm_start=True, oob_score=False)
    forest.fit(X, Y)
    parameters, digest = forest.get_params(), forest.digest()
    table, y = X.copy(), Y.copy()
    found = METHODS[method](forest, table, y, random_state=1)
    assert forest.get_params() == parameters
    assert forest.digest() == digest
    assert (table == X).all()
    assert (y == Y).all()
    assert same(found, METHODS[method](RandomForestClassifier(8), X, Y, random_state=1))


@each_method
def test_progress_is_told_and_may_interrupt(method):
    calls = []
    METHODS[method](small(), X, Y, random_state=1, progress=lambda *told: calls.append(told))
    done, totals = zip(*calls, strict=True)
    assert done == tuple(range(1, len(calls) + 1))
    assert len(set(totals)) == 1
    assert done[-1] <= totals[0]

    def interrupt(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        METHODS[method](small(), X, Y, random_state=1, progress=interrupt)


@each_method
@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_come_back_in_their_library(method, library):
    table = LIBRARIES[library]({name: X[:, j] for j, name in enumerate(NAMES)})
    found = METHODS[method](small(), table, Y, random_state=1)
    plain = METHODS[method](small(), X, Y, random_state=1)
    assert found.names.tolist() == NAMES
    assert np.array_equal(found.p_values, plain.p_values, equal_nan=True)
    frame = found.to_frame()
    assert type(frame) is type(table)
    columns = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert columns[:4] == ["variable", "importance", "p_value", "adjusted_p_value"]
    assert "q_value" in columns
    assert ("decision" in columns) == (method == "boruta")
    assert ("list_fdr" in columns) == (method in ("permutations", "contrasts"))


@each_method
@pytest.mark.parametrize(
    "given", [["kind", "code"], [0, 2], [True, False, True]], ids=["names", "places", "mask"]
)
def test_categories_however_they_are_told(method, given):
    found = METHODS[method](small(categorical_features=given), FRAME, Y, random_state=1)
    mask = small(categorical_features=[True, False, True])
    assert same(found, METHODS[method](mask, FRAME, Y, random_state=1))
    assert found.names[found.importances.argmax()] == "kind"


@each_method
@pytest.mark.parametrize("name", ["sparse", "holes", "two outputs", "weights", "numbers"])
def test_any_table_and_output(method, name):
    forest, table, y, settings = SETTINGS[name]
    found = METHODS[method](forest, table, y, random_state=1, **settings)
    assert found.importances[0] > 2 * found.importances[[3, 4]].max()
    dense = table.toarray() if name == "sparse" else table
    assert same(found, METHODS[method](forest, dense, y, random_state=1, **settings))


def test_a_frame_is_ordered_by_p_value_then_importance():
    found = made([0.5, 0.1, 0.1, np.nan], [1, 2, 3, 4])
    frame = found.to_frame()
    assert frame["variable"].tolist() == ["x2", "x1", "x0", "x3"]
    assert frame["q_value"].tolist()[:3] == pytest.approx([0.15, 0.15, 0.5])


@each_method
def test_it_is_told_in_words_drawn_and_kept(method):
    found = METHODS[method](small(), X, Y, random_state=1)
    text = repr(found)
    assert len(text.splitlines()) <= 25
    assert "x0" in text
    ax = found.plot().ax_
    assert len(ax.patches) == P
    assert ax.patches[0].get_width() == pytest.approx(found.importances.max())
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == found.names[np.argsort(-found.importances)].tolist()
    pyplot.close("all")
    assert same(pickle.loads(pickle.dumps(found)), found)


def test_words():
    found = made([0.001, 0.8, 0.9])
    assert "1 of 3 variables selected at a false discovery rate of 0.05: x0" in repr(found)
    rates = made([0.01, 0.01, np.nan], _sort="family", level=0.1)
    assert "2 of 3 variables selected at a family-wise error rate of 0.1: x0, x1" in repr(rates)
    null = np.column_stack([np.linspace(0, 1, 30)] * 3)
    few = made([1 / 31, 0.4, 0.5], [9, 0.6, 0.5], null=null, _least=1 / 31)
    assert "use more draws" in repr(few)
    enough = made([1 / 31, 0.4, 0.5], [9, 0.6, 0.5], null=null, _least=1 / 31, _sort="joint")
    assert "1 of 3 variables selected at a family-wise error rate of 0.05: x0" in repr(enough)
    too_few = made([1 / 3, 1, 1], [9, 0.6, 0.5], null=null[:2], _least=1 / 3, _sort="joint")
    assert "use more draws" in repr(too_few)
    many = made(np.linspace(0, 1, 40))
    assert re.search(r"\.\.\. and 25 more$", repr(many))
    decided = made(
        [0.1] * 3, decision=np.array(["confirmed", "rejected", "rejected"], dtype=object)
    )
    assert "3 variables: 1 confirmed, 0 tentative, 2 rejected" in repr(decided)


def test_selected_bars_have_another_colour_and_chance_a_mark():
    null = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    found = made([0.001, 0.9], [3, 1], null=null)
    ax = found.plot(level=0.5, how=None).ax_
    colors = [patch.get_facecolor() for patch in ax.patches]
    assert colors[0] != colors[1]
    assert ax.lines[0].get_xdata() == pytest.approx([0.3, 0.4])
    assert len(found.plot(top=1, ax=pyplot.figure().add_subplot()).ax_.patches) == 1
    dollars = made([0.5])
    dollars.names[0] = "a$b$c"
    dollars.plot().figure_.canvas.draw()
    pyplot.close("all")


class Told(RandomForestClassifier):
    """Remembers what it was asked, and answers something else."""

    asked: list = []  # noqa: RUF012

    def importances(self, kind="mdi", X=None, y=None, **settings):
        Told.asked.append((kind, X, y, settings))
        return super().importances(feature_groups=settings["feature_groups"])


@pytest.mark.filterwarnings("ignore:.*misses weak variables")
@pytest.mark.parametrize("kind", ["mdi", "mda", "mdi_oob", "ufi", "mda_tree", "air"])
def test_each_kind_is_asked_what_it_takes(kind):
    Told.asked.clear()
    permutation_test(
        Told(3), X, Y, kind=kind, n_permutations=2, sample_weight=WEIGHTS, random_state=0
    )
    assert len(Told.asked) == 3
    for asked, table, y, settings in Told.asked:
        assert asked == kind
        assert ("random_state" in settings) == (kind != "mdi")
        assert ("sample_weight" in settings) == (kind == "air")
        assert (table is None) == (y is None) == (kind == "mdi")
    if kind != "mdi":
        outputs = [y for _, _, y, _ in Told.asked]
        assert (outputs[0] == Y).all()
        assert not (outputs[1] == Y).all()


# ---- what is refused


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: permutation_test(small(), X, Y, n_permutations=0), ValueError, "at least 1"),
        (lambda: permutation_test(small(), X, Y, n_permutations=2.5), TypeError, "whole number"),
        (
            lambda: permutation_test(small(), X, Y, n_permutations=1, null="normal"),
            ValueError,
            "n_permutations must be at least 2",
        ),
        (lambda: permutation_test(small(), X, Y, null="gamma"), ValueError, "null must be one of"),
        (lambda: permutation_test(small(), X, Y, kind="best"), ValueError, "kind must be"),
        (lambda: permutation_test(small(), None, Y), ValueError, "needs X and y"),
        (lambda: permutation_test(small(), X, Y, n_jobs="two"), TypeError, "n_jobs"),
        (lambda: permutation_test(small(), X, Y, feature_groups=[[]]), ValueError, "no variable"),
        (lambda: permutation_test(RandomForestClassifier, X, Y), TypeError, "forest of silvics"),
        (lambda: permutation_test(IsolationForest(), X, Y), TypeError, "that predicts y"),
        (lambda: permutation_test(small(), X, Y[:-1]), ValueError, "X has 50 rows, y has 49"),
        (lambda: contrast_test(small(), X, Y, n_repeats=1), ValueError, "n_repeats"),
        (lambda: contrast_test(small(), X, Y, against="both"), ValueError, "against"),
        (lambda: contrast_test(small(), X, Y, over="rows"), ValueError, "over"),
        (lambda: contrast_test(small(), X, Y, quantile=1.5), ValueError, "quantile"),
        (lambda: boruta(small(), X, Y, level=np.nan), ValueError, "level must be between"),
        (lambda: boruta(small(), X, Y, level="low"), TypeError, "level must be a number"),
        (lambda: boruta(small(), X, Y, n_rounds=0), ValueError, "n_rounds"),
        (
            lambda: conditional_error_rate(small(), X, Y, n_permutations=9),
            ValueError,
            "n_permutations=19 or more",
        ),
        (
            lambda: conditional_error_rate(small(), X, Y, max_rank=6),
            ValueError,
            "at most 5, the number of variables",
        ),
        (lambda: made([0.1]).mask(np.nan), ValueError, "level must be between"),
        (lambda: made([0.1]).mask(True), TypeError, "level must be a number"),
        (lambda: made([0.1]).adjusted("bonferroni"), ValueError, "how must be"),
    ],
)
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@each_method
def test_weights_of_fit_are_to_be_given_again(method):
    fitted = small(random_state=0).fit(X, Y, WEIGHTS)
    with pytest.raises(ValueError, match="sample_weight of fit"):
        METHODS[method](fitted, X, Y)


def test_a_column_of_outputs_is_warned_of_once():
    with pytest.warns(UserWarning, match="column-vector") as told:
        found = permutation_test(small(), X, Y[:, np.newaxis], n_permutations=2, random_state=0)
    assert len(told) == 1
    assert same(found, permutation_test(small(), X, Y, n_permutations=2, random_state=0))


# ---- what is printed is what was decided by


def printed(found):
    """The p-value and the mark of each variable in the printed table."""
    lines = [line.split() for line in repr(found).splitlines()]
    (header,) = (i for i, parts in enumerate(lines) if parts[0] == "variable")
    rows = [parts for parts in lines[header + 1 :] if len(parts) > 2]  # with a p-value
    return {parts[0]: (float(parts[2]), parts[-1]) for parts in rows}


@pytest.mark.parametrize("kind", ["air", "ufi"])
def test_p_values_and_stars_agree(kind):
    found = permutation_test(small(), X, Y, kind=kind, n_permutations=39, random_state=0)
    lines = printed(found)
    assert len(lines) == X.shape[1]
    for name, (p, mark) in lines.items():
        assert (p <= 0.05) == (mark == "*")
        assert (mark == "*") == (name in found.selected())
    assert "Westfall-Young" in repr(found)
    by_name = dict(zip(found.names, found.adjusted("family"), strict=True))
    assert {name: p for name, (p, _) in lines.items()} == pytest.approx(by_name, rel=0.05)
    frame = found.to_frame().set_index("variable")
    assert frame["adjusted_p_value"].to_dict() == pytest.approx(by_name)


def test_boruta_prints_what_it_decided_by():
    """A variable that is confirmed early, and has few hits later, was printed with p = 0.99."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 8))
    y = (table[:, 0] + 0.4 * table[:, 1] + 0.4 * table[:, 2] + rng.normal(size=60) > 0).astype(int)
    found = boruta(enough(), table, y, n_rounds=60, random_state=0)
    marks = printed(found)
    assert set(found.decision) >= {"confirmed", "rejected"}
    for name, decision in zip(found.names, found.decision, strict=True):
        p, mark = marks[name]
        assert mark == decision
        assert (p < 0.05) == (decision != "tentative")
    confirmed = found.decision == "confirmed"
    assert (found.p_values[confirmed] < 0.05 / 2 / 8).all()
    assert "Bonferroni" in repr(found)


def test_a_variable_keeps_the_p_value_that_it_was_decided_by(monkeypatch):
    """Eight hits confirm it; further rounds, all misses, go on for the other variable."""
    rounds = iter([*[1.0, 0.0] * 4, *[-1.0, -2.0] * 6])

    def round_of(grow, kind, generator, groups):
        n = next(rounds)
        return np.array([1.0 if n >= 0 else -1.0, 1.0 if n in (1, -1) else -1.0]), np.zeros(1)

    monkeypatch.setattr("silvics.importance.significance.shadow_tests._round", round_of)
    found = boruta(small(), X[:, :2], Y, n_rounds=20, random_state=0)
    assert len(found.hits) == 20
    assert found.hits[:, 0].tolist() == [1.0] * 8 + [0.0] * 12
    assert found.decision.tolist() == ["confirmed", "tentative"]
    assert found.p_values[0] == pytest.approx(0.5**7)  # decided after seven rounds
    assert printed(found)["x0"] == (pytest.approx(4 * 0.5**7, rel=0.05), "confirmed")


def test_other_adjustments_are_named():
    fdr = made([0.001, 0.04, 0.9])
    assert "Benjamini-Hochberg" in repr(fdr)
    assert printed(fdr)["x1"] == (0.06, "0.06")
    rates = made([0.01, 0.02, np.nan], _sort="family", level=0.1)
    assert "family-wise" in repr(rates)
    assert printed(rates) == {"x0": (0.01, "*"), "x1": (0.02, "*")}


# ---- the kind that is the default


def friedman(seed, n=500):
    rng = np.random.default_rng(seed)
    table = rng.random((n, 10))
    y = 10 * np.sin(np.pi * table[:, 0] * table[:, 1]) + 20 * (table[:, 2] - 0.5) ** 2
    return table, y + 10 * table[:, 3] + 5 * table[:, 4] + rng.normal(size=n)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_default_finds_weak_variables_of_friedman(seed):
    """By "mdi" it found three of five: the strong ones take its sum from the weak."""
    table, y = friedman(seed)
    forest = RandomForestRegressor(60)
    settings = {"n_permutations": 29, "random_state": 0}
    found = permutation_test(forest, table, y, **settings)
    assert set(found.selected()) <= {f"x{j}" for j in range(5)}
    assert len(found.selected()) >= 4
    assert found.method.startswith("ufi")
    with pytest.warns(UserWarning, match=r'permutation_test with kind="mdi".*Use kind="ufi"'):
        plain = permutation_test(forest, table, y, kind="mdi", **settings)
    assert set(plain.selected()) < set(found.selected())


def test_defaults_and_warnings_of_the_three():
    table, y = friedman(0, 80)
    forest = RandomForestRegressor(30)
    assert boruta(forest, table, y, n_rounds=2, random_state=0).method.startswith("Boruta, ufi")
    with pytest.warns(UserWarning, match=r'boruta with kind="mdi".*Use kind="ufi"'):
        boruta(forest, table, y, kind="mdi", n_rounds=2, random_state=0)
    for test, options in [("permutation", {"n_permutations": 2}), ("boruta", {"n_rounds": 2})]:
        select = SelectByTest(forest, test=test, options=options, random_state=0)
        assert select.fit(table, y).importances_.kind == "ufi"
        with pytest.warns(UserWarning, match='kind="mdi" misses weak variables'):
            select.set_params(kind="mdi").fit(table, y)


def test_forests_without_rows_out_of_bag_are_told_what_to_do():
    with pytest.raises(ValueError, match=r'bootstrap=True, use kind="air"'):
        permutation_test(ExtraTreesClassifier(4), X, Y, n_permutations=2)
    permutation_test(ExtraTreesClassifier(4), X, Y, kind="air", n_permutations=2)
