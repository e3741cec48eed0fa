"""Outliers: samples that are close to few others (thesis 4.4.3, Breiman 2002)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._names import one_line
from silvics._results.base import Result
from silvics.inspection._compared import Compared, compared
from silvics.plots import charts

MEASURES = ("breiman", "mean")
WITHIN = ("class", "all")


@dataclass(repr=False, eq=False)
class Outliers(Result):
    """How far each sample is from the others.

    ``to_frame()`` has one row for each sample, the largest score first: ``row`` (its number),
    ``score``, ``raw``, and, if there are classes, ``class``.

    Attributes
    ----------
    scores : ndarray of shape (n_samples,)
        The score of each sample, larger for outliers.
    raw : ndarray of shape (n_samples,)
        With ``measure="breiman"``: the number of samples divided by the sum of the squared
        proximities to the others. With ``measure="mean"``: the mean proximity to the others.
    labels : ndarray of shape (n_samples,), or None
        The classes within which samples are compared; None if they are compared with all.
    measure : str
        The measure.

    See Also
    --------
    outliers : Compute it.

    Examples
    --------
    >>> from silvics import RandomForestClassifier
    >>> from silvics.inspection import outliers
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, keep_samples=True, random_state=0).fit(X, y)
    >>> outliers(forest, X, y).scores.shape
    (150,)
    """

    scores: np.ndarray
    raw: np.ndarray
    labels: np.ndarray | None
    measure: str
    _library: str | None = None

    def _title(self) -> str:
        return f"Outliers ({self.measure})"

    def _columns(self) -> dict[str, Any]:
        order = np.argsort(-self.scores, kind="stable")
        columns = {"row": order, "score": self.scores[order], "raw": self.raw[order]}
        if self.labels is not None:
            columns["class"] = self.labels[order]
        return columns

    def _draw(self, ax: Any) -> Any:
        return charts.points(
            np.arange(len(self.scores)), self.scores, self.labels, "row",
            f"outlier score ({one_line(self.measure)})", ax,
        )  # fmt: skip


def outliers(
    forest: Any,
    X: Any = None,
    y: Any = None,
    *,
    within: str | None = None,
    measure: str = "breiman",
    kind: str = "original",
    min_samples_in_node: int = 1,
    max_depth: int | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Outliers:
    """Find samples that have small proximities to the other samples.

    Parameters
    ----------
    forest : forest
        A fitted forest.
    X : array-like of shape (n_samples, n_features) or None, default=None
        The samples, which are compared with each other. None takes the training rows, which the
        forest must have: fit it with ``keep_samples=True``, or call ``attach_samples``.
    y : array-like of shape (n_samples,) or None, default=None
        The classes of the samples. None takes those of the training rows if X is None.
    within : {"class", "all"} or None, default=None
        Whether a sample is compared with the others of its class or with all others. None means
        "class" if the forest is for classification and classes are known, and "all" otherwise.
    measure : {"breiman", "mean"}, default="breiman"
        "breiman" divides the number of samples by the sum of the squared proximities to the others,
        subtracts the median of the class, and divides by the median absolute deviation from it. A
        sample with a score above 10 deserves a look. A sample that shares no leaf with any other
        counts as if it shared half a leaf with one. "mean" is one minus the mean proximity to the
        others.
    kind : {"original", "oob", "gap"}, default="original"
        The kind of proximity; see ``forest.proximity``. Only "original" is defined for samples
        other than the training rows.
    min_samples_in_node : int, default=1
        Samples are compared in the deepest nodes with at least this number of in-bag rows.
    max_depth : int or None, default=None
        The largest depth of these nodes. None means any depth.
    n_jobs : int or None, default=None
        Number of threads. None takes the value of the forest. The result does not depend on it.
    progress : callable or None, default=None
        Called with the number of finished rows and the number of rows.

    Returns
    -------
    outliers : Outliers
        The scores, with the methods ``to_frame()`` and ``plot()``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> from silvics.inspection import outliers
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> found = outliers(forest, X, y)
    >>> found.to_frame().shape
    (150, 4)
    """
    if within is not None and within not in WITHIN:
        raise ValueError(f"within must be None or one of {list(WITHIN)}, got {within!r}.")
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {list(MEASURES)}, got {measure!r}.")
    samples = compared(
        forest, X, None if within == "all" else y, "outliers",
        by_class=within == "class", kind=kind, min_samples_in_node=min_samples_in_node,
        max_depth=max_depth, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    if within == "all" or (within is None and not samples.forest._classification):
        samples = Compared(
            samples.forest, samples.pairs, samples.n_samples, np.zeros_like(samples.codes),
            np.zeros(0), samples.library,
        )  # fmt: skip
    breiman = measure == "breiman"
    sums = samples.sums_in_class(squares=breiman)
    raw, scores = np.empty_like(sums), np.empty_like(sums)
    smallest = 0.25 / len(samples.forest) ** 2
    for rows in samples.groups():
        if breiman:
            raw[rows] = samples.n_samples / np.maximum(sums[rows], smallest)
            scores[rows] = _standardized(raw[rows])
        else:
            raw[rows] = sums[rows] / max(len(rows) - 1, 1)
            scores[rows] = 1.0 - raw[rows]
    return Outliers(scores, raw, samples.labels, measure, samples.library)


def _standardized(raw: np.ndarray) -> np.ndarray:
    """Subtract the median and divide by the median absolute deviation.

    If more than half of the values are equal, divide by the mean absolute deviation.
    """
    if not raw.size:
        return raw
    differences = raw - np.median(raw)
    scale = np.median(np.abs(differences)) or np.mean(np.abs(differences))
    return np.asarray(differences / scale if scale > 0 else np.zeros_like(raw))
