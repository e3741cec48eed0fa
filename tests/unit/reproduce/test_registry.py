"""Every table and figure that is an experiment or a computed illustration is an item."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from silvics.reproduce.chapter5.timing import FILES, all_times
from silvics.reproduce.chapter8.experiment import measured
from silvics.reproduce.chapter8.sets import LARGE, SMALL
from silvics.reproduce.outcome import flat
from silvics.reproduce.registry import item_of, items
from silvics.reproduce.running import reproduce
from silvics.reproduce.settings import Settings

ROOT = Path(__file__).parents[3]
EXPECTED = {
    2: "figure: 2.1",
    3: "figure: 3.1 3.2 3.3 3.4 3.5 3.6 3.7 table: 3.1",
    4: "figure: 4.1 4.2 4.3 4.4 4.5 4.6",
    5: "figure: 5.4 5.5 5.6 5.7 5.8 5.9 table: 5.1 5.2 5.3 5.4 5.5",
    6: "figure: 6.2 6.3 table: 6.1 6.2",
    7: "figure: 7.1 7.2 7.3 7.5 7.6 7.7 7.8 table: 7.1 7.2",
    8: "figure: 8.1 8.2 8.3 8.4 8.5 table: 8.1 8.2 8.3 8.4 8.5 8.6",
}
# Items that are being written, by chapter.
NOT_YET: dict[int, str] = {}


def names(text):
    found, kind = set(), ""
    for word in text.split():
        if word.endswith(":"):
            kind = word[:-1]
        else:
            found.add(f"{kind}-{word}")
    return found


@pytest.mark.parametrize("chapter", EXPECTED)
def test_every_item_is_there(chapter):
    there = {item.id for item in items().values() if item.chapter == chapter}
    assert names(EXPECTED[chapter]) - there == names(NOT_YET.get(chapter, ""))
    assert there <= names(EXPECTED[chapter])


def test_items_are_in_the_order_of_the_thesis():
    lines = [item.line for item in items().values()]
    assert lines == sorted(set(lines))
    assert [item.chapter for item in items().values()] == sorted(
        item.chapter for item in items().values()
    )


@pytest.mark.parametrize("name", items())
def test_descriptions_are_complete(name):
    item = items()[name]
    assert item.title
    assert not item.title.endswith(".")
    assert re.fullmatch(rf"{item.chapter}(\.\d)*", item.section)
    assert item.page > 8
    assert 227 <= item.line <= 3700
    assert (ROOT / item.source).is_file()
    assert (ROOT / item.book).is_file()
    assert item.code, "name the files of the library that implement it"
    for path in item.code:
        assert (ROOT / path).exists(), path
    for label, value in flat(item.printed.get("values", {})).items():
        assert isinstance(value, int | float | str), label
    assert not item.printed or 227 <= item.printed["line"] <= 3700


SMALL_FILES = {one.table for one in SMALL if one.table}
LARGE_FILES = {one.table for one in LARGE if one.table}
TIMED_FILES = {file for file, _ in FILES.values()}
DATA = {
    "table-5.4": TIMED_FILES,
    "table-5.5": TIMED_FILES,
    "figure-5.9": {"mnist"},
    **dict.fromkeys(("table-8.1", "figure-8.1", "table-8.2", "table-8.3"), SMALL_FILES),
    **dict.fromkeys(("table-8.4", "table-8.5", "figure-8.2", "table-8.6"), LARGE_FILES),
    **dict.fromkeys(("figure-8.3", "figure-8.4", "figure-8.5"), SMALL_FILES | LARGE_FILES),
}


@pytest.mark.parametrize("name", items())
def test_items_name_their_data(name, monkeypatch):
    item, asked = items()[name], set()
    assert {*item.data, *item.optional} == DATA.get(name, set())
    assert not {*item.data} & {*item.optional}
    if item.data or item.chapter not in (5, 8):
        return
    monkeypatch.setattr(Settings, "has", lambda self, table: bool(asked.add(table)))
    for cached in (all_times, measured):
        cached.cache_clear()
    reproduce(name, Settings("tiny"))
    assert asked <= {*item.optional}
    assert bool(asked) == bool(item.optional)


def test_every_figure_is_drawn():
    for item in items().values():
        if item.id.startswith("figure"):
            assert hasattr(import_module(item.module), "draw"), item.id


def test_every_module_is_an_item():
    folder = ROOT / "src/silvics/reproduce"
    sources = {str(path.relative_to(ROOT)) for path in folder.glob("chapter*/*_[0-9]_[0-9].py")}
    assert sources == {item.source for item in items().values()}


def test_names_of_items():
    for name in ("table-3.1", "Table 3.1", "table_3_1", " TABLE 3.1"):
        assert item_of(name).id == "table-3.1"
    for name in ("fig. 4.4", "Figure 4.4", "figure_4_4"):
        assert item_of(name).id == "figure-4.4"
    with pytest.raises(ValueError, match="--list"):
        item_of("table-1.1")
    item = item_of("table-3.1")
    assert item.label == "Table 3.1"
    assert item.place == "section 3.6.2 (from page 40), line 959"
