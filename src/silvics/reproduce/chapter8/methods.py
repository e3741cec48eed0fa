"""The eight methods that chapter 8 compares, and their grids of parameters."""

from __future__ import annotations

from typing import Any

from silvics import ExtraTreesClassifier, ForestClassifier, RandomForestClassifier

METHODS = ("RF", "ET", "P-DT", "P-ET", "RS-DT", "RS-ET", "RP-DT", "RP-ET")
TREES = {"DT": "cart", "ET": "extra_trees"}
CLASSIC = {"RF": RandomForestClassifier, "ET": ExtraTreesClassifier}


def patches(tree: str, alpha_s: float, alpha_f: float, **settings: Any) -> ForestClassifier:
    """Return trees on random patches; K takes its largest value, that of all columns of a patch.

    It is the forest of ``RandomPatchesClassifier``. This class grows it without copies of the
    patches, which is faster for tables that are in memory.
    """
    return ForestClassifier(
        TREES[tree], rows="patches", columns="subspace", max_samples=alpha_s, max_columns=alpha_f,
        max_features="all", **settings,
    )  # fmt: skip


def classic(name: str, share: float, n_columns: int, **settings: Any) -> Any:
    """Return RF or ET that draw a share of the variables at every node."""
    K = max(1, round(share * n_columns))
    return CLASSIC[name](max_features=K, **settings)


def points_of(method: str, grid: tuple[float, ...]) -> list[tuple[float, float]]:
    """Return the pairs (alpha_s, alpha_f) among which a method on patches is tuned."""
    kind = method.partition("-")[0]
    return [
        (alpha_s, alpha_f)
        for alpha_s in (grid if kind in ("P", "RP") else (1.0,))
        for alpha_f in (grid if kind in ("RS", "RP") else (1.0,))
    ]
