"""The kinds of importances of a forest: one row each, and what each can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from silvics._names import did_you_mean, one_of
from silvics.importance._checks import threads
from silvics.importance.grouping import grouped, names_of

if TYPE_CHECKING:
    from silvics._estimators.fitted_forest import GrownForest
    from silvics.importance.result import Importances

Progress = Callable[[int, int], object] | None


@dataclass(frozen=True)
class Ask:
    """What ``forest.importances`` was asked; the names are those of its parameters."""

    forest: GrownForest
    kind: str
    X: Any
    y: Any
    feature_groups: Any
    rows: str
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
        return grouped(names_of(self.forest), self.feature_groups)

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
_ALIASES = {"permutation": "mda"}
_EACH = {"forest", "kind", "feature_groups", "n_jobs", "random_state"}
_ROWS = _EACH | {"X", "y", "progress"}


def _shadow_corrected(ask: Ask) -> Importances:
    from silvics.importance.shadows import actual_impurity_reduction

    if ask.X is None or ask.y is None:
        raise ValueError('kind="air" needs the X and y that the forest was fitted on.')
    return actual_impurity_reduction(
        ask.forest,
        ask.X,
        ask.y,
        feature_groups=ask.feature_groups,
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
    repeated = {"n_repeats"}
    unseen = _ROWS | {"rows"}  # of rows that trees have not drawn
    return {
        "mdi": kind(
            decrease.mean_decrease,
            _ROWS | nodes | repeated
            | {"normalize", "max_degree", "null", "sample_weight"},
            "degree", "context", *_PARTS,
        ),
        "mda": kind(permutation.of_forest, unseen | repeated | {"loss"}, *_PARTS),
        "mda_tree": kind(permutation.of_trees, unseen | repeated | {"loss"}, *_PARTS),
        "surrogate": kind(surrogates.by_surrogates, _ROWS - {"feature_groups"}),
        "mdi_oob": kind(held_out.out_of_bag, unseen | nodes, *_PARTS),
        "ufi": kind(held_out.cross_fitted, unseen | nodes, *_PARTS),
        "air": kind(_shadow_corrected, _ROWS | repeated | {"sample_weight"}),
        "local": kind(local.of_rows, _ROWS - {"y"}),
    }  # fmt: skip


def importances(ask: Ask) -> Importances:
    """What the forest's method gives."""
    kinds = _catalogue()
    one_of("kind", ask.kind, [*kinds, *_ALIASES])
    one_of("rows", ask.rows, ["oob", "held_out"])
    ask = replace(ask, kind=_ALIASES.get(ask.kind, ask.kind))
    kind = kinds[ask.kind]
    for parameter in fields(Ask):
        name = parameter.name
        if name in kind.takes or _as_by_default(name, getattr(ask, name)):
            continue
        of = [other for other, row in kinds.items() if name in row.takes]
        raise ValueError(f'{name}= means nothing to kind="{ask.kind}": it is of {of} only.')
    if ask.by is not None and ask.by not in kind.by:
        raise ValueError(
            f'by= of kind="{ask.kind}" must be None or one of {list(kind.by)}, got {ask.by!r}.'
            f"{did_you_mean(ask.by, kind.by)}"
        )
    if ask.random_state is None:  # two calls agree
        ask = replace(ask, random_state=ask.forest._seed or 0)
    return kind.find(ask)


def arguments_of(kind: str, X: Any, y: Any, seed: int, sample_weight: Any) -> dict[str, Any]:
    """Of all that can be told to any kind, what this one takes; an unknown one says so itself."""
    known = _catalogue().get(_ALIASES.get(kind, kind))
    if known is None or kind == "mdi":
        return {}
    given = {"X": X, "y": y, "random_state": seed, "sample_weight": sample_weight}
    return {name: value for name, value in given.items() if name in known.takes}


def _as_by_default(name: str, value: Any) -> bool:
    defaults = {"rows": "oob", "normalize": False, "max_degree": 3, "min_samples": 0}
    if name in defaults:
        return type(value) is type(defaults[name]) and bool(value == defaults[name])
    return value is None
