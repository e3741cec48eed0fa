"""Known networks, with which rankings of edges are compared."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from silvics._tables.column_values import some
from silvics._warnings import warn_user


def known_edges(
    gold_standard: Any, regulators: np.ndarray, targets: np.ndarray, possible: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return which pairs have an edge, and which pairs are compared.

    Parameters
    ----------
    gold_standard : data frame, array or list of pairs
        Regulator, target, and possibly one or zero.
    regulators, targets : ndarray of str objects
        The variables of the network.
    possible : ndarray of bool of shape (n_regulators, n_targets)
        The pairs that may have an edge.

    Returns
    -------
    truth, compared : ndarray of bool of shape (n_regulators, n_targets)
        Pairs with an edge, and pairs that are compared.
    """
    columns = _columns(gold_standard)
    labels = np.ones(len(columns[0]), dtype=bool) if len(columns) == 2 else _labels(columns[2])
    of_regulator = {name: i for i, name in enumerate(regulators.tolist())}
    of_target = {name: j for j, name in enumerate(targets.tolist())}
    i = np.array([of_regulator.get(name, -1) for name in columns[0]], dtype=np.intp)
    j = np.array([of_target.get(name, -1) for name in columns[1]], dtype=np.intp)
    _warn_of_unknown(columns, labels & ((i < 0) | (j < 0)))
    known = (i >= 0) & (j >= 0)
    truth = np.zeros(possible.shape, dtype=bool)
    truth[i[known & labels], j[known & labels]] = True
    compared = possible
    if len(columns) == 3:
        listed = np.zeros(possible.shape, dtype=bool)
        listed[i[known], j[known]] = True
        compared = listed & possible
    n_edges, n_pairs = int(truth[compared].sum()), int(compared.sum())
    if n_edges in (0, n_pairs):
        what = "no edge" if n_edges == 0 else "an edge for every pair"
        raise ValueError(
            f"gold_standard has {what} of the {n_pairs:,} pairs of this network that it is "
            "compared with, so there is nothing to rank. Check that its names are those of the "
            f"network, such as {some([repr(name) for name in targets.tolist()])}."
        )
    return truth, compared


def _columns(gold_standard: Any) -> list[list[Any]]:
    """Return two columns of names, and possibly a third one."""
    if nw.dependencies.is_into_dataframe(gold_standard):
        frame = nw.from_native(gold_standard, eager_only=True)
        columns = [series.to_list() for series in frame.iter_columns()]
    else:
        try:
            rows = [[row] if isinstance(row, str) else list(row) for row in gold_standard]
        except TypeError as error:
            raise TypeError(
                "gold_standard must be a data frame, an array or a list of pairs (regulator, "
                f"target), got {gold_standard!r}."
            ) from error
        if len({len(row) for row in rows}) > 1:
            raise ValueError("gold_standard has rows of different lengths.")
        columns = [list(column) for column in zip(*rows, strict=True)]
    if len(columns) not in (2, 3) or not columns[0]:
        n = len(columns[0]) if columns else 0
        raise ValueError(
            "gold_standard must have the columns regulator and target, possibly followed by a "
            f"column of zeros and ones, and at least one row; got {len(columns)} columns and {n} "
            "rows."
        )
    return [[str(name) for name in column] for column in columns[:2]] + columns[2:]


def _labels(column: list[Any]) -> np.ndarray:
    try:
        numbers = np.array(column, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isin(numbers, (0.0, 1.0)).all():
        raise ValueError("The third column of gold_standard must have only zeros and ones.")
    return np.asarray(numbers == 1.0)


def _warn_of_unknown(columns: list[list[Any]], unknown: np.ndarray) -> None:
    places = np.flatnonzero(unknown)
    if places.size:
        edges = [f"{columns[0][k]} -> {columns[1][k]}" for k in places.tolist()]
        warn_user(
            f"{len(edges):,} of the known edges are left out, because the network has no such "
            f"regulator or target: {some(edges)}."
        )
