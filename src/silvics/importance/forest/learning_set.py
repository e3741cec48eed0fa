"""Rows with known outputs: the learning set of a forest, or held-out rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from silvics import _core
from silvics._fitting import targets
from silvics._predicting.prediction import Trees
from silvics._predicting.sampling import RowSampling
from silvics._predicting.training_samples import build_samples, has_rows_of
from silvics.importance._types import FittedForest

_REMEDY = ' Pass rows that were not used in fit, with rows="held_out".'
_MOST_LEAVES = 1 << 23  # numbers of leaves in memory at a time: 64 MiB


@dataclass(frozen=True)
class LearningSet:
    """Rows, their encoded outputs, and how each tree drew its rows.

    The rows are a table, or their leaf membership if the forest has kept it.
    """

    forest: FittedForest
    rows: _core.Matrix | _core.LeafMembership
    y: np.ndarray  # classes by number, or real numbers; a column for each output
    is_held_out: bool = False  # whether these are other rows than those of fit

    @property
    def n_rows(self) -> int:
        return int(self.y.shape[0])

    @property
    def matrix(self) -> _core.Matrix:
        """The table, for kinds of importances that need its values."""
        assert isinstance(self.rows, _core.Matrix)
        return self.rows

    @property
    def sampling(self) -> _core.Sampling:
        """How each tree drew its rows. Trees have drawn no held-out rows."""
        if self.is_held_out:
            return _core.Sampling(self.n_rows, True, 0, False, None)
        return self.forest._grown.native_sampling()

    def tree_seeds(self, first: int, count: int) -> list[int]:
        """Return the seeds with which the trees drew their rows."""
        if self.is_held_out:
            return _core.tree_seeds(0, first, count)  # the seeds are not used: nothing is drawn
        return self.forest._grown.tree_seeds(first, count)

    @property
    def _weights(self) -> np.ndarray | None:
        sampling = self.forest._grown.sampling
        return None if self.is_held_out or sampling is None else sampling.weights

    @property
    def target(self) -> _core.Target:
        """The outputs, in the form that the core takes."""
        weights = self._weights
        if not self.forest._classification:
            values = self.y.astype(np.float64)
            return _core.Target.of_values(
                values.ravel(), self.n_rows, values.shape[1], "squared_error", weights
            )
        n_classes = [int(n) for n in np.atleast_1d(self.forest.n_classes_)]
        return _core.Target.of_classes(self.y.ravel(), self.n_rows, n_classes)

    @property
    def impurity(self) -> float:
        """The weighted Gini index or variance of all rows, averaged over the outputs."""
        weights = self._weights
        of_outputs = []
        for k, y in enumerate(self.y.T):
            if self.forest._classification:
                n = int(np.atleast_1d(self.forest.n_classes_)[k])
                shares = np.bincount(y, weights=weights, minlength=n)
                of_outputs.append(1 - float(((shares / shares.sum()) ** 2).sum()))
            else:
                centred = y - np.average(y, weights=weights)
                of_outputs.append(float(np.average(centred**2, weights=weights)))
        return float(np.mean(of_outputs))

    def batches(self) -> Iterator[tuple[int, list[_core.Tree], list[int]]]:
        """Yield batches of trees: the number of the first tree, the trees, and their seeds."""
        yield from (
            (first, trees, self.tree_seeds(first, len(trees)))
            for first, trees in batches_of(self.forest, self.n_rows)
        )


def batches_of(forest: FittedForest, n_rows: int) -> Iterator[tuple[int, list[_core.Tree]]]:
    """Yield batches of trees, small enough that the leaves of all rows fit into memory."""
    trees = list(forest._grown.trees.native)
    at_once = max(min(_MOST_LEAVES // max(n_rows, 1), 64), 1)
    for first in range(0, len(trees), at_once):
        yield first, trees[first : first + at_once]


def learning_set(
    forest: FittedForest,
    X: Any,
    y: Any,
    kind: str,
    unseen: bool = False,
    rows: str = "oob",
    by_leaf: bool = False,
) -> LearningSet:
    """Check that X and y can be the rows of ``fit``, or that they are valid held-out rows.

    Parameters
    ----------
    forest : FittedForest
        A fitted forest.
    X, y : table and array-like
        The rows and their outputs.
    kind : str
        The kind of importance, for error messages.
    unseen : bool
        Whether the kind needs rows that the trees have not drawn.
    rows : {"oob", "held_out"}
        "oob": X and y are the rows of fit. "held_out": they are other rows.
    by_leaf : bool
        Whether the kind needs only the leaves of the rows, which the forest may have kept.

    Returns
    -------
    learning_set : LearningSet
    """
    if not (is_classifier(forest) or is_regressor(forest)):
        raise ValueError(
            f'kind="{kind}" needs outputs, but {type(forest).__name__} is fitted without y.'
        )
    is_held_out = rows == "held_out"
    if by_leaf and not is_held_out and X is None and y is None:
        _checked_draws(forest, kind, unseen)
        samples = forest._grown.require_samples(f'kind="{kind}" without X and y')
        return LearningSet(forest, samples.membership, samples.y)
    if X is None or y is None:
        raise ValueError(f'kind="{kind}" needs the X and y that the forest was fitted on.')
    other = ', or other rows with rows="held_out"' if unseen else ""
    n_fitted = None if is_held_out else _checked_draws(forest, kind, unseen).n_samples
    matrix = forest._checked(X)
    outputs = targets.as_columns(targets.checked_outputs(y))
    n_rows = matrix.shape[0]
    if is_held_out and n_rows != len(outputs):
        raise ValueError(f"X has {n_rows} rows, y has {len(outputs)}: they must agree.")
    if not is_held_out and not (n_rows == len(outputs) == n_fitted):
        raise ValueError(
            f"X has {n_rows} rows, y has {len(outputs)}, and the forest was fitted on "
            f"{n_fitted}: pass the X and y of fit{other}."
        )
    if outputs.shape[1] != forest.n_outputs_:
        raise ValueError(
            f"y has {outputs.shape[1]} outputs, but the forest has {forest.n_outputs_}."
        )
    encoded = _encoded(forest, outputs, is_held_out)
    kept = forest._grown.samples
    if not is_held_out and kept is not None and not _same_outputs(kept.y, encoded):
        raise ValueError(
            "y differs from the y that the forest was fitted on: pass the X and y of fit, with "
            f"the rows in the same order{other}."
        )
    found = LearningSet(forest, matrix, encoded, is_held_out)
    if not is_held_out:
        _check_first_tree(found, other)
    return found


def _same_outputs(kept: np.ndarray, given: np.ndarray) -> bool:
    """Return whether outputs agree, up to the rounding of another type of numbers."""
    scale = float(np.abs(kept).max(initial=1.0))
    return np.allclose(given, kept, rtol=1e-6, atol=1e-9 * scale)


def _check_first_tree(rows: LearningSet, other: str) -> None:
    """Raise ValueError if the leaves of the first tree show that these are not the rows of fit.

    Rows in another order end in other leaves, so that one tree is enough. Large forests are not
    restored for it: they have kept their rows, with whose outputs y has been compared.
    """
    trees = rows.forest._grown.trees
    if not trees.has_native or trees.packed.both_children:
        return
    first = Trees(trees.native[:1], trees.as_float32)
    samples = build_samples(
        first, rows.matrix, rows.y, rows.target, rows.tree_seeds(0, 1), rows.sampling, 1
    )
    if not has_rows_of(first[0], first.packed.leaves(0), samples, 0):
        raise ValueError(
            "X and y are not the rows that the forest was fitted on, or are in another order: the "
            f"leaves of its first tree had other rows. Pass the X and y of fit{other}."
        )


def _encoded(forest: FittedForest, outputs: np.ndarray, is_held_out: bool) -> np.ndarray:
    """Return the numbers of classes, or real numbers."""
    if not forest._classification:
        return targets.real_values(outputs, "", "")
    classes = [forest.classes_] if forest.n_outputs_ == 1 else forest.classes_
    encoded = np.empty(outputs.shape, dtype=np.int64)
    for k, levels in enumerate(classes):
        numbers = _class_numbers(levels, outputs[:, k])
        if numbers is None:
            remedy = "leave such rows out" if is_held_out else "pass the y of fit"
            raise ValueError(f"y has classes that were not in the y of fit: {remedy}.")
        encoded[:, k] = numbers
    return encoded


def _class_numbers(classes: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Return the number of the class of each row; None if one is not among the classes."""
    try:
        numbers = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    except TypeError:  # labels of another type, which cannot be compared with the classes
        return None
    return numbers if (classes[numbers] == y).all() else None


def _checked_draws(forest: FittedForest, kind: str, unseen: bool) -> RowSampling:
    """Return how the trees drew their rows, or raise if it is unknown or leaves no rows unseen."""
    sampling = forest._grown.sampling
    if sampling is None or not sampling.weights_known:
        raise ValueError(
            f'kind="{kind}" needs to know which rows each tree has drawn, but this forest does not '
            "store it: it was merged, converted, loaded from a file that was saved without "
            "training_rows=True, or fitted to a scan whose weights take much memory. Call "
            "attach_samples with the rows and weights of fit."
            f"{_REMEDY if unseen else ''}"
        )
    if unseen and not sampling.leaves_rows_out:
        raise ValueError(
            f'kind="{kind}" needs out-of-bag rows, but every tree was grown on all rows: fit with '
            'bootstrap=True, use kind="air", or pass other rows with rows="held_out".'
        )
    return sampling
