"""What tests refuse, what they print, and their defaults."""

import numpy as np
import pytest

from silvics import (
    ExtraTreesClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance.selection.by_importance import SelectByTest
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    permutation_test,
)
from silvics.importance.significance.shadow_tests import boruta, contrast_test

from .small_tests import METHODS, WEIGHTS, X, Y, each_method, enough, made, same, small

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
        (lambda: permutation_test(small(), None, Y), ValueError, "X and y are needed"),
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
