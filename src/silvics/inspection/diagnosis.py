"""Advice on a fitted forest, each sentence with the number behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, comb
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._frames import library_of
from silvics._results.base import Result
from silvics.inspection.evidence import Evidence, gather
from silvics.plots import charts

# What is worth a sentence.
_TREES = 0.02  # of the error, from the finite number of trees
_ALIKE = 0.02  # of the error of a tree, that averaging removes
_OVERGROWN = 0.02  # of the error, that smaller trees would save
_UNDERGROWN = 0.05  # of the error, that the last level of the trees has saved
_LARGE_LEAF = 10  # samples
_SEEN = 0.5  # probability that a node draws a variable that matters
_END_CUTS = 0.3
_ROWS_PER_LEVEL = 5
_NO_SIGNAL = 0.97  # of the error of a constant
_RARE, _RECALL = 0.2, 0.2
_SURE = 2.5  # standard errors

_GOALS = [
    "To find all relevant variables, redundant ones too: totally randomized trees with multiway "
    "splits, and many of them (thesis 7.3.2).",
    "To find a small set of good predictors: RandomForest or ExtraTrees with max_features tuned "
    "for accuracy, and importances from nodes with enough samples (thesis 7.3.2).",
]


@dataclass(frozen=True)
class Finding:
    """Something that could be better.

    Attributes
    ----------
    name : str
        A short name, such as "few trees".
    value : float
        The number behind it.
    text : str
        What was found.
    advice : str
        What to do about it.

    Examples
    --------
    >>> from silvics.inspection import Finding
    >>> Finding("few trees", 0.1, "10 % of the error comes from ...", "Use more trees.").value
    0.1
    """

    name: str
    value: float
    text: str
    advice: str


@dataclass(repr=False, eq=False)
class Diagnosis(Result):
    """Advice on a forest.

    ``to_frame()`` has a row for each finding: ``finding``, ``value``, ``text`` and ``advice``.
    Errors are squared errors; for classification they are those of the class probabilities, added
    up over the classes (Brier score).

    Attributes
    ----------
    findings : list of Finding
        What could be better; empty if nothing was found.
    error : float
        The out-of-bag error, as that of a forest with all its trees.
    error_of_infinite_forest : float
        The error that would remain with infinitely many trees.
    error_of_tree : float
        The error of one tree.
    error_of_constant : float
        The error of the best constant prediction.
    goals : list of str
        Which forest serves which goal.

    Examples
    --------
    >>> from silvics import RandomForestRegressor
    >>> from silvics.datasets import Friedman1
    >>> from silvics.inspection import diagnose
    >>> X, y = Friedman1().sample(200, random_state=0)
    >>> found = diagnose(RandomForestRegressor(10, random_state=0).fit(X, y), X, y)
    >>> bool(found.error_of_infinite_forest < found.error < found.error_of_tree)
    True
    """

    findings: list[Finding]
    error: float
    error_of_infinite_forest: float
    error_of_tree: float
    error_of_constant: float
    goals: list[str]
    _library: str | None = None

    def _title(self) -> str:
        n = len(self.findings)
        return f"Diagnosis: {n} finding{'s' if n != 1 else ''}"

    def _notes(self) -> list[str]:
        notes = [
            f"error {self.error:.4g}; of one tree {self.error_of_tree:.4g}, of infinitely many "
            f"{self.error_of_infinite_forest:.4g}, of a constant {self.error_of_constant:.4g}"
        ]
        notes += [f"{found.name}: {found.text} {found.advice}" for found in self.findings]
        return notes or ["nothing to change was found"]

    def _columns(self) -> dict[str, Any]:
        return {
            "finding": [found.name for found in self.findings],
            "value": np.array([found.value for found in self.findings], dtype=float),
            "text": [found.text for found in self.findings],
            "advice": [found.advice for found in self.findings],
        }

    def _tables(self) -> list[Any]:
        return []  # the notes have all of it

    def _draw(self, ax: Any) -> Any:
        names = ["a constant", "one tree", "this forest", "infinitely many trees"]
        values = [
            self.error_of_constant, self.error_of_tree, self.error, self.error_of_infinite_forest,
        ]  # fmt: skip
        return charts.bars(np.array(values), np.array(names), "out-of-bag error", ax)


def diagnose(
    forest: Any, X: Any, y: Any, *, held_out: bool = False, random_state: Any = 0
) -> Diagnosis:
    """Look for what could be better in a fitted forest.

    Too few trees, trees that are too similar or too large or too small, numbers of variables per
    node that miss the useful ones, cuts at the ends of nodes, categories with too many levels, rows
    without out-of-bag prediction, classes that are never predicted, and no signal at all. Each
    finding has the number behind it. At most 4,000 rows are used.

    Parameters
    ----------
    forest : fitted forest
        The forest.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows of ``fit``; or other rows, with ``held_out=True``.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their outputs.
    held_out : bool, default=False
        Whether the rows were not used in ``fit``. Forests without out-of-bag rows, such as
        ExtraTrees with ``bootstrap=False``, need such rows.
    random_state : int, RandomState instance or None, default=0
        Seed of the choice of rows.

    Returns
    -------
    diagnosis : Diagnosis
        The findings, and errors of one tree, of the forest and of infinitely many trees.

    Examples
    --------
    >>> from silvics import RandomForestRegressor
    >>> from silvics.datasets import Friedman1
    >>> from silvics.inspection import diagnose
    >>> X, y = Friedman1().sample(300, random_state=0)
    >>> forest = RandomForestRegressor(10, random_state=0).fit(X, y)
    >>> [found.name for found in diagnose(forest, X, y).findings]
    ['few trees', 'rows never out of bag']
    """
    if not hasattr(forest, "_n_trees"):
        raise TypeError(
            f"diagnose needs a forest of silvics, got {type(forest).__name__}. "
            "silvics.from_sklearn converts forests of scikit-learn."
        )
    check_is_fitted(forest)
    evidence = gather(forest, X, y, held_out, random_state)
    found = list(_findings(forest, X, y, evidence, held_out))
    infinite = float(evidence.errors(n_trees=np.inf).mean())
    return Diagnosis(
        found, float(evidence.errors().mean()), infinite, infinite + evidence.tree_variance,
        evidence.baseline, list(_GOALS), library_of(X),
    )  # fmt: skip


def _findings(forest: Any, X: Any, y: Any, evidence: Evidence, held_out: bool) -> Iterator[Finding]:
    infinite = max(float(evidence.errors(n_trees=np.inf).mean()), 1e-12 * evidence.baseline)
    # Full trees can be worse than a constant although smaller trees are better.
    least = min(float(evidence.errors(growth, np.inf).mean()) for growth in evidence.growths)
    signal = least < _NO_SIGNAL * evidence.baseline
    if not signal:
        share = least / evidence.baseline if evidence.baseline else 1.0
        yield Finding(
            "no signal", share,
            f"The error is {share:.0%} of that of a constant prediction, also with smaller trees.",
            "The inputs say little about the output; do not interpret importances.",
        )  # fmt: skip
    yield from _of_trees(forest, evidence, infinite)
    if signal:
        yield from _of_growth(evidence)
        yield from _of_variables(forest, X, y, held_out)
        yield from _of_classes(forest, evidence)
    yield from _of_table(forest, evidence, held_out)


def _of_trees(forest: Any, evidence: Evidence, infinite: float) -> Iterator[Finding]:
    n, variance = evidence.n_trees, evidence.tree_variance
    share = variance / n / infinite if infinite > 0 else 0.0
    if share > _TREES:
        enough = ceil(variance / (0.01 * infinite))
        yield Finding(
            "few trees", share,
            f"{share:.1%} of the error comes from the finite number of trees ({n}).",
            f"n_estimators={_rounded(enough)} leaves 1 %.",
        )  # fmt: skip
    gain = variance / (infinite + variance) if infinite + variance > 0 else 0.0
    if gain < _ALIKE and n > 1:
        yield Finding(
            "trees alike", gain,
            f"Averaging removes only {gain:.1%} of the error of a tree.",
            "Use a smaller max_features, bootstrap=True, or one tree.",
        )  # fmt: skip
    share = forest.work_["end_cut_share"] if forest._grown.seed is not None else 0.0
    if share > _END_CUTS:
        yield Finding(
            "end cuts", share,
            f"{share:.0%} of the splits of large nodes leave less than 5 % of the samples on one "
            "side.",
            "This happens with noisy variables and outliers: try ExtraTrees, a larger "
            "min_samples_leaf, or an output on a logarithmic scale.",
        )  # fmt: skip


def _of_growth(evidence: Evidence) -> Iterator[Finding]:
    error = float(evidence.errors().mean())
    sizes = [size for size in evidence.growths if isinstance(size, int)]
    best = max(sizes, key=lambda size: evidence.gain(size)[0])
    gain, off = evidence.gain(best)
    if gain > _OVERGROWN * error and gain > _SURE * off:
        yield Finding(
            "overgrown", gain / error,
            f"Trees that stop at nodes of fewer than {best} samples have a {gain / error:.1%} "
            "smaller error.",
            f"Try min_samples_split={best}.",
        )  # fmt: skip
        return
    lost, off = evidence.gain("parent")
    if -lost > _UNDERGROWN * error and -lost > _SURE * off and evidence.impure_size > _LARGE_LEAF:
        yield Finding(
            "undergrown", -lost / error,
            f"The last level of the trees reduces the error by {-lost / (error - lost):.1%}, and "
            f"impure leaves have {evidence.impure_size:.0f} samples.",
            "Allow larger trees: a larger max_depth or max_leaf_nodes, or smaller leaves.",
        )  # fmt: skip


def _of_variables(forest: Any, X: Any, y: Any, held_out: bool) -> Iterator[Finding]:
    drawn, p = int(forest.max_features_), forest.n_features_in_
    if drawn >= p:
        return
    rows = {"rows": "held_out"} if held_out else {}
    found = forest.importances("ufi", X, y, **rows)
    useful = int((found.values > 3 * found.standard_errors).sum())
    if useful == 0:
        return
    seen = _chance(p, useful, drawn)
    if seen < _SEEN:
        better = next(k for k in range(drawn, p + 1) if _chance(p, useful, k) >= 0.9)
        yield Finding(
            "few variables per node", seen,
            f"A node draws one of the {useful} useful variables with probability {seen:.0%} "
            f"(max_features: {drawn} of {p}).",
            f"Try max_features={better}, or select variables first.",
        )  # fmt: skip


def _of_classes(forest: Any, evidence: Evidence) -> Iterator[Finding]:
    if not forest._classification or forest.n_outputs_ > 1:
        return
    full = evidence.growths["full"]
    predicted = full.sums.argmax(axis=1)
    actual = evidence.y.argmax(axis=1)
    for c, label in enumerate(forest.classes_):
        rows = actual == c
        if rows.sum() < 10 or rows.mean() > _RARE:
            continue
        recall = float((predicted[rows] == c).mean())
        if recall < _RECALL:
            yield Finding(
                "rare class", recall,
                f"Class {label!r} has {rows.mean():.1%} of the rows, and {recall:.0%} of them are "
                "predicted as such.",
                'Use class_weight="balanced_subsample", or a lower threshold on predict_proba.',
            )  # fmt: skip


def _of_table(forest: Any, evidence: Evidence, held_out: bool) -> Iterator[Finding]:
    n_rows = forest._grown.sampling.n_samples if forest._grown.sampling is not None else None
    names = getattr(forest, "feature_names_in_", None)
    for j, levels in enumerate(forest.categories_):
        if levels is None or n_rows is None or n_rows / max(len(levels), 1) >= _ROWS_PER_LEVEL:
            continue
        name = names[j] if names is not None else f"column {j}"
        yield Finding(
            "many levels", n_rows / len(levels),
            f"{name} has {len(levels)} levels, {n_rows / len(levels):.1f} rows for each.",
            "Leave the column out if it is an identifier, or merge rare levels.",
        )  # fmt: skip
    if evidence.never > 0 and not held_out:
        yield Finding(
            "rows never out of bag", evidence.never,
            f"{evidence.never:.1%} of the rows are in bag in all trees.",
            "Out-of-bag estimates leave them out: use more trees.",
        )  # fmt: skip


def _chance(p: int, useful: int, drawn: int) -> float:
    """Return the probability that at least one of the useful variables is drawn."""
    return 1 - comb(p - useful, drawn) / comb(p, drawn)


def _rounded(n: int) -> int:
    """Return the next number with two significant digits."""
    unit = 10 ** max(len(str(n)) - 2, 0)
    return ceil(n / unit) * unit
