"""Tables of text, and their plain and HTML forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from silvics._names import one_line

_MOST_ROWS = 15
_MOST_COLUMNS = 11
_LONGEST_CELL = 50  # characters
_ROUNDED = {"standard_error", "p"}  # columns with two significant digits instead of four


@dataclass(frozen=True)
class Table:
    """A table whose cells are formatted.

    Attributes
    ----------
    rows : sequence of sequences of str
        The cells. The first cell of a row is its label.
    header : sequence of str
        The names of the columns; empty for a table without names.
    title : str
        A line above the table.
    notes : sequence of str
        Lines below the table.
    numeric : bool
        Whether the cells after the first are aligned to the right.
    """

    rows: Sequence[Sequence[str]]
    header: Sequence[str] = ()
    title: str = ""
    notes: Sequence[str] = ()
    numeric: bool = False

    def lines(self) -> list[str]:
        """Return the lines of the plain form."""
        cells = [[one_line(cell) for cell in row] for row in self._all_rows()]
        margin = "    " if self.title else "  "
        lines = ["", f"  {one_line(self.title)}"] if self.title else []
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        aligned = ["<", *(">" if self.numeric else "<" for _ in widths[1:])]
        for row in cells:
            texts = (f"{c:{a}{w}}" for c, a, w in zip(row, aligned, widths, strict=True))
            lines.append((margin + "  ".join(texts)).rstrip())
        return lines + [margin + one_line(note) for note in self.notes]

    def html(self) -> str:
        """Return the HTML form."""
        title = f"<p>{_escaped(self.title)}</p>" if self.title else ""
        header = "".join(f"<th>{_escaped(name)}</th>" for name in self.header)
        head = f"<thead><tr>{header}</tr></thead>" if header else ""
        body = "".join(
            "<tr>" + "".join(f"<td>{_escaped(cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        return f"{title}<table>{head}<tbody>{body}</tbody></table>{paragraphs(self.notes)}"

    def _all_rows(self) -> list[Sequence[str]]:
        return [self.header, *self.rows] if self.header else [*self.rows]


def table_of(columns: Mapping[str, Any]) -> Table:
    """Return the first rows and columns of a frame as a table.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns by name, all of one length.
    """
    shown = dict(islice(columns.items(), _MOST_COLUMNS))
    n_rows = len(next(iter(columns.values())))
    texts = [
        [_formatted(value, 2 if name in _ROUNDED else 4) for value in column[:_MOST_ROWS]]
        for name, column in shown.items()
    ]
    notes = []
    if n_rows > _MOST_ROWS:
        notes.append(f"... and {n_rows - _MOST_ROWS:,} more")
    if len(columns) > len(shown):
        notes.append(f"... and {len(columns) - len(shown):,} more columns: see to_frame()")
    header = [_shortened(name) for name in shown]
    return Table([*zip(*texts, strict=True)], header=header, notes=notes)


def paragraphs(lines: Sequence[str]) -> str:
    """Return each line as a paragraph of HTML."""
    return "".join(f"<p>{_escaped(line)}</p>" for line in lines)


def _escaped(text: str) -> str:
    return escape(one_line(text))


def _formatted(value: Any, n_digits: int) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.{n_digits}g}"
    if isinstance(value, np.timedelta64):  # which NumPy counts among the integers
        return "" if np.isnat(value) else str(value.astype("m8[us]").item())
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    return _shortened(str(value))


def _shortened(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 3] + "..."
