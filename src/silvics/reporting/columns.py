"""The section about the data: what each column is, and what looks wrong in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.reporting import svg
from silvics.reporting.content import (
    Bullets,
    Chart,
    DataTable,
    Paragraph,
    Section,
    counted,
    joined,
    percent,
)
from silvics.reporting.conversion import MISSING_WORDS
from silvics.reporting.subject import Input, Subject

_BINS = 20
_SPARKS = 200  # columns with a small histogram
_SENTINELS = (-9999.0, -999.0, -99.0, -9.0, -1.0, 99.0, 999.0, 9999.0, 99999.0)
_ROWS = 20_000  # that single columns are tried on
_LEAK = 0.98  # of what there is to explain, by one column alone
_RARE_CLASS = 0.05


def data_section(subject: Subject) -> Section:
    """Describe the columns, and list what looks wrong."""
    section = Section("data", "The data")
    section.values = {
        "n_rows": subject.n_rows, "n_rows_with_target": subject.n,
        "n_inputs": len(subject.inputs), "task": subject.task, "target": subject.target,
    }  # fmt: skip
    section.add(Paragraph(
        f"The table has {counted(subject.n_rows, 'row')}. The target `{subject.target}` "
        f"{_kind_of_target(subject)}. {counted(len(subject.inputs), 'column')} "
        f"{'is' if len(subject.inputs) == 1 else 'are'} used to predict it."
    ))  # fmt: skip
    section.add(_target_chart(subject))
    findings = _findings(subject)
    section.values["findings"] = [{"name": name, "text": text} for name, text in findings]
    if findings:
        section.add(Paragraph("What deserves a look before the results are trusted:"))
        section.add(Bullets([text for _, text in findings]))
    else:
        section.add(Paragraph("Nothing suspicious was found in the columns."))
    section.add(_overview(subject))
    if subject.left_out:
        names, reasons = zip(*subject.left_out, strict=True)
        section.add(DataTable(
            "left-out", "Columns that are not inputs of the model",
            {"column": list(names), "reason": list(reasons)},
        ))  # fmt: skip
    return section


def _kind_of_target(subject: Subject) -> str:
    if subject.is_classification:
        return f"has {len(subject.classes)} classes"
    return "is a number"


def _target_chart(subject: Subject) -> Chart:
    if subject.is_classification:
        classes, counts = np.unique(subject.y, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:30]
        names, counts = [str(classes[i]) for i in order], counts[order]
        label = f"Number of rows of each class of {subject.target}"
        drawing = svg.bars(names, counts, label)
        columns = {"class": names, "rows": counts.tolist(), "share": (counts / subject.n).tolist()}
        words = (
            f"The largest class is {names[0]} with {percent(counts[0] / subject.n)} of the rows."
        )
        return Chart("target", label, words, drawing, columns)
    counts, edges = np.histogram(subject.y, bins=_BINS)
    middles = (edges[:-1] + edges[1:]) / 2
    label = f"Distribution of {subject.target}"
    series = [svg.Line("rows", counts, np.zeros(len(counts)), counts)]
    drawing = svg.lines(middles, series, subject.target, "rows", label, height=200)
    low, middle, high = np.quantile(subject.y, [0.05, 0.5, 0.95])
    words = f"The median is {middle:.4g}; 90 % of the values are between {low:.4g} and {high:.4g}."
    columns = {"from": edges[:-1].tolist(), "to": edges[1:].tolist(), "rows": counts.tolist()}
    return Chart("target", label, words, drawing, columns)


# ---- the columns


def _overview(subject: Subject) -> DataTable:
    rows: dict[str, list[Any]] = {
        "column": [], "kind": [], "missing": [], "different values": [], "values": [],
        "distribution": [],
    }  # fmt: skip
    for j, column in enumerate(subject.inputs):
        known = column.values[~np.isnan(column.values)]
        distinct, counts = np.unique(known, return_counts=True)
        rows["column"].append(column.name)
        rows["kind"].append(column.kind)
        rows["missing"].append(percent(1 - len(known) / subject.n))
        rows["different values"].append(len(distinct))
        rows["values"].append(_in_words(column, known, distinct, counts))
        rows["distribution"].append(
            svg.spark(_histogram(column, known, counts) if j < _SPARKS else ())
        )
    return DataTable("columns", "The inputs of the model", rows)


def _in_words(column: Input, known: np.ndarray, distinct: np.ndarray, counts: np.ndarray) -> str:
    if not len(known):
        return "none"
    if column.is_category:
        top = np.argsort(-counts, kind="stable")[:3]
        words = [f"{column.shown(distinct[i])} ({percent(counts[i] / len(known))})" for i in top]
        return ", ".join(words) + (", …" if len(distinct) > 3 else "")
    low, middle, high = (column.shown(v) for v in (known.min(), np.median(known), known.max()))
    if column.kind == "date":
        return f"{low} to {high}"
    return f"{low:.6g} to {high:.6g}, median {middle:.6g}"


def _histogram(column: Input, known: np.ndarray, counts: np.ndarray) -> np.ndarray:
    if column.is_category:
        return np.sort(counts)[::-1][:_BINS]
    if len(counts) <= _BINS:
        return counts
    return np.histogram(known, bins=_BINS)[0]


# ---- findings


def _findings(subject: Subject) -> list[tuple[str, str]]:
    found = [("changed while reading", remark) for remark in subject.remarks]
    texts = [name for name, why in subject.left_out if why.startswith("text with")]
    if texts:
        found.append(("identifier", (
            f"{joined(texts)} {_is(texts)} text with a value of its own in most rows, like a name "
            "or an identifier. A model cannot learn from it, so it was left out."
        )))  # fmt: skip
    found += _of_single_columns(subject)
    found += _of_leaks(subject)
    found += _of_duplicates(subject)
    if subject.is_classification:
        classes, counts = np.unique(subject.y, return_counts=True)
        rare = [str(c) for c, n in zip(classes, counts, strict=True) if n < _RARE_CLASS * subject.n]
        if rare:
            some = len(rare) > 1
            found.append(("rare class", (
                f"The {'classes' if some else 'class'} {joined(rare)} {'have' if some else 'has'} "
                f"less than {percent(_RARE_CLASS)} of the rows{' each' if some else ''}. The "
                f"accuracy says little about {'them' if some else 'it'}; see the confusion table."
            )))  # fmt: skip
    return found


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _of_single_columns(subject: Subject) -> list[tuple[str, str]]:
    constant, counters, mostly_missing, disguised, levels = [], [], [], [], []
    for column in subject.inputs:
        known = column.values[~np.isnan(column.values)]
        distinct = np.unique(known)
        if len(distinct) < 2 and len(known) == subject.n:
            constant.append(column.name)
        if len(known) < 0.5 * subject.n:
            mostly_missing.append(column.name)
        if column.kind == "whole number" and _counts_rows(column.values):
            counters.append(column.name)
        if column.is_category:
            words = [level for level in column.levels if level.strip().lower() in MISSING_WORDS]
            if words:
                disguised.append(f"`{column.name}` ({joined(words)})")
            if len(distinct) > 50 and len(known) < 10 * len(distinct):
                levels.append(column.name)
        elif (value := _sentinel(known, distinct)) is not None:
            disguised.append(f"`{column.name}` ({value:g})")
    found = []
    if constant:
        found.append(("constant", f"{joined(constant)} {_is(constant)} constant, and of no use."))
    if counters:
        found.append(("row number", (
            f"{joined(counters)} {_is(counters)} different in every row and in order, like a row "
            "number. If the order of the rows depends on the target, this gives it away."
        )))  # fmt: skip
    if mostly_missing:
        verb = "is" if len(mostly_missing) == 1 else "are"
        found.append(("missing", (
            f"{joined(mostly_missing)} {verb} missing in more than half of the rows. The forest "
            "can use that a value is missing; check that this will be so later, too."
        )))  # fmt: skip
    if disguised:
        found.append(("disguised missing", (
            f"{', '.join(disguised[:6])}: values that often stand for a missing value. The "
            "forest takes them as they are; replace them if they are not real."
        )))  # fmt: skip
    if levels:
        found.append(("many levels", (
            f"{joined(levels)} {'has' if len(levels) == 1 else 'have'} fewer than ten rows per "
            "level. Impurity importances overstate such columns; those on this page are corrected."
        )))  # fmt: skip
    return found


def _counts_rows(values: np.ndarray) -> bool:
    if len(values) <= 50 or np.isnan(values).any():
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() and np.mean(steps == 1) > 0.9) or bool((steps == -1).all())


def _sentinel(known: np.ndarray, distinct: np.ndarray) -> float | None:
    """Return a value at the end of a column that is common, and far from all others."""
    if len(distinct) < 10:
        return None
    for value, next_to_it in ((distinct[0], distinct[1:]), (distinct[-1], distinct[:-1])):
        if value not in _SENTINELS or np.mean(known == value) < 0.005:
            continue
        low, high = next_to_it.min(), next_to_it.max()
        gap = max(low - value, value - high)
        if gap > 0.5 * (high - low) or (value < 0 <= low and value in (-999.0, -9999.0)):
            return float(value)
    return None


def one_column_scores(subject: Subject) -> np.ndarray:
    """Return the share of the target that each column explains alone, on rows held out.

    A column is cut into at most 50 groups of values on one half of the rows.
    """
    rng = np.random.default_rng(0)
    rows = rng.permutation(subject.n)[:_ROWS]
    half = len(rows) // 2
    learn, test = rows[:half], rows[half:]
    if subject.is_classification:
        outputs = (subject.y[:, None] == subject.classes[None, :]).astype(float)
    else:
        outputs = subject.y[:, None]
    mean = outputs[learn].mean(axis=0)
    baseline = _errors(subject, outputs[test], np.broadcast_to(mean, outputs[test].shape))
    scores = np.zeros(len(subject.inputs))
    if not baseline or not half:
        return scores
    for j, column in enumerate(subject.inputs):
        codes = _groups(column, column.values[learn], column.values)
        n_groups = int(codes.max()) + 1
        counts = np.bincount(codes[learn], minlength=n_groups)[:, None]
        sums = np.stack(
            [np.bincount(codes[learn], of, minlength=n_groups) for of in outputs[learn].T], axis=1
        )
        means = (sums + mean) / (counts + 1)
        scores[j] = 1 - _errors(subject, outputs[test], means[codes[test]]) / baseline
    return scores


def _errors(subject: Subject, outputs: np.ndarray, means: np.ndarray) -> float:
    if subject.is_classification:
        return float(np.mean(outputs.argmax(axis=1) != means.argmax(axis=1)))
    return float(np.mean((outputs - means) ** 2))


def _groups(column: Input, learning: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return groups of values; missing values are a group of their own."""
    known = learning[~np.isnan(learning)]
    if column.is_category:
        codes = np.where(np.isnan(values), len(column.levels), values)
    else:
        distinct = np.unique(known)
        if len(distinct) > 50:
            distinct = np.unique(np.quantile(known, np.linspace(0, 1, 51)[1:-1]))
        codes = np.searchsorted(distinct, values, side="left").astype(float)
        codes[np.isnan(values)] = len(distinct) + 1
    return codes.astype(np.intp)


