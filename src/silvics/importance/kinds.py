"""The kinds of importances of a forest: one row each, and what each can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from silvics.importance._checks import threads
from silvics.importance.grouping import grouped, names_of

if TYPE_CHECKING:
    from silvics._fit.grown_forest import GrownForest
    from silvics.importance.result import Importances

Progress = Callable[[int, int], object] | None


@dataclass(frozen=True)
class Ask:
    """What ``forest.importances`` was asked; the names are those of its parameters."""

    forest: GrownForest
    kind: str
    X: Any
    y: Any
    groups: Any
    by: str | None
    normalize: bool
    max_degree: int
    min_samples: int
    null: str | None
    n_repeats: int | None
    loss: Any
    sample_weight: Any
    random_state: Any
    n_jobs: int | None
    progress: Progress

    @cached_property
    def _grouping(self) -> tuple[np.ndarray, np.ndarray]:
        return grouped(names_of(self.forest), self.groups)

    @property
    def names(self) -> np.ndarray:
        """Of the variables, or groups, that are told of."""
        return self._grouping[0]

    @property
    def group_of(self) -> np.ndarray:
        """The number there of each variable."""
        return self._grouping[1]

    @cached_property
    def n_threads(self) -> int:
        return threads(self.forest._jobs(self.n_jobs))

    def report(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(done, total)


@dataclass(frozen=True)
class Kind:
    """How a kind is found, and which parameters mean something to it."""

    find: Callable[[Ask], Importances]
    takes: frozenset[str]
    by: tuple[str, ...] = ()


_PARTS = ("class", "output")
_EACH = {"forest", "kind", "groups", "n_jobs"}
_ROWS = _EACH | {"X", "y", "progress"}


def _shadow_corrected(ask: Ask) -> Importances:
    from silvics.importance.shadows import actual_impurity_reduction

    if ask.X is None or ask.y is None:
        raise ValueError('kind="air" needs the X and y that the forest was fitted on.')
    return actual_impurity_reduction(
        ask.forest,
        ask.X,
        ask.y,
        groups=ask.groups,
        sample_weight=ask.sample_weight,
        n_repeats=1 if ask.n_repeats is None else ask.n_repeats,
        random_state=ask.random_state,
        n_jobs=ask.n_jobs,
        progress=ask.progress,
    )


def _catalogue() -> dict[str, Kind]:
    from silvics.importance import decrease, held_out, local, permutation, surrogates

    def kind(find: Callable[[Ask], Importances], takes: set[str], *by: str) -> Kind:
        return Kind(find, frozenset(takes | ({"by"} if by else set())), by)

    nodes = {"min_samples"}
    repeated = {"n_repeats", "random_state"}
    return {
        "mdi": kind(
            decrease.mean_decrease,
            _ROWS | nodes | repeated
            | {"normalize", "max_degree", "null", "sample_weight"},
            "degree", "context", *_PARTS,
        ),
        "mda": kind(permutation.of_forest, _ROWS | repeated | {"loss"}, *_PARTS),
        "mda_tree": kind(permutation.of_trees, _ROWS | repeated | {"loss"}, *_PARTS),
        "surrogate": kind(surrogates.by_surrogates, _ROWS - {"groups"}),
        "mdi_oob": kind(held_out.out_of_bag, _ROWS | nodes, *_PARTS),
        "ufi": kind(held_out.cross_fitted, _ROWS | nodes, *_PARTS),
        "air": kind(_shadow_corrected, _ROWS | repeated | {"sample_weight"}),
        "local": kind(local.of_rows, _ROWS - {"y"}),
    }  # fmt: skip


def importances(ask: Ask) -> Importances:
    """What the forest's method gives."""
    kinds = _catalogue()
    if not isinstance(ask.kind, str) or ask.kind not in kinds:
        raise ValueError(f"kind must be one of {list(kinds)}, got {ask.kind!r}")
    kind = kinds[ask.kind]
    for parameter in fields(Ask):
        name = parameter.name
        if name in kind.takes or _as_by_default(name, getattr(ask, name)):
            continue
        of = [other for other, row in kinds.items() if name in row.takes]
        raise ValueError(f'{name}= means nothing to kind="{ask.kind}": it is of {of} only.')
    if ask.by is not None and ask.by not in kind.by:
        raise ValueError(
            f'by= of kind="{ask.kind}" must be None or one of {list(kind.by)}, got {ask.by!r}'
        )
    return kind.find(ask)


def arguments_of(kind: str, X: Any, y: Any, seed: int, sample_weight: Any) -> dict[str, Any]:
    """Of all that can be told to any kind, what this one takes; an unknown one says so itself."""
    known = _catalogue().get(kind)
    if known is None or kind == "mdi":
        return {}
    told = {"X": X, "y": y, "random_state": seed, "sample_weight": sample_weight}
    return {name: value for name, value in told.items() if name in known.takes}


def _as_by_default(name: str, value: Any) -> bool:
    defaults = {"normalize": False, "max_degree": 3, "min_samples": 0}
    if name in defaults:
        return type(value) is type(defaults[name]) and bool(value == defaults[name])
    return value is None
