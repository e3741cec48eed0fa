"""Tables of the documentation are tables to a Markdown reader: a header, a rule, and equal rows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def tables(text):
    """Runs of lines that start with a bar, outside of code."""
    run, in_code = [], False
    for line in [*text.splitlines(), ""]:
        in_code ^= line.lstrip().startswith("```")
        if line.startswith("|") and not in_code:
            run.append(line)
        elif run:
            yield run
            run = []


def cells(row):
    without_code = re.sub(r"`[^`]*`", "", row).replace(r"\|", "")
    return without_code.strip().strip("|").count("|") + 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_are_whole(page):
    for table in tables(page.read_text(encoding="utf-8")):
        assert len(table) >= 2, f"a row without a header: {table[0]!r}"
        assert re.fullmatch(r"\|[\s:|-]+\|", table[1]), f"no rule below {table[0]!r}"
        odd = [row for row in table if cells(row) != cells(table[0])]
        assert odd == []


def test_a_blank_line_in_a_table_is_found():
    whole = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    assert len(list(tables(whole))) == 1
    assert len(list(tables(whole.replace("| 3", "\n| 3")))) == 2
