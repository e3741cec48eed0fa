"""Importances as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST_PARTS = 8  # columns that are printed


def table_of_parts(
    names: list[str], whole: list[str], parts: Any, labels: list[str], order: np.ndarray
) -> list[str]:
    """A line for each variable: its importance, and its part for each class or output.

    Parameters
    ----------
    names, whole : list of str
        The variables that are printed, and their importances.
    parts : ndarray of shape (n_variables, n_parts), or None
        Of all variables.
    labels : list of str
        The names of the parts.
    order : ndarray of int
        The places of the printed variables among all.

    Returns
    -------
    lines : list of str
    """
    width = max(map(len, names), default=0)
    if parts is None:
        return [f"  {name:<{width}} {value}" for name, value in zip(names, whole, strict=True)]
    shown = labels[:_MOST_PARTS]
    columns = [["", *names], ["importance", *whole]]
    columns += [[label, *(f"{parts[j, k]:.4g}" for j in order)] for k, label in enumerate(shown)]
    widths = [max(map(len, column)) for column in columns]
    lines = [
        "  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
    if len(labels) > len(shown):
        lines.append(f"  ... and {len(labels) - len(shown)} more columns: to_frame() has them")
    return lines
