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

from silvics import _core
from silvics._predicting.grown_forest import GrownForest
from silvics._warnings import warn_user
from silvics.uncertainty.tree_predictions import blocks_of_rows

# Products of counts are whole numbers, which float32 adds exactly in chunks of this many rows.
_ROWS_AT_ONCE = 16384
# The prior of the variances: its number of values, the samples from which it is estimated, and the
# number of steps.
_N_VALUES, _N_SAMPLES, _N_STEPS = 60, 2000, 100


def standard_errors(forest: Any, X: Any, raw: bool, n_jobs: int | None) -> Any:
    """Compute standard errors; see the method ``predict_standard_error``."""
    grown: GrownForest = forest._grown
    what = "predict_standard_error"
    grown.require_out_of_bag(what)
    if len(grown.trees) < 2:
        raise ValueError(f"{what} needs at least two trees.")
    rows, jobs = forest._checked(X), forest._jobs(n_jobs)
    variances, halves = _variances(grown, rows, jobs)
    if not raw:
        n_negative = int(np.count_nonzero(variances < 0))
        if n_negative:
            warn_user(
                f"{n_negative} of {variances.size} estimates of the variance were negative and are "
                f"replaced by positive ones, because the forest has only {len(grown.trees)} trees. "
                "More trees give better estimates; raw=True returns the estimates."
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
    n_trees = len(grown.trees)
    products = count_products(grown)
    factor = _factor(grown)
    odd = np.arange(n_trees) % 2 == 1
    parts = [np.ones(n_trees, dtype=bool), odd, ~odd] if n_trees >= 4 else [odd | True]
    forms = [_Form.of(products, part) for part in parts]
    found = np.empty((X.shape[0], grown.trees.predictor.value_width))
    halves = np.zeros_like(found)
    for rows, values in blocks_of_rows(grown.trees, X, n_jobs):
        for c in range(values.shape[2]):
            by_form = [factor * form.variances(values[:, :, c]) for form in forms]
            found[rows, c] = by_form[0]
            if len(by_form) == 3:
                halves[rows, c] = (by_form[1] - by_form[2]) ** 2
    return found, halves


class _Form:
    """The quadratic form of the variance, over some of the trees."""

    def __init__(self, part: np.ndarray, products: np.ndarray) -> None:
        n = len(products)
        centred = products - products.mean(axis=0)
        centred -= centred.mean(axis=1, keepdims=True)
        self._part, self._products, self._n = part, centred, n
        # Covariances over finitely many trees are noisy, which adds this multiple of the variance
        # over the trees to the sum of their squares.
        self._bias = float(np.trace(centred)) / n

    @classmethod
    def of(cls, products: np.ndarray, part: np.ndarray) -> _Form:
        return cls(part, products[np.ix_(part, part)])

    def variances(self, values: np.ndarray) -> np.ndarray:
        d = values if self._part.all() else values[:, self._part]
        d = d - d.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", d @ self._products, d)
        return np.asarray(squares - self._bias * np.einsum("ij,ij->i", d, d)) / self._n**2


def count_products(grown: GrownForest) -> np.ndarray:
    """Return, for each pair of trees, the sum over rows of the products of their in-bag counts.

    If trees draw groups of rows, the sum is over the groups.
    """
    sampling = grown.sampling
    assert sampling is not None
    native, n_trees = grown.native_sampling(), len(grown.trees)
    sampling.check_against(grown.trees[0])
    n, one_of_each = sampling.n_samples, None
    if sampling.groups is not None:
        one_of_each = np.unique(sampling.groups, return_index=True)[1]
    counts = np.empty((n_trees, sampling.n_groups or n), dtype=np.float32)
    for m, seed in enumerate(grown.tree_seeds()):
        by_row = np.bincount(native.rows(seed), minlength=n)
        counts[m] = by_row if one_of_each is None else by_row[one_of_each]
    products = np.zeros((n_trees, n_trees))
    for first in range(0, counts.shape[1], _ROWS_AT_ONCE):
        some = counts[:, first : first + _ROWS_AT_ONCE]
        products += some @ some.T
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


def _shrunk(raw: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Return positive estimates of variances: empirical Bayes with normal errors.

    The standard deviation of the errors is estimated from the two halves of the trees. The prior is
    a mixture of some positive values, whose shares are fitted to the estimates.
    """
    noise = float(np.mean(halves)) / 4  # half the trees have twice the variance of the error
    largest = float(raw.max(initial=0.0))
    if len(raw) < 2 or noise <= 0 or largest <= 0:
        return np.maximum(raw, 0.0)
    sigma = np.sqrt(noise)
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
