"""The distribution that a forest predicts for each sample."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from silvics._names import one_of
from silvics._results.base import Result
from silvics._threads import n_threads
from silvics.plots import charts
from silvics.uncertainty.weights import kernel_weights, training_samples


@dataclass(repr=False, eq=False)
class PredictedDistributions(Result):
    """The distribution of the output that a forest predicts for each sample.

    It is a weighted sample of the training outputs: the weight of a training row is the mean over
    the trees of its in-bag weight divided by that of the leaf, if the sample is in the same leaf.
    Outputs of shape (n_samples,) below are of shape (n_samples, n_outputs) if there are several
    outputs, and methods that take outputs take them in this shape. Samples without weights have
    NaN.

    ``to_frame()`` has one row for each sample (and output): ``row``, ``mean``, ``std``, and
    ``n_rows``, the number of training rows with a weight.

    Attributes
    ----------
    weights : sparse matrix of shape (n_samples, n_training_rows), in CSR format
        The weights of the training rows. Each row of the matrix sums to one.
    outputs : ndarray of shape (n_training_rows,) or (n_training_rows, n_outputs)
        The outputs of the training rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from silvics import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X, y)
    >>> found = forest.predict_distribution(X[:2])
    >>> found.weights.shape
    (2, 442)
    >>> found.cdf([100.0, 400.0]).shape
    (2, 2)
    """

    weights: csr_matrix
    outputs: np.ndarray
    _library: str | None = None

    def mean(self) -> np.ndarray:
        """Return the mean of each distribution.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            The means. They are the predictions of the forest if its leaves predict means.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, keep_samples=True, random_state=0).fit(X, y)
        >>> found = forest.predict_distribution([[5.2]])
        >>> bool(found.mean()[0] == forest.predict([[5.2]])[0])
        True
        """
        return self._moments()[0]

    def cdf(self, y: Any) -> np.ndarray:
        """Return the probabilities that outputs are at most y.

        Parameters
        ----------
        y : float or array-like of shape (n_points,)
            The points, which are the same for all samples and outputs. The probability of values
            up to NaN is NaN.

        Returns
        -------
        probabilities : ndarray of shape (n_samples,) or (n_samples, n_points)
            The distribution functions at the points.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, keep_samples=True, random_state=0).fit(X, y)
        >>> found = forest.predict_distribution([[5.2]])
        >>> found.cdf([0.0, 9.0]).round(6)
        array([[0., 1.]])
        """
        points = _numbers(y)
        if points.ndim > 1:
            raise ValueError(f"y must be a number or a vector, got an array of {points.ndim} axes.")
        columns = self._columns_of_outputs()
        found = np.stack(
            [
                np.stack([self._probability_up_to(point, of) for of in columns], axis=-1)
                for point in np.atleast_1d(points)
            ],
            axis=1,
        )
        found = found if points.ndim else found[:, 0]
        return found if self.outputs.ndim > 1 else found[..., 0]

    def quantile_ranks(self, y: Any, *, kind: str = "mean") -> np.ndarray:
        """Return the rank of each output in the distribution of its sample.

        For outputs that follow the predicted distributions, ranks are uniform between 0 and 1.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            One output for each sample. The rank of NaN is NaN.
        kind : {"mean", "weak", "strict"}, default="mean"
            "weak" is the probability of values up to y, "strict" of values below y, and "mean" is
            the mean of both.

        Returns
        -------
        ranks : ndarray of shape (n_samples,)
            The ranks.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, keep_samples=True, random_state=0).fit(X, y)
        >>> found = forest.predict_distribution([[5.2]])
        >>> found.quantile_ranks([10.0]).round(6)
        array([1.])
        """
        one_of("kind", kind, ("mean", "weak", "strict"))
        rows = self._rows_of_entries()
        found = []
        for of, given in zip(self._columns_of_outputs(), self._given(y), strict=True):
            values, at = of[self.weights.indices], given[rows]
            weak, strict = self._sums(values <= at), self._sums(values < at)
            rank = {"weak": weak, "strict": strict, "mean": (weak + strict) / 2}[kind]
            found.append(np.where(np.isnan(given), np.nan, rank))
        return self._by_output(found)

    def crps(self, y: Any) -> np.ndarray:
        """Return the continuous ranked probability score of each output.

        It is the integral of the squared difference between the predicted distribution function and
        that of the output: the mean distance of the distribution to y, minus half the mean distance
        of two values of the distribution. Smaller is better; for a single value, it is the absolute
        error.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            One output for each sample.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The scores.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, keep_samples=True, random_state=0).fit(X, y)
        >>> found = forest.predict_distribution([[5.2]])
        >>> bool(found.crps([9.0])[0] < found.crps([1.0])[0])
        True
        """
        rows = self._rows_of_entries()
        found = []
        for of, given in zip(self._columns_of_outputs(), self._given(y), strict=True):
            values, shares = of[self.weights.indices], self.weights.data
            order = np.lexsort((values, rows))
            values, shares = values[order] - given[rows], shares[order]
            sums = np.cumsum(shares)
            before = np.concatenate([[0.0], sums])[self.weights.indptr[:-1]][rows]
            up_to = sums - before  # the distribution function, within each row
            distance = np.abs(values) - values * (2 * up_to - shares - 1)
            found.append(self._sums_of(shares * distance))
        return self._by_output(found)

    def sample(self, n: int = 1, *, random_state: Any = None) -> np.ndarray:
        """Draw outputs from the distributions.

        Parameters
        ----------
        n : int, default=1
            Number of draws for each sample.
        random_state : int, RandomState instance or None, default=None
            The randomness of the draws.

        Returns
        -------
        draws : ndarray of shape (n_samples, n)
            Outputs of training rows. Several outputs are drawn together, from the same row, and
            are of shape (n_samples, n, n_outputs).

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, keep_samples=True, random_state=0).fit(X, y)
        >>> found = forest.predict_distribution([[5.2]])
        >>> found.sample(3, random_state=0).shape
        (1, 3)
        """
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 0:
            raise ValueError(f"n must be an integer that is not negative, got {n!r}.")
        rng = check_random_state(random_state)
        starts, n_rows = self.weights.indptr, self.weights.shape[0]
        sums = np.cumsum(self.weights.data)
        before = np.concatenate([[0.0], sums])
        low, high = before[starts[:-1]], before[starts[1:]]
        points = low[:, np.newaxis] + rng.random_sample((n_rows, n)) * (high - low)[:, np.newaxis]
        drawn = np.searchsorted(sums, points, side="right")
        known = starts[1:] > starts[:-1]
        drawn = np.clip(drawn, starts[:-1, np.newaxis], starts[1:, np.newaxis] - 1)
        rows = self.weights.indices[np.where(known[:, np.newaxis], drawn, 0)]
        draws = self.outputs[rows].astype(np.float64)
        draws[~known] = np.nan
        return draws

    # ---- sums over the weights of each sample

    def _columns_of_outputs(self) -> list[np.ndarray]:
        return [self.outputs] if self.outputs.ndim == 1 else list(self.outputs.T)

    def _rows_of_entries(self) -> np.ndarray:
        return np.repeat(np.arange(self.weights.shape[0]), np.diff(self.weights.indptr))

    def _known(self) -> np.ndarray:
        return np.diff(self.weights.indptr) > 0

    def _sums_of(self, entries: np.ndarray) -> np.ndarray:
        """Return the sum of the entries of each sample; NaN without any."""
        known = self._known()
        found = np.full(len(known), np.nan)
        if known.any():
            found[known] = np.add.reduceat(entries, self.weights.indptr[:-1][known])
        return found

    def _sums(self, chosen: np.ndarray) -> np.ndarray:
        """Return the weight of the chosen entries of each sample."""
        return self._sums_of(self.weights.data * chosen)

    def _probability_up_to(self, point: float, outputs: np.ndarray) -> np.ndarray:
        """Return the weight of the training rows with such outputs, for each sample."""
        found = self.weights @ (outputs <= point).astype(np.float64)
        found[~self._known() | np.isnan(point)] = np.nan
        return np.asarray(found)

    def _by_output(self, found: list[np.ndarray]) -> np.ndarray:
        return found[0] if self.outputs.ndim == 1 else np.stack(found, axis=1)

    def _given(self, y: Any) -> list[np.ndarray]:
        """Return the outputs that a user passed, by output."""
        given = _numbers(y)
        expected = (self.weights.shape[0], *self.outputs.shape[1:])
        if given.shape != expected:
            raise ValueError(f"y must be of shape {expected}, got {given.shape}.")
        return [given] if given.ndim == 1 else list(given.T)

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the means and standard deviations."""
        means, deviations = [], []
        rows = self._rows_of_entries()
        for of in self._columns_of_outputs():
            values = of[self.weights.indices]
            mean = self._sums_of(self.weights.data * values)
            means.append(mean)
            deviations.append(
                np.sqrt(self._sums_of(self.weights.data * (values - mean[rows]) ** 2))
            )
        return self._by_output(means), self._by_output(deviations)

    # ---- as a result

    def _title(self) -> str:
        n, n_training = self.weights.shape
        return f"Distributions of {n} samples over {n_training} training rows"

    def _columns(self) -> dict[str, Any]:
        n, n_outputs = self.weights.shape[0], len(self._columns_of_outputs())
        mean, std = self._moments()
        columns: dict[str, Any] = {"row": np.repeat(np.arange(n), n_outputs)}
        if self.outputs.ndim > 1:
            columns["output"] = np.tile(np.arange(n_outputs), n)
        n_rows = np.repeat(np.diff(self.weights.indptr), n_outputs).astype(np.int64)
        return {**columns, "mean": mean.ravel(), "std": std.ravel(), "n_rows": n_rows}

    def _shown_columns(self) -> dict[str, Any]:
        return {name: column[:20] for name, column in self._columns().items()}

    def _draw(self, ax: Any) -> Any:
        """Draw the distribution functions of the first samples and the first output."""
        of, shown = self._columns_of_outputs()[0], min(self.weights.shape[0], 10)
        curves = []
        for i in range(shown):
            entries = slice(self.weights.indptr[i], self.weights.indptr[i + 1])
            values, shares = of[self.weights.indices[entries]], self.weights.data[entries]
            order = np.argsort(values, kind="stable")
            curves.append((values[order], np.cumsum(shares[order]), f"sample {i}"))
        return charts.steps(curves, "output", "probability of values up to it", ax)


def _numbers(y: Any) -> np.ndarray:
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"y must be numbers, got {y!r}.") from None


def predicted_distributions(forest: Any, X: Any, n_jobs: int | None) -> PredictedDistributions:
    """Compute the distribution of each sample; see the method ``predict_distribution``."""
    samples = training_samples(forest, X, "predict_distribution")
    rows = None if X is None else forest._checked(X)
    threads = n_threads(forest._jobs(n_jobs))
    native = kernel_weights(forest._grown, samples, rows, threads)
    starts, columns, values = native.sparse(rows, threads)
    weights = csr_matrix((values, columns, starts), shape=(len(starts) - 1, native.n_columns))
    # Leaves of honest trees may have no rows: the others share their weight.
    whole = np.asarray(weights.sum(axis=1)).ravel()
    weights.data /= np.repeat(whole, np.diff(weights.indptr))
    outputs = samples.y[:, 0] if samples.y.shape[1] == 1 else samples.y
    return PredictedDistributions(weights, outputs, getattr(forest, "_frame_library", None))
