"""The variables of several forests as those of one: kinds that agree, levels of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from silvics._tables.column_values import HEAVIER, MISSING
from silvics._tables.table import Variables

SAME = np.array([], dtype=np.int32)  # levels keep their numbers

_Column = tuple[str, np.ndarray | None, np.ndarray | None, list[np.ndarray]]


def merged_variables(
    parts: Sequence[Variables], unknown_category: str
) -> tuple[Variables, list[list[np.ndarray]]]:
    """Variables that each of these can be read by.

    Parameters
    ----------
    parts : sequence of Variables
        As many columns each.
    unknown_category : {"missing", "heavier", "error"}
        What a level is to a forest that has not seen it.

    Returns
    -------
    variables : Variables
    numbers : list of lists of ndarray
        Of each part and column: for each level, the number that it has there, or MISSING, or
        HEAVIER; nothing where all numbers stay the same.
    """
    named = [part.names for part in parts if part.names is not None]
    for names in named:
        changed = np.flatnonzero(names != named[0])
        if changed.size:
            j = int(changed[0])
            raise ValueError(
                f"Column {j} is {named[0][j]!r} in one forest and {names[j]!r} in another. Fit "
                "them on the same columns, in the same order."
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
    """Kind, levels, rare levels, and what the levels are to each part."""
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
            _raise_unlike(name, "ordered, and not in the same way in all forests")
    # A column without any value parts no samples: to trees that have seen it so, all are alike.
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
    # Of those that nobody knows, some are rare to one and unknown to others, which send them
    # elsewhere: they need a number as well.
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
    """What is in any of the parts, sorted, in a type that holds all of it exactly."""
    parts = [part for part in parts if len(part)]
    if not parts:
        return np.array([], dtype=object)
    sorts = sorted(set().union(*map(_sorts, parts)))
    if len(sorts) > 1:
        raise ValueError(
            f"Forests cannot be merged: {what} are {sorts[0]} in one and {sorts[1]} in another. "
            "Fit them on values of one type."
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
        f"Forests cannot be merged: {what} are integers beyond 2**53 in one, and numbers that do "
        "not go into the same type in another. Fit them on text instead."
    )


def places(of_all: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Where each of some values stands among all, which are sorted."""
    return np.searchsorted(of_all, _in_type(some, of_all.dtype))


def _in_type(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if dtype.kind not in "iu":
        return values.astype(dtype)
    return np.array([int(value) for value in values.tolist()], dtype=dtype)


def _sorts(values: np.ndarray) -> set[str]:
    """What sorts of values there are, in words."""
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
