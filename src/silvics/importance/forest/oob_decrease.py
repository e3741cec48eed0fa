"""Mean decrease of impurity on out-of-bag rows, which noise does not inflate."""

from __future__ import annotations

import numpy as np

from silvics import _core
from silvics.importance._checks import whole_number
from silvics.importance._types import FittedForest
from silvics.importance.forest.learning_set import LearningSet, learning_set
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances, parts_of
from silvics.importance.forest.tree_means import criterion_of, standard_error


def out_of_bag(request: ImportanceRequest) -> Importances:
    """Compute ``forest.importances("mdi_oob", X, y)`` (Li et al. 2019)."""
    return _importances(request, _core.NodeMeasure.out_of_bag)


def cross_fitted(request: ImportanceRequest) -> Importances:
    """Compute ``forest.importances("ufi", X, y)`` (Zhou and Hooker 2021)."""
    return _importances(request, _core.NodeMeasure.cross_fitted)


def _importances(request: ImportanceRequest, measure: _core.NodeMeasure) -> Importances:
    forest = request.forest
    forest._grown.require_whole_trees(f'kind="{request.kind}"')
    forest._grown.require_one_leaf_each(f'kind="{request.kind}"')
    if request.rows == "held_out":
        _check_means(forest, request.kind)
    rows = learning_set(
        forest, request.X, request.y, request.kind, unseen=True, rows=request.rows, by_leaf=True
    )
    each = known_trees(
        at_nodes(request, rows, measure, by_output=request.by is not None), rows.n_rows
    )
    per_tree = each.sum(axis=2)
    parts = parts_of(forest, request.by, each.mean(axis=0)) if request.by is not None else {}
    return Importances(
        kind=request.kind,
        names=request.names,
        replicates=per_tree,
        standard_errors=standard_error(per_tree),
        impurity=rows.impurity,
        _unit="Gini" if forest._classification else "variance",
        _library=getattr(forest, "_frame_library", None),
        **parts,
    )


def _check_means(forest: FittedForest, kind: str) -> None:
    """Check that nodes store means of Y, which are needed if the rows of fit are not given."""
    criterion = criterion_of(forest)
    constrained = getattr(forest, "monotonic_cst", None) is not None
    if criterion == "absolute_error" or constrained:
        why = "monotonic_cst" if constrained else f'criterion="{criterion}"'
        raise ValueError(
            f'kind="{kind}" with rows="held_out" uses the means of Y stored at the nodes, but '
            f'trees with {why} store other values: pass the rows of fit with rows="oob", or use '
            'kind="mda".'
        )


def known_trees(each: np.ndarray, n_rows: int) -> np.ndarray:
    """Drop the trees that have no out-of-bag rows."""
    known = ~np.isnan(each[:, 0, 0])
    if not known.any():
        raise ValueError(
            f"Every tree has drawn all rows (n_samples={n_rows}): no row is out of bag."
        )
    return np.asarray(each[known])


def at_nodes(
    request: ImportanceRequest,
    rows: LearningSet,
    measure: _core.NodeMeasure,
    by_output: bool = False,
) -> np.ndarray:
    """Compute a measure by tree, group, and class or output (one column without ``by_output``)."""
    forest, target, sampling = request.forest, rows.target, rows.sampling
    min_samples = whole_number("min_samples", request.min_samples, 0)
    found = []
    for first, trees, seeds in rows.batches():
        found.append(
            _core.node_importances(
                forest._grown.trees.predictor, trees, first, rows.rows, target, seeds, sampling,
                measure, request.group_of.tolist(), len(request.names), min_samples, by_output,
                request.n_threads,
            )
        )  # fmt: skip
        request.report(first + len(trees), len(forest._grown.trees))
    return np.concatenate(found)
