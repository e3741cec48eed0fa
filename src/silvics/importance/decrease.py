"""Mean decrease of impurity of a grown forest (equation 6.2), and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from silvics import _core
from silvics._fit.parameters import n_threads
from silvics.importance.result import Importances
from silvics.importance.variables import place_of, unit_of

if TYPE_CHECKING:
    from silvics._fit.grown_forest import GrownForest

_PARTS = (None, "degree", "context")


def mean_decrease(
    forest: GrownForest,
    groups: Any,
    by: str | None,
    normalize: bool,
    max_degree: int,
    n_jobs: int | None,
) -> Importances:
    """What ``forest.importances("mdi")`` gives."""
    if by not in _PARTS:
        raise ValueError(f"by must be one of {list(_PARTS)}, got {by!r}")
    if isinstance(max_degree, bool) or not isinstance(max_degree, Integral) or int(max_degree) < 0:
        raise ValueError(f"max_degree must be a whole number, not negative; got {max_degree!r}")
    trees = forest._trees.native
    names, group_of = grouped(names_of(forest), groups)
    each = np.array([tree.impurity_decrease(False) for tree in trees])
    per_tree = np.zeros((len(trees), len(names)))
    np.add.at(per_tree.T, group_of, each.T)
    impurity = float(np.mean([tree.impurity()[0] for tree in trees]))
    unit = 1.0
    if normalize:
        whole = per_tree.mean(axis=0).sum()
        unit = 1 / whole if whole > 0 else 1.0
    found = Importances(
        kind="mdi",
        names=names,
        replicates=per_tree * unit,
        standard_errors=standard_error(per_tree * unit),
        impurity=impurity * unit,
        _unit="part of all" if normalize else unit_of(str(getattr(forest, "criterion", ""))),
        _library=getattr(forest, "_frame_library", None),
    )
    if by is not None:
        most = int(max_degree) if by == "context" else 0
        by_degree, variable, starts, others, weight, decrease = _core.decompose_importances(
            list(trees), group_of.tolist(), most, n_threads(forest._jobs(n_jobs))
        )
        found.by_degree = by_degree * unit
        if by == "context":
            found._contexts = {
                "variable": variable,
                "starts": starts,
                "others": others,
                "weight": weight,
                "importance": decrease * unit,
            }
    return found


def standard_error(each: np.ndarray) -> Any:
    """Of the mean over the first axis; that of one is not known."""
    if len(each) < 2:
        return np.full(each.shape[1:], np.nan)
    scale = np.abs(each).max(initial=0.0) or 1.0  # squares of very large ones would overflow
    return (each / scale).std(axis=0, ddof=1) * scale / np.sqrt(len(each))


def names_of(forest: GrownForest) -> np.ndarray:
    """Names of the variables of a forest: the user's, or x0, x1, ..."""
    given = forest._variables.names
    if given is not None:
        return np.asarray(given, dtype=object)
    return np.array([f"x{j}" for j in range(forest.n_features_in_)], dtype=object)


def grouped(names: np.ndarray, groups: Any) -> tuple[np.ndarray, np.ndarray]:
    """Names of what is told of, and the number there of each variable.

    ``groups`` maps a name to the variables, by name or place, that are to be one; a list of lists
    names each after its first variable. Other variables stay by themselves.
    """
    if groups is None:
        return names, np.arange(len(names), dtype=np.uint32)
    if not isinstance(groups, Mapping):
        groups = {f"{_label(names, g)} ...": g for g in (list(group) for group in groups)}
    told: list[str] = []
    group_of = np.full(len(names), len(names), dtype=np.uint32)
    for name, members in groups.items():
        places = [place_of(names, member) for member in members]
        if not places:
            raise ValueError(f"The group {name!r} has no variable.")
        taken = [names[j] for j in places if group_of[j] != len(names)]
        if taken:
            raise ValueError(f"{taken[0]!r} is in two groups, or twice in one: {name!r}.")
        group_of[places] = len(told)
        told.append(str(name))
    for j in np.flatnonzero(group_of == len(names)):
        group_of[j] = len(told)
        told.append(names[j])
    return np.array(told, dtype=object), group_of


def _label(names: np.ndarray, members: list[Any]) -> str:
    if not members:
        raise ValueError("A group has no variable.")
    return str(names[place_of(names, members[0])])
