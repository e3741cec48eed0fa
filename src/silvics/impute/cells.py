"""The missing cells of a table: where they are, how they start, how much they change."""

from __future__ import annotations

import numpy as np

from silvics.impute.coded_table import CodedTable, Schema


class Cells:
    """The missing cells of a table, for rounds of imputation.

    Attributes
    ----------
    order : ndarray of int
        The columns with missing cells, by rising number of them; empty columns are left out.
    n_missing : ndarray of int
        Their numbers of missing cells.
    """

    def __init__(self, schema: Schema, coded: CodedTable, usual: np.ndarray) -> None:
        self._schema, self._coded, self._usual = schema, coded, usual
        counts = coded.missing.sum(axis=0)
        by_count = np.argsort(counts, kind="stable")
        self.order = by_count[(counts > 0)[by_count] & ~schema.is_empty[by_count]]
        self.n_missing = counts[self.order]

    def rows(self, j: int) -> np.ndarray:
        """Return a mask of the rows in which a column is missing."""
        return self._coded.missing[:, j]

    def started(self) -> np.ndarray:
        """Return the table with medians and most frequent levels in its missing cells."""
        values = self._coded.values.copy(order="F")
        for j in self.order:
            values[self.rows(j), j] = self._usual[j]
        return values

    def changes(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the change of each column of ``order`` from one table to the next.

        It is the root of the mean squared change, in units of the standard deviation of the known
        training values, or the share of changed classes. NaN if the cells had no value before.
        """
        found = np.empty(len(self.order))
        for k, j in enumerate(self.order):
            old, new = before[self.rows(j), j], after[self.rows(j), j]
            if self._schema.is_class[j]:
                found[k] = np.nan if np.isnan(old).any() else np.mean(old != new)
            else:
                found[k] = np.sqrt(np.mean((old - new) ** 2)) / self._schema.spread[j]
        return found

    def by_kind(self, changes: np.ndarray) -> np.ndarray:
        """Return the change over all classes and over all numbers, of those that there are."""
        is_class = self._schema.is_class[self.order]
        found = []
        if is_class.any():
            found.append(np.average(changes[is_class], weights=self.n_missing[is_class]))
        if not is_class.all():
            numbers = ~is_class
            found.append(np.average(changes[numbers] ** 2, weights=self.n_missing[numbers]))
        return np.array(found)

    def change(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the larger of the changes over classes and over numbers; zero without cells."""
        return float(self.by_kind(self.changes(before, after)).max(initial=0.0))
