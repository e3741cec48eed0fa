"""The section about single rows: a map, typical and unusual rows, and the reasons of some."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from silvics.inspection.class_prototypes import prototypes
from silvics.inspection.outlier_scores import outliers
from silvics.inspection.sample_map import proximity_map
from silvics.reporting import svg
from silvics.reporting.content import Block, Chart, DataTable, Paragraph, Section, number
from silvics.reporting.learning import Learned
from silvics.reporting.quality import coded
from silvics.reporting.scores import losses
from silvics.reporting.subject import Subject

_MAP_ROWS = 800
_COMPARED_ROWS = 2_000
_NODE = 10  # rows of the nodes in which rows are compared
_MOST_CLASSES = 8
_OUTLIERS, _CHOSEN, _REASONS_SHOWN = 8, 5, 4
_INTERVAL_ROWS = 50_000
_SHOWN_INPUTS = 6


def cases_section(subject: Subject, learned: Learned, seed: int) -> Section:
    """Show single rows as the forest sees them."""
    section = Section("cases", "The cases")
    section.add(Paragraph(
        "This section contains values of single rows of the table. Leave it out with `--no-rows` "
        "before you pass on a report about confidential rows.", "note",
    ))  # fmt: skip
    rows = np.sort(np.random.default_rng(seed).permutation(subject.n)[:_COMPARED_ROWS])
    section.add(
        *_map(
            subject, learned, rows[np.unique(np.linspace(0, len(rows) - 1, _MAP_ROWS).astype(int))]
        )
    )
    section.add(*_typical(subject, learned, rows))
    section.add(*_unusual(subject, learned, rows))
    section.add(*_explained(subject, learned))
    section.values = {"rows_compared": len(rows), "n_rows": subject.n}
    return section


def _labels(subject: Subject, rows: np.ndarray) -> np.ndarray | None:
    return subject.y[rows] if subject.is_classification else None


def _map(subject: Subject, learned: Learned, rows: np.ndarray) -> list[Block]:
    if len(rows) < 10:
        return []
    found = proximity_map(
        learned.forest, subject.rows(rows), _labels(subject, rows), min_samples_in_node=_NODE
    )
    x, y = np.asarray(found.coordinates).T[:2]
    tips = [f"row {row}: {subject.target} {number(subject.y[row])}" for row in rows]
    groups, names = _coloured(subject, rows)
    label = f"Map of {len(rows):,} rows: rows are close if they share leaves of many trees"
    drawing = svg.points(
        x, y, "dimension 1", "dimension 2", label, groups=groups, names=names, tips=tips
    )
    words = "Rows that the forest treats alike lie together. Colours are those of the target."
    return [Chart("map", label, words, drawing, {})]


def _coloured(subject: Subject, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return a group of each row, and the names of the groups: classes, or thirds of numbers."""
    y = subject.y[rows]
    if not subject.is_classification:
        low, high = np.quantile(subject.y, [1 / 3, 2 / 3])
        names = [f"up to {number(low)}", f"to {number(high)}", "above"]
        return (y > low).astype(int) + (y > high), names
    classes, counts = np.unique(subject.y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    names = [str(classes[k]) for k in order[:_MOST_CLASSES]]
    return place[np.searchsorted(classes, y)], names


def _typical(subject: Subject, learned: Learned, rows: np.ndarray) -> list[Block]:
    labels = _labels(subject, rows)
    if labels is None:
        y = subject.y[rows]
        edges = np.quantile(y, [0, 0.25, 0.5, 0.75, 1])
        quarter = np.clip(np.searchsorted(edges, y, side="left") - 1, 0, 3)
        words = ["lowest quarter", "second quarter", "third quarter", "highest quarter"]
        groups = np.array([f"{k + 1}. {words[k]}" for k in quarter])
    else:
        groups = labels.astype(str)
    shown = np.unique(groups)
    if len(shown) > 10 or np.unique(groups, return_counts=True)[1].min() < 2:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Any labels may group the rows; those of numbers are quarters of the target.
        chosen = _prototype_rows(subject, learned, rows, groups)
    if not len(chosen):
        return []
    columns = _values(subject, learned, rows[chosen])
    first = {"typical of": [str(group) for group in groups[chosen]]}
    caption = "Typical rows: those with the most rows of their kind among their neighbours"
    return [DataTable("prototypes", caption, first | columns)]


def _prototype_rows(
    subject: Subject, learned: Learned, rows: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    if subject.is_classification:
        found = prototypes(
            learned.forest, subject.rows(rows), subject.y[rows], min_samples_in_node=_NODE
        )
        return np.asarray(found.rows)
    chosen = []
    for group in np.unique(groups):
        inside = np.flatnonzero(groups == group)
        found = prototypes(learned.forest, subject.rows(rows[inside]), min_samples_in_node=_NODE)
        chosen.append(inside[np.asarray(found.rows)[0]])
    return np.array(chosen)


def _unusual(subject: Subject, learned: Learned, rows: np.ndarray) -> list[Block]:
    if len(rows) < 20:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outliers(
            learned.forest, subject.rows(rows), _labels(subject, rows), min_samples_in_node=_NODE
        )
    scores = np.asarray(found.scores)
    top = np.argsort(-scores, kind="stable")[:_OUTLIERS]
    top = top[scores[top] > 3]
    if not len(top):
        return [
            Paragraph(f"None of {len(rows):,} compared rows is far from the others of its kind.")
        ]
    columns = _values(subject, learned, rows[top])
    within = "class" if subject.is_classification else "table"
    caption = (
        f"Unusual rows: far from the other rows of their {within} (scores above 10 deserve a look)"
    )
    return [DataTable("outliers", caption, {"score": scores[top].tolist()} | columns)]


def _values(subject: Subject, learned: Learned, rows: np.ndarray) -> dict[str, list[Any]]:
    """Return the target and the most important inputs of some rows."""
    importance = np.asarray(learned.forest.feature_importances_)
    columns: dict[str, list[Any]] = {
        "row": [int(row) for row in rows],
        subject.heading: [subject.y[row] for row in rows],
        "predicted": [_predicted(subject, learned, row) for row in rows],
    }
    for j in np.argsort(-importance, kind="stable")[:_SHOWN_INPUTS]:
        column = subject.inputs[j]
        name = column.name if column.name not in columns else f"{column.name} (input)"
        columns[name] = [column.shown(column.values[row]) for row in rows]
    return columns


def _predicted(subject: Subject, learned: Learned, row: int) -> str:
    predicted = learned.predicted[row]
    if not np.isfinite(predicted).all():
        return "in every tree"
    if not subject.is_classification:
        return number(predicted)
    k = int(np.argmax(predicted))
    return f"{subject.classes[k]} ({number(predicted[k])})"


# ---- chosen rows and their reasons


def _explained(subject: Subject, learned: Learned) -> list[Block]:
    chosen = _chosen(subject, learned)
    rows = np.array([row for _, row in chosen], dtype=np.intp)
    if not len(rows):
        return []
    reasons = _reasons(subject, learned, rows)
    near, weights = learned.forest.neighbors(
        subject.rows(rows), n_neighbors=min(4, subject.n), max_samples_leaf=1000
    )
    values = _values(subject, learned, rows)
    first = ("row", subject.heading, "predicted")
    table: dict[str, list[Any]] = {"why this row": [why for why, _ in chosen]}
    table |= {name: values[name] for name in first} | reasons
    table["training rows behind the prediction"] = [
        ", ".join(
            f"{i} ({number(subject.y[i])})"
            for i, weight in zip(of_row, of_weights, strict=True)
            if weight > 0 and i != row
        )
        for row, of_row, of_weights in zip(rows, near, weights, strict=True)
    ]
    table |= {name: column for name, column in values.items() if name not in table}
    caption = "Some rows, the inputs behind their predictions, and the most similar training rows"
    what = (
        "the probability of the predicted class" if subject.is_classification else "the prediction"
    )
    note = (
        "The inputs behind a prediction are the largest Shapley values: what each input adds to "
        f"{what}, compared with the mean. Training rows are those with the largest weight."
    )
    return [DataTable("rows", caption, table), Paragraph(note, "note")]


def _reasons(subject: Subject, learned: Learned, rows: np.ndarray) -> dict[str, list[Any]]:
    """Return the largest Shapley values of rows, and intervals for numbers."""
    found = learned.forest.shap(subject.rows(rows)).values
    values = np.asarray(found)
    if values.ndim == 3:
        chosen = learned.forest.predict_proba(subject.rows(rows)).argmax(axis=1)
        values = values[np.arange(len(rows)), :, chosen]
    names = [column.name for column in subject.inputs]
    texts = []
    for of_row in values:
        top = np.argsort(-np.abs(of_row), kind="stable")[:_REASONS_SHOWN]
        texts.append(", ".join(f"{names[j]} {_signed(of_row[j])}" for j in top if of_row[j]))
    columns: dict[str, list[Any]] = {"inputs behind the prediction": texts}
    if not subject.is_classification and subject.n <= _INTERVAL_ROWS:
        low, high = learned.forest.predict_interval(None)[rows].T
        columns["90 % interval"] = [
            f"{number(a)} to {number(b)}" for a, b in zip(low, high, strict=True)
        ]
    return columns


def _signed(value: float) -> str:
    return f"+{number(value)}" if value > 0 else f"-{number(-value)}"


def _chosen(subject: Subject, learned: Learned) -> list[tuple[str, int]]:
    """Choose rows that show what the forest does well and what it does badly."""
    rows = learned.rows
    y, predicted = coded(subject, rows), learned.predicted[rows]
    loss = losses(y, predicted, is_classification=subject.is_classification)
    order = np.argsort(loss, kind="stable")
    if subject.is_classification:
        unsure = rows[int(np.argmin(predicted.max(axis=1)))]
        found = [
            ("surely right", rows[order[0]]), ("typical", rows[order[len(order) // 2]]),
            ("undecided", unsure), ("wrong", rows[order[-min(2, len(order))]]),
            ("most wrong", rows[order[-1]]),
        ]  # fmt: skip
    else:
        found = [
            ("typical", rows[order[len(order) // 2]]),
            ("lowest prediction", rows[int(np.argmin(predicted))]),
            ("highest prediction", rows[int(np.argmax(predicted))]),
            ("large error", rows[order[-min(2, len(order))]]), ("largest error", rows[order[-1]]),
        ]  # fmt: skip
    seen: dict[int, str] = {}
    for why, row in found:
        seen.setdefault(int(row), why)
    return [(why, row) for row, why in seen.items()][:_CHOSEN]
