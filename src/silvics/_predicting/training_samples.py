"""The training rows of every leaf, which a forest keeps on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from silvics import _core

if TYPE_CHECKING:
    from silvics._predicting.prediction import Trees

# Number of trees whose leaves are compared with the outputs of their rows. One tree would be
# enough, since outputs in another order disagree with most of its leaves.
_N_COMPARED = 3


@dataclass(frozen=True, eq=False)
class TrainingSamples:
    """The training rows of a forest: their leaves, in-bag weights and outputs, without X.

    Attributes
    ----------
    membership : LeafMembership
        The rows of every leaf of every tree, in-bag and out-of-bag, with in-bag weights.
    y : ndarray of shape (n_samples, n_outputs)
        Indices of classes, or real values.
    """

    membership: _core.LeafMembership
    y: np.ndarray

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return self.membership.nbytes + int(self.y.nbytes)

    def leaf_quantiles(self, trees: Trees, threads: int) -> _core.LeafQuantiles:
        """Prepare the quantiles of any rows."""
        outputs = np.ascontiguousarray(self.y, dtype=np.float64)
        return _core.LeafQuantiles(trees.predictor, self.membership, outputs, threads)


def build_samples(
    trees: Trees,
    X: _core.Matrix,
    y: np.ndarray,
    target: _core.Target,
    seeds: list[int],
    sampling: _core.Sampling,
    n_jobs: int,
) -> TrainingSamples:
    """Find the training rows of every leaf by one traversal of the trees."""
    membership = _core.LeafMembership.of(
        trees.predictor_by(n_jobs), X, target, seeds, sampling, n_jobs
    )
    return TrainingSamples(membership, y)


def check_samples(
    trees: Trees, samples: TrainingSamples, leaves_are_means: bool, stages: int
) -> None:
    """Raise ValueError unless the rows are those that the trees were grown on.

    Every leaf must have the same number of in-bag rows, with the same total weight, as when the
    tree was grown. If leaves predict the mean of their rows, the means of some trees are compared.
    In a forest of two stages, those of the first half predict twice the means.
    """
    n_compared = min(_N_COMPARED, len(trees) // stages)
    for m, tree in enumerate(trees):
        leaves = trees.packed.leaves(m)
        same = has_rows_of(tree, leaves, samples, m)
        if same and leaves_are_means and m < n_compared:
            same = _predicts_means(tree, leaves, samples, m, stages)
        if not same:
            raise ValueError(
                "These are not the rows that the forest was fitted on: the rows, weights or "
                f"outputs in the leaves of tree {m} differ from those of fit. Pass the X, y and "
                "sample_weight of fit, in the same order."
            )


def has_rows_of(tree: _core.Tree, leaves: np.ndarray, samples: TrainingSamples, m: int) -> bool:
    """Return whether the leaves of tree m have as many rows, of the same weight, as when grown."""
    sizes, weights = samples.membership.leaf_stats(m)
    return np.array_equal(sizes, tree.n_node_samples()[leaves]) and np.allclose(
        weights, tree.weighted_n_node_samples()[leaves], rtol=1e-9, atol=0.0
    )


def _predicts_means(
    tree: _core.Tree, leaves: np.ndarray, samples: TrainingSamples, m: int, factor: int
) -> bool:
    """Return whether leaves of tree m predict the means of their in-bag rows, times a factor."""
    rows, leaf, weight = samples.membership.in_bag(m)
    y = samples.y[rows]
    n = len(leaves)
    whole = np.bincount(leaf, weight, n)
    known = whole > 0  # a leaf without rows has the prediction of its parent
    means = []
    for k in range(y.shape[1]):
        for c in range(tree.n_classes[k] if tree.n_classes else 1):
            values = (y[:, k] == c) if tree.n_classes else y[:, k]
            means.append(np.bincount(leaf, weight * values, n)[known] / whole[known])
    predicted = tree.values().reshape(-1, tree.value_width)[leaves][known] / factor
    scale = np.abs(samples.y).max(initial=1.0)
    return np.allclose(predicted, np.stack(means, axis=1), rtol=1e-6, atol=1e-9 * float(scale))


def missing_samples(what: str, *, has_own: bool = True) -> str:
    """Return the error text for a method that needs training rows which the forest lacks.

    ``has_own`` is False for a forest whose trees are of other forests.
    """
    needs = f"{what} needs the training rows of every leaf, "
    if not has_own:
        return needs + (
            "which a forest that was merged or converted from another library does not have. Use "
            "the forests that it was made of."
        )
    return needs + (
        "but this forest has not kept them. Fit it with keep_samples=True, or call "
        "attach_samples(X, y) with the rows of fit."
    )
