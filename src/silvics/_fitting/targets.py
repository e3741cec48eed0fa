"""Encoding of outputs, and weights of samples and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from silvics import _core
from silvics._tables.column_values import is_missing, is_missing_object
from silvics._warnings import warn_user


def check_known(y: Any) -> None:
    """Raise ValueError if y has missing values: NaN, None, NaT, pd.NA or nulls."""
    if issparse(y):
        return
    try:
        values = np.asarray(y)
        if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
            values = np.asarray(y, dtype=object)  # NumPy has turned NaN into the text "nan"
    except ValueError:  # not rectangular: scikit-learn's checks raise an error
        return
    missing = is_missing(values)
    if values.dtype.kind == "O":
        flat = (is_missing_object(value) for value in values.ravel().tolist())
        missing = np.fromiter(flat, bool, values.size).reshape(values.shape)
    if missing.any():
        rows = np.flatnonzero(
            missing if missing.ndim == 1 else missing.reshape(len(values), -1).any(axis=1)
        )
        raise ValueError(
            f"Input y contains NaN, None or another missing value in {len(rows)} of {len(values)} "
            f"rows; the first is row {rows[0]}. Remove these rows, or fill in their outputs."
        )


def checked_outputs(y: Any) -> np.ndarray:
    """Return y as an array, and raise ValueError if it has missing values."""
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        raise ValueError(
            "y has masked values, and outputs must not be missing. Remove the rows where y is "
            "masked."
        )
    check_known(y)
    try:
        with np.errstate(invalid="ignore"):  # sums of very large numbers
            return check_array(y, dtype=None, ensure_2d=False, input_name="y")
    except ArithmeticError as error:  # from a Decimal that cannot be compared
        raise ValueError(
            f"Input y contains NaN or a value that is not a number ({error!r})."
        ) from error


def as_columns(y: np.ndarray) -> np.ndarray:
    """Reshape y to one column per output."""
    y = np.atleast_1d(y)
    if y.ndim > 2:
        raise ValueError(
            f"y has {y.ndim} dimensions, but it must have one, or two with one column per output."
        )
    return y.reshape(-1, 1) if y.ndim == 1 else y


def warn_of_column(y: np.ndarray) -> None:
    """Warn, as scikit-learn's forests do, if y is a column vector."""
    if y.ndim == 2 and y.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
        )


@dataclass(frozen=True, eq=False)
class EncodedOutputs:
    """Outputs as numbers.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_outputs)
        Indices of classes, or real values.
    classes : list of ndarray, or None
        The classes of each output; None for regression.
    """

    values: np.ndarray
    classes: list[np.ndarray] | None

    @property
    def n_outputs(self) -> int:
        return int(self.values.shape[1])

    @property
    def n_classes(self) -> list[int]:
        """The number of classes of each output; empty for regression."""
        return [len(levels) for levels in self.classes or []]

    def native(self, criterion: str, weights: np.ndarray | None) -> _core.Target:
        """Return the outputs in the form of the core."""
        n = len(self.values)
        if self.classes is not None:
            return _core.Target.of_classes(self.values.ravel(), n, self.n_classes)
        return _core.Target.of_values(self.values.ravel(), n, self.n_outputs, criterion, weights)


def encode_outputs(
    y: np.ndarray, classification: bool, criterion: str, positive: str
) -> EncodedOutputs:
    """Encode classes as indices, or check real values; y has one column per output."""
    if classification:
        return _encode_classes(y)
    return EncodedOutputs(real_values(y, criterion, positive), None)


def _encode_classes(y: np.ndarray) -> EncodedOutputs:
    columns = [*y.T]
    if y.dtype.kind == "O" and len(columns) > 1:
        columns = [_of_one_type(column) for column in columns]
    quick = [_known_levels(column) for column in columns]
    if None in quick:
        _check_classes(y, columns)
    encoded = np.empty(y.shape, dtype=np.int64)
    classes = []
    for k, (column, known) in enumerate(zip(columns, quick, strict=True)):
        levels, encoded[:, k] = known or np.unique(column, return_inverse=True)
        classes.append(levels)
    return EncodedOutputs(encoded, classes)


def _of_one_type(column: np.ndarray) -> np.ndarray:
    """Return an output of a table of several types in its own type, if its values have one."""
    values = column.tolist()
    is_one = len(set(map(type, values))) == 1 and not isinstance(values[0], str)
    return np.array(values) if is_one else column


def _check_classes(y: np.ndarray, columns: list[np.ndarray]) -> None:
    """Check outputs as scikit-learn does; each alone if they may be of several types."""
    try:
        for outputs in columns if y.dtype.kind == "O" else [y]:
            check_classification_targets(outputs)
    except TypeError as error:
        raise TypeError(
            f"The classes of y have no order: {error}. Convert each output to one type, such as "
            "str."
        ) from error


