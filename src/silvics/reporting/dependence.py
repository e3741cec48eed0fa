"""How predictions depend on single inputs: the curves of the section about the inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.reporting import svg
from silvics.reporting.content import Block, Chart, Paragraph, number
from silvics.reporting.learning import Learned
from silvics.reporting.subject import Input, Subject

_CURVES = 6
_ROWS = 500
_POINTS = 25
_LEVELS = 12
_CLASSES = 4


def dependence_blocks(
    subject: Subject, learned: Learned, names: list[str], seed: int
) -> list[Block]:
    """Draw how the prediction changes with each of some inputs."""
    rows = np.sort(np.random.default_rng(seed).permutation(subject.n)[:_ROWS])
    X = subject.rows(rows)
    charts: list[Block] = [
        _chart(subject, learned, subject.named(name), X) for name in names[:_CURVES]
    ]
    if not charts:
        return []
    words = (
        f"The curves show the mean prediction of {len(rows):,} rows if the input had each value in "
        "turn (partial dependence). Bands contain 80 % of these rows: where a band is wide, other "
        "inputs decide as well."
    )
    return [*charts, Paragraph(words, "note")]


def _chart(subject: Subject, learned: Learned, column: Input, X: Any) -> Chart:
    found = learned.forest.partial_dependence(column.name, X, kind="both", grid_resolution=_POINTS)
    grid = list(found.grid[0])
    average, single = np.asarray(found.average), np.asarray(found.individual)
    if average.ndim == 1:
        average, single = average[:, None], single[:, :, None]
    shown = _shown_outputs(subject)
    labels = [subject.target if k is None else str(subject.classes[k]) for k in shown]
    average = average[:, [k or 0 for k in shown]]
    single = single[:, :, [k or 0 for k in shown]]
    what = "prediction" if not subject.is_classification else "probability"
    low, high = np.quantile(single, [0.1, 0.9], axis=0)
    missing = np.array([value is None or value != value for value in grid])
    title = f"How the {what} depends on {column.name}"
    columns: dict[str, list[Any]] = {column.name: [_shown(value) for value in grid]}
    for k, label in enumerate(labels):
        columns[f"mean, {label}"] = average[:, k].tolist()
        columns[f"10 %, {label}"], columns[f"90 %, {label}"] = (
            low[:, k].tolist(),
            high[:, k].tolist(),
        )
    top = average[:, 0]
    words = (
        f"The mean {what}{_of(subject, labels[0])} is between {number(top.min())} and "
        f"{number(top.max())}."
    )
    if missing.any() and not column.is_category:
        words += f" If the value is missing, it is {number(top[missing][0])}."
    if column.is_category:
        order = np.argsort(-top, kind="stable")[:_LEVELS]
        names = [_shown(grid[i]) for i in order]
        drawing = svg.bars(names, top[order], title)
    else:
        x = np.array([_place(value) for value, gone in zip(grid, missing, strict=True) if not gone])
        bands = len(labels) == 1
        series = [
            svg.Line(
                label, average[~missing, k],
                low[~missing, k] if bands else None, high[~missing, k] if bands else None,
            )
            for k, label in enumerate(labels)
        ]  # fmt: skip
        axis = f"{column.name} (year)" if column.kind == "date" else column.name
        drawing = svg.lines(x, series, axis, what, title, height=210)
    name = f"dependence-{[other.name for other in subject.inputs].index(column.name)}"
    return Chart(name, title, words, drawing, columns)


def _shown_outputs(subject: Subject) -> list[int | None]:
    """Return the classes whose probabilities are drawn; None stands for a number."""
    if not subject.is_classification:
        return [None]
    if subject.positive is not None:
        return [int(np.searchsorted(subject.classes, subject.positive))]
    counts = np.unique(subject.y, return_counts=True)[1]
    return np.sort(np.argsort(-counts, kind="stable")[:_CLASSES]).tolist()


def _of(subject: Subject, label: str) -> str:
    return f" of {label}" if subject.is_classification else ""


def _shown(value: Any) -> str:
    return "missing" if value is None or value != value else number(value)


def _place(value: Any) -> float:
    """Return a number for a value on an axis; dates are years."""
    if isinstance(value, np.datetime64) or hasattr(value, "year"):
        days = np.datetime64(value, "D").astype(int)
        return 1970 + float(days) / 365.2425
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "s"))
    return float(value)
