"""Noise, bias and variance from the predictions of models of several learning sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions at the same samples of models of independent learning sets.

    Attributes
    ----------
    away : ndarray of shape (n_learning_sets, n_samples, n_columns)
        The predictions of the models, less those of the Bayes model or of what takes its place.
    within : ndarray of the same shape, or None
        The variances of the predictions of the members of each model; None for single models.
    n_members : int
        The number of members of a model.
    """

    away: np.ndarray
    within: np.ndarray | None
    n_members: int

    def sums(self) -> Sums:
        """Return what all statistics need: sums over the learning sets."""
        within = None if self.within is None else self.within.sum(axis=0)
        squares = (self.away**2).sum(axis=0)
        return Sums(len(self.away), self.away.sum(axis=0), squares, within, self.n_members)

    def sums_without(self, sums: Sums, r: int) -> Sums:
        """Return the sums without learning set r."""
        within = None
        if self.within is not None and sums.within is not None:
            within = sums.within - self.within[r]
        first = sums.first - self.away[r]
        squares = sums.squares - self.away[r] ** 2
        return Sums(sums.n - 1, first, squares, within, self.n_members)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over n learning sets: of differences, of their squares, and of variances within."""

    n: int
    first: np.ndarray
    squares: np.ndarray
    within: np.ndarray | None
    n_members: int

    def points(self) -> Points:
        """Return the statistics of each sample, added up over the columns."""
        mean = self.first / self.n
        variance = np.maximum(self.squares / self.n - mean**2, 0.0) * self.n / (self.n - 1)
        # The mean of n predictions is itself random, with a variance of its own.
        bias = mean**2 - variance / self.n
        of_sets = of_members = None
        if self.within is not None:
            of_members = self.within / self.n
            of_sets = (variance - of_members / self.n_members).sum(axis=1)
            of_members = of_members.sum(axis=1)
        return Points(bias.sum(axis=1), variance.sum(axis=1), of_sets, of_members)


@dataclass(frozen=True, eq=False)
class Points:
    """Statistics of each sample.

    Attributes
    ----------
    bias, variance : ndarray of shape (n_samples,)
        The squared bias and the variance. The estimates are unbiased, so that those of single
        samples can be slightly negative.
    of_sets : ndarray of shape (n_samples,), or None
        The variance of a member's expected prediction due to the learning set (Equation 4.30, first
        term).
    of_members : ndarray of shape (n_samples,), or None
        The variance of a member's prediction, given the learning set.
    """

    bias: np.ndarray
    variance: np.ndarray
    of_sets: np.ndarray | None
    of_members: np.ndarray | None

    @property
    def rho(self) -> np.ndarray | None:
        """The correlation of two members (Equation 4.31); NaN where they do not vary."""
        if self.of_sets is None or self.of_members is None:
            return None
        whole = self.of_sets + self.of_members
        return np.divide(self.of_sets, whole, out=np.full_like(whole, np.nan), where=whole > 0)

    def averages(self) -> dict[str, float]:
        """Return the averages over the samples."""
        found = {"bias": self.bias.mean(), "variance": self.variance.mean()}
        if self.of_sets is not None and self.of_members is not None:
            rho = self.rho
            assert rho is not None
            known = ~np.isnan(rho)
            found["rho"] = rho[known].mean() if known.any() else np.nan
            found["member_variance"] = (self.of_sets + self.of_members).mean()
            found["variance_of_learning_set"] = self.of_sets.mean()
            found["variance_of_randomness"] = self.of_members.mean()
        return {name: float(value) for name, value in found.items()}


def standard_errors(predictions: Predictions) -> dict[str, float]:
    """Return the Monte-Carlo standard errors of the averages.

    They combine the jackknife over the learning sets and the variation over the samples.
    """
    sums = predictions.sums()
    n = sums.n
    whole = sums.points()
    parts = whole.averages()
    left_out = [predictions.sums_without(sums, r).points().averages() for r in range(n)]
    of_points: dict[str, np.ndarray | None] = {
        "bias": whole.bias, "variance": whole.variance, "rho": whole.rho,
        "variance_of_learning_set": whole.of_sets, "variance_of_randomness": whole.of_members,
    }  # fmt: skip
    if whole.of_sets is not None and whole.of_members is not None:
        of_points["member_variance"] = whole.of_sets + whole.of_members
    found = {}
    for name in parts:
        values = np.array([averages[name] for averages in left_out])
        # With two learning sets, one is left, whose variance is not known.
        jackknife = (n - 1) / n * ((values - values.mean()) ** 2).sum() if n > 2 else np.nan
        at = of_points[name]
        assert at is not None
        at = at[~np.isnan(at)]
        found[name] = float(np.sqrt(jackknife + (at.var(ddof=1) / len(at) if len(at) > 1 else 0)))
    return found
