"""The section of advice: what to try, and the program that makes this model."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._names import one_line
from silvics.inspection.diagnosis import Diagnosis, diagnose
from silvics.reporting.content import Bullets, Code, Paragraph, Section, number
from silvics.reporting.learning import Learned
from silvics.reporting.subject import Subject


def advice_section(subject: Subject, learned: Learned, source: str | None) -> Section:
    """Say what could be better, and how to go on."""
    section = Section("advice", "Advice")
    check_is_fitted(learned.forest)
    if learned.forest.stopped_:
        section.add(Paragraph(f"Growth ended early: {learned.forest.stopped_}", "warning"))
    found = _diagnosis(subject, learned)
    if found is not None:
        section.values["findings"] = [
            {"name": f.name, "value": f.value, "text": f.text, "advice": f.advice}
            for f in found.findings
        ]
        section.add(Paragraph(
            f"The out-of-bag {_measure(subject)} is {number(found.error)}; one tree would have "
            f"{number(found.error_of_tree)}, infinitely many trees "
            f"{number(found.error_of_infinite_forest)}, and a constant "
            f"{number(found.error_of_constant)}."
        ))  # fmt: skip
        if found.findings:
            section.add(Bullets([f"{f.text} {f.advice}" for f in found.findings]))
        else:
            section.add(Paragraph("No better setting of the forest was found."))
        section.add(Paragraph("Which forest serves which goal:"), Bullets(list(found.goals)))
    section.add(
        Paragraph("This program makes the same model:"), Code(program(subject, learned, source))
    )
    return section


def _measure(subject: Subject) -> str:
    if subject.is_classification:
        return "Brier score (squared errors of the probabilities, summed over the classes)"
    return "mean squared error"


def _diagnosis(subject: Subject, learned: Learned) -> Diagnosis | None:
    if subject.n < 30:
        return None
    rows = np.arange(subject.n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return diagnose(learned.forest, subject.rows(rows), subject.y)


def program(subject: Subject, learned: Learned, source: str | None) -> str:
    """Return the Python program that makes the forest of the report."""
    forest = learned.forest
    name = type(forest).__name__
    read = f"table = pl.read_csv({source!r})" if source else "# table: your data frame"
    if source and not source.lower().endswith(".csv"):
        read = f"table = read({source!r})  # with the reader of your data-frame library"
    columns = [column.name for column in subject.inputs]
    shown = repr(columns) if len(columns) <= 40 else f"{columns[:40]!r} + [...]"
    chosen = getattr(forest, "best_params_", {})
    given = {
        key: value
        for key, value in forest.get_params().items()
        if key in ("recipe", "n_estimators", "random_state", "tune", *chosen) and value is not None
    }
    arguments = ", ".join(f"{key}={value!r}" for key, value in sorted(given.items()))
    weights = "" if subject.weights is None else ", sample_weight=weights"
    lines = [
        *(["import polars as pl", ""] if source and source.lower().endswith(".csv") else []),
        f"from silvics import {name}",
        "",
        read,
        f"columns = {shown}",
        f"forest = {name}({arguments}, oob_score=True, n_jobs=-1)",
        f"forest.fit(table[columns], table[{subject.target!r}]{weights})",
        "print(forest.oob_score_)",
    ]
    if subject.remarks:
        remarks = one_line(" ".join(subject.remarks))  # names may contain line breaks
        lines.insert(-3, f"# Changed while reading: {remarks}")
    return "\n".join(lines)
