"""The methods ``shap`` and ``partial_dependence`` of forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from silvics._sklearn import available_if
from silvics._state import reads_one_state
from silvics.explain.dependence import partial_dependence
from silvics.explain.dependence_result import PartialDependence
from silvics.explain.shap_result import ShapValues
from silvics.explain.shap_values import shap_values


class HasExplanations:
    """Mixin with the methods that explain predictions by the variables."""

    _has_outputs: ClassVar[bool]

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def shap(
        self,
        X: Any,
        background: Any = None,
        *,
        interactions: bool = False,
        n_jobs: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> ShapValues:
        """Compute exact Shapley values: the parts of predictions that are due to each variable.

        The values of a row and the base value add up to the prediction: that of ``predict`` for
        regression, and of ``predict_proba`` (before calibration) for classification.
        ``background`` says what happens to a variable that is left out:

        - None: at a split on it, a row goes to all children, in the proportions of their training
          samples ("path-dependent", Lundberg et al. 2020). The base value is the mean prediction
          by training weights.
        - a table: it takes the values of the rows of the table in turn ("interventional"). The
          base value is the mean prediction of the table.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples to explain.
        background : array-like of shape (n_background, n_features) or None, default=None
            Rows that the samples are compared with, for example 100 rows of the training set. The
            time is proportional to their number.
        interactions : bool, default=False
            Whether to compute the interactions of all pairs of variables as well. Their number is
            the square of the number of variables. They need ``background=None``. See ``pairs()``
            of the result.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.
        progress : callable or None, default=None
            Called with the number of finished trees and the number of trees. None prints them if
            the parameter ``verbose`` is set.

        Returns
        -------
        values : ShapValues
            Object with the attributes ``values``, ``base_values`` and ``interactions`` and the
            methods ``to_frame()``, ``plot()``, ``pairs()`` and ``to_shap()``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
        >>> found = forest.shap(X.iloc[:10])
        >>> found.values.shape
        (10, 4, 3)
        >>> str(found.names[found.mean_absolute.sum(axis=1).argmax()])
        'petal width (cm)'
        """
        check_is_fitted(self)
        return shap_values(self, X, background, interactions, n_jobs, progress)

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def partial_dependence(
        self,
        features: Any,
        X: Any,
        *,
        kind: str = "average",
        grid: Any = None,
        grid_resolution: int = 100,
        percentiles: Any = (0.05, 0.95),
        centered: bool = False,
        n_jobs: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> PartialDependence:
        """Compute predictions as functions of one or two variables.

        The values are exactly those of predictions in which the variables take each value of a grid
        in turn (``method="brute"`` of scikit-learn), and take far less time: which values of the
        grid come to a node does not depend on the row, so that a row goes to both children only
        where a node divides them. For classification, predictions are those of ``predict_proba``
        (before calibration).

        Parameters
        ----------
        features : str, int, or a pair of these
            The name or the number of a variable, or of two variables.
        X : array-like of shape (n_samples, n_features)
            The rows, from which the other variables take their values.
        kind : {"average", "individual", "both", "ale"}, default="average"
            "average" is the mean over the rows; "individual" the prediction of each row; "both"
            gives both. "ale" sums the changes of predictions from one end to the other of small
            intervals, over the rows in the interval (accumulated local effects): it does not
            combine values that do not occur together. It is for one variable of numbers, dates or
            ordered levels, not for pairs and categories without an order, and leaves out rows in
            which the variable is missing.
        grid : array-like, or a list of two of these, default=None
            The values of each variable. None takes all levels of a category; and all distinct
            values of other variables, or ``grid_resolution`` equally spaced ones if there are
            more. If values are missing in X, missing is a value of its own, the last one. For
            "ale", the ends of the intervals; None takes quantiles, or all levels that occur.
        grid_resolution : int, default=100
            The largest number of values of a variable that is not a category.
        percentiles : pair of float, default=(0.05, 0.95)
            The quantiles of X between which equally spaced values lie.
        centered : bool, default=False
            Whether values are relative to the first point of the grid.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.
        progress : callable or None, default=None
            Called with the number of finished trees and the number of trees, or with numbers of
            rows for "individual". None prints them if the parameter ``verbose`` is set.

        Returns
        -------
        dependence : PartialDependence
            Object with the attributes ``grid``, ``average``, ``std`` (over the trees) and
            ``individual`` and the methods ``to_frame()`` and ``plot()``.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0, 5.0], [1.0, 6.0], [2.0, 4.0], [3.0, 7.0]], [0.0, 1.0, 2.0, 3.0]
        >>> forest = RandomForestRegressor(20, max_features=None, random_state=0).fit(X, y)
        >>> found = forest.partial_dependence(0, X)
        >>> found.grid[0].tolist()
        [0.0, 1.0, 2.0, 3.0]
        >>> bool(found.average[3] > found.average[0])
        True
        """
        check_is_fitted(self)
        return partial_dependence(
            self, features, X, kind, grid, grid_resolution, percentiles, centered, n_jobs, progress
        )
