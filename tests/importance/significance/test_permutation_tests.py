"""Permutation tests, tests by one forest and conditional error rates, against plain loops."""

import numpy as np
import pytest
from scipy.stats import t as student

from silvics import (
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance import Importances
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    one_forest_test,
    permutation_test,
)
from silvics.importance.significance.shadow_tests import contrast_test

from .small_tests import (
    FRAME,
    NUMBERS,
    SEEDS,
    SETTINGS,
    N,
    P,
    X,
    Y,
    small,
    values_of,
)

# ---- permutations of y


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
