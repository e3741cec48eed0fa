"""Outcomes from numbers that were altered: their findings must not hold."""

import copy
from functools import cache
from importlib import import_module

from silvics.reproduce.registry import item_of
from silvics.reproduce.running import outcome_of, reproduce
from silvics.reproduce.settings import Settings


@cache
def _found_of(name, data):
    return reproduce(name, Settings("tiny", data=data))


def found_of(name, data=None):
    """An outcome at the scale of tests, which is computed once."""
    return _found_of(name, data)


def outcome_with(name, change, data=None):
    """The outcome that follows from the numbers of an item after ``change(ours)``."""
    item = item_of(name)
    ours = copy.deepcopy(found_of(name, data).ours)
    change(ours)
    return outcome_of(item, ours, "tiny", 0.0, import_module(item.module))


def failed(outcome):
    """The statements that do not hold."""
    return [statement.text for statement in outcome.statements if not statement.holds]
