import pytest

from .altered import failed, found_of, outcome_with


def other_best(ours):
    ours["entropy"]["X2"] = 0.3


def training_error_falls(ours):
    ours["misclassification"]["X3"] = 0.1


ALTERED = {
    "table-3.1": [other_best, training_error_falls],
}


@pytest.mark.parametrize("name", ALTERED)
def test_findings_hold(name):
    assert failed(found_of(name)) == []


@pytest.mark.parametrize(("name", "change"), [(n, c) for n, cs in ALTERED.items() for c in cs])
def test_findings_do_not_hold_for_other_numbers(name, change):
    found = outcome_with(name, change)
    assert len(failed(found)) == 1
    assert found.finding.startswith("The finding does not hold")
