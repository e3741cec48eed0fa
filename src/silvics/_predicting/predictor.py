"""A callable that predicts with little overhead, for use in services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from silvics import _core
from silvics._names import one_of
from silvics._predicting import prediction
from silvics._predicting.calibrated import ProbabilityMap, calibrated
from silvics._predicting.levels import INTERPOLATIONS, checked_levels, shaped
from silvics._predicting.prediction import Trees
from silvics._predicting.training_samples import TrainingSamples
from silvics._tables import inputs, table
from silvics._tables.table import Variables
from silvics._threads import n_threads

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
    maps : list of ProbabilityMap or None
        What calibration does to the probabilities of each output.
    samples : TrainingSamples or None
        The training rows of every leaf, for quantiles.

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
        maps: list[ProbabilityMap] | None = None,
        samples: TrainingSamples | None = None,
    ) -> None:
        self._state = (trees, variables, classes, unknown_category, missing, n_jobs, maps)
        self._maps, self._samples = maps, samples
        if samples is not None:
            self._quantiles = samples.leaf_quantiles(trees, n_threads(n_jobs))
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
        if self._samples is None:
            return (type(self), self._state)
        membership = self._samples.membership
        arrays = {name: np.array(array) for name, array in membership.arrays().items()}
        sizes = (membership.n_rows, membership.n_parts)
        return (_with_samples, (self._state, arrays, sizes, self._samples.y))

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
        if self._labels is not None and self._maps is None:
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
        quick: Any = None if self._labels is None else self._rows.values(X)
        if quick is not None:
            return quick if self._maps is None else self._maps[0](quick[np.newaxis])[0]
        values, one = self._values(X)
        shares = prediction.split_outputs(values, [len(c) for c in self._classes])
        shares = [s[0] for s in shares] if one else shares
        return shares[0] if len(shares) == 1 else shares

    def predict_quantiles(
        self,
        X: Any,
        quantiles: Any = (0.05, 0.5, 0.95),
        *,
        interpolation: str = "inverted_cdf",
    ) -> np.ndarray:
        """Predict quantiles of the output of a row or a table.

        The predictor must have the training rows: ``forest.predictor(training_rows=True)``.

        Parameters
        ----------
        X : list, tuple, dict, 1-d array, or any table that the estimator takes
            One row or several, as for a call.
        quantiles : float or array-like of shape (n_quantiles,), default=(0.05, 0.5, 0.95)
            The levels of the quantiles.
        interpolation : str, default="inverted_cdf"
            As for ``forest.predict_quantiles``.

        Returns
        -------
        q : ndarray
            For a row, a vector of the quantiles; for a table, an array of shape (n_samples,
            n_quantiles). For several outputs, the last axis is the output; for a single quantile,
            its axis is dropped.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> X, y = [[0.0], [0.1], [5.0], [5.1]], [1.0, 2.0, 7.0, 9.0]
        >>> forest = RandomForestRegressor(50, keep_samples=True, random_state=0).fit(X, y)
        >>> forest.predictor(training_rows=True).predict_quantiles([5.2], [0.01, 0.9])
        array([2., 9.])
        """
        if self._samples is None:
            raise ValueError(
                "predict_quantiles needs the training rows of every leaf. Create the predictor "
                "with forest.predictor(training_rows=True)."
            )
        levels, single = checked_levels("quantiles", quantiles, closed=True)
        one_of("interpolation", interpolation, INTERPOLATIONS)
        row: Any = self._rows.sample(X)
        if row is not None:
            return shaped(self._quantiles.quantiles_of_row(row, levels, interpolation), single)
        X, one = self._as_table(X)
        found = self._quantiles.quantiles(
            self._read(X), levels, interpolation, n_threads(self._n_jobs)
        )
        return shaped(found[0] if one else found, single)

    def _read(self, X: Any) -> _core.Matrix:
        """Return the numbers of a table."""
        blocks = table.read(
            self._variables, X, **self._rules, check_names=True, estimator_name=_NAME
        )
        return inputs.to_predict(blocks)

    def _values(self, X: Any) -> tuple[np.ndarray, bool]:
        """Return the mean prediction of the trees for each row, and whether X is a single row."""
        X, one = self._as_table(X)
        values = prediction.mean_prediction(self._predictor, self._read(X), self._n_jobs)
        if self._maps is not None and self._classes is not None:
            values = calibrated(self._maps, values, [len(of) for of in self._classes])
        return values, one

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


def _with_samples(
    state: tuple[Any, ...], arrays: dict[str, np.ndarray], sizes: tuple[int, int], y: np.ndarray
) -> Predictor:
    """Create a predictor with training rows, from a pickle."""
    membership = _core.LeafMembership.from_arrays(state[0].packed, arrays, *sizes)
    return Predictor(*(*state, TrainingSamples(membership, y)))
