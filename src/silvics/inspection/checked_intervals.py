"""Prediction intervals beside the outputs: how often they hold, and how wide they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from silvics._frames import library_of
from silvics._predicting.out_of_bag import mean_predictions
from silvics._results.base import Result
from silvics._threads import n_threads
from silvics.plots import interval_charts
from silvics.plots.display import Display

_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(repr=False, eq=False)
class IntervalReport(Result):
    """Prediction intervals of samples whose outputs are known.

    ``to_frame()`` has one row for each level: ``level``, ``coverage`` (the share of the outputs
    that are inside), ``standard_error`` (of the coverage), ``mean_width`` and ``median_width``.
    ``plot()`` draws the coverage by level, ``plot_intervals()`` the intervals in the order of the
    predictions, and ``plot_fan()`` the intervals over one variable.

    Attributes
    ----------
    levels : ndarray of shape (n_levels,)
        Confidence levels, ascending.
    intervals : ndarray of shape (n_samples, 2, n_levels)
        Lower and upper bounds.
    predictions : ndarray of shape (n_samples,)
        Predictions of the forest.
    y : ndarray of shape (n_samples,)
        The outputs.
    method : str
        The method of the intervals.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from silvics import RandomForestRegressor
    >>> from silvics.inspection import interval_report
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X, y)
    >>> interval_report(forest).coverage.round(1).tolist()
    [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    """

    levels: np.ndarray
    intervals: np.ndarray
    predictions: np.ndarray
    y: np.ndarray
    method: str
    _library: str | None = None

    @property
    def coverage(self) -> np.ndarray:
        """Share of the outputs that are inside, for each level."""
        return self._inside().mean(axis=0)

    @property
    def widths(self) -> np.ndarray:
        """Widths of the intervals, of shape (n_samples, n_levels)."""
        return self.intervals[:, 1] - self.intervals[:, 0]

    def plot_intervals(self, level: float | None = None, *, ax: Any = None) -> Display:
        """Draw the intervals of one level and the outputs, in the order of the predictions.

        Parameters
        ----------
        level : float or None, default=None
            The level, one of ``levels``; None means the largest.
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from silvics import RandomForestRegressor
        >>> from silvics.inspection import interval_report
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X, y)
        >>> interval_report(forest).plot_intervals(0.9).ax_.get_ylabel()
        'output'
        """
        k = len(self.levels) - 1 if level is None else self._number(level)
        order = np.argsort(self.predictions, kind="stable")
        low, high = self.intervals[order, 0, k], self.intervals[order, 1, k]
        inside = self._inside()[order, k]
        return Display(
            interval_charts.ordered(self.predictions[order], low, high, self.y[order], inside, ax)
        )

    def plot_fan(self, x: Any, *, name: str = "variable", ax: Any = None) -> Display:
        """Draw the intervals of all levels over one variable.

        Parameters
        ----------
        x : array-like of shape (n_samples,)
            The values of the variable. Samples are drawn in their order; bounds are smoothed by the
            median of neighbouring samples.
        name : str, default="variable"
            The label of the axis.
        ax : matplotlib axes or None, default=None
            The axes to draw in. None makes a new figure.

        Returns
        -------
        display : Display
            An object with the attributes ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from silvics import RandomForestRegressor
        >>> from silvics.inspection import interval_report
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X, y)
        >>> interval_report(forest).plot_fan(X[:, 2], name="bmi").ax_.get_xlabel()
        'bmi'
        """
        try:
            values = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"x must be a variable of numbers or dates: {error}.") from error
        if values.shape != self.y.shape:
            raise ValueError(f"x must have one value for each of {len(self.y)} samples.")
        order = np.argsort(values, kind="stable")
        return Display(
            interval_charts.fan(
                values[order], self.intervals[order], self.predictions[order], self.y[order],
                self.levels, name, ax,
            )
        )  # fmt: skip

    def _number(self, level: float) -> int:
        found = np.flatnonzero(np.isclose(self.levels, level))
        if not len(found):
            raise ValueError(f"level must be one of {self.levels.tolist()}, got {level!r}.")
        return int(found[0])

    def _inside(self) -> np.ndarray:
        y = self.y[:, np.newaxis]
        return (self.intervals[:, 0] <= y) & (y <= self.intervals[:, 1])

    def _title(self) -> str:
        return f"Intervals of {len(self.y)} samples (method {self.method})"

    def _columns(self) -> dict[str, Any]:
        coverage = self.coverage
        return {
            "level": self.levels,
            "coverage": coverage,
            "standard_error": np.sqrt(coverage * (1 - coverage) / max(len(self.y), 1)),
            "mean_width": self.widths.mean(axis=0),
            "median_width": np.median(self.widths, axis=0),
        }

    def _draw(self, ax: Any) -> Any:
        return interval_charts.coverage(self.levels, self.coverage, len(self.y), ax)


def interval_report(
    forest: Any,
    X: Any = None,
    y: Any = None,
    *,
    confidence_level: Any = _LEVELS,
    method: str = "oob",
    calibration: Any = None,
    n_jobs: int | None = None,
) -> IntervalReport:
    """Compare prediction intervals with the outputs.

    Parameters
    ----------
    forest : forest
        A fitted regression forest with one output, which has its training rows.
    X : array-like of shape (n_samples, n_features) or None, default=None
        The samples. None takes the training rows, predicted by their out-of-bag trees.
    y : array-like of shape (n_samples,) or None, default=None
        The outputs of the samples; None if X is None.
    confidence_level : array-like of shape (n_levels,)
        The levels of the intervals. The default is from 0.5 to 0.95.
    method : {"oob", "quantile", "jackknife+", "split"}, default="oob"
        The method of the intervals; see ``forest.predict_interval``.
    calibration : tuple (X_cal, y_cal) or None, default=None
        The rows that calibrate, for ``method="split"``.
    n_jobs : int or None, default=None
        Number of threads. None takes the value of the forest.

    Returns
    -------
    report : IntervalReport
        Coverage and widths by level, with plots.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from silvics import RandomForestRegressor
    >>> from silvics.inspection import interval_report
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X[:300], y[:300])
    >>> report = interval_report(forest, X[300:], y[300:], confidence_level=[0.8, 0.9])
    >>> report.to_frame().columns.tolist()
    ['level', 'coverage', 'standard_error', 'mean_width', 'median_width']
    """
    if not hasattr(forest, "predict_interval"):
        raise TypeError(f"forest must be a regression forest, got {type(forest).__name__}.")
    levels = np.sort(np.atleast_1d(np.asarray(confidence_level, dtype=np.float64)))
    intervals = forest.predict_interval(
        X, levels, method=method, calibration=calibration, n_jobs=n_jobs
    )
    if forest.n_outputs_ != 1:
        raise ValueError(
            f"interval_report is for forests with one output, and this one has {forest.n_outputs_}."
        )
    if (X is None) != (y is None):
        raise ValueError("X and y must be given together.")
    if X is None:
        samples, trees = forest._grown.samples, forest._grown.trees
        threads = n_threads(forest._jobs(n_jobs))
        means = mean_predictions(*samples.membership.out_of_bag(trees.predictor, threads))[:, 0]
        outputs = samples.y[:, 0]
    else:
        means, outputs = forest.predict(X), np.asarray(y, dtype=np.float64)
    if outputs.shape != means.shape:
        raise ValueError(f"y must be of shape {means.shape}, got {outputs.shape}.")
    known = np.isfinite(means)
    library = getattr(forest, "_frame_library", None) or library_of(X)
    return IntervalReport(levels, intervals[known], means[known], outputs[known], method, library)
