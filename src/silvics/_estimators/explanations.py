"""The method ``shap`` of forests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from silvics._sklearn import available_if
from silvics._state import reads_one_state
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
        regression, and of ``predict_proba`` for classification. ``background`` says what happens
        to a variable that is left out:

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
            the square of the number of variables. They need ``background=None``.
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
            methods ``to_frame()``, ``plot()`` and ``to_shap()``.

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
