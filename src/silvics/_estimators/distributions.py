"""The methods ``predict_quantiles`` and ``predict_distribution`` of regression forests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._estimators.intervals import HasIntervals
from silvics._predicting.predictor import Predictor
from silvics._predicting.training_samples import TrainingSamples
from silvics._state import reads_one_state
from silvics.uncertainty.distributions import PredictedDistributions, predicted_distributions
from silvics.uncertainty.quantiles import predicted_quantiles
from silvics.uncertainty.weights import training_samples


class HasDistributions(HasIntervals):
    """Mixin with the methods that predict a distribution, or intervals, instead of its mean."""

    if TYPE_CHECKING:

        def _predictor_with(self, samples: TrainingSamples | None, n_jobs: int) -> Predictor: ...

    @reads_one_state
    def predict_quantiles(
        self,
        X: Any,
        quantiles: Any = (0.05, 0.5, 0.95),
        *,
        interpolation: str = "inverted_cdf",
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Predict quantiles of the output of each sample (Meinshausen 2006).

        The training rows in the leaves of a sample are a weighted sample of its outputs: the weight
        of a row is the mean over the trees of its in-bag weight divided by that of the leaf. All
        rows of every leaf are used. The forest must have its training rows: fit it with
        ``keep_samples=True``, or call ``attach_samples``. Leaves of several rows give smoother
        quantiles, for example with ``min_samples_leaf=5``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            The samples to predict. None means the training rows, each predicted by the trees for
            which it is out of bag.
        quantiles : float or array-like of shape (n_quantiles,), default=(0.05, 0.5, 0.95)
            The levels of the quantiles, between 0 and 1.
        interpolation : {"inverted_cdf", "linear", "lower", "higher", "midpoint", "nearest"}, \
default="inverted_cdf"
            "inverted_cdf" is the smallest output y with F(y) >= level, where F is the weighted
            distribution function. The others interpolate between training outputs as the methods of
            ``numpy.quantile`` with the same names, to which they are equal for equal weights.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.

        Returns
        -------
        q : ndarray of shape (n_samples,) or (n_samples, n_quantiles)
            The quantiles; a vector if ``quantiles`` is a number. For several outputs, the last axis
            is the output. A training row without an out-of-bag tree has NaN.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [0.2], [5.0], [5.1]], [1.0, 2.0, 3.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, min_samples_leaf=2, keep_samples=True)
        >>> forest.set_params(random_state=0).fit(X, y).predict_quantiles([[5.2]], [0.1, 0.9])
        array([[1., 9.]])
        """
        check_is_fitted(self)
        return predicted_quantiles(self, X, quantiles, interpolation, n_jobs)

    @reads_one_state
    def predict_distribution(self, X: Any, *, n_jobs: int | None = None) -> PredictedDistributions:
        """Predict the distribution of the output of each sample.

        The forest must have its training rows: fit it with ``keep_samples=True``, or call
        ``attach_samples``. The weights take 12 bytes for each sample and training row with which it
        shares a leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None
            The samples to predict. None means the training rows, each predicted by the trees for
            which it is out of bag.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.

        Returns
        -------
        distributions : PredictedDistributions
            The weights of the training outputs, with the methods ``mean``, ``cdf``, ``crps``,
            ``quantile_ranks`` and ``sample``.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from silvics import RandomForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = RandomForestRegressor(keep_samples=True, random_state=0).fit(X, y)
        >>> found = forest.predict_distribution(None)
        >>> bool(found.crps(y).mean() < 35)
        True
        """
        check_is_fitted(self)
        return predicted_distributions(self, X, n_jobs)

    @reads_one_state
    def predictor(self, *, n_jobs: int = 1, training_rows: bool = False) -> Predictor:
        """Return a callable that predicts with little overhead, for use in services.

        It predicts a single row (a list, a dict or a vector) in microseconds, and tables as
        ``predict`` does.

        Parameters
        ----------
        n_jobs : int, default=1
            Number of threads for tables. A single row always uses the calling thread.
        training_rows : bool, default=False
            Whether the predictor has the training rows of the forest, so that it can predict
            quantiles.

        Returns
        -------
        predictor : Predictor
            The callable. It can be pickled and used by several threads at once.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> predict = RandomForestRegressor(random_state=0).fit([[0.0], [1.0]], [2, 2]).predictor()
        >>> predict([0.5])
        2.0
        """
        check_is_fitted(self)
        what = "predictor(training_rows=True)"
        samples = training_samples(self, self, what) if training_rows else None
        return self._predictor_with(samples, n_jobs)
