"""Groups of rows that trees draw as a whole: the check of the user's groups, and their number."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_array

from silvics._fitting.axes import Axes
from silvics._predicting.sampling import RowSampling


def group_numbers(groups: Any, n_samples: int) -> np.ndarray | None:
    """Return the number of the group of each row, from 0 on in sorted order; None if not given."""
    if groups is None:
        return None
    values = group_labels(groups)
    if len(values) != n_samples:
        raise ValueError(
            f"groups has {len(values)} values, but X has {n_samples} rows: give each row a group."
        )
    if any(value is None or value != value for value in values.tolist()):
        raise ValueError("groups has missing values. Give each row a group, if only its own.")
    try:
        numbers = np.unique(values, return_inverse=True)[1]
    except TypeError as error:
        raise TypeError(
            "groups has values of several types, such as strings and numbers: use one type."
        ) from error
    return np.ascontiguousarray(numbers.ravel(), dtype=np.uint32)


def group_labels(groups: Any) -> np.ndarray:
    """Return the labels of the groups of rows as an array."""
    if isinstance(groups, str | bytes) or np.ndim(groups) == 0:
        raise ValueError(
            f"groups must be a list or an array with the group of each row, got {groups!r}. The "
            "name of a column can only be given if X is a scan (silvics.scan)."
        )
    values: np.ndarray = check_array(
        groups, ensure_2d=False, allow_nd=True, dtype=None, ensure_all_finite=False,
        input_name="groups",
    )  # fmt: skip
    if values.ndim != 1 and values.shape[1:] != (1,):
        raise ValueError(
            f"groups has the shape {values.shape}, but it must be one column with the group of "
            "each row. Combine several columns into one label for each row."
        )
    return values.ravel()


def check_choices(axes: Axes) -> None:
    """Raise ValueError if the trees cannot draw groups of rows."""
    if axes.rows == "all":
        raise ValueError(
            "groups are drawn as a whole by trees that draw their rows, but each tree of this "
            "forest is grown on all rows. Set bootstrap=True (ForestClassifier and "
            'ForestRegressor: rows="bootstrap" or rows="subsample").'
        )
    if axes.pruning == "reduced_error":
        raise ValueError(
            'groups cannot be combined with pruning="reduced_error", which holds out single rows. '
            'Set pruning="pessimistic" or ccp_alpha.'
        )


def n_groups_drawn(axes: Axes, n_groups: int) -> int:
    """Return the number of groups drawn for a tree; a float is a fraction of the groups."""
    wanted = axes.max_samples
    if wanted is None:
        return n_groups
    if not isinstance(wanted, Integral):
        return max(1, round(float(wanted) * n_groups))
    if int(wanted) > n_groups:
        raise ValueError(
            f"max_samples={wanted} is the number of groups that a tree draws, but there are only "
            f"{n_groups} groups. Lower max_samples, or pass a fraction."
        )
    return int(wanted)


def check_same_groups(before: RowSampling | None, now: RowSampling) -> None:
    """Raise ValueError unless the trees that are added draw the same groups as those before."""
    if before is None:
        return
    a, b = before.groups, now.groups
    known = a is not None and b is not None
    if before.n_groups != now.n_groups or (known and not np.array_equal(a, b)):  # type: ignore[arg-type]
        raise ValueError(
            "warm_start=True adds trees to the existing ones, so groups must be those of the "
            "previous fit. Set warm_start=False to grow a new forest."
        )
