"""Forests of earlier days, grown again: see golden.py for how and when to write them anew."""

import json

import pytest

from .golden import FILE, FORESTS, digest_of, whole_numbers


def test_the_data_are_those_of_the_file():
    assert whole_numbers(5, 1000, state=1).tolist() == [774, 153, 196, 870, 34]


def test_every_forest_has_its_digest():
    assert json.loads(FILE.read_text()).keys() == FORESTS.keys()


@pytest.mark.parametrize("name", FORESTS)
def test_golden_digest(name):
    assert digest_of(name) == json.loads(FILE.read_text())[name]
