"""The items of the thesis that can be run, chapter by chapter.

A chapter is a package ``chapterN`` with a file ``printed.toml``. A table of that file describes one
item, and the module of the same name computes it: ``table-3.1`` is computed by
``chapter3/table_3_1.py``. This module needs no numerical library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

CHAPTERS = (2, 3, 4, 5, 6, 7, 8)
_PACKAGE = "silvics.reproduce"


@dataclass(frozen=True)
class Item:
    """A table or figure of the thesis.

    Attributes
    ----------
    id : str
        Its name, as in ``table-3.1``.
    title : str
        What it shows.
    chapter : int
        Its chapter.
    section : str
        Its section.
    page : int
        The page on which the section begins.
    line : int
        The line of the thesis' text (``thesis.md``) with the caption.
    data : tuple of str
        Names of the Parquet files that it needs.
    optional : tuple of str
        Names of the files that it uses as well, if they are there.
    code : tuple of str
        Files of the library that implement what it shows.
    printed : mapping
        The numbers that the thesis prints, in groups with the line of each.
    """

    id: str
    title: str
    chapter: int
    section: str
    page: int
    line: int
    data: tuple[str, ...]
    optional: tuple[str, ...]
    code: tuple[str, ...]
    printed: Mapping[str, Any]

    @property
    def module(self) -> str:
        """Name of the module that computes the item."""
        return f"{_PACKAGE}.chapter{self.chapter}.{re.sub('[-.]', '_', self.id)}"

    @property
    def source(self) -> str:
        """Path of this module in the repository."""
        return f"src/{self.module.replace('.', '/')}.py"

    @property
    def book(self) -> str:
        """Path of the page of the documentation that explains it."""
        return f"docs/book/chapter_{self.chapter}.md"

    @property
    def label(self) -> str:
        """Its name in a text, as in "Table 3.1"."""
        kind, _, number = self.id.partition("-")
        return f"{kind.capitalize()} {number}"

    @property
    def place(self) -> str:
        """Where it is in the thesis."""
        return f"section {self.section} (from page {self.page}), line {self.line}"


@cache
def items() -> dict[str, Item]:
    """Return all items by their names, in the order of the thesis."""
    found = [item for chapter in CHAPTERS for item in _of_chapter(chapter)]
    return {item.id: item for item in sorted(found, key=lambda item: item.line)}


def item_of(name: str) -> Item:
    """Return an item by its name; ``Table 3.1`` and ``table_3_1`` are ``table-3.1`` too."""
    found = items()
    words = re.fullmatch(r"(fig|figure|table)[-_. ]*(\d+)[._](\d+)", name.strip().lower())
    wanted = name
    if words:
        kind = "table" if words[1] == "table" else "figure"
        wanted = f"{kind}-{words[2]}.{words[3]}"
    if wanted not in found:
        raise ValueError(
            f"There is no item {name!r}. `silvics reproduce --list` shows all names, as in "
            "table-3.1 and figure-4.4."
        )
    return found[wanted]


def _of_chapter(chapter: int) -> list[Item]:
    folder = files(_PACKAGE) / f"chapter{chapter}"
    if not folder.is_dir():
        return []
    tables = tomllib.loads((folder / "printed.toml").read_text(encoding="utf-8"))
    return [
        Item(
            id=name,
            title=table["title"],
            chapter=chapter,
            section=table["section"],
            page=table["page"],
            line=table["line"],
            data=tuple(table.get("data", ())),
            optional=tuple(table.get("optional", ())),
            code=tuple(table.get("code", ())),
            printed=table.get("printed", {}),
        )
        for name, table in tables.items()
    ]
