"""Rows of a scan: what a first pass learns of them, and their coded parts."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from silvics._fitting import targets
from silvics._fitting.amounts import bytes_of
from silvics._sources.scanning import Scan
from silvics._sources.source import Batch, Reading, ahead
from silvics._tables import inputs, table
from silvics._tables.column_values import code_type
from silvics._tables.table import Variables
from silvics.patches import memory
from silvics.patches.class_counts import ClassCounts, GroupCounts
from silvics.patches.levels import LevelCounts
from silvics.patches.outputs import Outputs, outputs_of
from silvics.patches.rows import Part, columns_of

# Rows of the first batch, from which the kinds of the columns are learned.
_HEAD_ROWS = 2000
_FIRST_PASS_ROWS = 1 << 16
# Weights of all rows are kept if they take at most a twentieth of max_memory, or of this.
_USUAL_BUDGET = 2 * 10**9


@dataclass(frozen=True, eq=False)
class ScannedRows:
    """The rows of a scan, coded by variables and classes that are known.

    Attributes
    ----------
    scan : Scan
        The table.
    names : list
        The columns of the scan that are variables.
    variables : Variables
        Their description.
    outputs : Outputs
        Where y and the weights are.
    classes : list of ndarray, or None
        The classes of each output; None for regression.
    class_totals : list of ndarray, or None
        The weight of all rows of each class.
    class_weights : list of ndarray, or None
        Weights of the classes.
    n_rows : int
        The number of rows.
    head_types : tuple of dtype
        Types of the coded columns.
    settings : estimator
        The estimator, for the parameters that say how values are read.
    reading : Reading
        Counts of what was read.
    class_sizes : ndarray, or None
        The number of rows of each class of the first output; None for regression.
    groups : GroupCounts or None
        The groups of rows that are drawn as a whole.
    kept_weights : KeptWeights
        The weights of all rows, if they are small beside the budget.
    """

    scan: Scan
    names: list[Any]
    variables: Variables
    outputs: Outputs
    classes: list[np.ndarray] | None
    class_totals: list[np.ndarray] | None
    class_weights: list[np.ndarray] | None
    n_rows: int
    head_types: tuple[np.dtype, ...]
    settings: Any
    reading: Reading
    class_sizes: np.ndarray | None = None
    groups: GroupCounts | None = None
    kept_weights: KeptWeights = field(default_factory=lambda: KeptWeights(0, 0))

    in_memory = False

    @property
    def group_sizes(self) -> np.ndarray | None:
        """The number of rows of each group, if groups are drawn as a whole."""
        return None if self.groups is None else self.groups.sizes()

    @property
    def weighted(self) -> bool:
        """Whether rows have weights, of their own or of their classes."""
        own = self.outputs.weight_name is not None or self.outputs.weight_values is not None
        return own or self.class_weights is not None

    @property
    def n_outputs(self) -> int:
        if self.outputs.y_names is not None:
            return len(self.outputs.y_names)
        assert self.outputs.y_values is not None
        return int(self.outputs.y_values.shape[1])

    def width(self, column: int) -> int:
        if self.variables.kinds[column] == "category":
            levels = self.variables.levels[column]
            return np.dtype(code_type(0 if levels is None else len(levels))).itemsize
        dtype = self.head_types[column]
        # Integers with missing values become float64.
        return 8 if dtype.kind in "iu" and dtype.itemsize > 2 else dtype.itemsize

    def buffer_bytes(self, columns: np.ndarray) -> int:
        wanted = [*(self.names[j] for j in columns.tolist()), *self.outputs.names]
        return self.scan.source.buffer_bytes(wanted)

    def parts(self, columns: np.ndarray, batch_rows: int) -> Iterator[Part]:
        chosen = [int(j) for j in columns]
        names = [self.names[j] for j in chosen]
        wanted = [*names, *self.outputs.names]
        self.reading.n_passes += 1
        self.reading.n_bytes += self.scan.source.n_bytes(wanted)
        n_read = 0
        for batch in ahead(self.scan.source.batches(wanted, batch_rows)):
            n_read += batch.n_rows
            part = self._part(batch, chosen, names)
            self.kept_weights.add(part)
            if isinstance(batch.table, np.ndarray):
                # The checks of scikit-learn leave a cycle of references to the array. All batches
                # would stay in memory until the next run of the collector.
                gc.collect(1)
            yield part
        memory.release()
        self.reading.n_rows += n_read
        if n_read != self.n_rows:
            raise ValueError(
                f"There are {n_read} rows in {self.scan.source.named()} now, but there were "
                f"{self.n_rows} in an earlier pass. They must not change during fit."
            )

    def _part(self, batch: Batch, chosen: list[int], names: list[Any]) -> Part:
        try:
            X = table.read(
                some_of(self.variables, chosen),
                batch.only(names),
                missing=self.settings.missing,
                estimator_name=type(self.settings).__name__,
            )
            y = self.outputs.y_of(batch)
            weights = self.outputs.weights_of(batch)
            coded = self._coded(y)
            groups = None
            if self.groups is not None:
                groups = self.groups.codes(self.outputs.groups_of(batch))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{batch.where}: {error}") from error
        for k, of_class in enumerate(self.class_weights or []):
            by_class = of_class[coded[:, k]]
            weights = by_class if weights is None else weights * by_class
        found = dict(zip(chosen, columns_of(X), strict=True))
        return Part(batch.first, batch.n_rows, found, coded, weights, groups)

    def _coded(self, y: np.ndarray) -> np.ndarray:
        """Return the indices of classes in a small type, or real values."""
        if self.classes is None:
            values = targets.real_values(y, "squared_error", "")
            if not np.isfinite(values).all():
                raise ValueError("Input y contains NaN or infinity.")
            if self.settings.criterion == "poisson" and (values < 0).any():
                raise ValueError(
                    "Some value(s) of y are negative which is not allowed for Poisson regression."
                )
            return values
        most = max(len(levels) for levels in self.classes)
        coded = np.empty(y.shape, np.min_scalar_type(most))
        for k, levels in enumerate(self.classes):
            coded[:, k] = _places(y[:, k], levels)
        return coded


def _places(values: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return the places of values among sorted levels; ValueError if one is not a level."""
    found: np.ndarray
    if values.dtype.kind == "O":  # a search would compare strings many times
        place = {level: k for k, level in enumerate(levels.tolist())}
        found = np.fromiter((place.get(v, -1) for v in values.tolist()), np.intp, len(values))
        is_level = found >= 0
    elif values.dtype.itemsize == 1 and values.dtype == levels.dtype:
        of_byte = np.full(256, -1, np.int16)
        of_byte[levels.view(np.uint8)] = np.arange(len(levels))
        found = of_byte[values.view(np.uint8)]
        is_level = found >= 0
    else:
        found = np.minimum(np.searchsorted(levels, values), len(levels) - 1)
        is_level = levels[found] == values
    if not is_level.all():
        raise ValueError("y has classes that an earlier pass has not seen.")
    return found


