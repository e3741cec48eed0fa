import pytest

from .altered import failed, found_of, outcome_with


def formulas_differ(ours):
    ours["largest difference from tables"] = 0.01


def copies_make_more_important(ours):
    ours["X5"] = ours["X5"][::-1]


def others_rise(ours):
    ours["X1"][5] = 0.7


def another_formula(ours):
    ours["X2"][3] += 0.01


def falls(ours):
    ours["X2"] = ours["X2"][::-1]


def other_values(ours):
    ours["values of X4"] = 9


def uneven(ours):
    ours["largest relative unevenness"] = 0.9


def dependent(ours):
    ours["largest correlation"] = 0.3


def relevant_in_the_null_case(ours):
    ours["null case, P(Y = 1)"] = 0.7


def close_to_zero(ours):
    ours["TRT"]["mean"]["X2"] = 0.001


def nothing_adds_up(ours):
    ours["RF, K = 5"]["mean"]["X1"] = 0.1


def fewer_values_win(ours):
    ours["ETs, K = 5"]["mean"]["X3"] = 0.5


def a_signal_is_left(ours):
    ours["TRT, less noise"]["mean"]["X1"] = 0.2


def unfair_stumps(ours):
    ours["ETs, K = 1, relevance 0.0"][0] = [0.6, 0.1, 0.1, 0.1, 0.1]


def no_preference(ours):
    ours["ETs, K = 1, relevance 0.0"][-1] = [0.2] * 5


def not_seen(ours):
    ours["ETs, K = 1, relevance 0.1"][0] = [0.2] * 5


def never_first(ours):
    ours["ETs, K = 1, relevance 0.3"] = [[0.6, 0.1, 0.1, 0.1, 0.1]] * len(ours["depths"])


def clearer(ours):
    for r in (0.1, 0.2, 0.3):
        ours[f"RF, K = 5, relevance {r}"] = [[0.0, 1.0, 0.0, 0.0, 0.0]] * len(ours["depths"])


def unequal_multiway(ours):
    ours["multiway"]["X1"] = 0.4


def equal_extra_trees(ours):
    ours["Extra-Trees"]["X2"] = ours["Extra-Trees"]["X1"]


def other_trees(ours):
    ours["grown"]["X1"] += 0.2


def one_variable_only(ours):
    ours["X1 at the root"], ours["X2 at the root"] = 1.0, 0.0


def longer_trees(ours):
    ours["most splits"] = 2


def unequal(ours):
    ours["importances"][0] += 0.3


def a_tree_is_missing(ours):
    del ours["shares"]["X2"]


def another_share(ours):
    ours["shares"]["X2"] -= 0.2
    ours["shares"]["X1 <= 0"] += 0.2


def not_half(ours):
    ours["TRT, X1"][1] += 0.01


def rises(ours):
    ours["ETs, X1"][-1] = 1.0


def second_falls(ours):
    ours["ETs, X2"][-1] = 0.0


def best_cuts_differ(ours):
    ours["RF, X2"][0] += 0.01


ALTERED = {
    "figure-7.1": [formulas_differ, copies_make_more_important, others_rise],
    "figure-7.2": [another_formula, falls],
    "table-7.1": [other_values, uneven, dependent, relevant_in_the_null_case],
    "figure-7.3": [close_to_zero, nothing_adds_up, fewer_values_win, a_signal_is_left],
    "figure-7.5": [unfair_stumps, no_preference, not_seen, never_first, clearer],
    "table-7.2": [unequal_multiway, equal_extra_trees, other_trees],
    "figure-7.6": [one_variable_only, longer_trees, unequal],
    "figure-7.7": [a_tree_is_missing, another_share],
    "figure-7.8": [not_half, rises, second_falls, best_cuts_differ],
}

# What does not hold at any scale, and why is said.
KNOWN = {
    "figure-7.3": {"X1 and X5 are nearly 3 times as important as X2"},
    "table-7.2": {"the printed importances of Extra-Trees are rounded from exact ones"},
}


@pytest.mark.parametrize("name", ALTERED)
def test_findings_hold_except_the_known_ones(name):
    found = found_of(name)
    assert set(failed(found)) == KNOWN.get(name, set())
    assert all(s.why for s in found.statements if not s.holds)


@pytest.mark.parametrize(("name", "change"), [(n, c) for n, cs in ALTERED.items() for c in cs])
def test_findings_do_not_hold_for_other_numbers(name, change):
    before, after = set(failed(found_of(name))), set(failed(outcome_with(name, change)))
    assert after > before


def test_exact_values():
    assert found_of("figure-7.1").ours["X5"][:3] == pytest.approx(
        [0.6566, 0.3769, 0.2685], abs=6e-5
    )
    extra = found_of("table-7.2").ours["Extra-Trees"]
    assert extra == pytest.approx({"X1": 0.375815, "X2": 0.542481}, abs=1e-6)
    assert found_of("figure-7.8").ours["ETs, X1"][2] == pytest.approx(0.3644, abs=6e-5)
