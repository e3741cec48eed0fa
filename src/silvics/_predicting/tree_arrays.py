"""The class of ``tree_``: a grown tree as arrays with scikit-learn's names (Table 5.2)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from silvics import _core
from silvics._predicting import prediction
from silvics._predicting.prediction import Trees
from silvics._tables import inputs
from silvics._tables.table import Blocks


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


class Tree:
    """Read-only arrays over the nodes of a tree, created on first access.

    Nodes are in depth-first order; the left child of node ``t`` is ``t + 1``.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (node_count,)
        Children of each node, -1 for leaves. They are available if all splits have two children;
        see ``children`` for other trees.
    feature, threshold : ndarray of shape (node_count,)
        Samples with ``x[feature] <= threshold`` go left. Both are -2 for leaves. The feature is -3
        for a combination of variables, and the threshold is NaN for other kinds of splits.
    impurity, n_node_samples, weighted_n_node_samples : ndarray of shape (node_count,)
        Impurity, number of distinct training rows, and total weight of the rows of each node.
    missing_go_to_left : ndarray of shape (node_count,)
        Whether missing values go left.
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Prediction of each node: class probabilities, or means.

    Examples
    --------
    >>> from silvics import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], [0, 1]).tree_
    >>> tree.children_left.tolist(), tree.threshold.tolist()
    ([1, -1, -1], [0.5, -2.0, -2.0])
    """

    def __init__(
        self, native: _core.Tree, as_float32: bool = False, n_levels: list[int] | None = None
    ) -> None:
        self._trees = Trees([native], as_float32)
        self._n_levels = n_levels or []

    @classmethod
    def _of(cls, trees: Trees, n_levels: list[int]) -> Tree:
        """Create the arrays of a forest with a single tree."""
        made = cls.__new__(cls)
        made._trees, made._n_levels = trees, n_levels
        return made

    @property
    def _native(self) -> _core.Tree:
        return self._trees.native[0]

    @property
    def _as_float32(self) -> bool:
        return self._trees.as_float32

    def __repr__(self) -> str:
        return f"<Tree of {self._trees.node_counts[0]} nodes>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "_native": self._native,
            "_as_float32": self._as_float32,
            "_n_levels": self._n_levels,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_native"], state["_as_float32"], state["_n_levels"])  # type: ignore[misc]

    n_features = property(lambda self: self._native.n_features)
    n_outputs = property(lambda self: self._native.n_outputs)
    max_depth = property(lambda self: self._native.max_depth)
    node_count = property(lambda self: self._native.node_count)
    capacity = node_count
    n_leaves = property(lambda self: self._native.n_leaves)

    @property
    def n_classes(self) -> np.ndarray:
        """Number of classes of each output; ones for regression."""
        return np.array(self._native.n_classes or [1] * self.n_outputs, dtype=np.intp)

    @property
    def max_n_classes(self) -> int:
        """The largest of ``n_classes``."""
        return int(self.n_classes.max())

    @cached_property
    def children_left(self) -> np.ndarray:
        self._require_two_children("children_left")
        return _read_only(self._native.children_left())

    @cached_property
    def children_right(self) -> np.ndarray:
        self._require_two_children("children_right")
        return _read_only(self._native.children_right())

    def _require_two_children(self, what: str) -> None:
        if not self._native.is_binary:
            raise AttributeError(
                f"{what} is available only for trees whose splits all have two children, and some "
                "splits of this tree have more or fewer: use tree_.children(node)."
            )

    def children(self, node: int) -> np.ndarray:
        """Return the children of a node, in order; an empty array for a leaf.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], [0, 1]).tree_
        >>> tree.children(0).tolist(), tree.children(1).tolist()
        ([1, 2], [])
        """
        return self._native.children(node)

    def split(self, node: int) -> dict[str, Any] | None:
        """Return the split of a node that is not a threshold on one variable; None for others.

        The key ``test`` is "thresholds", "levels" or "subset". ``cuts`` has the thresholds or
        levels, and ``terms`` the variables and coefficients of a combination. ``missing_child`` and
        ``other_child`` are the indices, among the children, of the child for missing values and of
        the child for levels that the node has not seen.

        Examples
        --------
        >>> from silvics import ForestClassifier
        >>> X, y = [["ash"], ["oak"], ["yew"]] * 2, [0, 1, 2] * 2
        >>> forest = ForestClassifier(split="multiway", n_estimators=1, rows="all").fit(X, y)
        >>> forest.estimators_[0].tree_.split(0)["test"]
        'levels'
        """
        record: dict[str, Any] | None = self._native.record(node)
        return record

    @cached_property
    def feature(self) -> np.ndarray:
        return _read_only(self._native.feature())

    @cached_property
    def threshold(self) -> np.ndarray:
        return _read_only(self._native.threshold())

    @cached_property
    def impurity(self) -> np.ndarray:
        return _read_only(self._native.impurity())

    @cached_property
    def n_node_samples(self) -> np.ndarray:
        return _read_only(self._native.n_node_samples())

    @cached_property
    def weighted_n_node_samples(self) -> np.ndarray:
        return _read_only(self._native.weighted_n_node_samples())

    @cached_property
    def missing_go_to_left(self) -> np.ndarray:
        return _read_only(self._native.missing_go_to_left())

    @cached_property
    def value(self) -> np.ndarray:
        return _read_only(self._by_output(self._native.values()))

    def _goes_left(self, t: int, values: np.ndarray) -> np.ndarray:
        """Return which values (codes of levels for a category) go left at an inner node."""
        known = values <= self.threshold[t]
        if np.isnan(self.threshold[t]):
            known = np.isin(values, self.left_levels(t))
        return np.where(np.isnan(values), self.missing_go_to_left[t] != 0, known)

    def _by_output(self, flat: np.ndarray) -> np.ndarray:
        """Reshape values of all outputs side by side to one row per output, padded with zeros."""
        parts = prediction.split_outputs(flat, self.n_classes)
        value = np.zeros((len(flat), self.n_outputs, self.max_n_classes))
        for k, part in enumerate(parts):
            value[:, k, : part.shape[1]] = part
        return value

    def left_levels(self, node: int) -> np.ndarray:
        """Return the codes of the levels that go left at a category node; none at other nodes.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> X, y = [["ash"], ["oak"], ["yew"]] * 2, [0, 1, 0] * 2
        >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        >>> tree.categories_[0][tree.tree_.left_levels(0)].tolist()
        ['ash', 'yew']
        """
        feature = int(self.feature[node])
        n_levels = self._n_levels[feature] if self._n_levels and feature >= 0 else -1
        return self._native.left_levels(node, max(n_levels, 0))

    @property
    def _predictor(self) -> _core.Predictor:
        return self._trees.predictor

    def _matrix(self, X: Any) -> _core.Matrix:
        if isinstance(X, _core.Matrix):
            return X
        blocks = inputs.unchecked(X)
        if len(blocks.shape) != 2 or blocks.shape[1] != self.n_features:
            raise ValueError(
                f"X must have the shape (n_samples, {self.n_features}), got {blocks.shape}."
            )
        return inputs.to_predict(self._known_levels(blocks))

    def _known_levels(self, X: Blocks) -> Blocks:
        """Replace numbers that are not codes of levels by missing values."""
        categories = [j for j, n in enumerate(self._n_levels) if n >= 0]
        if not categories:
            return X
        if X.sparse is not None:
            raise ValueError(
                "X is sparse, but the tree has categories, which need a dense table: pass "
                "X.toarray()."
            )
        whole = X.blocks[0].astype(np.float64)
        for j in categories:
            known = (whole[:, j] >= 0) & (whole[:, j] < self._n_levels[j])
            whole[~known, j] = np.nan
        return Blocks([whole], self._n_levels, X.shape)

    def predict(self, X: Any) -> np.ndarray:
        """Return the value of the leaf of each sample."""
        flat = prediction.mean_prediction(self._predictor, self._matrix(X))
        value = self._by_output(flat)
        return value[:, 0] if self.n_outputs == 1 else value

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf of each sample."""
        return prediction.leaves(self._predictor, self._matrix(X))[:, 0]

    def decision_path(self, X: Any) -> csr_matrix:
        """Return a sparse indicator matrix of the nodes on the path of each sample."""
        return prediction.decision_path(self._predictor, self._matrix(X))

    def compute_node_depths(self) -> np.ndarray:
        """Return the depth of each node; the root has depth 1, as in scikit-learn."""
        return self._native.depths() + 1

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """Return the weighted decrease of impurity of each variable (equation 6.2)."""
        return self._native.impurity_decrease(normalize)

    def compute_partial_dependence(
        self, X: np.ndarray, target_features: np.ndarray, out: np.ndarray
    ) -> None:
        """Add to ``out`` the mean prediction with some variables fixed to the rows of X.

        At a split on another variable, a row goes to both children, with weights proportional to
        those of the training samples.
        """
        self._require_two_children("partial dependence")
        if (self.feature == -3).any():
            raise ValueError(
                "Partial dependence is not defined for splits on combinations of variables."
            )
        grid = np.asarray(X, dtype=np.float64)
        column = {int(f): j for j, f in enumerate(target_features)}
        weights = {0: np.ones(len(grid))}
        samples = self.weighted_n_node_samples
        for t in range(self.node_count):
            weight = weights.pop(t, None)
            if weight is None or not weight.any():
                continue
            if self.children_left[t] < 0:
                out += weight * self.value[t, 0, 0]
                continue
            left, right = self.children_left[t], self.children_right[t]
            if (feature := int(self.feature[t])) in column:
                goes_left = self._goes_left(t, grid[:, column[feature]]).astype(float)
            else:
                goes_left = np.full(len(grid), samples[left] / samples[t])
            weights[left] = weight * goes_left
            weights[right] = weight * (1.0 - goes_left)
