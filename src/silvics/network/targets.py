"""The variables of an expression table: regulators as a table, targets as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silvics._tables.column_values import some
from silvics._tables.parts import part_of
from silvics._tables.table import Blocks, Variables


def names_of(variables: Variables) -> np.ndarray:
    """Return the names of the columns, or x0, x1, ... if they have none."""
    if variables.names is not None:
        return np.array([str(name) for name in variables.names], dtype=object)
    return np.array([f"x{j}" for j in range(len(variables.kinds))], dtype=object)


@dataclass(frozen=True, eq=False)
class Targets:
    """The columns that are predicted.

    Attributes
    ----------
    X : Blocks
        The table of the targets alone.
    names : ndarray of str objects
        Their names.
    own : ndarray of int
        The place of each target among the regulators; -1 if it is not one of them.
    """

    X: Blocks
    names: np.ndarray
    own: np.ndarray

    def values(self, some_targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of some targets, a row for each, and their variances.

        Each target is multiplied by a power of two, so that its square does not overflow.
        """
        part = part_of(self.X, some_targets)
        columns = part.blocks if part.sparse is None else [part.sparse.toarray()]
        y = np.ascontiguousarray(np.concatenate(columns, axis=1).T, dtype=np.float64)
        if (bad := np.flatnonzero(~np.isfinite(y).all(axis=1))).size:
            names = [repr(name) for name in self.names[some_targets[bad]]]
            raise ValueError(
                f"The targets {some(names)} have missing values. A target needs a number in every "
                "row: fill in the missing values (see silvics.impute), or name other targets."
            )
        y = np.ldexp(y, -np.frexp(np.abs(y).max(axis=1))[1][:, np.newaxis])
        return y, (y - y[:, :1]).var(axis=1)


def targets_of(X: Blocks, variables: Variables, columns: np.ndarray, own: np.ndarray) -> Targets:
    """Return the targets; raise ValueError if they cannot be predicted."""
    names = names_of(variables)
    no_numbers = [repr(names[j]) for j in columns if variables.kinds[j] != "number"]
    if no_numbers:
        raise ValueError(
            f"The columns {some(no_numbers)} are not numbers, so they can be regulators but not "
            "targets. Name the targets by targets=."
        )
    return Targets(part_of(X, columns), names[columns], own)
