"""What a report is about: the rows, the inputs of the model, the target and the task."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.sparse import issparse

from silvics._fitting.task import task_of
from silvics._frames import frame_of, library_of
from silvics._names import did_you_mean, one_of
from silvics._tables.column import Column, of_series
from silvics.reporting.content import counted, joined
from silvics.reporting.conversion import are_whole, as_levels, as_numbers, series_like

_KINDS = ("number", "category", "date")
_MOST_TEXT = 0.5  # of the rows have values of their own: text that names the rows
_MOST_CLASSES = 100


@dataclass(frozen=True)
class Input:
    """A column of the model.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        "number", "whole number", "yes or no", "category" or "date".
    values : ndarray of float64
        Numbers, microseconds since 1970, or codes of levels. Missing values are NaN.
    levels : list of str
        The levels of a category, by code.
    """

    name: str
    kind: str
    values: np.ndarray
    levels: list[str] = field(default_factory=list)

    @property
    def is_category(self) -> bool:
        """Whether the values are codes of levels."""
        return self.kind == "category"

    def shown(self, value: float) -> Any:
        """Return a value of the column as people read it."""
        if value != value:
            return "missing"
        if self.is_category:
            return self.levels[int(value)]
        if self.kind == "date":
            return np.datetime64(int(value), "us").astype("M8[s]").item()
        return int(value) if self.kind != "number" else float(value)


@dataclass
class Subject:
    """The table of a report.

    Attributes
    ----------
    X : data frame
        The inputs of the model, in the user's library.
    y : ndarray
        Class labels (str, bool or int) or numbers.
    inputs : list of Input
        The columns of X.
    left_out : list of (str, str)
        Columns that are not inputs, and why.
    remarks : list of str
        What was changed while reading.
    """

    X: Any
    y: np.ndarray
    inputs: list[Input]
    target: str
    task: str
    n_rows: int
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    left_out: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    positive: Any = None

    @property
    def n(self) -> int:
        """Number of rows with a target."""
        return len(self.y)

    @property
    def heading(self) -> str:
        """The target's name as the heading of a column, beside those of the inputs."""
        return self.target if self.target == "target" else f"{self.target} (target)"

    @property
    def classes(self) -> np.ndarray:
        """The classes, sorted as the forest sorts them."""
        return np.unique(self.y)

    @property
    def is_classification(self) -> bool:
        """Whether the target has classes."""
        return self.task == "classification"

    def rows(self, at: np.ndarray) -> Any:
        """Return some rows of X."""
        return nw.from_native(self.X, eager_only=True)[at.tolist()].to_native()

    def named(self, name: str) -> Input:
        """Return the input of a name."""
        return next(column for column in self.inputs if column.name == name)


def subject_of(
    X: Any,
    y: Any,
    *,
    task: str | None = None,
    types: Mapping[str, str] | None = None,
    drop: Iterable[str] = (),
    id: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    time: str | None = None,
    positive: Any = None,
    for_test: bool = False,
) -> Subject:
    """Read the table, and decide what each column is.

    Rows ``for_test`` may have one class only, and columns without values.
    """
    frame, target, y = _taken_apart(frame_from(X), y)
    n_rows = len(frame)
    drop = [drop] if isinstance(drop, str) else list(drop)
    for name in [*drop, *(types or {}), *(part for part in (id, weight, group, time) if part)]:
        if name not in frame.columns:
            raise ValueError(f"There is no column {name!r}.{did_you_mean(name, frame.columns)}")
    y, keep = _known_target(y, target)
    subject = Subject(None, y, [], target, "", n_rows)
    if not keep.all():
        frame = nw.maybe_reset_index(frame.filter(keep.tolist()))
        missing = n_rows - len(frame)
        subject.remarks.append(
            f"{counted(missing, 'row')} without a value of `{target}` "
            f"{'was' if missing == 1 else 'were'} left out."
        )
    subject.task = _checked_task(subject, task, for_test=for_test)
    subject.positive = _positive_of(subject, positive)
    subject.weights = _weights_of(frame, weight)
    subject.groups = None if group is None else np.asarray(frame[group].to_numpy()).astype(str)
    subject.time = None if time is None else _numbers(of_series(frame[time], time))
    if subject.time is not None and np.isnan(subject.time).any():
        raise ValueError(f"The column of times, {time!r}, has missing values.")
    reasons = dict.fromkeys(drop, "not asked for")
    parts = ((id, "identifier"), (weight, "weights"), (group, "groups"))
    reasons |= {name: why for name, why in parts if name}
    used = []
    for name in frame.columns:
        if name in reasons:
            subject.left_out.append((name, reasons[name]))
            continue
        series, column, why = _read(frame[name], (types or {}).get(name), subject)
        if column is None and for_test and why == "no values":
            column = Input(name, "number", np.full(subject.n, np.nan))
        if column is None:
            subject.left_out.append((name, why))
        else:
            subject.inputs.append(column)
            used.append(series)
    if subject.weights is not None and not subject.weights.all():
        subject.remarks.append("Rows of weight 0 do not count in the scores.")
    if not used:
        raise ValueError("There is no column left to predict from: all were left out.")
    subject.X = _joined(used)
    return subject


