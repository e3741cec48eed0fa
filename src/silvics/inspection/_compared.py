"""The samples that are inspected: their proximities and their classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._estimators.base_forest import BaseForest
from silvics._fitting import targets
from silvics._frames import library_of
from silvics._state import with_state
from silvics.proximity.forest_proximity import Comparison, comparison

# Elements of a table of sums by class that is computed at once, 64 MiB.
_MOST_SUMS = 2**23


@dataclass(frozen=True, eq=False)
class Compared:
    """Samples, compared with each other.

    Attributes
    ----------
    forest : forest
        The forest.
    pairs : Comparison or None
        The proximities; None if there are more samples than were asked for.
    n_samples : int
        Number of samples.
    codes : ndarray of int of shape (n_samples,)
        The class of each sample, as an index; zeros if there are no classes.
    classes : ndarray
        The names of the classes; empty if there are none.
    library : str or None
        The data-frame library of the results.
    """

    forest: Any
    pairs: Comparison | None
    n_samples: int
    codes: np.ndarray
    classes: np.ndarray
    library: str | None

    @property
    def labels(self) -> np.ndarray | None:
        """The class of each sample; None if there are no classes."""
        return self.classes[self.codes] if len(self.classes) else None

    def groups(self) -> list[np.ndarray]:
        """Return the numbers of the samples of each class."""
        n = max(len(self.classes), 1)
        order = np.argsort(self.codes, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.codes, minlength=n))[:-1])

    def sums_in_class(self, *, squares: bool) -> np.ndarray:
        """Return the sum of the proximities of each sample to the others of its class.

        No matrix of all pairs is kept.
        """
        assert self.pairs is not None
        n_classes = max(len(self.classes), 1)
        at_once = max(_MOST_SUMS // max(self.n_samples, 1), 1)
        sums = np.zeros(self.n_samples)
        for first in range(0, n_classes, at_once):
            last = min(first + at_once, n_classes)
            members = (self.codes[:, np.newaxis] == np.arange(first, last)).astype(np.float64)
            found = self.pairs.product(members, squares=squares, without_diagonal=True)
            own = (self.codes >= first) & (self.codes < last)
            sums[own] = found[own, self.codes[own] - first]
        return sums


def compared(
    forest: Any,
    X: Any,
    y: Any,
    what: str,
    *,
    by_class: bool,
    kind: str = "original",
    min_samples_in_node: Any = 1,
    max_depth: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    most: int | None = None,
) -> Compared:
    """Check the arguments of a function, and return the samples that it is about.

    X is None for the training rows. Classes are those of y, or, if it is None and X is None, those
    of the training rows. With ``by_class``, samples without classes are an error. More than
    ``most`` samples are not compared yet.
    """
    if not (isinstance(forest, BaseForest) and forest._has_outputs):
        raise TypeError(
            f"{what} needs a supervised forest of silvics, such as RandomForestClassifier, got "
            f"{type(forest).__name__}. silvics.from_sklearn converts forests of scikit-learn."
        )
    check_is_fitted(forest)
    forest = with_state(forest, vars(forest))
    if X is None:
        n = forest._grown.require_samples(f"{what} without X").membership.n_rows
    else:
        n = forest._checked(X).shape[0]
    if n < 2:
        raise ValueError(
            f"{what} compares samples with each other and needs at least two, got {n}."
        )
    pairs = None
    if most is None or n <= most:
        pairs = comparison(
            forest, X, None, kind, min_samples_in_node, max_depth, n_jobs, progress=progress
        )
    labels = _labels(forest, X, y, n, what)
    if labels is None:
        if by_class:
            raise ValueError(
                f"{what} needs the class of each sample. Pass it as y, or do without classes by "
                'within="all".'
            )
        codes, classes = np.zeros(n, dtype=np.int64), np.zeros(0)
    else:
        classes, codes = np.unique(labels, return_inverse=True)
    library = library_of(X) if X is not None else getattr(forest, "_frame_library", None)
    return Compared(forest, pairs, n, codes, classes, library)


def _labels(forest: Any, X: Any, y: Any, n: int, what: str) -> np.ndarray | None:
    """Return the class of each sample, or None."""
    if y is not None:
        labels = targets.checked_outputs(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        if labels.ndim != 1 or len(labels) != n:
            raise ValueError(
                f"y must have one class for each of the {n} samples, got shape {labels.shape}."
            )
        return labels
    if X is not None or not forest._classification:
        return None
    if forest.n_outputs_ > 1:
        raise ValueError(
            f"The forest has {forest.n_outputs_} outputs, so {what} does not know which one has "
            "the classes. Pass one of them as y."
        )
    codes = forest._grown.require_samples(what).y[:, 0].astype(np.int64)
    return np.asarray(forest.classes_[codes])
