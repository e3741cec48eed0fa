"""The calibration of the machine, and its file in the user's cache folder."""

import json

import pytest

from silvics.inspection import calibration as module
from silvics.inspection.calibration import DEFAULT, Calibration, cache_file, calibration


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


@pytest.fixture
def measured(monkeypatch):
    """Measures nothing, and counts how often it is asked."""
    asked = []

    def measure():
        asked.append(1)
        return Calibration({kind: [2 * x for x in of] for kind, of in DEFAULT.seconds.items()})

    monkeypatch.setattr(module, "measure", measure)
    return asked


def test_it_is_measured_once_and_kept(folder, measured):
    first, second = calibration(), calibration()
    assert first.seconds == second.seconds
    assert len(measured) == 1
    assert cache_file().is_relative_to(folder)
    assert json.loads(cache_file().read_text()) == first.seconds


def test_without_the_cache_nothing_is_written(folder, measured):
    calibration(cached=False)
    assert not list(folder.rglob("*.json"))


@pytest.mark.parametrize(
    "content", ["", "[]", '{"best, classes": [1]}', "{nonsense", '{"a": "b"}', "null"]
)
def test_a_file_that_is_not_a_calibration_is_replaced(content, measured):
    cache_file().parent.mkdir(parents=True)
    cache_file().write_text(content)
    found = calibration()
    assert len(measured) == 1
    assert json.loads(cache_file().read_text()) == found.seconds


def test_a_folder_that_cannot_be_written_does_no_harm(folder, measured):
    (folder / "silvics").write_text("a file")
    (folder / "Library").write_text("a file")
    assert calibration().seconds
    assert calibration().seconds
    assert len(measured) == 2


def test_times_between_the_sizes():
    assert DEFAULT.growth("best, numbers", 5_000, 5_000) == 1.0
    there = DEFAULT.growth("best, numbers", 1_000, 20_000)
    back = DEFAULT.growth("best, numbers", 20_000, 1_000)
    assert there * back == pytest.approx(1.0)
    assert DEFAULT.growth("best, numbers", 256_000, 10**7) == 1.0


def test_measuring_gives_a_time_for_each_kind_and_size(monkeypatch):
    monkeypatch.setattr(module, "_SIZES", (200, 400))
    found = module.measure()
    assert found.seconds.keys() == DEFAULT.seconds.keys()
    assert all(len(of) == 2 and min(of) >= 0.0 for of in found.seconds.values())
