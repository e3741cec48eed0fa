"""Creation of data frames in the library of the user's table."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

_LIBRARIES = ("pandas", "polars", "pyarrow")


def library_of(X: Any) -> str | None:
    """Return the library of a frame or a series; None for other tables."""
    if nw.dependencies.is_into_dataframe(X) or nw.dependencies.is_into_series(X):
        return nw.from_native(X, allow_series=True).implementation.value
    return None


def is_lazy_frame(X: Any) -> bool:
    """Return whether an X is a lazy frame of polars."""
    return type(X).__module__.startswith("polars") and type(X).__name__ == "LazyFrame"


def is_dataset(X: Any) -> bool:
    """Return whether an X is a dataset of pyarrow."""
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "get_fragments")


def frame_of(columns: dict[str, Any], library: str | None) -> Any:
    """Create a data frame.

    Parameters
    ----------
    columns : dict of str to sequence
        Columns by name: arrays of numbers, lists of str, or lists of tuples of str.
    library : str or None
        Result of ``library_of`` for the user's table. None, or a library that is not installed,
        means the first installed one of pandas, polars and pyarrow.

    Returns
    -------
    frame : data frame
        Frame of the library.
    """
    wanted = (
        _LIBRARIES if library is None else (library, *_LIBRARIES)
    )  # the model may be loaded elsewhere
    chosen: Any = next((name for name in wanted if find_spec(name)), None)
    if chosen is None:
        raise ImportError(
            "A data frame needs pandas, polars or pyarrow, but none of them is installed. Install "
            "one of them, for example with: pip install pandas."
        )
    if any(len(column) for column in columns.values()):
        return nw.from_dict(columns, backend=chosen).to_native()
    # Types are inferred from values, so create a frame with one row and remove the row.
    row = {name: _example_of(name, column) for name, column in columns.items()}
    return nw.from_dict(row, backend=chosen).head(0).to_native()


def _example_of(name: str, column: Any) -> Any:
    if isinstance(column, np.ndarray):
        return np.zeros(1, dtype=column.dtype)
    return [("",)] if name == "given" else [""]


def wide(index: str, numbers: np.ndarray, names: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    """Return the columns of a frame: row numbers, and one column for each variable.

    Names that occur more than once get a suffix.
    """
    while index in names:
        index += "_"
    columns: dict[str, Any] = {index: numbers}
    for j, name in enumerate(names):
        label, n = str(name), 2
        while label in columns:
            label, n = f"{name} ({n})", n + 1
        columns[label] = values[:, j]
    return columns
