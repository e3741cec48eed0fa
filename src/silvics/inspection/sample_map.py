"""Maps of samples by multidimensional scaling of their proximities (thesis Figure 4.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_random_state

from silvics._results.base import Result
from silvics._tables.some_rows import rows_of
from silvics.inspection._compared import Compared, compared
from silvics.plots import charts
from silvics.proximity.forest_proximity import Comparison, checked_number, comparison

# Proximities to landmarks that are computed at once, 64 MiB.
_MOST_PAIRS = 2**23
# Samples without a table beyond which the matrix of all pairs would not fit most memories.
_MOST_WITHOUT_TABLE = 10_000


@dataclass(repr=False, eq=False)
class ProximityMap(Result):
    """Samples as points, so that distances are close to one minus the proximity.

    ``to_frame()`` has one row for each sample: ``row`` (its number), ``dimension_1``,
    ``dimension_2`` and so on, and, if there are classes, ``class``.

    Attributes
    ----------
    coordinates : ndarray of shape (n_samples, n_components)
        The points.
    eigenvalues : ndarray of shape (n_components,)
        The eigenvalue of each dimension, in descending order.
    explained : ndarray of shape (n_components,)
        Each eigenvalue divided by the sum of all eigenvalues.
    labels : ndarray of shape (n_samples,), or None
        The classes.
    landmarks : ndarray of int, or None
        The numbers of the samples that define the dimensions; None if all of them do.

    See Also
    --------
    proximity_map : Compute it.

    Examples
    --------
    >>> from silvics import RandomForestClassifier
    >>> from silvics.inspection import proximity_map
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, keep_samples=True, random_state=0).fit(X, y)
    >>> proximity_map(forest, X).coordinates.shape
    (150, 2)
    """

    coordinates: np.ndarray
    eigenvalues: np.ndarray
    explained: np.ndarray
    labels: np.ndarray | None
    landmarks: np.ndarray | None
    _library: str | None = None

    def _title(self) -> str:
        n, k = self.coordinates.shape
        return f"Map of {n:,} samples in {k} dimensions"

    def _notes(self) -> list[str]:
        shares = ", ".join(f"{share:.1%}" for share in self.explained)
        notes = [f"shares of the sum of eigenvalues: {shares}"]
        if self.landmarks is not None:
            notes.append(f"the dimensions are those of {len(self.landmarks):,} landmarks")
        return notes

    def _columns(self) -> dict[str, Any]:
        n, k = self.coordinates.shape
        columns: dict[str, Any] = {"row": np.arange(n)}
        columns |= {f"dimension_{d + 1}": self.coordinates[:, d] for d in range(k)}
        if self.labels is not None:
            columns["class"] = self.labels
        return columns

    def _draw(self, ax: Any) -> Any:
        first = self.coordinates[:, 0]
        second = self.coordinates[:, 1] if self.coordinates.shape[1] > 1 else np.zeros_like(first)
        ax = charts.points(first, second, self.labels, "dimension 1", "dimension 2", ax)
        ax.set_aspect("equal", adjustable="datalim")
        return ax


def proximity_map(
    forest: Any,
    X: Any = None,
    y: Any = None,
    *,
    n_components: int = 2,
    n_landmarks: int = 2000,
    kind: str = "original",
    min_samples_in_node: int = 1,
    max_depth: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> ProximityMap:
    """Place samples in a plane so that distances are close to one minus the proximity.

    The method is classical multidimensional scaling of one minus the proximity. If there are more
    than ``n_landmarks`` samples, the dimensions are those of landmarks, which are drawn at random,
    and the other samples are placed by their proximities to them. Memory then grows with the number
    of samples, and not with its square.

    Parameters
    ----------
    forest : forest
        A fitted forest.
    X : array-like of shape (n_samples, n_features) or None, default=None
        The samples. None takes the training rows, at most 10,000, which the forest must have: fit
        it with ``keep_samples=True``, or call ``attach_samples``.
    y : array-like of shape (n_samples,) or None, default=None
        Classes, which are the colours of the plot. None takes those of the training rows if X is
        None.
    n_components : int, default=2
        Number of dimensions.
    n_landmarks : int, default=2000
        Number of samples that define the dimensions if there are more samples.
    kind : {"original", "oob", "gap"}, default="original"
        The kind of proximity; see ``forest.proximity``. Only "original" is defined for samples
        other than the training rows. "gap" is made symmetric by the mean with its transpose.
    min_samples_in_node : int, default=1
        Samples are compared in the deepest nodes with at least this number of in-bag rows. Larger
        nodes give smoother maps of deep trees.
    max_depth : int or None, default=None
        The largest depth of these nodes. None means any depth.
    random_state : int, RandomState instance or None, default=0
        Seed of the draw of landmarks.
    n_jobs : int or None, default=None
        Number of threads. None takes the value of the forest. The result does not depend on it.

    Returns
    -------
    map : ProximityMap
        The points, with the methods ``to_frame()`` and ``plot()``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvics import RandomForestClassifier
    >>> from silvics.inspection import proximity_map
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> proximity_map(forest, X, y).coordinates.shape
    (150, 2)
    """
    n_components = checked_number("n_components", n_components)
    n_landmarks = checked_number("n_landmarks", n_landmarks)
    if kind == "kernel":
        raise ValueError('proximity_map needs kind="original", "oob" or "gap", got "kernel".')
    settings: dict[str, Any] = {
        "min_samples_in_node": min_samples_in_node,
        "max_depth": max_depth,
        "n_jobs": n_jobs,
    }
    most = _MOST_WITHOUT_TABLE if X is None else n_landmarks
    samples = compared(
        forest, X, y, "proximity_map", by_class=False, kind=kind, most=most, **settings
    )
    n = samples.n_samples
    if n_components >= min(n, n_landmarks):
        raise ValueError(
            f"n_components={n_components} must be smaller than the number of samples and of "
            f"landmarks, {min(n, n_landmarks)}."
        )
    landmarks = None
    if samples.pairs is not None:
        points, values, total, _ = _scaled(_dissimilarity(samples.pairs), n_components)
    elif X is None or kind != "original":
        raise ValueError(
            f"proximity_map of {n} samples compares them with landmarks, for which it needs their "
            f'table. Pass X and kind="original"; up to {_MOST_WITHOUT_TABLE} training rows need no '
            "table."
        )
    else:
        generator = check_random_state(random_state)
        landmarks = np.sort(generator.choice(n, n_landmarks, replace=False))
        points, values, total = _placed(samples, X, landmarks, n_components, settings)
    return ProximityMap(points, values, values / total, samples.labels, landmarks, samples.library)


def _placed(
    samples: Compared, X: Any, landmarks: np.ndarray, n_components: int, settings: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the points of all samples, placed by their proximities to landmarks."""
    forest, table = samples.forest, rows_of(X, landmarks)
    among = comparison(forest, table, None, "original", **settings)
    of_landmarks, values, total, means = _scaled(_dissimilarity(among), n_components)
    # Distance-based triangulation (de Silva and Tenenbaum 2004), exact for the landmarks.
    directions = of_landmarks / np.where(values > 0, values, 1.0)
    to_landmarks = comparison(forest, table, table, "original", **settings)
    points = np.empty((samples.n_samples, n_components))
    size = max(_MOST_PAIRS // len(landmarks), 1)
    for first in range(0, samples.n_samples, size):
        rows = np.arange(first, min(first + size, samples.n_samples))
        block = replace(to_landmarks, rows=forest._checked(rows_of(X, rows)))
        points[rows] = -0.5 * ((1.0 - block.dense()) ** 2 - means) @ directions
    return points, values, total


def _dissimilarity(pairs: Comparison) -> np.ndarray:
    """Return one minus the proximity, zero on the diagonal and symmetric."""
    dissimilarity = 1.0 - pairs.dense()
    dissimilarity = (dissimilarity + dissimilarity.T) / 2
    np.fill_diagonal(dissimilarity, 0.0)
    return dissimilarity


def _scaled(
    dissimilarity: np.ndarray, n_components: int
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Return points, their eigenvalues, the sum of all eigenvalues, and mean squared distances.

    The sign of each dimension makes its largest coordinate positive.
    """
    squared = dissimilarity**2
    means = squared.mean(axis=0)
    products = -0.5 * (squared - means - means[:, np.newaxis] + means.mean())
    n = len(products)
    values, vectors = eigh(products, subset_by_index=[n - n_components, n - 1])
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_components)]
    vectors = vectors * np.where(largest < 0, -1.0, 1.0)
    return vectors * np.sqrt(values), values, float(np.trace(products)) or 1.0, means
