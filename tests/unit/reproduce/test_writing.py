import json
import re

import pytest

from silvics.reproduce import writing
from silvics.reproduce.outcome import Outcome, Row, Statement
from silvics.reproduce.registry import item_of
from silvics.reproduce.running import reproduce
from silvics.reproduce.writing import markdown, write, write_index


def test_files_of_an_outcome(tmp_path):
    found = reproduce("table-3.1")
    page, values, figure = write(found, tmp_path / "new")
    text = page.read_text()
    assert text.startswith("# Table 3.1: ")
    assert "![Table 3.1](table-3.1.svg)" in text
    assert "| misclassification, X1 | 0 | 0 | 0 |" in text
    assert "`src/silvics/reproduce/chapter3/table_3_1.py`" in text
    assert json.loads(values.read_text())["ours"] == found.ours
    first = figure.read_bytes()
    assert write(found, tmp_path / "new")[2].read_bytes() == first


def test_large_figures_are_written_as_png(tmp_path, monkeypatch):
    found = reproduce("table-3.1")
    write(found, tmp_path)
    monkeypatch.setattr(writing, "_LARGEST_SVG", 10)
    assert write(found, tmp_path)[2].name == "table-3.1.png"
    assert not (tmp_path / "table-3.1.svg").exists()


def test_pages_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "find_spec", lambda _: None)
    assert len(write(reproduce("table-3.1"), tmp_path)) == 2


def test_bars_in_texts_do_not_break_tables():
    said = [Statement("p(y|x) is *here*", False, "a | b", "c")]
    text = markdown(Outcome(item_of("table-3.1"), "tiny", {}, [Row("a|b", 1, 2)], said, 0.0))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def test_the_index_lists_results_and_items_that_were_not_run(tmp_path):
    write(reproduce("table-3.1"), tmp_path)
    text = write_index(tmp_path, [(item_of("figure-4.4"), "no data")]).read_text()
    title = item_of("table-3.1").title
    finding = "The finding holds in all 3 statements."
    assert f"| [Table 3.1](table-3.1.md) | {title} | small | yes | {finding} |" in text
    assert "| not run | no data |" in text
    (tmp_path / "figure-4.4.md").write_text("notes")
    with pytest.raises(ValueError, match="Move it elsewhere"):
        write_index(tmp_path)