def _known_levels(column: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Compute the result of ``np.unique`` for integers of a small range or for text, faster.

    Return None for other values and if there are many classes; scikit-learn checks these.
    """
    n = len(column)
    if column.dtype.kind in "iub" and n > 0:
        low, high = column.min(), column.max()
        if int(high) - int(low) < n // 4:
            unsigned = column - low if column.dtype.kind == "u" else column
            offsets = unsigned.astype(np.int64)
            if column.dtype.kind == "i":
                offsets -= int(low)
            numbers = np.cumsum(np.bincount(offsets) > 0) - 1
            encoded = numbers[offsets]
            levels = np.empty(numbers[-1] + 1, dtype=column.dtype)
            levels[encoded] = column
            return levels, encoded
    if column.dtype.kind in "OU":
        values = column.tolist()
        if set(map(type, values)) == {str}:
            distinct = sorted(set(values))
            if 4 * len(distinct) <= n:
                number = {name: i for i, name in enumerate(distinct)}
                encoded = np.fromiter(map(number.__getitem__, values), np.int64, n)
                return np.array(distinct, dtype=column.dtype), encoded
    return None


def set_classes(estimator: Any, classes: list[np.ndarray]) -> None:
    """Set ``classes_`` and ``n_classes_``, without lists if there is one output."""
    counts = np.array([len(levels) for levels in classes], dtype=np.intp)
    one = len(classes) == 1
    estimator.classes_ = classes[0] if one else classes
    estimator.n_classes_ = counts[0] if one else counts


def real_values(y: np.ndarray, criterion: str, positive: str) -> np.ndarray:
    """Return real outputs as float64, and check that the criterion accepts them.

    ``positive`` is a part of scikit-learn's error text that differs between trees and forests.
    """
    if y.dtype.kind == "O":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"y must be numbers for regression, but {error}.") from error
    if y.dtype.kind not in "fiub":
        raise ValueError(f"y must be numbers for regression, got dtype {y.dtype}.")
    y = np.require(y, np.float64, ["C", "A"])
    if criterion == "poisson":
        if (y < 0).any():
            raise ValueError(
                "Some value(s) of y are negative which is not allowed for Poisson regression."
            )
        if y.sum() <= 0:
            raise ValueError(
                f"Sum of y is not {positive} which is necessary for Poisson regression."
            )
    return y


def checked_weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Return ``sample_weight`` as float64; check that it is finite, non-negative, not all zero."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    with np.errstate(over="ignore"):
        whole = weights.sum()
    if not np.isfinite(whole):
        raise ValueError(
            "The sum of sample_weight is too large for float64: scale the weights down."
        )
    if not weights.any():
        raise ValueError("All values of sample_weight are zero. At least one must be positive.")
    return np.ascontiguousarray(weights)


def class_weights(
    chosen: Any,
    y: np.ndarray,
    outputs: EncodedOutputs,
    weights: np.ndarray | None,
    subsample: bool,
) -> np.ndarray | None:
    """Return the weight of each row by ``class_weight``, or None; y has the user's labels.

    If ``subsample`` is True, "balanced_subsample" is left to the trees, which balance the rows that
    they draw.
    """
    if outputs.classes is None or chosen is None:
        return None
    if subsample and chosen == "balanced_subsample":
        return None
    n_outputs = outputs.n_outputs
    if isinstance(chosen, str):
        chosen = ["balanced"] * n_outputs  # balanced by the weights of the rows
    elif n_outputs == 1 and isinstance(chosen, dict):
        chosen = [chosen]
    elif not isinstance(chosen, list):
        raise ValueError(
            'For multi-output, class_weight should be a list of dicts, or the string "balanced".'
        )
    if len(chosen) != n_outputs:
        raise ValueError(
            "For multi-output, number of elements in class_weight should match number of outputs. "
            f"Got {len(chosen)} element(s) while having {n_outputs} outputs."
        )
    expanded = np.ones(len(y))
    for k, levels in enumerate(outputs.classes):
        of_class = weights_of_classes(chosen[k], levels, y[:, k], weights)
        expanded *= of_class[outputs.values[:, k]]
    if not np.isfinite(expanded).all() or (expanded < 0).any():
        raise ValueError("The weights in class_weight must be finite and non-negative.")
    return expanded


def weights_of_classes(
    chosen: Any, levels: np.ndarray, y: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """Return the weight of each class of one output: balanced, or looked up by its label."""
    if not isinstance(chosen, dict):
        return compute_class_weight(chosen, classes=levels, y=y, sample_weight=weights)
    unknown = set(chosen) - set(levels.tolist())
    if len(unknown) == len(chosen) or set(levels.tolist()) - set(chosen):
        # scikit-learn also matches 1 and the label "1", and raises the errors.
        return compute_class_weight(chosen, classes=levels, y=y)
    return np.array([chosen[level] for level in levels.tolist()], dtype=np.float64)


def combined(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
    """Return the product of two weights, each of which may be None."""
    if a is None or b is None:
        return b if a is None else a
    return a * b
