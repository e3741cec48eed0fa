"""The contents of valid files, by the name of the model."""

import pytest

from .hostile_models import MODELS


@pytest.fixture(scope="module")
def contents():
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(params=MODELS)
def content(request, contents):
    return contents[request.param]


@pytest.fixture
def plain(contents):
    return contents["classifier"]
