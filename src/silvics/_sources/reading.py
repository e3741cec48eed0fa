"""Some columns of a scan as a table in memory."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._sources.scanning import Scan

_ROWS_AT_ONCE = 1 << 16


def read_columns(scan: Scan, columns: list[Any]) -> Any:
    """Read all rows of some columns in one pass.

    Parameters
    ----------
    scan : Scan
        The table that is read.
    columns : list
        Some of its columns.

    Returns
    -------
    table : frame or ndarray
        The columns in this order, in the library of the batches.
    """
    parts = [batch.table for batch in scan.source.batches(columns, _ROWS_AT_ONCE)]
    if not parts:
        raise ValueError(f"There are no rows in {scan.source.named()}.")
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return nw.concat([nw.from_native(part, eager_only=True) for part in parts]).to_native()
