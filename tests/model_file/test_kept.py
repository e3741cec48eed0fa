"""Files that earlier versions have written: they load for ever, and predict what they did."""

import json

import pytest

import silvics

from .files import content_of, loaded, opened, use
from .keep import FOLDER, models, numbers, predictions

NAMES = sorted(path.stem for path in FOLDER.glob("*.silvics"))


def expected(name):
    told = json.loads((FOLDER / f"{name}.json").read_text())
    rows = told.pop("rows")
    if all(x is None or isinstance(x, float) for row in rows for x in row):
        rows = numbers(rows)
    return rows, told


def test_there_is_one_of_every_sort():
    assert len(NAMES) >= 17
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 220_000
    kinds = {json.loads((FOLDER / f"{name}.json").read_text())["estimator"] for name in NAMES}
    assert len(kinds) >= 10


def test_files_of_the_first_version_are_among_them():
    """They were written by 0.1.0, not by the version that reads them."""
    versions = {opened((FOLDER / f"{name}.silvics").read_bytes())[1]["library"] for name in NAMES}
    assert "0.1.0" in versions
    assert opened((FOLDER / "samples.silvics").read_bytes())[1]["library"] == "0.1.0"


@pytest.mark.parametrize("memory_map", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_a_kept_file_predicts_what_it_did(name, memory_map):
    rows, told = expected(name)
    model = silvics.load(FOLDER / f"{name}.silvics", memory_map=memory_map)
    assert json.loads(json.dumps(predictions(model, rows))) == told


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_file_can_be_used_and_written_again(name):
    rows, told = expected(name)
    model = silvics.load(FOLDER / f"{name}.silvics")
    use(model)
    whole = opened((FOLDER / f"{name}.silvics").read_bytes())[1]["contents"] == "all"
    again = loaded(content_of(model, for_prediction=not whole))
    assert json.loads(json.dumps(predictions(again, rows))) == told


def test_the_script_makes_all_of_them():
    assert {name for name, *_ in models()} <= set(NAMES)
