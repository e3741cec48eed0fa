"""Check a request to ``forest.importances`` and call the function of its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from silvics._names import did_you_mean, one_of
from silvics.importance.forest import (
    impurity_decrease,
    local,
    oob_decrease,
    permutation,
    surrogates,
)
from silvics.importance.forest.kinds import ALIASES, KINDS
from silvics.importance.forest.request import ImportanceRequest
from silvics.importance.forest.result import Importances
from silvics.importance.forest.shadows import actual_impurity_reduction


def _shadow_corrected(request: ImportanceRequest) -> Importances:
    if request.X is None or request.y is None:
        raise ValueError('kind="air" needs the X and y that the forest was fitted on.')
    return actual_impurity_reduction(
        request.forest,
        request.X,
        request.y,
        feature_groups=request.feature_groups,
        sample_weight=request.sample_weight,
        n_repeats=1 if request.n_repeats is None else request.n_repeats,
        random_state=request.random_state,
        n_jobs=request.n_jobs,
        progress=request.progress,
    )


_COMPUTE: dict[str, Callable[[ImportanceRequest], Importances]] = {
    "mdi": impurity_decrease.mean_decrease,
    "mda": permutation.of_forest,
    "mda_tree": permutation.of_trees,
    "conditional": permutation.of_trees,
    "surrogate": surrogates.by_surrogates,
    "mdi_oob": oob_decrease.out_of_bag,
    "ufi": oob_decrease.cross_fitted,
    "air": _shadow_corrected,
    "local": local.of_rows,
}


def importances(request: ImportanceRequest) -> Importances:
    """Compute the importances that ``forest.importances`` returns."""
    one_of("kind", request.kind, [*KINDS, *ALIASES])
    one_of("rows", request.rows, ["oob", "held_out"])
    one_of("errors", request.errors, ["trees", "rows"])
    request = replace(request, kind=ALIASES.get(request.kind, request.kind))
    kind = KINDS[request.kind]
    for parameter in fields(ImportanceRequest):
        name = parameter.name
        if name in kind.takes or _as_by_default(name, getattr(request, name)):
            continue
        of = [other for other, row in KINDS.items() if name in row.takes]
        raise ValueError(f'{name}= is not used by kind="{request.kind}", only by {of}.')
    if request.by is not None and request.by not in kind.by:
        raise ValueError(
            f'by= of kind="{request.kind}" must be None or one of {list(kind.by)}, got '
            f"{request.by!r}.{did_you_mean(request.by, kind.by)}"
        )
    if request.random_state is None:  # so that repeated calls agree
        request = replace(request, random_state=request.forest._grown.seed or 0)
    return _COMPUTE[request.kind](request)


def _as_by_default(name: str, value: Any) -> bool:
    defaults = {
        "rows": "oob",
        "normalize": False,
        "max_degree": 3,
        "min_samples": 0,
        "min_correlation": 0.2,
        "errors": "trees",
    }
    if name in defaults:
        return type(value) is type(defaults[name]) and bool(value == defaults[name])
    return value is None
