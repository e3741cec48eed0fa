"""Binary encoding of ordered variables (box "Encoding L-ary variables into binary variables")."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._frames import frame_of, library_of
from silvics.importance.variables import variables_of


def binary_encoding(X: Any) -> tuple[Any, np.ndarray]:
    """Encode each variable of L ordered levels as L - 1 binary variables.

    The binary variables test whether the value is at most the first level, the second level, and so
    on. A binary split on a variable is a split on one of them. Totally randomized trees that draw a
    variable of X and then one of its binary variables are those of
    ``asymptotic_importances(X, y, splits="encoded")``.

    Parameters
    ----------
    X : table of shape (n_rows, n_variables)
        Variables with an order: numbers, times, ordered categories, or two levels.

    Returns
    -------
    encoded : table of shape (n_rows, n_binary)
        A data frame if X is one, with names such as "x0 <= 2"; else an array.
    variables : ndarray of shape (n_binary,)
        For each binary variable, the number of its variable of X.

    Examples
    --------
    >>> from silvics.importance import binary_encoding
    >>> encoded, variables = binary_encoding([[0, 5], [1, 5], [2, 7]])
    >>> encoded.tolist(), variables.tolist()
    ([[1, 1, 1], [0, 1, 1], [0, 0, 0]], [0, 0, 1])
    """
    variables = variables_of(X, "binary_encoding")
    columns: dict[str, np.ndarray] = {}
    of_variable = []
    for j, v in enumerate(variables):
        if v.values is None:
            raise ValueError(
                f"binary_encoding needs ordered variables, but column {v.name!r} {v.why_no_order}."
            )
        for level in range(v.n_levels - 1):
            columns[f"{v.name} <= {v.labels[level]}"] = (v.levels <= level).astype(np.int64)
            of_variable.append(j)
    places = np.array(of_variable, dtype=np.int64)
    library = library_of(X)
    if library == "pandas":  # keeps the index of the rows
        return X[[]].assign(**columns), places
    if library is not None:
        return frame_of(columns, library), places
    n_rows = len(variables[0].levels)
    return np.array(list(columns.values())).reshape(-1, n_rows).T.astype(np.int64), places
