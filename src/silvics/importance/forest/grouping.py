"""Names of variables, and groups of variables that have one importance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silvics.importance._types import FittedForest
from silvics.importance.variables import place_of


def names_of(forest: FittedForest) -> np.ndarray:
    """Return the names of the variables of a forest; without names, x0, x1, ..."""
    given = forest._variables.names
    if given is not None:
        return np.asarray(given, dtype=object)
    return np.array([f"x{j}" for j in range(forest.n_features_in_)], dtype=object)


def grouped(names: np.ndarray, groups: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the names of the groups, and the number of the group of each variable.

    ``groups`` maps the name of a group to its variables, given by name or index. In a list of
    lists, a group is named after its first variable. A variable that is in no group forms a group
    of its own.
    """
    if groups is None:
        return names, np.arange(len(names), dtype=np.uint32)
    if not isinstance(groups, Mapping):
        groups = {f"{_label(names, g)} ...": g for g in (list(group) for group in groups)}
    together: list[str] = []
    group_of = np.full(len(names), len(names), dtype=np.uint32)
    for name, members in groups.items():
        places = [place_of(names, member) for member in members]
        if not places:
            raise ValueError(
                f"The group {name!r} has no variables. Every group needs at least one."
            )
        taken = [names[j] for j in places if group_of[j] != len(names)]
        if taken:
            raise ValueError(f"{taken[0]!r} is listed twice, the second time in group {name!r}.")
        group_of[places] = len(together)
        together.append(str(name))
    for j in np.flatnonzero(group_of == len(names)):
        group_of[j] = len(together)
        together.append(names[j])
    return np.array(together, dtype=object), group_of


def _label(names: np.ndarray, members: list[Any]) -> str:
    if not members:
        raise ValueError("A group has no variables. Every group needs at least one.")
    return str(names[place_of(names, members[0])])