def _joined(columns: list[nw.Series]) -> Any:
    """Return columns as a frame of their library."""
    return nw.concat([column.to_frame() for column in columns], how="horizontal").to_native()


def frame_from(X: Any) -> nw.DataFrame:
    """Return any table as a frame; arrays have the columns x0, x1, ..."""
    if issparse(X) or hasattr(X, "var_names"):
        raise TypeError("A report needs a table of columns. Pass a data frame or a dense array.")
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.maybe_reset_index(nw.from_native(X, eager_only=True))
        if not all(isinstance(name, str) for name in frame.columns):
            raise TypeError("The names of the columns must be strings.")
    else:
        collected = nw.from_native(X, pass_through=True)
        if isinstance(collected, nw.LazyFrame):
            frame = collected.collect()
        else:
            values = np.asarray(X)
            if values.ndim != 2:
                raise ValueError(f"X must have rows and columns, got shape {values.shape}.")
            columns = {f"x{j}": values[:, j] for j in range(values.shape[1])}
            frame = nw.from_native(frame_of(columns, None), eager_only=True)
    if not len(frame) or not frame.columns:
        raise ValueError(f"The table is empty: {len(frame)} rows, {len(frame.columns)} columns.")
    return frame


def _taken_apart(frame: nw.DataFrame, y: Any) -> tuple[nw.DataFrame, str, Any]:
    """Return the inputs, the name of the target, and the target."""
    if isinstance(y, str):
        if y not in frame.columns:
            raise ValueError(
                f"There is no column {y!r} to predict.{did_you_mean(y, frame.columns)} The columns "
                f"are {', '.join(map(repr, frame.columns[:20]))}."
            )
        return frame.drop(y), y, frame[y]
    name = nw.from_native(y, series_only=True).name if library_of(y) else None
    values = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(values, nw.DataFrame) or np.ndim(y) > 1:
        raise ValueError("A report is about one target; y must have one dimension.")
    if len(y) != len(frame):
        raise ValueError(f"X has {len(frame):,} rows, but y has {len(y):,}.")
    return frame, str(name or "target"), values


