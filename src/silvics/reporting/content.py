"""What sections of a report are made of, apart from how a page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import isfinite
from typing import Any

import numpy as np

from silvics._names import one_line


@dataclass(frozen=True)
class Paragraph:
    """A paragraph. ``tone`` is "plain", "note" or "warning"."""

    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: list[str]


@dataclass(frozen=True)
class Code:
    """Python code."""

    text: str


@dataclass(frozen=True)
class Picture:
    """A small drawing in a cell of a table. The JSON form leaves it out."""

    svg: str


@dataclass(frozen=True)
class DataTable:
    """A table: columns by heading, and a caption. ``shaded`` colours cells by their value."""

    name: str
    caption: str
    columns: dict[str, list[Any]]
    shaded: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chart:
    """A drawing with a caption, a text alternative and the numbers that it shows."""

    name: str
    caption: str
    alternative: str
    svg: str
    columns: dict[str, list[Any]]


Block = Paragraph | Bullets | Code | DataTable | Chart


@dataclass
class Section:
    """A part of the report: blocks for the page, and single numbers for the JSON form."""

    anchor: str
    title: str
    blocks: list[Block] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def add(self, *blocks: Block | None) -> None:
        """Append blocks; None is left out."""
        self.blocks.extend(block for block in blocks if block is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the section says, in types of JSON."""
        tables = [block for block in self.blocks if isinstance(block, DataTable | Chart)]
        texts = [block.text for block in self.blocks if isinstance(block, Paragraph)]
        for block in self.blocks:
            if isinstance(block, Bullets):
                texts += block.items
        return {
            "title": self.title,
            "texts": texts,
            "values": plain(self.values),
            "tables": {
                block.name: {"caption": block.caption, "columns": _without_pictures(block.columns)}
                for block in tables
            },
        }


def _without_pictures(columns: dict[str, list[Any]]) -> dict[str, Any]:
    return {
        str(name): plain(column)
        for name, column in columns.items()
        if not any(isinstance(value, Picture) for value in column)
    }


def plain(value: Any) -> Any:
    """Return a value in types of JSON. Numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def number(value: Any) -> str:
    """Return a number with at most four significant digits, and other values as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, datetime | date | timedelta | np.datetime64):
        return str(value).replace("T00:00:00.000000", "").replace(" 00:00:00", "")
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    try:
        value = float(value)
    except (TypeError, ValueError):
        return one_line(str(value))
    if not isfinite(value):
        return "" if value != value else ("∞" if value > 0 else "-∞")
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.3g}"
    text = f"{value:.3g}" if abs(value) < 100 else f"{value:.4g}"
    return text


def percent(share: float) -> str:
    """Return a share in percent, with more digits near its ends."""
    if share != share:
        return "unknown"
    low = min(share, 1 - share)
    digits = 0 if low >= 0.095 else 1 if low >= 0.0005 or low <= 0 else 2
    text = f"{100 * share:.{digits}f}"
    return f"{text.removesuffix('.0')} %"


def counted(n: int, what: str, plural: str | None = None) -> str:
    """Return a number and a noun: "1 row", "2 rows"."""
    return f"{n:,} {what if n == 1 else plural or what + 's'}"


def joined(names: list[str], most: int = 4) -> str:
    """Return names with commas and "and"; of many, the first and the number of others."""
    shown = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {counted(len(names) - most, 'other')}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
