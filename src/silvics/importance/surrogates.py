"""Importances by surrogate splits (equation 6.1): what a variable would do in another's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from silvics import _core
from silvics.importance.learning_set import learning_set
from silvics.importance.over_trees import (
    decrease_of_trees,
    impurity_of,
    root_impurity,
    standard_error,
)
from silvics.importance.result import Importances
from silvics.importance.variables import unit_of

if TYPE_CHECKING:
    from silvics.importance.kinds import Ask

_MOST_FOR_PAIRS = 2_000  # variables: their squares are 32 MB


def by_surrogates(ask: Ask) -> Importances:
    """What ``forest.importances("surrogate", X, y)`` gives."""
    forest = ask.forest
    forest._require_one_leaf_each('kind="surrogate"')
    rows = learning_set(forest, ask.X, ask.y, ask.kind)
    target, sampling = rows.target, rows.sampling
    # Forests of other criteria are told of in Gini's index, or the variance.
    usual = "gini" if forest._classification else "variance"
    known = impurity_of(forest)
    impurity = known or usual
    p = len(ask.names)
    categories = forest._variables.is_categorical.tolist()
    pairs = p <= _MOST_FOR_PAIRS
    mimicry = np.zeros((p, p)) if pairs else None
    found = []
    for first, trees, seeds in rows.batches():
        of_trees, alike = _core.surrogate_importances(
            forest._trees.predictor, trees, first, rows.matrix, target, seeds, sampling, categories,
            impurity, pairs, ask.n_threads,
        )  # fmt: skip
        found.append(of_trees)
        if mimicry is not None:
            mimicry += alike
        ask.report(first + len(trees), len(forest._trees))
    per_tree = np.concatenate(found)
    if mimicry is not None:
        decrease = decrease_of_trees(forest).sum(axis=0)
        mimicry /= np.where(decrease > 0, decrease, 1.0)[:, np.newaxis]
    return Importances(
        kind="surrogate",
        names=ask.names,
        replicates=per_tree,
        standard_errors=standard_error(per_tree),
        impurity=root_impurity(forest) if known else rows.impurity,
        _mimicry=mimicry,
        _unit=unit_of(impurity),
        _library=getattr(forest, "_frame_library", None),
    )
