"""The section about errors: how good the forest is, against what, and where it fails."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.reporting import svg
from silvics.reporting.content import (
    Chart,
    DataTable,
    Paragraph,
    Section,
    counted,
    number,
    percent,
)
from silvics.reporting.learning import Learned
from silvics.reporting.linear import linear_predictions
from silvics.reporting.scores import Score, losses, scores_for, with_interval
from silvics.reporting.subject import Input, Subject

_HOW = {
    "out of bag": "Each row is predicted by the trees that did not draw it (out of bag)",
    "by group": "Each group is predicted by forests that were grown without it",
    "in time": "Each row is predicted by a forest grown on earlier rows",
}
_SEGMENTS, _LEAST_SEGMENT = 8, 0.02
_MOST_CLASSES = 20
_POINTS = 1_000
_DEPENDENT = 2.5  # standard errors


def quality_section(subject: Subject, learned: Learned, test: Any, seed: int) -> Section:
    """Score the forest, and compare it with simple models."""
    section = Section("quality", "How good is it?")
    rows = learned.rows
    if subject.weights is not None:
        rows = rows[subject.weights[rows] > 0]
    if not len(rows):
        raise ValueError(
            "No row has a prediction by trees that did not draw it: too few rows have a positive "
            "weight."
        )
    y, predicted = coded(subject, rows), learned.predicted[rows]
    weights = np.ones(len(rows)) if subject.weights is None else subject.weights[rows]
    scores = scores_for(subject.classes if subject.is_classification else None)
    forest = {score.name: with_interval(score, y, predicted, weights) for score in scores}
    words = f"{_HOW[learned.how]}, so the scores are those to expect for new rows of the same kind."
    if len(rows) < subject.n:
        words += f" {counted(subject.n - len(rows), 'row')} have no such prediction."
    section.add(Paragraph(words))
    others = _others(subject, rows, weights, scores, seed)
    section.add(_table_of_scores(scores, forest, others))
    section.values["scores"] = {
        name: {"value": value, "low": low, "high": high}
        for name, (value, low, high) in forest.items()
    }
    section.values["baselines"] = others
    section.values["predicted"] = learned.how
    section.add(_verdict(scores[0], forest, others))
    if test is not None:
        section.add(_of_test(subject, learned, scores, test))
    if subject.is_classification:
        section.add(_confusion(subject, y, predicted), _calibration(subject, y, predicted))
    else:
        section.add(_residuals(subject, y, predicted))
    section.add(_curve(learned))
    section.add(*_segments(subject, rows, y, predicted))
    return section


def coded(subject: Subject, rows: np.ndarray) -> np.ndarray:
    """Return the target of some rows: numbers, or numbers of classes."""
    y = subject.y[rows]
    return np.searchsorted(subject.classes, y) if subject.is_classification else y


def _others(
    subject: Subject, rows: np.ndarray, weights: np.ndarray, scores: list[Score], seed: int
) -> dict[str, dict[str, float]]:
    """Return the scores of simple models."""
    y = coded(subject, rows)
    if subject.is_classification:
        shares = np.bincount(y, weights, minlength=len(subject.classes)) / weights.sum()
        constant = np.broadcast_to(shares, (len(rows), len(shares)))
        name = "class frequencies"
    else:
        constant = np.full(len(rows), np.average(y, weights=weights))
        name = "mean of the target"
    found = {name: {score.name: score.of(y, constant, weights) for score in scores}}
    if len(rows) >= 50:
        at, linear = linear_predictions(subject, rows, seed)
        ones = np.ones(len(at)) if subject.weights is None else subject.weights[at]
        found["linear model"] = {
            score.name: score.of(coded(subject, at), linear, ones) for score in scores
        }
    return found


def _table_of_scores(
    scores: list[Score],
    forest: dict[str, tuple[float, float, float]],
    others: dict[str, dict[str, float]],
) -> DataTable:
    columns: dict[str, list[Any]] = {
        "score": [score.name for score in scores],
        "forest": [forest[score.name][0] for score in scores],
        "95 % interval": [
            f"{number(forest[score.name][1])} to {number(forest[score.name][2])}"
            for score in scores
        ],
    }
    for name, found in others.items():
        columns[name] = [found[score.name] for score in scores]
    columns["meaning"] = [
        score.meaning + ("" if score.larger_is_better else "; smaller is better")
        for score in scores
    ]
    return DataTable("scores", "Scores on rows that the trees have not seen", columns)


def _verdict(
    score: Score, forest: dict[str, tuple[float, float, float]], others: dict[str, dict[str, float]]
) -> Paragraph:
    value, low, high = forest[score.name]
    linear = others.get("linear model", {}).get(score.name)
    if linear is None or linear != linear:
        return Paragraph("There are too few rows to compare with a linear model.", "note")
    if low <= linear <= high:
        return Paragraph(
            f"A tuned linear model reaches {number(linear)} ({score.name}), which is within the "
            "interval of the forest: these rows do not show which of the two is better."
        )
    if linear > value:
        return Paragraph(
            f"A tuned linear model is better ({score.name} {number(linear)}). Consider using it, "
            "or adding its prediction to the inputs.", "warning",
        )  # fmt: skip
    return Paragraph(
        f"A tuned linear model reaches {number(linear)} ({score.name}). What the forest has above "
        "this comes from curved effects and from interactions."
    )


def _of_test(subject: Subject, learned: Learned, scores: list[Score], test: Any) -> DataTable:
    X, y = test
    labels = np.searchsorted(subject.classes, y) if subject.is_classification else y
    predicted = (
        learned.forest.predict_proba(X) if subject.is_classification else learned.forest.predict(X)
    )
    found = [with_interval(score, labels, predicted, np.ones(len(y))) for score in scores]
    return DataTable(
        "test", f"Scores on the {len(y):,} rows of the test table",
        {
            "score": [score.name for score in scores],
            "value": [value for value, _, _ in found],
            "95 % interval": [f"{number(low)} to {number(high)}" for _, low, high in found],
        },
    )  # fmt: skip


def _confusion(subject: Subject, y: np.ndarray, predicted: np.ndarray) -> DataTable:
    names = [str(label) for label in subject.classes]
    label = predicted.argmax(axis=1)
    shown = np.sort(
        np.argsort(-np.bincount(y, minlength=len(names)), kind="stable")[:_MOST_CLASSES]
    )
    columns: dict[str, list[Any]] = {"true class": [names[k] for k in shown]}
    for j in shown:
        columns[f"as {names[j]}"] = [int(np.sum((y == k) & (label == j))) for k in shown]
    columns["recall"] = [_share(np.sum((y == k) & (label == k)), np.sum(y == k)) for k in shown]
    columns["precision"] = [
        _share(np.sum((y == k) & (label == k)), np.sum(label == k)) for k in shown
    ]
    more = f" (the {len(shown)} largest classes)" if len(shown) < len(names) else ""
    shaded = tuple(name for name in columns if name.startswith("as "))
    return DataTable("confusion", f"Confusion table{more}", columns, shaded)


def _share(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


def _calibration(subject: Subject, y: np.ndarray, predicted: np.ndarray) -> Chart:
    """Compare probabilities with frequencies, for the positive class or the predicted one."""
    if subject.positive is not None:
        k = int(np.searchsorted(subject.classes, subject.positive))
        given, true = predicted[:, k], y == k
        what = f"probability of {subject.positive}"
    else:
        given, true = predicted.max(axis=1), y == predicted.argmax(axis=1)
        what = "probability of the predicted class"
    edges = np.unique(np.quantile(given, np.linspace(0, 1, 11)))
    group = np.clip(np.searchsorted(edges, given, side="right") - 1, 0, max(len(edges) - 2, 0))
    counts = np.bincount(group)
    x = np.bincount(group, given)[counts > 0] / counts[counts > 0]
    z = np.bincount(group, true)[counts > 0] / counts[counts > 0]
    error = 1.96 * np.sqrt(z * (1 - z) / counts[counts > 0])
    label = f"Calibration: {what} against the share of rows where it is true"
    series = [svg.Line("observed", z, (z - error).clip(0), (z + error).clip(max=1))]
    gap = float(np.average(np.abs(z - x), weights=counts[counts > 0]))
    drawing = svg.lines(x, series, what, "observed share", label, diagonal=True)
    words = f"On average over the rows, the probability and the share differ by {number(gap)}."
    columns = {"probability": x, "observed": z, "rows": counts[counts > 0]}
    return Chart("calibration", label, words, drawing, _lists(columns))


def _residuals(subject: Subject, y: np.ndarray, predicted: np.ndarray) -> Chart:
    at = np.random.default_rng(0).permutation(len(y))[:_POINTS]
    label = f"Predicted and true {subject.target}"
    pairs = zip(predicted[at], y[at], strict=True)
    tips = [f"predicted {number(p)}, true {number(t)}" for p, t in pairs]
    drawing = svg.points(predicted[at], y[at], "predicted", "true", label, diagonal=True, tips=tips)
    errors = np.abs(y - predicted)
    middle, high = np.quantile(errors, [0.5, 0.9])
    words = f"Half of the errors are below {number(middle)}, and 90 % below {number(high)}."
    if len(at) < len(y):
        words += f" The chart shows {len(at):,} of {len(y):,} rows."
    levels = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]
    columns = {"share of the rows": levels, "error below": np.quantile(errors, levels)}
    return Chart("residuals", label, words, drawing, _lists(columns))


def _curve(learned: Learned) -> Chart | None:
    if learned.how != "out of bag":
        return None
    curve = learned.forest.oob_curve()
    frame = curve._columns()
    x, y = np.asarray(frame["n_trees"], float), np.asarray(frame["score"], float)
    label = "Out-of-bag score by number of trees"
    drawing = svg.lines(x, [svg.Line("score", y)], "trees", "score", label, height=210)
    enough = curve.enough()
    words = f"From {counted(int(enough), 'tree')} on, the score stays within 1 % of the last one."
    return Chart("curve", label, words, drawing, _lists({"trees": x, "score": y}))


# ---- where it fails


def _segments(
    subject: Subject, rows: np.ndarray, y: np.ndarray, predicted: np.ndarray
) -> list[Any]:
    """Find groups of rows with large errors on one half of the rows; measure them on the other."""
    loss = losses(y, predicted, is_classification=subject.is_classification)
    half = np.random.default_rng(1).permutation(len(rows)) < len(rows) // 2
    found: list[tuple[float, str, np.ndarray]] = []
    for column in subject.inputs:
        for words, inside in _parts_of(column, column.values[rows]):
            n = int(np.sum(inside & half))
            if n < max(_LEAST_SEGMENT * half.sum(), 10) or n > 0.6 * half.sum():
                continue
            spread = float(np.std(loss[half & inside])) / n**0.5
            excess = float(loss[half & inside].mean() - loss[half].mean())
            if spread and excess / spread > _DEPENDENT:
                found.append((excess / spread, words, inside))
    overall = float(loss[~half].mean()) if (~half).any() else np.nan
    what = "absolute error"
    if subject.is_classification:
        what = "one minus the probability of the true class"
    names = ("rows where", "share of rows", "mean loss", "times the average")
    table: dict[str, list[Any]] = {name: [] for name in names}
    taken: set[str] = set()
    for _, words, inside in sorted(found, key=lambda part: -part[0]):
        measured = loss[~half & inside]
        name = words.split("`")[1]
        if len(measured) < 10 or name in taken or measured.mean() <= overall:
            continue
        taken.add(name)
        table["rows where"].append(words)
        table["share of rows"].append(percent(float(inside.mean())))
        table["mean loss"].append(float(measured.mean()))
        table["times the average"].append(float(measured.mean() / overall) if overall else None)
        if len(taken) == _SEGMENTS:
            break
    if not taken:
        return [Paragraph("No group of rows was found in which the errors are clearly larger.")]
    words = f"Where it fails: groups of rows with the largest errors ({what})"
    note = "The groups were found on one half of the rows and measured on the other half."
    return [DataTable("segments", words, table), Paragraph(note, "note")]


def _parts_of(column: Input, values: np.ndarray) -> list[tuple[str, np.ndarray]]:
    name, missing = f"`{column.name}`", np.isnan(values)
    found = [(f"{name} is missing", missing)] if missing.any() else []
    known = values[~missing]
    distinct = np.unique(known)
    if column.is_category:
        counts = np.bincount(known.astype(np.intp), minlength=len(column.levels))
        found += [
            (f"{name} is {column.levels[level]}", values == level)
            for level in np.argsort(-counts, kind="stable")[:30]
        ]
    elif len(distinct) <= 8:
        found += [(f"{name} is {column.shown(value)}", values == value) for value in distinct]
    else:
        low, middle, high = np.quantile(known, [0.25, 0.5, 0.75])
        cuts = [(-np.inf, low), (low, middle), (middle, high), (high, np.inf)]
        for start, end in cuts:
            inside = (values > start) & (values <= end)
            found.append((f"{name} {_interval(column, start, end)}", inside))
    return found


def _interval(column: Input, start: float, end: float) -> str:
    if start == -np.inf:
        return f"is at most {number(column.shown(end))}"
    if end == np.inf:
        return f"is above {number(column.shown(start))}"
    return f"is between {number(column.shown(start))} and {number(column.shown(end))}"


def _lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: np.asarray(values).tolist() for name, values in columns.items()}
