import pytest

from .altered import failed, outcome_with


def another_minimum(ours):
    ours["RF"]["error"][0] = 0.0


def correlated_trees(ours):
    ours["ETs"]["rho"][0] = 1.0


ALTERED = {
    "figure-4.4": [another_minimum, correlated_trees],
}


@pytest.mark.parametrize(("name", "change"), [(n, c) for n, cs in ALTERED.items() for c in cs])
def test_findings_do_not_hold_for_other_numbers(name, change):
    before, after = failed(outcome_with(name, lambda ours: None)), outcome_with(name, change)
    assert set(failed(after)) > set(before)
    assert after.finding.startswith("The finding does not hold")
