"""Mean decrease of impurity from rows that the trees have not drawn: not swollen by noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from silvics import _core
from silvics.importance._checks import whole_number
from silvics.importance.learning_set import LearningSet, learning_set
from silvics.importance.over_trees import standard_error
from silvics.importance.result import Importances

if TYPE_CHECKING:
    from silvics.importance.kinds import Ask


def out_of_bag(ask: Ask) -> Importances:
    """What ``forest.importances("mdi_oob", X, y)`` gives (Li et al. 2019)."""
    return _importances(ask, _core.NodeMeasure.out_of_bag)


def cross_fitted(ask: Ask) -> Importances:
    """What ``forest.importances("ufi", X, y)`` gives (Zhou and Hooker 2021)."""
    return _importances(ask, _core.NodeMeasure.cross_fitted)


def _importances(ask: Ask, measure: _core.NodeMeasure) -> Importances:
    forest = ask.forest
    forest._require_one_leaf_each(f'kind="{ask.kind}"')
    rows = learning_set(forest, ask.X, ask.y, ask.kind, held_out=True)
    each = known_trees(at_nodes(ask, rows, measure, by_output=ask.by is not None))
    per_tree = each.sum(axis=2)
    found = Importances(
        kind=ask.kind,
        names=ask.names,
        replicates=per_tree,
        standard_errors=standard_error(per_tree),
        impurity=rows.impurity,
        _unit="Gini" if forest._classification else "variance",
        _library=getattr(forest, "_frame_library", None),
    )
    if ask.by is not None:
        found._tell_parts(forest, ask.by, each.mean(axis=0))
    return found


def known_trees(each: np.ndarray) -> np.ndarray:
    """Without trees that have held out nothing."""
    known = ~np.isnan(each[:, 0, 0])
    if not known.any():
        raise ValueError("Every tree has drawn all rows: there is none out of bag.")
    return np.asarray(each[known])


def at_nodes(
    ask: Ask, rows: LearningSet, measure: _core.NodeMeasure, by_output: bool = False
) -> np.ndarray:
    """Trees x groups x classes or outputs (or one)."""
    forest, target, sampling = ask.forest, rows.target, rows.sampling
    min_samples = whole_number("min_samples", ask.min_samples, 0)
    found = []
    for first, trees, seeds in rows.batches():
        found.append(
            _core.node_importances(
                forest._trees.walker, trees, first, rows.matrix, target, seeds, sampling, measure,
                ask.group_of.tolist(), len(ask.names), min_samples, by_output, ask.n_threads,
            )
        )  # fmt: skip
        ask.report(first + len(trees), len(forest._trees))
    return np.concatenate(found)
