"""Rows of a scan: what a first pass learns of them, and their coded parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silvics._fitting import targets
from silvics._sources.scanning import Scan
from silvics._sources.source import Batch, Reading
from silvics._tables import table
from silvics._tables.column_values import code_type
from silvics._tables.table import Variables
from silvics.patches.levels import LevelCounts
from silvics.patches.rows import Part, columns_of

# Rows of the first batch, from which the kinds of the columns are learned.
_HEAD_ROWS = 2000
_FIRST_PASS_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class Outputs:
    """Where y and the weights are: columns of the scan, or arrays with a value for each row."""

    y_names: list[Any] | None
    y_values: np.ndarray | None
    weight_name: Any = None
    weight_values: np.ndarray | None = None

    @property
    def names(self) -> list[Any]:
        """The columns of the scan that are not variables."""
        named = list(self.y_names or [])
        return named if self.weight_name is None else [*named, self.weight_name]

    def y_of(self, batch: Batch) -> np.ndarray:
        """Return the outputs of a batch, one column for each, as the user has them."""
        if self.y_names is None:
            assert self.y_values is not None
            return self.y_values[batch.first : batch.first + batch.n_rows]
        columns = [targets.checked_outputs(batch.column(name)) for name in self.y_names]
        return np.column_stack(columns) if len(columns) > 1 else columns[0].reshape(-1, 1)

    def weights_of(self, batch: Batch) -> np.ndarray | None:
        """Return the weights of a batch, or None if there are none."""
        if self.weight_values is not None:
            return self.weight_values[batch.first : batch.first + batch.n_rows]
        if self.weight_name is None:
            return None
        weights = np.asarray(batch.column(self.weight_name), dtype=np.float64)
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError(
                f"sample_weight={self.weight_name!r} has values that are missing, infinite or "
                "negative."
            )
        return weights


def outputs_of(scan: Scan, y: Any, sample_weight: Any) -> Outputs:
    """Return where y and the weights are."""
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
    if isinstance(sample_weight, str):
        scan.source.check_column(sample_weight, "sample_weight")
        return Outputs(names, values, weight_name=sample_weight)
    weights = None
    if sample_weight is not None:
        weights = targets.checked_weights(sample_weight, np.empty((len(sample_weight), 0)))
    return Outputs(names, values, weight_values=weights)


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

    in_memory = False

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

    def parts(self, columns: np.ndarray, batch_rows: int) -> Iterator[Part]:
        chosen = [int(j) for j in columns]
        names = [self.names[j] for j in chosen]
        wanted = [*names, *self.outputs.names]
        self.reading.n_passes += 1
        self.reading.n_bytes += self.scan.source.n_bytes(wanted)
        n_read = 0
        for batch in self.scan.source.batches(wanted, batch_rows):
            n_read += batch.n_rows
            yield self._part(batch, chosen, names)
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
        except (ValueError, TypeError) as error:
            raise ValueError(f"{batch.where}: {error}") from error
        for k, of_class in enumerate(self.class_weights or []):
            by_class = of_class[coded[:, k]]
            weights = by_class if weights is None else weights * by_class
        found = dict(zip(chosen, columns_of(X), strict=True))
        return Part(batch.first, batch.n_rows, found, coded, weights)

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
            known, places = np.unique(y[:, k], return_inverse=True)
            at = np.minimum(np.searchsorted(levels, known), len(levels) - 1)
            if not np.array_equal(levels[at], known):
                raise ValueError("y has classes that an earlier pass has not seen.")
            coded[:, k] = at[places]
        return coded


def some_of(variables: Variables, chosen: Sequence[int]) -> Variables:
    """Return the description of some columns."""
    return Variables(
        None if variables.names is None else variables.names[list(chosen)],
        tuple(variables.kinds[j] for j in chosen),
        tuple(variables.levels[j] for j in chosen),
        tuple(variables.rare[j] for j in chosen),
    )


def learned(settings: Any, scan: Scan, y: Any, sample_weight: Any) -> ScannedRows:
    """Learn the columns, the classes and the number of rows of a scan.

    The whole table is read for the levels of categories, for the classes of y, and to count the
    rows if the files do not tell; only the columns that are needed for these are read.
    """
    outputs = outputs_of(scan, y, sample_weight)
    names = [name for name in scan.columns if name not in outputs.names]
    if not names:
        raise ValueError("The scan has no column besides y and sample_weight.")
    reading = Reading()
    head = next(iter(scan.source.batches(names, _HEAD_ROWS)), None)
    if head is None:
        raise ValueError(f"There are no rows in {scan.source.named()}.")
    try:
        variables, blocks = table.learn(
            head.only(names),
            categorical_features=settings.categorical_features,
            missing=settings.missing,
            estimator_name=type(settings).__name__,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{head.where}: {error}") from error
    categories = [j for j, kind in enumerate(variables.kinds) if kind == "category"]
    n_rows = scan.source.n_rows()
    counts = LevelCounts([names[j] for j in categories])
    classes = _ClassCounts(settings._classification)
    if categories or n_rows is None or classes.needs_pass:
        n_rows = _first_pass(scan, outputs, counts, classes, reading)
    if outputs.y_values is not None and len(outputs.y_values) != n_rows:
        raise ValueError(f"X has {n_rows} rows, y has {len(outputs.y_values)}")
    levels, rare = list(variables.levels), list(variables.rare)
    for k, j in enumerate(categories):
        levels[j], rare[j] = counts.levels(k, settings.min_category_frequency)
    variables = replace(variables, levels=tuple(levels), rare=tuple(rare))
    assert n_rows is not None
    if outputs.weight_values is not None and len(outputs.weight_values) != n_rows:
        raise ValueError(
            f"sample_weight has {len(outputs.weight_values):,} values, but the table has "
            f"{n_rows:,} rows."
        )
    return ScannedRows(
        scan, names, variables, outputs, classes.classes(), classes.totals(),
        classes.weights(getattr(settings, "class_weight", None)), n_rows,
        tuple(column.dtype for column in columns_of(blocks)), settings, reading,
    )  # fmt: skip


def _first_pass(
    scan: Scan, outputs: Outputs, counts: LevelCounts, classes: _ClassCounts, reading: Reading
) -> int:
    """Count levels, classes and rows."""
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
        except (ValueError, TypeError) as error:
            raise ValueError(f"{batch.where}: {error}") from error
        n_rows += batch.n_rows
    reading.n_rows += n_rows
    return n_rows


class _ClassCounts:
    """The classes of each output, and the weight of each of them."""

    def __init__(self, classification: bool) -> None:
        self._totals: list[dict[Any, float]] | None = [] if classification else None
        self._types: list[np.dtype] = []
        self.needs_pass = classification

    def add(self, y: np.ndarray, weights: np.ndarray | None) -> None:
        if self._totals is None:
            return
        coded = targets.encode_outputs(y, True, "gini", "")
        for k, levels in enumerate(coded.classes or []):
            if len(self._totals) <= k:
                self._totals.append({})
                self._types.append(levels.dtype)
            self._types[k] = np.promote_types(self._types[k], levels.dtype)
            of_class = np.bincount(coded.values[:, k], weights, len(levels))
            for level, total in zip(levels.tolist(), of_class.tolist(), strict=True):
                self._totals[k][level] = self._totals[k].get(level, 0.0) + total

    def classes(self) -> list[np.ndarray] | None:
        if self._totals is None:
            return None
        pairs = zip(self._totals, self._types, strict=True)
        return [np.array(sorted(totals), dtype=dtype) for totals, dtype in pairs]

    def totals(self) -> list[np.ndarray] | None:
        if self._totals is None:
            return None
        return [np.array([of[level] for level in sorted(of)]) for of in self._totals]

    def weights(self, chosen: Any) -> list[np.ndarray] | None:
        """Return the weight of each class by ``class_weight``, or None."""
        classes, totals = self.classes(), self.totals()
        if chosen is None or classes is None or totals is None:
            return None
        given = chosen if isinstance(chosen, list) else [chosen] * len(classes)
        if len(given) != len(classes) or (isinstance(chosen, dict) and len(classes) > 1):
            raise ValueError(
                "For multi-output, class_weight should be a list of dicts, or the string "
                '"balanced".'
            )
        return [
            targets.weights_of_classes(
                "balanced" if isinstance(one, str) else one, levels, levels, total
            )
            for one, levels, total in zip(given, classes, totals, strict=True)
        ]
