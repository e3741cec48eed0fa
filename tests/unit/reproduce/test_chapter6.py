import pytest

from .altered import failed, found_of, outcome_with


def another_digit(ours):
    ours["3"] = ours["9"]


def a_column_of_other_trees(ours):
    ours["exact"]["K = 4"]["X2"] += 0.02


def nothing_is_lost(ours):
    ours["K = 2"]["X1"] += 0.1


def equation_6_10_is_wrong(ours):
    ours["equation 6.10"]["X3"] += 0.01


def nothing_is_masked(ours):
    ours["exact"]["K = 7"] = ours["exact"]["K = 1"]


def nothing_diverges(ours):
    for j in range(1, 8):
        ours[f"X{j}"] = [ours[f"X{j}"][0]] * 7


def another_order(ours):
    ours["X6"][0] = 1.0


def too_much_alone(ours):
    ours["K = 1"]["X2"][0] = 0.5


def anything_at_the_root(ours):
    ours["K = 7"]["X1"][0] = 0.1


def everything_tells(ours):
    for j in (5, 6, 7):
        ours["K = 1"][f"X{j}"] = [0.04] * 7


def deep_contexts(ours):
    ours["K = 7"]["X3"][5] = 0.1


ALTERED = {
    "table-6.1": [another_digit],
    "table-6.2": [
        a_column_of_other_trees, nothing_is_lost, equation_6_10_is_wrong, nothing_is_masked,
    ],
    "figure-6.2": [nothing_diverges, another_order],
    "figure-6.3": [too_much_alone, anything_at_the_root, everything_tells, deep_contexts],
}  # fmt: skip


@pytest.mark.parametrize("name", ALTERED)
def test_findings_hold(name):
    assert failed(found_of(name)) == []


@pytest.mark.parametrize(("name", "change"), [(n, c) for n, cs in ALTERED.items() for c in cs])
def test_findings_do_not_hold_for_other_numbers(name, change):
    found = outcome_with(name, change)
    assert failed(found)
    assert found.finding.startswith("The finding does not hold")


def test_importances_of_table_6_2_are_exact():
    exact = found_of("table-6.2").ours["exact"]
    assert exact["K = 1"]["X5"] == pytest.approx(0.6566, abs=6e-5)
    assert exact["K = 2"]["X2"] == pytest.approx(0.6652, abs=6e-5)
    assert found_of("figure-6.3").ours["K = 1"]["X5"][0] == pytest.approx(0.1387, abs=6e-5)
