"""Data frames out: in the library that the user's table came in."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw

_LIBRARIES = ("pandas", "polars", "pyarrow")


def library_of(X: Any) -> str | None:
    """The frame library that X is of; for other tables None: the first that is installed."""
    if nw.dependencies.is_into_dataframe(X):
        return nw.from_native(X).implementation.value
    return None


def frame_of(columns: dict[str, Any], library: str | None) -> Any:
    """A frame of columns.

    Parameters
    ----------
    columns : dict of str to sequence
        By name.
    library : str or None
        What ``library_of`` said of the user's table.

    Returns
    -------
    frame : data frame
    """
    chosen: Any = library or next((name for name in _LIBRARIES if find_spec(name)), None)
    if chosen is None:
        raise ImportError(
            "A data frame needs pandas, polars or pyarrow, and none is installed: "
            "pip install pandas."
        )
    return nw.from_dict(columns, backend=chosen).to_native()
