"""The method ``predict_interval`` of regression forests."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._state import reads_one_state
from silvics.uncertainty.intervals import predicted_intervals


class HasIntervals:
    """Mixin with prediction intervals."""

    @reads_one_state
    def predict_interval(
        self,
        X: Any,
        confidence_level: Any = 0.9,
        *,
        method: str = "oob",
        calibration: Any = None,
        groups: Any = None,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Predict an interval for the output of each sample.

        The forest must have its training rows: fit it with ``keep_samples=True``, or call
        ``attach_samples``. Levels hold on average over samples from the population of the training
        rows, and not for each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            The samples to predict. None means the training rows with their out-of-bag trees, for
            the methods "oob" and "quantile".
        confidence_level : float or array-like of shape (n_levels,), default=0.9
            The probability that an interval contains the output.
        method : {"oob", "quantile", "jackknife+", "split"}, default="oob"
            "oob" adds quantiles of the out-of-bag errors to the prediction. The errors are scaled
            by the spread of the predicted distribution, as far as that makes the intervals of the
            training rows narrower. The level holds asymptotically. "quantile" takes two quantiles
            of the predicted distribution, without calibration; intervals are often too wide.
            "jackknife+" is the jackknife+ after bootstrap. It holds the level 1 - 2 (1 - level) for
            any population, and usually the level itself; strictly, this is for a number of trees
            that was drawn from a binomial distribution. Its work grows with the product of the
            numbers of samples and training rows. "split" adds quantiles of the errors of other
            rows, in the same form as "oob". It holds the level exactly.
        calibration : tuple (X_cal, y_cal) or None, default=None
            The other rows, for ``method="split"``. The forest must not be fitted on them.
        groups : tuple of two array-like or None, default=None
            The groups of the rows that calibrate, which are the training rows or those of
            ``calibration``, and the groups of the samples. The level then holds in each group. A
            group with few rows may have infinite intervals.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.

        Returns
        -------
        intervals : ndarray of shape (n_samples, 2) or (n_samples, 2, n_levels)
            The lower and upper bounds. For several outputs, the last axis is the output, and
            intervals hold for each output by itself.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from silvics import RandomForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X, y)
        >>> low, high = forest.predict_interval(X[:5], 0.8).T
        >>> bool((low < high).all())
        True
        """
        check_is_fitted(self)
        return predicted_intervals(self, X, confidence_level, method, calibration, groups, n_jobs)
