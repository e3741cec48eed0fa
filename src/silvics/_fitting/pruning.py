"""Pruning by estimated errors (thesis 3.5): on held-out rows, or by an upper bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from silvics import _core
from silvics._fitting.axes import Axes
from silvics._predicting import prediction
from silvics._predicting.sampling import held_out_rows
from silvics._tables import inputs
from silvics._tables.table import Blocks

# C4.5 keeps a subtree only if it has fewer errors than a leaf by more than this.
_SLACK = 0.1


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that are held out for pruning, and their weights."""

    rows: np.ndarray
    weights: np.ndarray


def hold_out(
    axes: Axes, seed: int, n_samples: int, weights: np.ndarray | None
) -> tuple[np.ndarray, HeldOut]:
    """Draw the held-out rows. Return weights that are zero for these rows, and the rows."""
    if n_samples < 2:
        raise ValueError(
            f'pruning="reduced_error" needs at least two rows, one of which is held out, but X has '
            f"{n_samples}."
        )
    n_held = min(max(1, round(axes.validation_fraction * n_samples)), n_samples - 1)
    rows = held_out_rows(seed, n_samples, n_held)
    weights = np.ones(n_samples) if weights is None else weights.copy()
    held = HeldOut(rows, weights[rows])
    weights[rows] = 0.0
    if not weights.any():
        raise ValueError(
            'pruning="reduced_error" has held out all rows with positive weight. Lower '
            f"validation_fraction={axes.validation_fraction}."
        )
    return weights, held


def pruned(
    axes: Axes, trees: list[_core.Tree], X: Blocks, y: np.ndarray, held: HeldOut | None
) -> list[_core.Tree]:
    """Prune the trees according to the choices of the recipe."""
    if axes.pruning == "pessimistic":
        return [
            tree.pruned_by_errors(_bound_on_errors(tree, axes.confidence), _SLACK) for tree in trees
        ]
    if axes.pruning == "reduced_error":
        assert held is not None
        matrix = inputs.to_predict(X)
        return [
            tree.pruned_by_errors(_errors_on(tree, matrix, y, held.rows, held.weights), 0.0)
            for tree in trees
        ]
    return trees


def _bound_on_errors(tree: _core.Tree, confidence: float) -> np.ndarray:
    """Compute an upper bound of the errors that each node would make as a leaf.

    The bound is the upper limit of the confidence interval of a binomial error rate, at the given
    level, times the number of samples. For several outputs it is the mean over the outputs.
    """
    n = tree.weighted_n_node_samples()
    shares = prediction.split_outputs(tree.values(), tree.n_classes)
    total = np.zeros_like(n)
    for of_output in shares:
        errors = np.clip(n * (1.0 - of_output.max(axis=1)), 0.0, n)
        rate = np.ones_like(n)
        some = errors < n
        rate[some] = betaincinv(errors[some] + 1.0, n[some] - errors[some], 1.0 - confidence)
        total += n * rate
    return total / len(shares)


def _errors_on(
    tree: _core.Tree, X: _core.Matrix, y: np.ndarray, rows: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Compute the errors that each node would make as a leaf on these rows."""
    predictor = prediction.Trees([tree]).predictor
    paths = prediction.decision_path(predictor, X)[rows].tocoo()
    values = tree.values()
    errors = np.zeros(tree.node_count)
    if tree.n_classes:
        shares = prediction.split_outputs(values, tree.n_classes)
        loss = sum(
            (of_output.argmax(axis=1)[paths.col] != y[rows][paths.row, k]).astype(float)
            for k, of_output in enumerate(shares)
        )
    else:
        unit = np.abs(y).max() or 1.0  # squares of very large outputs would overflow
        loss = ((values[paths.col] / unit - y[rows][paths.row] / unit) ** 2).sum(axis=1)
    np.add.at(errors, paths.col, loss * weights[paths.row])
    return errors
