"""Mean decrease of impurity of a forest (equation 6.2), and its decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics import _core
from silvics.importance._checks import whole_number
from silvics.importance.forest.learning_set import learning_set
from silvics.importance.forest.noise_part import noise_part
from silvics.importance.forest.oob_decrease import at_nodes
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances, parts_of
from silvics.importance.forest.sampling_error import errors_over_rows
from silvics.importance.forest.tree_means import (
    by_group,
    criterion_of,
    decrease_of_trees,
    impurity_of,
    over_stages,
    root_impurity,
    standard_error,
)
from silvics.importance.variables import unit_of


def mean_decrease(request: ImportanceRequest) -> Importances:
    """Compute ``forest.importances("mdi")``."""
    forest = request.forest
    max_degree = whole_number("max_degree", request.max_degree, 0)
    min_samples = whole_number("min_samples", request.min_samples, 0)
    per_tree = by_group(decrease_of_trees(forest, min_samples), request)
    unit = 1.0
    if request.normalize:
        whole = per_tree.mean(axis=0).sum()
        unit = 1 / whole if whole > 0 else 1.0
    replicates, of = over_stages(forest, per_tree * unit)
    details: dict[str, Any] = {}
    if request.by in ("degree", "context"):
        details = _by_degree(request, max_degree, min_samples, unit)
    elif request.by is not None:
        details = parts_of(forest, request.by, _by_output(request, min_samples) * unit)
    if request.null is not None:
        details |= noise_part(request, replicates.mean(axis=0), unit)
    over_rows = request.errors == "rows"
    return Importances(
        kind="mdi",
        names=request.names,
        replicates=replicates,
        standard_errors=(
            errors_over_rows(forest, replicates) if over_rows else standard_error(replicates)
        ),
        impurity=root_impurity(forest) * unit,
        _unit="part of all" if request.normalize else unit_of(criterion_of(forest)),
        _of=of,
        _library=getattr(forest, "_frame_library", None),
        **details,
    )


def _by_degree(
    request: ImportanceRequest, max_degree: int, min_samples: int, unit: float
) -> dict[str, Any]:
    """Return the fields of ``Importances`` by degree, and by context if it was requested."""
    trees = list(request.forest._grown.trees.native)
    most = max_degree if request.by == "context" else 0
    by_degree, variable, starts, others, weight, decrease = _core.decompose_importances(
        trees, request.group_of.tolist(), most, request.n_threads, min_samples
    )
    if request.by == "degree":
        return {"by_degree": by_degree * unit}
    contexts = {
        "variable": variable,
        "starts": starts,
        "others": others,
        "weight": weight,
        "importance": decrease * unit,
    }
    return {"by_degree": by_degree * unit, "_contexts": contexts}


def _by_output(request: ImportanceRequest, min_samples: int) -> np.ndarray:
    """Return the decreases by group and by output, or by class of all outputs."""
    forest = request.forest
    impurity = impurity_of(forest)
    if impurity == "":
        raise ValueError(
            f'by="{request.by}" can decompose the Gini index, entropy and variance, but these '
            f'trees were grown with criterion="{criterion_of(forest)}".'
        )
    # Constrained leaves do not predict the means of their rows, so the rows are needed again.
    if getattr(forest, "monotonic_cst", None) is not None:
        if impurity == "entropy":
            raise ValueError(
                f'by="{request.by}" is not available for criterion="entropy" with monotonic_cst: '
                'use criterion="gini".'
            )
        rows = learning_set(forest, request.X, request.y, "mdi", by_leaf=True)
        drawn = at_nodes(request, rows, _core.NodeMeasure.drawn, by_output=True)
        return np.asarray(drawn.mean(axis=0))
    each = [
        _core.impurity_decrease_by_output(tree, impurity, min_samples)
        for tree in forest._grown.trees.native
    ]
    return by_group(np.mean(each, axis=0).T, request).T
