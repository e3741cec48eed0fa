"""Copies of a forest, fitted to other rows, outputs or columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import check_array

from silvics._fitting import targets
from silvics._fitting.axes import recipe_of
from silvics._predicting.grown_forest import GrownForest
from silvics.importance._checks import threads
from silvics.importance._types import Progress
from silvics.importance.forest.kinds import arguments_of
from silvics.importance.forest.permuted_columns import Columns, for_columns
from silvics.importance.forest.result import Importances
from silvics.recipes import get

SEEDS = np.iinfo(np.int32).max


class ForestRefitter:
    """Fits copies of a forest.

    Parameters
    ----------
    forest : estimator
        A forest, fitted or not. It is cloned and not changed.
    X : table
        The table that the copies are fitted to, or tables made of its columns.
    y : array-like
        The outputs.
    sample_weight : array-like or None
        Weights of the rows.
    n_jobs : int or None
        Number of threads. None takes the parameter of the forest.
    progress : callable or None
        Function that is called as ``progress(done, total)`` after each forest.
    total : int
        The largest number of forests that will be fitted.
    """

    def __init__(
        self,
        forest: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        n_jobs: Any,
        progress: Progress = None,
        total: int = 0,
    ) -> None:
        is_grown = not isinstance(forest, type) and hasattr(forest, "importances")
        if not is_grown or not (is_classifier(forest) or is_regressor(forest)):
            raise TypeError(
                "forest must be a forest of silvics that predicts y, such as "
                f"RandomForestClassifier(); got {forest!r}"
            )
        if X is None or y is None:
            raise ValueError("X and y are needed to fit new forests: pass those of fit.")
        check_weights(forest, sample_weight)
        if n_jobs is not None:
            threads(n_jobs)
        self._forest, self._weight, self._n_jobs = forest, sample_weight, n_jobs
        self._progress, self._done, self.total = progress, 0, total
        self._X = X
        self.table = Columns(X, type(forest).__name__)
        y = check_array(y, dtype=None, ensure_2d=False, input_name="y")
        targets.warn_of_column(y)
        self.y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y  # warned of above
        if len(self.y) != self.table.shape[0]:
            raise ValueError(
                f"X has {self.table.shape[0]} rows, y has {len(self.y)}: they must agree."
            )

    def importances(
        self,
        kind: str,
        seed: int,
        X: Any = None,
        y: Any = None,
        columns: Sequence[int] | None = None,
        feature_groups: Any = None,
        parameters: dict[str, Any] | None = None,
        **more: Any,
    ) -> Importances:
        """Fit a copy with this seed and return its importances.

        Parameters
        ----------
        kind : str
            The kind of importance, as in ``forest.importances``.
        seed : int
            Seed of the forest and of the importances.
        X, y : table, ndarray or None
            Replacements of the original X and y.
        columns : sequence of int or None
            The columns of the table that X is made of. None means all, in their order.
        feature_groups : dict, list or None
            Groups of columns of X.
        parameters : dict or None
            Parameters of the forest to change.
        **more : Any
            Further arguments of ``forest.importances``.

        Returns
        -------
        importances : Importances
        """
        X, y = self._X if X is None else X, self.y if y is None else y
        forest = clone(self._forest)
        if columns is not None:
            forest = for_columns(forest, self.table, [*columns])
        wanted = {
            "random_state": seed, "warm_start": False, "oob_score": False, "progress": None,
            "resume": None,
        }  # fmt: skip
        wanted |= parameters or {}
        if self._n_jobs is not None:
            wanted["n_jobs"] = self._n_jobs
        known = forest.get_params(deep=False)
        forest.set_params(**{name: value for name, value in wanted.items() if name in known})
        forest.fit(X, y, self._weight)
        asked = arguments_of(kind, X, y, seed, self._weight)
        asked["feature_groups"] = feature_groups
        found: Importances = forest.importances(kind, **asked, **more)
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self.total)
        return found


def check_weights(forest: Any, sample_weight: Any) -> None:
    """Raise if a fitted forest had sample weights and they are not passed again."""
    grown: GrownForest | None = getattr(forest, "_grown", None)
    if grown is not None and grown.sampling is not None and grown.sampling.n_groups:
        raise ValueError(
            "The forest has to be fitted again, and it was fitted with groups, which new fits "
            "would not respect: pass a forest that was not fitted with groups."
        )
    if sample_weight is not None or grown is None or grown.sampling is None:
        return
    sampling = grown.sampling
    if not sampling.weights_known:
        raise ValueError(
            "The forest has to be fitted again, and its file does not store the sample_weight of "
            "fit: pass sample_weight."
        )
    if sampling.weights is None:
        return
    by_class = getattr(forest, "class_weight", None) is not None
    if by_class and not sampling.weights_given:
        return  # they follow from class_weight
    pruning = getattr(forest, "pruning", None)
    if pruning is None:
        pruning = get(recipe_of(forest)).for_task("pruning", forest._classification)
    if pruning != "reduced_error":  # which gives held-out rows the weight 0
        raise ValueError(
            "The forest has to be fitted again, and it was fitted with sample_weight: pass the "
            "sample_weight of fit."
        )
