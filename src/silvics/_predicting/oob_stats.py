"""Summary statistics of the out-of-bag predictions, which a forest keeps instead of y."""

from __future__ import annotations

from sys import float_info
from typing import Any

import numpy as np

from silvics._predicting import prediction

MOST_CLASSES = 100  # the confusion matrix is not kept if there are more


def out_of_bag_stats(
    y: np.ndarray, values: np.ndarray, counts: np.ndarray, classes: Any
) -> list[Any]:
    """Compute statistics of each output over the rows that have out-of-bag trees.

    Parameters
    ----------
    y : ndarray of shape (n_samples, n_outputs)
        Indices of classes, or real values.
    values : ndarray
        Mean predictions of the out-of-bag trees: class probabilities, or real values.
    counts : ndarray of shape (n_samples,)
        Number of trees that did not draw the row.
    classes : array-like of int, or None
        Number of classes of each output; None for regression.

    Returns
    -------
    stats : list of lists
        One list per output. For classification: the number of rows, the number of errors, and the
        confusion matrix (true class by predicted class), or None if there are many classes. For
        regression: the number of rows, the mean squared error, and the variance of y.
    """
    seen = counts > 0
    y, values = y[seen], values[seen]
    if not len(y):
        return []
    if classes is None:
        return [
            [len(y), _mean_square(truth - found), _mean_square(truth - truth.mean())]
            for truth, found in zip(y.T, values.T, strict=True)
        ]
    stats: list[list[Any]] = []
    for truth, shares in zip(y.T, prediction.split_outputs(values, classes), strict=True):
        n, found = shares.shape[1], shares.argmax(axis=1)
        truth = truth.astype(np.int64)
        table = None
        if n <= MOST_CLASSES:
            table = np.bincount(truth * n + found, minlength=n * n).reshape(n, n).tolist()
        stats.append([len(truth), int((truth != found).sum()), table])
    return stats


def _mean_square(differences: np.ndarray) -> float:
    """Return the mean square, or the largest float if it overflows."""
    with np.errstate(over="ignore"):
        mean = float(np.mean(differences**2))
    return mean if mean < float_info.max else float_info.max


def is_stats(value: Any) -> bool:
    """Return whether a value from a file has the form of ``out_of_bag_stats``."""
    return isinstance(value, list) and all(map(_is_output_stats, value))


def _is_output_stats(stats: Any) -> bool:
    if not isinstance(stats, list) or len(stats) != 3 or type(stats[0]) is not int or stats[0] < 1:
        return False
    n, second, third = stats
    if type(second) is float and type(third) is float:
        return 0 <= second <= float_info.max and 0 <= third <= float_info.max
    if type(second) is not int or not 0 <= second <= n:
        return False
    if third is None:
        return True
    square = isinstance(third, list) and all(
        isinstance(row, list) and len(row) == len(third) for row in third
    )
    if not square or not all(type(cell) is int and 0 <= cell <= n for row in third for cell in row):
        return False
    right = sum(row[k] for k, row in enumerate(third))
    return sum(map(sum, third)) == n and right == n - second


def are_of(stats: list[Any], n_outputs: int, classes: list[int]) -> bool:
    """Return whether the statistics fit the number of outputs and their numbers of classes."""
    if not stats:
        return True
    if len(stats) != n_outputs:
        return False
    if not classes:
        return all(type(second) is float for _, second, _ in stats)
    return all(
        type(second) is int and (table is None or len(table) == n)
        for (_, second, table), n in zip(stats, classes, strict=True)
    )
