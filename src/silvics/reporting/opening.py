"""The first screen: what was learned, in five sentences with their numbers."""

from __future__ import annotations

from typing import Any

from silvics.reporting.content import Bullets, Section, counted, joined, percent
from silvics.reporting.learning import Learned
from silvics.reporting.subject import Subject


def opening_section(subject: Subject, learned: Learned, others: dict[str, Section]) -> Section:
    """Return the section that sums up the others."""
    section = Section("summary", "In short")
    sentences = [
        _of_quality(subject, others["quality"].values) if "quality" in others else None,
        _of_baselines(subject, others["quality"].values) if "quality" in others else None,
        _of_inputs(others["inputs"].values) if "inputs" in others else None,
        _of_data(subject, others["data"].values) if "data" in others else None,
        _of_advice(others["advice"].values) if "advice" in others else None,
    ]
    found = [sentence for sentence in sentences if sentence]
    section.add(Bullets(found or [_of_size(subject, learned)]))
    section.values = {"sentences": found, "n_trees": len(learned.forest)}
    return section


def _of_size(subject: Subject, learned: Learned) -> str:
    return (
        f"A forest of {counted(len(learned.forest), 'tree')} was grown on "
        f"{counted(subject.n, 'row')} and {counted(len(subject.inputs), 'column')}."
    )


def _of_quality(subject: Subject, values: dict[str, Any]) -> str:
    name = "accuracy" if subject.is_classification else "R2"
    score = values["scores"][name]
    what = (
        f"The forest predicts `{subject.target}` with an accuracy of {percent(score['value'])}"
        if subject.is_classification
        else f"The forest explains {percent(score['value'])} of the variance of `{subject.target}`"
    )
    low, high = f"{100 * score['low']:.1f} %", f"{100 * score['high']:.1f} %"
    return f"{what} on rows that it has not seen (95 % interval {low} to {high})."


def _of_baselines(subject: Subject, values: dict[str, Any]) -> str:
    name = "accuracy" if subject.is_classification else "R2"
    others = values["baselines"]
    constant = next(key for key in others if key != "linear model")
    words = "Predicting the most frequent class" if subject.is_classification else "The mean alone"
    text = f"{words} would reach {percent(max(others[constant][name], 0.0))}"
    if "linear model" in others:
        text += f", a tuned linear model {percent(others['linear model'][name])}"
    return f"{text}.{_warning(subject, values, others, constant, name)}"


def _warning(
    subject: Subject, values: dict[str, Any], others: dict[str, Any], constant: str, name: str
) -> str:
    """Return a sentence if a simpler model may be as good."""
    score = values["scores"][name]
    linear = others.get("linear model", {}).get(name)
    if score["low"] <= others[constant][name]:
        simple = "the most frequent class" if subject.is_classification else "the mean"
        return f" The forest is not clearly better than always predicting {simple}."
    if linear is not None and linear > score["high"]:
        return " The linear model is better: consider using it."
    return ""


def _of_inputs(values: dict[str, Any]) -> str:
    found = values["importances"]
    names, shares = found["variable"], found["importance"]
    top = [name for name, share in zip(names[:3], shares[:3], strict=False) if share > 0]
    if not top:
        return "No input matters beyond noise."
    text = f"{joined(list(top))} {'matters' if len(top) == 1 else 'matter'} most"
    if found["p_value"] is not None:
        n_sure = int((found["p_value"] <= 0.05).sum())
        text += f"; {n_sure} of {len(names)} inputs are significant at 5 %"
    return text + "."


def _of_data(subject: Subject, values: dict[str, Any]) -> str:
    found = [
        finding for finding in values["findings"] if finding["name"] != "changed while reading"
    ]
    size = f"{counted(subject.n, 'row')} and {counted(len(subject.inputs), 'input')}"
    if not found:
        return f"The table has {size}, and nothing in it looks suspicious."
    urgent = sorted(found, key=lambda finding: finding["name"] != "leak")
    verb = "deserves" if len(found) == 1 else "deserve"
    text = f"The table has {size}. {counted(len(found), 'thing')} in it {verb} a look"
    return f"{text}: {urgent[0]['text']}"


def _of_advice(values: dict[str, Any]) -> str:
    found = values.get("findings")
    if found is None:
        return ""
    if not found:
        return "No better setting of the forest was found."
    return f"What to try: {found[0]['text']} {found[0]['advice']}"
