"""The methods ``predict_trees`` and ``predict_standard_error`` of forests."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._sklearn import available_if
from silvics._state import reads_one_state
from silvics.uncertainty.standard_errors import standard_errors
from silvics.uncertainty.tree_predictions import predicted_by_trees


class HasTreePredictions:
    """Mixin with the methods that look at the prediction of each tree."""

    _has_outputs: ClassVar[bool]

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def predict_trees(self, X: Any, *, n_jobs: int | None = None) -> np.ndarray | list[np.ndarray]:
        """Predict each sample by each tree.

        The mean over the trees is the prediction of the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        values : ndarray, or list of ndarray
            For regression, the predicted numbers, of shape (n_samples, n_estimators), with a last
            axis for the outputs if there are several. For classification, the class probabilities,
            or votes with ``vote="majority"``, of shape (n_samples, n_estimators, n_classes); for
            several outputs, a list with one array per output.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [0.0, 1.0, 5.0, 6.0]
        >>> forest = RandomForestRegressor(10, random_state=0).fit(X, y)
        >>> forest.predict_trees([[0.5], [5.5]]).shape
        (2, 10)
        """
        check_is_fitted(self)
        return predicted_by_trees(self, X, n_jobs)

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def predict_standard_error(
        self, X: Any, *, raw: bool = False, n_jobs: int | None = None
    ) -> Any:
        """Estimate the standard error of the prediction of each sample.

        It is the standard deviation, over learning sets, of what the forest predicts: of the mean,
        or of the class probabilities. It does not include the noise of single outputs, for which
        there are intervals. The estimate is the infinitesimal jackknife (Wager, Hastie and Efron
        2014), with the correction for the number of trees, of which it needs several hundred. Trees
        must have drawn their rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to predict.
        raw : bool, default=False
            If True, return the estimates of the variance, some of which may be negative. If False,
            return the square roots of positive estimates: the posterior means of the variances,
            under a prior that is estimated from all samples of X (empirical Bayes), which is why
            they depend on the samples that are passed together. A warning says how many estimates
            were negative.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``.

        Returns
        -------
        errors : ndarray, or list of ndarray
            The standard errors, or variances, in the shape of the predictions; for classification,
            in the shape of the class probabilities.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from silvics import RandomForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(500, random_state=0).fit(X, y)
        >>> forest.predict_standard_error(X[:100], raw=True).shape
        (100,)
        """
        check_is_fitted(self)
        return standard_errors(self, X, raw, n_jobs)
