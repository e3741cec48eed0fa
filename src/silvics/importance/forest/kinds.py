"""The kinds of importances of a forest, each with the parameters that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """The parameters that a kind takes, and the decompositions that it supports."""

    takes: frozenset[str]
    by: tuple[str, ...] = ()


ALIASES = {"permutation": "mda"}

_PARTS = ("class", "output")
_EACH = {"forest", "kind", "feature_groups", "n_jobs", "random_state"}
_ROWS = _EACH | {"X", "y", "progress"}
_UNSEEN = _ROWS | {"rows"}  # kinds that need rows that the trees have not drawn
_NODES = {"min_samples"}
_REPEATED = {"n_repeats"}


def _kind(takes: set[str], *by: str) -> Kind:
    return Kind(frozenset(takes | ({"by"} if by else set())), by)


KINDS = {
    "mdi": _kind(
        _ROWS | _NODES | _REPEATED | {"normalize", "max_degree", "null", "errors", "sample_weight"},
        "degree", "context", *_PARTS,
    ),
    "mda": _kind(_UNSEEN | _REPEATED | {"loss"}, *_PARTS),
    "mda_tree": _kind(_UNSEEN | _REPEATED | {"loss"}, *_PARTS),
    "conditional": _kind(
        _UNSEEN | _REPEATED | _NODES | {"loss", "min_correlation"}, *_PARTS
    ),
    "surrogate": _kind(_ROWS - {"feature_groups"}),
    "mdi_oob": _kind(_UNSEEN | _NODES, *_PARTS),
    "ufi": _kind(_UNSEEN | _NODES, *_PARTS),
    "air": _kind(_ROWS | _REPEATED | {"sample_weight"}),
    "local": _kind(_ROWS - {"y"}),
}  # fmt: skip


def arguments_of(kind: str, X: Any, y: Any, seed: int, sample_weight: Any) -> dict[str, Any]:
    """Return the arguments that a kind takes. ``importances`` rejects unknown kinds."""
    known = KINDS.get(ALIASES.get(kind, kind))
    if known is None or kind == "mdi":
        return {}
    given = {"X": X, "y": y, "random_state": seed, "sample_weight": sample_weight}
    return {name: value for name, value in given.items() if name in known.takes}
