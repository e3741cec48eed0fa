"""The book: outputs of its examples, its table of theorems, and the experiments that it names."""

import ast
import re
import runpy
from functools import cache
from pathlib import Path

import pytest

from ..unit.reproduce.test_registry import EXPECTED, names

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "docs" / "book"
OUTPUTS = runpy.run_path(str(BOOK / "outputs.py"))
CHAPTERS = sorted(BOOK.glob("chapter_*.md"))

# The last number of each kind in each chapter. Theorems, lemmas and propositions share numbers.
RESULTS = {3: 4, 4: 4, 5: 10, 6: 7, 7: 5}
DEFINITIONS = {2: 9, 3: 11, 6: 3, 7: 1}
ALGORITHMS = {2: 2, 3: 4, 4: 3, 8: 1}


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_examples_print_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = list(OUTPUTS["examples"](page.read_text(encoding="utf-8")))
    assert len(found) >= 4
    for shown, printed in found:
        assert shown == printed, "run `python docs/book/outputs.py`"


# Sections whose content is measured on data sets, or whose parts have the examples.
WITHOUT_EXAMPLE = {"5.4.2", "8.2.3"}


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_every_section_has_an_example(page):
    sections = re.split(r"^#{2,4} ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for text in sections:
        title, _, body = text.partition("\n")
        only_parts = len(body.split()) < 5
        assert only_parts or "```python" in body or title.split()[0] in WITHOUT_EXAMPLE, title


# ---- the table of theorems


def rows(page):
    """(cells, tests) of each row of a page; a section on what is missing is left out."""
    text = (BOOK / page).read_text(encoding="utf-8").partition("## Not verified")[0]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] not in ("thesis", "section"):
            yield cells, re.findall(r"`([^`]+)`", cells[2])


def test_every_result_of_the_thesis_is_in_the_table():
    listed = [cells[0] for cells, _ in rows("theorems.md")]
    results = {re.sub("Theorem|Lemma|Proposition", "result", what) for what in listed}
    for numbers, word in (
        (RESULTS, "result"),
        (DEFINITIONS, "Definition"),
        (ALGORITHMS, "Algorithm"),
    ):
        for chapter, last in numbers.items():
            first = 3 if word == "result" and chapter == 3 else 1  # propositions 3.1 and 3.2 too
            assert {f"{word} {chapter}.{i}" for i in range(first, last + 1)} <= results
    assert {"Proposition 3.1", "Proposition 3.2"} <= set(listed)
    assert len(listed) == len(set(listed))


@cache
def functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def missing_tests(tests):
    for test in tests:
        path, _, name = test.partition("::")
        if not ((ROOT / path).is_file() and name.startswith("test_") and name in functions(path)):
            yield test


@pytest.mark.parametrize("page", ["theorems.md", "coverage.md"])
def test_tests_of_the_tables_exist(page):
    for cells, tests in rows(page):
        if page == "theorems.md" or not re.search("experiment|study", cells[2]):
            assert tests, cells
        assert list(missing_tests(tests)) == [], cells


def test_a_missing_test_is_noticed():
    wrong = ["tests/none.py::test_x", "tests/package/test_book.py::test_none"]
    assert (
        list(missing_tests([*wrong, "tests/package/test_book.py::test_a_missing_test_is_noticed"]))
        == wrong
    )


# ---- experiments


def test_every_experiment_is_in_the_book_and_no_other():
    for page in CHAPTERS:
        text = page.read_text(encoding="utf-8")
        number = page.stem.removeprefix("chapter_")
        found = set(re.findall(r"`(?:silvics reproduce )?((?:figure|table)-\d\.\d)`", text))
        ranges = re.findall(
            r"`(?:silvics reproduce )?figure-(\d)\.(\d)`[^`]* to `figure-\1\.(\d)`", text
        )
        for chapter, first, last in ranges:
            found |= {f"figure-{chapter}.{i}" for i in range(int(first), int(last) + 1)}
        assert found <= {name for text in EXPECTED.values() for name in names(text)}, page.name
        assert names(EXPECTED[int(number)]) <= found, page.name
