"""Trees cut back after they are grown (thesis 3.5): by errors on other rows, or by their bound."""

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

# C4.5 prefers the smaller tree unless the larger one saves this many errors.
_SLACK = 0.1


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that trees are pruned on, and their weights."""

    rows: np.ndarray
    weights: np.ndarray


def hold_out(
    axes: Axes, seed: int, n_samples: int, weights: np.ndarray | None
) -> tuple[np.ndarray, HeldOut]:
    """Weights that leave out the rows to prune on, and these rows, drawn once for all trees."""
    if n_samples < 2:
        raise ValueError(
            f'pruning="reduced_error" holds rows out to prune on, and X has only {n_samples}.'
        )
    n_held = min(max(1, round(axes.validation_fraction * n_samples)), n_samples - 1)
    rows = held_out_rows(seed, n_samples, n_held)
    weights = np.ones(n_samples) if weights is None else weights.copy()
    held = HeldOut(rows, weights[rows])
    weights[rows] = 0.0
    if not weights.any():
        raise ValueError(
            'pruning="reduced_error" held out all rows of positive weight: lower '
            "validation_fraction."
        )
    return weights, held


def pruned(
    axes: Axes, trees: list[_core.Tree], X: Blocks, y: np.ndarray, held: HeldOut | None
) -> list[_core.Tree]:
    """The trees, pruned as the choices say."""
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
    """Errors of each node as a leaf, if its error rate is the upper limit of what was seen.

    The limit is exceeded with this probability by a binomial variable of the samples' number.
    Several outputs have the mean of theirs.
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
    """Errors that each node would make, as a leaf, on these rows."""
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
