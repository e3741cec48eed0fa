"""The section about the inputs: which ones matter, alone or with others, and how."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone

from silvics.importance.significance.permutation_tests import permutation_test
from silvics.reporting import svg
from silvics.reporting.content import (
    Block,
    Bullets,
    Chart,
    DataTable,
    Paragraph,
    Section,
    counted,
    joined,
    number,
    percent,
)
from silvics.reporting.dependence import dependence_blocks
from silvics.reporting.learning import Learned
from silvics.reporting.subject import Subject

_SHOWN = 20
_TEST_ROWS, _TEST_TREES, _PERMUTATIONS = 2_000, 50, 99
_MOST_TESTED = 500  # columns
_ALIKE = 0.9  # rank correlation
_MOST_COMPARED = 300  # columns
_IMPORTANCE_ROWS = 20_000


def relevance_section(subject: Subject, learned: Learned, seed: int) -> Section:
    """Measure how much each input matters, and how."""
    section = Section("inputs", "What matters?")
    names = [column.name for column in subject.inputs]
    p_values, tested = _significance(subject, learned, seed)
    found = _importances(subject, learned)
    values, errors, noise = found["importance"], found["error"], found["noise"]
    order = np.argsort(-values, kind="stable")
    section.values["importances"] = {
        "variable": [names[j] for j in order],
        "importance": values[order],
        "standard_error": errors[order],
        "noise_part": None if noise is None else noise[order],
        "p_value": None if p_values is None else p_values[order],
    }
    significant = np.ones(len(names), bool) if p_values is None else p_values <= 0.05
    section.add(*_importance_blocks(subject, found, order, p_values, significant, tested))
    useful = [names[j] for j in order if significant[j] and values[j] > 0]
    section.add(*dependence_blocks(subject, learned, useful, seed))
    section.add(*_degrees(learned, names, order))
    section.add(*_groups(subject, values))
    return section


def _significance(subject: Subject, learned: Learned, seed: int) -> tuple[np.ndarray | None, int]:
    """Test each input on a subsample; return adjusted p-values and the number of rows."""
    n = min(subject.n, _TEST_ROWS)
    if len(subject.inputs) > _MOST_TESTED or n < 30:
        return None, 0
    rows = np.sort(np.random.default_rng(seed).permutation(subject.n)[:n])
    y = subject.y[rows]
    if subject.is_classification and np.unique(y, return_counts=True)[1].min() < 2:
        kept = np.isin(
            y, [c for c, k in zip(*np.unique(y, return_counts=True), strict=True) if k > 1]
        )
        rows, y = rows[kept], y[kept]
        if len(np.unique(y)) < 2:
            return None, 0
    small = clone(learned.forest).set_params(
        n_estimators=_TEST_TREES, keep_samples=False, oob_score=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test = permutation_test(
            small, subject.rows(rows), y, n_permutations=_PERMUTATIONS, random_state=seed,
            n_jobs=learned.forest.n_jobs,
        )  # fmt: skip
    return np.asarray(test.adjusted("family")), len(rows)


def _importances(subject: Subject, learned: Learned) -> dict[str, Any]:
    forest, X, y = learned.forest, subject.X, subject.y
    plain = forest.importances("mdi", X, y, sample_weight=subject.weights, null="held_out")
    total = plain.impurity or 1.0
    return {
        "importance": np.asarray(plain.corrected) / total,
        "decrease": np.asarray(plain.values) / total,
        "error": np.asarray(plain.standard_errors) / total,
        "noise": np.asarray(plain.null_share),
    }


def _importance_blocks(
    subject: Subject,
    found: dict[str, Any],
    order: np.ndarray,
    p_values: np.ndarray | None,
    significant: np.ndarray,
    tested: int,
) -> list[Block]:
    names = [column.name for column in subject.inputs]
    top = order[:_SHOWN]
    label = "Importances of the inputs: share of the target's impurity that each explains"
    shown = [names[j] for j in top]
    drawing = svg.bars(
        shown, 100 * found["importance"][top], label, errors=100 * found["error"][top],
        marked=significant[top].tolist(), unit=" %",
    )  # fmt: skip
    best = shown[0]
    words = (
        f"`{best}` matters most: its splits remove "
        f"{percent(max(found['importance'][top[0]], 0))} of the impurity of the target."
    )
    columns: dict[str, list[Any]] = {
        "input": [names[j] for j in order],
        "importance": found["importance"][order].tolist(),
        "standard error": found["error"][order].tolist(),
        "with noise": found["decrease"][order].tolist(),
        "noise part": found["noise"][order].tolist(),
    }
    if p_values is not None:
        columns["p-value"] = p_values[order].tolist()
    note = (
        "Importances are mean decreases of impurity less the part that out-of-bag rows do not "
        "confirm (the noise part). The lines are two standard errors over the trees."
    )
    if p_values is not None:
        n_sure = int(significant.sum())
        note += (
            f" {counted(n_sure, 'input')} of {len(names)} {'is' if n_sure == 1 else 'are'} "
            f"significant at 5 % for all inputs together (permutation test on {tested:,} rows); "
            "bars of the others are grey."
        )
    return [Chart("importances", label, words, drawing, columns), Paragraph(note, "note")]


def _degrees(learned: Learned, names: list[str], order: np.ndarray) -> list[Block]:
    """Split importances by the number of other variables that were used above the node."""
    found = learned.forest.importances("mdi", by="degree", max_degree=3)
    by_degree = np.asarray(found.by_degree, dtype=float)
    total = by_degree.sum()
    if not total > 0:
        return []
    first = [0, 1, 2]
    parts = {"alone": by_degree[:, 0]}
    if by_degree.shape[1] > 1:
        parts["+ 1 other"] = by_degree[:, 1]
    if by_degree.shape[1] > 2:
        parts["+ 2 others"] = by_degree[:, 2]
    rest = np.delete(by_degree, first[: by_degree.shape[1]], axis=1).sum(axis=1)
    if rest.any():
        parts["+ 3 or more"] = rest
    top = order[: min(_SHOWN, 12)]
    label = "Alone, or together with other inputs"
    drawing = svg.stacked(
        [names[j] for j in top],
        {name: 100 * part[top] / total for name, part in parts.items()},
        label,
    )
    alone = by_degree[:, 0].sum() / total
    words = (
        f"{percent(alone)} of all decreases of impurity come from inputs alone, at nodes with no "
        "other input above them; the rest depends on other inputs."
    )
    columns: dict[str, list[Any]] = {"input": [names[j] for j in order]}
    columns |= {name: (part[order] / total).tolist() for name, part in parts.items()}
    return [Chart("degrees", label, words, drawing, columns)]


def _groups(subject: Subject, values: np.ndarray) -> list[Block]:
    """List inputs that say the same."""
    order = np.argsort(-values, kind="stable")[:_MOST_COMPARED]
    order = np.array([j for j in order if not subject.inputs[j].is_category], dtype=np.intp)
    if len(order) < 2:
        return []
    rows = np.random.default_rng(0).permutation(subject.n)[:_IMPORTANCE_ROWS]
    ranks = []
    for j in order:
        column = subject.inputs[j].values[rows]
        ranked = rankdata(np.where(np.isnan(column), np.nanmedian(column), column))
        ranked -= ranked.mean()
        length = np.sqrt((ranked**2).sum())
        ranks.append(ranked / length if length else ranked)
    together = np.abs(np.stack(ranks) @ np.stack(ranks).T)
    groups, left = [], list(range(len(order)))
    while left:
        first = left.pop(0)
        others = [k for k in left if together[first, k] >= _ALIKE]
        left = [k for k in left if k not in others]
        if others:
            weakest = float(together[first, others].min())
            names = [subject.inputs[order[k]].name for k in (first, *others)]
            groups.append((names, weakest))
    if not groups:
        return []
    items = [
        f"{joined(names, 6)}: rank correlation with the first at least {number(weakest)}."
        for names, weakest in groups[:10]
    ]
    words = (
        "Inputs that say nearly the same share their importance, so each of them seems to matter "
        "less. Judge them as a group:"
    )
    table = DataTable(
        "groups", "Groups of similar inputs",
        {
            "inputs": [", ".join(names) for names, _ in groups],
            "correlation": [weakest for _, weakest in groups],
        },
    )  # fmt: skip
    return (
        [Paragraph(words), Bullets(items), table]
        if len(groups) > 3
        else [Paragraph(words), Bullets(items)]
    )
