"""Charts as SVG, drawn without a plotting library.

All charts are 420 units wide, so that their text can still be read on a page of 400 pixels.
Colours are CSS variables of the page, so that charts follow its light or dark theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any

import numpy as np

from silvics._names import one_line
from silvics.reporting.content import Picture, number

_WIDTH = 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 42
_LABEL = 150  # of the width of bar charts, for the names
_COLOURS = 8  # classes with their own colour


@dataclass(frozen=True)
class Line:
    """A series of a line chart, with the bounds of a band around it."""

    name: str
    y: Any
    low: Any = None
    high: Any = None


def shortened(text: Any, most: int = 18) -> str:
    """Return a text with at most this number of characters."""
    text = one_line(str(text))
    return text if len(text) <= most else text[: most - 1] + "…"


def _svg(height: float, parts: list[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _mark(shape: str, tip: str) -> str:
    """Return a shape that shows a text when the pointer or the keyboard is on it."""
    head, _, tail = shape.partition(" ")
    return f'{head} data-tip="{escape(one_line(tip))}" {tail}'


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers that cover an interval."""
    if not high > low:
        return [low]
    raw = (high - low) / most
    unit = 10.0 ** floor(log10(raw))
    step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k >= raw * 0.999)
    first = ceil(low / step - 1e-9)
    return [i * step for i in range(first, floor(high / step + 1e-9) + 1)]


