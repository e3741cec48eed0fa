"""Contexts: the importance of a variable given a set of other variables."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from silvics.importance.theory.lattice import Lattice, numbers_of

# Rows are tuples of arrays: variable, set, degree, weight and importance.


@dataclass
class OfSets:
    """The contexts of all sets, from the terms of equation 6.10."""

    lattice: Lattice
    weights: np.ndarray

    def n_rows(self) -> int:
        p = self.lattice.n_variables
        return p * sum(comb(p - 1, k) for k in range(p) if self.weights[k] > 0)

    def rows(self, top: int | None) -> tuple[np.ndarray, ...]:
        """Return all rows, or at least the ``top`` rows of the largest importance."""
        lattice = self.lattice
        numbers = np.arange(1 << lattice.n_variables)
        parts = []
        for j in range(lattice.n_variables):
            degree = lattice.without(j, lattice.sizes)
            weight = self.weights[degree]
            importance = np.where(weight > 0, lattice.information(j) * weight, -1.0)
            there = _at_least(importance, top) & (weight > 0)
            sets = lattice.without(j, numbers)[there]
            variable = np.full(len(sets), j)
            parts.append((variable, sets, degree[there], weight[there], importance[there]))
        return tuple(np.concatenate(of) for of in zip(*parts, strict=True))


def _at_least(importance: np.ndarray, top: int | None) -> np.ndarray:
    """Return a mask of the ``top`` largest values and of values equal to them."""
    if top is None or top >= len(importance):
        return np.ones(len(importance), dtype=bool)
    if top == 0:
        return np.zeros(len(importance), dtype=bool)
    place = len(importance) - top
    return importance >= np.partition(importance, place)[place]


@dataclass
class OfTests:
    """The contexts of the tests in a set of trees."""

    variable: np.ndarray
    words: np.ndarray
    weight: np.ndarray
    importance: np.ndarray

    def n_rows(self) -> int:
        return len(self.variable)

    def rows(self, top: int | None) -> tuple[np.ndarray, ...]:
        there = _at_least(self.importance, top)
        words = self.words[there]
        degree = np.bitwise_count(words).sum(axis=1)
        return (
            self.variable[there],
            numbers_of(words),
            degree,
            self.weight[there],
            self.importance[there],
        )
