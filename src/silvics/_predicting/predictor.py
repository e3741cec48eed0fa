"""A callable that predicts with little overhead, for use in services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from silvics import _core
from silvics._predicting import prediction
from silvics._predicting.prediction import Trees
from silvics._tables import inputs, table
from silvics._tables.table import Variables

_NAME = "Predictor"


class Predictor:
    """Callable that predicts a row in microseconds, or a table, without scikit-learn's checks.

    ``forest.predictor()`` creates it. It holds only the trees and the description of the variables.
    It can be pickled, and called by several threads at once.

    Parameters
    ----------
    trees : Trees
        The trees of the forest.
    variables : Variables
        Description of the columns seen in training.
    classes : list of ndarray or None
        Classes of each output; None for regression.
    unknown_category, missing : str
        Values of the estimator's parameters of the same names.
    n_jobs : int
        Number of threads for tables. A single row always uses the calling thread.

    Examples
    --------
    >>> from silvics import RandomForestClassifier
    >>> X = [["ash", 12.0], ["oak", 30.0], ["oak", 28.0], ["ash", 9.0]]
    >>> forest = RandomForestClassifier(random_state=0).fit(X, ["thin", "thick", "thick", "thin"])
    >>> predict = forest.predictor()
    >>> predict(["oak", 31.0])
    'thick'
    >>> predict([["oak", 31.0], ["ash", None]]).tolist()
    ['thick', 'thin']
    """

    def __init__(
        self,
        trees: Trees,
        variables: Variables,
        classes: list[np.ndarray] | None,
        unknown_category: str,
        missing: str,
        n_jobs: int,
    ) -> None:
        self._state = (trees, variables, classes, unknown_category, missing, n_jobs)
        self._variables, self._classes, self._n_jobs = variables, classes, n_jobs
        self._rules = {"unknown_category": unknown_category, "missing": missing}
        self._predictor = trees.predictor
        names = variables.names
        self._names = frozenset([] if names is None else names)
        self._rows = _core.RowPredictor(
            self._predictor,
            None if names is None else names.tolist(),
            [_levels(*known) for known in zip(variables.kinds, variables.levels, strict=True)],
            missing != "error",
        )
        self._n_outputs = trees.packed.n_outputs
        # The labels of the classes, if there is one output.
        self._labels = classes[0].tolist() if classes and len(classes) == 1 else None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._state)

    def __repr__(self) -> str:
        n, p = self._predictor.n_trees, self._predictor.n_features
        return f"<Predictor of {n} trees on {p} variables>"

    def __call__(self, X: Any) -> Any:
        """Predict a row or a table.

        Parameters
        ----------
        X : list, tuple, dict, 1-d array, or any table that the estimator takes
            One row or several. A dict is a row by the names of the variables, and a list of dicts
            is several such rows.

        Returns
        -------
        y : label, float, or ndarray
            For a row, its class or number, or a vector if there are several outputs. For a table,
            an array with one element or row per sample.
        """
        if self._labels is not None:
            number = self._rows.likeliest(X)
            if number >= 0:
                return self._labels[number]
        elif self._classes is None and self._n_outputs == 1:
            value = self._rows.number(X)
            if value is not None:
                return value
        values, one = self._values(X)
        if self._classes is None:
            predicted = prediction.reals(values)
        else:
            predicted = prediction.likeliest(self._classes, values)
        if not one:
            return predicted
        return predicted.tolist()[0] if predicted.ndim == 1 else predicted[0]

    def predict_proba(self, X: Any) -> Any:
        """Predict the class probabilities of a row or a table.

        Parameters
        ----------
        X : list, tuple, dict, 1-d array, or any table that the estimator takes
            One row or several, as for a call.

        Returns
        -------
        p : ndarray, or list of ndarray
            For a row, a vector of n_classes probabilities; for a table, an array of shape
            (n_samples, n_classes). For several outputs, a list with one array per output.

        Examples
        --------
        >>> from silvics import RandomForestClassifier
        >>> X, y = [[0.0], [1.0], [5.0], [6.0]], ["low", "low", "high", "high"]
        >>> predictor = RandomForestClassifier(10, random_state=0).fit(X, y).predictor()
        >>> predictor.predict_proba([5.5])
        array([1., 0.])
        """
        if self._classes is None:
            raise AttributeError("predict_proba is available for classification only.")
        quick = None if self._labels is None else self._rows.values(X)
        if quick is not None:
            return quick
        values, one = self._values(X)
        shares = prediction.split_outputs(values, [len(c) for c in self._classes])
        shares = [s[0] for s in shares] if one else shares
        return shares[0] if len(shares) == 1 else shares

    def _values(self, X: Any) -> tuple[np.ndarray, bool]:
        """Return the mean prediction of the trees for each row, and whether X is a single row."""
        X, one = self._as_table(X)
        blocks = table.read(
            self._variables, X, **self._rules, check_names=True, estimator_name=_NAME
        )
        return prediction.mean_prediction(
            self._predictor, inputs.to_predict(blocks), self._n_jobs
        ), one

    def _as_table(self, X: Any) -> tuple[Any, bool]:
        if isinstance(X, Mapping):
            return [self._in_order(X)], True
        if isinstance(X, np.ndarray) or issparse(X):
            return (X[np.newaxis], True) if X.ndim == 1 else (X, False)
        if isinstance(X, list | tuple):
            if X and isinstance(X[0], Mapping):
                return [self._in_order(row) for row in X], False
            if not X or np.ndim(X[0]) == 0:
                return [list(X)], True
        elif getattr(X, "ndim", 2) == 1 and hasattr(X, "to_dict"):  # a row of a data frame
            return [self._in_order(X.to_dict())], True
        return X, False

    def _in_order(self, row: Mapping[str, Any]) -> list[Any]:
        """Return the values of a row given by names, in the order of the columns."""
        names = self._variables.names
        if names is None:
            raise ValueError(
                "A row by names needs a model with feature names, but this one was fitted on data "
                "without names. Pass the row as a list of values."
            )
        absent = [name for name in names if name not in row]
        unknown = [name for name in row if name not in self._names]
        if absent or unknown:
            problems = [f"{n!r} is absent" for n in absent[:5]] + [
                f"{n!r} is unknown" for n in unknown[:5]
            ]
            raise ValueError(
                f"The names of the row are not those seen in fit: {', '.join(problems)}. Pass None "
                "for a missing value."
            )
        values = [row[name] for name in names]
        for name, value in zip(names, values, strict=True):
            if isinstance(value, list | tuple | dict) or getattr(value, "ndim", 0) > 0:
                raise TypeError(
                    f"Input X: column {name!r} must be a single value in each row, got "
                    f"{value!r:.60}."
                )
        return values


def _levels(kind: str, levels: np.ndarray | None) -> dict[str, int] | bool | None:
    """Return the codes of text levels; None for numbers, False for kinds without a fast path."""
    if kind == "number":
        return None
    if kind != "category" or levels is None:
        return False
    return {level: i for i, level in enumerate(levels.tolist()) if isinstance(level, str)}
