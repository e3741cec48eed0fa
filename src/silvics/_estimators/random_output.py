"""Base class of unsupervised forests, whose trees are grown on a random output."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from silvics import _core
from silvics._estimators.base_forest import BaseForest
from silvics._fitting import parameters
from silvics._fitting.axes import Axes
from silvics._fitting.learning_task import LearningTask
from silvics._sklearn import fit_context
from silvics._state import fit_aside
from silvics._tables import inputs
from silvics._tables.table import Blocks

TABLE_CONSTRAINTS: dict[str, list[Any]] = {
    name: parameters.TREE_CONSTRAINTS[name]
    for name in ("categorical_features", "min_category_frequency", "unknown_category", "missing")
} | {name: parameters.FOREST_CONSTRAINTS[name] for name in ("progress", "max_time", "max_memory")}


class RandomOutputForest(BaseForest):
    """Forest of totally randomized trees (Geurts et al. 2006) on a random output.

    Each node draws one variable and one threshold. Since no two rows have the same output, nodes
    are split until each has one row, or only equal rows. Missing values go to a random child.
    """

    _classification = False
    _recipe = "totally_randomized"
    _has_outputs = False

    # Parameters of other forests that are fixed here.
    criterion = "squared_error"
    max_features: Any = 1
    bootstrap = False
    max_samples: Any = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf = 0.0
    min_impurity_decrease = 0.0
    ccp_alpha = 0.0
    oob_score = False
    monotonic_cst = None
    feature_weights = None
    constant_features = "count"
    search = "auto"
    max_bins = None
    binning = "frequency"
    split_sample = None
    growth = None
    category_gain = "plain"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None, *, feature_names: Any = None
    ) -> Self:
        """Fit the forest to a set of samples.

        Ctrl-C or an exception of ``progress`` stops the fit. The trees that are finished by then
        are kept and can be used, ``interrupted_`` is set to True, and the exception is raised.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training samples: an array, a data frame, a sparse matrix or a list of rows, of any
            numeric type and memory layout.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples. If trees draw their rows, a row is drawn with a
            probability proportional to its weight. Otherwise a sample with weight 0 is left out.
        feature_names : array-like of str, default=None
            Names of the columns if X is an array or a sparse matrix. A data frame has its own
            names.

        Returns
        -------
        self : object
            The fitted forest.

        Examples
        --------
        >>> from silvics import IsolationForest
        >>> forest = IsolationForest(n_estimators=50, random_state=0)
        >>> forest.fit([[-1.1], [0.3], [0.5], [100.0]]).max_samples_
        4
        """
        del y
        named = inputs.named(X, feature_names)
        return fit_aside(self, lambda copy: copy._fit(named, None, sample_weight))

    def _problem_of_stored_trees(
        self, packed: _core.PackedForest, values: np.ndarray
    ) -> str | None:
        del values
        return "it must have one output" if packed.n_outputs > 1 else None

    def _learning_inputs(self, X: Any, y: Any) -> tuple[Blocks, np.ndarray]:
        del y
        blocks, _ = super()._learning_inputs(X, np.zeros(1))
        return blocks, np.zeros(blocks.shape[0])  # replaced in _learning_task, which has the seed

    def _learning_task(
        self,
        axes: Axes,
        X: Blocks,
        y: np.ndarray,
        weights: np.ndarray | None,
        seed: int,
        groups: np.ndarray | None = None,
    ) -> LearningTask:
        # The output depends on the seed only, so that trees added later have the same output.
        y = check_random_state(seed).uniform(size=y.shape)
        return super()._learning_task(axes, X, y, weights, seed, groups)
