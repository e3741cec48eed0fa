"""Some rows of a table of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Return rows of a table in the user's type; sparse matrices as rows that can be indexed.

    Parameters
    ----------
    X : array, data frame, list or sparse matrix
        The table.
    rows : ndarray of int
        Their numbers.
    """
    return _safe_indexing(indexable(X), rows)


def indexable(X: Any) -> Any:
    """Return the table, as CSR if it is a sparse matrix whose format has no indexing."""
    if issparse(X) and X.format in ("bsr", "coo", "dia", "dok"):
        return X.tocsr()
    return X
