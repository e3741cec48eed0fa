"""Where y, the weights and the groups of a scan are: in its columns, or in arrays beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silvics._fitting import targets
from silvics._fitting.groups import group_labels
from silvics._sources.scanning import Scan
from silvics._sources.source import Batch


@dataclass(frozen=True, eq=False)
class Outputs:
    """Where y, the weights and the groups are: columns of the scan, or arrays with all rows."""

    y_names: list[Any] | None
    y_values: np.ndarray | None
    weight_name: Any = None
    weight_values: np.ndarray | None = None
    group_name: Any = None
    group_values: np.ndarray | None = None

    @property
    def names(self) -> list[Any]:
        """The columns of the scan that are not variables."""
        others = (self.weight_name, self.group_name)
        return [*(self.y_names or []), *(name for name in others if name is not None)]

    @property
    def grouped(self) -> bool:
        """Whether rows have groups."""
        return self.group_name is not None or self.group_values is not None

    def groups_of(self, batch: Batch) -> np.ndarray:
        """Return the labels of the groups of a batch."""
        if self.group_values is not None:
            return part_of("groups", self.group_values, batch)
        return batch.column(self.group_name)

    def y_of(self, batch: Batch) -> np.ndarray:
        """Return the outputs of a batch, one column for each, as the user has them."""
        if self.y_names is None:
            assert self.y_values is not None
            return part_of("y", self.y_values, batch)
        columns = [targets.checked_outputs(batch.column(name)) for name in self.y_names]
        return np.column_stack(columns) if len(columns) > 1 else columns[0].reshape(-1, 1)

    def weights_of(self, batch: Batch) -> np.ndarray | None:
        """Return the weights of a batch, or None if there are none."""
        if self.weight_values is not None:
            return part_of("sample_weight", self.weight_values, batch)
        return None if self.weight_name is None else weights_in(batch, self.weight_name)

    def check_lengths(self, n_rows: int) -> None:
        """Raise ValueError unless arrays beside the scan have a value for each row."""
        if self.y_values is not None and len(self.y_values) != n_rows:
            raise ValueError(f"X has {n_rows} rows, y has {len(self.y_values)}")
        if self.weight_values is not None and len(self.weight_values) != n_rows:
            raise ValueError(
                f"sample_weight has {len(self.weight_values):,} values, but the table has "
                f"{n_rows:,} rows."
            )
        if self.group_values is not None and len(self.group_values) != n_rows:
            raise ValueError(
                f"groups has {len(self.group_values)} values, but X has {n_rows} rows: give each "
                "row a group."
            )


def part_of(parameter: str, values: np.ndarray, batch: Batch) -> np.ndarray:
    """Return the values of a batch out of those of all rows."""
    last = batch.first + batch.n_rows
    if last > len(values):
        raise ValueError(
            f"{parameter} has {len(values):,} values, but the table has at least {last:,} rows."
        )
    return values[batch.first : last]


def weights_in(batch: Batch, name: str) -> np.ndarray:
    """Return the weights that a column of a batch has."""
    values = batch.column(name)
    try:
        if values.dtype.kind not in "biufO":  # dates would become numbers
            raise TypeError
        weights = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        example = next((v for v in values.tolist() if v is not None and not _is_number(v)), None)
        raise ValueError(
            f"sample_weight={name!r} must be a column of numbers, but it has values such as "
            f"{example!r}."
        ) from None
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError(
            f"sample_weight={name!r} has values that are missing, infinite or negative."
        )
    return weights


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (ValueError, TypeError):
        return False
    return True


def check_distinct(given: Sequence[tuple[str, Any]]) -> None:
    """Raise ValueError if a column is given for two purposes, or twice for one."""
    seen: dict[Any, str] = {}
    for parameter, name in given:
        if seen.get(name) == parameter:
            raise ValueError(f"{parameter} names the column {name!r} twice.")
        if name in seen:
            raise ValueError(
                f"{seen[name]} and {parameter} both name the column {name!r}. A column can have "
                "one purpose only."
            )
        seen[name] = parameter


def outputs_of(scan: Scan, y: Any, sample_weight: Any, groups: Any = None) -> Outputs:
    """Return where y, the weights and the groups are."""
    names, values = None, None
    if isinstance(y, str):
        names = [y]
    elif (
        isinstance(y, list)
        and y
        and all(isinstance(name, str) for name in y)
        and (scan.source.columns is not None and set(y) <= set(scan.source.columns))
    ):
        names = list(y)
    elif y is None:
        raise ValueError("fit on a scan needs y: the name of a column, or an array of values.")
    else:
        values = targets.as_columns(targets.checked_outputs(y))
    for name in names or []:
        scan.source.check_column(name, "y")
    found = Outputs(names, values)
    if isinstance(sample_weight, str):
        scan.source.check_column(sample_weight, "sample_weight")
        found = replace(found, weight_name=sample_weight)
    elif sample_weight is not None:
        weights = targets.checked_weights(sample_weight, np.empty((np.size(sample_weight), 0)))
        found = replace(found, weight_values=weights)
    if isinstance(groups, str):
        scan.source.check_column(groups, "groups")
        found = replace(found, group_name=groups)
    elif groups is not None:
        found = replace(found, group_values=group_labels(groups))
    one = [("sample_weight", found.weight_name), ("groups", found.group_name)]
    check_distinct([*(("y", name) for name in names or []),
                    *(pair for pair in one if pair[1] is not None)])  # fmt: skip
    return found
