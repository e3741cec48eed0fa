"""The variables of merged forests: kinds that agree, and the union of all levels."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from silvics._tables.column_values import HEAVIER, MISSING
from silvics._tables.table import Variables

SAME = np.array([], dtype=np.int32)  # levels keep their codes

_Column = tuple[str, np.ndarray | None, np.ndarray | None, list[np.ndarray]]


def merged_variables(
    parts: Sequence[Variables], unknown_category: str
) -> tuple[Variables, list[list[np.ndarray]]]:
    """Merge the variables of several forests.

    Parameters
    ----------
    parts : sequence of Variables
        The variables of each forest, with the same number of columns.
    unknown_category : {"missing", "heavier", "error"}
        How a forest treats levels that it has not seen.

    Returns
    -------
    variables : Variables
        The merged variables.
    numbers : list of lists of ndarray
        For each part and column, the code in the part of each merged level, or MISSING or HEAVIER.
        The array is empty if all codes stay the same.
    """
    named = [part.names for part in parts if part.names is not None]
    for names in named:
        changed = np.flatnonzero(names != named[0])
        if changed.size:
            j = int(changed[0])
            raise ValueError(
                f"Forests cannot be merged: column {j} is {named[0][j]!r} in one forest and "
                f"{names[j]!r} in another. Fit them on the same columns, in the same order."
            )
    whole = Variables(named[0] if named else None, (), (), ())
    columns = [
        _merged_column(parts, j, label(whole, j), unknown_category)
        for j in range(len(parts[0].kinds))
    ]
    kinds, levels, rare, numbers = zip(*columns, strict=True)
    whole = Variables(whole.names, kinds, levels, rare)
    return whole, [list(of_part) for of_part in zip(*numbers, strict=True)]


def label(variables: Variables, j: int) -> str:
    return f"column {j if variables.names is None else variables.names[j]!r}"


def _merged_column(parts: Sequence[Variables], j: int, name: str, unknown: str) -> _Column:
    """Return the kind, levels, rare levels, and the codes of the levels in each part."""
    with_values = [part for part in parts if part.kinds[j] != "nothing"]
    kinds = list(dict.fromkeys(part.kinds[j] for part in with_values))
    if len(kinds) > 1:
        _raise_unlike(name, f"a {kinds[0]} in one forest and a {kinds[1]} in another")
    if kinds == ["category"]:
        return _merged_category(parts, j, name, unknown)
    orders = [part.levels[j] for part in with_values]
    if kinds == ["ordered"]:
        known = [order.tolist() for order in orders if order is not None]
        if any(order != known[0] for order in known):
            _raise_unlike(name, "ordered, but its order is not the same in all forests")
    # Trees grown on a column without values have no splits on it, so any kind is compatible.
    kind, order = (kinds[0], orders[0]) if kinds else ("nothing", None)
    return kind, order, None, [SAME] * len(parts)


def _raise_unlike(name: str, what: str) -> NoReturn:
    raise ValueError(
        f"Forests cannot be merged: {name} is {what}. Fit them on columns of the same types, with "
        "the same categorical_features."
    )


def _merged_category(parts: Sequence[Variables], j: int, name: str, unknown: str) -> _Column:
    seen = [(part.levels[j], part.rare[j]) for part in parts if part.kinds[j] == "category"]
    every = union([levels for both in seen for levels in both if levels is not None],
                  f"Levels of {name}")  # fmt: skip
    strange = HEAVIER if unknown == "heavier" else MISSING
    numbers = np.full((len(parts), len(every)), MISSING, dtype=np.int32)
    for row, part in zip(numbers, parts, strict=True):
        levels, rare = part.levels[j], part.rare[j]
        if levels is not None and rare is not None:
            row[:] = strange
            row[places(every, rare)] = MISSING
            row[places(every, levels)] = np.arange(len(levels))
    # A rare level of one forest needs a code if other forests, which have not seen it, send it
    # elsewhere than missing values.
    known = (numbers != MISSING).any(axis=0)
    numbers = numbers[:, known]
    same = np.arange(numbers.shape[1])
    numbering = [
        SAME if part.kinds[j] == "nothing" or np.array_equal(row, same) else row
        for part, row in zip(parts, numbers, strict=True)
    ]
    return "category", every[known], every[~known], numbering


# ---- values of several forests


def union(parts: Sequence[np.ndarray], what: str) -> np.ndarray:
    """Return the sorted union of the parts, in a type that represents all values exactly."""
    parts = [part for part in parts if len(part)]
    if not parts:
        return np.array([], dtype=object)
    sorts = sorted(set().union(*map(_sorts, parts)))
    if len(sorts) > 1:
        raise ValueError(
            f"Forests cannot be merged: {what} are {sorts[0]} in one forest and {sorts[1]} in "
            "another. Fit them on values of the same type."
        )
    values = set().union(*(part.tolist() for part in parts))
    for dtype in (np.result_type(*parts), np.dtype(np.int64), np.dtype(np.uint64)):
        try:
            found = np.unique(np.concatenate([_in_type(part, dtype) for part in parts]))
        except OverflowError:
            continue
        if set(found.tolist()) == values:
            return found
    raise ValueError(
        f"Forests cannot be merged: {what} are integers beyond 2**53 in one forest and numbers "
        "that need another type in another. Convert the values to text before fit."
    )


def places(of_all: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return the positions of some values among all values, which are sorted."""
    return np.searchsorted(of_all, _in_type(some, of_all.dtype))


def _in_type(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if dtype.kind not in "iu":
        return values.astype(dtype)
    return np.array([int(value) for value in values.tolist()], dtype=dtype)


def _sorts(values: np.ndarray) -> set[str]:
    """Return the names of the types of values, for errors."""
    if values.dtype.kind != "O":
        known = {"b": "booleans", "U": "text", "S": "bytes", "M": "dates", "m": "durations"}
        return {known.get(values.dtype.kind, "numbers")}
    return {_sort(kind) for kind in set(map(type, values.tolist()))}


def _sort(kind: type[Any]) -> str:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "booleans"
    return "numbers" if issubclass(kind, Real) else kind.__name__
