"""Standard errors of predictions by the infinitesimal jackknife (Wager, Hastie and Efron 2014).

The variance of the prediction of a forest over learning sets is the sum over the training rows of
the squared covariances, over the trees, of the number of times that a tree has drawn the row and of
the prediction of the tree. With the matrix N of these numbers (trees x rows), and the centred
predictions d of the trees, it is d' N N' d / T^2. N N' is computed once, so that neither the memory
nor the work of a sample depends on the number of training rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr

from silvics import _core
from silvics._predicting.grown_forest import GrownForest
from silvics._threads import n_threads
from silvics._warnings import warn_user
from silvics.uncertainty.tree_predictions import blocks_of_rows

# Products of counts are whole numbers, which float32 adds exactly in chunks of this many rows.
_ROWS_AT_ONCE = 16384
# Number of counts that are in memory at the same time: 128 MiB.
_COUNTS_AT_ONCE = 1 << 27
# The prior of the variances: its number of values, the samples from which it is estimated, and the
# number of steps.
_N_VALUES, _N_SAMPLES, _N_STEPS = 60, 2000, 100


def standard_errors(forest: Any, X: Any, raw: bool, n_jobs: int | None) -> Any:
    """Compute standard errors; see the method ``predict_standard_error``."""
    grown: GrownForest = forest._grown
    what = "predict_standard_error"
    grown.require_whole_trees(what)
    grown.require_out_of_bag(what)
    if len(grown.trees) < 2:
        raise ValueError(f"{what} needs at least two trees.")
    rows, jobs = forest._checked(X), forest._jobs(n_jobs)
    variances, halves = _variances(grown, rows, jobs)
    if not raw:
        n_negative = int(np.count_nonzero(variances < 0))
        if n_negative:
            warn_user(
                f"{n_negative} of {variances.size} estimates of the variance were negative, "
                f"because the forest has only {len(grown.trees)} trees. All estimates of this call "
                "are shrunk towards each other, which makes them positive. More trees give better "
                "estimates; raw=True returns the estimates as they are."
            )
        columns = [
            np.sqrt(_shrunk(of, of_halves))
            for of, of_halves in zip(variances.T, halves.T, strict=True)
        ]
        variances = np.stack(columns, axis=1)
    if not forest._classification:
        return variances[:, 0] if variances.shape[1] == 1 else variances
    if forest.n_outputs_ == 1:
        return variances
    return np.split(variances, np.cumsum(forest.n_classes_)[:-1], axis=1)


def _variances(
    grown: GrownForest, X: _core.Matrix, n_jobs: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the variance of each value, and the squared difference of those of half the trees."""
    form = _Form(count_products(grown, n_threads(n_jobs)))
    factor = _factor(grown)
    found = np.empty((X.shape[0], grown.trees.predictor.value_width))
    halves = np.zeros_like(found)
    for rows, values in blocks_of_rows(grown.trees, X, n_jobs):
        for c in range(values.shape[2]):
            of_all, of_halves = form.variances(values[:, :, c])
            found[rows, c] = factor * of_all
            if len(grown.trees) >= 4:
                halves[rows, c] = (factor * of_halves) ** 2
    return found, halves


