"""Mean decrease of impurity of a grown forest (equation 6.2), and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from silvics import _core
from silvics.importance import noise
from silvics.importance._checks import whole_number
from silvics.importance.over_trees import (
    by_group,
    criterion_of,
    decrease_of_trees,
    root_impurity,
    standard_error,
)
from silvics.importance.result import Importances
from silvics.importance.variables import CRITERIA, unit_of

if TYPE_CHECKING:
    from silvics._fit.grown_forest import GrownForest
    from silvics.importance.kinds import Ask


def mean_decrease(ask: Ask) -> Importances:
    """What ``forest.importances("mdi")`` gives."""
    forest = ask.forest
    max_degree = whole_number("max_degree", ask.max_degree, 0)
    min_samples = whole_number("min_samples", ask.min_samples, 0)
    trees = forest._trees.native
    per_tree = by_group(decrease_of_trees(forest, min_samples), ask)
    unit = 1.0
    if ask.normalize:
        whole = per_tree.mean(axis=0).sum()
        unit = 1 / whole if whole > 0 else 1.0
    found = Importances(
        kind="mdi",
        names=ask.names,
        replicates=per_tree * unit,
        standard_errors=standard_error(per_tree * unit),
        impurity=root_impurity(forest) * unit,
        _unit="part of all" if ask.normalize else unit_of(criterion_of(forest)),
        _library=getattr(forest, "_frame_library", None),
    )
    if ask.by in ("degree", "context"):
        most = max_degree if ask.by == "context" else 0
        by_degree, variable, starts, others, weight, decrease = _core.decompose_importances(
            list(trees), ask.group_of.tolist(), most, ask.n_threads, min_samples
        )
        found.by_degree = by_degree * unit
        if ask.by == "context":
            found._contexts = {
                "variable": variable,
                "starts": starts,
                "others": others,
                "weight": weight,
                "importance": decrease * unit,
            }
    elif ask.by is not None:
        parts = np.mean(by_output_of(forest, ask.by, min_samples), axis=0)
        found._tell_parts(forest, ask.by, by_group(parts.T, ask).T * unit)
    if ask.null is not None:
        noise.tell_noise(ask, found, unit)
    return found


def by_output_of(forest: GrownForest, by: str, min_samples: int = 0) -> np.ndarray:
    """Trees x variables x classes of all outputs, or outputs."""
    impurity = CRITERIA.get(criterion_of(forest), "")
    if impurity not in ("gini", "entropy", "variance"):
        raise ValueError(
            f'by="{by}" takes an impurity apart that is a sum over classes, or over outputs: of '
            f'criterion="{criterion_of(forest)}" that is not so.'
        )
    return np.array(
        [
            _core.impurity_decrease_by_output(tree, impurity, min_samples)
            for tree in forest._trees.native
        ]
    )