def _range(*values: Any) -> tuple[float, float]:
    joined = np.concatenate([np.ravel(np.asarray(v, dtype=float)) for v in values if v is not None])
    joined = joined[np.isfinite(joined)]
    if not joined.size:
        return 0.0, 1.0
    low, high = float(joined.min()), float(joined.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _scale(low: float, high: float, start: float, end: float) -> Any:
    return lambda v: start + (float(v) - low) / (high - low) * (end - start)


def bars(
    names: Sequence[Any],
    values: Any,
    label: str,
    *,
    errors: Any = None,
    marked: Sequence[bool] | None = None,
    unit: str = "",
) -> str:
    """Draw horizontal bars with their names and, if given, two standard errors."""
    values = np.asarray(values, dtype=float)
    errors = np.zeros(len(values)) if errors is None else np.nan_to_num(np.asarray(errors, float))
    low, high = _range(values - 2 * errors, values + 2 * errors, [0.0])
    place = _scale(min(low, 0.0), max(high, 1e-300), _LABEL, _WIDTH - 54)
    parts, step = [_line(place(0), 4, place(0), 8 + 22 * len(values), "axis")], 22
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        y = 8 + step * i
        start, width = min(place(0), place(value)), abs(place(value) - place(0))
        kind = "bar" if marked is None or marked[i] else "bar weak"
        parts.append(_text(_LABEL - 6, y + 13, shortened(name), "end"))
        tip = f"{name}: {number(value)}{unit}"
        if errors[i]:
            tip += f", standard error {number(errors[i])}"
        shape = f'<rect x="{start:.1f}" y="{y}" width="{max(width, 0.8):.1f}" height="16" rx="2" '
        parts.append(_mark(f'{shape}class="{kind}"/>', tip))
        if errors[i]:
            ends = place(value - 2 * errors[i]), place(value + 2 * errors[i])
            parts.append(_line(ends[0], y + 8, ends[1], y + 8, "error"))
        end = max(start + width, place(value + 2 * errors[i]))
        parts.append(_text(end + 4, y + 13, number(value) + unit, kind="value"))
    return _svg(12 + step * len(values), parts, label)


def stacked(names: Sequence[Any], parts_of: dict[str, Any], label: str) -> str:
    """Draw horizontal bars that are made of parts, with a legend."""
    values = {name: np.asarray(part, dtype=float).clip(min=0) for name, part in parts_of.items()}
    total = np.sum(list(values.values()), axis=0)
    place = _scale(0.0, float(total.max()) or 1.0, _LABEL, _WIDTH - 12)
    out, top = _legend(list(values)), 26
    for i, name in enumerate(names):
        y, done = top + 22 * i, 0.0
        out.append(_text(_LABEL - 6, y + 13, shortened(name), "end"))
        for k, (part, of_part) in enumerate(values.items()):
            start, end = place(done), place(done + of_part[i])
            done += of_part[i]
            if end - start < 0.05:
                continue
            shape = f'<rect x="{start:.1f}" y="{y}" width="{end - start:.1f}" height="16" '
            share = of_part[i] / total[i] if total[i] else 0.0
            tip = f"{name}, {part}: {number(of_part[i])} ({share:.0%})"
            out.append(_mark(f'{shape}class="fill{k % _COLOURS}"/>', tip))
    return _svg(top + 4 + 22 * len(names), out, label)


def _legend(names: list[str], left: float = 8) -> list[str]:
    out, x = [], left
    for k, name in enumerate(names[:_COLOURS]):
        shown = shortened(name, 16)
        width = 20 + 6.6 * len(shown)
        if x + width > _WIDTH and k:
            break
        out.append(f'<rect x="{x:.1f}" y="4" width="10" height="10" class="fill{k}"/>')
        out.append(_text(x + 14, 13, shown))
        x += width + 8
    return out


def _tick(value: float) -> str:
    """Return a number of an axis, which may be a year."""
    return f"{value:.0f}" if 1000 <= abs(value) < 10_000 else number(value)


def _axes(
    x_range: tuple[float, float], y_range: tuple[float, float], labels: tuple[str, str],
    height: float, top: float = _TOP,
) -> tuple[Any, Any, list[str]]:  # fmt: skip
    x = _scale(*x_range, _LEFT, _WIDTH - _RIGHT)
    y = _scale(*y_range, height - _BOTTOM, top)
    out = []
    for tick in ticks(*y_range):
        out.append(_line(_LEFT, y(tick), _WIDTH - _RIGHT, y(tick), "grid"))
        out.append(_text(_LEFT - 5, y(tick) + 4, number(tick), "end", "tick"))
    low = height - _BOTTOM + 15
    out += [_text(x(tick), low, _tick(tick), "middle", "tick") for tick in ticks(*x_range)]
    out.append(_line(_LEFT, height - _BOTTOM, _WIDTH - _RIGHT, height - _BOTTOM, "axis"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    out.append(_text(middle, height - 8, shortened(labels[0], 50), "middle"))
    out.append(
        f'<text transform="translate(12 {(height - _BOTTOM + top) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(shortened(labels[1], 30))}</text>'
    )
    return x, y, out


def lines(
    x: Any,
    series: Sequence[Line],
    x_label: str,
    y_label: str,
    label: str,
    *,
    diagonal: bool = False,
    height: float = 240,
) -> str:
    """Draw lines over numbers, with bands."""
    x = np.asarray(x, dtype=float)
    bounds = [part for line in series for part in (line.y, line.low, line.high)]
    y_range = _range(*bounds, *([x] if diagonal else []))
    top = 28 if len(series) > 1 else _TOP
    place_x, place_y, out = _axes(_range(x), y_range, (x_label, y_label), height, top)
    if diagonal:
        low, high = max(_range(x)[0], y_range[0]), min(_range(x)[1], y_range[1])
        out.append(_line(place_x(low), place_y(low), place_x(high), place_y(high), "reference"))
    if len(series) > 1:
        out += _legend([line.name for line in series], _LEFT)
    for k, line in enumerate(series):
        y = np.asarray(line.y, dtype=float)
        shown = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        if line.low is not None and line.high is not None:
            below, above = np.asarray(line.low, dtype=float), np.asarray(line.high, dtype=float)
            edge = [f"{place_x(x[i]):.1f},{place_y(below[i]):.1f}" for i in shown]
            edge += [f"{place_x(x[i]):.1f},{place_y(above[i]):.1f}" for i in shown[::-1]]
            out.append(f'<polygon points="{" ".join(edge)}" class="band fill{k % _COLOURS}"/>')
        path = " ".join(f"{place_x(x[i]):.1f},{place_y(y[i]):.1f}" for i in shown)
        kind = f"series line{k % _COLOURS}"
        out.append(f'<polyline points="{path}" class="{kind}"/>')
        if len(shown) <= 60:
            for i in shown:
                dot = f'<circle cx="{place_x(x[i]):.1f}" cy="{place_y(y[i]):.1f}" r="2.5" '
                tip = f"{line.name}: {number(y[i])} at {number(x[i])}"
                out.append(_mark(f'{dot}class="fill{k % _COLOURS}"/>', tip))
    return _svg(height, out, label)


def points(
    x: Any,
    y: Any,
    x_label: str,
    y_label: str,
    label: str,
    *,
    groups: Any = None,
    names: Sequence[str] = (),
    tips: Sequence[str] | None = None,
    diagonal: bool = False,
    height: float = 300,
) -> str:
    """Draw points, coloured by their group."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    top = 28 if names else _TOP
    ranges = (_range(x, y),) * 2 if diagonal else (_range(x), _range(y))
    place_x, place_y, out = _axes(ranges[0], ranges[1], (x_label, y_label), height, top)
    if diagonal:
        low, high = ranges[0]
        out.append(_line(place_x(low), place_y(low), place_x(high), place_y(high), "reference"))
    if names:
        out += _legend(list(names), _LEFT)
    for i in range(len(x)):
        group = 0 if groups is None else int(groups[i])
        kind = f"point fill{group % _COLOURS}" if group < _COLOURS else "point other"
        dot = f'<circle cx="{place_x(x[i]):.1f}" cy="{place_y(y[i]):.1f}" r="2.5" class="{kind}"/>'
        out.append(dot if tips is None else _mark(dot, tips[i]))
    return _svg(height, out, label)


def spark(counts: Any) -> Picture:
    """Draw a small histogram that stands in a cell of a table, next to its numbers."""
    counts = np.asarray(counts, dtype=float)
    if not counts.size or counts.max() <= 0:
        return Picture("")
    width, height = 90.0, 22.0
    step = width / len(counts)
    path = []
    for i, count in enumerate(counts):
        bar = max(count / counts.max() * height, 1.0 if count else 0.0)
        path.append(f"M{i * step:.1f} {height:.0f}v-{bar:.1f}h{max(step - 1, 0.7):.1f}v{bar:.1f}z")
    return Picture(
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" class="spark" aria-hidden="true">'
        f'<path d="{"".join(path)}" class="fill0"/></svg>'
    )
