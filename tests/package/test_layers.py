"""Folders of the core depend on each other in one direction only."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"

# A folder may include files of its own and of those before it. What all splitters share stands
# before the two kinds of splitters; make_splitter puts them together.
ORDER = [
    "base",
    "data",
    "sampling",
    "criterion",
    "tree",
    "splitter",
    "splitter/fast",
    "splitter/general",
    "builder",
    "forest",
    "predictor",
    "importance",
    "tuning",
    "proximity",
    "quantiles",
    "shap",
    "dependence",
    "model_file",
]
ABOVE_THEIR_FOLDER = {"splitter/make_splitter.cpp": "splitter/general"}


def folder_of(path):
    return ABOVE_THEIR_FOLDER.get(path, path.rpartition("/")[0])


def included(source):
    """Files of the core that a file includes."""
    return [name for name in re.findall(r'#include "([^"]+)"', source) if (CORE / name).exists()]


def files():
    return sorted(str(path.relative_to(CORE)) for path in CORE.rglob("*.?pp"))


def test_every_folder_is_in_the_order():
    assert files()
    assert {folder_of(name) for name in files()} <= set(ORDER)


@pytest.mark.parametrize("name", files())
def test_includes_point_to_folders_before(name):
    own = ORDER.index(folder_of(name))
    for other in included((CORE / name).read_text()):
        assert ORDER.index(folder_of(other)) <= own, f"{name} includes {other}"
