"""Leaves of samples as sparse features, with a column for each leaf of each tree (thesis 4.40)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn import get_config

if TYPE_CHECKING:
    from silvics._predicting.prediction import Trees
    from silvics._predicting.training_samples import TrainingSamples


def leaves_of_trees(trees: Trees) -> list[np.ndarray]:
    """Return the node numbers of the leaves of each tree."""
    return [trees.packed.leaves(m) for m in range(len(trees))]


def leaf_features(trees: Trees, leaves: np.ndarray, by_leaf: np.ndarray | None = None) -> Any:
    """Encode the leaves of samples in a sparse matrix.

    Parameters
    ----------
    trees : Trees
        The trees.
    leaves : ndarray of int of shape (n_samples, n_trees)
        The node number of the leaf of each sample in each tree. It is changed.
    by_leaf : ndarray of shape (n_leaves,), or None
        The value of the elements of each column; one if it is None.

    Returns
    -------
    features : sparse matrix of shape (n_samples, n_leaves)
        In CSR format, with one element for each sample and tree.
    """
    n_samples, n_trees = leaves.shape
    of_trees = leaves_of_trees(trees)
    n_out = sum(map(len, of_trees))
    # Libraries expect sparse matrices with 32-bit indices wherever these are large enough.
    index = np.int32 if max(leaves.size, n_out) < 2**31 else np.int64
    before = np.cumsum([0, *trees.node_counts])
    column_of_node = np.empty(before[-1], dtype=index)
    column_of_node[np.concatenate([a + b for a, b in zip(before, of_trees, strict=False)])] = (
        np.arange(n_out, dtype=index)
    )
    leaves += before[:-1]
    columns = column_of_node[leaves.ravel()]
    values = np.ones(leaves.size) if by_leaf is None else by_leaf[columns]
    starts = np.arange(0, leaves.size + 1, n_trees, dtype=index)
    return _csr((values, columns, starts), (n_samples, n_out))


def training_features(
    samples: TrainingSamples, by_leaf: np.ndarray | None, *, weighted: bool
) -> Any:
    """Encode the leaves of the training rows in a sparse matrix.

    Parameters
    ----------
    samples : TrainingSamples
        The training rows of every leaf.
    by_leaf : ndarray of shape (n_leaves,), or None
        The value of the elements of each column; one if it is None.
    weighted : bool
        Whether to multiply the elements by the weights of the rows in the tree. Rows that the tree
        has not drawn then have no element.

    Returns
    -------
    features : sparse matrix of shape (n_training_rows, n_leaves)
        In CSR format.
    """
    membership = samples.membership
    arrays, n_parts, n_rows = membership.arrays(), membership.n_parts, membership.n_rows
    first = arrays["first_leaf"].astype(np.int64)
    rows, columns, values = [], [], []
    for m in range(membership.n_trees):
        if weighted:
            of_tree, leaves, weights = membership.in_bag(m)
        else:
            ends = arrays["ends"][n_parts * first[m] : n_parts * first[m + 1]][
                n_parts - 1 :: n_parts
            ]
            sizes = np.diff(ends.astype(np.int64), prepend=0)
            of_tree = arrays["rows"][m * n_rows : (m + 1) * n_rows].astype(np.int64)
            leaves, weights = np.repeat(np.arange(len(sizes)), sizes), np.ones(n_rows)
        rows.append(of_tree)
        columns.append(leaves + first[m])
        values.append(weights if by_leaf is None else weights * by_leaf[leaves + first[m]])
    where = np.concatenate(rows), np.concatenate(columns)
    return _csr((np.concatenate(values), where), (n_rows, int(first[-1])))


def _csr(parts: Any, shape: tuple[int, int]) -> Any:
    """Return a CSR matrix, or array, as scikit-learn is configured."""
    kind = csr_array if get_config()["sparse_interface"] == "sparray" else csr_matrix
    return kind(parts, shape=shape)


def leaf_names(prefix: str, trees: Trees) -> np.ndarray:
    """Return a name for each leaf of each tree: ``{prefix}_{tree}_{node}``."""
    names = [
        f"{prefix}_{m}_{leaf}" for m, leaves in enumerate(leaves_of_trees(trees)) for leaf in leaves
    ]
    return np.asarray(names, dtype=object)
