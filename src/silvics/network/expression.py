"""The expression table: its columns that are regulators or targets, from memory or from a scan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._frames import library_of
from silvics._names import did_you_mean
from silvics._sources.named import given_names
from silvics._sources.reading import read_columns
from silvics._sources.scanning import Scan
from silvics._tables import inputs, table
from silvics._tables.table import Blocks, Variables
from silvics.network.targets import names_of


@dataclass(frozen=True, eq=False)
class Expression:
    """The table of an inference.

    Attributes
    ----------
    variables : Variables
        Description of the columns.
    X : Blocks
        The table.
    names : ndarray of str objects
        The names of the columns.
    regulators, targets : ndarray of int
        The numbers of the columns that are regulators, and targets.
    library : str or None
        The data frame library of the user.
    """

    variables: Variables
    X: Blocks
    names: np.ndarray
    regulators: np.ndarray
    targets: np.ndarray
    library: str | None


def open_expression(
    expression: Any, feature_names: Any, regulators: Any, targets: Any
) -> Expression:
    """Read the table, and find the columns that the user has chosen."""
    if isinstance(expression, Scan):
        return _scanned(expression, feature_names, regulators, targets)
    variables, X = _learned(inputs.named(expression, feature_names))
    names = names_of(variables)
    return Expression(
        variables, X, names, chosen_columns("regulators", regulators, names),
        chosen_columns("targets", targets, names), library_of(expression),
    )  # fmt: skip


def _scanned(scan: Scan, feature_names: Any, regulators: Any, targets: Any) -> Expression:
    """Read only the columns that are needed, in one pass."""
    names = _names_of_scan(scan, feature_names)
    of_regulators = chosen_columns("regulators", regulators, names)
    of_targets = chosen_columns("targets", targets, names)
    wanted = np.union1d(of_regulators, of_targets)
    variables, X = _learned(read_columns(scan, [scan.columns[j] for j in wanted]))
    return Expression(
        variables, X, names[wanted], np.searchsorted(wanted, of_regulators),
        np.searchsorted(wanted, of_targets), scan.source.library,
    )  # fmt: skip


def _names_of_scan(scan: Scan, feature_names: Any) -> np.ndarray:
    if feature_names is None:
        of_array = scan.source.columns is None
        return np.array([f"x{j}" if of_array else str(j) for j in scan.columns], dtype=object)
    return np.array(given_names(scan, feature_names), dtype=object)


def _learned(X: Any) -> tuple[Variables, Blocks]:
    return table.learn(X, estimator_name="genie3")


def chosen_columns(parameter: str, chosen: Any, names: np.ndarray) -> np.ndarray:
    """Return the numbers of the columns that the user has given by name or number; None is all."""
    n = len(names)
    if chosen is None:
        return np.arange(n)
    if isinstance(chosen, str):
        raise TypeError(f"{parameter} must be a list of columns, got the string {chosen!r}.")
    given = np.asarray(chosen, dtype=object).ravel().tolist()
    if not given:
        raise ValueError(f"{parameter} is empty: name at least one column.")
    place = {name: j for j, name in enumerate(names.tolist())}
    columns = []
    for one in given:
        if isinstance(one, str):
            if one not in place:
                raise ValueError(
                    f"{parameter} has {one!r}, which is not a column of the table."
                    f"{did_you_mean(one, place)}"
                )
            columns.append(place[one])
        elif isinstance(one, int | np.integer) and not isinstance(one, bool):
            if not 0 <= one < n:
                raise ValueError(f"{parameter} has column {one}, but the table has {n} columns.")
            columns.append(int(one))
        else:
            raise TypeError(f"{parameter} must have names or numbers of columns, got {one!r}.")
    if len(set(columns)) < len(columns):
        twice = next(j for j in columns if columns.count(j) > 1)
        raise ValueError(f"{parameter} has column {names[twice]!r} more than once.")
    return np.array(columns)
