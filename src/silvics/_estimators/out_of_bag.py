"""The methods ``oob_curve`` and ``in_bag_counts`` of forests."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from silvics._predicting.grown_forest import GrownForest
from silvics._results.oob_curve import OobCurve, oob_curve_of
from silvics._sklearn import available_if
from silvics._state import reads_one_state


class HasOutOfBag:
    """Mixin with the methods that are about rows which trees have not drawn."""

    _has_outputs: ClassVar[bool]
    _grown: GrownForest

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def oob_curve(
        self, scoring: Any = None, *, n_trees: Any = None, n_jobs: int | None = None
    ) -> OobCurve:
        """Compute the out-of-bag score as a function of the number of trees.

        Each training row is predicted by the trees that have not drawn it (thesis 4.4.1). The curve
        shows whether the forest has enough trees: it is flat at its end if more trees would not
        help. The forest must have its training rows: fit it with ``keep_samples=True``, or call
        ``attach_samples``.

        Parameters
        ----------
        scoring : str, callable or None, default=None
            A scorer of scikit-learn: its name, or a callable ``scorer(estimator, X, y)``. The
            estimator that it gets predicts the rows by their out-of-bag trees; X is a column of row
            numbers, since the forest does not keep the table. None is the score of ``oob_score_``:
            the accuracy, or R2 for regression.
        n_trees : array-like of int or None, default=None
            The numbers of trees at which the score is computed. None takes all numbers up to 50,
            and about a hundred more in geometric steps up to the size of the forest.
        n_jobs : int or None, default=None
            Number of threads. None takes the value of the parameter ``n_jobs``. The result does not
            depend on it.

        Returns
        -------
        curve : OobCurve
            Object with the attributes ``n_trees``, ``scores``, ``by_class``, ``predictions`` and
            ``probabilities``, and the methods ``enough()``, ``to_frame()`` and ``plot()``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from silvics import RandomForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = RandomForestClassifier(keep_samples=True, random_state=0).fit(X, y)
        >>> curve = forest.oob_curve()
        >>> bool(curve.scores[-1] > 0.9)
        True
        """
        check_is_fitted(self)
        return oob_curve_of(self, scoring, n_trees, n_jobs)

    @available_if(lambda forest: forest._has_outputs)
    @reads_one_state
    def in_bag_counts(self) -> np.ndarray:
        """Return how often each tree has drawn each training row.

        The rows are drawn again from the seed of the forest, so that no training rows are needed.

        Returns
        -------
        counts : ndarray of int32 of shape (n_samples, n_estimators)
            The number of times that the tree has drawn the row. A row is out of bag for the trees
            in which it has a zero, except for rows that are held out for pruning, which are zero in
            all trees. In honest trees, drawn rows are structure or estimation samples.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(3, random_state=0).fit([[0], [1], [2]], [0, 1, 2])
        >>> forest.in_bag_counts().sum(axis=0).tolist()
        [3, 3, 3]
        """
        check_is_fitted(self)
        return self._grown.in_bag_counts()