def _known_target(y: Any, target: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the target without missing values, and which rows have one."""
    if not isinstance(y, nw.Series):
        y = nw.from_native(frame_of({"y": np.asarray(y)}, None), eager_only=True)["y"]
    if y.dtype.is_float() and np.isinf(y.to_numpy().astype(float)).any():
        raise ValueError(f"The target {target!r} has infinite values.")
    column = of_series(y, target)
    codes = column.codes
    if column.holds_numbers_as_text():
        column.values = np.array([float(value) for value in column.values])
        column.is_text = False
    if codes is None:
        values, keep = column.values, ~_missing(column.values)
        values = values[keep]
    else:
        keep = codes >= 0
        values = np.asarray(column.values)[codes[keep]] if len(column.values) else np.array([])
    if not len(values):
        raise ValueError(f"The target {target!r} has no values.")
    if values.dtype.kind in "Mm":
        raise ValueError(
            f"The target {target!r} has dates; only classes and numbers are predicted."
        )
    if values.dtype == object:
        values = values.astype(str)
    elif values.dtype.kind == "f" and are_whole(values) and np.abs(values).max() < 2**53:
        values = values.astype(np.int64)
    return values, keep


def _missing(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "Mm":
        return np.isnat(values)
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _checked_task(subject: Subject, task: str | None, *, for_test: bool) -> str:
    if task is not None:
        one_of("task", task, ["classification", "regression"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the page says which task was taken
        found = task_of(subject.y, task)
    n_classes = len(np.unique(subject.y))
    if found == "regression" and subject.y.dtype.kind not in "biuf":
        raise ValueError(f"The target {subject.target!r} has text; it cannot be a number.")
    if n_classes < 2 and not for_test:
        only = subject.y[0]
        raise ValueError(
            f"The target {subject.target!r} has one value only ({only}); there is nothing to learn."
        )
    if found == "classification" and n_classes > _MOST_CLASSES:
        raise ValueError(
            f"The target {subject.target!r} has {n_classes:,} classes, more than {_MOST_CLASSES}. "
            "Is it an identifier, or a number with text among its values?"
        )
    if found == "regression":
        subject.y = subject.y.astype(np.float64)
    return found


def _positive_of(subject: Subject, positive: Any) -> Any:
    if not subject.is_classification:
        if positive is not None:
            raise ValueError("positive is only for two classes; this target has numbers.")
        return None
    classes = subject.classes
    if positive is None:
        return classes[-1] if len(classes) == 2 else None
    found = [label for label in classes if str(label) == str(positive)]
    if len(classes) != 2 or not found:
        known = ", ".join(map(str, classes[:10]))
        raise ValueError(
            f"positive must be one of two classes, got {positive!r}; classes: {known}."
        )
    return found[0]


def _weights_of(frame: nw.DataFrame, name: str | None) -> np.ndarray | None:
    if name is None:
        return None
    weights = _numbers(of_series(frame[name], name))
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            f"The weights {name!r} must be numbers that are not negative, and not all 0."
        )
    return weights


def _numbers(column: Column) -> np.ndarray:
    """Return a column of numbers or times as float64."""
    if column.sort == "string":
        raise ValueError(f"The column {column.label!r} must have numbers or times, but has text.")
    return column.by_row(column.values.astype(np.float64), np.nan)


def _read(
    series: nw.Series, wanted: str | None, subject: Subject
) -> tuple[nw.Series, Input | None, str]:
    """Return a column for the model, its description, and the reason if it is left out."""
    name = series.name
    if wanted is not None:
        one_of(f"the type of {name!r}", wanted, _KINDS)
    try:
        column = of_series(series, f"column {name!r}")
    except (TypeError, ValueError) as error:
        return series, None, str(error).splitlines()[0]
    if column.sort == "string" and wanted != "category":
        values = as_numbers(column, required=wanted == "number")
        if values is not None:
            other = sorted(
                str(v) for v, number in zip(column.values, values, strict=True) if number != number
            )
            remark = f"`{name}` holds numbers as text and was read as numbers."
            if other:
                remark += f" {joined(other)} became missing."
            subject.remarks.append(remark)
            column = Column(column.label, "number", values, column.codes)
            series = series_like(series, column.by_row(values, np.nan))
    if column.sort == "number" and wanted == "category":
        series = as_levels(series, column)
        column = of_series(series, f"column {name!r}")
    if wanted == "category" and column.sort == "string" and not column.is_declared:
        series = series.cast(nw.Categorical)  # so that numbers as text are not warned of
    if wanted == "date" and column.sort not in ("date", "duration"):
        try:
            series = series.cast(nw.String).str.to_datetime()
            column = of_series(series, f"column {name!r}")
        except Exception as error:
            raise ValueError(f"The column {name!r} cannot be read as dates: {error}") from error
    return _described(series, column, wanted)


def _described(
    series: nw.Series, column: Column, wanted: str | None
) -> tuple[nw.Series, Input | None, str]:
    name = series.name
    if column.is_empty():
        return series, None, "no values"
    if column.sort == "string":
        if wanted is None and len(column.values) > max(50, _MOST_TEXT * column.n_rows):
            return series, None, f"text with {len(column.values):,} different values"
        order = np.argsort(column.values.astype(str), kind="stable")
        rank = np.empty(len(order))
        rank[order] = np.arange(len(order))
        levels = [str(column.values[i]) for i in order]
        found = Input(name, "category", column.by_row(rank, np.nan), levels)
        return series, found, ""
    values = column.values
    kind = "number"
    if column.sort in ("date", "duration"):
        kind = "date" if column.sort == "date" else "number"
    elif values.dtype.kind == "b" or series.dtype == nw.Boolean:
        kind = "yes or no"
    elif values.dtype.kind in "iu" or are_whole(values):
        kind = "whole number"
    if values.dtype.kind in "Mm":
        numbers = np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    else:
        numbers = values.astype(np.float64)
    return series, Input(name, kind, np.asarray(column.by_row(numbers, np.nan), float)), ""