def _of_leaks(subject: Subject) -> list[tuple[str, str]]:
    scores = one_column_scores(subject)
    leaks = [subject.inputs[j].name for j in np.argsort(-scores) if scores[j] > _LEAK]
    if not leaks:
        return []
    best = percent(float(scores.max()))
    return [("leak", (
        f"{joined(leaks)} alone {'explains' if len(leaks) == 1 else 'explain'} up to {best} of "
        "the target. Ask whether this value is known at the time of a prediction, or is the target "
        "in disguise."
    ))]  # fmt: skip


def _of_duplicates(subject: Subject) -> list[tuple[str, str]]:
    codes = [_hash(column.values) for column in subject.inputs]
    first: dict[int, list[str]] = {}
    for column, code in zip(subject.inputs, codes, strict=True):
        key = (column.is_category, code.tobytes())
        first.setdefault(hash(key), []).append(column.name)
    words = "have the same values. They share one importance between them; keep one."
    found = [
        ("duplicated column", f"{joined(names)} {words}")
        for names in first.values()
        if len(names) > 1
    ]
    row = np.zeros(subject.n, dtype=np.uint64)
    for code in codes:
        row = (row ^ code) * np.uint64(0x9E3779B97F4A7C15)
        row ^= row >> np.uint64(29)
    _, inverse, counts = np.unique(row, return_inverse=True, return_counts=True)
    n_repeated = int(subject.n - len(counts))
    if n_repeated:
        labels = np.unique(subject.y, return_inverse=True)[1]
        low = np.full(len(counts), len(labels))
        high = np.full(len(counts), -1)
        np.minimum.at(low, inverse, labels)
        np.maximum.at(high, inverse, labels)
        differ = int(np.sum(counts[low < high]))
        verb = "repeats" if n_repeated == 1 else "repeat"
        text = f"{counted(n_repeated, 'row')} {verb} the inputs of another row."
        if differ:
            text += f" {counted(differ, 'row')} with equal inputs have different targets."
        if n_repeated > 0.05 * subject.n:
            text += " Copies of a row make the score look better than it will be."
        found.append(("duplicated rows", text))
    return found


def _hash(values: np.ndarray) -> np.ndarray:
    bits = np.where(np.isnan(values), np.inf, values + 0.0).view(np.uint64)
    bits = (bits ^ (bits >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return bits ^ (bits >> np.uint64(27))
