"""Local importances: decreases of impurity on the path of each row (Sutera et al. 2021)."""

from __future__ import annotations

import numpy as np

from silvics import _core
from silvics.importance.forest.learning_set import batches_of
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances
from silvics.importance.forest.tree_means import criterion_of, root_impurity, standard_error
from silvics.importance.variables import unit_of


def of_rows(request: ImportanceRequest) -> Importances:
    """Compute ``forest.importances("local", X)``."""
    forest = request.forest
    if request.X is None:
        raise ValueError('kind="local" needs X: pass any rows, not necessarily those of fit.')
    matrix = forest._checked(request.X)
    forest._grown.require_one_leaf_each('kind="local"')
    n_rows, n_trees = matrix.shape[0], len(forest._grown.trees)
    sums = np.zeros((n_rows, len(request.names)))
    for first, trees in batches_of(forest, n_rows):
        _core.add_local_importances(
            forest._grown.trees.predictor,
            trees,
            first,
            matrix,
            request.group_of.tolist(),
            sums,
            request.n_threads,
        )
        request.report(first + len(trees), n_trees)
    sums /= n_trees
    return Importances(
        kind="local",
        names=request.names,
        replicates=sums,
        standard_errors=standard_error(sums),
        impurity=root_impurity(forest),
        _unit=unit_of(criterion_of(forest)),
        _of="rows",
        _library=getattr(forest, "_frame_library", None),
    )