class _Form:
    """The quadratic form of the variance, over all trees and over two halves of them.

    The matrix of products is divided into those within each half and those between them, so that
    one product of each with the values of trees serves both.
    """

    def __init__(self, products: np.ndarray) -> None:
        n = self._n = len(products)
        centred = _centred(products)
        self._within = [np.ascontiguousarray(centred[side::2, side::2]) for side in (0, 1)]
        self._sums = [part.sum() for part in self._within]
        self._between = np.ascontiguousarray(centred[0::2, 1::2])
        # Covariances over finitely many trees are noisy, which adds this multiple of the variance
        # over the trees to the sum of their squares.
        self._bias = float(np.trace(centred)) / n
        self._biases = [float(np.trace(_centred(part))) / len(part) for part in self._within]

    def variances(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the variances of the means over all trees, and their difference by halves."""
        d = values - values.mean(axis=1, keepdims=True)
        parts = [np.ascontiguousarray(d[:, side::2]) for side in (0, 1)]
        form = 2 * _row_products(parts[0] @ self._between, parts[1])
        squares, of_halves = np.zeros(len(values)), []
        each = zip(parts, self._within, self._sums, self._biases, strict=True)
        for part, within, whole, bias in each:
            n, products = part.shape[1], part @ within
            form_of_half, squares_of_half = _row_products(products, part), _row_products(part, part)
            form, squares = form + form_of_half, squares + squares_of_half
            # The same for values that are centred in the half.
            means = part.mean(axis=1)
            form_of_half += means * (means * whole - 2 * products.sum(axis=1))
            squares_of_half -= n * means**2
            of_halves.append((form_of_half - bias * squares_of_half) / n**2)
        return (form - self._bias * squares) / self._n**2, of_halves[0] - of_halves[1]


def _centred(products: np.ndarray) -> np.ndarray:
    centred = products - products.mean(axis=0)
    return centred - centred.mean(axis=1, keepdims=True)


def _row_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def count_products(grown: GrownForest, threads: int = 1) -> np.ndarray:
    """Return, for each pair of trees, the sum over rows of the products of their in-bag counts.

    If trees draw groups of rows, the sum is over the groups. Rows are drawn again for each part of
    the table.
    """
    sampling = grown.sampling
    assert sampling is not None
    n, n_trees = sampling.n_samples, len(grown.trees)
    counted = np.ones(n, dtype=bool)  # or one row of each group
    if sampling.groups is not None:
        counted[:] = False
        counted[np.unique(sampling.groups, return_index=True)[1]] = True
    products = np.zeros((n_trees, n_trees))
    size = max(_COUNTS_AT_ONCE // n_trees, _ROWS_AT_ONCE)
    for begin in range(0, n, size):
        counts = grown.draw_counts(begin, min(size, n - begin), threads)
        if sampling.groups is not None:
            counts = np.ascontiguousarray(counts[:, counted[begin : begin + size]])
        if counts.dtype == np.uint8 and _core.add_count_products(counts, products, threads):
            continue
        for first in range(0, counts.shape[1], _ROWS_AT_ONCE):
            exact = counts[:, first : first + _ROWS_AT_ONCE].astype(np.float32)
            products += exact @ exact.T
        del counts  # before the next ones are made
    return products


def _factor(grown: GrownForest) -> float:
    """Return the factor for rows drawn without replacement (Wager and Athey 2018)."""
    sampling = grown.sampling
    assert sampling is not None
    if sampling.rows == "bootstrap":
        return 1.0
    n = sampling.n_groups or sampling.n_samples - sampling.n_held_out
    left = n - (sampling.n_drawn or 0)
    return (n - 1) / n * (n / left) ** 2


def _positive_means(raw: np.ndarray, sigma: float) -> np.ndarray:
    """Return the means of normal distributions around the estimates, cut off at zero.

    They are posterior means under a flat prior, where there are too few estimates to fit one.
    """
    z = raw / sigma
    # The density at the cut relative to the probability of positive values.
    ratio = np.exp(-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(z))
    return np.asarray(sigma * (z + ratio))


def _shrunk(raw: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Return positive estimates of variances: empirical Bayes with normal errors.

    The standard deviation of the errors is estimated from the two halves of the trees. The prior is
    a mixture of some positive values, whose shares are fitted to the estimates.
    """
    noise = float(np.mean(halves)) / 4  # half the trees have twice the variance of the error
    largest = float(raw.max(initial=0.0))
    if noise <= 0:
        return np.maximum(raw, 0.0)
    sigma = np.sqrt(noise)
    if len(raw) < 2 or largest <= 0:
        return _positive_means(raw, sigma)
    grid = np.geomspace(min(sigma, largest) / 100, largest + sigma, _N_VALUES)
    some = np.sort(raw)[np.linspace(0, len(raw) - 1, min(len(raw), _N_SAMPLES)).astype(int)]

    def likelihoods(values: np.ndarray) -> np.ndarray:
        logs = -0.5 * ((values[:, np.newaxis] - grid) / sigma) ** 2
        return np.exp(logs - logs.max(axis=1, keepdims=True))

    of_some, shares = likelihoods(some), np.full(_N_VALUES, 1 / _N_VALUES)
    for _ in range(_N_STEPS):
        joint = of_some * shares
        shares = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    found = np.empty(len(raw))
    for first in range(0, len(raw), _ROWS_AT_ONCE):
        joint = likelihoods(raw[first : first + _ROWS_AT_ONCE]) * shares
        found[first : first + _ROWS_AT_ONCE] = joint @ grid / joint.sum(axis=1)
    return found