def some_of(variables: Variables, chosen: Sequence[int]) -> Variables:
    """Return the description of some columns."""
    return Variables(
        None if variables.names is None else variables.names[list(chosen)],
        tuple(variables.kinds[j] for j in chosen),
        tuple(variables.levels[j] for j in chosen),
        tuple(variables.rare[j] for j in chosen),
    )


class KeptWeights:
    """The weights of all rows in the order of a pass; not kept if they take more than a limit."""

    def __init__(self, n_rows: int, limit: int) -> None:
        self._n_rows, self._limit = n_rows, limit
        self._weights: np.ndarray | None = None
        self._n_known = 0

    def add(self, part: Part) -> None:
        """Keep the weights of the next rows; those of later passes are the same."""
        if part.weights is None or 8 * self._n_rows > self._limit or part.first != self._n_known:
            return
        if self._weights is None:
            self._weights = np.empty(self._n_rows)
        self._n_known += part.n_rows
        self._weights[part.first : self._n_known] = part.weights

    def all(self) -> np.ndarray | None:
        """Return the weights, or None if they are not kept."""
        return self._weights if self._n_known == self._n_rows else None


def learned(
    settings: Any, scan: Scan, y: Any, sample_weight: Any, groups: Any = None
) -> ScannedRows:
    """Learn the columns, the classes and the number of rows of a scan.

    The whole table is read for the levels of categories, for the classes of y, and to count the
    rows if the files do not tell; only the columns that are needed for these are read.
    """
    outputs = outputs_of(scan, y, sample_weight, groups)
    names = [name for name in scan.columns if name not in outputs.names]
    if not names:
        raise ValueError("The scan has no column besides y, sample_weight and groups.")
    reading = Reading()
    head = next(iter(scan.source.batches(names, _HEAD_ROWS)), None)
    if head is None:
        raise ValueError(f"There are no rows in {scan.source.named()}.")
    try:
        variables, blocks = table.learn(
            inputs.named(head.only(names), head.names and names),
            categorical_features=settings.categorical_features,
            missing=settings.missing,
            estimator_name=type(settings).__name__,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{head.where}: {error}") from error
    categories = [j for j, kind in enumerate(variables.kinds) if kind == "category"]
    n_rows = scan.source.n_rows()
    counts = LevelCounts([names[j] for j in categories])
    classes = ClassCounts(settings._classification)
    of_groups = GroupCounts() if outputs.grouped else None
    named_classes = settings._classification and bool(outputs.y_names or outputs.weight_name)
    if n_rows is not None:
        outputs.check_lengths(n_rows)
    if categories or n_rows is None or named_classes or outputs.group_name is not None:
        n_rows = _first_pass(scan, outputs, counts, classes, of_groups, reading)
        outputs.check_lengths(n_rows)
    else:
        if outputs.y_values is not None:
            classes.add(outputs.y_values, outputs.weight_values)
        if of_groups is not None and outputs.group_values is not None:
            of_groups.add(outputs.group_values)
    levels, rare = list(variables.levels), list(variables.rare)
    for k, j in enumerate(categories):
        levels[j], rare[j] = counts.levels(k, settings.min_category_frequency)
    variables = replace(variables, levels=tuple(levels), rare=tuple(rare))
    limit = (bytes_of(settings.max_memory) or _USUAL_BUDGET) // 20
    return ScannedRows(
        scan, names, variables, outputs, classes.classes(), classes.totals(),
        classes.weights(getattr(settings, "class_weight", None)), n_rows,
        tuple(column.dtype for column in columns_of(blocks)), settings, reading,
        classes.sizes(), of_groups, KeptWeights(n_rows, limit),
    )  # fmt: skip


def _first_pass(
    scan: Scan,
    outputs: Outputs,
    counts: LevelCounts,
    classes: ClassCounts,
    groups: GroupCounts | None,
    reading: Reading,
) -> int:
    """Count levels, classes, the rows of groups, and all rows."""
    wanted = [*counts.names, *outputs.names]
    if not wanted:  # only the rows are counted
        wanted = scan.columns[:1]
    reading.n_passes += 1
    reading.n_bytes += scan.source.n_bytes(wanted)
    n_rows = 0
    for batch in scan.source.batches(wanted, _FIRST_PASS_ROWS):
        try:
            if counts.names:
                counts.add(batch.only(counts.names))
            classes.add(outputs.y_of(batch), outputs.weights_of(batch))
            if groups is not None:
                groups.add(outputs.groups_of(batch))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{batch.where}: {error}") from error
        n_rows += batch.n_rows
    reading.n_rows += n_rows
    return n_rows
