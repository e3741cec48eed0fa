"""Impurities of Y given every set of variables, and sums over these sets."""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import Any

import numpy as np

from silvics import _core
from silvics.importance._types import Progress
from silvics.importance.theory.distribution import Distribution

MOST_VARIABLES = 24  # 2**24 impurities are 128 MiB


class Lattice:
    """The impurities i(Y|B) for all sets B of variables, indexed by the bits of B.

    Parameters
    ----------
    distribution : Distribution
        A distribution of at most ``MOST_VARIABLES`` variables.
    max_size : int or None
        The largest size of a set. None includes all sets.
    n_jobs : int
        Number of threads.
    progress : callable or None
        Function that is called as ``progress(done, total)``.
    """

    def __init__(
        self,
        distribution: Distribution,
        max_size: int | None = None,
        n_jobs: int = 1,
        progress: Progress = None,
    ) -> None:
        p = distribution.n_variables
        if p > MOST_VARIABLES:
            raise ValueError(
                f"X has {p} variables, but all sets of variables can be computed for at most "
                f"{MOST_VARIABLES}. Select columns, or use asymptotic_importances, which can "
                "sample trees instead."
            )
        self.n_variables = p
        self.max_size = p if max_size is None else min(max_size, p)
        masses = _core.subset_impurities(distribution.native(), self.max_size, n_jobs, progress)
        self.impurities = masses * (distribution.unit / distribution.weight)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of variables of each set."""
        sizes = np.zeros(1, dtype=np.int8)
        for _ in range(self.n_variables):
            sizes = np.concatenate([sizes, sizes + 1])
        return sizes

    def without(self, j: int, of: np.ndarray) -> np.ndarray:
        """Select the entries of an array over sets that belong to sets without variable j."""
        return np.ascontiguousarray(of.reshape(-1, 2, 1 << j)[:, 0, :]).ravel()

    def information(self, j: int) -> np.ndarray:
        """Return G(Y; X_j | B) for every B without j, in the order of ``without``.

        It is NaN if B and j together have more than ``max_size`` variables.
        """
        given = self.impurities.reshape(-1, 2, 1 << j)
        # Rounding may give a negative number.
        return np.maximum(given[:, 0, :] - given[:, 1, :], 0.0).ravel()

    def sums_by_size(self, j: int, where: np.ndarray | None = None) -> np.ndarray:
        """Sum G(Y; X_j | B) over the sets of each size 0 .. p - 1; only over those in ``where``."""
        information = np.nan_to_num(self.information(j))
        if where is not None:
            information = np.where(where, information, 0.0)
        sizes = self.without(j, self.sizes)
        return np.bincount(sizes, information, minlength=self.n_variables)


def term_weights(n_variables: int, n_terms: int | None = None) -> np.ndarray:
    """Return the weights of equation 6.10: 1 / (C(p, k) (p - k)) for k = 0 .. n_terms - 1."""
    p = n_variables
    return np.array([1 / (comb(p, k) * (p - k)) for k in range(p if n_terms is None else n_terms)])


def subspace_weights(n_variables: int, n_drawn: int) -> np.ndarray:
    """Return the weights for trees on random subspaces of q variables (equation 6.38)."""
    p, q = n_variables, n_drawn
    weights = [comb(p - k - 1, q - k - 1) / comb(p, q) * w for k, w in enumerate(term_weights(q))]
    return np.array(weights + [0.0] * (p - q))


def n_cells(distribution: Distribution, max_size: int) -> float:
    """Return an upper bound of the number of cells of a lattice, which measures its work."""
    p, n = distribution.n_variables, distribution.n_rows
    # Sums over sets of the product of their numbers of levels (elementary symmetric polynomials).
    products = np.zeros(p + 1)
    products[0] = 1.0
    for n_levels in distribution.n_levels:
        products[1:] += products[:-1] * float(n_levels)
    return float(sum(min(products[k], comb(p, k) * n) for k in range(min(p, max_size) + 1)))


def numbers_of(words: np.ndarray) -> np.ndarray:
    """Convert sets from words of 64 bits, lowest first, to numbers."""
    if words.shape[1] == 1:
        return words[:, 0]
    parts = (words[:, w].astype(object) << 64 * w for w in range(words.shape[1]))
    return np.asarray(sum(parts), dtype=object)


def set_of(number: Any, names: np.ndarray) -> tuple[str, ...]:
    """Return the names of the variables whose bits are set in a number."""
    bits = int(number)
    return tuple(str(name) for j, name in enumerate(names) if bits >> j & 1)
