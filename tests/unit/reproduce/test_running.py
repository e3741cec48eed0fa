"""Every item runs at the scale of tests, and its outcome is complete."""

import json
from dataclasses import replace

import matplotlib as mpl
import pytest
from matplotlib import pyplot

from silvics.reproduce import running, settings
from silvics.reproduce.registry import items
from silvics.reproduce.running import reproduce
from silvics.reproduce.settings import MissingData, Settings
from silvics.reproduce.writing import markdown, write

from .altered import found_of

mpl.use("Agg")


@pytest.mark.parametrize("name", [name for name, item in items().items() if not item.data])
def test_items_run(name, tmp_path):
    found = found_of(name)
    assert found.statements
    assert all(statement.text and statement.here for statement in found.statements)
    assert all(row.quantity for row in found.rows)
    json.dumps(found.to_dict())
    page, values, *_ = write(found, tmp_path)
    assert json.loads(values.read_text())["id"] == name
    assert found.item.label in page.read_text()
    assert markdown(found).count("\n|") >= 3
    if found.draw is not None:
        pyplot.close(found.plot().figure_)


def test_items_name_the_data_that_they_need(tmp_path):
    for name in (name for name, item in items().items() if item.data):
        with pytest.raises(MissingData, match="--data FOLDER"):
            reproduce(name)
        with pytest.raises(MissingData, match="lacks"):
            reproduce(name, Settings(data=tmp_path))


def test_the_same_seed_gives_the_same_numbers():
    one, two = (reproduce("figure-4.4", Settings("tiny", n_jobs=jobs)).ours for jobs in (1, 2))
    assert one == two
    assert one != reproduce("figure-4.4", Settings("tiny", seed=1)).ours


def test_items_that_need_data(monkeypatch, tmp_path):
    item = items()["table-3.1"]
    monkeypatch.setattr(running, "item_of", lambda _: replace(item, data=("genes",)))
    with pytest.raises(MissingData, match=r"Table 3\.1 needs genes\.parquet"):
        reproduce("table-3.1")
    with pytest.raises(MissingData, match="lacks"):
        reproduce("table-3.1", Settings(data=tmp_path))
    (tmp_path / "genes.parquet").touch()
    assert reproduce("table-3.1", Settings(data=tmp_path)).holds


def test_scales():
    assert Settings("paper").pick(tiny=1, small=2, paper=3) == 3
    assert settings.SCALES == ("tiny", "small", "paper")
    with pytest.raises(ValueError, match="scale must be one of"):
        Settings("large")
