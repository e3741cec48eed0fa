"""Importances by surrogate splits (equation 6.1)."""

from __future__ import annotations

import numpy as np

from silvics import _core
from silvics.importance.forest.learning_set import learning_set
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances
from silvics.importance.forest.tree_means import (
    decrease_of_trees,
    impurity_of,
    root_impurity,
    standard_error,
)
from silvics.importance.variables import unit_of

_MOST_FOR_PAIRS = 2_000  # variables; a matrix of their pairs takes 32 MB


def by_surrogates(request: ImportanceRequest) -> Importances:
    """Compute ``forest.importances("surrogate", X, y)``."""
    forest = request.forest
    forest._grown.require_whole_trees('kind="surrogate"')
    forest._grown.require_one_leaf_each('kind="surrogate"')
    rows = learning_set(forest, request.X, request.y, request.kind)
    target, sampling = rows.target, rows.sampling
    # For other criteria, the Gini index or the variance is used.
    usual = "gini" if forest._classification else "variance"
    known = impurity_of(forest)
    impurity = known or usual
    p = len(request.names)
    categories = forest._variables.is_categorical.tolist()
    pairs = p <= _MOST_FOR_PAIRS
    mimicry = np.zeros((p, p)) if pairs else None
    found = []
    for first, trees, seeds in rows.batches():
        of_trees, alike = _core.surrogate_importances(
            forest._grown.trees.predictor, trees, first, rows.matrix, target, seeds, sampling,
            categories, impurity, pairs, request.n_threads,
        )  # fmt: skip
        found.append(of_trees)
        if mimicry is not None:
            mimicry += alike
        request.report(first + len(trees), len(forest._grown.trees))
    per_tree = np.concatenate(found)
    if mimicry is not None:
        decrease = decrease_of_trees(forest).sum(axis=0)
        mimicry /= np.where(decrease > 0, decrease, 1.0)[:, np.newaxis]
    return Importances(
        kind="surrogate",
        names=request.names,
        replicates=per_tree,
        standard_errors=standard_error(per_tree),
        impurity=root_impurity(forest) if known else rows.impurity,
        _mimicry=mimicry,
        _unit=unit_of(impurity),
        _library=getattr(forest, "_frame_library", None),
    )
