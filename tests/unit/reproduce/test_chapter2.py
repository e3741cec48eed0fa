"""Figure 2.1 holds at the scale of tests, and not for altered numbers."""

import pytest

from .altered import failed, found_of, outcome_with


def rising(ours):
    for errors in ours["training"]:
        errors[-1] = 0.1


def no_overfitting(ours):
    for errors in ours["test"]:
        errors[-1] = 0.0


def not_optimistic(ours):
    ours["protocols"]["valid"] = [1.0] * len(ours["protocols"]["valid"])


def test_the_finding_holds():
    assert failed(found_of("figure-2.1")) == []


@pytest.mark.parametrize("change", [rising, no_overfitting, not_optimistic])
def test_the_finding_does_not_hold_for_other_numbers(change):
    found = outcome_with("figure-2.1", change)
    assert len(failed(found)) == 1
    assert found.finding.startswith("The finding does not hold")
