"""The HTML page of a report: one file that loads nothing else."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from typing import Any

from silvics._names import one_line
from silvics.reporting.content import (
    Block,
    Bullets,
    Chart,
    Code,
    DataTable,
    Paragraph,
    Picture,
    Section,
    number,
)

_MOST_ROWS = 200  # of a table on the page; the JSON form has them all
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def static(name: str) -> str:
    """Return the text of a file that comes with the package."""
    return files("silvics.reporting").joinpath("static", name).read_text(encoding="utf-8")


def page_of(title: str, sections: list[Section], footer: list[str], summary: dict[str, Any]) -> str:
    """Return the page."""
    first, *others = sections
    links = "".join(
        f'<li><a href="#{section.anchor}">{escape(section.title)}</a></li>' for section in others
    )
    body = "".join(_section(section) for section in others)
    data = json.dumps(summary, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(one_line(title))}</title>"
        '<link rel="icon" href="data:,">'
        f"<style>{static('report.css')}</style></head><body>"
        '<a class="skip" href="#content">Skip to the content</a>'
        f'<header><h1>{_inline(title)}</h1><nav aria-label="Sections"><ul>{links}</ul></nav>'
        "</header>"
        f'<main id="content"><section id="{first.anchor}" class="first">'
        f"<h2>{escape(first.title)}</h2>{_blocks(first.blocks)}</section>{body}</main>"
        f"<footer>{''.join(f'<p>{_inline(line)}</p>' for line in footer)}</footer>"
        '<div id="tip" role="status" hidden></div>'
        f'<script type="application/json" id="report-data">{data}</script>'
        f"<script>{static('report.js')}</script></body></html>\n"
    )


def _section(section: Section) -> str:
    return (
        f'<details class="section" id="{section.anchor}" open><summary>'
        f"<h2>{escape(section.title)}</h2></summary>{_blocks(section.blocks)}</details>"
    )


def _blocks(blocks: list[Block]) -> str:
    return "".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        kind = "" if block.tone == "plain" else f' class="{block.tone}"'
        return f"<p{kind}>{_inline(block.text)}</p>"
    if isinstance(block, Bullets):
        return f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in block.items)}</ul>"
    if isinstance(block, Code):
        return f'<pre tabindex="0" aria-label="Python code"><code>{escape(block.text)}</code></pre>'
    if isinstance(block, DataTable):
        return _table(block.name, block.caption, block.columns, block.shaded)
    return _chart(block)


def _inline(text: str) -> str:
    """Return a text as HTML. What stands between backticks is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(one_line(text)))


def _chart(chart: Chart) -> str:
    table = _table(f"{chart.name}-table", "", chart.columns, ()) if chart.columns else ""
    hidden = f"<details class='numbers'><summary>The numbers</summary>{table}</details>"
    return (
        f'<figure id="{chart.name}"><figcaption>{_inline(chart.caption)} '
        f'<a class="anchor" href="#{chart.name}" '
        f'aria-label="Link to the chart {escape(chart.name)}">#</a></figcaption>'
        '<div class="chart" tabindex="0" role="group" '
        f'aria-label="{escape(chart.caption)}. Arrow keys show single values.">{chart.svg}</div>'
        f'<p class="alternative">{_inline(chart.alternative)}</p>{hidden if table else ""}</figure>'
    )


def _table(name: str, caption: str, columns: dict[str, list[Any]], shaded: tuple[str, ...]) -> str:
    n = max((len(column) for column in columns.values()), default=0)
    scales = {key: _largest(columns[key]) for key in shaded}
    numeric = {key: _is_numeric(column) for key, column in columns.items()}
    head = "".join(f'<th scope="col"{_class(numeric[key])}>{_inline(key)}</th>' for key in columns)
    rows = []
    for i in range(min(n, _MOST_ROWS)):
        cells = []
        for k, (key, column) in enumerate(columns.items()):
            text, style = _cell(column[i]), ""
            if key in scales and isinstance(column[i], int | float) and scales[key]:
                share = round(40 * abs(column[i]) / scales[key])
                style = f' style="--share:{share}%"'
            tag = 'th scope="row"' if k == 0 else "td"
            kind = " ".join(
                word for word in ("n" if numeric[key] else "", "shade" if style else "") if word
            )
            kind = f' class="{kind}"' if kind else ""
            cells.append(f"<{tag}{kind}{style}>{text}</{tag.split()[0]}>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    more = f"<p class='note'>The first {_MOST_ROWS} of {n:,} rows.</p>" if n > _MOST_ROWS else ""
    words = f"<caption><span>{_inline(caption)}</span></caption>" if caption else ""
    label = escape(one_line(caption) or "The numbers of the chart")
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{label}">'
        f'<table id="{name}">{words}<thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{more}"
    )


def _class(numeric: bool) -> str:
    return ' class="n"' if numeric else ""


def _cell(value: Any) -> str:
    if isinstance(value, Picture):
        return value.svg
    return _inline(number(value))


def _is_numeric(column: list[Any]) -> bool:
    found = [value for value in column if value is not None]
    return bool(found) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in found
    )


def _largest(column: list[Any]) -> float:
    return max((abs(v) for v in column if isinstance(v, int | float) and v == v), default=0.0)
